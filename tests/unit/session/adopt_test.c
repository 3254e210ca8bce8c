// adopt_test.c - a worker whose coordinator goes, and the one that comes after
// it.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "tests/suite.h"
#include "tests/unit/session/script.h"
#include "worker/session/limits.h"

static const char *const named[] = {"tcp://a:1", "tcp://b:1"};
static struct script s;

static void setup(void)
{
    script_thread = "t";
    script_shard_epoch = 0;
    script_init(&s, 2);
    script_tick(&s, 0);
    script_welcome(&s, 1);
}

static void setup_cluster(void)
{
    script_thread = "t";
    script_shard_epoch = 5;
    script_init_cluster(&s, 2, named, 2);
    script_tick(&s, 0);
    script_welcome(&s, 10);
    s.link = 1;
    script_welcome(&s, 11);
    s.link = 0;
}

static void teardown(void)
{
    script_fini(&s);
}

static const char *adopts(uint64_t held_epoch, uint64_t held_dispatch,
    uint64_t as_epoch, uint64_t as_dispatch)
{
    return script_adopt(&s, (struct ss_attempt){held_epoch, held_dispatch},
        (struct ss_attempt){as_epoch, as_dispatch});
}

// ------------------------------------------------------------------ a restart

START_TEST(what_runs_goes_on_under_the_new_owners_name)
{
    script_task(&s, 1, 1);
    ck_assert_str_eq(script_pong(&s, 2), "HELLO offers 1.1\n");
    ck_assert_str_eq(script_welcome(&s, 2), "ready\nBEAT\n");
    ck_assert_str_eq(script_item(&s, 1, 1), ""); // nobody's, for now
    ck_assert_str_eq(adopts(1, 1, 2, 7), "");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT 2.7\n");
    ck_assert_str_eq(script_item(&s, 1, 1), "LIVE 2.7\n");
    // The body knows its old name, the coordinator the new one.
    ck_assert_str_eq(script_cancel(&s, 2, 7), "stop 1.1\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 2.7\n");
    ck_assert_str_eq(script_settled(&s, 2, 7), "");
    ck_assert_uint_eq(ss_session_load(s.session).kept, 0);
    ck_assert_str_eq(script_tick(&s, 500), "BEAT\n");
}
END_TEST

START_TEST(a_result_that_is_kept_goes_to_the_new_owner)
{
    script_task(&s, 1, 1);
    script_end(&s, 1, 1);
    ck_assert_str_eq(script_pong(&s, 2), "HELLO offers 1.1(ended)\n");
    script_welcome(&s, 2);
    ck_assert_str_eq(adopts(1, 1, 2, 1), "DONE 2.1\n");
    ck_assert_str_eq(adopts(1, 1, 2, 1), ""); // said twice
    ck_assert_str_eq(script_settled(&s, 2, 1), "");
    ck_assert_uint_eq(ss_session_load(s.session).kept, 0);
}
END_TEST

START_TEST(what_the_new_owner_does_not_want_is_stopped_and_forgotten)
{
    script_task(&s, 1, 1);
    script_task(&s, 1, 2);
    script_end(&s, 1, 2);
    script_pong(&s, 2);
    script_welcome(&s, 2);
    ck_assert_str_eq(script_settled(&s, 1, 1), "stop 1.1\n");
    ck_assert_str_eq(script_settled(&s, 1, 2), "");
    ck_assert_uint_eq(ss_session_load(s.session).kept, 0);
    ck_assert_str_eq(script_end(&s, 1, 1), "");
    ck_assert_uint_eq(ss_session_load(s.session).busy, 0);
}
END_TEST

START_TEST(orphans_are_kept_up_to_a_limit_the_oldest_are_forgotten)
{
    for (uint64_t i = 1; i <= SS_SESSION_ORPHANS_MAX + 1; i++) {
        script_task(&s, 1, i);
        script_end(&s, 1, i);
    }
    script_pong(&s, 2);
    script_welcome(&s, 2);
    ck_assert_uint_eq(ss_session_load(s.session).kept, SS_SESSION_ORPHANS_MAX);
    ck_assert_str_eq(adopts(1, 1, 2, 1), "");
    ck_assert_str_eq(adopts(1, 2, 2, 2), "DONE 2.2\n");
}
END_TEST

START_TEST(an_adopted_attempt_still_times_out)
{
    struct ss_attempt held = {1, 1}, as = {2, 4};
    script_task_timed(&s, 1, 1000, 0, false);
    script_pong(&s, 2);
    script_welcome(&s, 2);
    script_adopt(&s, held, as);
    const char *said = script_tick(&s, 1000);
    ck_assert_ptr_nonnull(strstr(said, "stop 1.1\n"));
    ck_assert_ptr_nonnull(strstr(said, "DONE 2.4(failed) node_timeout"));
}
END_TEST

// ------------------------------------------------------------------ a cluster

START_TEST(who_gains_a_shard_is_offered_what_is_held_of_it)
{
    uint32_t shard = ss_shard_of("t"), other = (shard + 1) % SS_SHARDS;
    script_task(&s, 10, 1);
    s.link = 1;
    ck_assert_str_eq(script_seek(&s, 6, &other, 1), "OFFERS@1\n");
    ck_assert_str_eq(script_seek(&s, 6, &shard, 1), "OFFERS@1 offers 10.1\n");
    ck_assert_str_eq(adopts(10, 1, 11, 3), "");
    // It is the new owner's now, also while the old one is still there.
    ck_assert_str_eq(script_tick(&s, 500), "BEAT@1(2) 11.3\nBEAT@0(1)\n");
    ck_assert_str_eq(script_end(&s, 10, 1), "DONE@1 11.3\n");
}
END_TEST

START_TEST(an_order_of_an_owner_before_the_one_we_heard_of_is_refused)
{
    s.link = 1;
    script_seek(&s, 6, NULL, 0);
    s.link = 0;
    ck_assert_str_eq(script_task(&s, 10, 1), ""); // of epoch 5
    script_shard_epoch = 6;
    s.link = 1;
    ck_assert_str_eq(script_task(&s, 11, 1), "start 11.1\n");
}
END_TEST

START_TEST(an_order_tells_of_its_owner_too)
{
    script_shard_epoch = 9;
    ck_assert_str_eq(script_task(&s, 10, 1), "start 10.1\n");
    script_shard_epoch = 8;
    s.link = 1;
    ck_assert_str_eq(script_task(&s, 11, 1), "");
    script_thread = "of another shard";
    ck_assert_int_ne(ss_shard_of("t"), ss_shard_of(script_thread));
    ck_assert_str_eq(script_task(&s, 11, 2), "start 11.2\n");
}
END_TEST

START_TEST(orders_that_have_not_begun_are_left_to_the_new_owner)
{
    script_task(&s, 10, 1);
    script_task(&s, 10, 2);
    script_task(&s, 10, 3);
    ck_assert_uint_eq(ss_session_load(s.session).queued, 1);
    s.link = 1;
    ck_assert_str_eq(
        script_seek(&s, 6, NULL, 0), "OFFERS@1 offers 10.1 10.2\n");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
    ck_assert_str_eq(script_end(&s, 10, 1), "DONE@0 10.1\n");
    ck_assert_uint_eq(ss_session_load(s.session).busy, 1);
}
END_TEST

START_TEST(a_seek_of_an_owner_that_was_replaced_finds_nothing)
{
    script_task(&s, 10, 1);
    s.link = 1;
    ck_assert_str_eq(script_seek(&s, 4, NULL, 0), "OFFERS@1\n");
}
END_TEST

START_TEST(what_a_forgotten_coordinator_gave_is_offered_to_others)
{
    static const char *const three[] = {"tcp://a:1", "tcp://b:1", "tcp://c:1"};
    script_members(&s, three, 3);
    s.link = 2;
    script_pong(&s, 12);
    script_welcome(&s, 12);
    script_task(&s, 12, 1);
    s.link = 0;
    script_members(&s, named, 2);
    for (int i = 0; i < 20; i++) {
        script_tick(&s, 500);
        s.link = 0;
        script_pong(&s, 10);
        s.link = 1;
        script_pong(&s, 11);
    }
    ck_assert_str_eq(script_end(&s, 12, 1), "");
    ck_assert_str_eq(
        script_seek(&s, 6, NULL, 0), "OFFERS@1 offers 12.1(ended)\n");
    ck_assert_str_eq(adopts(12, 1, 11, 1), "DONE@1 11.1\n");
}
END_TEST

static TCase *restarts(void)
{
    TCase *tcase = tcase_create("restarts");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, what_runs_goes_on_under_the_new_owners_name);
    tcase_add_test(tcase, a_result_that_is_kept_goes_to_the_new_owner);
    tcase_add_test(
        tcase, what_the_new_owner_does_not_want_is_stopped_and_forgotten);
    tcase_add_test(
        tcase, orphans_are_kept_up_to_a_limit_the_oldest_are_forgotten);
    tcase_add_test(tcase, an_adopted_attempt_still_times_out);
    return tcase;
}

static TCase *clusters(void)
{
    TCase *tcase = tcase_create("clusters");
    tcase_add_checked_fixture(tcase, setup_cluster, teardown);
    tcase_add_test(tcase, who_gains_a_shard_is_offered_what_is_held_of_it);
    tcase_add_test(
        tcase, an_order_of_an_owner_before_the_one_we_heard_of_is_refused);
    tcase_add_test(tcase, an_order_tells_of_its_owner_too);
    tcase_add_test(tcase, orders_that_have_not_begun_are_left_to_the_new_owner);
    tcase_add_test(tcase, a_seek_of_an_owner_that_was_replaced_finds_nothing);
    tcase_add_test(
        tcase, what_a_forgotten_coordinator_gave_is_offered_to_others);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("adopt");
    suite_add_tcase(suite, restarts());
    suite_add_tcase(suite, clusters());
    return suite_main(suite);
}
