#include "common/model/compare.h"

#include "tests/unit/model/help.h"

static void expect_order(const char *a, const char *b, int expected)
{
    json_t *x = js(a), *y = js(b);
    int order;
    ck_assert_msg(ss_compare(x, y, &order), "%s %s", a, b);
    ck_assert_msg((order > 0) - (order < 0) == expected, "%s %s", a, b);
    ck_assert(ss_compare(y, x, &order));
    ck_assert_msg((order > 0) - (order < 0) == -expected, "%s %s", b, a);
    ck_assert_int_eq(ss_same(x, y), expected == 0);
    json_decref(x);
    json_decref(y);
}

static void expect_none(const char *a, const char *b)
{
    json_t *x = js(a), *y = js(b);
    int order;
    ck_assert_msg(!ss_compare(x, y, &order), "%s %s", a, b);
    ck_assert_msg(!ss_compare(y, x, &order), "%s %s", b, a);
    json_decref(x);
    json_decref(y);
}

static void expect_same(const char *a, const char *b, bool expected)
{
    json_t *x = js(a), *y = js(b);
    ck_assert_msg(ss_same(x, y) == expected, "%s %s", a, b);
    ck_assert_msg(ss_same(y, x) == expected, "%s %s", b, a);
    json_decref(x);
    json_decref(y);
}

START_TEST(numbers_compare_exactly)
{
    expect_order("1", "2", -1);
    expect_order("2", "2", 0);
    expect_order("1", "1.5", -1);
    expect_order("-1", "-1.5", 1);
    expect_order("-1", "-0.5", -1);
    expect_order("2", "2.0", 0);
    expect_order("0.5", "0.25", 1);
    expect_order("true", "1", 0);
    expect_order("false", "0.0", 0);
    expect_order("true", "2", -1);
    // A double of this size has no ones.
    expect_order("9007199254740993", "9007199254740992.0", 1);
    expect_order("9223372036854775807", "9223372036854775808.0", -1);
    expect_order("-9223372036854775808", "-9223372036854775808.0", 0);
    expect_order("-9223372036854775808", "-1e300", 1);
}
END_TEST

START_TEST(texts_compare_by_code_point)
{
    expect_order("'a'", "'b'", -1);
    expect_order("'a'", "'ab'", -1);
    expect_order("'B'", "'_'", -1);
    expect_order("'a10'", "'a2'", -1);
    expect_order("'z'", "'ü'", -1);
    expect_order("'\\uffff'", "'\\ud83d\\ude00'", -1);
    expect_order("'a\\u0000'", "'a\\u0000'", 0);
    expect_order("''", "''", 0);
}
END_TEST

START_TEST(lists_compare_at_their_first_difference)
{
    expect_order("[1, 2]", "[1, 3]", -1);
    expect_order("[1]", "[1, 0]", -1);
    expect_order("[2]", "[1, 9]", 1);
    expect_order("[]", "[]", 0);
    expect_order("[1, 'x']", "[1.0, 'x']", 0);
    expect_order("[[1], 2]", "[[1], 1]", 1);
    expect_order("[{}, 1]", "[{}, 2]", -1);
}
END_TEST

START_TEST(unlike_things_have_no_order)
{
    expect_none("1", "'1'");
    expect_none("null", "null");
    expect_none("{}", "{}");
    expect_none("[1]", "1");
    expect_none("[1]", "['a']");
    expect_none("[null, 1]", "[1, 1]");
}
END_TEST

START_TEST(sameness_is_pythons)
{
    expect_same("null", "null", true);
    expect_same("null", "false", false);
    expect_same("0", "false", true);
    expect_same("''", "null", false);
    expect_same("{'a': 1, 'b': [true]}", "{'b': [1], 'a': 1.0}", true);
    expect_same("{'a': 1}", "{'a': 1, 'b': 1}", false);
    expect_same("{'a': 1}", "{'b': 1}", false);
    expect_same("{'a': 1}", "{'a': 2}", false);
    expect_same("[1, 2]", "[1]", false);
    expect_same("[1, 2]", "[1, 3]", false);
    expect_same("[]", "{}", false);
    expect_same("true", "'true'", false);
}
END_TEST

START_TEST(types_have_words)
{
    static const struct {
        const char *json;
        const char *text;
    } cases[] = {{"{}", "a map"}, {"[]", "a list"}, {"''", "a text"},
        {"1", "a number"}, {"1.5", "a number"}, {"true", "a truth value"},
        {"false", "a truth value"}, {"null", "null"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        json_t *json = js(cases[i].json);
        ck_assert_str_eq(ss_type_text(json), cases[i].text);
        json_decref(json);
    }
}
END_TEST

RUN("order", numbers_compare_exactly, texts_compare_by_code_point,
    lists_compare_at_their_first_difference, unlike_things_have_no_order,
    sameness_is_pythons, types_have_words)
