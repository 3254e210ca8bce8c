// The lines that show a run's supersteps, fed with events over virtual time.
#include "client/cli/steps.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"

static struct ss_steps *steps;
static struct ss_buf lines;
static int64_t now_us;

static void setup(void)
{
    ss_value_setup();
    ss_buf_init(&lines, 1 << 20);
    now_us = 5000000;
    steps = ss_steps_new(100, now_us);
}

static void teardown(void)
{
    ss_steps_destroy(&steps);
    ss_buf_fini(&lines);
}

static void event(const char *mode, const char *data)
{
    json_t *json = json_object();
    json_object_set_new(json, "mode", json_string(mode));
    json_object_set_new(json, "data", json_loads(data, 0, NULL));
    ss_steps_event(steps, json, now_us, &lines);
    json_decref(json);
}

static void progress(int step, int done, int tasks, const char *node)
{
    json_t *json =
        json_pack("{s:s, s:{s:i, s:i, s:i, s:s?}}", "mode", "progress", "data",
            "step", step, "tasks", tasks, "done", done, "node", node);
    ss_steps_event(steps, json, now_us, &lines);
    json_decref(json);
}

static void event_of_inner(int step, int done, int tasks, const char *node)
{
    json_t *json = json_pack("{s:s, s:{s:i, s:i, s:i, s:s, s:b}}", "mode",
        "progress", "data", "step", step, "tasks", tasks, "done", done, "node",
        node, "inner", 1);
    ss_steps_event(steps, json, now_us, &lines);
    json_decref(json);
}

static const char *live(void)
{
    ss_buf_reset(&lines);
    ss_steps_live(steps, now_us, &lines);
    return ss_buf_str(&lines);
}

#define UPDATES(node, value) event("updates", "{\"" node "\":" value "}")

START_TEST(a_superstep_is_a_line_when_the_next_one_begins)
{
    now_us += 400;
    progress(0, 1, 1, "__start__");
    progress(1, 0, 1, NULL);
    ck_assert_str_eq(ss_buf_str(&lines), "");
    now_us += 600;
    progress(1, 1, 1, "greet");
    ck_assert_str_eq(ss_buf_str(&lines),
        "step 0  __start__                                                     "
        "             0.4 ms\n");
    ss_buf_reset(&lines);
    // Its update comes when it is durable, after the next one has begun.
    progress(2, 0, 1, NULL);
    ck_assert_str_eq(ss_buf_str(&lines), "");
    UPDATES("greet", "{\"log\":[\"hello Ada\"]}");
    ck_assert_str_eq(ss_buf_str(&lines),
        "step 1  greet      {\"log\": [\"hello Ada\"]}                         "
        "                 0.6 ms\n");
    ss_buf_reset(&lines);
    progress(2, 1, 1, "shout");
    UPDATES("shout", "7");
    ss_steps_end(steps, now_us, &lines);
    ck_assert_str_eq(ss_buf_str(&lines),
        "step 2  shout      7                                                  "
        "             0.0 ms\n");
}
END_TEST

START_TEST(updates_of_parallel_tasks_are_waited_for)
{
    progress(1, 0, 2, NULL);
    progress(1, 1, 2, "a");
    progress(1, 2, 2, "b");
    progress(2, 0, 1, NULL);
    UPDATES("a", "1");
    ck_assert_str_eq(ss_buf_str(&lines), "");
    UPDATES("b", "2");
    ck_assert_ptr_nonnull(
        strstr(ss_buf_str(&lines), "step 1  a, b      2 tasks "));
    ss_buf_reset(&lines);
    progress(2, 1, 1, "c");
    ck_assert_str_eq(ss_buf_str(&lines), "");
}
END_TEST

START_TEST(a_task_that_asks_shows_its_question)
{
    progress(1, 0, 1, NULL);
    progress(1, 1, 1, "review");
    event("updates", "{\"__interrupt__\":[{\"value\":\"Publish?\"}]}");
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_nonnull(
        strstr(ss_buf_str(&lines), "step 1  review    asks \"Publish?\" "));
}
END_TEST

START_TEST(a_fan_out_shows_how_many)
{
    progress(3, 0, 12, NULL);
    for (int i = 1; i <= 12; i++) {
        progress(3, i, 12, "measure");
        UPDATES("measure", "null");
    }
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_nonnull(strstr(ss_buf_str(&lines), "step 3  measure \xc3\x97"
                                                     "12  12 tasks "));
}
END_TEST

START_TEST(several_nodes_are_named)
{
    static const char *const nodes[] = {"a", "b", "c", "d", "e", "f"};
    progress(1, 0, 6, NULL);
    for (int i = 0; i < 6; i++)
        progress(1, i + 1, 6, nodes[i]);
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_nonnull(
        strstr(ss_buf_str(&lines), "step 1  a, b, c, d, 2 more  6 tasks "));
}
END_TEST

START_TEST(a_superstep_that_did_not_end_says_how_far_it_came)
{
    progress(1, 0, 3, NULL);
    progress(1, 1, 3, "a");
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_nonnull(
        strstr(ss_buf_str(&lines), "step 1  a         1 of 3 tasks "));
}
END_TEST

START_TEST(a_long_update_is_cut)
{
    char value[300];
    char letters[290];
    memset(letters, 'x', sizeof(letters));
    (void)snprintf(value, sizeof(value), "{\"n\":\"%.*s\"}",
        (int)sizeof(letters), letters);
    progress(1, 0, 1, NULL);
    event("updates", value);
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_nonnull(strstr(ss_buf_str(&lines), "\xe2\x80\xa6"));
    ck_assert_uint_lt(strlen(ss_buf_str(&lines)), 110);
}
END_TEST

START_TEST(updates_of_inner_graphs_are_left_out)
{
    progress(1, 0, 1, NULL);
    json_t *inner = json_pack("{s:s, s:[s], s:{s:i}}", "mode", "updates", "ns",
        "sub:1", "data", "inner", 7);
    ss_steps_event(steps, inner, now_us, &lines);
    json_decref(inner);
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_null(strstr(ss_buf_str(&lines), "7"));
}
END_TEST

START_TEST(other_events_are_no_lines)
{
    event("values", "{\"a\":1}");
    event("custom", "{}");
    ss_steps_end(steps, now_us, &lines);
    ck_assert_str_eq(ss_buf_str(&lines), "");
}
END_TEST

START_TEST(nothing_moves_while_a_superstep_has_hardly_begun)
{
    ck_assert_str_eq(live(), "");
    progress(3, 0, 1400, NULL);
    now_us += 100000;
    ck_assert_str_eq(live(), "");
}
END_TEST

START_TEST(a_long_superstep_shows_how_far_it_is)
{
    progress(3, 0, 1400, NULL);
    progress(3, 700, 1400, "measure");
    now_us += 9000000;
    ck_assert_str_eq(live(),
        "step 3  measure   700/1,400  "
        "\xe2\x96\x87\xe2\x96\x87\xe2\x96\x87\xe2\x96\x87\xe2\x96\x87"
        "\xe2\x96\x87\xe2\x96\x81\xe2\x96\x81\xe2\x96\x81\xe2\x96\x81"
        "\xe2\x96\x81\xe2\x96\x81  50 %  eta 9.0 s");
}
END_TEST

// Each page is a graph with tasks of its own.
START_TEST(a_fan_out_is_told_in_its_own_tasks)
{
    progress(1, 0, 3000, NULL);
    event_of_inner(1, 1, 3003, "fetch");
    progress(1, 2, 3003, "page");
    event_of_inner(1, 3, 3004, "fetch");
    now_us += 3000000;
    ck_assert_ptr_eq(strstr(live(), "step 1  page      1/3,000  "), live());
    progress(2, 0, 1, NULL);
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_nonnull(strstr(ss_buf_str(&lines), "1 of 3000 tasks"));
    ck_assert_ptr_null(strstr(ss_buf_str(&lines), "fetch"));
}
END_TEST

START_TEST(one_long_task_shows_how_long_it_takes)
{
    progress(3, 0, 1, NULL);
    now_us += 2000000;
    ck_assert_str_eq(live(), "step 3            0/1 tasks  2.0 s");
    ss_steps_end(steps, now_us, &lines);
    ck_assert_str_eq(live(), "");
}
END_TEST

START_TEST(names_with_control_characters_do_no_harm)
{
    progress(1, 0, 1, NULL);
    progress(1, 1, 1, "a\x1b[2J");
    ss_steps_end(steps, now_us, &lines);
    ck_assert_ptr_null(strchr(ss_buf_str(&lines), '\x1b'));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("steps");
    TCase *tcase = tcase_create("steps");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_superstep_is_a_line_when_the_next_one_begins);
    tcase_add_test(tcase, updates_of_parallel_tasks_are_waited_for);
    tcase_add_test(tcase, a_task_that_asks_shows_its_question);
    tcase_add_test(tcase, a_fan_out_shows_how_many);
    tcase_add_test(tcase, several_nodes_are_named);
    tcase_add_test(tcase, a_superstep_that_did_not_end_says_how_far_it_came);
    tcase_add_test(tcase, a_long_update_is_cut);
    tcase_add_test(tcase, updates_of_inner_graphs_are_left_out);
    tcase_add_test(tcase, other_events_are_no_lines);
    tcase_add_test(tcase, nothing_moves_while_a_superstep_has_hardly_begun);
    tcase_add_test(tcase, a_long_superstep_shows_how_far_it_is);
    tcase_add_test(tcase, a_fan_out_is_told_in_its_own_tasks);
    tcase_add_test(tcase, one_long_task_shows_how_long_it_takes);
    tcase_add_test(tcase, names_with_control_characters_do_no_harm);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
