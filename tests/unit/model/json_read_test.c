#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/model/limits.h"
#include "common/model/value.h"
#include "tests/suite.h"

// A copy of just this size: a read behind its end is seen by tools.
static bool check(const char *text, size_t size)
{
    char *copy = ss_alloc(size);
    if (size > 0)
        memcpy(copy, text, size);
    bool is_json = ss_json_check(copy, size);
    ss_free(copy);
    return is_json;
}

static bool parses(const char *text, size_t size)
{
    json_t *json = NULL;
    bool is_json = ss_json_parse(text, size, &json, NULL) == SS_OK;
    json_decref(json);
    return is_json;
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *const good[] = {"null", "true", "false", "0", "-0", "7",
    "-12", "123456789012345678", "1.5", "-0.25", "\"\"", "\"a b\"", "[]", "{}",
    " [ ] ", "\t{\r\n}", "[1]", "[1,2]", "[ 1 , [2,[3]] ,{} ]", "{\"a\":1}",
    "{ \"a\" : { \"b\" : [ ] } , \"c\" : null }",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\"\x7f\"", "[[],[],{}]",
    "[{\"a\":[]},{\"a\":{}}]"};

static const char *const bad[] = {"", " ", "nul", "nulll", "truefalse", "tru",
    "-", "01", "-01", "1.", ".5", "1.e5", "+1", "1a", "0x1", "\"", "\"\\",
    "\"a", "\"\n\"", "\"\x1f\"", "\"\\x\"", "\"\xff\"", "\"\xc0\x80\"",
    "\"\xed\xa0\x80\"", "\"\xe2\x82\"", "\"\xf4\x90\x80\x80\"", "[", "]", "{",
    "}", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"", "{\"a\":", "{\"a\":1",
    "{\"a\":1,", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{1:1}", "{\"a\":1]",
    "[1}", "1 2", "[] []", "{}x", "\"a\"\"b\"", ":", ",", "[\"a\":1]",
    "{\"a\",1}"};

// Read by jansson, inside of what is read here or alone.
static const char *const rare[] = {"1e5", "1E-5", "1.5e300", "-1e0",
    "9223372036854775807", "-9223372036854775808", "0.1234567890123456",
    "[1.5e3,{\"a\":-2E+2}]", "123456789.123456789"};

// What a string holds, and how it may be written.
static const struct {
    const char *text, *meant;
} escapes[] = {{"\"\\u00e9\"", "\xc3\xa9"}, {"\"\\u20AC\"", "\xe2\x82\xac"},
    {"\"a\\ud83d\\ude00b\"", "a\xf0\x9f\x98\x80"
                             "b"},
    {"\"\\u0041\"", "A"},
    {"\"\\u007f\\u0080\\u07ff\\u0800\\uffff\"",
        "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
    {"\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf"},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
    {"\"a long text that holds no escape for many bytes\\nand then one\"",
        "a long text that holds no escape for many bytes\nand then one"}};

START_TEST(json_is_told_as_such)
{
    for (size_t i = 0; i < COUNT(good); i++) {
        ck_assert_msg(check(good[i], strlen(good[i])), "%s", good[i]);
        ck_assert_msg(parses(good[i], strlen(good[i])), "%s", good[i]);
    }
}
END_TEST

START_TEST(what_is_none_is_told_as_such)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        ck_assert_msg(!check(bad[i], strlen(bad[i])), "%s", bad[i]);
        ck_assert_msg(!parses(bad[i], strlen(bad[i])), "%s", bad[i]);
    }
    ck_assert(!check("\"\0\"", 3));
    ck_assert(!check("\"\\\0\"", 4));
}
END_TEST

START_TEST(no_text_is_no_json)
{
    ck_assert(!ss_json_check(NULL, 0));
    ck_assert(!parses(NULL, 0));
}
END_TEST

static bool by_jansson(const char *text, size_t size, json_t **ret_json)
{
    *ret_json = json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    return *ret_json != NULL;
}

// The same tree, its keys in the same order, its numbers bit for bit.
static void expect_as_jansson(const char *text, size_t size)
{
    enum { HOW = JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17) };
    json_t *ours = NULL, *theirs = NULL;
    char *copy = ss_alloc(size + 1);
    memcpy(copy, text, size);
    bool is_json = ss_json_parse(copy, size, &ours, NULL) == SS_OK;
    ck_assert_msg(
        is_json == by_jansson(text, size, &theirs), "%.*s", (int)size, text);
    ck_assert(is_json == (ours != NULL));
    if (is_json) {
        char *a = json_dumps(ours, HOW), *b = json_dumps(theirs, HOW);
        ck_assert_str_eq(a, b);
        ss_free(a);
        ss_free(b);
    }
    json_decref(ours);
    json_decref(theirs);
    ss_free(copy);
}

START_TEST(what_is_rare_is_read_too)
{
    for (size_t i = 0; i < COUNT(rare); i++) {
        ck_assert_msg(check(rare[i], strlen(rare[i])), "%s", rare[i]);
        expect_as_jansson(rare[i], strlen(rare[i]));
    }
    static const char *const over[] = {"9223372036854775808", "1e999",
        "[1e999]", "\"\\ud83d\"", "\"\\ud83dx\"", "\"\\ud83d\\u0041\"",
        "\"\\ude00\"", "\"\\u00\"", "\"\\u00g0\"", "\"\\u00\x10\x11\"",
        "{\"\\u0000\":1}", "1e", "1e+", "1.5e", "[1-2]"};
    for (size_t i = 0; i < COUNT(over); i++) {
        ck_assert_msg(!check(over[i], strlen(over[i])), "%s", over[i]);
        expect_as_jansson(over[i], strlen(over[i]));
    }
}
END_TEST

START_TEST(escapes_are_what_they_stand_for)
{
    for (size_t i = 0; i < COUNT(escapes); i++) {
        const char *text = escapes[i].text;
        json_t *json = NULL;
        ck_assert_msg(check(text, strlen(text)), "%s", text);
        ck_assert_int_eq(ss_json_parse(text, strlen(text), &json, NULL), SS_OK);
        ck_assert_str_eq(json_string_value(json), escapes[i].meant);
        json_decref(json);
        expect_as_jansson(text, strlen(text));
    }
    // Left to jansson, which knows what is to be done with it.
    ck_assert(!check("\"\\u0000\"", 8));
    expect_as_jansson("\"\\u0000\"", 8);
}
END_TEST

// The last one counts, and stands where the first one did.
START_TEST(a_key_that_stands_twice_is_read_as_jansson_does)
{
    static const char text[] = "{\"a\":1,\"b\":{\"c\":[]},\"a\":\"x\"}";
    expect_as_jansson(text, sizeof(text) - 1);
}
END_TEST

START_TEST(keys_may_be_long)
{
    enum { SIZE = 300 };
    for (int size = 0; size < SIZE; size++) {
        char text[SIZE + 16];
        int length =
            snprintf(text, sizeof(text), "{\"%0*d\\n\":true}", size + 1, 7);
        ck_assert(check(text, (size_t)length));
        expect_as_jansson(text, (size_t)length);
    }
}
END_TEST

START_TEST(depth_ends_where_the_parsers_does)
{
    static const char *const opens[] = {"[", "{\"a\":"};
    static const char *const closes[] = {"]", "}"};
    for (int kind = 0; kind < 2; kind++)
        for (int more = 0; more < 2; more++) {
            int depth = SS_VALUE_DEPTH_MAX + more;
            struct ss_buf buf;
            ss_buf_init(&buf, (size_t)8 * SS_VALUE_DEPTH_MAX);
            for (int i = 0; i < depth; i++)
                ss_buf_add_str(&buf, opens[kind]);
            ss_buf_add_str(&buf, "1");
            for (int i = 0; i < depth; i++)
                ss_buf_add_str(&buf, closes[kind]);
            ck_assert_int_eq(check(buf.data, buf.size), more == 0);
            ck_assert_int_eq(parses(buf.data, buf.size), more == 0);
            ss_buf_fini(&buf);
        }
}
END_TEST

// Whatever it is, it is read as jansson reads it; a yes is never wrong.
START_TEST(any_text_is_read_as_jansson_reads_it)
{
    static const char alphabet[] =
        "[]{}\",:\\ \n01-.eE9tnulrfas\xc3\xa9/\x80\x01";
    struct ss_prng prng;
    size_t agreed = 0;
    ss_prng_init(&prng, 11);
    for (int round = 0; round < 100000; round++) {
        char text[100];
        size_t which = ss_prng_below(&prng, COUNT(good) + COUNT(escapes));
        const char *seed = which < COUNT(good)
                               ? good[which]
                               : escapes[which - COUNT(good)].text;
        size_t size = strlen(seed);
        memcpy(text, seed, size + 1);
        for (uint64_t i = ss_prng_below(&prng, 4); i > 0 && size > 0; i--)
            text[ss_prng_below(&prng, size)] =
                alphabet[ss_prng_below(&prng, sizeof(alphabet) - 1)];
        bool is_json = check(text, size);
        agreed += is_json;
        if (is_json)
            ck_assert_msg(parses(text, size), "%.*s", (int)size, text);
        expect_as_jansson(text, size);
    }
    ck_assert_uint_gt(agreed, 5000);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("json_read");
    TCase *tcase = tcase_create("json_read");
    tcase_add_test(tcase, json_is_told_as_such);
    tcase_add_test(tcase, what_is_none_is_told_as_such);
    tcase_add_test(tcase, no_text_is_no_json);
    tcase_add_test(tcase, what_is_rare_is_read_too);
    tcase_add_test(tcase, escapes_are_what_they_stand_for);
    tcase_add_test(tcase, a_key_that_stands_twice_is_read_as_jansson_does);
    tcase_add_test(tcase, keys_may_be_long);
    tcase_add_test(tcase, depth_ends_where_the_parsers_does);
    tcase_add_test(tcase, any_text_is_read_as_jansson_reads_it);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
