// What a store tells a coordinator that is alone with it, before it begins.
#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/store/store.h"
#include "tests/suite.h"

static struct ss_store *store;
static struct ss_error error;

static void set_up(void)
{
    error.message[0] = '\0';
    ck_assert_int_eq(ss_store_open("memory:", &store, &error), SS_OK);
}

static void tear_down(void)
{
    ss_store_close(&store);
}

static void put(enum ss_store_table table, const char *key, const char *text)
{
    struct ss_store_put one = {.table = table,
        .key = key,
        .value = text,
        .value_size = strlen(text),
        .when = SS_WHEN_ANY};
    struct ss_store_unit unit = {.puts = &one, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(store, &batch, &error), SS_OK);
    ck_assert_int_eq(unit.result, SS_OK);
}

START_TEST(epochs_begin_with_one_and_rise)
{
    uint64_t epoch = 0;
    for (uint64_t i = 1; i < 5; i++) {
        ck_assert_int_eq(ss_store_alone_epoch(store, 0, &epoch, &error), SS_OK);
        ck_assert_uint_eq(epoch, i);
    }
}
END_TEST

START_TEST(a_store_that_was_set_back_gives_no_epoch_again)
{
    uint64_t before = 0, after = 0;
    ck_assert_int_eq(ss_store_alone_epoch(store, 1000, &before, &error), SS_OK);
    ck_assert_uint_eq(before, 1000);
    ck_assert_int_eq(ss_store_alone_epoch(store, 900, &after, &error), SS_OK);
    ck_assert_uint_eq(after, 1001);   // a clock that goes back
    put(SS_TABLE_META, "epoch", "7"); // a backup of long ago
    ck_assert_int_eq(ss_store_alone_epoch(store, 2000, &after, &error), SS_OK);
    ck_assert_uint_eq(after, 2000);
}
END_TEST

START_TEST(an_epoch_that_is_no_number_is_damage)
{
    static const char *const wrong[] = {"", "seven", "\"7\"", "{}"};
    uint64_t epoch = 0;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        put(SS_TABLE_META, "epoch", wrong[i]);
        ck_assert_int_eq(
            ss_store_alone_epoch(store, 0, &epoch, &error), SS_ECORRUPT);
        ck_assert_ptr_nonnull(strstr(error.message, "epoch"));
    }
}
END_TEST

START_TEST(a_stop_as_asked_is_known_once)
{
    bool was_stopped = true;
    ck_assert_int_eq(ss_store_alone_begin(store, &was_stopped, &error), SS_OK);
    ck_assert(!was_stopped);
    put(SS_TABLE_META, SS_STORE_STOPPED_KEY, "true");
    ck_assert_int_eq(ss_store_alone_begin(store, &was_stopped, &error), SS_OK);
    ck_assert(was_stopped);
    ck_assert_int_eq(ss_store_alone_begin(store, &was_stopped, &error), SS_OK);
    ck_assert(!was_stopped);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("alone");
    TCase *tcase = tcase_create("alone");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, epochs_begin_with_one_and_rise);
    tcase_add_test(tcase, a_store_that_was_set_back_gives_no_epoch_again);
    tcase_add_test(tcase, an_epoch_that_is_no_number_is_damage);
    tcase_add_test(tcase, a_stop_as_asked_is_known_once);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
