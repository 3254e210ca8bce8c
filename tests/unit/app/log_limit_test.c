// Lines that are logged only once in a while.
#include "common/app/log_limit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/app/log.h"
#include "tests/suite.h"

static struct ss_log_limit limit;
static int lines;

static void count(void *ctx, const char *line, size_t size)
{
    (void)ctx;
    (void)line;
    (void)size;
    lines++;
}

static void set_up(void)
{
    ss_log_setup(&(struct ss_log_options){
        .program = "test", .level = SS_LOG_WARNING, .sink = count});
    lines = 0;
}

static void tear_down(void)
{
    ss_log_limit_fini(&limit);
}

START_TEST(the_same_is_said_again_after_ten_minutes)
{
    ck_assert(ss_log_limit_due(&limit, "key", "a", 5));
    ck_assert(!ss_log_limit_due(&limit, "key", "a", 5 + SS_LOG_AGAIN_MS - 1));
    ck_assert(ss_log_limit_due(&limit, "key", "b", 6));
    ck_assert(ss_log_limit_due(&limit, "rate", "a", 6));
    ck_assert(ss_log_limit_due(&limit, "key", "a", 5 + SS_LOG_AGAIN_MS));
    ck_assert_uint_eq(limit.silenced, 1);
}
END_TEST

START_TEST(what_was_not_said_is_counted_when_it_is_said_again)
{
    int64_t now_ms = 5;
    ck_assert(ss_log_limit_due(&limit, "key", "a", now_ms));
    ck_assert_str_eq(ss_log_limit_more(&limit), "");
    for (int i = 0; i < 12; i++)
        ck_assert(!ss_log_limit_due(&limit, "key", "a", now_ms + i));
    ck_assert(ss_log_limit_due(&limit, "key", "b", now_ms));
    ck_assert_str_eq(ss_log_limit_more(&limit), "");
    now_ms += SS_LOG_AGAIN_MS;
    ck_assert(ss_log_limit_due(&limit, "key", "a", now_ms));
    ck_assert_str_eq(ss_log_limit_more(&limit), " (and 12 more since)");
    now_ms += SS_LOG_AGAIN_MS;
    ck_assert(ss_log_limit_due(&limit, "key", "a", now_ms));
    ck_assert_str_eq(ss_log_limit_more(&limit), "");
}
END_TEST

START_TEST(a_crowd_is_named_as_a_crowd)
{
    char who[20];
    for (int i = 0; i < SS_LOG_SUBJECTS_MAX; i++) {
        snprintf(who, sizeof(who), "%d", i);
        ck_assert(ss_log_limit_due(&limit, "key", who, 7));
    }
    for (int i = 0; i < 3; i++)
        ck_assert(!ss_log_limit_due(&limit, "key", "one more", 8));
    ck_assert_int_eq(lines, 1);
    // Later there is room again.
    ck_assert(ss_log_limit_due(&limit, "key", "one more", 7 + SS_LOG_AGAIN_MS));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("log_limit");
    TCase *tcase = tcase_create("log_limit");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, the_same_is_said_again_after_ten_minutes);
    tcase_add_test(tcase, what_was_not_said_is_counted_when_it_is_said_again);
    tcase_add_test(tcase, a_crowd_is_named_as_a_crowd);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
