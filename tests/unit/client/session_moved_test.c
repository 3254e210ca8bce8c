// What a talk remembers, and how it goes on with another coordinator.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/client/session_script.h"

// --------------------------------------------------- items, keys (issue 4)

#define LIVE(attempt, number)                                                  \
    "{\"mode\":\"custom\",\"attempt\":\"" attempt "\",\"item\":" number "}"

START_TEST(items_of_attempts_are_counted_and_not_shown_twice)
{
    begin_run();
    item(LIVE("1.5", "1"));
    ck_assert_ptr_nonnull(strstr(item(LIVE("1.5", "2")), "item 1 "));
    item(LIVE("1.6", "1"));
    ck_assert_str_eq(item(LIVE("1.5", "2")), "");
    ck_assert_str_eq(pong(2),
        "ask attach {\"run\":\"r1\",\"thread\":\"t\",\"stream\":[\"values\"],"
        "\"subgraphs\":true,\"after\":\"0.0\",\"seen\":{\"1.5\":2,"
        "\"1.6\":1}}\n");
    ck_assert_str_eq(item(LIVE("1.5", "1")), "");
    ck_assert_ptr_nonnull(strstr(item(LIVE("1.5", "3")), "item 1 "));
}
END_TEST

START_TEST(what_a_lost_attempt_showed_is_not_counted_any_more)
{
    begin_run();
    item(LIVE("1.5", "1"));
    ck_assert_ptr_nonnull(strstr(
        item("{\"mode\":\"restarted\",\"attempt\":\"1.5\"}"), "item 1 "));
    ck_assert_str_eq(pong(2),
        "ask attach {\"run\":\"r1\",\"thread\":\"t\",\"stream\":[\"values\"],"
        "\"subgraphs\":true,\"after\":\"0.0\"}\n");
}
END_TEST

START_TEST(what_its_asker_had_seen_of_attempts_stays_seen)
{
    ask(1, "attach", "{\"run\":\"r1\",\"seen\":{\"1.5\":2}}");
    pong(1);
    item(ACCEPTED);
    item(LIVE("1.6", "1"));
    ck_assert_str_eq(pong(2), "ask attach {\"run\":\"r1\",\"thread\":\"t\","
                              "\"seen\":{\"1.5\":2,\"1.6\":1}}\n");
    ck_assert_str_eq(item(LIVE("1.5", "2")), "");
}
END_TEST

START_TEST(attempts_are_counted_up_to_a_limit_the_oldest_are_forgotten)
{
    char text[100];
    begin_run();
    for (int i = 0; i <= SS_TALK_ATTEMPTS_MAX; i++) {
        snprintf(text, sizeof(text),
            "{\"mode\":\"custom\",\"attempt\":\"1.%d\",\"item\":1}", i);
        item(text);
    }
    ck_assert_ptr_nonnull(strstr(item(LIVE("1.0", "1")), "item 1 "));
    ck_assert_str_eq(item(LIVE("1.2", "1")), "");
}
END_TEST

START_TEST(a_change_with_a_key_is_asked_again)
{
    ask(1, "update", "{\"key\":\"k1\"}");
    ck_assert_str_eq(pong(1), "ask update {\"key\":\"k1\"}\n");
    ck_assert_str_eq(pong(2), "ask update {\"key\":\"k1\"}\n");
    ask(2, "copy", "{\"key\":\"k2\"}");
    ck_assert_str_eq(
        pong(3), "ask update {\"key\":\"k1\"}\nask copy {\"key\":\"k2\"}\n");
    ask(3, "unheard-of", "{\"key\":\"k2\"}");
    ck_assert_ptr_nonnull(strstr(pong(4), "failed 3 closed"));
}
END_TEST

// ------------------------------------------------------- several coordinators

#define MOVED(to)                                                              \
    "{\"error\":{\"code\":\"moved\",\"message\":\"it is there\","              \
    "\"endpoint\":\"" to "\"}}"
#define MOVED_NOWHERE                                                          \
    "{\"error\":{\"code\":\"moved\",\"message\":\"nobody has it\"}}"

START_TEST(what_has_moved_is_asked_for_there)
{
    ask(1, "state", "{}");
    pong(1);
    ck_assert_str_eq(answer(MOVED("tcp://b:1")), "open@1 tcp://b:1\nping@1\n");
    line = 1;
    ck_assert_str_eq(pong(2), "ask@1 state {}\n");
    ck_assert_str_eq(answer("{\"state\":1}"), "done 1 {\"state\":1}\n");
    // The line is there for the next one.
    line = 0;
    ask(2, "update", "{}");
    ck_assert_str_eq(answer(MOVED("tcp://b:1")), "ask@1 update {}\n");
}
END_TEST

START_TEST(of_more_coordinators_than_there_may_be_lines_home_is_asked)
{
    size_t opened = 0;
    for (uint64_t key = 1; key <= SS_TALK_CONNECTIONS_MAX + 10; key++) {
        char moved[160];
        snprintf(moved, sizeof(moved),
            "{\"error\":{\"code\":\"moved\",\"message\":\"there\","
            "\"endpoint\":\"tcp://c%d:1\"}}",
            (int)key);
        line = 0;
        ask(key, "state", "{}");
        if (key == 1)
            pong(1);
        const char *told = answer(moved);
        opened += strstr(told, "open@") != NULL;
        ck_assert(strstr(told, "open@") || strstr(told, "ask state {}"));
    }
    ck_assert_uint_eq(opened, SS_TALK_CONNECTIONS_MAX - 1); // home is one
}
END_TEST

START_TEST(a_line_that_nobody_needs_is_closed)
{
    ask(1, "state", "{}");
    pong(1);
    answer(MOVED("tcp://b:1"));
    line = 1;
    pong(2);
    answer("{}");
    ck_assert_int_eq(commands.wake_at_ms, now + SS_TALK_ENDPOINT_IDLE_MS);
    ck_assert_str_eq(next_wake(), "close@1\n");
    ck_assert_int_eq(commands.wake_at_ms, INT64_MAX);
    ck_assert_str_eq(pong(2), ""); // a late word
}
END_TEST

START_TEST(a_stream_that_moves_goes_on_there_after_the_last_event)
{
    begin_run();
    item("{\"seq\":\"2.1\",\"mode\":\"values\"}");
    answer(MOVED("tcp://b:1"));
    line = 1;
    ck_assert_str_eq(pong(2),
        "ask@1 attach {\"run\":\"r1\",\"thread\":\"t\",\"stream\":[\"values\"],"
        "\"subgraphs\":true,\"after\":\"2.1\"}\n");
    item(ACCEPTED);
    ck_assert_str_eq(item("{\"seq\":\"2.1\"}"), "");
    ck_assert_str_eq(item("{\"seq\":\"3.1\"}"), "item 1 {\"seq\":\"3.1\"}\n");
}
END_TEST

START_TEST(a_line_that_falls_silent_sends_its_requests_home)
{
    begin_run();
    answer(MOVED("tcp://b:1"));
    line = 1;
    pong(2);
    for (int i = 0; i < 5; i++)
        after(1000);
    const char *told = after(1000);
    ck_assert_ptr_nonnull(strstr(told, "close@1\n"));
    line = 0;
    ck_assert_ptr_nonnull(strstr(pong(1), "ask attach {\"run\":\"r1\""));
}
END_TEST

START_TEST(an_endpoint_where_nobody_is_sends_its_requests_home_soon)
{
    ask(1, "state", "{}");
    pong(1);
    answer(MOVED("tcp://b:1"));
    now += SS_TALK_KNOCK_MS;
    ck_assert_ptr_nonnull(strstr(pong(1), "close@1\n"));
    ck_assert_ptr_nonnull(strstr(ss_buf_str(&said), "ask state {}\n"));
}
END_TEST

// The cluster's own names lead nowhere from here: those given are asked in
// turn.
START_TEST(behind_names_that_lead_nowhere_those_that_were_given_are_asked)
{
    static const char *const given[] = {"tcp://here:1", "tcp://b:1"};
    ss_talk_destroy(&talk);
    talk = ss_talk_new(&(struct ss_talk_options){.seed = 7,
        .where = "tcp://here:1,tcp://b:1",
        .endpoints = given,
        .endpoints_count = 2});
    ask(1, "state", "{}");
    pong(1);
    ck_assert_str_eq(
        answer(MOVED("tcp://inside:1")), "open@1 tcp://inside:1\nping@1\n");
    now += SS_TALK_KNOCK_MS;
    ck_assert_ptr_nonnull(strstr(pong(1), "ask state {}\n"));
    // Home itself is the first of them, and then the other one.
    ck_assert_str_eq(answer(MOVED("tcp://inside:1")), "ask state {}\n");
    ck_assert_str_eq(
        answer(MOVED("tcp://inside:1")), "open@2 tcp://b:1\nping@2\n");
    line = 2;
    pong(2);
    ck_assert_str_eq(next_wake(), "ask@2 state {}\n");
    ck_assert_str_eq(answer("{\"state\":1}"), "done 1 {\"state\":1}\n");
    line = 0;
}
END_TEST

START_TEST(who_is_sent_in_a_circle_waits_a_little)
{
    ask(1, "state", "{}");
    pong(1);
    answer(MOVED("tcp://b:1"));
    line = 1;
    pong(2);
    line = 1;
    ck_assert_str_eq(answer(MOVED("tcp://here:1")), "ask state {}\n");
    line = 0;
    ck_assert_str_eq(answer(MOVED("tcp://b:1")), "");
    ck_assert_int_eq(commands.wake_at_ms, now + SS_TALK_MOVED_MS);
    ck_assert_str_eq(next_wake(), "ask@1 state {}\n");
    line = 1;
    answer("{}");
    line = 0;
}
END_TEST

START_TEST(what_nobody_has_is_asked_for_until_somebody_takes_over)
{
    int64_t began = now;
    ask(1, "update", "{}");
    pong(1);
    int asked = 0;
    while (strstr(ss_buf_str(&said), "failed") == NULL) {
        ck_assert_int_le(now, began + SS_TALK_PATIENCE_MS);
        if (strstr(ss_buf_str(&said), "ask update {}\n")) {
            asked++;
            answer(MOVED_NOWHERE);
        } else {
            next_wake();
        }
    }
    ck_assert_int_gt(asked, 100);
    ck_assert_str_eq(ss_buf_str(&said),
        "failed 1 closed: no coordinator has taken over the thread of the "
        "request \"update\" within 60 s; superstep doctor says what lacks\n");
}
END_TEST

START_TEST(home_is_looked_for_among_those_that_were_told_of)
{
    static const char *const members[] = {"tcp://here:1", "tcp://b:1"};
    talks_to_many = true;
    ask(1, "state", "{}");
    step((struct ss_talk_event){.type = SS_TALK_PONG,
        .epoch = 1,
        .members = (char *const *)members,
        .members_count = 2});
    after(1000);
    ck_assert_ptr_nonnull(
        strstr(after(SS_TALK_SILENCE_MS), "reopen tcp://b:1\nping\n"));
    ck_assert_str_eq(after(SS_TALK_KNOCK_MS), "reopen tcp://here:1\nping\n");
    ck_assert_str_eq(after(SS_TALK_KNOCK_MS), "reopen tcp://b:1\nping\n");
    ck_assert_str_eq(pong(9), "ask state {}\n");
}
END_TEST

static TCase *moving(void)
{
    TCase *tcase = tcase_create("moving");
    tcase_add_checked_fixture(tcase, talk_setup, talk_teardown);
    tcase_add_test(tcase, items_of_attempts_are_counted_and_not_shown_twice);
    tcase_add_test(tcase, what_a_lost_attempt_showed_is_not_counted_any_more);
    tcase_add_test(tcase, what_its_asker_had_seen_of_attempts_stays_seen);
    tcase_add_test(
        tcase, attempts_are_counted_up_to_a_limit_the_oldest_are_forgotten);
    tcase_add_test(tcase, a_change_with_a_key_is_asked_again);
    tcase_add_test(tcase, what_has_moved_is_asked_for_there);
    tcase_add_test(tcase, a_line_that_nobody_needs_is_closed);
    tcase_add_test(
        tcase, a_stream_that_moves_goes_on_there_after_the_last_event);
    tcase_add_test(tcase, a_line_that_falls_silent_sends_its_requests_home);
    tcase_add_test(
        tcase, an_endpoint_where_nobody_is_sends_its_requests_home_soon);
    tcase_add_test(
        tcase, behind_names_that_lead_nowhere_those_that_were_given_are_asked);
    tcase_add_test(tcase, who_is_sent_in_a_circle_waits_a_little);
    tcase_add_test(
        tcase, of_more_coordinators_than_there_may_be_lines_home_is_asked);
    tcase_add_test(
        tcase, what_nobody_has_is_asked_for_until_somebody_takes_over);
    tcase_add_test(tcase, home_is_looked_for_among_those_that_were_told_of);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("talk_moved");
    suite_add_tcase(suite, moving());
    return suite_main(suite);
}
