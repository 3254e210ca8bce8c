#include "common/base/arena.h"

#include <check.h>
#include <stdint.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/suite.h"

static struct ss_arena arena;

static void teardown(void)
{
    ss_arena_fini(&arena);
}

START_TEST(what_is_taken_is_aligned_for_everything)
{
    for (size_t size = 0; size < 100; size++) {
        char *text = ss_arena_text(&arena, "odd");
        void *memory = ss_arena_take(&arena, size);
        ck_assert_uint_eq((uintptr_t)memory % 16, 0);
        memset(memory, 0xff, size);
        ck_assert_str_eq(text, "odd");
    }
}
END_TEST

START_TEST(texts_stand_side_by_side)
{
    char *left = ss_arena_text(&arena, "left");
    char *right = ss_arena_text(&arena, "right");
    ck_assert_str_eq(left, "left");
    ck_assert_str_eq(right, "right");
    ck_assert_ptr_eq(right, left + sizeof("left"));
    ck_assert_ptr_null(ss_arena_text(&arena, NULL));
}
END_TEST

START_TEST(what_is_larger_than_a_chunk_gets_one_of_its_own)
{
    char *first = ss_arena_text(&arena, "first");
    char *large = ss_arena_zalloc(&arena, 1000, 100);
    char *last = ss_arena_text(&arena, "last");
    for (size_t i = 0; i < (size_t)1000 * 100; i++)
        ck_assert_int_eq(large[i], 0);
    memset(large, 'x', (size_t)1000 * 100);
    ck_assert_str_eq(first, "first");
    ck_assert_str_eq(last, "last");
}
END_TEST

START_TEST(a_text_that_fills_a_chunk_to_its_end_leaves_the_next_one_whole)
{
    for (int i = 0; i < 3000; i++) {
        char *text = ss_arena_text(&arena, "x");
        uint64_t *number = ss_arena_take(&arena, i % 3 ? 0 : sizeof(*number));
        if (i % 3 == 0)
            *number = UINT64_MAX;
        ck_assert_str_eq(text, "x");
    }
}
END_TEST

START_TEST(what_is_reset_keeps_one_small_chunk)
{
    arena.first = 64;
    char *first = ss_arena_text(&arena, "once");
    ss_arena_reset(&arena);
    ck_assert_ptr_eq(ss_arena_text(&arena, "more"), first);
    ss_arena_take(&arena, 1000); // another one
    ss_arena_reset(&arena);
    ck_assert_ptr_null(arena.now);
    ss_arena_take(&arena, (size_t)1 << 20);
    ss_arena_reset(&arena);
    ck_assert_ptr_null(arena.now);
    ck_assert_uint_eq(arena.first, 64);
    ss_arena_reset(&arena);
}
END_TEST

START_TEST(a_list_grows_and_keeps_what_it_has)
{
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        items = ss_arena_grow(&arena, items, &capacity, i + 1, sizeof(*items));
        items[i] = i;
        ck_assert_uint_ge(capacity, i + 1);
    }
    for (uint32_t i = 0; i < 1000; i++)
        ck_assert_uint_eq(items[i], i);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arena");
    TCase *tcase = tcase_create("arena");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, what_is_taken_is_aligned_for_everything);
    tcase_add_test(tcase, texts_stand_side_by_side);
    tcase_add_test(tcase, what_is_larger_than_a_chunk_gets_one_of_its_own);
    tcase_add_test(
        tcase, a_text_that_fills_a_chunk_to_its_end_leaves_the_next_one_whole);
    tcase_add_test(tcase, what_is_reset_keeps_one_small_chunk);
    tcase_add_test(tcase, a_list_grows_and_keeps_what_it_has);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
