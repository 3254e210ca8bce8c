// session_test.c - stories of a worker and its coordinator, in virtual time.
#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/session/script.h"

static struct script s;

static void setup(void)
{
    script_init(&s, 2);
}

static void teardown(void)
{
    script_fini(&s);
}

static void be_welcome(void)
{
    script_tick(&s, 0);
    ck_assert_str_eq(script_welcome(&s, 1), "ready\nBEAT\n");
}

// Beat for a while with a coordinator that answers.
static void stay(int64_t ms)
{
    for (int64_t passed = 0; passed < ms; passed += 500) {
        script_tick(&s, 500);
        script_pong(&s, 1);
    }
}

// ------------------------------------------------------------------ greeting

START_TEST(it_says_hello_until_it_is_welcome)
{
    ck_assert_str_eq(script_tick(&s, 0), "HELLO\n");
    ck_assert_str_eq(script_tick(&s, 499), "");
    ck_assert_str_eq(script_tick(&s, 1), "HELLO\n");
    ck_assert_str_eq(script_tick(&s, 999), "");
    ck_assert_str_eq(script_wake(&s), "silent\nHELLO\n");
    ck_assert_str_eq(script_welcome(&s, 1), "ready\nBEAT\n");
    ck_assert_str_eq(script_welcome(&s, 1), "");
}
END_TEST

START_TEST(people_are_told_once_that_nobody_answers)
{
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(script_wake(&s), "HELLO\n");
    ck_assert_str_eq(script_wake(&s), "silent\nHELLO\n");
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(script_wake(&s), "HELLO\n");
    script_welcome(&s, 1);
    // The next silence is another one, and told when the lease is over.
    const char *said = "";
    for (int i = 0; i < 100 && !strstr(said, "silent"); i++)
        said = script_tick(&s, 500);
    ck_assert_str_eq(said, "silent\nHELLO\n");
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(script_wake(&s), "HELLO\n");
}
END_TEST

START_TEST(a_refusal_for_good_ends_it_with_its_reason)
{
    script_tick(&s, 0);
    ck_assert_str_eq(
        script_refused(&s, SS_EVERSION, "it speaks protocol 2"), "leave\n");
    ck_assert_str_eq(s.leaving, "version_mismatch: it speaks protocol 2");
    ck_assert_str_eq(script_tick(&s, 100000), "");
}
END_TEST

START_TEST(a_name_that_is_taken_is_asked_for_until_its_lease_must_be_over)
{
    script_tick(&s, 0);
    // Said once, and at once: nobody looks at a worker that only waits.
    ck_assert_str_eq(script_refused(&s, SS_EEXISTS, "name w1"), "refused\n");
    ck_assert_str_eq(script_wake(&s), "HELLO\n");
    s.now_ms += 14000;
    ck_assert_str_eq(script_refused(&s, SS_EEXISTS, "name w1"), "HELLO\n");
    s.now_ms += 1000;
    ck_assert_str_eq(script_refused(&s, SS_EEXISTS, "name w1"), "leave\n");
    ck_assert_str_eq(s.leaving, "already_exists: name w1");
}
END_TEST

// ------------------------------------------------------------------ serving

START_TEST(it_beats_at_the_coordinators_interval_with_what_it_holds)
{
    be_welcome();
    ck_assert_str_eq(script_tick(&s, 499), "");
    ck_assert_str_eq(script_tick(&s, 1), "BEAT\n");
    ck_assert_str_eq(script_task(&s, 1, 7), "start 1.7\n");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT 1.7\n");
}
END_TEST

START_TEST(it_asks_for_a_sign_long_before_the_lease_ends)
{
    be_welcome();
    ck_assert_str_eq(script_tick(&s, 500), "BEAT\n");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT\nPING\n");
    ck_assert_str_eq(script_pong(&s, 1), "");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT\n");
}
END_TEST

START_TEST(it_asks_each_second_however_rare_its_beats_are)
{
    struct ss_session_commands commands;
    script_tick(&s, 0);
    struct ss_session_event event = {.type = SS_SESSION_WELCOME,
        .now_ms = s.now_ms,
        .epoch = 1,
        .lease_ms = 60000,
        .heartbeat_ms = 12000};
    ss_session_step(s.session, &event, &commands);
    ck_assert_int_eq(commands.wake_at_ms, s.now_ms + 1000);
    ck_assert_str_eq(script_tick(&s, 1000), "PING\n");
    ck_assert_int_eq(s.wake_at_ms, s.now_ms + 1000);
}
END_TEST

START_TEST(a_task_runs_and_its_result_is_kept_until_it_is_settled)
{
    be_welcome();
    ck_assert_str_eq(script_task(&s, 1, 1), "start 1.1\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\n");
    ck_assert_uint_eq(ss_session_load(s.session).kept, 1);
    ck_assert_str_eq(script_tick(&s, 500), "BEAT 1.1\n");
    ck_assert_str_eq(script_settled(&s, 1, 1), "");
    ck_assert_uint_eq(ss_session_load(s.session).kept, 0);
    ck_assert_str_eq(script_tick(&s, 500), "BEAT\n");
}
END_TEST

START_TEST(a_result_that_nobody_settles_is_sent_again)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_end(&s, 1, 1);
    stay(4500);
    ck_assert_str_eq(script_tick(&s, 500), "BEAT 1.1\nDONE 1.1\n");
    ck_assert_str_eq(script_settled(&s, 1, 1), "");
}
END_TEST

START_TEST(never_more_bodies_than_threads_the_rest_waits_in_order)
{
    be_welcome();
    ck_assert_str_eq(script_task(&s, 1, 1), "start 1.1\n");
    ck_assert_str_eq(script_task(&s, 1, 2), "start 1.2\n");
    ck_assert_str_eq(script_task(&s, 1, 3), "");
    ck_assert_str_eq(script_task(&s, 1, 4), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 2);
    ck_assert_str_eq(script_end(&s, 1, 2), "DONE 1.2\nstart 1.3\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\nstart 1.4\n");
}
END_TEST

START_TEST(the_same_order_twice_runs_once)
{
    be_welcome();
    ck_assert_str_eq(script_task(&s, 1, 1), "start 1.1\n");
    ck_assert_str_eq(script_task(&s, 1, 1), "");
    script_end(&s, 1, 1);
    // The coordinator asks again: it has not seen the result.
    ck_assert_str_eq(script_task(&s, 1, 1), "DONE 1.1\n");
}
END_TEST

START_TEST(live_items_pass_while_their_attempt_runs)
{
    be_welcome();
    script_task(&s, 1, 1);
    ck_assert_str_eq(script_item(&s, 1, 1), "LIVE 1.1\n");
    ck_assert_str_eq(script_item(&s, 1, 2), "");
    script_end(&s, 1, 1);
    ck_assert_str_eq(script_item(&s, 1, 1), "");
}
END_TEST

// ------------------------------------------------------------------ cancel

START_TEST(a_cancelled_body_is_told_and_its_result_still_goes_out)
{
    be_welcome();
    script_task(&s, 1, 1);
    ck_assert_str_eq(script_cancel(&s, 1, 1), "stop 1.1\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\n");
}
END_TEST

START_TEST(a_cancelled_task_that_waits_never_begins)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_task(&s, 1, 2);
    script_task(&s, 1, 3);
    ck_assert_str_eq(script_cancel(&s, 1, 3), "DONE 1.3(cancelled)\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\n");
}
END_TEST

START_TEST(a_body_whose_result_nobody_wants_is_told_to_stop)
{
    be_welcome();
    script_task(&s, 1, 1);
    ck_assert_str_eq(script_settled(&s, 1, 1), "stop 1.1\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT\n");
}
END_TEST

// ------------------------------------------------------------------ timeouts

START_TEST(a_body_that_takes_too_long_fails_and_its_late_result_is_dropped)
{
    be_welcome();
    ck_assert_str_eq(script_task_timed(&s, 1, 200, 0, false), "start 1.1\n");
    ck_assert_int_eq(s.wake_at_ms, s.now_ms + 200);
    ck_assert_str_eq(script_wake(&s), "stop 1.1\n"
                                      "DONE 1.1(failed) node_timeout: node "
                                      "\"measure\" did not end within 200 "
                                      "ms\n");
    ck_assert_str_eq(script_settled(&s, 1, 1), "");
    ck_assert_str_eq(script_end(&s, 1, 1), "");
    ck_assert_uint_eq(ss_session_load(s.session).busy, 0);
}
END_TEST

START_TEST(the_thread_of_a_timed_out_body_is_busy_until_it_returns)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_task_timed(&s, 2, 200, 0, false);
    script_task(&s, 1, 3);
    script_wake(&s);
    ck_assert_uint_eq(ss_session_load(s.session).busy, 2);
    ck_assert_uint_eq(ss_session_load(s.session).queued, 1);
    ck_assert_str_eq(script_end(&s, 1, 2), "start 1.3\n");
}
END_TEST

START_TEST(where_late_bodies_have_all_threads_what_waits_is_handed_back)
{
    be_welcome();
    script_task_timed(&s, 1, 200, 0, false);
    script_task_timed(&s, 2, 200, 0, false);
    script_task(&s, 1, 3);
    script_wake(&s);
    script_settled(&s, 1, 1);
    script_settled(&s, 1, 2);
    script_tick(&s, 400); // they were told to stop, and may need a while
    ck_assert_uint_eq(ss_session_load(s.session).queued, 1);
    const char *said = script_tick(&s, 600);
    ck_assert_ptr_nonnull(strstr(said, "stuck\nBYE drains, stuck 1.3\n"));
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
    // One that was on its way.
    ck_assert_str_eq(script_task(&s, 1, 4), "BYE drains, stuck 1.4\n");
    ck_assert_str_eq(script_end(&s, 1, 2), "HELLO\n");
    script_welcome(&s, 1);
    ck_assert_ptr_nonnull(strstr(script_task(&s, 1, 5), "start 1.5\n"));
}
END_TEST

START_TEST(an_idle_timeout_counts_from_the_last_sign_of_progress)
{
    be_welcome();
    script_task_timed(&s, 1, 0, 300, false);
    s.now_ms += 200;
    script_progress(&s, 1, false);
    ck_assert_str_eq(script_tick(&s, 200), "");
    ck_assert_str_eq(script_tick(&s, 100),
        "stop 1.1\n"
        "BEAT 1.1\n"
        "DONE 1.1(failed) node_timeout: node \"measure\" gave no sign of "
        "progress "
        "for 300 ms\n");
}
END_TEST

START_TEST(where_only_heartbeats_count_nothing_else_does)
{
    be_welcome();
    script_task_timed(&s, 1, 0, 300, true);
    s.now_ms += 200;
    script_progress(&s, 1, false);
    ck_assert_int_eq(s.wake_at_ms, s.now_ms + 100);
    script_progress(&s, 1, true);
    ck_assert_int_eq(s.wake_at_ms, s.now_ms + 300);
}
END_TEST

// ------------------------------------------------------------------ trouble

START_TEST(a_silent_coordinator_is_greeted_anew_and_told_what_happened)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_task(&s, 1, 2);
    script_tick(&s, 500);
    script_tick(&s, 500);
    script_tick(&s, 500);
    script_tick(&s, 500);
    script_tick(&s, 500);
    ck_assert_str_eq(script_tick(&s, 500), "silent\nHELLO offers 1.1 1.2\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "");
    ck_assert_str_eq(script_welcome(&s, 1), "ready\nBEAT 1.1 1.2\nDONE 1.1\n");
}
END_TEST

// A coordinator that was killed and started again is known at once, not when a
// PING is due anyway.
START_TEST(a_coordinator_that_is_reached_again_is_asked_who_it_is)
{
    script_tick(&s, 0);
    ck_assert_str_eq(script_connected(&s), ""); // our HELLO is on its way
    script_welcome(&s, 1);
    ck_assert_str_eq(script_connected(&s), "PING\n");
    ck_assert_str_eq(script_pong(&s, 1), ""); // the same as before
    ck_assert_str_eq(script_connected(&s), "PING\n");
    ck_assert_str_eq(script_pong(&s, 2), "HELLO\n");
    ck_assert_str_eq(script_connected(&s), "");
}
END_TEST

START_TEST(a_coordinator_with_another_epoch_is_greeted_anew)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_end(&s, 1, 1);
    ck_assert_str_eq(script_pong(&s, 2), "HELLO offers 1.1(ended)\n");
    ck_assert_str_eq(script_welcome(&s, 2), "ready\nBEAT\n");
    ck_assert_str_eq(script_task(&s, 2, 1), "start 2.1\n");
}
END_TEST

START_TEST(a_coordinator_to_which_we_are_a_stranger_is_greeted_anew)
{
    be_welcome();
    ck_assert_str_eq(
        script_refused(&s, SS_ENOTFOUND, "who are you?"), "HELLO\n");
    ck_assert_str_eq(script_refused(&s, SS_ENOTFOUND, "who are you?"), "");
    ck_assert_str_eq(script_welcome(&s, 1), "ready\nBEAT\n");
}
END_TEST

START_TEST(orders_of_an_older_epoch_are_not_begun)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_task(&s, 1, 2);
    script_task(&s, 1, 3);
    script_pong(&s, 2);
    ck_assert_str_eq(script_welcome(&s, 2), "ready\nBEAT\n");
    ck_assert_str_eq(script_task(&s, 1, 9), "");
    ck_assert_str_eq(script_end(&s, 1, 1), "");
    ck_assert_str_eq(script_end(&s, 1, 2), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
}
END_TEST

// Its welcome was lost, but it knows us.
START_TEST(a_coordinator_that_gives_orders_of_a_later_epoch_is_greeted_anew)
{
    be_welcome();
    ck_assert_str_eq(script_task(&s, 2, 1), "HELLO\n");
    ck_assert_str_eq(script_task(&s, 2, 2), "");
    ck_assert_str_eq(script_welcome(&s, 2), "ready\nBEAT\n");
    ck_assert_str_eq(script_task(&s, 2, 1), "start 2.1\n");
}
END_TEST

START_TEST(a_welcome_of_an_older_epoch_is_ignored)
{
    script_tick(&s, 0);
    script_welcome(&s, 5);
    script_pong(&s, 6);
    ck_assert_str_eq(script_welcome(&s, 5), "ready\nBEAT\n");
    script_pong(&s, 6);
    script_welcome(&s, 6);
    script_pong(&s, 7);
    ck_assert_str_eq(script_welcome(&s, 5), "");
}
END_TEST

START_TEST(a_pause_of_our_own_is_no_silence_of_the_coordinator)
{
    be_welcome();
    ck_assert_str_eq(script_tick(&s, 60000), "BEAT\n");
    ck_assert_str_eq(script_pong(&s, 1), "");
}
END_TEST

START_TEST(a_result_that_cannot_be_sent_becomes_a_failure)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_end(&s, 1, 1);
    ss_session_spoil(
        s.session, (struct ss_attempt){1, 1}, SS_ELIMIT, "too large");
    ck_assert_str_eq(
        script_tick(&s, 0), "DONE 1.1(failed) limit_exceeded: too large\n");
}
END_TEST

// ------------------------------------------------------------------ leaving

START_TEST(an_idle_worker_that_drains_leaves_at_once)
{
    be_welcome();
    ck_assert_str_eq(script_drain(&s), "BYE drains\nBYE gone\nleave\n");
    ck_assert_str_eq(s.leaving, "ok: drained");
    ck_assert_int_eq(s.wake_at_ms, INT64_MAX);
}
END_TEST

START_TEST(a_draining_worker_ends_what_it_has_and_waits_for_the_receipt)
{
    be_welcome();
    script_task(&s, 1, 1);
    ck_assert_str_eq(script_drain(&s), "BYE drains\n");
    ck_assert_str_eq(script_drain(&s), "");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\n");
    ck_assert_str_eq(script_settled(&s, 1, 1), "BYE gone\nleave\n");
}
END_TEST

START_TEST(a_draining_worker_hands_back_what_it_has_not_begun)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_task(&s, 1, 2);
    script_task(&s, 1, 3);
    script_task(&s, 1, 4);
    ck_assert_str_eq(script_drain(&s), "BYE drains 1.3 1.4\n");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
    // One that was on its way to us when we said so.
    ck_assert_str_eq(script_task(&s, 1, 5), "BYE drains 1.5\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\n");
    ck_assert_str_eq(script_end(&s, 1, 2), "DONE 1.2\n");
    script_settled(&s, 1, 1);
    ck_assert_str_eq(script_settled(&s, 1, 2), "BYE gone\nleave\n");
}
END_TEST

START_TEST(a_draining_worker_does_not_wait_for_ever_for_a_receipt)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_drain(&s);
    script_end(&s, 1, 1);
    int steps = 0;
    while (s.wake_at_ms < INT64_MAX && steps++ < 100)
        script_wake(&s);
    ck_assert_str_eq(s.leaving, "ok: drained");
    ck_assert_int_le(s.now_ms, 1000 + 6000);
}
END_TEST

START_TEST(a_worker_that_nobody_ever_took_in_just_leaves)
{
    script_tick(&s, 0);
    ck_assert_str_eq(script_drain(&s), "leave\n");
}
END_TEST

START_TEST(a_worker_that_drains_is_welcome_only_to_drain)
{
    be_welcome();
    script_task(&s, 1, 1);
    script_drain(&s);
    script_pong(&s, 2);
    ck_assert_str_eq(script_welcome(&s, 2), "ready\nBYE drains\nBEAT\n");
}
END_TEST

START_TEST(bad_intervals_of_a_coordinator_are_bounded)
{
    struct ss_session_commands commands;
    script_tick(&s, 0);
    struct ss_session_event event = {.type = SS_SESSION_WELCOME,
        .now_ms = s.now_ms,
        .epoch = 1,
        .lease_ms = -5,
        .heartbeat_ms = INT64_MAX};
    ss_session_step(s.session, &event, &commands);
    ck_assert_int_ge(commands.wake_at_ms, s.now_ms);
    ck_assert_int_le(commands.wake_at_ms, s.now_ms + 10);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("session");
    TCase *tcase = tcase_create("session");
    tcase_add_checked_fixture(tcase, setup, teardown);
#define T(name) tcase_add_test(tcase, name)
    T(it_says_hello_until_it_is_welcome);
    T(people_are_told_once_that_nobody_answers);
    T(a_refusal_for_good_ends_it_with_its_reason);
    T(a_name_that_is_taken_is_asked_for_until_its_lease_must_be_over);
    T(it_beats_at_the_coordinators_interval_with_what_it_holds);
    T(it_asks_for_a_sign_long_before_the_lease_ends);
    T(it_asks_each_second_however_rare_its_beats_are);
    T(a_task_runs_and_its_result_is_kept_until_it_is_settled);
    T(a_result_that_nobody_settles_is_sent_again);
    T(never_more_bodies_than_threads_the_rest_waits_in_order);
    T(the_same_order_twice_runs_once);
    T(live_items_pass_while_their_attempt_runs);
    T(a_cancelled_body_is_told_and_its_result_still_goes_out);
    T(a_cancelled_task_that_waits_never_begins);
    T(a_body_whose_result_nobody_wants_is_told_to_stop);
    T(a_body_that_takes_too_long_fails_and_its_late_result_is_dropped);
    T(the_thread_of_a_timed_out_body_is_busy_until_it_returns);
    T(where_late_bodies_have_all_threads_what_waits_is_handed_back);
    T(an_idle_timeout_counts_from_the_last_sign_of_progress);
    T(where_only_heartbeats_count_nothing_else_does);
    T(a_silent_coordinator_is_greeted_anew_and_told_what_happened);
    T(a_coordinator_that_is_reached_again_is_asked_who_it_is);
    T(a_coordinator_with_another_epoch_is_greeted_anew);
    T(a_coordinator_to_which_we_are_a_stranger_is_greeted_anew);
    T(orders_of_an_older_epoch_are_not_begun);
    T(a_coordinator_that_gives_orders_of_a_later_epoch_is_greeted_anew);
    T(a_welcome_of_an_older_epoch_is_ignored);
    T(a_pause_of_our_own_is_no_silence_of_the_coordinator);
    T(a_result_that_cannot_be_sent_becomes_a_failure);
    T(an_idle_worker_that_drains_leaves_at_once);
    T(a_draining_worker_ends_what_it_has_and_waits_for_the_receipt);
    T(a_draining_worker_hands_back_what_it_has_not_begun);
    T(a_draining_worker_does_not_wait_for_ever_for_a_receipt);
    T(a_worker_that_nobody_ever_took_in_just_leaves);
    T(a_worker_that_drains_is_welcome_only_to_drain);
    T(bad_intervals_of_a_coordinator_are_bounded);
#undef T
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return suite_main(make_suite());
}
