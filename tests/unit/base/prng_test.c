#include "common/base/prng.h"

#include <check.h>
#include <signal.h>

#include "tests/suite.h"

START_TEST(the_numbers_are_those_of_the_paper)
{
    // The reference implementation's first numbers for the seed 1234567.
    static const uint64_t known[] = {6457827717110365317u, 3203168211198807973u,
        9817491932198370423u, 4593380528125082431u, 16408922859458223821u};
    struct ss_prng prng;
    ss_prng_init(&prng, 1234567);
    for (int i = 0; i < 5; i++)
        ck_assert_uint_eq(ss_prng_next(&prng), known[i]);
}
END_TEST

START_TEST(the_same_seed_gives_the_same_numbers)
{
    struct ss_prng one, other;
    ss_prng_init(&one, 42);
    ss_prng_init(&other, 42);
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_eq(ss_prng_next(&one), ss_prng_next(&other));
    ss_prng_init(&other, 43);
    ck_assert_uint_ne(ss_prng_next(&one), ss_prng_next(&other));
}
END_TEST

START_TEST(numbers_below_a_bound_are_even)
{
    struct ss_prng prng;
    ss_prng_init(&prng, 7);
    int counts[6] = {0};
    for (int i = 0; i < 60000; i++)
        counts[ss_prng_below(&prng, 6)]++;
    for (int i = 0; i < 6; i++) {
        ck_assert_int_gt(counts[i], 9500);
        ck_assert_int_lt(counts[i], 10500);
    }
    ck_assert_uint_eq(ss_prng_below(&prng, 1), 0);
    uint64_t half = UINT64_C(1) << 63;
    for (int i = 0; i < 1000; i++)
        ck_assert_uint_le(ss_prng_below(&prng, half + 1), half);
}
END_TEST

START_TEST(a_unit_number_is_under_one)
{
    struct ss_prng prng;
    ss_prng_init(&prng, 7);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        double number = ss_prng_unit(&prng);
        ck_assert(number >= 0.0 && number < 1.0);
        sum += number;
    }
    ck_assert(sum > 4800 && sum < 5200);
}
END_TEST

START_TEST(nothing_is_below_zero_and_asking_stops_the_process)
{
    struct ss_prng prng = {1};
    ss_prng_below(&prng, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("prng");
    TCase *tcase = tcase_create("prng");
    tcase_add_test(tcase, the_numbers_are_those_of_the_paper);
    tcase_add_test(tcase, the_same_seed_gives_the_same_numbers);
    tcase_add_test(tcase, numbers_below_a_bound_are_even);
    tcase_add_test(tcase, a_unit_number_is_under_one);
    tcase_add_test_raise_signal(
        tcase, nothing_is_below_zero_and_asking_stops_the_process, SIGABRT);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
