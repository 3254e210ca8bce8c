#include "common/model/run_status.h"

#include <check.h>
#include <jansson.h>

#include "tests/suite.h"

START_TEST(each_status_is_found_by_its_word)
{
    for (int i = SS_RUN_OTHER + 1; i <= SS_RUN_CANCELLED; i++) {
        enum ss_run_status status = (enum ss_run_status)i;
        ck_assert_int_eq(
            ss_run_status_by_name(ss_run_status_name(status)), status);
    }
    ck_assert_int_eq(ss_run_status_by_name("rollback"), SS_RUN_TAKEN_BACK);
}
END_TEST

START_TEST(a_word_of_a_newer_program_is_another_status_and_no_end)
{
    json_t *record = json_pack("{s:s}", "status", "abandoned");
    ck_assert_int_eq(ss_run_status_of(record), SS_RUN_OTHER);
    ck_assert(!ss_run_status_has_ended(SS_RUN_OTHER));
    ck_assert_int_eq(ss_run_status_of(NULL), SS_RUN_OTHER);
    ck_assert_int_eq(ss_run_status_by_name("?"), SS_RUN_OTHER);
    json_decref(record);
}
END_TEST

START_TEST(what_has_ended_does_not_go_on)
{
    ck_assert(ss_run_status_has_ended(SS_RUN_DONE));
    ck_assert(ss_run_status_has_ended(SS_RUN_CANCELLED));
    ck_assert(!ss_run_status_has_ended(SS_RUN_QUARANTINED));
    ck_assert(!ss_run_status_has_ended(SS_RUN_TAKEN_BACK));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run_status");
    TCase *tcase = tcase_create("run_status");
    tcase_add_test(tcase, each_status_is_found_by_its_word);
    tcase_add_test(
        tcase, a_word_of_a_newer_program_is_another_status_and_no_end);
    tcase_add_test(tcase, what_has_ended_does_not_go_on);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
