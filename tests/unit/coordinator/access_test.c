// The table of rights: each role, and what is forgotten.
#include "coordinator/access.h"

#include <check.h>
#include <stdlib.h>

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

// Who adds an op says in coordinator/access.def who may ask for it.
START_TEST(every_op_has_its_row)
{
    static const char *const ops[] = {
#define X(op, repeat) #op,
#include "client/session/ops.def"
#undef X
    };
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
        ck_assert_msg(ss_access_lists_op(ops[i]),
            "coordinator/access.def does not say who may ask for %s", ops[i]);
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
    tcase_add_test(tcase, every_op_has_its_row);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
