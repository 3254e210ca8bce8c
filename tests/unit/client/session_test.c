// What is asked, held, repeated and given up by a talk with one coordinator.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "tests/suite.h"
#include "tests/unit/client/session_script.h"

static const char *const abc[] = {"a", "b", "c"};

// ---------------------------------------------------------------------- asking

START_TEST(a_request_is_held_until_somebody_was_heard)
{
    ck_assert_str_eq(ask(1, "graphs", "{}"), "ping\n");
    ck_assert_str_eq(pong(1), "ask graphs {}\n");
    ck_assert_str_eq(answer("{\"graphs\":[]}"), "done 1 {\"graphs\":[]}\n");
    ck_assert_int_eq(commands.wake_at_ms, INT64_MAX);
}
END_TEST

START_TEST(who_was_heard_just_now_is_asked_at_once)
{
    ask(1, "graphs", "{}");
    pong(1);
    answer("{}");
    now += SS_TALK_FRESH_MS - 1;
    ck_assert_str_eq(ask(2, "workers", "{}"), "ask workers {}\n");
}
END_TEST

START_TEST(who_was_heard_long_ago_is_pinged_first)
{
    ask(1, "graphs", "{}");
    pong(1);
    answer("{}");
    now += 3600000;
    ck_assert_str_eq(ask(2, "workers", "{}"), "ping\n");
    ck_assert_str_eq(ask(3, "graphs", "{}"), "");
    ck_assert_str_eq(pong(1), "ask workers {}\nask graphs {}\n");
}
END_TEST

START_TEST(answers_find_their_requests)
{
    ask(1, "graphs", "{}");
    pong(1);
    uint64_t first = id;
    ask(2, "workers", "{}");
    ck_assert_uint_ne(id, first);
    ck_assert_str_eq(answer("{\"b\":2}"), "done 2 {\"b\":2}\n");
    ck_assert_str_eq(answer_to(first, true, "{\"a\":1}"), "done 1 {\"a\":1}\n");
}
END_TEST

START_TEST(an_answer_to_nothing_is_ignored)
{
    ask(1, "graphs", "{}");
    pong(1);
    ck_assert_str_eq(answer_to(id + 1, true, "{}"), "");
    ck_assert_str_eq(answer("{}"), "done 1 {}\n");
    ck_assert_str_eq(answer("{}"), "");
}
END_TEST

START_TEST(a_run_without_an_id_gets_one)
{
    ask(1, "run", "{\"graph\":\"g\"}");
    const char *sent = pong(1);
    ck_assert_ptr_nonnull(strstr(sent, "\"graph\":\"g\",\"run\":\""));
    char *first = ss_strdup(sent);
    ask(2, "run", "{\"graph\":\"g\"}");
    ck_assert_str_ne(ss_buf_str(&said), first);
    ss_free(first);
}
END_TEST

START_TEST(what_the_asker_gave_is_not_modified)
{
    json_t *body = parse("{\"graph\":\"g\"}");
    step((struct ss_talk_event){
        .type = SS_TALK_ASK, .key = 1, .op = "run", .body = body});
    ck_assert_uint_eq(json_object_size(body), 1);
    json_decref(body);
}
END_TEST

START_TEST(what_is_forgotten_is_hung_up)
{
    ask(1, "graphs", "{}");
    ck_assert_str_eq(
        step((struct ss_talk_event){.type = SS_TALK_FORGET, .key = 1}), "");
    ask(2, "graphs", "{}");
    pong(1);
    ck_assert_str_eq(
        step((struct ss_talk_event){.type = SS_TALK_FORGET, .key = 2}),
        "hang up\n");
    ck_assert_str_eq(answer("{}"), "");
    ck_assert_str_eq(
        step((struct ss_talk_event){.type = SS_TALK_FORGET, .key = 2}), "");
}
END_TEST

START_TEST(a_request_that_takes_longer_than_allowed_fails)
{
    ask_within(1, "run", RUN, 3000);
    pong(1);
    item(ACCEPTED);
    after(1000);
    pong(1);
    ck_assert_str_eq(after(1999), "ping\n");
    ck_assert_str_eq(after(1),
        "hang up\nfailed 1 timeout: no final answer to the request \"run\" "
        "within the time that was given\n");
}
END_TEST

// --------------------------------------------------------------- nobody there

START_TEST(nobody_there_is_an_error_soon)
{
    ck_assert_str_eq(ask(1, "graphs", "{}"), "ping\n");
    ck_assert_str_eq(ask(2, "workers", "{}"), "");
    ck_assert_str_eq(next_wake(), "reopen\nping\n");
    ck_assert_str_eq(next_wake(),
        "failed 1 closed: no coordinator answers at tcp://here:1. Start one: "
        "superstep dev APP.so\n"
        "failed 2 closed: no coordinator answers at tcp://here:1. Start one: "
        "superstep dev APP.so\n");
    ck_assert_int_eq(now, 100000 + SS_TALK_CONNECT_MS);
    ck_assert_int_eq(commands.wake_at_ms, INT64_MAX);
}
END_TEST

START_TEST(after_giving_up_the_next_request_knocks_again)
{
    ask(1, "graphs", "{}");
    after(SS_TALK_CONNECT_MS);
    ck_assert_str_eq(ask(2, "graphs", "{}"), "ping\n");
    ck_assert_str_eq(pong(1), "ask graphs {}\n");
}
END_TEST

START_TEST(several_endpoints_share_the_time)
{
    ss_talk_destroy(&talk);
    talk = ss_talk_new(&(struct ss_talk_options){
        .seed = 1, .where = "a,b,c", .endpoints = abc, .endpoints_count = 3});
    ask(1, "graphs", "{}");
    ck_assert_str_eq(next_wake(), "open@1 b\nping@1\nopen@2 c\nping@2\n");
    for (int i = 0; i < 2; i++) {
        ck_assert_str_eq(next_wake(), "reopen\nping\n");
        ck_assert_int_eq(now, 100000 + (i + 1) * SS_TALK_CONNECT_MS / 3);
    }
    ck_assert_str_eq(pong(1), "ask graphs {}\n");
}
END_TEST

// Who answers first is home; who answers next is not.
START_TEST(a_dead_first_endpoint_costs_no_second)
{
    talks_to_many = true;
    ss_talk_destroy(&talk);
    talk = ss_talk_new(&(struct ss_talk_options){
        .seed = 1, .where = "a,b,c", .endpoints = abc, .endpoints_count = 3});
    ck_assert_str_eq(ask(1, "graphs", "{}"), "ping\n");
    ck_assert_str_eq(next_wake(), "open@1 b\nping@1\nopen@2 c\nping@2\n");
    ck_assert_int_eq(now, 100000 + SS_TALK_HEAD_START_MS);
    line = 2;
    ck_assert_str_eq(pong(5), "reopen c\nping\n");
    line = 1;
    ck_assert_str_eq(pong(4), "");
    line = 0;
    ck_assert_str_eq(pong(5), "ask graphs {}\n");
    ck_assert_str_eq(answer("{}"), "done 1 {}\n");
    // It was the last good one: home it stays.
    now += 3600000;
    ck_assert_str_eq(ask(2, "graphs", "{}"), "ping\nclose@1\nclose@2\n");
    ck_assert_str_eq(pong(5), "ask graphs {}\n");
}
END_TEST

START_TEST(a_coordinator_that_was_there_may_be_away_for_longer)
{
    begin_run();
    ck_assert_str_eq(after(1000), "ping\n");
    ck_assert_str_eq(after(SS_TALK_SILENCE_MS), "reopen\nping\n");
    after(SS_TALK_PATIENCE_MS - 1);
    ck_assert_str_eq(ss_buf_str(&said), "reopen\nping\n");
    ck_assert_str_eq(after(1),
        "failed 1 closed: the coordinator at tcp://here:1 is gone, and did "
        "not come back within 60 s\n");
}
END_TEST

// ------------------------------------------------------------ signs of life

START_TEST(a_silent_coordinator_is_pinged_every_second)
{
    begin_run();
    for (int i = 0; i < 10; i++) {
        ck_assert_str_eq(next_wake(), "ping\n");
        ck_assert_int_eq(now, 100000 + (i + 1) * SS_TALK_PING_MS);
        ck_assert_str_eq(pong(1), "");
    }
}
END_TEST

START_TEST(events_are_signs_of_life_too)
{
    begin_run();
    for (int i = 0; i < 10; i++) {
        now += SS_TALK_PING_MS - 1;
        item("{\"attempt\":\"1.2\",\"mode\":\"custom\"}");
        ck_assert_ptr_null(strstr(ss_buf_str(&said), "ping"));
    }
}
END_TEST

START_TEST(an_idle_talk_asks_for_nothing)
{
    ask(1, "graphs", "{}");
    pong(1);
    answer("{}");
    ck_assert_str_eq(after(1000000), "");
    ck_assert_int_eq(commands.wake_at_ms, INT64_MAX);
}
END_TEST

START_TEST(a_late_tick_does_not_lose_what_was_heard_with_it)
{
    // The machine slept for an hour; the answer is fed before time is.
    begin_run();
    now += 3600000;
    ck_assert_str_eq(pong(1),
        "hang up\nask attach "
        "{\"run\":\"r1\",\"thread\":\"t\",\"stream\":[\"values\"],"
        "\"subgraphs\":true,\"after\":\"0.0\"}\n");
}
END_TEST

// ------------------------------------------------------------- asking again

START_TEST(a_read_without_an_answer_is_asked_again_under_the_same_number)
{
    ask(1, "state", "{\"thread\":\"t\"}");
    pong(1);
    uint64_t first = id;
    for (int i = 0; i < 4; i++) {
        after(1000);
        pong(1);
    }
    after(1000);
    ck_assert_ptr_nonnull(
        strstr(ss_buf_str(&said), "ask state {\"thread\":\"t\"}\n"));
    ck_assert_uint_eq(id, first);
    // The next time after twice as long.
    for (int i = 0; i < 9; i++) {
        pong(1);
        ck_assert_ptr_null(strstr(after(1000), "ask"));
    }
    pong(1);
    ck_assert_ptr_nonnull(strstr(after(1000), "ask"));
    ck_assert_str_eq(answer("{}"), "done 1 {}\n");
}
END_TEST

START_TEST(a_run_not_yet_accepted_is_asked_for_again_by_its_id)
{
    ask(1, "run", RUN);
    pong(1);
    uint64_t first = id;
    for (int i = 0; i < 4; i++) {
        after(1000);
        pong(1);
    }
    after(1000);
    ck_assert_ptr_nonnull(
        strstr(ss_buf_str(&said), "hang up\nask run " RUN "\n"));
    ck_assert_uint_ne(id, first);
}
END_TEST

START_TEST(a_run_without_events_is_attached_to_again)
{
    begin_run();
    item("{\"seq\":\"3.1\",\"mode\":\"values\"}");
    int64_t since = now;
    while (now - since < SS_TALK_RECHECK_MS - 1000) {
        after(1000);
        pong(1);
    }
    ck_assert_ptr_nonnull(strstr(after(1000),
        "hang up\nask attach {\"run\":\"r1\",\"thread\":\"t\",\"stream\":"
        "[\"values\"],\"subgraphs\":true,"
        "\"after\":\"3.1\"}\n"));
}
END_TEST

START_TEST(what_may_be_done_only_once_is_never_asked_again)
{
    ask(1, "update", "{\"thread\":\"t\"}");
    ck_assert_str_eq(pong(1), "ask update {\"thread\":\"t\"}\n");
    for (int i = 1; i < SS_TALK_ONCE_MS / 1000; i++) {
        ck_assert_str_eq(after(1000), "ping\n");
        pong(1);
    }
    ck_assert_str_eq(after(1000),
        "hang up\nfailed 1 closed: the coordinator waited too long before it "
        "answered the request \"update\": it may have been carried out or "
        "not; look before you repeat it\n");
}
END_TEST

START_TEST(an_op_that_nobody_knows_is_asked_once)
{
    ask(1, "explode", "{}");
    pong(1);
    ck_assert_str_eq(pong(2),
        "failed 1 closed: the coordinator was restarted before it answered "
        "the request \"explode\": it may have been carried out or not; look "
        "before you repeat it\n");
}
END_TEST

// ---------------------------------------------------------------- restarts

START_TEST(a_coordinator_that_is_reached_again_is_asked_who_it_is)
{
    ask(1, "state", "{}");
    ck_assert_str_eq(connected(), ""); // our PING is on its way
    ck_assert_str_eq(pong(1), "ask state {}\n");
    ck_assert_str_eq(connected(), "ping\n");
    ck_assert_str_eq(pong(1), ""); // the same as before
    ck_assert_str_eq(connected(), "ping\n");
    ck_assert_str_eq(pong(2), "ask state {}\n");
    answer("{\"values\":1}");
    ck_assert_str_eq(connected(), ""); // nobody waits
}
END_TEST

START_TEST(a_restarted_coordinator_is_attached_to_after_the_last_event)
{
    begin_run();
    item("{\"seq\":\"2.0\",\"mode\":\"values\"}");
    item("{\"seq\":\"2.10\",\"mode\":\"values\"}");
    item("{\"attempt\":\"1.7\",\"mode\":\"custom\"}");
    uint64_t first = id;
    ck_assert_str_eq(pong(2),
        "ask attach {\"run\":\"r1\",\"thread\":\"t\",\"stream\":"
        "[\"values\"],\"subgraphs\":true,"
        "\"after\":\"2.10\"}\n");
    ck_assert_uint_ne(id, first);
    ck_assert_str_eq(item(ACCEPTED), "");
    ck_assert_str_eq(
        answer("{\"status\":\"done\"}"), "done 1 {\"status\":\"done\"}\n");
}
END_TEST

START_TEST(a_run_of_which_nothing_was_seen_is_attached_to_from_its_beginning)
{
    begin_run();
    ck_assert_str_eq(pong(2),
        "ask attach {\"run\":\"r1\",\"thread\":\"t\",\"stream\":"
        "[\"values\"],\"subgraphs\":true,"
        "\"after\":\"0.0\"}\n");
    ck_assert_str_eq(item("{\"seq\":\"1.0\"}"), "item 1 {\"seq\":\"1.0\"}\n");
}
END_TEST

START_TEST(a_follower_that_saw_nothing_yet_goes_on_from_now)
{
    ask(1, "attach", "{\"run\":\"r1\"}");
    pong(1);
    item(ACCEPTED);
    ck_assert_str_eq(pong(2), "ask attach {\"run\":\"r1\",\"thread\":\"t\"}\n");
}
END_TEST

START_TEST(events_that_were_seen_before_are_not_shown_again)
{
    begin_run();
    item("{\"seq\":\"2.9\",\"mode\":\"values\"}");
    pong(2);
    ck_assert_str_eq(item("{\"seq\":\"2.8\"}"), "");
    ck_assert_str_eq(item("{\"seq\":\"2.9\"}"), "");
    ck_assert_str_eq(item("{\"seq\":\"2.10\"}"), "item 1 {\"seq\":\"2.10\"}\n");
    ck_assert_str_eq(item("{\"seq\":\"3.0\"}"), "item 1 {\"seq\":\"3.0\"}\n");
}
END_TEST

START_TEST(progress_runs_ahead_and_does_not_count)
{
    begin_run();
    item("{\"seq\":\"2.1\",\"mode\":\"values\"}");
    item("{\"seq\":\"2.5\",\"mode\":\"progress\"}");
    ck_assert_ptr_nonnull(strstr(pong(2), "\"after\":\"2.1\""));
    ck_assert_ptr_nonnull(
        strstr(item("{\"seq\":\"2.0\",\"mode\":\"progress\"}"), "item 1"));
}
END_TEST

START_TEST(answers_of_the_old_coordinator_are_ignored)
{
    begin_run();
    uint64_t old = id;
    pong(2);
    ck_assert_str_eq(answer_to(old, true, "{\"status\":\"failed\"}"), "");
    ck_assert_str_eq(
        answer("{\"status\":\"done\"}"), "done 1 {\"status\":\"done\"}\n");
}
END_TEST

START_TEST(a_run_that_was_not_accepted_is_asked_for_anew_after_a_restart)
{
    ask(1, "run", RUN);
    pong(1);
    ck_assert_str_eq(pong(2), "ask run " RUN "\n");
    ck_assert_str_eq(item(ACCEPTED), "item 1 " ACCEPTED "\n");
}
END_TEST

START_TEST(reads_are_asked_anew_and_updates_are_not)
{
    ask(1, "state", "{}");
    pong(1);
    ask(2, "update", "{}");
    ask(3, "copy", "{}");
    ask(4, "history", "{}");
    ck_assert_str_eq(pong(9),
        "failed 2 closed: the coordinator was restarted before it answered "
        "the request \"update\": it may have been carried out or not; look "
        "before you repeat it\n"
        "failed 3 closed: the coordinator was restarted before it answered "
        "the request \"copy\": it may have been carried out or not; look "
        "before you repeat it\n"
        "ask state {}\nask history {}\n");
}
END_TEST

START_TEST(a_silent_coordinator_is_looked_for_elsewhere)
{
    begin_run();
    item("{\"seq\":\"2.0\",\"mode\":\"values\"}");
    ask(2, "state", "{}");
    after(1000);
    ck_assert_str_eq(after(SS_TALK_SILENCE_MS - 1), "ask state {}\nping\n");
    ck_assert_str_eq(after(1), "reopen\nping\n");
    ck_assert_str_eq(after(SS_TALK_KNOCK_MS), "reopen\nping\n");
    // A new request waits with the others.
    ck_assert_str_eq(ask(3, "graphs", "{}"), "");
    ck_assert_str_eq(pong(5),
        "ask attach {\"run\":\"r1\",\"thread\":\"t\",\"stream\":[\"values\"],"
        "\"subgraphs\":true,\"after\":\"2.0\"}\n"
        "ask state {}\nask graphs {}\n");
}
END_TEST

START_TEST(silence_fails_an_update_that_was_sent_and_keeps_one_that_was_not)
{
    ask(1, "update", "{}");
    pong(1);
    for (int i = 0; i < 6; i++)
        after(1000);
    ck_assert_ptr_nonnull(strstr(
        ss_buf_str(&said), "failed 1 closed: the coordinator fell silent"));
    ck_assert_str_eq(ask(2, "update", "{}"), "ping\n");
    ck_assert_str_eq(pong(1), "ask update {}\n");
}
END_TEST

START_TEST(a_pong_without_an_epoch_is_no_restart)
{
    begin_run();
    ck_assert_str_eq(pong(0), "");
    ck_assert_str_eq(pong(1), "");
}
END_TEST

START_TEST(an_attach_goes_on_after_what_it_was_told)
{
    ask(1, "attach", "{\"run\":\"r1\",\"after\":\"4.2\"}");
    ck_assert_str_eq(
        pong(1), "ask attach {\"run\":\"r1\",\"after\":\"4.2\"}\n");
    item(ACCEPTED);
    ck_assert_str_eq(item("{\"seq\":\"4.2\"}"), "");
    ck_assert_str_eq(item("{\"seq\":\"4.3\"}"), "item 1 {\"seq\":\"4.3\"}\n");
    ck_assert_str_eq(pong(2),
        "ask attach {\"run\":\"r1\",\"thread\":\"t\",\"after\":\"4.3\"}\n");
}
END_TEST

// A run that is over is told without "accepted".
START_TEST(an_attach_to_a_run_that_is_over_repeats_nothing)
{
    ask(1, "attach", "{\"run\":\"r1\",\"after\":\"0.0\"}");
    pong(1);
    ck_assert_str_eq(item("{\"seq\":\"4.3\"}"), "item 1 {\"seq\":\"4.3\"}\n");
    ck_assert_str_eq(
        pong(2), "ask attach {\"run\":\"r1\",\"after\":\"4.3\"}\n");
    ck_assert_str_eq(item("{\"seq\":\"4.3\"}"), "");
}
END_TEST

START_TEST(a_detached_run_is_done_with_its_only_answer)
{
    ask(1, "run", "{\"graph\":\"g\",\"run\":\"x\",\"detach\":true}");
    pong(1);
    ck_assert_str_eq(answer(ACCEPTED), "done 1 " ACCEPTED "\n");
}
END_TEST

// --------------------------------------------------------------------- numbers

START_TEST(numbers_of_events_compare_as_numbers)
{
    ck_assert(ss_talk_seq_reached("9.9", "10.0"));
    ck_assert(!ss_talk_seq_reached("10.0", "9.9"));
    ck_assert(ss_talk_seq_reached("2.9", "2.10"));
    ck_assert(ss_talk_seq_reached("2.9", "2.9"));
    ck_assert(!ss_talk_seq_reached("2.10", "2.9"));
    ck_assert(ss_talk_seq_reached("7", "7.0"));
    ck_assert(ss_talk_seq_reached("7", "7.1"));
}
END_TEST

START_TEST(what_is_no_number_comes_before_nothing)
{
    const char *const bad[] = {
        "", ".", "x", "1.", ".1", "1.x", "1.2.3", "-1", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert(!ss_talk_seq_reached(bad[i], "9.9"));
        ck_assert(!ss_talk_seq_reached("0", bad[i]));
    }
}
END_TEST

// ----------------------------------------------------------------- everything

static int below(struct ss_prng *prng, uint64_t bound)
{
    return (int)ss_prng_below(prng, bound);
}

// Whatever comes in whatever order: each request ends exactly once, and a talk
// with nothing to do sleeps.
START_TEST(every_request_ends_exactly_once)
{
    static const char *const ops[] = {"run", "state", "update", "attach", "x"};
    struct ss_prng prng;
    ss_prng_init(&prng, (uint64_t)_i);
    int ended[200] = {0};
    uint64_t key = 0;
    uint64_t ids[8] = {0};
    for (int i = 0; i < 2000; i++) {
        now += below(&prng, 700);
        commands.count = 0;
        switch (below(&prng, 6)) {
        case 0:
            if (key < 199)
                ask_within(++key, ops[below(&prng, 5)], "{\"run\":\"r\"}",
                    below(&prng, 2) ? 4000 : 0);
            break;
        case 1:
            pong(below(&prng, 30) == 0 ? 2 : 1);
            break;
        case 2:
            answer_to(
                ids[below(&prng, 8)], below(&prng, 2), "{\"accepted\":true}");
            break;
        case 3:
            answer_to(
                ids[below(&prng, 8)], below(&prng, 2), "{\"seq\":\"1.1\"}");
            break;
        default:
            after(below(&prng, 3000));
        }
        ids[below(&prng, 8)] = id;
        for (size_t c = 0; c < commands.count; c++)
            if (commands.items[c].type == SS_TALK_DONE ||
                commands.items[c].type == SS_TALK_FAILED)
                ck_assert_int_eq(ended[commands.items[c].key]++, 0);
    }
    for (int i = 0; i < 200 && commands.wake_at_ms != INT64_MAX; i++) {
        next_wake();
        for (size_t c = 0; c < commands.count; c++)
            if (commands.items[c].type == SS_TALK_FAILED)
                ck_assert_int_eq(ended[commands.items[c].key]++, 0);
    }
    for (uint64_t i = 1; i <= key; i++)
        ck_assert_int_eq(ended[i], 1);
}
END_TEST

static TCase *asking(void)
{
    TCase *tcase = tcase_create("asking");
    tcase_add_checked_fixture(tcase, talk_setup, talk_teardown);
    tcase_add_test(tcase, a_request_is_held_until_somebody_was_heard);
    tcase_add_test(tcase, who_was_heard_just_now_is_asked_at_once);
    tcase_add_test(tcase, who_was_heard_long_ago_is_pinged_first);
    tcase_add_test(tcase, answers_find_their_requests);
    tcase_add_test(tcase, an_answer_to_nothing_is_ignored);
    tcase_add_test(tcase, a_run_without_an_id_gets_one);
    tcase_add_test(tcase, what_the_asker_gave_is_not_modified);
    tcase_add_test(tcase, what_is_forgotten_is_hung_up);
    tcase_add_test(tcase, a_request_that_takes_longer_than_allowed_fails);
    tcase_add_test(tcase, nobody_there_is_an_error_soon);
    tcase_add_test(tcase, after_giving_up_the_next_request_knocks_again);
    tcase_add_test(tcase, several_endpoints_share_the_time);
    tcase_add_test(tcase, a_dead_first_endpoint_costs_no_second);
    tcase_add_test(tcase, a_coordinator_that_was_there_may_be_away_for_longer);
    tcase_add_test(tcase, a_silent_coordinator_is_pinged_every_second);
    tcase_add_test(tcase, events_are_signs_of_life_too);
    tcase_add_test(tcase, an_idle_talk_asks_for_nothing);
    tcase_add_test(tcase, a_late_tick_does_not_lose_what_was_heard_with_it);
    return tcase;
}

static TCase *repeating(void)
{
    TCase *tcase = tcase_create("repeating");
    tcase_add_checked_fixture(tcase, talk_setup, talk_teardown);
    tcase_add_test(
        tcase, a_read_without_an_answer_is_asked_again_under_the_same_number);
    tcase_add_test(tcase, a_run_not_yet_accepted_is_asked_for_again_by_its_id);
    tcase_add_test(tcase, a_run_without_events_is_attached_to_again);
    tcase_add_test(tcase, what_may_be_done_only_once_is_never_asked_again);
    tcase_add_test(tcase, an_op_that_nobody_knows_is_asked_once);
    tcase_add_test(
        tcase, a_coordinator_that_is_reached_again_is_asked_who_it_is);
    tcase_add_test(
        tcase, a_restarted_coordinator_is_attached_to_after_the_last_event);
    tcase_add_test(tcase,
        a_run_of_which_nothing_was_seen_is_attached_to_from_its_beginning);
    tcase_add_test(tcase, a_follower_that_saw_nothing_yet_goes_on_from_now);
    tcase_add_test(tcase, events_that_were_seen_before_are_not_shown_again);
    tcase_add_test(tcase, progress_runs_ahead_and_does_not_count);
    tcase_add_test(tcase, answers_of_the_old_coordinator_are_ignored);
    tcase_add_test(
        tcase, a_run_that_was_not_accepted_is_asked_for_anew_after_a_restart);
    tcase_add_test(tcase, reads_are_asked_anew_and_updates_are_not);
    tcase_add_test(tcase, a_silent_coordinator_is_looked_for_elsewhere);
    tcase_add_test(tcase,
        silence_fails_an_update_that_was_sent_and_keeps_one_that_was_not);
    tcase_add_test(tcase, a_pong_without_an_epoch_is_no_restart);
    tcase_add_test(tcase, an_attach_goes_on_after_what_it_was_told);
    tcase_add_test(tcase, an_attach_to_a_run_that_is_over_repeats_nothing);
    tcase_add_test(tcase, a_detached_run_is_done_with_its_only_answer);
    tcase_add_test(tcase, numbers_of_events_compare_as_numbers);
    tcase_add_test(tcase, what_is_no_number_comes_before_nothing);
    tcase_add_loop_test(tcase, every_request_ends_exactly_once, 0, 20);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("talk");
    suite_add_tcase(suite, asking());
    suite_add_tcase(suite, repeating());
    return suite_main(suite);
}
