// handle_test.c - values in sixteen bytes, and lists that share their past.
#include "common/dense/handle.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"

static struct ss_handle given(const char *text)
{
    return ss_handle_text(text, strlen(text));
}

// Takes `handle`.
static void reads(struct ss_handle handle, const char *expected)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1 << 20);
    ss_handle_add(&buf, handle);
    ck_assert_str_eq(ss_buf_str(&buf), expected);
    ss_buf_fini(&buf);
    ss_handle_unref(handle);
}

START_TEST(a_value_takes_sixteen_bytes_and_small_ones_no_more)
{
    ck_assert_uint_eq(sizeof(struct ss_handle), 16);
    ck_assert_int_eq(given("null").kind, SS_HANDLE_NULL);
    ck_assert_int_eq(given("42").kind, SS_HANDLE_INT);
    ck_assert_int_eq(given("true").kind, SS_HANDLE_SMALL);
    ck_assert_int_eq(given("\"abcdef\"").kind, SS_HANDLE_SMALL);
    struct ss_handle blob = given("\"abcdefg\"");
    ck_assert_int_eq(blob.kind, SS_HANDLE_BLOB);
    ss_handle_unref(blob);
}
END_TEST

START_TEST(each_reads_as_it_was_given)
{
    static const char *const texts[] = {"null", "0", "-7", "1.50", "1e400",
        "-0", "true", "\"\"", "\"abcdef\"", "\"abcdefg\"", "[]", "[1,[2]]",
        "{\"a\":{\"b\":[null]}}", "9223372036854775807", "-9223372036854775808",
        "123456789012345678"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        reads(given(texts[i]), texts[i]);
}
END_TEST

START_TEST(who_holds_fewer_items_sees_its_own_past)
{
    struct ss_handle list = ss_handle_list(8);
    ss_handle_push(&list, ss_handle_int(1));
    struct ss_handle old = ss_handle_ref(list);
    ss_handle_push(&list, ss_handle_int(2));
    ck_assert(ss_handle_shares(old, list));
    reads(ss_handle_ref(old), "[1]");
    reads(ss_handle_ref(list), "[1,2]");
    // the old one goes another way: it has a block of its own then
    ss_handle_push(&old, ss_handle_int(3));
    ck_assert(!ss_handle_shares(old, list));
    reads(old, "[1,3]");
    reads(list, "[1,2]");
}
END_TEST

START_TEST(a_list_outgrows_its_block_and_others_keep_theirs)
{
    struct ss_handle list = ss_handle_list(1);
    ss_handle_push(&list, given("\"a text of some length\""));
    struct ss_handle old = ss_handle_ref(list);
    for (int i = 0; i < 100; i++)
        ss_handle_push(&list, ss_handle_int(i));
    ck_assert_uint_eq(list.count, 101);
    ck_assert_int_eq(ss_handle_item(list, 100).as.number, 99);
    ss_handle_unref(list);
    reads(old, "[\"a text of some length\"]");
}
END_TEST

START_TEST(what_was_pushed_in_vain_is_cut_off)
{
    struct ss_handle list = ss_handle_list(8);
    ss_handle_push(&list, ss_handle_int(1));
    struct ss_handle aside = ss_handle_ref(list);
    ss_handle_push(&aside, given("\"goes with the cut\""));
    ss_handle_unref(aside);
    ss_handle_cut(&list, 1);
    ss_handle_push(&list, ss_handle_int(2)); // in place, where that stood
    reads(list, "[1,2]");
}
END_TEST

START_TEST(a_text_is_cut_into_items_one_level_deep)
{
    struct ss_handle list, text = given("[1,[2,3],{\"a\":[4]},\"five\"]");
    ck_assert(ss_handle_split(text, &list));
    ck_assert_uint_eq(list.count, 4);
    reads(ss_handle_ref(ss_handle_item(list, 1)), "[2,3]");
    reads(list, "[1,[2,3],{\"a\":[4]},\"five\"]");
    ss_handle_unref(text);
    ck_assert(!ss_handle_split(given("{}"), &list));
    ck_assert(!ss_handle_split(given("1"), &list));
    ck_assert(ss_handle_split(given("[]"), &list));
    reads(list, "[]");
}
END_TEST

static void overwrites(const char *text, const char *expected)
{
    struct ss_handle inside, handle = given(text);
    bool is = ss_handle_overwrites(handle, &inside);
    ss_handle_unref(handle);
    ck_assert_int_eq(is, expected != NULL);
    if (is)
        reads(inside, expected);
}

START_TEST(an_overwrite_has_two_forms_and_is_nothing_else)
{
    overwrites("{\"__overwrite__\":[1,2]}", "[1,2]");
    overwrites("{\"type\":\"__overwrite__\",\"value\":null}", "null");
    overwrites("{\"__overwrite__\":1,\"more\":2}", NULL);
    overwrites("{\"type\":\"other\",\"value\":1}", NULL);
    overwrites("{\"type\":\"__overwrite__\"}", NULL);
    overwrites("{\"a\":{\"__overwrite__\":1}}", NULL);
    overwrites("[{\"__overwrite__\":1}]", NULL);
    overwrites("\"__overwrite__\"", NULL);
}
END_TEST

START_TEST(the_model_s_values_come_in_and_go_out_as_they_are)
{
    static const char text[] =
        "[null,1,-1.5,\"a\\u00e9\\n\",{\"b\":[true,{}]},[]]";
    struct ss_value *value = ss_value_from_text(text, strlen(text));
    struct ss_handle handle = ss_handle_of_value(value);
    struct ss_value *back = ss_handle_value(handle);
    ck_assert(ss_value_equal(value, back));
    json_t *json = ss_handle_json(handle);
    ck_assert(json_equal(json, ss_value_json(value)));
    struct ss_handle own = ss_handle_of_json(json);
    ck_assert_int_eq(own.kind, SS_HANDLE_LIST);
    struct ss_value *listed = ss_handle_value(own);
    ck_assert(ss_value_equal(value, listed));
    ss_value_unref(listed);
    ss_handle_unref(own);
    json_decref(json);
    ss_value_unref(back);
    ss_handle_unref(handle);
    ss_value_unref(value);
    ck_assert_int_eq(ss_handle_of_value(NULL).kind, SS_HANDLE_MISSING);
    ck_assert_ptr_null(ss_handle_value((struct ss_handle){0}));
}
END_TEST

START_TEST(bytes_under_another_tag_stay_bytes)
{
    struct ss_value *value = ss_value_opaque(SS_VALUE_BYTES, "[1\0]", 4);
    struct ss_handle handle = ss_handle_of_value(value), list;
    struct ss_value *back = ss_handle_value(handle);
    ck_assert_int_eq(ss_value_tag(back), SS_VALUE_BYTES);
    ck_assert(ss_value_equal(value, back));
    ck_assert(!ss_handle_split(handle, &list));
    ss_value_unref(back);
    ss_value_unref(value);
    reads(handle, "null"); // inside of other text
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_value_takes_sixteen_bytes_and_small_ones_no_more,
        each_reads_as_it_was_given, who_holds_fewer_items_sees_its_own_past,
        a_list_outgrows_its_block_and_others_keep_theirs,
        what_was_pushed_in_vain_is_cut_off,
        a_text_is_cut_into_items_one_level_deep,
        an_overwrite_has_two_forms_and_is_nothing_else,
        the_model_s_values_come_in_and_go_out_as_they_are,
        bytes_under_another_tag_stay_bytes};
    ss_value_setup();
    Suite *suite = suite_create("handle");
    TCase *tcase = tcase_create("handle");
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
