#include "tests/unit/model/help.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/base/prng.h"
#include "common/model/limits.h"

static void expect_text(json_t *json, const char *expected)
{
    char *text = ss_json_text(json);
    ck_assert_str_eq(text, expected);
    ss_free(text);
    json_decref(json);
}

static void expect_malformed(const char *text, const char *words)
{
    json_t *json = NULL;
    struct ss_error error;
    ck_assert_int_eq(
        ss_json_parse(text, strlen(text), &json, &error), SS_EFORMAT);
    ck_assert_ptr_null(json);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
}

START_TEST(no_text_is_refused_wherever_it_stands)
{
    json_t *json = NULL;
    struct ss_error error;
    expect_malformed("", "it is empty");
    ck_assert_int_eq(ss_json_parse(NULL, 0, &json, &error), SS_EFORMAT);
    ck_assert_str_eq(error.message, "JSON is malformed: it is empty");
    struct ss_value *value = ss_value_from_text(NULL, 0);
    ck_assert_int_eq(ss_value_valid(value, NULL), SS_EFORMAT);
    ss_value_unref(value);
}
END_TEST

START_TEST(text_that_is_no_json_is_refused_with_its_place)
{
    expect_malformed(" ", "line 1");
    expect_malformed("{", "line 1");
    expect_malformed("[1,\n 2,\n x]", "line 3");
    expect_malformed("[1] 2", "line 1");
    expect_malformed("{\"a\" 1}", "line 1");
    expect_malformed("01", "line 1");
    expect_malformed("NaN", "line 1");
    expect_malformed("\"\xff\"", "decode byte 0xff");
    expect_malformed("\"\\ud800\"", "line 1");
    expect_malformed("[1e999]", "overflow");
    expect_malformed("[99999999999999999999]", "integer");
    expect_malformed("{\"a\\u0000b\": 1}", "line 1");
}
END_TEST

START_TEST(any_json_may_stand_alone)
{
    expect_text(js("5"), "5");
    expect_text(js("'x'"), "\"x\"");
    expect_text(js(" true "), "true");
    expect_text(js("false"), "false");
    expect_text(js("null"), "null");
}
END_TEST

START_TEST(brackets_in_strings_do_not_nest)
{
    char text[2048] = "\"";
    for (int i = 1; i < 1500; i++)
        text[i] = i % 2 ? '[' : '{';
    strcpy(text + 1500, "\\\"[\"");
    json_t *json = NULL;
    ck_assert_int_eq(ss_json_parse(text, strlen(text), &json, NULL), SS_OK);
    json_decref(json);
}
END_TEST

START_TEST(the_depth_of_json_is_bounded)
{
    char text[2 * SS_VALUE_DEPTH_MAX + 3];
    json_t *json = NULL;
    struct ss_error error;
    memset(text, '[', SS_VALUE_DEPTH_MAX + 1);
    memset(text + SS_VALUE_DEPTH_MAX + 1, ']', SS_VALUE_DEPTH_MAX + 1);
    ck_assert_int_eq(
        ss_json_parse(text, 2 * SS_VALUE_DEPTH_MAX + 2, &json, &error),
        SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "deeper"));
    ck_assert_int_eq(
        ss_json_parse(text + 1, 2 * SS_VALUE_DEPTH_MAX, &json, &error), SS_OK);
    json_decref(json);
}
END_TEST

START_TEST(the_size_of_json_is_bounded)
{
    size_t size = SS_VALUE_SIZE_MAX + 1;
    char *text = ss_alloc(size);
    memset(text, ' ', size);
    json_t *json = NULL;
    struct ss_error error;
    ck_assert_int_eq(ss_json_parse(text, size, &json, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "limit"));
    ss_free(text);
}
END_TEST

START_TEST(strings_are_escaped_where_they_must)
{
    expect_text(json_string("a\"b\\c/\n\r\t\x01\x1f\x7fü"),
        "\"a\\\"b\\\\c/\\n\\r\\t\\u0001\\u001f\x7fü\"");
    expect_text(json_stringn("a\0b", 3), "\"a\\u0000b\"");
    expect_text(js("{'a\\nb': ''}"), "{\"a\\nb\":\"\"}");
    expect_text(json_string(""), "\"\"");
}
END_TEST

START_TEST(a_fraction_has_the_shortest_text_that_reads_back)
{
    expect_text(json_real(0.1), "0.1");
    expect_text(json_real(0.1 + 0.2), "0.30000000000000004");
    expect_text(json_real(1.0), "1.0");
    expect_text(json_real(-0.0), "-0.0");
    expect_text(json_real(1e20), "1e+20");
    expect_text(json_real(1e-7), "1e-07");
    expect_text(json_real(123456789.125), "123456789.125");
    expect_text(json_real(5e-324), "4.94065645841247e-324");
    expect_text(json_real(1.7976931348623157e308), "1.7976931348623157e+308");
}
END_TEST

START_TEST(every_fraction_reads_back_as_itself)
{
    struct ss_prng prng;
    ss_prng_init(&prng, 7);
    for (int i = 0; i < 20000; i++) {
        double number =
            (ss_prng_unit(&prng) - 0.5) * (double)(1ull << (i % 60));
        json_t *json = json_real(number), *again = NULL;
        char *text = ss_json_text(json);
        ck_assert_int_eq(
            ss_json_parse(text, strlen(text), &again, NULL), SS_OK);
        double is = json_real_value(again);
        ck_assert_mem_eq(&is, &number, sizeof(is));
        ss_free(text);
        json_decref(json);
        json_decref(again);
    }
}
END_TEST

START_TEST(whole_numbers_reach_over_64_bits)
{
    expect_text(json_integer(INT64_MAX), "9223372036854775807");
    expect_text(json_integer(INT64_MIN), "-9223372036854775808");
    expect_text(js("0"), "0");
}
END_TEST

START_TEST(keys_keep_their_order_but_in_canonical_text)
{
    json_t *json = js("{'b': {'z': 1, 'y': [{'q': 1, 'p': 2}]}, 'a': {}}");
    char *text = ss_json_text(json), *sorted = ss_json_canonical(json);
    ck_assert_str_eq(
        text, "{\"b\":{\"z\":1,\"y\":[{\"q\":1,\"p\":2}]},\"a\":{}}");
    ck_assert_str_eq(
        sorted, "{\"a\":{},\"b\":{\"y\":[{\"p\":2,\"q\":1}],\"z\":1}}");
    ss_free(text);
    ss_free(sorted);
    json_decref(json);
}
END_TEST

START_TEST(members_are_read_with_defaults)
{
    json_t *json = js("{'s': 'x', 'i': 5, 'b': true, 'n': null, 'r': 1.5}");
    ck_assert_str_eq(ss_json_str(json, "s", "-"), "x");
    ck_assert_str_eq(ss_json_str(json, "i", "-"), "-");
    ck_assert_ptr_null(ss_json_str(json, "no", NULL));
    ck_assert_ptr_null(ss_json_str(NULL, "s", NULL));
    ck_assert_int_eq(ss_json_int(json, "i", -1), 5);
    ck_assert_int_eq(ss_json_int(json, "s", -1), -1);
    ck_assert_int_eq(ss_json_int(json, "r", -1), -1);
    ck_assert_int_eq(ss_json_int(json, "no", 7), 7);
    ck_assert(ss_json_bool(json, "b", false));
    ck_assert(ss_json_bool(json, "n", true));
    ck_assert(!ss_json_bool(json, "no", false));
    json_decref(json);
}
END_TEST

START_TEST(truth_is_pythons)
{
    static const char *const false_ones[] = {
        "null", "false", "0", "0.0", "-0.0", "''", "[]", "{}"};
    static const char *const true_ones[] = {
        "true", "1", "-1", "0.1", "' '", "[0]", "{'a': null}"};
    for (size_t i = 0; i < sizeof(false_ones) / sizeof(*false_ones); i++) {
        json_t *json = js(false_ones[i]);
        ck_assert_msg(!ss_json_truthy(json), "%s", false_ones[i]);
        json_decref(json);
    }
    for (size_t i = 0; i < sizeof(true_ones) / sizeof(*true_ones); i++) {
        json_t *json = js(true_ones[i]);
        ck_assert_msg(ss_json_truthy(json), "%s", true_ones[i]);
        json_decref(json);
    }
}
END_TEST

RUN("json", no_text_is_refused_wherever_it_stands,
    text_that_is_no_json_is_refused_with_its_place, any_json_may_stand_alone,
    brackets_in_strings_do_not_nest, the_depth_of_json_is_bounded,
    the_size_of_json_is_bounded, strings_are_escaped_where_they_must,
    a_fraction_has_the_shortest_text_that_reads_back,
    every_fraction_reads_back_as_itself, whole_numbers_reach_over_64_bits,
    keys_keep_their_order_but_in_canonical_text, members_are_read_with_defaults,
    truth_is_pythons)
