#include "common/base/mem.h"

#include <check.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "tests/suite.h"

START_TEST(memory_of_no_bytes_is_memory)
{
    void *block = ss_alloc(0);
    ck_assert_ptr_nonnull(block);
    block = ss_realloc(block, 0);
    ck_assert_ptr_nonnull(block);
    ss_free(block);
    ss_free(ss_zalloc(0, 8));
    ss_free(NULL);
}
END_TEST

START_TEST(zeroed_memory_is_zero)
{
    unsigned char *block = ss_zalloc(100, 7);
    for (size_t i = 0; i < 700; i++)
        ck_assert_uint_eq(block[i], 0);
    ss_free(block);
}
END_TEST

START_TEST(growing_keeps_what_was_there)
{
    char *block = ss_realloc(NULL, 4);
    memcpy(block, "abc", 4);
    block = ss_realloc(block, 100000);
    ck_assert_str_eq(block, "abc");
    ss_free(block);
}
END_TEST

START_TEST(copies_are_copies)
{
    char text[] = "text";
    char *copy = ss_strdup(text);
    text[0] = 'n';
    ck_assert_str_eq(copy, "text");
    ss_free(copy);
    ck_assert_ptr_null(ss_strdup(NULL));

    copy = ss_memdup("a\0b", 3);
    ck_assert_mem_eq(copy, "a\0b\0", 4);
    ss_free(copy);
    copy = ss_memdup(NULL, 0);
    ck_assert_str_eq(copy, "");
    ss_free(copy);
}
END_TEST

START_TEST(formatting_makes_a_string_of_any_length)
{
    char *text = ss_format("%s-%d", "n", 7);
    ck_assert_str_eq(text, "n-7");
    ss_free(text);
    text = ss_format("%5000d", 1);
    ck_assert_uint_eq(strlen(text), 5000);
    ss_free(text);
}
END_TEST

START_TEST(a_vector_keeps_the_order_of_its_items)
{
    SS_VEC(int) vec = {0};
    for (int i = 0; i < 1000; i++)
        SS_VEC_PUSH(&vec, i);
    ck_assert_uint_eq(vec.count, 1000);
    ck_assert_uint_ge(vec.capacity, vec.count);
    for (int i = 0; i < 1000; i++)
        ck_assert_int_eq(vec.items[i], i);
    SS_VEC_FINI(&vec);
    ck_assert_ptr_null(vec.items);
    ck_assert_uint_eq(vec.count, 0);
}
END_TEST

START_TEST(a_vector_holds_structures_too)
{
    struct pair {
        int left, right;
    };
    SS_VEC(struct pair) vec = {0};
    SS_VEC_PUSH(&vec, (struct pair){1, 2});
    SS_VEC_PUSH(&vec, (struct pair){.right = 4});
    ck_assert_int_eq(vec.items[0].right, 2);
    ck_assert_int_eq(vec.items[1].left, 0);
    ck_assert_int_eq(vec.items[1].right, 4);
    SS_VEC_FINI(&vec);
}
END_TEST

START_TEST(removing_closes_the_gap)
{
    SS_VEC(int) vec = {0};
    for (int i = 0; i < 5; i++)
        SS_VEC_PUSH(&vec, i);
    SS_VEC_REMOVE(&vec, 0);
    SS_VEC_REMOVE(&vec, 3);
    SS_VEC_REMOVE(&vec, 1);
    ck_assert_uint_eq(vec.count, 2);
    ck_assert_int_eq(vec.items[0], 1);
    ck_assert_int_eq(vec.items[1], 3);
    SS_VEC_FINI(&vec);
}
END_TEST

START_TEST(removing_what_is_not_there_stops_the_process)
{
    SS_VEC(int) vec = {0};
    SS_VEC_REMOVE(&vec, 0);
}
END_TEST

START_TEST(more_than_the_address_space_stops_the_process)
{
    ss_free(ss_zalloc(SIZE_MAX / 2, 4));
}
END_TEST

static int allowed;

static int refuse_later(size_t size)
{
    (void)size;
    return allowed-- > 0 ? 0 : -1;
}

START_TEST(the_hook_sees_every_allocation)
{
    allowed = 3;
    ss_mem_hook = refuse_later;
    char *text = ss_strdup("one");
    text = ss_realloc(text, 64);
    void *block = ss_zalloc(3, 3);
    ss_mem_hook = NULL;
    ck_assert_int_eq(allowed, 0);
    ss_free(text);
    ss_free(block);
}
END_TEST

START_TEST(an_allocation_that_the_hook_refuses_stops_the_process)
{
    allowed = 1;
    ss_mem_hook = refuse_later;
    ss_free(ss_alloc(1));
    ss_free(ss_alloc(1));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("mem");
    TCase *tcase = tcase_create("mem");
    tcase_add_test(tcase, memory_of_no_bytes_is_memory);
    tcase_add_test(tcase, zeroed_memory_is_zero);
    tcase_add_test(tcase, growing_keeps_what_was_there);
    tcase_add_test(tcase, copies_are_copies);
    tcase_add_test(tcase, formatting_makes_a_string_of_any_length);
    tcase_add_test(tcase, a_vector_keeps_the_order_of_its_items);
    tcase_add_test(tcase, a_vector_holds_structures_too);
    tcase_add_test(tcase, removing_closes_the_gap);
    tcase_add_test_raise_signal(
        tcase, removing_what_is_not_there_stops_the_process, SIGABRT);
    tcase_add_test_raise_signal(
        tcase, more_than_the_address_space_stops_the_process, SIGABRT);
    tcase_add_test(tcase, the_hook_sees_every_allocation);
    tcase_add_test_raise_signal(
        tcase, an_allocation_that_the_hook_refuses_stops_the_process, SIGABRT);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
