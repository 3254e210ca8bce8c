// suite.h - one suite of a world's tests: each begins with a new world.
#ifndef SS_TESTS_STORIES_SUITE_H
#define SS_TESTS_STORIES_SUITE_H

#include <check.h>
#include <stdlib.h>

#include "tests/stories/world.h"
#include "tests/suite.h"

static inline int run_world_suite(
    const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    for (size_t i = 0; i < count; i++) { // CK_RUN_CASE=its_name runs one alone
        TCase *tcase = tcase_create(tests[i]->name);
        tcase_add_checked_fixture(tcase, world_begin, world_end);
        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
    return suite_main(suite);
}

#define SUITE(name, ...)                                                       \
    int main(void)                                                             \
    {                                                                          \
        const TTest *const tests[] = {__VA_ARGS__};                            \
        return run_world_suite(name, tests, sizeof(tests) / sizeof(*tests));   \
    }

#endif
