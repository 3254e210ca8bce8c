// Programs that we start, and their lines.
#include "client/cli/child.h"

#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/suite.h"

static struct ss_child child;
static char line[SS_CHILD_LINE_SIZE];

static void start(const char *script)
{
    struct ss_error error;
    ck_assert_int_eq(
        ss_child_start(
            &child, (const char *const[]){"sh", "-c", script, NULL}, &error),
        SS_OK);
    ck_assert_int_gt(child.pid, 0);
}

// Wait for the next line; false at the end of its output.
static bool next_line(void)
{
    while (!ss_child_read(&child, line)) {
        if (child.out_fd < 0)
            return false;
        struct pollfd poll_fd = {.fd = child.out_fd, .events = POLLIN};
        poll(&poll_fd, 1, -1);
    }
    return true;
}

static int wait_status(void)
{
    int status;
    siginfo_t info;
    // The end without taking it: that is what ss_child_ended() does.
    ck_assert_int_eq(
        waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT), 0);
    ck_assert(ss_child_ended(&child, &status));
    ck_assert_int_eq(child.pid, 0);
    ck_assert_int_eq(child.out_fd, -1);
    ck_assert(!ss_child_ended(&child, &status));
    return status;
}

static void expect_status(int status, const char *text)
{
    char *got = ss_child_status_text(status);
    ck_assert_str_eq(got, text);
    ss_free(got);
}

START_TEST(lines_come_one_by_one)
{
    start("echo one; echo; printf 'the last'");
    ck_assert(next_line());
    ck_assert_str_eq(line, "one");
    ck_assert(next_line());
    ck_assert_str_eq(line, "");
    ck_assert(next_line());
    ck_assert_str_eq(line, "the last");
    ck_assert(!next_line());
    expect_status(wait_status(), "exited with status 0");
}
END_TEST

START_TEST(a_long_line_comes_in_pieces)
{
    start("printf '%06000d' 7; echo; echo end");
    ck_assert(next_line());
    ck_assert_uint_eq(strlen(line), SS_CHILD_LINE_SIZE - 1);
    ck_assert(next_line());
    ck_assert_uint_eq(strlen(line), 6000 - (SS_CHILD_LINE_SIZE - 1));
    ck_assert(next_line());
    ck_assert_str_eq(line, "end");
    wait_status();
}
END_TEST

START_TEST(reading_never_waits)
{
    start("read word; echo $word");
    // Its standard input is ours; it ends when it is told to.
    ck_assert(!ss_child_read(&child, line));
    int status;
    ck_assert(!ss_child_ended(&child, &status));
    ss_child_signal(&child, SIGKILL);
    ck_assert(!next_line());
    expect_status(wait_status(), "was killed by signal 9 (Killed)");
    ss_child_signal(&child, SIGKILL); // there is none any more
}
END_TEST

START_TEST(how_it_ended_is_told)
{
    start("exit 3");
    expect_status(wait_status(), "exited with status 3");
    start("kill -TERM $$");
    expect_status(wait_status(), "was killed by signal 15 (Terminated)");
}
END_TEST

START_TEST(it_is_in_a_process_group_of_its_own)
{
    start("read word");
    // It does so before it becomes the program, which we have waited for.
    ck_assert_int_eq(getpgid(child.pid), child.pid);
    ss_child_signal(&child, SIGKILL);
    wait_status();
}
END_TEST

START_TEST(a_program_that_is_not_there_is_an_error)
{
    struct ss_error error;
    const char *const argv[] = {"/no/such/program", NULL};
    ck_assert_int_eq(ss_child_start(&child, argv, &error), SS_EIO);
    ck_assert_str_eq(error.message,
        "cannot start /no/such/program: No such file or directory");
    ck_assert_int_eq(child.pid, 0);
}
END_TEST

START_TEST(a_program_beside_ours_is_found_first)
{
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    ck_assert_int_gt(size, 0);
    self[size] = '\0';
    char *found = ss_child_program(strrchr(self, '/') + 1);
    ck_assert_str_eq(found, self);
    ss_free(found);
    found = ss_child_program("superstep-no-such-program");
    ck_assert_str_eq(found, "superstep-no-such-program");
    ss_free(found);
}
END_TEST

int main(void)
{
    // What the children read from: a pipe that says nothing.
    int silent[2];
    if (pipe(silent) != 0 || dup2(silent[0], STDIN_FILENO) < 0)
        return 1;
    Suite *suite = suite_create("child");
    TCase *tcase = tcase_create("child");
    tcase_add_test(tcase, lines_come_one_by_one);
    tcase_add_test(tcase, a_long_line_comes_in_pieces);
    tcase_add_test(tcase, reading_never_waits);
    tcase_add_test(tcase, how_it_ended_is_told);
    tcase_add_test(tcase, it_is_in_a_process_group_of_its_own);
    tcase_add_test(tcase, a_program_that_is_not_there_is_an_error);
    tcase_add_test(tcase, a_program_beside_ours_is_found_first);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
