// supervise.c - a parent that forks workers and starts crashed ones again.
//
// The first worker must have loaded the application before the others are
// forked: what is wrong with it is logged once. A child is in a process group
// of its own, so that ^C reaches it through the parent alone, and hears SIGTERM
// when the parent dies.
#include "worker/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/app/notify.h"
#include "common/app/signals.h"
#include "common/base/mem.h"
#include "worker/ended.h"
#include "worker/limits.h"

enum { NAME_SIZE = 300 };

struct child {
    pid_t pid; // 0: not running
    unsigned starts;
    int64_t started_ms;
    int64_t start_at_ms; // INT64_MAX: no more
    int64_t pause_ms;
};

struct family {
    const struct ss_worker_options *options;
    struct child *children;
    // Shared with the children: which of them ended on purpose. A body that
    // calls exit() may give any code. NULL: there is no memory for that.
    bool *meant;
    unsigned count;
    int signals_fd;
    unsigned signals_count; // that told us to end
    int exit_code;
};

int ss_worker_run_one(const struct ss_worker_options *options)
{
    struct ss_error error;
    switch (ss_worker_run(options, &error)) {
    case SS_OK:
        return 0;
    case SS_ECANCELLED:
        ss_log_say(SS_LOG_WARNING, "%s", error.message);
        return 0;
    case SS_ENOTFOUND:
    case SS_EINVAL:
    case SS_EFORMAT:
    case SS_EIO:
        ss_log_say(SS_LOG_ERROR, "%s", error.message);
        return SS_WORKER_EXIT_APPLICATION;
    default:
        ss_log_say(SS_LOG_ERROR, "%s", error.message);
        return SS_WORKER_EXIT_REFUSED;
    }
}

// ------------------------------------------------------------------ children

static void tell_loaded(void *ctx)
{
    int fd = *(int *)ctx;
    ssize_t written = write(fd, "", 1);
    (void)written;
    close(fd);
}

static void name_child(
    const struct family *family, unsigned index, char ret_name[NAME_SIZE])
{
    // A new name each time: the old one stays taken until its lease ends.
    const struct child *child = &family->children[index];
    if (!family->options->name) { // as it names itself
        char host[NAME_SIZE / 2] = "localhost";
        (void)!gethostname(host, sizeof(host) - 1);
        snprintf(ret_name, NAME_SIZE, "%s/%ld", host, (long)child->pid);
        return;
    }
    int size = snprintf(
        ret_name, NAME_SIZE, "%s/%u", family->options->name, index + 1);
    if (child->starts > 1 && size > 0 && size < NAME_SIZE)
        snprintf(
            ret_name + size, (size_t)(NAME_SIZE - size), ".%u", child->starts);
}

static int be_child(
    const struct family *family, unsigned index, pid_t parent, int loaded_fd)
{
    struct ss_worker_options options = *family->options;
    char name[NAME_SIZE];
    ss_signals_close();
    ss_notify_begin(); // its parent speaks
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        return 0; // the parent died before we asked for the signal
    if (options.name) {
        name_child(family, index, name);
        options.name = name;
    }
    if (loaded_fd >= 0) {
        options.on_loaded = tell_loaded;
        options.ctx = &loaded_fd;
    }
    return ss_worker_run_one(&options);
}

// Fork child `index`. The parent's side of the pipe is for waiting.
static bool start(struct family *family, unsigned index, const int pipe_fds[2])
{
    struct child *child = &family->children[index];
    pid_t parent = getpid();
    child->starts++;
    if (family->meant)
        family->meant[index] = false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (pipe_fds)
            close(pipe_fds[0]);
        int code = be_child(family, index, parent, pipe_fds ? pipe_fds[1] : -1);
        fflush(NULL);
        if (family->meant)
            family->meant[index] = true;
        // Not exit(): bodies that still run must not meet its destructors.
        _exit(code);
    }
    child->started_ms = ss_clock_ms();
    child->start_at_ms = INT64_MAX;
    if (pid < 0) {
        ss_log_say(SS_LOG_ERROR, "cannot start worker %u: %s", index + 1,
            strerror(errno));
        child->start_at_ms = child->started_ms + SS_RESTART_MS_MAX;
        return false;
    }
    child->pid = pid;
    return true;
}

static bool is_meant(const struct family *family, unsigned index, int status)
{
    return WIFEXITED(status) && (!family->meant || family->meant[index]) &&
           (WEXITSTATUS(status) == 0 ||
               WEXITSTATUS(status) == SS_WORKER_EXIT_APPLICATION ||
               WEXITSTATUS(status) == SS_WORKER_EXIT_REFUSED);
}

static void tell_all(const struct family *family, int signal)
{
    for (unsigned i = 0; i < family->count; i++)
        if (family->children[i].pid > 0)
            kill(family->children[i].pid, signal);
}

static void end_all(struct family *family)
{
    for (unsigned i = 0; i < family->count; i++)
        family->children[i].start_at_ms = INT64_MAX;
    tell_all(family, SIGTERM);
}

// In a process of its own: this one may not use ZeroMQ, and must not wait.
static void tell_ended(const struct family *family, unsigned index, int status)
{
    struct ss_worker_options options = *family->options;
    char name[NAME_SIZE];
    name_child(family, index, name);
    options.name = name;
    fflush(NULL);
    if (fork() != 0)
        return;
    ss_signals_close();
    setpgid(0, 0);
    char *how = ss_worker_how(status);
    ss_worker_tell_ended(&options, how);
    ss_free(how);
    _exit(0);
}

static void restart_later(
    struct family *family, unsigned index, pid_t pid, int status)
{
    struct child *child = &family->children[index];
    int64_t now_ms = ss_clock_ms();
    // A worker that ran well for a while may start again at once.
    bool was_well = now_ms - child->started_ms >= SS_RESTART_WELL_MS;
    if (was_well)
        child->pause_ms = 0;
    child->start_at_ms = now_ms + child->pause_ms;
    char how[96];
    if (WIFSIGNALED(status))
        snprintf(how, sizeof(how), "was killed by signal %d (%s)",
            WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(
            how, sizeof(how), "ended with exit code %d", WEXITSTATUS(status));
    ss_log_say(SS_LOG_WARNING,
        "worker %u (process %ld) %s; it is started again in %lld ms", index + 1,
        (long)pid, how, (long long)child->pause_ms);
    child->pause_ms =
        child->pause_ms == 0 ? SS_RESTART_MS : child->pause_ms * 2;
    if (child->pause_ms > SS_RESTART_MS_MAX)
        child->pause_ms = SS_RESTART_MS_MAX;
}

static void on_end(struct family *family, unsigned index, pid_t pid, int status)
{
    if (!is_meant(family, index, status))
        tell_ended(family, index, status);
    family->children[index].pid = 0;
    if (!is_meant(family, index, status)) {
        if (family->signals_count == 0 && family->exit_code == 0)
            restart_later(family, index, pid, status);
        return;
    }
    int code = WEXITSTATUS(status);
    if (code == 0 || family->exit_code != 0)
        return;
    // What is wrong with one worker is wrong with all.
    family->exit_code = code;
    end_all(family);
}

static void reap(struct family *family)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (unsigned i = 0; i < family->count; i++)
            if (family->children[i].pid == pid)
                on_end(family, i, pid, status);
}

// ------------------------------------------------------------------ loop

static void take_signals(struct family *family)
{
    int signal;
    while ((signal = ss_signals_take()) != 0) {
        if (signal == SIGCHLD)
            continue; // reap() looks for itself
        ss_notify_stopping();
        if (family->signals_count++ == 0)
            end_all(family);
        else
            tell_all(family, SIGKILL);
    }
}

static int64_t start_due(struct family *family)
{
    int64_t next_ms = INT64_MAX;
    for (unsigned i = 0; i < family->count; i++) {
        struct child *child = &family->children[i];
        if (child->pid == 0 && child->start_at_ms <= ss_clock_ms())
            start(family, i, NULL);
        if (child->pid == 0 && child->start_at_ms < next_ms)
            next_ms = child->start_at_ms;
    }
    return next_ms;
}

static bool has_children(const struct family *family)
{
    for (unsigned i = 0; i < family->count; i++)
        if (family->children[i].pid > 0 ||
            family->children[i].start_at_ms < INT64_MAX)
            return true;
    return false;
}

static void mind(struct family *family)
{
    while (has_children(family)) {
        struct pollfd wait = {.fd = family->signals_fd, .events = POLLIN};
        int64_t now_ms = ss_clock_ms(), next_ms = start_due(family);
        int64_t tell_at_ms = ss_notify_turn(now_ms, NULL);
        if (tell_at_ms < next_ms)
            next_ms = tell_at_ms;
        poll(&wait, 1, ss_clock_left(next_ms, now_ms));
        take_signals(family);
        reap(family);
    }
}

// Start the first child, and wait until it has loaded the application, or is
// gone.
static void start_first(struct family *family)
{
    int fds[2];
    if (pipe(fds) != 0) {
        start(family, 0, NULL);
        return;
    }
    fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    bool is_started = start(family, 0, fds);
    close(fds[1]);
    char byte;
    while (is_started && read(fds[0], &byte, 1) < 0 && errno == EINTR)
        continue;
    close(fds[0]);
}

int ss_worker_supervise(const struct ss_worker_options *options, unsigned count)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGCHLD};
    struct family family = {.options = options, .count = count};
    struct ss_error error;
    if (ss_signals_open(signals, 3, &family.signals_fd, &error) != SS_OK) {
        ss_log_say(SS_LOG_ERROR, "%s", error.message);
        return SS_WORKER_EXIT_APPLICATION;
    }
    family.children = ss_zalloc(count, sizeof(*family.children));
    void *shared = mmap(NULL, count * sizeof(*family.meant),
        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    family.meant = shared == MAP_FAILED ? NULL : shared;
    start_first(&family);
    take_signals(&family);
    reap(&family);
    for (unsigned i = 1; i < count; i++)
        family.children[i].start_at_ms =
            family.exit_code != 0 || family.signals_count > 0 ? INT64_MAX : 0;
    mind(&family);
    ss_free(family.children);
    if (family.meant)
        munmap(family.meant, count * sizeof(*family.meant));
    ss_signals_close();
    return family.exit_code;
}
