// suite.h - how a test program ends: its suite is run, and says how it went.
#ifndef SS_TESTS_SUITE_H
#define SS_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

// Takes `suite`. What main() returns.
static inline int suite_main(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
