// Peers that did wrong, and how long they wait; the test sets the time.
#include "common/link/greylist.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/link/limits.h"
#include "tests/suite.h"

#define HERE  "192.0.2.1"
#define THERE "192.0.2.2"

static struct ss_greylist *greylist;
static int64_t now_ms;

static void set_up(void)
{
    greylist = ss_greylist_new();
    now_ms = 1000;
}

static void tear_down(void)
{
    ss_greylist_destroy(&greylist);
    ck_assert_ptr_null(greylist);
    ss_greylist_destroy(&greylist);
}

// How long `key` has to wait from now on; 0: not at all.
static int64_t left_ms(const char *address, const char *key)
{
    int64_t end_ms = ss_greylist_end_ms(greylist, address, key, now_ms);
    return end_ms == 0 ? 0 : end_ms - now_ms;
}

static void do_wrong(int times)
{
    for (int i = 0; i < times; i++)
        ck_assert(ss_greylist_wrong(greylist, HERE, "ada", now_ms));
}

START_TEST(a_mistake_that_repeats_a_few_times_is_forgiven)
{
    do_wrong(SS_LINK_WRONGS_BURST);
    ck_assert_int_eq(left_ms(HERE, "ada"), 0);
    now_ms += 1000;
    do_wrong(SS_LINK_WRONGS_RATE);
    ck_assert_int_eq(left_ms(HERE, "ada"), 0);
}
END_TEST

START_TEST(one_too_many_and_the_key_waits)
{
    do_wrong(SS_LINK_WRONGS_BURST);
    ck_assert(!ss_greylist_wrong(greylist, HERE, "ada", now_ms));
    ck_assert_int_eq(left_ms(HERE, "ada"), SS_LINK_WAIT_MS);
    now_ms += SS_LINK_WAIT_MS - 1;
    ck_assert_int_eq(left_ms(HERE, "ada"), 1);
    now_ms++;
    ck_assert_int_eq(left_ms(HERE, "ada"), 0);
}
END_TEST

START_TEST(nobody_else_waits_for_it)
{
    ss_greylist_punish(greylist, HERE, "ada", now_ms);
    ck_assert_int_eq(left_ms(HERE, "ada"), SS_LINK_WAIT_MS);
    ck_assert_int_eq(left_ms(HERE, "eve"), 0);
    ck_assert_int_eq(left_ms(HERE, ""), 0);
    ck_assert_int_eq(left_ms(THERE, "ada"), 0);
    ck_assert(ss_greylist_wrong(greylist, HERE, "eve", now_ms));
}
END_TEST

START_TEST(what_comes_while_it_waits_makes_it_no_longer)
{
    ss_greylist_punish(greylist, HERE, "ada", now_ms);
    now_ms += SS_LINK_WAIT_MS / 2;
    ss_greylist_punish(greylist, HERE, "ada", now_ms);
    ck_assert_int_eq(left_ms(HERE, "ada"), SS_LINK_WAIT_MS / 2);
}
END_TEST

START_TEST(each_time_it_waits_twice_as_long_up_to_a_bound)
{
    int64_t expected_ms = SS_LINK_WAIT_MS;
    for (int i = 0; i < 20; i++) {
        ss_greylist_punish(greylist, HERE, "ada", now_ms);
        ck_assert_int_eq(left_ms(HERE, "ada"), expected_ms);
        now_ms += expected_ms;
        expected_ms = 2 * expected_ms < SS_LINK_WAIT_MAX_MS
                          ? 2 * expected_ms
                          : SS_LINK_WAIT_MAX_MS;
    }
    ck_assert_int_eq(expected_ms, SS_LINK_WAIT_MAX_MS);
}
END_TEST

START_TEST(who_was_good_for_a_while_is_as_new)
{
    ss_greylist_punish(greylist, HERE, "ada", now_ms);
    now_ms += SS_LINK_WAIT_MS;
    ss_greylist_punish(greylist, HERE, "ada", now_ms);
    ck_assert_int_eq(left_ms(HERE, "ada"), 2 * SS_LINK_WAIT_MS);
    now_ms += 2 * SS_LINK_WAIT_MS + SS_LINK_FORGET_MS + 1;
    do_wrong(SS_LINK_WRONGS_BURST);
    ck_assert(!ss_greylist_wrong(greylist, HERE, "ada", now_ms));
    ck_assert_int_eq(left_ms(HERE, "ada"), SS_LINK_WAIT_MS);
}
END_TEST

START_TEST(who_cannot_be_remembered_may_do_nothing_wrong)
{
    char key[20];
    for (int i = 0; i < SS_LINK_OFFENDERS_MAX; i++) {
        snprintf(key, sizeof(key), "key%d", i);
        ck_assert(ss_greylist_wrong(greylist, HERE, key, now_ms));
    }
    ck_assert(!ss_greylist_wrong(greylist, HERE, "ada", now_ms));
    ss_greylist_punish(greylist, HERE, "ada", now_ms);
    ck_assert_int_eq(left_ms(HERE, "ada"), 0);
    now_ms += SS_LINK_FORGET_MS + 1;
    ck_assert(ss_greylist_wrong(greylist, HERE, "ada", now_ms));
    ss_greylist_punish(greylist, HERE, "ada", now_ms);
    ck_assert_int_eq(left_ms(HERE, "ada"), SS_LINK_WAIT_MS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("greylist");
    TCase *tcase = tcase_create("greylist");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_mistake_that_repeats_a_few_times_is_forgiven);
    tcase_add_test(tcase, one_too_many_and_the_key_waits);
    tcase_add_test(tcase, nobody_else_waits_for_it);
    tcase_add_test(tcase, what_comes_while_it_waits_makes_it_no_longer);
    tcase_add_test(tcase, each_time_it_waits_twice_as_long_up_to_a_bound);
    tcase_add_test(tcase, who_was_good_for_a_while_is_as_new);
    tcase_add_test(tcase, who_cannot_be_remembered_may_do_nothing_wrong);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
