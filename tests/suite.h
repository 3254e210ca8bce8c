// suite.h - how a test program ends: its suite is run, and says how it went.
#ifndef SS_TESTS_SUITE_H
#define SS_TESTS_SUITE_H

#include <check.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
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

// That some characters take two columns is known of this locale, which the
// command asks for. False: it is not here, as is said; main() returns 77.
static inline bool suite_has_columns(void)
{
    bool is_here = setlocale(LC_CTYPE, "C.UTF-8") != NULL;
    if (!is_here)
        fprintf(stderr, "SKIPPED: there is no locale C.UTF-8\n");
    return is_here;
}

#endif
