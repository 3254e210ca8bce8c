#include "tests/support/store_faulty.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/contract/store_world.h"
#include "tests/suite.h"

static struct ss_store *store;

static void setup(void)
{
    world_begin();
    store = world_open(2); // memory, decorated
}

static void teardown(void)
{
    ss_store_close(&store);
    world_end();
}

static void plan(struct ss_faulty_plan it)
{
    ss_store_faulty_set(store, &it);
}

START_TEST(an_apply_fails_before_it_is_committed)
{
    plan((struct ss_faulty_plan){.fail_at = 2, .fail_status = SS_EIO});
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EIO);
    ck_assert_str_eq(
        world_error.message, "store: apply 2 fails by plan (before)");
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
}
END_TEST

START_TEST(an_apply_fails_after_it_was_committed)
{
    plan((struct ss_faulty_plan){
        .fail_at = 1, .fail_after = true, .fail_status = SS_EAGAIN});
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_EAGAIN);
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
    // The same again settles the doubt.
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_uint_eq(ss_store_faulty_seen(store).rows, 1);
}
END_TEST

START_TEST(several_applies_fail_in_a_row)
{
    plan((struct ss_faulty_plan){
        .fail_at = 2, .fail_count = 2, .fail_status = SS_EFULL});
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EFULL);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EFULL);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    ck_assert_uint_eq(ss_store_faulty_seen(store).applies, 4);
}
END_TEST

START_TEST(the_store_stops_after_a_row)
{
    plan((struct ss_faulty_plan){.stop_after_rows = 2});
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "u", 2, "gap"), SS_EREFUSED);
    ck_assert(!ss_store_faulty_seen(store).stopped);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_ECLOSED);
    ck_assert(ss_store_faulty_seen(store).stopped);
    ck_assert_int_eq(append_row(store, "t", 3, "three"), SS_ECLOSED);
    ck_assert_int_eq(
        ss_store_read(store, "t", 0, 9, NULL, NULL, NULL), SS_ECLOSED);
    ck_assert_int_eq(
        ss_store_scan(store, SS_TABLE_RUNS, NULL, NULL, 0, NULL, NULL, NULL),
        SS_ECLOSED);
    ck_assert_int_eq(
        ss_store_get(store, SS_TABLE_RUNS, "k", NULL, NULL, NULL), SS_ECLOSED);
    store = ss_store_faulty_end(&store);
    ck_assert_str_eq(all_rows(store, "t"), "1:one 2:two");
}
END_TEST

START_TEST(the_store_stops_between_the_units_of_a_batch)
{
    struct ss_store_row rows[] = {
        row_of("t", 1, "one"), row_of("t", 2, "two"), row_of("u", 1, "one")};
    struct ss_store_unit units[] = {
        {.thread = "t", .rows = rows, .rows_count = 2},
        {.thread = "u", .rows = &rows[2], .rows_count = 1},
    };
    struct ss_store_batch batch = {.units = units, .units_count = 2};
    plan((struct ss_faulty_plan){.stop_after_rows = 1});
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_ECLOSED);
    plan((struct ss_faulty_plan){0});
    ck_assert_str_eq(all_rows(store, "t"), "1:one 2:two");
    ck_assert_str_eq(all_rows(store, "u"), "");
}
END_TEST

START_TEST(a_new_plan_counts_anew)
{
    plan((struct ss_faulty_plan){.stop_after_rows = 1});
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_ECLOSED);
    plan((struct ss_faulty_plan){.stop_after_rows = 2});
    ck_assert_uint_eq(ss_store_faulty_seen(store).rows, 0);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 3, "three"), SS_ECLOSED);
}
END_TEST

START_TEST(without_a_plan_rows_are_counted)
{
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 9, "gap"), SS_EREFUSED);
    struct ss_store_row row = row_of("t", 1, "anew");
    struct ss_store_unit unit = {
        .thread = "t", .rows = &row, .rows_count = 1, .delete_thread = true};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_uint_eq(ss_store_faulty_seen(store).rows, 3);
    ck_assert_uint_eq(ss_store_faulty_seen(store).applies, 5);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store_faulty");
    TCase *t = tcase_create("faults");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_apply_fails_before_it_is_committed);
    tcase_add_test(t, an_apply_fails_after_it_was_committed);
    tcase_add_test(t, several_applies_fail_in_a_row);
    tcase_add_test(t, the_store_stops_after_a_row);
    tcase_add_test(t, the_store_stops_between_the_units_of_a_batch);
    tcase_add_test(t, a_new_plan_counts_anew);
    tcase_add_test(t, without_a_plan_rows_are_counted);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}
