// What makes answers comparable: names, order, numbers, and the comparison.
#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/conformance/app/counters.h"
#include "tests/conformance/app/python.h"
#include "tests/conformance/compare.h"
#include "tests/conformance/folder.h"
#include "tests/conformance/names.h"
#include "tests/conformance/order.h"
#include "tests/conformance/shape.h"
#include "tests/suite.h"

#define MADE_UP_A "aaaaaaaa-0000-4000-8000-000000000001"
#define MADE_UP_B "bbbbbbbb-0000-4000-8000-000000000002"

// Takes `value`.
static void expect(json_t *value, const char *expected)
{
    char *text = python_dumps(value);
    ck_assert_str_eq(text, expected);
    free(text);
    json_decref(value);
}

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(value, "%s", text);
    return value;
}

START_TEST(events_between_two_ends_of_a_step_have_no_order)
{
    json_t *events =
        parse("[[\"updates\", \"\", 2], [\"updates\", \"in\", 1],"
              " [\"updates\", \"\", 1], [\"values\", \"\", {\"x\": 1}],"
              " [\"values\", \"\", {\"__interrupt__\": []}],"
              " [\"updates\", \"\", {\"z\": 1}]]");
    json_t *ordered = order_events(events);
    expect(ordered, "[[\"updates\", \"\", 1], [\"updates\", \"\", 2],"
                    " [\"updates\", \"in\", 1], [\"values\", \"\", {\"x\": 1}],"
                    " [\"updates\", \"\", {\"z\": 1}],"
                    " [\"values\", \"\", {\"__interrupt__\": []}]]");
    json_decref(events);
}
END_TEST

START_TEST(an_inner_graphs_own_steps_keep_their_order)
{
    json_t *events = parse("[[\"values\", \"in\", 2], [\"updates\", \"in\", 9],"
                           " [\"updates\", \"in\", 1], [\"values\", \"in\", 1],"
                           " [\"tasks\", \"\", 0], [\"values\", \"\", {}]]");
    json_t *ordered = order_events(events);
    expect(ordered, "[[\"tasks\", \"\", 0], [\"values\", \"in\", 2],"
                    " [\"updates\", \"in\", 1], [\"updates\", \"in\", 9],"
                    " [\"values\", \"in\", 1], [\"values\", \"\", {}]]");
    json_decref(events);
}
END_TEST

START_TEST(made_up_ids_read_alike_when_sorted_and_are_numbered_at_last)
{
    json_t *list =
        parse("[[\"" MADE_UP_B "\", 1], [\"" MADE_UP_A "\", 2], [\"x\", 0]]");
    order_by_text(list);
    json_t *numbered = order_number(list);
    expect(numbered, "[[\"x\", 0], [\"~1\", 1], [\"~2\", 2]]");
    json_decref(list);
    list = parse("[\"in " MADE_UP_A ".\", \"" MADE_UP_A "\","
                 " \"x" MADE_UP_B "\"]");
    numbered = order_number(list);
    expect(numbered, "[\"in ~1.\", \"~1\", \"x" MADE_UP_B "\"]");
    json_decref(list);
}
END_TEST

static void learn(struct names *names, const char *task)
{
    json_t *json = parse(task);
    names_learn_task(names, json);
    json_decref(json);
}

START_TEST(tasks_are_named_by_node_and_place)
{
    struct names names;
    names_init(&names);
    learn(&names,
        "{\"id\": \"1\", \"name\": \"a\", \"path\": \"~__pregel_pull, a\"}");
    learn(&names, "{\"id\": \"2\", \"name\": \"w\", \"path\":"
                  " \"~__pregel_push, 0000000003, 0000000000\"}");
    learn(&names, "{\"id\": \"3\", \"name\": \"w\", \"path\":"
                  " [\"__pregel_push\", 12, false]}");
    static const char *const expected[][2] = {{"1", "a"}, {"2", "w[3]"},
        {"3", "w[12]"}, {"4", "?"}, {SS_NULL_TASK, "-"}};
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        char *name = names_task(&names, expected[i][0]);
        ck_assert_str_eq(name, expected[i][1]);
        ss_free(name);
    }
    char *ns = names_ns(&names, "w:2|x:7|1");
    ck_assert_str_eq(ns, "w[3]|x|1");
    ss_free(ns);
    names_fini(&names);
}
END_TEST

START_TEST(an_interrupt_is_named_by_its_task_and_its_answers)
{
    struct names names;
    char first[SS_HEX128_SIZE], second[SS_HEX128_SIZE];
    names_init(&names);
    learn(&names, "{\"id\": \"7\", \"name\": \"ask\", \"path\": "
                  "\"~__pregel_pull, ask\"}");
    learn(&names, "{\"id\": \"8\", \"name\": \"sub\", \"path\": "
                  "\"~__pregel_pull, sub\"}");
    ss_interrupt_id("sub:8|ask:7", 0, first);
    ss_interrupt_id("sub:8|ask:7", 2, second);
    json_t *asked = json_pack("[{s:s, s:s}, {s:s, s:s}]", "id", second, "value",
        "b", "id", first, "value", "a");
    names_learn_interrupts(&names, "sub:8", "7", asked);
    ck_assert_str_eq(names_interrupt(&names, first), "@sub|ask");
    ck_assert_str_eq(names_interrupt(&names, second), "@sub|ask|2");
    expect(names_scrub(&names, asked),
        "[{\"id\": \"@sub|ask\", \"value\": \"a\"},"
        " {\"id\": \"@sub|ask|2\", \"value\": \"b\"}]");
    json_decref(asked);
    names_fini(&names);
}
END_TEST

START_TEST(sends_of_a_step_are_counted_from_events)
{
    struct names names;
    names_init(&names);
    for (int i = 0; i < 2; i++) {
        json_t *event = json_pack("{s:s, s:i, s:{s:s, s:s, s:[s]}}", "type",
            "task", "step", 3, "payload", "id", i ? "y" : "x", "name", "w",
            "triggers", "__pregel_push");
        names_learn_event(&names, "", event);
        json_decref(event);
    }
    char *name = names_task(&names, "y");
    ck_assert_str_eq(name, "w[1]");
    ss_free(name);
    names_fini(&names);
}
END_TEST

START_TEST(marks_are_shown_as_scenarios_write_them)
{
    json_t *value = parse(
        "[{\"$send\": {\"node\": \"w\", \"arg\": {\"__overwrite__\": 1}}},"
        " {\"value\": 1, \"id\": \"i\", \"response_schema\": null}]");
    expect(shape_plain(value), "[{\"$send\": [\"w\", {\"$overwrite\": 1}]},"
                               " {\"id\": \"i\", \"value\": 1}]");
    json_decref(value);
}
END_TEST

START_TEST(the_first_difference_is_found_with_its_path)
{
    json_t *a = parse("[{\"x\": [1, 2]}, {\"y\": 1}]");
    json_t *b = parse("[{\"x\": [1, 3, 4]}, {\"z\": 1}]");
    struct difference difference;
    ck_assert(!compare(a, a, NULL, &difference));
    ck_assert(compare(a, b, NULL, &difference));
    ck_assert_str_eq(difference.path, "$[0].x[1]");
    ss_free(difference.path);
    json_t *allowed = parse("[\"$[0].x\"]");
    ck_assert(compare(a, b, allowed, &difference));
    ck_assert_str_eq(difference.path, "$[1].y");
    ck_assert_ptr_null(difference.got);
    ss_free(difference.path);
    json_array_append_new(allowed, json_string("$[1]"));
    ck_assert(!compare(a, b, allowed, &difference));
    json_decref(allowed);
    json_decref(a);
    json_decref(b);
}
END_TEST

START_TEST(an_integer_is_no_float_and_no_boolean)
{
    json_t *a = parse("[1]"), *b = parse("[1.0]"), *c = parse("[true]");
    struct difference difference;
    ck_assert(compare(a, b, NULL, &difference));
    ss_free(difference.path);
    ck_assert(compare(a, c, NULL, &difference));
    ss_free(difference.path);
    json_decref(a);
    json_decref(b);
    json_decref(c);
}
END_TEST

START_TEST(counters_lie_in_a_file_that_anybody_may_add_to)
{
    char *folder = folder_new();
    ck_assert_ptr_nonnull(folder);
    char *file = ss_format("%s/c", folder);
    expect(counters_read(file), "{}");
    ck_assert_int_eq(counters_add(file, COUNTER_COUNT, "a\nb"), 0);
    ck_assert_int_eq(counters_add(file, COUNTER_COUNT, "a\nb"), 1);
    ck_assert_int_eq(counters_add(file, COUNTER_FAIL, "a\nb"), 0);
    ck_assert_int_eq(counters_add(file, COUNTER_COUNT, "c"), 0);
    expect(counters_read(file), "{\"a\\nb\": 2, \"c\": 1}");
    folder_remove(folder);
    ck_assert_int_ne(access(folder, F_OK), 0);
    ss_free(file);
    ss_free(folder);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("answers");
    TCase *all = tcase_create("all");
    tcase_add_test(all, events_between_two_ends_of_a_step_have_no_order);
    tcase_add_test(all, an_inner_graphs_own_steps_keep_their_order);
    tcase_add_test(
        all, made_up_ids_read_alike_when_sorted_and_are_numbered_at_last);
    tcase_add_test(all, tasks_are_named_by_node_and_place);
    tcase_add_test(all, an_interrupt_is_named_by_its_task_and_its_answers);
    tcase_add_test(all, sends_of_a_step_are_counted_from_events);
    tcase_add_test(all, marks_are_shown_as_scenarios_write_them);
    tcase_add_test(all, the_first_difference_is_found_with_its_path);
    tcase_add_test(all, an_integer_is_no_float_and_no_boolean);
    tcase_add_test(all, counters_lie_in_a_file_that_anybody_may_add_to);
    suite_add_tcase(suite, all);
    return suite_main(suite);
}
