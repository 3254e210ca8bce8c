#include "common/base/check.h"

#include <check.h>
#include <signal.h>

#include "tests/suite.h"

START_TEST(a_true_claim_costs_nothing_and_is_judged_once)
{
    int judged = 0;
    ss_check(++judged == 1);
    ck_assert_int_eq(judged, 1);
}
END_TEST

START_TEST(a_false_claim_stops_the_process)
{
    int two = 2;
    ss_check(two == 3);
}
END_TEST

START_TEST(reaching_the_unreachable_stops_the_process)
{
    ss_unreachable();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("check");
    TCase *tcase = tcase_create("check");
    tcase_add_test(tcase, a_true_claim_costs_nothing_and_is_judged_once);
    tcase_add_test_raise_signal(
        tcase, a_false_claim_stops_the_process, SIGABRT);
    tcase_add_test_raise_signal(
        tcase, reaching_the_unreachable_stops_the_process, SIGABRT);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
