// Expressions, operator by operator, with what Python gives for each.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/value.h"
#include "tests/conformance/app/expression.h"
#include "tests/conformance/app/python.h"
#include "tests/suite.h"

static const char input_text[] =
    "{\"n\": 3, \"log\": [\"a\", \"b\"], \"deep\": {\"k\": [10, {\"x\": 1}]},"
    " \"empty\": [], \"none\": null}";

// {given expression, expected value or the name of the error}
struct pair {
    const char *given;
    const char *expected;
};

static void check(const struct pair *pair)
{
    json_t *input = json_loads(input_text, 0, NULL);
    json_t *expression = json_loads(pair->given, JSON_DECODE_ANY, NULL);
    ck_assert_msg(expression, "%s", pair->given);
    struct scope scope;
    scope_init(&scope, input);
    json_t *value = expression_value(&scope, expression);
    char *text = value ? python_dumps(value) : NULL;
    ck_assert_msg(!value == !!scope.failed, "%s", pair->given);
    const char *got = text ? text : scope.failed;
    ck_assert_msg(got && strcmp(got, pair->expected) == 0,
        "%s: %s, expected %s", pair->given, got, pair->expected);
    free(text);
    scope_fini(&scope);
    json_decref(value);
    json_decref(expression);
    json_decref(input);
}

#define CHECK_ALL(pairs)                                                       \
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)                \
    check(&(pairs)[i])

START_TEST(json_stands_for_itself)
{
    static const struct pair pairs[] = {
        {"1", "1"},
        {"[1, [null]]", "[1, [null]]"},
        {"{\"a\": {\"$\": \"n\"}, \"$b\": 2}", "{\"$b\": 2, \"a\": 3}"},
        {"{\"$quote\": {\"$\": \"n\"}}", "{\"$\": \"n\"}"},
    };
    CHECK_ALL(pairs);
}
END_TEST

START_TEST(a_path_leads_into_the_input)
{
    static const struct pair pairs[] = {
        {"{\"$\": \"n\"}", "3"},
        {"{\"$\": \"log.1\"}", "\"b\""},
        {"{\"$\": \"log.-1\"}", "\"b\""},
        {"{\"$\": \"deep.k.1.x\"}", "1"},
        {"{\"$\": \"missing\"}", "null"},
        {"{\"$\": \"n.x\"}", "null"},
        {"{\"$\": \"missing.x\"}", "null"},
        {"{\"$\": \"log.7\"}", "IndexError"},
        {"{\"$\": \"log.x\"}", "invalid_argument"},
        {"{\"$has\": \"none\"}", "true"},
        {"{\"$has\": \"no\"}", "false"},
    };
    CHECK_ALL(pairs);
}
END_TEST

START_TEST(plus_adds_numbers_and_concatenates)
{
    static const struct pair pairs[] = {
        {"{\"$add\": [1, 2, 0.5]}", "3.5"},
        {"{\"$add\": [true, 1]}", "2"},
        {"{\"$cat\": [\"a\", \"b\"]}", "\"ab\""},
        {"{\"$cat\": [[1], {\"$\": \"log\"}]}", "[1, \"a\", \"b\"]"},
        {"{\"$cat\": []}", "null"},
        {"{\"$cat\": [null, \"x\"]}", "\"x\""},
        {"{\"$cat\": [\"x\", null]}", "invalid_argument"},
        {"{\"$cat\": [\"x\", 1]}", "invalid_argument"},
    };
    CHECK_ALL(pairs);
}
END_TEST

START_TEST(arithmetic_is_pythons)
{
    static const struct pair pairs[] = {
        {"{\"$sub\": [3, 5]}", "-2"},
        {"{\"$sub\": [0.5, 1]}", "-0.5"},
        {"{\"$mul\": [3, 4]}", "12"},
        {"{\"$mul\": [0.5, 2]}", "1.0"},
        {"{\"$mul\": [\"ab\", 2]}", "\"abab\""},
        {"{\"$mul\": [2, [1]]}", "[1, 1]"},
        {"{\"$mul\": [\"ab\", -1]}", "\"\""},
        {"{\"$sub\": [\"a\", 1]}", "invalid_argument"},
        {"{\"$len\": {\"$\": \"log\"}}", "2"},
        {"{\"$len\": null}", "0"},
        {"{\"$len\": \"\\u00e4b\"}", "2"},
        {"{\"$len\": 5}", "invalid_argument"},
    };
    CHECK_ALL(pairs);
}
END_TEST

START_TEST(conditions_choose)
{
    static const struct pair pairs[] = {
        {"{\"$eq\": [1, 1.0]}", "true"},
        {"{\"$lt\": [\"a\", \"b\"]}", "true"},
        {"{\"$lt\": [1, \"b\"]}", "invalid_argument"},
        {"{\"$not\": []}", "true"},
        {"{\"$if\": [{\"$\": \"empty\"}, 1, 2]}", "2"},
        {"{\"$if\": [1, 1, {\"$lt\": [1, \"b\"]}]}", "1"},
    };
    CHECK_ALL(pairs);
}
END_TEST

START_TEST(lists_are_made_sorted_and_mapped)
{
    static const struct pair pairs[] = {
        {"{\"$range\": 3}", "[0, 1, 2]"},
        {"{\"$range\": -3}", "[]"},
        {"{\"$sort\": [3, 1, 2.5]}", "[1, 2.5, 3]"},
        {"{\"$sort\": [\"b\", 1]}", "invalid_argument"},
        {"{\"$map\": [\"i\", {\"$range\": 2}, {\"$mul\": [{\"$var\": \"i\"}, "
         "10]}]}",
            "[0, 10]"},
        {"{\"$map\": [\"c\", \"ab\", {\"$var\": \"c\"}]}", "[\"a\", \"b\"]"},
        {"{\"$map\": [\"c\", 5, 1]}", "invalid_argument"},
        {"{\"$at\": [[1, 2], -1]}", "2"},
        {"{\"$at\": [{\"k\": 1}, \"x\"]}", "unknown_route"},
        {"{\"$str\": [1, null]}", "\"[1, None]\""},
    };
    CHECK_ALL(pairs);
}
END_TEST

START_TEST(marks_are_made_for_the_engine)
{
    static const struct pair pairs[] = {
        {"{\"$send\": [\"w\", {\"i\": {\"$\": \"n\"}}]}",
            "{\"$send\": {\"arg\": {\"i\": 3}, \"node\": \"w\"}}"},
        {"{\"$overwrite\": [1]}", "{\"__overwrite__\": [1]}"},
        {"{\"$message\": \"hi\"}",
            "{\"content\": \"hi\", \"id\": null, \"type\": \"human\"}"},
        {"{\"$message\": [\"ai\", \"yes\"]}",
            "{\"content\": \"yes\", \"id\": null, \"type\": \"ai\"}"},
        {"{\"$message\": {\"role\": \"assistant\", \"content\": \"c\", \"id\": "
         "\"m\", \"name\": \"\", \"tool_calls\": [{\"name\": \"t\", \"args\": "
         "{}, "
         "\"id\": \"x\"}]}}",
            "{\"content\": \"c\", \"id\": \"m\", \"tool_calls\": [{\"args\": "
            "{}, "
            "\"id\": \"x\", \"name\": \"t\", \"type\": \"tool_call\"}], "
            "\"type\": "
            "\"ai\"}"},
        {"{\"$message\": {\"type\": \"tool\", \"content\": \"c\", "
         "\"tool_call_id\": \"x\", \"status\": \"success\", \"artifact\": "
         "[1]}}",
            "{\"artifact\": [1], \"content\": \"c\", \"id\": null, "
            "\"tool_call_id\": \"x\", \"type\": \"tool\"}"},
        {"{\"$message\": 5}", "invalid_argument"},
    };
    CHECK_ALL(pairs);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("expression");
    TCase *all = tcase_create("all");
    tcase_add_test(all, json_stands_for_itself);
    tcase_add_test(all, a_path_leads_into_the_input);
    tcase_add_test(all, plus_adds_numbers_and_concatenates);
    tcase_add_test(all, arithmetic_is_pythons);
    tcase_add_test(all, conditions_choose);
    tcase_add_test(all, lists_are_made_sorted_and_mapped);
    tcase_add_test(all, marks_are_made_for_the_engine);
    suite_add_tcase(suite, all);
    return suite_main(suite);
}
