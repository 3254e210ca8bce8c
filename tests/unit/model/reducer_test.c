// add, or, max, min, append as Python has them.
#include "common/model/reducer.h"

#include "tests/unit/model/help.h"

static int reduce(const char *reducer, const char *left, const char *right,
    json_t **ret_json, struct ss_error *error)
{
    json_t *a = js(left), *b = js(right);
    char *before_a = ss_json_text(a), *before_b = ss_json_text(b);
    int status =
        ss_reduce(ss_reducer_by_name(reducer), a, b, "t|k", 0, ret_json, error);
    // Neither side is ever modified.
    char *after_a = ss_json_text(a), *after_b = ss_json_text(b);
    ck_assert_str_eq(before_a, after_a);
    ck_assert_str_eq(before_b, after_b);
    ss_free(before_a);
    ss_free(before_b);
    ss_free(after_a);
    ss_free(after_b);
    json_decref(a);
    json_decref(b);
    return status;
}

static void expect(const char *reducer, const char *left, const char *right,
    const char *expected)
{
    json_t *result;
    struct ss_error error;
    int status = reduce(reducer, left, right, &result, &error);
    if (status != SS_OK)
        ck_abort_msg("%s", error.message);
    expect_json(result, expected);
}

static void refuse(
    const char *reducer, const char *left, const char *right, const char *words)
{
    json_t *result = NULL;
    struct ss_error error;
    ck_assert_int_eq(reduce(reducer, left, right, &result, &error), SS_EINVAL);
    ck_assert_ptr_null(result);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" lacks \"%s\"", error.message, words);
}

START_TEST(add_adds_numbers)
{
    expect("add", "1", "2", "3");
    expect("add", "1", "2.5", "3.5");
    expect("add", "0.25", "1", "1.25");
    expect("add", "1", "1.0", "2.0");
    expect("add", "true", "true", "2");
    expect("add", "false", "0", "0");
    expect("add", "true", "0.5", "1.5");
    expect("add", "9223372036854775806", "1", "9223372036854775807");
    expect("add", "9223372036854775807", "1.0", "9223372036854775808.0");
}
END_TEST

START_TEST(add_refuses_what_does_not_fit)
{
    refuse("add", "9223372036854775807", "1", "64 bits");
    refuse("add", "-9223372036854775808", "-1", "64 bits");
    refuse("add", "1.7e308", "1.7e308", "not a number");
}
END_TEST

START_TEST(add_concatenates_texts_and_lists)
{
    expect("add", "'a'", "'b'", "'ab'");
    expect("add", "''", "''", "''");
    expect("add", "'a\\u0000b'", "'c'", "'a\\u0000bc'");
    expect("add", "[1]", "[2, [3]]", "[1, 2, [3]]");
    expect("add", "[]", "[]", "[]");
}
END_TEST

START_TEST(add_refuses_other_mixes)
{
    refuse("add", "1", "'a'", "cannot add a number and a text");
    refuse("add", "'a'", "1", "cannot add a text and a number");
    refuse("add", "[1]", "1", "cannot add a list and a number");
    refuse("add", "{}", "{}", "cannot add a map and a map");
    refuse("add", "null", "1", "cannot add null and a number");
    refuse("add", "[]", "null", "cannot add a list and null");
    refuse("add", "true", "'x'", "cannot add a truth value and a text");
}
END_TEST

START_TEST(or_merges_maps_one_level_deep)
{
    expect("or", "{'a': {'x': 1}, 'b': 1}", "{'a': {'y': 2}, 'c': 3}",
        "{'a': {'y': 2}, 'b': 1, 'c': 3}");
    expect("or", "{}", "{}", "{}");
}
END_TEST

START_TEST(or_keeps_the_order_of_keys)
{
    json_t *result;
    ck_assert_int_eq(
        reduce("or", "{'b': 1, 'a': 1}", "{'c': 1, 'b': 2}", &result, NULL),
        SS_OK);
    char *text = ss_json_text(result);
    ck_assert_str_eq(text, "{\"b\":2,\"a\":1,\"c\":1}");
    ss_free(text);
    json_decref(result);
}
END_TEST

START_TEST(or_joins_bits_and_truth)
{
    expect("or", "5", "2", "7");
    expect("or", "true", "false", "true");
    expect("or", "false", "false", "false");
    expect("or", "true", "2", "3");
    refuse("or", "1.5", "1", "a number");
    refuse("or", "[]", "[]", "a list");
    refuse("or", "'a'", "'b'", "a text");
    refuse("or", "{}", "null", "null");
}
END_TEST

START_TEST(max_and_min_keep_one_of_the_two)
{
    expect("max", "1", "2", "2");
    expect("max", "3", "2", "3");
    expect("min", "3", "2", "2");
    expect("min", "1", "2", "1");
    expect("max", "'apple'", "'pear'", "'pear'");
    expect("min", "'apple'", "''", "''");
    expect("max", "[1, 2]", "[1, 3]", "[1, 3]");
    expect("min", "[1, 2]", "[1]", "[1]");
}
END_TEST

START_TEST(of_equals_the_left_one_stays)
{
    expect("max", "1", "1.0", "1");
    expect("max", "1.0", "1", "1.0");
    expect("min", "true", "1", "true");
    expect("min", "[1.0]", "[1]", "[1.0]");
}
END_TEST

START_TEST(what_has_no_order_is_refused)
{
    refuse("max", "1", "'a'", "cannot compare a number and a text");
    refuse("min", "{}", "{}", "cannot compare a map and a map");
    refuse("max", "null", "1", "cannot compare null");
    refuse("max", "[1, {}]", "[1, {'a': 1}]", "cannot compare");
    expect("max", "[{}, 2]", "[{}, 1]", "[{}, 2]");
}
END_TEST

START_TEST(append_adds_one_item_whatever_it_is)
{
    expect("append", "[]", "1", "[1]");
    expect("append", "[1]", "[2]", "[1, [2]]");
    expect("append", "[1]", "null", "[1, null]");
    refuse("append", "1", "2", "only to a list");
}
END_TEST

START_TEST(without_a_reducer_the_right_one_counts)
{
    json_t *left = js("1"), *right = js("2"), *result;
    ck_assert_int_eq(
        ss_reduce(SS_REDUCER_NONE, left, right, NULL, 0, &result, NULL), SS_OK);
    expect_json(result, "2");
    json_decref(left);
    json_decref(right);
}
END_TEST

START_TEST(reducers_are_known_by_name)
{
    ck_assert_int_eq(ss_reducer_by_name("add"), SS_REDUCER_ADD);
    ck_assert_int_eq(ss_reducer_by_name("or"), SS_REDUCER_OR);
    ck_assert_int_eq(ss_reducer_by_name("max"), SS_REDUCER_MAX);
    ck_assert_int_eq(ss_reducer_by_name("min"), SS_REDUCER_MIN);
    ck_assert_int_eq(ss_reducer_by_name("append"), SS_REDUCER_APPEND);
    ck_assert_int_eq(
        ss_reducer_by_name("add_messages"), SS_REDUCER_ADD_MESSAGES);
    ck_assert_int_eq(ss_reducer_by_name("custom"), SS_REDUCER_CUSTOM);
    ck_assert_int_eq(ss_reducer_by_name("sum"), SS_REDUCER_NONE);
}
END_TEST

START_TEST(types_have_their_zero)
{
    expect_json(ss_zero(SS_TYPE_INT), "0");
    expect_json(ss_zero(SS_TYPE_FLOAT), "0.0");
    expect_json(ss_zero(SS_TYPE_STR), "''");
    expect_json(ss_zero(SS_TYPE_LIST), "[]");
    expect_json(ss_zero(SS_TYPE_DICT), "{}");
    expect_json(ss_zero(SS_TYPE_BOOL), "false");
    ck_assert_ptr_null(ss_zero(SS_TYPE_ANY));
}
END_TEST

RUN("reducer", add_adds_numbers, add_refuses_what_does_not_fit,
    add_concatenates_texts_and_lists, add_refuses_other_mixes,
    or_merges_maps_one_level_deep, or_keeps_the_order_of_keys,
    or_joins_bits_and_truth, max_and_min_keep_one_of_the_two,
    of_equals_the_left_one_stays, what_has_no_order_is_refused,
    append_adds_one_item_whatever_it_is, without_a_reducer_the_right_one_counts,
    reducers_are_known_by_name, types_have_their_zero)
