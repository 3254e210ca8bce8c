// What is told of a link, in its order, and never more than there is room for.
#include "common/link/notices.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"

static struct ss_notices notices;
static struct ss_link_notice taken;

static void set_up(void)
{
    memset(&notices, 0, sizeof(notices));
}

static void expect(const char *text)
{
    ck_assert(ss_notices_take(&notices, &taken));
    ck_assert_str_eq(taken.text, text);
}

START_TEST(each_is_told_once_the_oldest_first)
{
    ck_assert(!ss_notices_take(&notices, &taken));
    ss_notices_tell(&notices, "key", "192.0.2.7", "no %d", 1);
    ss_notices_tell(&notices, "rate", "worker", "no %d", 2);
    expect("no 1");
    ck_assert_str_eq(taken.kind, "key");
    ck_assert_str_eq(taken.who, "192.0.2.7");
    expect("no 2");
    ck_assert_str_eq(taken.kind, "rate");
    ck_assert_str_eq(taken.who, "worker");
    ck_assert(!ss_notices_take(&notices, &taken));
}
END_TEST

START_TEST(what_finds_no_place_is_not_told)
{
    char text[16];
    for (int i = 0; i < SS_LINK_NOTICES_MAX + 3; i++)
        ss_notices_tell(&notices, "key", "local", "no %d", i);
    expect("no 0");
    ss_notices_tell(&notices, "key", "local", "last"); // round the end
    for (int i = 1; i < SS_LINK_NOTICES_MAX; i++) {
        snprintf(text, sizeof(text), "no %d", i);
        expect(text);
    }
    expect("last");
    ck_assert(!ss_notices_take(&notices, &taken));
}
END_TEST

START_TEST(a_sentence_that_is_too_long_is_cut)
{
    char text[2 * sizeof(taken.text)], who[2 * sizeof(taken.who)];
    memset(text, 't', sizeof(text) - 1);
    memset(who, 'w', sizeof(who) - 1);
    text[sizeof(text) - 1] = who[sizeof(who) - 1] = '\0';
    ss_notices_tell(&notices, "key", who, "%s", text);
    ck_assert(ss_notices_take(&notices, &taken));
    ck_assert_uint_eq(strlen(taken.text), sizeof(taken.text) - 1);
    ck_assert_uint_eq(strlen(taken.who), sizeof(taken.who) - 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("notices");
    TCase *tcase = tcase_create("notices");
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, each_is_told_once_the_oldest_first);
    tcase_add_test(tcase, what_finds_no_place_is_not_told);
    tcase_add_test(tcase, a_sentence_that_is_too_long_is_cut);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
