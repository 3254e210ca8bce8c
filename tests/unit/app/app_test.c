// Log lines, signals and clocks.
#include <check.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/app/signals.h"
#include "tests/suite.h"

static char lines[8 * SS_LOG_LINE_SIZE];
static size_t lines_count;

static void keep(void *ctx, const char *line, size_t size)
{
    (void)ctx;
    ck_assert_uint_lt(size, sizeof(lines));
    memcpy(lines, line, size);
    lines[size] = '\0';
    lines_count++;
}

static void log_to_lines(enum ss_log_level level, bool is_json)
{
    lines[0] = '\0';
    lines_count = 0;
    ss_log_setup(&(struct ss_log_options){
        .program = "tester", .level = level, .is_json = is_json, .sink = keep});
}

START_TEST(a_plain_line_has_time_level_and_text)
{
    log_to_lines(SS_LOG_INFO, false);
    ss_log_say(SS_LOG_WARNING, "worker %d was lost", 7);
    ck_assert_str_eq(lines + 24, " warning: worker 7 was lost\n");
    ck_assert_int_eq(lines[10], 'T');
    ck_assert_int_eq(lines[23], 'Z');
}
END_TEST

START_TEST(what_is_less_grave_than_asked_for_is_not_said)
{
    log_to_lines(SS_LOG_WARNING, false);
    ss_log_say(SS_LOG_INFO, "no");
    ss_log_say(SS_LOG_DEBUG, "no");
    ck_assert_uint_eq(lines_count, 0);
    ss_log_say(SS_LOG_ERROR, "yes");
    ck_assert_uint_eq(lines_count, 1);
    ck_assert(ss_log_wants(SS_LOG_WARNING));
    ck_assert(!ss_log_wants(SS_LOG_INFO));
}
END_TEST

START_TEST(a_text_cannot_forge_a_second_line)
{
    log_to_lines(SS_LOG_INFO, false);
    ss_log_say(SS_LOG_INFO, "%s", "a\nb\x1b[31m\x7f");
    ck_assert_str_eq(lines + 24, " info: a\\nb\\x1b[31m\\x7f\n");
}
END_TEST

START_TEST(a_json_line_is_json_whatever_the_text_is)
{
    log_to_lines(SS_LOG_DEBUG, true);
    ss_log_say(SS_LOG_DEBUG, "%s", "say \"x\\y\"\n\t\x01 \xc3\xa9");
    json_t *line = json_loads(lines, 0, NULL);
    ck_assert_ptr_nonnull(line);
    ck_assert_str_eq(json_string_value(json_object_get(line, "message")),
        "say \"x\\y\"\n\t\x01 \xc3\xa9");
    ck_assert_str_eq(
        json_string_value(json_object_get(line, "level")), "debug");
    ck_assert_str_eq(
        json_string_value(json_object_get(line, "program")), "tester");
    ck_assert(json_is_integer(json_object_get(line, "pid")));
    ck_assert(json_is_string(json_object_get(line, "time")));
    json_decref(line);
}
END_TEST

START_TEST(a_line_says_which_process_of_a_family_speaks)
{
    log_to_lines(SS_LOG_INFO, false);
    ss_log_set_process(2);
    ss_log_say(SS_LOG_INFO, "it runs");
    ck_assert_str_eq(lines + 24, " info: [2] it runs\n");
    log_to_lines(SS_LOG_INFO, true);
    ss_log_say(SS_LOG_INFO, "it runs");
    json_t *line = json_loads(lines, 0, NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(line, "process")), 2);
    json_decref(line);
    ss_log_set_process(0);
}
END_TEST

START_TEST(a_json_line_says_what_it_is_about)
{
    const struct ss_log_subject subject = {
        .thread = "t \"1\"", .run = "r", .task = "k", .epoch = 7};
    log_to_lines(SS_LOG_INFO, true);
    ss_log_about(SS_LOG_INFO, &subject, "it %s", "runs");
    json_t *line = json_loads(lines, 0, NULL);
    json_t *wanted = json_pack("{s:s, s:s, s:s, s:i, s:s}", "thread", "t \"1\"",
        "run", "r", "task", "k", "epoch", 7, "message", "it runs");
    const char *key;
    json_t *value;
    ck_assert_ptr_nonnull(line);
    json_object_foreach (wanted, key, value)
        ck_assert_msg(json_equal(json_object_get(line, key), value), "%s", key);
    json_decref(line);
    json_decref(wanted);
}
END_TEST

START_TEST(lines_carry_the_epoch_of_the_process_once_it_has_one)
{
    static const struct ss_log_subject other = {.epoch = 9};
    log_to_lines(SS_LOG_INFO, true);
    ss_log_say(SS_LOG_INFO, "none yet");
    ck_assert_ptr_null(strstr(lines, "epoch"));
    ss_log_set_epoch(8);
    ss_log_say(SS_LOG_INFO, "now");
    ck_assert_ptr_nonnull(strstr(lines, "\"epoch\":8"));
    ss_log_about(SS_LOG_INFO, &other, "about another");
    ck_assert_ptr_nonnull(strstr(lines, "\"epoch\":9"));
    ss_log_set_epoch(0);
}
END_TEST

START_TEST(a_long_line_is_cut_and_says_so)
{
    char text[2 * SS_LOG_LINE_SIZE];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    log_to_lines(SS_LOG_INFO, false);
    ss_log_say(SS_LOG_INFO, "%s", text);
    size_t size = strlen(lines);
    ck_assert_uint_lt(size, SS_LOG_LINE_SIZE + 60);
    ck_assert_str_eq(lines + size - 5, "x...\n");
}
END_TEST

// --- signals

static bool is_readable(int fd, int timeout_ms)
{
    struct pollfd item = {.fd = fd, .events = POLLIN};
    return poll(&item, 1, timeout_ms) == 1;
}

START_TEST(a_signal_is_a_byte_to_poll_for)
{
    static const int wanted[] = {SIGTERM, SIGINT};
    int fd = -1;
    ck_assert_int_eq(ss_signals_open(wanted, 2, &fd, NULL), SS_OK);
    ck_assert(!is_readable(fd, 0));
    ck_assert_int_eq(ss_signals_take(), 0);
    raise(SIGINT);
    raise(SIGTERM);
    raise(SIGPIPE);
    ck_assert(is_readable(fd, 10000));
    ck_assert_int_eq(ss_signals_take(), SIGINT);
    ck_assert_int_eq(ss_signals_take(), SIGTERM);
    ck_assert_int_eq(ss_signals_take(), 0);
    ss_signals_close();
    ck_assert_int_eq(ss_signals_take(), 0);
}
END_TEST

static int handled;

static void handle(int number)
{
    handled = number;
}

START_TEST(closing_restores_what_was_before)
{
    static const int wanted[] = {SIGUSR1};
    struct ss_error error = {0};
    int fd = -1;
    signal(SIGUSR1, handle);
    ck_assert_int_eq(ss_signals_open(wanted, 1, &fd, NULL), SS_OK);
    ck_assert_int_eq(ss_signals_open(wanted, 1, &fd, &error), SS_EINVAL);
    raise(SIGUSR1);
    ck_assert_int_eq(handled, 0);
    ss_signals_close();
    raise(SIGUSR1);
    ck_assert_int_eq(handled, SIGUSR1);
    ck_assert_int_eq(ss_signals_open(wanted, 1, &fd, NULL), SS_OK);
    ss_signals_close();
}
END_TEST

// --- clocks

START_TEST(time_goes_on)
{
    int64_t before_us = ss_clock_us(), before_ms = ss_clock_ms();
    while (ss_clock_us() == before_us)
        continue;
    ck_assert_int_gt(ss_clock_us(), before_us);
    ck_assert_int_ge(ss_clock_ms(), before_ms);
    ck_assert_int_gt(ss_clock_wall_us(), INT64_C(1700000000000000));
}
END_TEST

START_TEST(what_is_left_is_what_poll_takes)
{
    ck_assert_int_eq(ss_clock_left(INT64_MAX, 5), -1);
    ck_assert_int_eq(ss_clock_left(5, 5), 0);
    ck_assert_int_eq(ss_clock_left(4, 5), 0);
    ck_assert_int_eq(ss_clock_left(8, 5), 3);
    ck_assert_int_eq(ss_clock_left(INT64_MAX - 1, 5), INT_MAX);
}
END_TEST

START_TEST(two_seeds_differ)
{
    ck_assert_uint_ne(ss_entropy(), ss_entropy());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("app");
    TCase *tcase = tcase_create("app");
    tcase_add_test(tcase, a_plain_line_has_time_level_and_text);
    tcase_add_test(tcase, what_is_less_grave_than_asked_for_is_not_said);
    tcase_add_test(tcase, a_text_cannot_forge_a_second_line);
    tcase_add_test(tcase, a_json_line_is_json_whatever_the_text_is);
    tcase_add_test(tcase, a_line_says_which_process_of_a_family_speaks);
    tcase_add_test(tcase, a_json_line_says_what_it_is_about);
    tcase_add_test(tcase, lines_carry_the_epoch_of_the_process_once_it_has_one);
    tcase_add_test(tcase, a_long_line_is_cut_and_says_so);
    tcase_add_test(tcase, a_signal_is_a_byte_to_poll_for);
    tcase_add_test(tcase, closing_restores_what_was_before);
    tcase_add_test(tcase, time_goes_on);
    tcase_add_test(tcase, what_is_left_is_what_poll_takes);
    tcase_add_test(tcase, two_seeds_differ);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
