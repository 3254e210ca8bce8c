// child.c - a program that we start, and whose standard output we read.
#include "client/cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"

enum { PATH_SIZE = 4096, EXIT_NOT_FOUND = 127 };

char *ss_child_program(const char *name)
{
    char path[PATH_SIZE];
    ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (size > 0) {
        path[size] = '\0';
        char *slash = strrchr(path, '/');
        if (slash) {
            *slash = '\0';
            char *beside = ss_format("%s/%s", path, name);
            if (access(beside, X_OK) == 0)
                return beside;
            ss_free(beside);
        }
    }
    return ss_strdup(name);
}

// In the child, between fork and exec: nothing but system calls.
_Noreturn static void become(const char *const *argv, int out, int failure)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    // exec keeps the words as they are, though its type does not say so.
    union {
        const char *const *given;
        char *const *wanted;
    } words = {.given = argv};
    execvp(argv[0], words.wanted);
    int why = errno;
    (void)!write(failure, &why, sizeof(why));
    _exit(EXIT_NOT_FOUND);
}

static bool set_flags(int fd, bool is_nonblocking)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
           (!is_nonblocking || fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
}

static void close_pair(const int *fds)
{
    close(fds[0]);
    close(fds[1]);
}

// Wait until the program runs or has said why it cannot.
static int check_started(
    int failure, const char *program, pid_t pid, struct ss_error *error)
{
    int why = 0;
    ssize_t size;
    do
        size = read(failure, &why, sizeof(why));
    while (size < 0 && errno == EINTR);
    if (size != (ssize_t)sizeof(why))
        return SS_OK;
    waitpid(pid, NULL, 0);
    return ss_error_set(
        error, SS_EIO, "cannot start %s: %s", program, strerror(why));
}

int ss_child_start(
    struct ss_child *child, const char *const *argv, struct ss_error *error)
{
    int out[2], failure[2];
    *child = (struct ss_child){.out_fd = -1};
    if (pipe(out) != 0)
        return ss_error_set(error, SS_EIO, "pipe: %s", strerror(errno));
    if (pipe(failure) != 0) {
        close_pair(out);
        return ss_error_set(error, SS_EIO, "pipe: %s", strerror(errno));
    }
    pid_t pid = -1;
    if (set_flags(out[0], true) && set_flags(out[1], false) &&
        set_flags(failure[0], false) && set_flags(failure[1], false))
        pid = fork();
    if (pid == 0)
        become(argv, out[1], failure[1]);
    int status = pid < 0
                     ? ss_error_set(error, SS_EIO, "fork: %s", strerror(errno))
                     : SS_OK;
    close(out[1]);
    close(failure[1]);
    if (status == SS_OK)
        status = check_started(failure[0], argv[0], pid, error);
    close(failure[0]);
    if (status != SS_OK) {
        close(out[0]);
        return status;
    }
    child->pid = pid;
    child->out_fd = out[0];
    return SS_OK;
}

static bool take_line(
    struct ss_child *child, size_t size, char ret_line[SS_CHILD_LINE_SIZE])
{
    memcpy(ret_line, child->line, size);
    ret_line[size] = '\0';
    size_t used = size < child->size ? size + 1 : size; // with its newline
    child->size -= used;
    memmove(child->line, child->line + used, child->size);
    return true;
}

bool ss_child_read(struct ss_child *child, char ret_line[SS_CHILD_LINE_SIZE])
{
    for (;;) {
        char *newline = memchr(child->line, '\n', child->size);
        if (newline)
            return take_line(child, (size_t)(newline - child->line), ret_line);
        if (child->size == SS_CHILD_LINE_SIZE - 1)
            return take_line(child, child->size, ret_line);
        if (child->out_fd < 0)
            return child->size > 0 && take_line(child, child->size, ret_line);
        ssize_t size = read(child->out_fd, child->line + child->size,
            SS_CHILD_LINE_SIZE - 1 - child->size);
        if (size < 0)
            return false;
        if (size == 0) {
            close(child->out_fd);
            child->out_fd = -1;
        }
        child->size += (size_t)size;
    }
}

bool ss_child_ended(struct ss_child *child, int *ret_status)
{
    if (child->pid == 0 || waitpid(child->pid, ret_status, WNOHANG) <= 0)
        return false;
    child->pid = 0;
    if (child->out_fd >= 0)
        close(child->out_fd);
    child->out_fd = -1;
    return true;
}

void ss_child_signal(const struct ss_child *child, int signal)
{
    if (child->pid > 0)
        kill(child->pid, signal);
}

char *ss_child_status_text(int status)
{
    if (WIFSIGNALED(status))
        return ss_format("was killed by signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return ss_format("exited with status %d", WEXITSTATUS(status));
}
