// Shards whose runs are being read: when all of them are known.
#include "coordinator/owners/gains.h"

#include <check.h>

#include "tests/suite.h"

static struct ss_shards from_to(uint16_t from, uint16_t to)
{
    struct ss_shards shards = {{0}};
    for (uint16_t i = from; i < to; i++)
        ss_shards_add(&shards, i);
    return shards;
}

START_TEST(what_is_gained_once_is_known_with_its_look)
{
    struct ss_gains gains = {0};
    struct ss_shards first = from_to(0, 10), second = from_to(10, 30);
    ss_gains_add(&gains, &first, false);
    ss_gains_add(&gains, &second, true);
    ck_assert(!ss_gains_next(&gains)->crashed);
    struct ss_shards known = ss_gains_read(&gains);
    ck_assert_uint_eq(ss_shards_count(&known), 10);
    ck_assert(ss_shards_have(&known, 9));
    ck_assert(ss_gains_next(&gains)->crashed);
    known = ss_gains_read(&gains);
    ck_assert_uint_eq(ss_shards_count(&known), 20);
    ck_assert_uint_eq(gains.all.count, 0);
    ss_gains_fini(&gains);
}
END_TEST

// In between another owner had it, and accepted runs that the look did not see.
START_TEST(what_is_gained_again_is_known_with_the_last_look)
{
    struct ss_gains gains = {0};
    struct ss_shards all = from_to(0, 10), again = from_to(5, 8),
                     once_more = from_to(7, 8);
    ss_gains_add(&gains, &all, false);
    ss_gains_add(&gains, &again, false);
    ss_gains_add(&gains, &once_more, false);
    struct ss_shards known = ss_gains_read(&gains);
    ck_assert_uint_eq(ss_shards_count(&known), 7);
    ck_assert(!ss_shards_have(&known, 5));
    known = ss_gains_read(&gains);
    ck_assert_uint_eq(ss_shards_count(&known), 2);
    ck_assert(!ss_shards_have(&known, 7));
    known = ss_gains_read(&gains);
    ck_assert_uint_eq(ss_shards_count(&known), 1);
    ck_assert(ss_shards_have(&known, 7));
    ss_gains_fini(&gains);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gains");
    TCase *tcase = tcase_create("gains");
    tcase_add_test(tcase, what_is_gained_once_is_known_with_its_look);
    tcase_add_test(tcase, what_is_gained_again_is_known_with_the_last_look);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
