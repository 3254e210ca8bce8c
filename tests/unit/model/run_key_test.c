#include "common/model/run_key.h"

#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/model/help.h"

#define LONGEST "123456789 123456789 123456789 123456"

static void expect_key(const char *run, const char *thread, const char *key)
{
    char prefix[SS_RUN_PREFIX_SIZE];
    char *made = ss_run_key(run, thread);
    ss_run_prefix(run, prefix);
    ck_assert_str_eq(made, key);
    ck_assert_uint_eq(strlen(prefix), SS_RUN_PREFIX_SIZE - 1);
    ck_assert_int_eq(strncmp(made, prefix, strlen(prefix)), 0);
    ss_free(made);
}

START_TEST(a_run_is_named_by_its_name_and_its_thread)
{
    expect_key("same", "dup0", "same                                04|dup0");
    expect_key(LONGEST, "t", LONGEST "36|t");
    // As long as it is in bytes.
    expect_key(
        "\xc3\xa4", "t|u", "\xc3\xa4                                  02|t|u");
}
END_TEST

START_TEST(keys_of_other_names_do_not_begin_alike)
{
    static const char *const names[] = {"a", "a ", "ab", " a", "a01|", "01|a",
        "a                                 ", LONGEST};
    char prefix[SS_RUN_PREFIX_SIZE];
    size_t count = sizeof(names) / sizeof(*names);
    for (size_t i = 0; i < count; i++) {
        ss_run_prefix(names[i], prefix);
        for (size_t j = 0; j < count; j++) {
            char *key = ss_run_key(names[j], "t");
            bool alike = strncmp(key, prefix, strlen(prefix)) == 0;
            ck_assert_msg(alike == (i == j), "%s, %s", names[i], names[j]);
            ss_free(key);
        }
    }
}
END_TEST

START_TEST(a_name_has_one_to_thirty_six_bytes)
{
    ck_assert(ss_run_name_fits("1"));
    ck_assert(ss_run_name_fits(LONGEST));
    ck_assert(!ss_run_name_fits(""));
    ck_assert(!ss_run_name_fits(LONGEST "7"));
}
END_TEST

// Coordinators of before have the name alone as key.
START_TEST(a_name_alone_is_no_key_with_a_thread)
{
    char *key = ss_run_key("a", "t");
    ck_assert(ss_run_key_names_thread(key));
    ck_assert(!ss_run_key_names_thread("a"));
    ck_assert(!ss_run_key_names_thread(LONGEST));
    ss_free(key);
}
END_TEST

static void expect_after(const char *place, const char *key, bool is_behind)
{
    char *after = ss_run_after(place);
    ck_assert_msg(
        (strcmp(key, after) > 0) == is_behind, "%s after %s", key, place);
    ss_free(after);
}

START_TEST(a_list_goes_on_behind_what_it_has_shown)
{
    char *a1 = ss_run_key("a", "1"), *a2 = ss_run_key("a", "2");
    char *b1 = ss_run_key("b", "1");
    char *place = ss_run_place(a1);
    expect_after(place, a1, false);
    expect_after(place, a2, true);
    expect_after(place, b1, true);
    ss_free(place);
    // A record that has the name alone as key stands before them.
    place = ss_run_place("a");
    expect_after(place, "a", false);
    expect_after(place, a1, true);
    ss_free(place);
    // Who names no more than the name has seen all that are called so.
    expect_after("a", "a", false);
    expect_after("a", a1, false);
    expect_after("a", a2, false);
    expect_after("a", b1, true);
    ss_free(a1);
    ss_free(a2);
    ss_free(b1);
}
END_TEST

RUN("run_key", a_run_is_named_by_its_name_and_its_thread,
    keys_of_other_names_do_not_begin_alike, a_name_has_one_to_thirty_six_bytes,
    a_name_alone_is_no_key_with_a_thread,
    a_list_goes_on_behind_what_it_has_shown)
