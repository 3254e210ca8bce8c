// What is known of how long bodies of a node take.
#include "worker/paces.h"

#include <check.h>

#include "tests/suite.h"
#include "worker/limits.h"

static struct ss_paces paces;

static unsigned place_of(char *graph, char *node)
{
    const struct ss_assignment order = {.graph = graph, .node = node};
    return ss_paces_place(&order);
}

START_TEST(a_node_is_quick_only_once_it_was)
{
    unsigned place = place_of("g", "a");
    ss_paces_init(&paces);
    ck_assert(!ss_paces_is_quick(&paces, place));
    ss_paces_learn(&paces, place, SS_HOST_QUICK_US - 1);
    ck_assert(ss_paces_is_quick(&paces, place));
    ck_assert(!ss_paces_is_quick(&paces, place_of("g", "b")));
    ck_assert(!ss_paces_is_quick(&paces, place_of("h", "a")));
}
END_TEST

START_TEST(a_node_is_slow_at_once_and_quick_again_by_and_by)
{
    unsigned place = place_of("g", "a");
    int times = 0;
    ss_paces_init(&paces);
    ss_paces_learn(&paces, place, 1);
    ss_paces_learn(&paces, place, 10 * SS_HOST_QUICK_US);
    ck_assert(!ss_paces_is_quick(&paces, place));
    for (; !ss_paces_is_quick(&paces, place); times++)
        ss_paces_learn(&paces, place, 1);
    ck_assert_int_gt(times, 5);
    ck_assert_int_lt(times, 12);
}
END_TEST

START_TEST(a_body_that_took_an_hour_is_no_node_that_nobody_knows)
{
    unsigned place = place_of("g", "a");
    ss_paces_init(&paces);
    ss_paces_learn(&paces, place, INT64_C(3600000000) * 2);
    ck_assert(!ss_paces_is_quick(&paces, place));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("paces");
    TCase *tcase = tcase_create("paces");
    tcase_add_test(tcase, a_node_is_quick_only_once_it_was);
    tcase_add_test(tcase, a_node_is_slow_at_once_and_quick_again_by_and_by);
    tcase_add_test(
        tcase, a_body_that_took_an_hour_is_no_node_that_nobody_knows);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
