// family.h - a program as several processes: a parent that forks them, starts
// those that die again, and hands signals on.
//
//     parent --fork--> child 1 --(opened)--> child 2, child 3, ...
//        ^                |
//        +--- datagrams --+   ready, what is wrong, signs of life (notify.h)
//
// A child tells its parent by a socket what a process tells systemd; the parent
// tells its own manager of all of them: ready when each is, and what is wrong
// with the first that is not well. Where the manager wants signs of life, the
// parent wants them of each child: one that hangs is ended and started again.
//
// The others wait for the first child until it has opened what all need: what
// is wrong with that is logged once. A child is in a process group of its own,
// so that ^C reaches it through the parent alone, and hears SIGTERM when the
// parent dies.
#ifndef SS_APP_FAMILY_H
#define SS_APP_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

struct ss_family_child {
    unsigned index;  // from 0
    unsigned starts; // how often it was started, from 1
    pid_t pid;
    bool was_ready; // since it was started this time
    bool was_asked; // to end: the whole family was
};

enum ss_family_end {
    SS_FAMILY_AGAIN, // it is started again
    SS_FAMILY_AWAY,  // on purpose: it stays away
    SS_FAMILY_OVER,  // what is wrong with it is wrong with all: all end
};

struct ss_family_options {
    const char *noun; // of a child, for people: "worker"
    unsigned count;
    int again; // the signal for children when the family is asked to end for
               // the second time, and later
    void *ctx;
    // In the child: be it. The process ends with the exit code that is
    // returned.
    int (*be)(void *ctx, const struct ss_family_child *child);
    // be() returned `code`. Any other end (a signal, or exit() in code of
    // somebody else) is SS_FAMILY_AGAIN.
    enum ss_family_end (*ended)(
        void *ctx, const struct ss_family_child *child, int code);
    // Such another end, `status` as waitpid() says. Called in a process of its
    // own, which ends behind it. NULL: nobody is to know.
    void (*crashed)(void *ctx, const struct ss_family_child *child, int status);
    // What a child said by ss_family_tell(). NULL: they say nothing.
    void (*told)(void *ctx, const struct ss_family_child *child,
        const char *name, const char *value);
    // Once, when all children are ready. NULL: nothing.
    void (*ready)(void *ctx);
};

// Fork the children, and mind them until all have ended. A child that dies is
// started again, at once and then after longer and longer pauses, and the log
// says so. SIGTERM or SIGINT is SIGTERM for all. Returns the exit code: the
// first one for which all ended, or 0. Call it before any use of ZeroMQ and
// before any thread, behind ss_notify_begin().
int ss_family_run(const struct ss_family_options *options);

// In a child; outside of a family they do nothing. It has opened what all
// children need.
void ss_family_opened(void);
// For told(): a line "NAME=VALUE" without a newline in it, of at most
// SS_FAMILY_TELL_MAX bytes.
void ss_family_tell(const char *name, const char *value);

enum { SS_FAMILY_TELL_MAX = 1024 };

// What waitpid() says, in words: "was killed by signal 11 (Segmentation
// fault)", "ended with exit code 3". Gives.
char *ss_family_how(int status);

#endif
