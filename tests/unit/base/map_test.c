#include "common/base/map.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "tests/suite.h"

static int numbers[1000];

START_TEST(zero_bytes_are_an_empty_map)
{
    struct ss_map map = {0};
    ck_assert_ptr_null(ss_map_get(&map, "a"));
    ck_assert_ptr_null(ss_map_remove(&map, "a"));
    ss_map_fini(&map, NULL);
}
END_TEST

START_TEST(what_is_put_is_found)
{
    struct ss_map map = {0};
    ck_assert_ptr_null(ss_map_put(&map, "one", &numbers[1]));
    ck_assert_ptr_null(ss_map_put(&map, "", &numbers[2]));
    ck_assert_ptr_eq(ss_map_get(&map, "one"), &numbers[1]);
    ck_assert_ptr_eq(ss_map_get(&map, ""), &numbers[2]);
    ck_assert_ptr_null(ss_map_get(&map, "on"));
    ss_map_fini(&map, NULL);
}
END_TEST

START_TEST(the_key_is_copied)
{
    struct ss_map map = {0};
    char key[] = "key";
    ss_map_put(&map, key, &numbers[1]);
    key[0] = 'K';
    ck_assert_ptr_eq(ss_map_get(&map, "key"), &numbers[1]);
    ck_assert_ptr_null(ss_map_get(&map, "Key"));
    ss_map_fini(&map, NULL);
}
END_TEST

START_TEST(putting_again_gives_the_old_value_and_keeps_the_place)
{
    struct ss_map map = {0};
    ss_map_put(&map, "a", &numbers[1]);
    ss_map_put(&map, "b", &numbers[2]);
    ck_assert_ptr_eq(ss_map_put(&map, "a", &numbers[3]), &numbers[1]);
    ck_assert_uint_eq(map.count, 2);
    ck_assert_str_eq(map.first->key, "a");
    ck_assert_ptr_eq(map.first->value, &numbers[3]);
    ss_map_fini(&map, NULL);
}
END_TEST

START_TEST(a_key_may_stand_for_nothing)
{
    struct ss_map map = {0};
    ss_map_put(&map, "a", NULL);
    ck_assert_uint_eq(map.count, 1);
    ck_assert_ptr_null(ss_map_get(&map, "a"));
    ss_map_remove(&map, "a");
    ck_assert_uint_eq(map.count, 0);
    ss_map_fini(&map, NULL);
}
END_TEST

START_TEST(entries_stand_in_order_of_insertion)
{
    struct ss_map map = {0};
    char key[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof(key), "%d", 7919 * i % 1000);
        ss_map_put(&map, key, &numbers[i]);
    }
    int i = 0;
    for (struct ss_map_entry *e = map.first; e; e = e->next, i++) {
        snprintf(key, sizeof(key), "%d", 7919 * i % 1000);
        ck_assert_str_eq(e->key, key);
        ck_assert_ptr_eq(e->value, &numbers[i]);
    }
    ck_assert_int_eq(i, 1000);
    ss_map_fini(&map, NULL);
}
END_TEST

START_TEST(removing_takes_out_first_middle_and_last)
{
    struct ss_map map = {0};
    const char *keys[] = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 5; i++)
        ss_map_put(&map, keys[i], &numbers[i]);
    ck_assert_ptr_eq(ss_map_remove(&map, "a"), &numbers[0]);
    ck_assert_ptr_eq(ss_map_remove(&map, "c"), &numbers[2]);
    ck_assert_ptr_eq(ss_map_remove(&map, "e"), &numbers[4]);
    ck_assert_ptr_null(ss_map_remove(&map, "e"));
    ck_assert_str_eq(map.first->key, "b");
    ck_assert_str_eq(map.first->next->key, "d");
    ck_assert_str_eq(map.last->key, "d");
    ck_assert_ptr_null(map.last->next);
    ck_assert_ptr_eq(map.last->prev, map.first);
    ss_map_put(&map, "a", &numbers[9]);
    ck_assert_str_eq(map.last->key, "a");
    ss_map_fini(&map, NULL);
}
END_TEST

START_TEST(a_map_does_what_an_array_does)
{
    struct ss_map map = {0};
    void *model[200] = {0};
    struct ss_prng prng;
    ss_prng_init(&prng, 1);
    for (int i = 0; i < 20000; i++) {
        size_t at = (size_t)ss_prng_below(&prng, 200);
        char key[16];
        snprintf(key, sizeof(key), "key %zu", at);
        if (ss_prng_below(&prng, 3) == 0) {
            ck_assert_ptr_eq(ss_map_remove(&map, key), model[at]);
            model[at] = NULL;
        } else {
            void *value = &numbers[ss_prng_below(&prng, 1000)];
            ck_assert_ptr_eq(ss_map_put(&map, key, value), model[at]);
            model[at] = value;
        }
        ck_assert_ptr_eq(ss_map_get(&map, key), model[at]);
    }
    size_t count = 0;
    for (size_t i = 0; i < 200; i++)
        count += model[i] != NULL;
    ck_assert_uint_eq(map.count, count);
    ss_map_fini(&map, NULL);
}
END_TEST

static int freed;

static void count_and_free(void *value)
{
    freed++;
    ss_free(value);
}

START_TEST(a_map_frees_its_values_when_told)
{
    struct ss_map map = {0};
    ss_map_put(&map, "a", ss_strdup("1"));
    ss_map_put(&map, "b", ss_strdup("2"));
    ss_map_fini(&map, count_and_free);
    ck_assert_int_eq(freed, 2);
    ck_assert_uint_eq(map.count, 0);
    ck_assert_ptr_null(ss_map_get(&map, "a"));
}
END_TEST

START_TEST(numbers_are_keys_and_stand_in_order_of_insertion)
{
    enum { COUNT = 1000 };
    struct ss_map map = {0};
    static int values[COUNT];
    ck_assert_ptr_null(ss_map_get_number(&map, 0));
    ck_assert_ptr_null(ss_map_remove_number(&map, 0));
    for (size_t i = 0; i < COUNT; i++)
        ck_assert_ptr_null(
            ss_map_put_number(&map, i << (i % 3 * 20), &values[i]));
    ck_assert_ptr_eq(
        ss_map_put_number(&map, UINT64_C(7) << 20, &values[0]), &values[7]);
    ck_assert_ptr_eq(
        ss_map_put_number(&map, UINT64_C(7) << 20, &values[7]), &values[0]);
    for (size_t i = 0; i < COUNT; i += 2)
        ck_assert_ptr_eq(
            ss_map_remove_number(&map, i << (i % 3 * 20)), &values[i]);
    ck_assert_uint_eq(map.count, COUNT / 2);
    size_t next = 1;
    for (const struct ss_map_entry *e = map.first; e; e = e->next, next += 2) {
        ck_assert_ptr_null(e->key);
        ck_assert_ptr_eq(e->value, &values[next]);
        ck_assert_ptr_eq(
            ss_map_get_number(&map, next << (next % 3 * 20)), &values[next]);
    }
    ck_assert_ptr_null(ss_map_get_number(&map, UINT64_MAX));
    ss_map_fini(&map, NULL);
}
END_TEST

// A run has a dozen maps of one or two entries each.
START_TEST(a_map_of_a_few_entries_has_no_buckets)
{
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    struct ss_map map = {0};
    size_t few = 4;
    for (size_t i = 0; i < few; i++)
        ck_assert_ptr_null(ss_map_put(&map, keys[i], (void *)keys[i]));
    ck_assert_ptr_null(map.buckets);
    ss_map_put(&map, keys[few], (void *)keys[few]);
    ck_assert_ptr_nonnull(map.buckets);
    for (size_t i = 0; i <= few; i++)
        ck_assert_ptr_eq(ss_map_get(&map, keys[i]), keys[i]);
    for (size_t i = 0; i <= few; i++)
        ck_assert_ptr_eq(ss_map_remove(&map, keys[few - i]), keys[few - i]);
    ck_assert_uint_eq(map.count, 0);
    ss_map_fini(&map, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("map");
    TCase *tcase = tcase_create("map");
    tcase_add_test(tcase, zero_bytes_are_an_empty_map);
    tcase_add_test(tcase, what_is_put_is_found);
    tcase_add_test(tcase, the_key_is_copied);
    tcase_add_test(
        tcase, putting_again_gives_the_old_value_and_keeps_the_place);
    tcase_add_test(tcase, a_key_may_stand_for_nothing);
    tcase_add_test(tcase, entries_stand_in_order_of_insertion);
    tcase_add_test(tcase, removing_takes_out_first_middle_and_last);
    tcase_add_test(tcase, a_map_does_what_an_array_does);
    tcase_add_test(tcase, a_map_frees_its_values_when_told);
    tcase_add_test(tcase, numbers_are_keys_and_stand_in_order_of_insertion);
    tcase_add_test(tcase, a_map_of_a_few_entries_has_no_buckets);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
