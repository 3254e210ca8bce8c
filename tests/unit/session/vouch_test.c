// vouch_test.c - what was finished elsewhere does not begin: orders that come
// late, twice, or to a worker that slept.
#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/session/script.h"
#include "worker/session/limits.h"

enum { BEGIN_MS = 900 };

static const struct ss_attempt none;
static struct script s;

static void setup(void)
{
    script_init(&s, 2);
    s.begin_ms = BEGIN_MS;
    script_tick(&s, 0);
    ck_assert_str_eq(script_welcome(&s, 1), "ready\nBEAT\n");
}

static void teardown(void)
{
    script_fini(&s);
}

// The coordinator has heard the last beat, and says so with what it sends.
static void be_heard(void)
{
    s.heard = s.beat;
    script_heard(&s, s.beat, none);
}

// Both threads are busy, and 1.3 waits.
static void fill(void)
{
    be_heard();
    ck_assert_str_eq(script_task(&s, 1, 1), "start 1.1\n");
    ck_assert_str_eq(script_task(&s, 1, 2), "start 1.2\n");
    ck_assert_str_eq(script_task(&s, 1, 3), "");
}

// ------------------------------------------------------------------ in time

START_TEST(an_order_that_follows_a_beat_begins_at_once)
{
    be_heard();
    s.now_ms += BEGIN_MS - 1;
    ck_assert_str_eq(script_task(&s, 1, 1), "BEAT 1.1\nstart 1.1\n");
    ck_assert_int_eq(s.begin_by_ms, s.now_ms + 1);
    ck_assert(ss_session_may_begin(s.begin_by_ms, s.now_ms));
    ck_assert(!ss_session_may_begin(s.begin_by_ms, s.now_ms + 1));
}
END_TEST

START_TEST(an_order_that_says_no_beat_waits_until_one_has_named_it)
{
    s.now_ms += 10;
    ck_assert_str_eq(script_task(&s, 1, 1), "BEAT 1.1\n");
    ck_assert_str_eq(script_tick(&s, 10), "");
    ck_assert_str_eq(script_heard(&s, s.beat, none), "start 1.1\n");
    ck_assert_int_eq(s.begin_by_ms, (int64_t)s.beat + BEGIN_MS);
}
END_TEST

START_TEST(a_beat_from_before_an_order_does_not_vouch_for_it)
{
    uint64_t before = s.beat;
    s.now_ms += 10;
    ck_assert_str_eq(script_task(&s, 1, 1), "BEAT 1.1\n");
    ck_assert_str_eq(script_heard(&s, before, none), "");
    ck_assert_str_eq(script_heard(&s, s.beat, none), "start 1.1\n");
}
END_TEST

// They would be told from each other by nothing.
START_TEST(no_two_beats_are_of_the_same_millisecond)
{
    uint64_t before = s.beat;
    ck_assert_str_eq(script_task(&s, 1, 1), "");
    ck_assert_int_eq(s.wake_at_ms, s.now_ms + 1);
    ck_assert_str_eq(script_heard(&s, before, none), "");
    ck_assert_str_eq(script_wake(&s), "BEAT 1.1\n");
    ck_assert_uint_gt(s.beat, before);
}
END_TEST

START_TEST(while_orders_wait_beats_come_often_enough)
{
    fill();
    for (int i = 0; i < 10; i++) {
        ck_assert_int_le(
            s.wake_at_ms - s.now_ms, BEGIN_MS / SS_SESSION_BEATS_PART);
        script_wake(&s);
        be_heard();
    }
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\nstart 1.3\n");
}
END_TEST

START_TEST(a_beat_that_we_have_not_sent_yet_vouches_for_nothing)
{
    s.now_ms += 10;
    s.heard = (uint64_t)s.now_ms + 1;
    ck_assert_str_eq(script_task(&s, 1, 1), "BEAT 1.1\n");
    ck_assert_str_eq(script_heard(&s, UINT64_MAX, none), "");
}
END_TEST

// ------------------------------------------------------------------ asleep

START_TEST(an_order_that_lay_in_the_socket_while_we_slept_does_not_begin)
{
    be_heard();
    s.now_ms += 5000;
    ck_assert_str_eq(script_task(&s, 1, 1), "BEAT 1.1\n");
    ck_assert_str_eq(script_heard(&s, s.beat, (struct ss_attempt){1, 1}), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
    // Nor when it comes once more, from a coordinator that has heard of us
    // since.
    be_heard();
    ck_assert_str_eq(script_task(&s, 1, 1), "");
}
END_TEST

START_TEST(an_order_that_waited_while_we_slept_does_not_begin)
{
    fill();
    s.now_ms += 5000;
    ck_assert_str_eq(script_end(&s, 1, 1), "BEAT 1.1 1.2 1.3\nDONE 1.1\n");
    ck_assert_str_eq(script_heard(&s, s.beat, (struct ss_attempt){1, 3}), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
}
END_TEST

START_TEST(what_is_ours_yet_begins_after_the_sleep)
{
    fill();
    s.now_ms += 5000;
    script_end(&s, 1, 1);
    ck_assert_str_eq(script_heard(&s, s.beat, none), "start 1.3\n");
}
END_TEST

START_TEST(an_order_that_was_given_to_a_thread_while_we_slept_comes_back)
{
    be_heard();
    ck_assert_str_eq(script_task(&s, 1, 1), "start 1.1\n");
    s.now_ms += 5000;
    ck_assert(!ss_session_may_begin(s.begin_by_ms, s.now_ms));
    ck_assert_str_eq(script_unbegun(&s, 1), "BEAT 1.1\n");
    ck_assert_uint_eq(ss_session_load(s.session).busy, 0);
    ck_assert_uint_eq(ss_session_load(s.session).queued, 1);
    ck_assert_str_eq(script_heard(&s, s.beat, none), "start 1.1\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\n");
}
END_TEST

// HEARD is there before the thread has given it back.
START_TEST(what_is_no_more_does_not_begin_when_it_comes_back)
{
    be_heard();
    script_task(&s, 1, 1);
    s.now_ms += 5000;
    ck_assert_str_eq(script_tick(&s, 0), "BEAT 1.1\n");
    ck_assert_str_eq(script_heard(&s, s.beat, (struct ss_attempt){1, 1}), "");
    ck_assert_str_eq(script_unbegun(&s, 1), "");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT 1.1\n");
    ck_assert_str_eq(script_heard(&s, s.beat, (struct ss_attempt){1, 1}), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
}
END_TEST

START_TEST(an_order_that_timed_out_on_its_way_to_a_thread_stays_failed)
{
    be_heard();
    ck_assert_str_eq(script_task_timed(&s, 1, 300, 0, false), "start 1.1\n");
    s.now_ms += 5000;
    script_tick(&s, 0);
    ck_assert_uint_eq(ss_session_load(s.session).kept, 1);
    script_unbegun(&s, 1);
    ck_assert_uint_eq(ss_session_load(s.session).busy, 0);
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
    ck_assert_uint_eq(ss_session_load(s.session).kept, 1);
}
END_TEST

START_TEST(an_orphan_that_comes_back_is_dropped)
{
    be_heard();
    script_task(&s, 1, 1);
    s.now_ms += 5000;
    script_pong(&s, 2);
    script_welcome(&s, 2);
    ck_assert_str_eq(script_unbegun(&s, 1), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
    ck_assert_uint_eq(ss_session_load(s.session).busy, 0);
    // Its new owner takes the offer all the same: we do not know it any more.
    script_adopt(&s, (struct ss_attempt){1, 1}, (struct ss_attempt){2, 9});
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
}
END_TEST

START_TEST(what_comes_back_after_its_adoption_waits_for_the_new_owners_word)
{
    be_heard();
    script_task(&s, 1, 1);
    s.now_ms += 100;
    script_pong(&s, 2);
    script_welcome(&s, 2);
    script_adopt(&s, (struct ss_attempt){1, 1}, (struct ss_attempt){2, 9});
    s.now_ms += 5000;
    ck_assert_str_eq(script_unbegun(&s, 1), "BEAT 2.9\n");
    ck_assert_str_eq(script_heard(&s, s.beat, none), "start 2.9\n");
    ck_assert_str_eq(script_end(&s, 2, 9), "DONE 2.9\n");
}
END_TEST

// ------------------------------------------------------------------ again

START_TEST(a_settled_attempt_is_not_begun_by_a_late_copy_of_its_order)
{
    be_heard();
    script_task(&s, 1, 1);
    script_end(&s, 1, 1);
    ck_assert_str_eq(script_settled(&s, 1, 1), "");
    ck_assert_str_eq(script_task(&s, 1, 1), "");
    ck_assert_uint_eq(ss_session_load(s.session).busy, 0);
}
END_TEST

START_TEST(what_was_handed_back_is_not_begun_by_a_late_copy_of_its_order)
{
    fill();
    ck_assert_str_eq(script_drain(&s), "BYE drains 1.3\n");
    ck_assert_str_eq(script_task(&s, 1, 3), "BYE drains\n");
    ck_assert_str_eq(script_end(&s, 1, 1), "DONE 1.1\n");
}
END_TEST

// The memory of names is bounded: what was sent before the last that was
// dropped has to be named.
START_TEST(a_copy_of_one_that_was_forgotten_waits_for_a_beat)
{
    be_heard();
    for (uint64_t i = 1; i <= SS_SESSION_SPENT_MAX; i++) {
        ck_assert_str_ne(script_task(&s, 1, i), "");
        script_end(&s, 1, i);
        script_settled(&s, 1, i);
    }
    ck_assert_str_eq(script_task(&s, 1, 1), ""); // all are known yet
    script_task(&s, 1, SS_SESSION_SPENT_MAX + 1);
    script_end(&s, 1, SS_SESSION_SPENT_MAX + 1);
    script_settled(&s, 1, SS_SESSION_SPENT_MAX + 1);
    s.now_ms += 1;
    ck_assert_str_eq(script_task(&s, 1, 1), "BEAT 1.1\n");
    ck_assert_str_eq(script_heard(&s, s.beat, (struct ss_attempt){1, 1}), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
}
END_TEST

// ------------------------------------------------------------------ peers

START_TEST(a_coordinator_that_does_not_answer_beats_is_obeyed_at_once)
{
    s.begin_ms = 0;
    script_pong(&s, 2);
    script_welcome(&s, 2);
    s.now_ms += 5000;
    script_tick(&s, 0);
    ck_assert_str_eq(script_task(&s, 2, 1), "start 2.1\n");
    ck_assert(ss_session_may_begin(s.begin_by_ms, INT64_MAX - 1));
}
END_TEST

START_TEST(what_one_coordinator_heard_vouches_for_nothing_of_another)
{
    static const char *const endpoints[] = {"tcp://a:1", "tcp://b:1"};
    script_fini(&s);
    script_init_cluster(&s, 2, endpoints, 2);
    s.begin_ms = BEGIN_MS;
    script_tick(&s, 0);
    script_welcome(&s, 1);
    s.link = 1;
    script_welcome(&s, 2);
    s.now_ms += 10;
    script_task(&s, 2, 1);
    uint64_t sent = s.beat;
    s.link = 0;
    ck_assert_str_eq(script_heard(&s, sent, none), "");
    s.link = 1;
    ck_assert_str_eq(script_heard(&s, sent, none), "start 2.1\n");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("session.vouch");
    TCase *tcase = tcase_create("vouch");
    tcase_add_checked_fixture(tcase, setup, teardown);
#define T(test) tcase_add_test(tcase, test)
    T(an_order_that_follows_a_beat_begins_at_once);
    T(an_order_that_says_no_beat_waits_until_one_has_named_it);
    T(a_beat_from_before_an_order_does_not_vouch_for_it);
    T(no_two_beats_are_of_the_same_millisecond);
    T(while_orders_wait_beats_come_often_enough);
    T(a_beat_that_we_have_not_sent_yet_vouches_for_nothing);
    T(an_order_that_lay_in_the_socket_while_we_slept_does_not_begin);
    T(an_order_that_waited_while_we_slept_does_not_begin);
    T(what_is_ours_yet_begins_after_the_sleep);
    T(an_order_that_was_given_to_a_thread_while_we_slept_comes_back);
    T(what_is_no_more_does_not_begin_when_it_comes_back);
    T(an_order_that_timed_out_on_its_way_to_a_thread_stays_failed);
    T(an_orphan_that_comes_back_is_dropped);
    T(what_comes_back_after_its_adoption_waits_for_the_new_owners_word);
    T(a_settled_attempt_is_not_begun_by_a_late_copy_of_its_order);
    T(what_was_handed_back_is_not_begun_by_a_late_copy_of_its_order);
    T(a_copy_of_one_that_was_forgotten_waits_for_a_beat);
    T(a_coordinator_that_does_not_answer_beats_is_obeyed_at_once);
    T(what_one_coordinator_heard_vouches_for_nothing_of_another);
#undef T
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return suite_main(make_suite());
}
