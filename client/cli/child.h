// child.h - a program that we start, and whose standard output we read.
//
// It is in a process group of its own (we pass on a ctrl-C at the terminal),
// and gets SIGTERM when our process dies.
#ifndef SS_CLI_CHILD_H
#define SS_CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/status.h"

enum { SS_CHILD_LINE_SIZE = 4096 }; // a longer line comes in pieces

struct ss_child {
    pid_t pid;  // 0: none
    int out_fd; // of its standard output, to be polled; -1: none
    size_t size;
    char line[SS_CHILD_LINE_SIZE];
};

// The program `name` that stands beside ours, or else is found by PATH. Gives
// (ss_free).
char *ss_child_program(const char *name);

// Start argv[0] with its arguments (ends with NULL). SS_EIO: it cannot be
// started.
int ss_child_start(struct ss_child *child, const char *const *argv,
    struct ss_error *error) SS_MUST_USE;
// The next line it printed, without its newline, into `ret_line`; false if
// there is none yet. Never waits.
bool ss_child_read(struct ss_child *child, char ret_line[SS_CHILD_LINE_SIZE]);
// Whether the child has ended; then *ret_status is as waitpid() gives it, and
// `child` is empty again. Never waits.
bool ss_child_ended(struct ss_child *child, int *ret_status);
// Does nothing where there is no child.
void ss_child_signal(const struct ss_child *child, int signal);
// "exited with status 1", "was killed by signal 9 (Killed)". Gives.
char *ss_child_status_text(int status);

#endif
