// process.c - child processes of the player.
#include "tests/conformance/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"

enum {
    LINE_SIZE_MAX = 64 * 1024, // what a program says before it is ready
};

int process_start(
    struct process *process, char *const *argv, struct ss_error *error)
{
    int ends[2];
    if (pipe(ends) != 0)
        return ss_error_set(error, SS_EIO, "pipe: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(argv[0], argv);
        _exit(127);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ss_error_set(error, SS_EIO, "fork: %s", strerror(errno));
    }
    *process = (struct process){.pid = pid, .out = ends[0]};
    return SS_OK;
}

// One more byte; 0 at the end, -1 when time is over.
static int read_byte(struct process *process, int timeout_ms, char *ret_byte)
{
    struct pollfd wait = {.fd = process->out, .events = POLLIN};
    int ready;
    do {
        ready = poll(&wait, 1, timeout_ms);
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return -1;
    return read(process->out, ret_byte, 1) == 1 ? 1 : 0;
}

int process_wait_line(struct process *process, const char *word, int timeout_ms,
    char **ret_line, struct ss_error *error)
{
    struct ss_buf line;
    ss_buf_init(&line, LINE_SIZE_MAX);
    int status = SS_OK;
    while (status == SS_OK) {
        char byte;
        int got = read_byte(process, timeout_ms, &byte);
        if (got < 0)
            status = ss_error_set(error, SS_ETIMEOUT,
                "a program did not say \"%s\" in time", word);
        else if (got == 0)
            status = ss_error_set(error, SS_ECLOSED,
                "a program ended before it said \"%s\"", word);
        else if (byte != '\n')
            status = ss_buf_add(&line, &byte, 1);
        else if (strstr(ss_buf_str(&line), word))
            break;
        else
            ss_buf_reset(&line);
    }
    if (status == SS_OK)
        *ret_line = ss_strdup(ss_buf_str(&line));
    ss_buf_fini(&line);
    return status;
}

void process_stop(struct process *process)
{
    if (process->pid == 0)
        return;
    // Nothing that they hold is needed any more.
    kill(process->pid, SIGKILL);
    while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(process->out);
    *process = (struct process){0};
}
