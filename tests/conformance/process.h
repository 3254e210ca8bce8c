// process.h - a program as a child, and the lines that it prints.
#ifndef CONFORMANCE_PROCESS_H
#define CONFORMANCE_PROCESS_H

#include <sys/types.h>

#include "common/base/status.h"

struct process {
    pid_t pid; // 0: none
    int out;   // its standard output
};

// Start argv[0] with its standard output in a pipe. It dies with us.
int process_start(
    struct process *process, char *const *argv, struct ss_error *error);
// The first line that it prints and that contains `word` (SS_ECLOSED: it ended
// before; SS_ETIMEOUT). Gives *ret_line (ss_free).
int process_wait_line(struct process *process, const char *word, int timeout_ms,
    char **ret_line, struct ss_error *error);
// Stop it by its id, and wait until it is gone. Fine if it never ran.
void process_stop(struct process *process);

#endif
