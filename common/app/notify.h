// notify.h - what a process tells the manager that started it, as systemd is:
// datagrams to the socket that NOTIFY_SOCKET names (sd_notify(3)).
//
//     READY=1      once, when the process can do its work, as /ready means
//     STATUS=text  "ready", or what is wrong
//     WATCHDOG=1   twice in the time of the watchdog
//     STOPPING=1   once, when it begins to leave
//
// The main loop itself says it all: when the loop hangs, so do the signs, and
// the manager ends the process. By hand and not by libsystemd: four texts to a
// socket are no reason for each image to carry a library.
#ifndef SS_APP_NOTIFY_H
#define SS_APP_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

// Take the socket out of the environment, so that no child speaks for us. A
// process that calls it again, as a forked child does, has no socket any more.
// Without it, and without a socket, nothing is told.
void ss_notify_begin(void);
// Of a child of a family (family.h): from now on its parent is told in place of
// a manager, by this descriptor, with a sign each `sign_ms` (0: none). Takes
// the descriptor.
void ss_notify_begin_at(int fd, int64_t sign_ms);
bool ss_notify_has_parent(void);
// A line for that parent. A process that is no child tells nobody.
void ss_notify_parent(const char *line);
// The same as the process ends: it waits until the parent has room for the
// line, as one that were lost would be taken for a crash.
void ss_notify_parent_last(const char *line);
bool ss_notify_is_on(void);
// How often a sign is given; 0: nobody watches.
int64_t ss_notify_sign_ms(void);
// A turn of the main loop. `trouble`: why it is not ready, NULL: it is. Gives
// the time of the next turn at the latest, INT64_MAX: any.
int64_t ss_notify_turn(int64_t now_ms, const char *trouble);
void ss_notify_stopping(void);

#endif
