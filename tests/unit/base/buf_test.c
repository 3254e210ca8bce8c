#include "common/base/buf.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/suite.h"

START_TEST(an_empty_buffer_is_an_empty_text)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 10);
    ck_assert_str_eq(ss_buf_str(&buf), "");
    ck_assert_uint_eq(buf.size, 0);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(what_is_added_stands_in_order)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1000);
    ck_assert_int_eq(ss_buf_add_str(&buf, "a"), SS_OK);
    ck_assert_int_eq(ss_buf_add(&buf, "bcd", 2), SS_OK);
    ck_assert_int_eq(ss_buf_addf(&buf, "%03d", 7), SS_OK);
    ck_assert_int_eq(ss_buf_add(&buf, NULL, 0), SS_OK);
    ck_assert_str_eq(ss_buf_str(&buf), "abc007");
    ck_assert_uint_eq(buf.size, 6);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(bytes_may_be_zero)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 10);
    ss_buf_add(&buf, "a\0b", 3);
    ck_assert_uint_eq(buf.size, 3);
    ck_assert_mem_eq(buf.data, "a\0b\0", 4);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(a_buffer_fills_up_to_its_maximum_and_not_beyond)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 5);
    ck_assert_int_eq(ss_buf_add_str(&buf, "12345"), SS_OK);
    ck_assert_int_eq(ss_buf_add_str(&buf, ""), SS_OK);
    ck_assert_int_eq(ss_buf_add_str(&buf, "6"), SS_ELIMIT);
    ck_assert_str_eq(ss_buf_str(&buf), "12345");
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(the_first_failure_stays_until_reset)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 5);
    ss_buf_addf(&buf, "%d", 1234567);
    ck_assert_int_eq(buf.status, SS_ELIMIT);
    ck_assert_int_eq(ss_buf_add_str(&buf, "a"), SS_ELIMIT);
    ck_assert_uint_eq(buf.size, 0);
    ss_buf_reset(&buf);
    ck_assert_int_eq(ss_buf_add_str(&buf, "a"), SS_OK);
    ck_assert_str_eq(ss_buf_str(&buf), "a");
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(a_huge_addition_does_not_overflow)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    ss_buf_add_str(&buf, "x");
    ck_assert_int_eq(ss_buf_add(&buf, "y", SIZE_MAX), SS_ELIMIT);
    ck_assert_int_eq(ss_buf_add(&buf, "y", SIZE_MAX - 1), SS_ELIMIT);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(a_buffer_grows_over_many_additions)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 100000);
    for (int i = 0; i < 20000; i++)
        ss_buf_addf(&buf, "%05d", i);
    ck_assert_int_eq(buf.status, SS_OK);
    ck_assert_uint_eq(buf.size, 100000);
    ck_assert_uint_eq(strlen(ss_buf_str(&buf)), 100000);
    ck_assert(memcmp(buf.data + 99995, "19999", 5) == 0);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(reset_keeps_the_memory)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 1000);
    ss_buf_addf(&buf, "%500d", 1);
    const char *data = buf.data;
    ss_buf_reset(&buf);
    ck_assert_str_eq(ss_buf_str(&buf), "");
    ss_buf_addf(&buf, "%500d", 2);
    ck_assert_ptr_eq(buf.data, data);
    ss_buf_fini(&buf);
}
END_TEST

START_TEST(stolen_bytes_belong_to_the_thief)
{
    struct ss_buf buf;
    ss_buf_init(&buf, 100);
    ss_buf_add_str(&buf, "loot");
    size_t size = 0;
    char *loot = ss_buf_steal(&buf, &size);
    ck_assert_str_eq(loot, "loot");
    ck_assert_uint_eq(size, 4);
    ss_free(loot);

    loot = ss_buf_steal(&buf, NULL);
    ck_assert_str_eq(loot, "");
    ss_free(loot);
    ck_assert_int_eq(ss_buf_add_str(&buf, "more"), SS_OK);
    ss_buf_fini(&buf);
    ss_buf_fini(&buf);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("buf");
    TCase *tcase = tcase_create("buf");
    tcase_add_test(tcase, an_empty_buffer_is_an_empty_text);
    tcase_add_test(tcase, what_is_added_stands_in_order);
    tcase_add_test(tcase, bytes_may_be_zero);
    tcase_add_test(tcase, a_buffer_fills_up_to_its_maximum_and_not_beyond);
    tcase_add_test(tcase, the_first_failure_stays_until_reset);
    tcase_add_test(tcase, a_huge_addition_does_not_overflow);
    tcase_add_test(tcase, a_buffer_grows_over_many_additions);
    tcase_add_test(tcase, reset_keeps_the_memory);
    tcase_add_test(tcase, stolen_bytes_belong_to_the_thief);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
