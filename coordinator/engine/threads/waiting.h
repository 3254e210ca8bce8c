// waiting.h - who waits for a thread that is not read yet: requests, and runs
// that were found.
#ifndef SS_ENGINE_THREADS_WAITING_H
#define SS_ENGINE_THREADS_WAITING_H

#include <stdbool.h>
#include <stddef.h>

#include "common/model/requests.h"

struct ss_request;
struct thread;

// What is to be done when the turn of one that waits comes.
enum turn {
    TURN_OP,           // what its request says
    TURN_NAME_UNUSED,  // a run begins: no record of the thread's has its name
    TURN_NAME_KNOWN,   // its name is the thread's: that has a record
    TURN_NAME_CLAIMED, // or a record that says no more than that
    TURN_RUN_UNKNOWN,  // there is no such run
    TURN_COPY,         // another thread's rows come here
    TURN_RECOVER,      // a run that was found goes on
    TURN_TAKE_BACK,    // or goes
};

// A request that waits: for the thread to be loaded, or for its turn.
struct waiting {
    enum turn turn;
    struct ss_request *request;
    char *run; // one that was found; NULL: a client asks
};

struct waiting_list {
    struct waiting *items;
    size_t count, capacity;
};

void ss_waiting_fini(struct waiting *waiting);
// One more request. Borrows all.
void ss_waiting_add(
    struct thread *thread, enum turn turn, const struct ss_request *request);
// A run was found, which is to be recovered or taken back when the thread has
// been read.
void ss_waiting_add_run(struct thread *thread, const char *run, enum turn turn);
// The same, behind all that wait.
void ss_waiting_add_run_last(
    struct thread *thread, const char *run, enum turn turn);
// How many wait; and whether a request of that op does, for its turn.
size_t ss_waiting_count(const struct thread *thread);
bool ss_waiting_asks(const struct thread *thread, enum ss_op op);
// The first waits no more. False: none does; else *ret is the caller's.
bool ss_waiting_take_first(struct thread *thread, struct waiting *ret);
// None does; all of them are the caller's.
struct waiting_list ss_waiting_take_all(struct thread *thread);
// One that was taken waits again, behind the others. Takes what it owns.
void ss_waiting_put(struct thread *thread, struct waiting waiting);
// The first run that was found and waits. Borrowed; NULL: none does.
const char *ss_waiting_run(const struct thread *thread);
// That run does (NULL: none does).
bool ss_waiting_has_run(const struct thread *thread, const char *run);
// It waits no more for that turn. False: it did not; else *ret is the caller's
// (ss_waiting_fini).
bool ss_waiting_take_run(struct thread *thread, const char *run, enum turn turn,
    struct waiting *ret);

#endif
