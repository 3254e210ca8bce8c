// The table of doctor's findings.
#include "common/model/finding.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"

START_TEST(each_finding_has_a_name_of_its_own_and_a_remedy)
{
    for (int i = 0; i < SS_FINDINGS_COUNT; i++) {
        const char *name = ss_finding_name((enum ss_finding)i);
        ck_assert_uint_eq(
            strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
        ck_assert_uint_gt(strlen(ss_finding_remedy((enum ss_finding)i)), 20);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(name, ss_finding_name((enum ss_finding)j));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("finding");
    TCase *tcase = tcase_create("finding");
    tcase_add_test(tcase, each_finding_has_a_name_of_its_own_and_a_remedy);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
