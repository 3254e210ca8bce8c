// scan_test.c - a look into JSON text without decoding it.
#include "common/dense/scan.h"

#include <check.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "tests/suite.h"

// The parts of a list or an object with bars between them.
static void parts(const char *text, char bracket, const char *expected)
{
    struct ss_scan scan;
    struct ss_scan_part key, value;
    struct ss_buf buf;
    ss_buf_init(&buf, 4096);
    ck_assert(ss_scan_begin(&scan, bracket, text, strlen(text)));
    while (ss_scan_next(&scan, &key, &value)) {
        if (bracket == '{')
            ss_buf_addf(&buf, "%.*s=", (int)key.size, key.text);
        ss_buf_addf(&buf, "%.*s|", (int)value.size, value.text);
    }
    ck_assert_str_eq(ss_buf_str(&buf), expected);
    ss_buf_fini(&buf);
}

START_TEST(a_list_is_cut_at_its_own_commas)
{
    parts("[]", '[', "");
    parts(" [ ] ", '[', "");
    parts("[1]", '[', "1|");
    parts("[1,\"a,b\",[2,3],{\"c\":[4,5]},null]", '[',
        "1|\"a,b\"|[2,3]|{\"c\":[4,5]}|null|");
    parts(" [ 1 , true\n,\t[ ] ]", '[', "1|true|[ ]|");
}
END_TEST

START_TEST(what_stands_in_strings_is_no_bracket)
{
    parts("[\"]\",\"\\\"]\",\"\\\\\",[\"[\"]]", '[',
        "\"]\"|\"\\\"]\"|\"\\\\\"|[\"[\"]|");
    parts("{\"}\":\"{\",\"a\":{\"b\":\"}\"}}", '{', "}=\"{\"|a={\"b\":\"}\"}|");
}
END_TEST

START_TEST(what_is_no_list_is_not_begun)
{
    struct ss_scan scan;
    ck_assert(!ss_scan_begin(&scan, '[', "{}", 2));
    ck_assert(!ss_scan_begin(&scan, '{', "[]", 2));
    ck_assert(!ss_scan_begin(&scan, '[', "\"[\"", 3));
    ck_assert(!ss_scan_begin(&scan, '[', "", 0));
}
END_TEST

static void member(const char *text, const char *name, const char *expected)
{
    struct ss_scan_part part;
    bool found = ss_scan_member(text, strlen(text), name, &part);
    ck_assert_int_eq(found, expected != NULL);
    if (!found)
        return;
    char *is = ss_memdup(part.text, part.size);
    ck_assert_str_eq(is, expected);
    ss_free(is);
}

START_TEST(a_member_is_found_at_the_top_alone)
{
    member("{\"a\":1,\"b\":{\"c\":2}}", "b", "{\"c\":2}");
    member("{\"a\":1,\"b\":{\"c\":2}}", "c", NULL);
    member("{\"ab\":1}", "a", NULL);
    member("{\"a\":1,\"a\":2}", "a", "2"); // as jansson reads it
    member("[\"a\",1]", "a", NULL);
    ck_assert_uint_eq(ss_scan_members("{\"a\":{\"b\":1},\"c\":2}", 19), 2);
    ck_assert_uint_eq(ss_scan_members("{}", 2), 0);
}
END_TEST

START_TEST(a_key_is_its_characters_however_they_are_spelled)
{
    member("{\"\\u006eode\":3}", "node", "3");
    member("{\"no\\\\de\":3}", "node", NULL);
}
END_TEST

START_TEST(a_string_is_read_with_its_escapes)
{
    struct ss_scan_part plain = {"\"abc\"", 5}, marked = {"\"a\\n\"", 5};
    struct ss_scan_part none = {"12", 2};
    char *a = ss_scan_string(&plain), *b = ss_scan_string(&marked);
    ck_assert_str_eq(a, "abc");
    ck_assert_str_eq(b, "a\n");
    ck_assert_ptr_null(ss_scan_string(&none));
    ss_free(a);
    ss_free(b);
}
END_TEST

static bool whole(const char *text, int64_t expected)
{
    int64_t number = 0;
    bool is = ss_scan_integer(text, strlen(text), &number);
    return is && number == expected;
}

START_TEST(a_whole_number_is_one_in_its_own_text_only)
{
    ck_assert(whole("0", 0));
    ck_assert(whole("-7", -7));
    ck_assert(whole("123456789012345678", 123456789012345678));
    ck_assert(!whole("-0", 0));
    ck_assert(!whole("01", 1));
    ck_assert(!whole("1.0", 1));
    ck_assert(!whole("1e3", 1000));
    ck_assert(!whole("-", 0));
    ck_assert(!whole("", 0));
    ck_assert(!whole("1234567890123456789", 1234567890123456789));
}
END_TEST

// Each prefix of a text stands at the end of a block of its own size: the
// sanitizer sees who reads beyond it.
START_TEST(what_is_cut_off_is_not_read_beyond_its_end)
{
    static const char text[] = "[{\"a\":\"b\\\"\",\"c\":[1,2]},\"x\\\\\",3]";
    for (size_t size = 0; size < sizeof(text); size++) {
        char *copy = ss_alloc(size + 1);
        struct ss_scan scan;
        struct ss_scan_part key, value;
        size_t count = 0;
        memcpy(copy, text, size);
        char *block = ss_realloc(copy, size ? size : 1);
        if (ss_scan_begin(&scan, '[', block, size))
            while (ss_scan_next(&scan, &key, &value)) {
                ck_assert(value.text + value.size <= block + size);
                ck_assert_uint_lt(count++, 4);
            }
        ss_free(block);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_list_is_cut_at_its_own_commas,
        what_stands_in_strings_is_no_bracket, what_is_no_list_is_not_begun,
        a_member_is_found_at_the_top_alone,
        a_key_is_its_characters_however_they_are_spelled,
        a_string_is_read_with_its_escapes,
        a_whole_number_is_one_in_its_own_text_only,
        what_is_cut_off_is_not_read_beyond_its_end};
    Suite *suite = suite_create("scan");
    TCase *tcase = tcase_create("scan");
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
