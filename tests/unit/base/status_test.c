#include "common/base/status.h"

#include <check.h>
#include <stdbool.h>
#include <string.h>

#include "tests/suite.h"

START_TEST(every_code_has_its_own_name_and_number)
{
    static const int codes[] = {
#define X(id, value, name, text) SS_##id,
#include "common/base/status.def"
#undef X
    };
    size_t count = sizeof(codes) / sizeof(codes[0]);
    for (size_t i = 0; i < count; i++) {
        ck_assert_int_lt(codes[i], 0);
        ck_assert_int_eq(ss_status_by_name(ss_status_name(codes[i])), codes[i]);
        ck_assert_uint_gt(strlen(ss_status_text(codes[i])), 0);
        for (size_t j = 0; j < i; j++)
            ck_assert_int_ne(codes[i], codes[j]);
    }
}
END_TEST

START_TEST(ok_is_no_error)
{
    ck_assert_str_eq(ss_status_name(SS_OK), "ok");
}
END_TEST

START_TEST(an_unknown_code_still_has_a_text)
{
    ck_assert_str_eq(ss_status_name(-9999), "unknown");
    ck_assert_str_eq(ss_status_text(7), "an unknown error");
    ck_assert_int_eq(ss_status_by_name("nothing like that"), SS_OK);
    ck_assert_int_eq(ss_status_by_name(NULL), SS_OK);
}
END_TEST

START_TEST(an_error_holds_its_code_and_message)
{
    struct ss_error error = {0};
    int status = ss_error_set(&error, SS_ELIMIT, "input of %d bytes", 7);
    ck_assert_int_eq(status, SS_ELIMIT);
    ck_assert_int_eq(error.status, SS_ELIMIT);
    ck_assert_str_eq(error.message, "input of 7 bytes");
}
END_TEST

START_TEST(an_error_may_be_wanted_by_nobody)
{
    ck_assert_int_eq(ss_error_set(NULL, SS_EIO, "unheard"), SS_EIO);
    ck_assert_int_eq(ss_error_wrap(NULL, "unheard"), SS_EIO);
}
END_TEST

START_TEST(each_floor_wraps_the_message)
{
    struct ss_error error;
    ss_error_set(&error, SS_EFULL, "disk is full");
    ss_error_wrap(&error, "commit %d", 3);
    ck_assert_int_eq(ss_error_wrap(&error, "store"), SS_EFULL);
    ck_assert_str_eq(error.message, "store: commit 3: disk is full");
}
END_TEST

START_TEST(the_old_message_may_be_part_of_the_new_one)
{
    struct ss_error error;
    ss_error_set(&error, SS_EIO, "inner");
    ss_error_set(&error, SS_EBUSY, "outer (%s)", error.message);
    ck_assert_str_eq(error.message, "outer (inner)");
    ss_error_wrap(&error, "%s", error.message);
    ck_assert_str_eq(error.message, "outer (inner): outer (inner)");
}
END_TEST

START_TEST(a_message_ends_without_a_newline)
{
    struct ss_error error;
    ss_error_set(&error, SS_EIO, "from a library\n\n");
    ck_assert_str_eq(error.message, "from a library");
}
END_TEST

// Whether `text` ends inside a sequence of UTF-8.
static bool is_cut(const char *text)
{
    size_t size = strlen(text), tail = 0;
    while (tail < size && ((unsigned char)text[size - 1 - tail] & 0xc0) == 0x80)
        tail++;
    unsigned char lead = (unsigned char)text[size - 1 - tail];
    size_t needed = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    return tail != needed;
}

START_TEST(a_long_message_is_cut_between_characters)
{
    static const char *const characters[] = {"é", "€", "𝄞"};
    for (size_t c = 0; c < 3; c++) {
        for (size_t shift = 0; shift < 4; shift++) {
            char text[2000] = "abcd";
            text[shift] = '\0';
            while (strlen(text) < 1500)
                strncat(text, characters[c], 8);
            struct ss_error error;
            ss_error_set(&error, SS_EIO, "%s", text);
            ck_assert_uint_gt(strlen(error.message), SS_ERROR_SIZE - 5);
            ck_assert(!is_cut(error.message));
            ss_error_wrap(&error, "x");
            ck_assert(!is_cut(error.message));
            ss_error_wrap(&error, "%s", text);
            ck_assert(!is_cut(error.message));
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("status");
    TCase *tcase = tcase_create("status");
    tcase_add_test(tcase, every_code_has_its_own_name_and_number);
    tcase_add_test(tcase, ok_is_no_error);
    tcase_add_test(tcase, an_unknown_code_still_has_a_text);
    tcase_add_test(tcase, an_error_holds_its_code_and_message);
    tcase_add_test(tcase, an_error_may_be_wanted_by_nobody);
    tcase_add_test(tcase, each_floor_wraps_the_message);
    tcase_add_test(tcase, the_old_message_may_be_part_of_the_new_one);
    tcase_add_test(tcase, a_message_ends_without_a_newline);
    tcase_add_test(tcase, a_long_message_is_cut_between_characters);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
