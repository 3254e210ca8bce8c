// The table of rights: each role, and what is forgotten.
#include "coordinator/core/access.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/requests.h"
#include "tests/suite.h"

START_TEST(a_worker_works_and_asks_nothing)
{
    ck_assert(ss_access_message(SS_ROLE_WORKER, SS_MESSAGE_HELLO));
    ck_assert(ss_access_message(SS_ROLE_WORKER, SS_MESSAGE_DONE));
    ck_assert(ss_access_message(SS_ROLE_WORKER, SS_MESSAGE_PING));
    ck_assert(!ss_access_message(SS_ROLE_WORKER, SS_MESSAGE_ASK));
}
END_TEST

START_TEST(a_client_asks_and_works_nothing)
{
    ck_assert(ss_access_message(SS_ROLE_CLIENT, SS_MESSAGE_ASK));
    ck_assert(!ss_access_message(SS_ROLE_CLIENT, SS_MESSAGE_HELLO));
    ck_assert(!ss_access_message(SS_ROLE_CLIENT, SS_MESSAGE_DONE));
    ck_assert(ss_access_op(SS_ROLE_CLIENT, "run"));
    ck_assert(!ss_access_op(SS_ROLE_CLIENT, "delete"));
    ck_assert(!ss_access_op(SS_ROLE_CLIENT, "prune"));
    ck_assert(!ss_access_op(SS_ROLE_CLIENT, "drain"));
    ck_assert(!ss_access_op(SS_ROLE_CLIENT, "settings"));
    ck_assert(!ss_access_op(SS_ROLE_CLIENT, "pause"));
    ck_assert(!ss_access_op(SS_ROLE_CLIENT, "unpause"));
    ck_assert(ss_access_op(SS_ROLE_CLIENT, "pauses"));
}
END_TEST

START_TEST(an_operator_may_what_a_client_may_and_more)
{
    unsigned roles = ss_role_grants(SS_ROLE_OPERATOR);
    ck_assert(ss_access_message(roles, SS_MESSAGE_ASK));
    ck_assert(!ss_access_message(roles, SS_MESSAGE_HELLO));
    ck_assert(ss_access_op(roles, "run"));
    ck_assert(ss_access_op(roles, "delete"));
    ck_assert(ss_access_op(roles, "drain"));
    ck_assert(ss_access_op(roles, "pause"));
}
END_TEST

START_TEST(what_is_not_listed_is_for_operators)
{
    ck_assert(!ss_access_op(SS_ROLE_CLIENT, "something new"));
    ck_assert(ss_access_op(ss_role_grants(SS_ROLE_OPERATOR), "something new"));
    ck_assert(!ss_access_op(SS_ROLE_WORKER, "something new"));
}
END_TEST

START_TEST(without_keys_everybody_may_everything)
{
    ck_assert(ss_access_message(SS_ROLES_ALL, SS_MESSAGE_ANSWER));
    ck_assert(ss_access_op(SS_ROLES_ALL, "something new"));
}
END_TEST

// Said twice, here and in common/model/requests.def: who gives a client the
// right to change the cluster is asked whether that is meant.
START_TEST(what_changes_the_cluster_is_for_operators)
{
    static const char *const theirs[] = {"release", "delete", "prune",
        "clear_cache", "drain", "pause", "unpause", "limit", "settings",
        "show"};
    size_t found = 0;
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const char *name = ss_op_row(op)->name;
        bool is_theirs = false;
        for (size_t i = 0; i < sizeof(theirs) / sizeof(*theirs); i++)
            is_theirs = is_theirs || strcmp(theirs[i], name) == 0;
        found += is_theirs;
        ck_assert_msg(ss_access_op(SS_ROLE_CLIENT, name) == !is_theirs,
            "%s: a client may it, or may not", name);
        ck_assert(ss_access_op(ss_role_grants(SS_ROLE_OPERATOR), name));
        ck_assert(!ss_access_op(SS_ROLE_WORKER, name));
    }
    ck_assert_uint_eq(found, sizeof(theirs) / sizeof(*theirs));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("access");
    TCase *tcase = tcase_create("access");
    tcase_add_test(tcase, a_worker_works_and_asks_nothing);
    tcase_add_test(tcase, a_client_asks_and_works_nothing);
    tcase_add_test(tcase, an_operator_may_what_a_client_may_and_more);
    tcase_add_test(tcase, what_is_not_listed_is_for_operators);
    tcase_add_test(tcase, without_keys_everybody_may_everything);
    tcase_add_test(tcase, what_changes_the_cluster_is_for_operators);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
