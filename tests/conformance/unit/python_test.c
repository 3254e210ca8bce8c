// Values as Python shows, compares and orders them.
#include <check.h>
#include <stdlib.h>

#include "common/model/value.h"
#include "tests/conformance/app/python.h"
#include "tests/suite.h"

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_ptr_nonnull(value);
    return value;
}

static void expect_dumps(const char *given, const char *expected)
{
    json_t *value = parse(given);
    char *text = python_dumps(value);
    ck_assert_str_eq(text, expected);
    free(text);
    json_decref(value);
}

static void expect_str(const char *given, const char *expected)
{
    struct text text = {0};
    json_t *value = parse(given);
    python_str(&text, value);
    ck_assert_str_eq(text.data, expected);
    free(text.data);
    json_decref(value);
}

START_TEST(json_text_has_sorted_keys_and_spaces)
{
    expect_dumps("{\"b\":[1,2.5,null],\"a\":{\"y\":true,\"x\":false}}",
        "{\"a\": {\"x\": false, \"y\": true}, \"b\": [1, 2.5, null]}");
    expect_dumps("[]", "[]");
    expect_dumps("{}", "{}");
}
END_TEST

START_TEST(json_text_is_ascii)
{
    expect_dumps("\"\\u00e4\\u20ac \\ud83d\\ude42 \\u0001\\u007f\\n\\\"\\\\/\"",
        "\"\\u00e4\\u20ac \\ud83d\\ude42 \\u0001\x7f\\n\\\"\\\\/\"");
}
END_TEST

START_TEST(floats_are_the_shortest_text_that_reads_back)
{
    expect_dumps("0.1", "0.1");
    expect_dumps("1e-7", "1e-07");
    expect_dumps("0.0001", "0.0001");
    expect_dumps("0.00001", "1e-05");
    expect_dumps("123456789.0625", "123456789.0625");
    expect_dumps("1.5e300", "1.5e+300");
    expect_dumps("1e16", "1e+16");
    expect_dumps("1e15", "1000000000000000.0");
    expect_dumps("-3.0", "-3.0");
    expect_dumps("0.30000000000000004", "0.30000000000000004");
}
END_TEST

START_TEST(text_of_values_is_pythons)
{
    expect_str("\"as it is\"", "as it is");
    expect_str("[1, null, true, \"a\", {\"k\": 1.5}]",
        "[1, None, True, 'a', {'k': 1.5}]");
    expect_str("[\"it's\"]", "[\"it's\"]");
    expect_str("[\"both ' and \\\"\"]", "['both \\' and \"']");
    expect_str("[\"\\n\\u0001\\u00e4\"]", "['\\n\\x01\303\244']");
}
END_TEST

static bool equal(const char *a, const char *b)
{
    json_t *x = parse(a), *y = parse(b);
    bool result = python_equal(x, y);
    json_decref(x);
    json_decref(y);
    return result;
}

START_TEST(numbers_and_booleans_are_equal_by_value)
{
    ck_assert(equal("1", "1.0"));
    ck_assert(equal("true", "1"));
    ck_assert(equal("[1, {\"a\": 2.0}]", "[true, {\"a\": 2}]"));
    ck_assert(!equal("0", "null"));
    ck_assert(!equal("\"1\"", "1"));
    ck_assert(!equal("{\"a\": 1}", "{\"b\": 1}"));
    ck_assert(!equal("[1]", "[1, 2]"));
}
END_TEST

static int order(const char *a, const char *b)
{
    json_t *x = parse(a), *y = parse(b);
    int result = 0;
    if (!python_compare(x, y, &result))
        result = 99;
    json_decref(x);
    json_decref(y);
    return result;
}

START_TEST(what_python_orders_is_ordered_and_nothing_else)
{
    ck_assert_int_eq(order("1", "1.5"), -1);
    ck_assert_int_eq(order("true", "0"), 1);
    ck_assert_int_eq(order("\"Z\"", "\"a\""), -1);
    ck_assert_int_eq(order("[1, 2]", "[1, 3]"), -1);
    ck_assert_int_eq(order("[1, 2]", "[1]"), 1);
    ck_assert_int_eq(order("[]", "[]"), 0);
    ck_assert_int_eq(order("1", "\"1\""), 99);
    ck_assert_int_eq(order("{}", "{}"), 99);
    ck_assert_int_eq(order("null", "1"), 99);
}
END_TEST

START_TEST(empty_and_zero_are_false)
{
    static const char *const no[] = {
        "null", "false", "0", "0.0", "\"\"", "[]", "{}"};
    static const char *const yes[] = {
        "true", "-1", "0.1", "\"0\"", "[0]", "{\"a\": 0}"};
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++) {
        json_t *value = parse(no[i]);
        ck_assert(!python_true(value));
        json_decref(value);
    }
    for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
        json_t *value = parse(yes[i]);
        ck_assert(python_true(value));
        json_decref(value);
    }
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("python");
    TCase *all = tcase_create("all");
    tcase_add_test(all, json_text_has_sorted_keys_and_spaces);
    tcase_add_test(all, json_text_is_ascii);
    tcase_add_test(all, floats_are_the_shortest_text_that_reads_back);
    tcase_add_test(all, text_of_values_is_pythons);
    tcase_add_test(all, numbers_and_booleans_are_equal_by_value);
    tcase_add_test(all, what_python_orders_is_ordered_and_nothing_else);
    tcase_add_test(all, empty_and_zero_are_false);
    suite_add_tcase(suite, all);
    return suite_main(suite);
}
