#include "common/wire/json_check.h"

#include <check.h>
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

// True where the parser agrees, but left to it.
static const char *const rare[] = {"\"\\u00e9\"", "\"\\ud83d\\ude00\"", "1e5",
    "1E-5", "1.5e300", "9223372036854775807", "-9223372036854775808",
    "\"\\u0000\""};

START_TEST(json_is_told_as_such)
{
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        ck_assert_msg(check(good[i], strlen(good[i])), "%s", good[i]);
        ck_assert_msg(parses(good[i], strlen(good[i])), "%s", good[i]);
    }
}
END_TEST

START_TEST(what_is_none_is_told_as_such)
{
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
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

START_TEST(what_is_rare_is_left_to_the_parser)
{
    for (size_t i = 0; i < sizeof(rare) / sizeof(*rare); i++) {
        ck_assert_msg(!check(rare[i], strlen(rare[i])), "%s", rare[i]);
        ck_assert_msg(parses(rare[i], strlen(rare[i])), "%s", rare[i]);
    }
    static const char *const over[] = {
        "9223372036854775808", "1e999", "\"\\ud83d\"", "{\"\\u0000\":1}"};
    for (size_t i = 0; i < sizeof(over) / sizeof(*over); i++) {
        ck_assert_msg(!check(over[i], strlen(over[i])), "%s", over[i]);
        ck_assert_msg(!parses(over[i], strlen(over[i])), "%s", over[i]);
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

// The one thing that must never be: a yes where the parser says no.
START_TEST(a_yes_is_never_wrong)
{
    static const char alphabet[] =
        "[]{}\",:\\ \n01-.eE9tnulrfas\xc3\xa9/\x80\x01";
    struct ss_prng prng;
    size_t agreed = 0;
    ss_prng_init(&prng, 11);
    for (int round = 0; round < 300000; round++) {
        char text[100];
        const char *seed =
            good[ss_prng_below(&prng, sizeof(good) / sizeof(*good))];
        size_t size = strlen(seed);
        memcpy(text, seed, size);
        for (uint64_t i = ss_prng_below(&prng, 4); i > 0 && size > 0; i--)
            text[ss_prng_below(&prng, size)] =
                alphabet[ss_prng_below(&prng, sizeof(alphabet) - 1)];
        bool is_json = check(text, size);
        agreed += is_json;
        if (is_json)
            ck_assert_msg(parses(text, size), "%.*s", (int)size, text);
    }
    ck_assert_uint_gt(agreed, 10000);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("json_check");
    TCase *tcase = tcase_create("json_check");
    tcase_add_test(tcase, json_is_told_as_such);
    tcase_add_test(tcase, what_is_none_is_told_as_such);
    tcase_add_test(tcase, no_text_is_no_json);
    tcase_add_test(tcase, what_is_rare_is_left_to_the_parser);
    tcase_add_test(tcase, depth_ends_where_the_parsers_does);
    tcase_add_test(tcase, a_yes_is_never_wrong);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
