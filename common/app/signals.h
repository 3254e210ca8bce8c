// signals.h - signals as bytes in a pipe, so that a loop can poll for them.
#ifndef SS_APP_SIGNALS_H
#define SS_APP_SIGNALS_H

#include <signal.h>
#include <stddef.h>

#include "common/base/status.h"

// Catch these signals, for the whole process, and ignore SIGPIPE. Gives a
// descriptor that is readable while one waits in *ret_fd. Once in a process,
// before its threads. SS_EIO.
int ss_signals_open(const int *signals, size_t count, int *ret_fd,
    struct ss_error *error) SS_MUST_USE;
// The next signal that came, or 0. Never waits.
int ss_signals_take(void);
// Restore the handlers of before.
void ss_signals_close(void);
// Block the signals of the calling thread, and so of those that it makes until
// pthread_sigmask(SIG_SETMASK, ret_before, NULL): signals are the loop's.
// SIGABRT stays open, since it is for the thread that aborts, and abort() of
// glibc 2.41 asks nobody's handler (last_words.h) where it is blocked.
void ss_signals_block(sigset_t *ret_before);

#endif
