// Places where a test stops a process.
#include "common/app/stop.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/suite.h"

// A process that comes three times to a place, with the variable set so; how it
// was seen first: stopped (and is then let go), or ended.
static int first_status(const char *variable, int *ret_last)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        if (variable)
            setenv("SUPERSTEP_TEST_STOP", variable, 1);
        for (int i = 1; i <= 3; i++) {
            ss_stop_at(SS_STOP_WORKER_SENT);
            ss_stop_at(SS_STOP_NOWHERE);
        }
        _exit(7);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, WUNTRACED), pid);
    *ret_last = status;
    if (WIFSTOPPED(status)) {
        kill(pid, SIGCONT);
        ck_assert_int_eq(waitpid(pid, ret_last, 0), pid);
    }
    return status;
}

START_TEST(without_the_variable_no_place_stops)
{
    int last;
    ck_assert(WIFEXITED(first_status(NULL, &last)));
    ck_assert(WIFEXITED(first_status("", &last)));
    ck_assert(WIFEXITED(first_status("worker-loaded", &last)));
    ck_assert_int_eq(WEXITSTATUS(last), 7);
}
END_TEST

START_TEST(a_process_stops_at_its_place_once_and_goes_on_when_it_is_told)
{
    static const char *const stopping[] = {
        "worker-sent", "worker-sent:1", "worker-sent:3"};
    for (size_t i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++) {
        int last, first = first_status(stopping[i], &last);
        ck_assert_msg(WIFSTOPPED(first), "%s", stopping[i]);
        ck_assert_int_eq(WSTOPSIG(first), SIGSTOP);
        ck_assert(WIFEXITED(last));
        ck_assert_int_eq(WEXITSTATUS(last), 7);
    }
}
END_TEST

START_TEST(a_passing_that_does_not_come_stops_nothing)
{
    int last;
    ck_assert(WIFEXITED(first_status("worker-sent:4", &last)));
}
END_TEST

START_TEST(a_place_that_is_none_ends_the_process_at_once)
{
    static const char *const wrong[] = {
        "worker", "worker-sent:0", "worker-sent:x", "worker-sentt"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        int last;
        ck_assert(WIFEXITED(first_status(wrong[i], &last)));
        ck_assert_msg(WEXITSTATUS(last) == 2, "%s", wrong[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stop");
    TCase *tcase = tcase_create("stop");
    tcase_add_test(tcase, without_the_variable_no_place_stops);
    tcase_add_test(
        tcase, a_process_stops_at_its_place_once_and_goes_on_when_it_is_told);
    tcase_add_test(tcase, a_passing_that_does_not_come_stops_nothing);
    tcase_add_test(tcase, a_place_that_is_none_ends_the_process_at_once);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
