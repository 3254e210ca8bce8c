// signals.c - the self-pipe.
#include "common/app/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { CAUGHT_MAX = 16 };

static int fds[2] = {-1, -1};
static int caught[CAUGHT_MAX];
static struct sigaction before[CAUGHT_MAX];
static size_t caught_count;
static atomic_uint noted; // and not taken: a loop asks in each of its turns

static void note(int number)
{
    int saved = errno;
    unsigned char byte = (unsigned char)number;
    atomic_fetch_add(&noted, 1); // first: who reads the byte finds it counted
    // A full pipe holds enough signals to wake anybody.
    if (write(fds[1], &byte, 1) != 1)
        atomic_fetch_sub(&noted, 1);
    errno = saved;
}

static void set_up(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    caught[caught_count] = number;
    sigaction(number, &action, &before[caught_count++]);
}

static void make_polite(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int ss_signals_open(
    const int *signals, size_t count, int *ret_fd, struct ss_error *error)
{
    if (fds[0] >= 0 || count >= CAUGHT_MAX)
        return ss_error_set(
            error, SS_EINVAL, "signals are caught already, or too many");
    if (pipe(fds) != 0)
        return ss_error_set(error, SS_EIO, "pipe: %s", strerror(errno));
    make_polite(fds[0]);
    make_polite(fds[1]);
    caught_count = 0;
    for (size_t i = 0; i < count; i++)
        set_up(signals[i], note);
    set_up(SIGPIPE, SIG_IGN);
    *ret_fd = fds[0];
    return SS_OK;
}

int ss_signals_take(void)
{
    unsigned char byte;
    if (atomic_load(&noted) == 0 || read(fds[0], &byte, 1) != 1)
        return 0;
    atomic_fetch_sub(&noted, 1);
    return byte;
}

void ss_signals_close(void)
{
    while (caught_count > 0) {
        caught_count--;
        sigaction(caught[caught_count], &before[caught_count], NULL);
    }
    if (fds[0] >= 0) {
        close(fds[0]);
        close(fds[1]);
    }
    fds[0] = fds[1] = -1;
    atomic_store(&noted, 0);
}

void ss_signals_block(sigset_t *ret_before)
{
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &all, ret_before);
}
