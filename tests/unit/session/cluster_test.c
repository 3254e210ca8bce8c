// cluster_test.c - a worker and several coordinators, in virtual time.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/session/script.h"

static const char *const named[] = {"tcp://a:1", "tcp://b:1"};
static const char *const three[] = {"tcp://a:1", "tcp://b:1", "tcp://c:1"};
static struct script s;

static void setup(void)
{
    script_init_cluster(&s, 4, named, 2);
}

static void teardown(void)
{
    script_fini(&s);
}

static const char *says(const char *(*word)(struct script *, uint64_t),
    uint32_t link, uint64_t epoch)
{
    s.link = link;
    return word(&s, epoch);
}

// Coordinator 0 has epoch 10, coordinator 1 has epoch 11.
static void be_welcome(void)
{
    script_tick(&s, 0);
    says(script_welcome, 0, 10);
    says(script_welcome, 1, 11);
}

static const char *gives(uint32_t link, uint64_t epoch, uint64_t dispatch)
{
    s.link = link;
    return script_task(&s, epoch, dispatch);
}

START_TEST(it_says_hello_to_each_that_was_named)
{
    ck_assert_str_eq(script_tick(&s, 0), "connect@0 tcp://a:1\n"
                                         "connect@1 tcp://b:1\n"
                                         "HELLO@0\nHELLO@1\n");
    ck_assert_str_eq(says(script_welcome, 1, 11), "ready@1\nBEAT@1(4)\n");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT@1(4)\nHELLO@0\n");
    ck_assert_str_eq(says(script_welcome, 0, 10), "ready@0\nBEAT@0(4)\n");
}
END_TEST

START_TEST(what_one_gives_is_told_and_settled_with_that_one)
{
    be_welcome();
    ck_assert_str_eq(gives(0, 10, 1), "start 10.1\n");
    ck_assert_str_eq(gives(1, 11, 2), "start 11.2\n");
    ck_assert_str_eq(script_tick(&s, 500), "BEAT@1(3) 11.2\nBEAT@0(3) 10.1\n");
    ck_assert_str_eq(script_item(&s, 11, 2), "LIVE@1 11.2\n");
    ck_assert_str_eq(script_end(&s, 10, 1), "DONE@0 10.1\n");
    ck_assert_str_eq(script_end(&s, 11, 2), "DONE@1 11.2\n");
}
END_TEST

// Its epoch is later than that one's: its sender is asked who it is.
START_TEST(an_order_of_the_others_epoch_is_not_begun)
{
    be_welcome();
    ck_assert_str_eq(gives(0, 11, 1), "HELLO@0\n");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
    ck_assert_str_eq(gives(1, 10, 1), "");
    ck_assert_uint_eq(ss_session_load(s.session).queued, 0);
}
END_TEST

START_TEST(its_threads_are_shared_and_each_hears_what_is_left)
{
    be_welcome();
    for (uint64_t i = 1; i <= 3; i++)
        gives(0, 10, i);
    gives(1, 11, 4);
    // three in use there, one here: one waits for a moment, then says so
    ck_assert_str_eq(
        script_tick(&s, 100), "BEAT@1(1) 11.4\nBEAT@0(3) 10.1 10.2 10.3\n");
    ck_assert_str_eq(gives(1, 11, 5), "");
    ck_assert_uint_eq(ss_session_load(s.session).busy, 4);
    ck_assert_uint_eq(ss_session_load(s.session).queued, 1);
    ck_assert_str_eq(script_end(&s, 10, 1), "DONE@0 10.1\nstart 11.5\n");
}
END_TEST

START_TEST(one_coordinator_is_left_a_thread_whatever_the_others_use)
{
    be_welcome();
    for (uint64_t i = 1; i <= 6; i++)
        gives(0, 10, i);
    ck_assert_ptr_nonnull(strstr(script_tick(&s, 100), "BEAT@1(1)\n"));
}
END_TEST

START_TEST(one_that_dies_does_not_harm_what_the_others_gave)
{
    be_welcome();
    gives(0, 10, 1);
    gives(1, 11, 2);
    s.link = 1;
    for (int i = 0; i < 5; i++) {
        script_tick(&s, 500);
        script_pong(&s, 11);
    }
    const char *said = script_tick(&s, 500);
    ck_assert_ptr_nonnull(strstr(said, "silent@0\nHELLO@0 offers 10.1\n"));
    ck_assert_ptr_null(strstr(said, "stop"));
    ck_assert_str_eq(script_end(&s, 11, 2), "DONE@1 11.2\n");
    ck_assert_str_eq(gives(1, 11, 3), "start 11.3\n");
    ck_assert_str_eq(script_end(&s, 10, 1), ""); // kept for its coordinator
    ck_assert_str_eq(
        says(script_welcome, 0, 10), "ready@0\nBEAT@0(3) 10.1\nDONE@0 10.1\n");
}
END_TEST

START_TEST(one_that_refuses_us_is_asked_again_while_others_take_us)
{
    be_welcome();
    s.link = 0;
    ck_assert_str_eq(script_refused(&s, SS_EDENIED, "not you"), "away@0\n");
    ck_assert_str_eq(gives(1, 11, 1), "start 11.1\n");
    s.link = 1;
    bool asked = false;
    for (int i = 0; i < 40 && !asked; i++) {
        asked = strstr(script_tick(&s, 500), "HELLO@0\n") != NULL;
        script_pong(&s, 11);
    }
    ck_assert(asked);
}
END_TEST

// Its host has another address now, and another coordinator the old one: that
// knows us already, and will not take us twice.
START_TEST(one_that_refuses_us_is_dialled_anew)
{
    be_welcome();
    s.link = 0;
    ck_assert_str_eq(script_refused(&s, SS_EEXISTS, "name w1"), "refused@0\n");
    const char *said = "";
    for (int i = 0; i < 80 && !strstr(said, "away@0"); i++) {
        script_tick(&s, 500);
        said = script_refused(&s, SS_EEXISTS, "name w1");
        s.link = 1;
        script_pong(&s, 11);
        s.link = 0;
    }
    for (int i = 0; i < 80 && !strstr(said, "HELLO@0"); i++) {
        said = script_tick(&s, 500);
        if (strstr(said, "HELLO@0"))
            break;
        s.link = 1;
        script_pong(&s, 11);
    }
    const char *gone = strstr(said, "disconnect@0 ");
    ck_assert_ptr_nonnull(gone);
    const char *dialled = strstr(gone, "\nconnect@0 ");
    ck_assert_ptr_nonnull(dialled);
    ck_assert_ptr_nonnull(strstr(dialled, "\nHELLO@0"));
}
END_TEST

START_TEST(refused_by_all_it_leaves)
{
    script_tick(&s, 0);
    s.link = 0;
    ck_assert_str_eq(script_refused(&s, SS_EDENIED, "not you"), "away@0\n");
    s.link = 1;
    ck_assert_str_eq(script_refused(&s, SS_EDENIED, "nor here"), "leave\n");
    ck_assert_str_eq(s.leaving, "denied: nor here");
}
END_TEST

// ------------------------------------------------------------------ found

START_TEST(one_that_others_tell_of_is_asked_who_it_is_and_greeted)
{
    be_welcome();
    ck_assert_str_eq(
        script_members(&s, three, 3), "connect@2 tcp://c:1\nPING@2\n");
    ck_assert_str_eq(script_members(&s, three, 3), "");
    ck_assert_str_eq(says(script_pong, 2, 12), "HELLO@2\n");
    ck_assert_str_eq(says(script_welcome, 2, 12), "ready@2\nBEAT@2(4)\n");
    ck_assert_str_eq(gives(2, 12, 1), "start 12.1\n");
}
END_TEST

START_TEST(members_are_told_with_a_welcome_and_with_a_pong)
{
    script_tick(&s, 0);
    s.members = (char *const *)three;
    s.members_count = 3;
    ck_assert_ptr_nonnull(
        strstr(says(script_welcome, 0, 10), "connect@2 tcp://c:1\nPING@2\n"));
}
END_TEST

START_TEST(one_that_we_know_by_another_name_is_not_greeted_twice)
{
    static const char *const names[] = {"tcp://a:1", "tcp://b.example:1"};
    be_welcome();
    says(script_pong, 1, 11);
    script_members(&s, names, 2);
    ck_assert_str_eq(
        says(script_pong, 2, 11), "disconnect@2 tcp://b.example:1\n");
    ck_assert_str_eq(script_members(&s, names, 2), "");
}
END_TEST

START_TEST(one_that_was_found_is_forgotten_when_it_is_neither_heard_nor_named)
{
    be_welcome();
    script_members(&s, three, 3);
    says(script_pong, 2, 12);
    says(script_welcome, 2, 12);
    gives(2, 12, 1);
    s.link = 0;
    script_members(&s, named, 2);
    bool is_gone = false;
    for (int i = 0; i < 20 && !is_gone; i++) {
        is_gone = strstr(script_tick(&s, 500), "disconnect@2") != NULL;
        says(script_pong, 0, 10);
        says(script_pong, 1, 11);
    }
    ck_assert(is_gone);
    ck_assert_uint_eq(ss_session_load(s.session).busy, 1);
    ck_assert_str_eq(says(script_pong, 2, 12), ""); // a word that was late
    script_end(&s, 12, 1);
    ck_assert_uint_eq(ss_session_load(s.session).busy, 0);
}
END_TEST

START_TEST(a_named_one_is_asked_for_ever)
{
    be_welcome();
    s.link = 0;
    bool asked = false;
    for (int i = 0; i < 600; i++) {
        const char *said = script_tick(&s, 500);
        ck_assert_ptr_null(strstr(said, "disconnect"));
        asked = strstr(said, "HELLO@1\n") != NULL || asked;
        script_members(&s, named, 1);
        script_pong(&s, 10);
    }
    ck_assert(asked);
}
END_TEST

START_TEST(a_draining_worker_says_goodbye_to_each)
{
    be_welcome();
    gives(0, 10, 1);
    ck_assert_str_eq(script_drain(&s), "BYE@0 drains\nBYE@1 drains\n");
    script_end(&s, 10, 1);
    s.link = 0;
    ck_assert_str_eq(
        script_settled(&s, 10, 1), "BYE@0 gone\nBYE@1 gone\nleave\n");
}
END_TEST

START_TEST(one_coordinator_sends_it_away_from_all)
{
    be_welcome();
    s.link = 1;
    ck_assert_str_eq(script_drain(&s),
        "BYE@0 drains\nBYE@1 drains\nBYE@0 gone\nBYE@1 gone\nleave\n");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cluster");
    TCase *tcase = tcase_create("cluster");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, it_says_hello_to_each_that_was_named);
    tcase_add_test(tcase, what_one_gives_is_told_and_settled_with_that_one);
    tcase_add_test(tcase, an_order_of_the_others_epoch_is_not_begun);
    tcase_add_test(tcase, its_threads_are_shared_and_each_hears_what_is_left);
    tcase_add_test(
        tcase, one_coordinator_is_left_a_thread_whatever_the_others_use);
    tcase_add_test(tcase, one_that_dies_does_not_harm_what_the_others_gave);
    tcase_add_test(
        tcase, one_that_refuses_us_is_asked_again_while_others_take_us);
    tcase_add_test(tcase, one_that_refuses_us_is_dialled_anew);
    tcase_add_test(tcase, refused_by_all_it_leaves);
    tcase_add_test(
        tcase, one_that_others_tell_of_is_asked_who_it_is_and_greeted);
    tcase_add_test(tcase, members_are_told_with_a_welcome_and_with_a_pong);
    tcase_add_test(
        tcase, one_that_we_know_by_another_name_is_not_greeted_twice);
    tcase_add_test(tcase,
        one_that_was_found_is_forgotten_when_it_is_neither_heard_nor_named);
    tcase_add_test(tcase, a_named_one_is_asked_for_ever);
    tcase_add_test(tcase, a_draining_worker_says_goodbye_to_each);
    tcase_add_test(tcase, one_coordinator_sends_it_away_from_all);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
