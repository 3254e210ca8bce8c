// How much a talk takes on at once, how often it asks, and how long it waits.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/peer/peer.h"
#include "tests/suite.h"
#include "tests/unit/client/session_script.h"

START_TEST(too_many_requests_are_refused)
{
    for (uint64_t i = 0; i < SS_TALK_REQUESTS; i++)
        ask(i, "graphs", "{}");
    ck_assert_str_eq(ask(5000, "graphs", "{}"),
        "failed 5000 limit_exceeded: 1024 requests are under way already\n");
}
END_TEST

START_TEST(a_gateway_has_as_many_requests_under_way_as_it_says)
{
    enum { MANY = 10 * SS_TALK_REQUESTS };
    ss_talk_destroy(&talk);
    talk =
        ss_talk_new(&(struct ss_talk_options){.seed = 1, .requests_max = MANY});
    for (uint64_t i = 0; i < MANY; i++)
        ck_assert_ptr_null(strstr(ask(i, "graphs", "{}"), "failed"));
    ck_assert_str_eq(ask(MANY, "graphs", "{}"),
        "failed 10240 limit_exceeded: 10240 requests are under way already\n");
    // the last one makes room, and the next stands behind the one before it
    step((struct ss_talk_event){.type = SS_TALK_FORGET, .key = MANY - 1});
    ck_assert_ptr_null(strstr(ask(MANY, "graphs", "{}"), "failed"));
    ck_assert_ptr_nonnull(strstr(pong(1), "ask graphs"));
    ck_assert_ptr_nonnull(strstr(ask(MANY, "graphs", "{}"), "limit_exceeded"));
}
END_TEST

// So many that a share of it is over before a handshake is: none of them would
// ever be reached.
START_TEST(of_many_endpoints_each_has_time_for_a_handshake)
{
    static const char *const abc[] = {"a", "b", "c"};
    static const char *many[20];
    for (size_t i = 0; i < 20; i++)
        many[i] = abc[i % 3];
    ss_talk_destroy(&talk);
    talk = ss_talk_new(&(struct ss_talk_options){
        .seed = 1, .where = "many", .endpoints = many, .endpoints_count = 20});
    ask(1, "graphs", "{}");
    ck_assert_str_eq(next_wake(), "open@1 b\nping@1\nopen@2 c\nping@2\n");
    for (int64_t ms = SS_TALK_KNOCK_MS_MIN; ms < SS_TALK_CONNECT_MS;
         ms += SS_TALK_KNOCK_MS_MIN) {
        ck_assert_str_eq(next_wake(), "reopen\nping\n");
        ck_assert_int_eq(now, 100000 + ms);
    }
    ck_assert_ptr_nonnull(strstr(next_wake(), "failed 1 closed"));
    ck_assert_int_eq(now, 100000 + SS_TALK_CONNECT_MS);
}
END_TEST

static void expect_rarer(const char *again)
{
    static const int waits_s[] = {SS_TALK_AGAIN_MS / 1000, 10, 20, 40,
        SS_TALK_AGAIN_MS_MAX / 1000, SS_TALK_AGAIN_MS_MAX / 1000};
    pong(1);
    for (size_t i = 0; i < sizeof(waits_s) / sizeof(waits_s[0]); i++) {
        for (int s = 1; s < waits_s[i]; s++) {
            ck_assert_ptr_null(strstr(after(1000), "ask"));
            pong(1);
        }
        ck_assert_msg(strstr(after(1000), again) != NULL,
            "not asked again after %d s", waits_s[i]);
        pong(1);
    }
}

START_TEST(a_read_is_asked_again_once_a_minute_at_the_rarest)
{
    ask(1, "state", "{\"thread\":\"t\"}");
    expect_rarer("ask state");
}
END_TEST

// Ten thousand that were asked again every five seconds kept a coordinator from
// all other work.
START_TEST(a_run_that_is_not_accepted_is_asked_for_ever_more_rarely)
{
    ask(1, "run", "{\"thread\":\"t\",\"graph\":\"g\"}");
    expect_rarer("hang up\nask run");
}
END_TEST

START_TEST(of_more_coordinators_than_there_may_be_the_first_are_known)
{
    enum { COUNT = SS_PEER_ENDPOINTS_MAX + 40 };
    static const char *const given[] = {"home"};
    static char names[COUNT][16];
    static char *members[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "m%d", i);
        members[i] = names[i];
    }
    ss_talk_destroy(&talk);
    talk = ss_talk_new(&(struct ss_talk_options){.seed = 1,
        .where = "home",
        .endpoints = given,
        .endpoints_count = 1,
        .patience_ms = INT64_C(2) * SS_PEER_ENDPOINTS_MAX * SS_TALK_KNOCK_MS});
    talks_to_many = true;
    ask(1, "state", "{}");
    step((struct ss_talk_event){.type = SS_TALK_PONG,
        .epoch = 1,
        .members = members,
        .members_count = COUNT});
    after(1000);
    ck_assert_ptr_nonnull(
        strstr(after(SS_TALK_SILENCE_MS), "reopen m0\nping\n"));
    for (int i = 1; i < SS_PEER_ENDPOINTS_MAX - 1; i++) {
        char expected[40];
        snprintf(expected, sizeof(expected), "reopen m%d\nping\n", i);
        ck_assert_str_eq(after(SS_TALK_KNOCK_MS), expected);
    }
    ck_assert_str_eq(after(SS_TALK_KNOCK_MS), "reopen home\nping\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("talk_bounds");
    TCase *tcase = tcase_create("bounds");
    tcase_add_checked_fixture(tcase, talk_setup, talk_teardown);
    tcase_add_test(tcase, too_many_requests_are_refused);
    tcase_add_test(tcase, a_gateway_has_as_many_requests_under_way_as_it_says);
    tcase_add_test(tcase, of_many_endpoints_each_has_time_for_a_handshake);
    tcase_add_test(tcase, a_read_is_asked_again_once_a_minute_at_the_rarest);
    tcase_add_test(
        tcase, a_run_that_is_not_accepted_is_asked_for_ever_more_rarely);
    tcase_add_test(
        tcase, of_more_coordinators_than_there_may_be_the_first_are_known);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
