// family.c - the parent of several processes, and what its children tell it.
#include "common/app/family.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/limits.h"
#include "common/app/log.h"
#include "common/app/metrics.h"
#include "common/app/notify.h"
#include "common/app/signals.h"
#include "common/base/mem.h"

// What a child says of itself, beside what is for a manager.
#define SAYS_OPENED "X_OPENED"
#define SAYS_CODE   "X_CODE" // be() returned it

struct child {
    struct ss_family_child is;
    int fd; // what it tells; -1: it does not run
    int64_t started_ms;
    int64_t start_at_ms; // INT64_MAX: no more
    int64_t pause_ms;
    int64_t sign_ms; // its last sign of life
    int code;        // what be() returned; -1: it has not
    bool is_waited;  // for the first one to open
    bool is_leaving; // it said so
    char status[SS_HEALTH_SIZE];
};

struct family {
    const struct ss_family_options *options;
    struct child *children;
    struct pollfd *polled;
    int signals_fd;
    unsigned signals_count; // that told us to end
    bool was_ready;
    int exit_code;
};

static bool child_runs(const struct child *child)
{
    return child->fd >= 0;
}

// ------------------------------------------------ a child's side

void ss_family_opened(void)
{
    ss_family_tell(SAYS_OPENED, "1");
}

void ss_family_tell(const char *name, const char *value)
{
    char line[SS_FAMILY_TELL_MAX];
    snprintf(line, sizeof(line), "%s=%s", name, value);
    ss_notify_parent(line);
}

static void family_forget(struct family *family)
{
    ss_signals_close();
    for (unsigned i = 0; i < family->options->count; i++)
        if (child_runs(&family->children[i]))
            close(family->children[i].fd);
}

// A signal that comes to the child before it has let go of what is its parent's
// waits until then: the parent would take it for its own, by their one pipe.
static pid_t family_fork(struct family *family)
{
    sigset_t all, before;
    fflush(NULL);
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    if (pid == 0)
        family_forget(family);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pid;
}

_Noreturn static void family_be_child(
    struct family *family, const struct child *child, pid_t parent, int fd)
{
    struct ss_family_child is = child->is;
    char code[32];
    ss_notify_begin_at(fd, ss_notify_sign_ms());
    ss_log_set_process(is.index + 1);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(0); // the parent died before we asked for the signal
    is.pid = getpid();
    int got = family->options->be(family->options->ctx, &is);
    fflush(NULL);
    snprintf(code, sizeof(code), SAYS_CODE "=%d", got);
    ss_notify_parent_last(code);
    // Not exit(): threads that still run must not meet its destructors.
    _exit(got);
}

// ------------------------------------------------ starting

static void family_cannot_start(struct family *family, struct child *child)
{
    ss_log_say(SS_LOG_ERROR, "cannot start %s %u: %s", family->options->noun,
        child->is.index + 1, strerror(errno));
    child->start_at_ms = child->started_ms + SS_RESTART_MS_MAX;
}

static void family_start(struct family *family, struct child *child)
{
    int fds[2];
    pid_t parent = getpid(), pid;
    child->is.starts++;
    child->is.was_ready = child->is_leaving = false;
    child->code = -1;
    child->started_ms = ss_clock_ms();
    child->start_at_ms = INT64_MAX;
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds) != 0) {
        family_cannot_start(family, child);
        return;
    }
    if ((pid = family_fork(family)) == 0) {
        close(fds[0]);
        family_be_child(family, child, parent, fds[1]);
    }
    if (pid < 0) {
        family_cannot_start(family, child);
        close(fds[0]);
        close(fds[1]);
        return;
    }
    close(fds[1]);
    child->is.pid = pid;
    child->fd = fds[0];
}

static void family_start_due(struct family *family)
{
    for (unsigned i = 0; i < family->options->count; i++) {
        struct child *child = &family->children[i];
        if (!child_runs(child) && !child->is_waited &&
            child->start_at_ms <= ss_clock_ms())
            family_start(family, child);
    }
}

static void family_start_others(struct family *family)
{
    for (unsigned i = 0; i < family->options->count; i++)
        family->children[i].is_waited = false;
}

// ------------------------------------------------ what children tell

static void family_take_line(
    struct family *family, struct child *child, char *line)
{
    const struct ss_family_options *options = family->options;
    char *value = strchr(line, '=');
    if (!value)
        return;
    *value++ = '\0';
    child->sign_ms = ss_clock_ms();
    if (strcmp(line, "READY") == 0)
        child->is.was_ready = true;
    else if (strcmp(line, "STATUS") == 0)
        snprintf(child->status, sizeof(child->status), "%s", value);
    else if (strcmp(line, "STOPPING") == 0)
        child->is_leaving = true; // no sign is owed any more
    else if (strcmp(line, SAYS_OPENED) == 0)
        family_start_others(family);
    else if (strcmp(line, SAYS_CODE) == 0)
        child->code = (int)strtol(value, NULL, 10);
    else if (options->told && strncmp(line, "X_", 2) == 0)
        options->told(options->ctx, &child->is, line, value);
}

static void family_hear(struct family *family, struct child *child)
{
    char text[SS_FAMILY_TELL_MAX + SS_HEALTH_SIZE], *rest = NULL;
    ssize_t size;
    while ((size = recv(child->fd, text, sizeof(text) - 1, MSG_DONTWAIT)) > 0) {
        text[size] = '\0';
        for (char *line = strtok_r(text, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest))
            family_take_line(family, child, line);
    }
}

// ------------------------------------------------ ends

static void family_tell_all(const struct family *family, int signal)
{
    for (unsigned i = 0; i < family->options->count; i++)
        if (child_runs(&family->children[i]))
            kill(family->children[i].is.pid, signal);
}

static void family_end_all(struct family *family)
{
    for (unsigned i = 0; i < family->options->count; i++) {
        family->children[i].start_at_ms = INT64_MAX;
        family->children[i].is.was_asked = true;
    }
    family_tell_all(family, SIGTERM);
}

char *ss_family_how(int status)
{
    if (WIFSIGNALED(status))
        return ss_format("was killed by signal %d (%s)", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return ss_format("ended with exit code %d", WEXITSTATUS(status));
}

// In a process of its own: this one may not use ZeroMQ, and must not wait.
static void family_tell_crashed(
    struct family *family, const struct child *child, int status)
{
    if (!family->options->crashed)
        return;
    if (family_fork(family) != 0)
        return;
    ss_notify_begin(); // its parent speaks
    setpgid(0, 0);
    family->options->crashed(family->options->ctx, &child->is, status);
    _exit(0);
}

static void family_start_again(
    struct family *family, struct child *child, int status)
{
    int64_t now_ms = ss_clock_ms();
    // Who ran well for a while may start again at once.
    if (now_ms - child->started_ms >= SS_RESTART_WELL_MS)
        child->pause_ms = 0;
    child->start_at_ms = now_ms + child->pause_ms;
    char *how = ss_family_how(status);
    ss_log_say(SS_LOG_WARNING,
        "%s %u (process %ld) %s; it is started again in %lld ms",
        family->options->noun, child->is.index + 1, (long)child->is.pid, how,
        (long long)child->pause_ms);
    ss_free(how);
    snprintf(child->status, sizeof(child->status), "it is started again");
    child->pause_ms =
        child->pause_ms == 0 ? SS_RESTART_MS : child->pause_ms * 2;
    if (child->pause_ms > SS_RESTART_MS_MAX)
        child->pause_ms = SS_RESTART_MS_MAX;
}

// Code of somebody else may give any exit code: be() has not returned it.
static bool is_crash(const struct child *child, int status)
{
    return !WIFEXITED(status) || WEXITSTATUS(status) != child->code;
}

static enum ss_family_end family_judge(
    struct family *family, const struct child *child, int status)
{
    const struct ss_family_options *options = family->options;
    if (is_crash(child, status))
        return SS_FAMILY_AGAIN;
    return options->ended(options->ctx, &child->is, child->code);
}

static void family_on_end(
    struct family *family, struct child *child, int status)
{
    family_hear(family, child); // its last words
    close(child->fd);
    child->fd = -1;
    family_start_others(
        family); // who was gone before it had opened does not open
    enum ss_family_end end = family_judge(family, child, status);
    if (is_crash(child, status))
        family_tell_crashed(family, child, status);
    child->is.was_ready = false;
    if (end == SS_FAMILY_AGAIN && !child->is.was_asked) {
        family_start_again(family, child, status);
        return;
    }
    if (end != SS_FAMILY_OVER || family->exit_code != 0)
        return;
    family->exit_code = child->code;
    if (!child->is.was_asked)
        family_end_all(family);
}

static void family_reap(struct family *family)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (unsigned i = 0; i < family->options->count; i++)
            if (child_runs(&family->children[i]) &&
                family->children[i].is.pid == pid)
                family_on_end(family, &family->children[i], status);
}

static void family_take_signals(struct family *family)
{
    int signal;
    while ((signal = ss_signals_take()) != 0) {
        if (signal == SIGCHLD)
            continue; // family_reap() looks for itself
        ss_notify_stopping();
        if (family->signals_count++ == 0)
            family_end_all(family);
        else
            family_tell_all(family, family->options->again);
    }
}

// ------------------------------------------------ what the manager is told

// A child that was ready and is silent hangs: it is ended, and started again.
static void family_mind_silent(struct family *family, int64_t now_ms)
{
    int64_t sign_ms = ss_notify_sign_ms();
    for (unsigned i = 0; i < family->options->count && sign_ms > 0; i++) {
        struct child *child = &family->children[i];
        if (!child_runs(child) || !child->is.was_ready || child->is_leaving ||
            child->is.was_asked ||
            now_ms < child->sign_ms + sign_ms * SS_FAMILY_SIGNS)
            continue;
        ss_log_say(SS_LOG_ERROR,
            "%s %u (process %ld) has given no sign for %lld ms: it is ended",
            family->options->noun, child->is.index + 1, (long)child->is.pid,
            (long long)(now_ms - child->sign_ms));
        child->sign_ms = now_ms;
        kill(child->is.pid, SIGABRT);
    }
}

static bool child_is_away(const struct child *child)
{
    return !child_runs(child) && child->start_at_ms == INT64_MAX;
}

// What is wrong with the first one that is not well; NULL: all are.
static const char *family_trouble(
    const struct family *family, char *text, size_t size)
{
    for (unsigned i = 0; i < family->options->count; i++) {
        const struct child *child = &family->children[i];
        if (child_is_away(child) ||
            (child->is.was_ready && strcmp(child->status, "ready") == 0))
            continue;
        snprintf(text, size, "%s %u: %.*s", family->options->noun, i + 1,
            SS_HEALTH_SIZE - 64, child->status);
        return text;
    }
    return NULL;
}

// Gives the time when it has to be done again, at the latest.
static int64_t family_tell_manager(struct family *family, int64_t now_ms)
{
    char text[SS_HEALTH_SIZE];
    const char *why = family_trouble(family, text, sizeof(text));
    family_mind_silent(family, now_ms);
    if (!why && !family->was_ready && !child_is_away(&family->children[0])) {
        family->was_ready = true;
        if (family->options->ready)
            family->options->ready(family->options->ctx);
    }
    return ss_notify_turn(now_ms, why);
}

// ------------------------------------------------ the loop

static bool family_has_children(const struct family *family)
{
    for (unsigned i = 0; i < family->options->count; i++)
        if (!child_is_away(&family->children[i]))
            return true;
    return false;
}

static int64_t family_next_start_ms(const struct family *family)
{
    int64_t next_ms = INT64_MAX;
    for (unsigned i = 0; i < family->options->count; i++) {
        const struct child *child = &family->children[i];
        if (!child_runs(child) && !child->is_waited &&
            child->start_at_ms < next_ms)
            next_ms = child->start_at_ms;
    }
    return next_ms;
}

static void family_wait(struct family *family, int64_t now_ms, int64_t wake_ms)
{
    unsigned count = family->options->count;
    family->polled[count] =
        (struct pollfd){.fd = family->signals_fd, .events = POLLIN};
    for (unsigned i = 0; i < count; i++)
        family->polled[i] =
            (struct pollfd){.fd = family->children[i].fd, .events = POLLIN};
    (void)poll(family->polled, count + 1, ss_clock_left(wake_ms, now_ms));
    for (unsigned i = 0; i < count; i++)
        if (child_runs(&family->children[i]))
            family_hear(family, &family->children[i]);
}

static void family_mind(struct family *family)
{
    while (family_has_children(family)) {
        family_start_due(family);
        int64_t now_ms = ss_clock_ms();
        int64_t wake_ms = family_tell_manager(family, now_ms);
        if (family_next_start_ms(family) < wake_ms)
            wake_ms = family_next_start_ms(family);
        family_wait(family, now_ms, wake_ms);
        family_take_signals(family);
        family_reap(family);
    }
}

int ss_family_run(const struct ss_family_options *options)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGCHLD};
    struct family family = {.options = options};
    struct ss_error error;
    if (ss_signals_open(signals, 3, &family.signals_fd, &error) != SS_OK) {
        ss_log_say(SS_LOG_ERROR, "%s", error.message);
        return EXIT_FAILURE;
    }
    family.children = ss_zalloc(options->count, sizeof(*family.children));
    family.polled = ss_zalloc(options->count + 1, sizeof(*family.polled));
    for (unsigned i = 0; i < options->count; i++) {
        family.children[i].is.index = i;
        family.children[i].fd = -1;
        family.children[i].is_waited = i > 0;
        snprintf(family.children[i].status, SS_HEALTH_SIZE, "it starts");
    }
    family_mind(&family);
    ss_free(family.children);
    ss_free(family.polled);
    ss_signals_close();
    return family.exit_code;
}
