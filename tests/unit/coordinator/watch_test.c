// Whether the store answers, by a clock that the test sets.
#include "coordinator/shell_impl.h"

#include <check.h>
#include <string.h>

#include "coordinator/limits.h"
#include "tests/suite.h"

enum { BEGIN_MS = 1000000 };

static struct ss_shell_watch watch;

// Somebody waits since then, `at_ms` behind the begin.
static enum ss_watch_news waits(int64_t since_ms, int64_t at_ms)
{
    struct ss_store_wait wait = {
        .since_ms = BEGIN_MS + since_ms, .what = "to write thread t"};
    return ss_watch_see(&watch, &wait, BEGIN_MS + at_ms);
}

static enum ss_watch_news nobody_waits(int64_t at_ms)
{
    return ss_watch_see(&watch, NULL, BEGIN_MS + at_ms);
}

static void set_up(void)
{
    watch = (struct ss_shell_watch){0};
}

START_TEST(a_wait_that_is_short_is_no_news)
{
    ck_assert_int_eq((int)waits(0, 100), (int)SS_WATCH_NOTHING);
    ck_assert_int_eq((int)waits(0, SS_STORE_SILENT_MS - 1), SS_WATCH_NOTHING);
    ck_assert_int_eq((int)nobody_waits(SS_STORE_SILENT_MS), SS_WATCH_NOTHING);
}
END_TEST

START_TEST(a_silence_is_told_once_a_minute_and_its_end)
{
    ck_assert_int_eq((int)waits(0, 3000), SS_WATCH_SILENT);
    ck_assert_str_eq(watch.text,
        "the store has not answered for 3 s: it is to write thread t");
    ck_assert_int_eq((int)waits(0, 62000), SS_WATCH_NOTHING);
    ck_assert_int_eq((int)waits(0, 63000), SS_WATCH_SILENT);
    ck_assert_int_eq((int)nobody_waits(64000), SS_WATCH_ANSWERS);
    ck_assert_int_eq(watch.lasted_ms, 64000);
    ck_assert_str_eq(watch.text, "");
    ck_assert_int_eq((int)nobody_waits(65000), SS_WATCH_NOTHING);
}
END_TEST

// The longest waiter is answered first, and the others a moment later.
START_TEST(the_whole_silence_is_told_whoever_is_answered_first)
{
    ck_assert_int_eq((int)waits(0, 3000), SS_WATCH_SILENT);
    ck_assert_int_eq((int)waits(0, 60000), SS_WATCH_NOTHING);
    ck_assert_int_eq((int)waits(54000, 60900), SS_WATCH_NOTHING);
    ck_assert_int_eq((int)nobody_waits(61000), SS_WATCH_ANSWERS);
    ck_assert_int_eq(watch.lasted_ms, 61000);
    // The next one is another.
    ck_assert_int_eq((int)waits(70000, 73000), SS_WATCH_SILENT);
    ck_assert_int_eq((int)nobody_waits(75000), SS_WATCH_ANSWERS);
    ck_assert_int_eq(watch.lasted_ms, 5000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("watch");
    TCase *tcase = tcase_create("watch");
    tcase_add_checked_fixture(tcase, set_up, NULL);
    tcase_add_test(tcase, a_wait_that_is_short_is_no_news);
    tcase_add_test(tcase, a_silence_is_told_once_a_minute_and_its_end);
    tcase_add_test(tcase, the_whole_silence_is_told_whoever_is_answered_first);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
