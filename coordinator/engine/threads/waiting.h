// waiting.h - who waits for a thread that is not read yet: requests, and runs
// that were found.
#ifndef SS_ENGINE_THREADS_WAITING_H
#define SS_ENGINE_THREADS_WAITING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ss_request;
struct thread;

// A request that waits: for the thread to be loaded, or for its turn.
struct waiting {
    char *op; // what is to be done
    struct ss_request *request;
    char *run; // one that was found; NULL: a client asks
};

struct waiting_list {
    struct waiting *items;
    size_t count, capacity;
};

void ss_waiting_fini(struct waiting *waiting);
// One more request, to which `op` is to be done. Borrows all.
void ss_waiting_add(
    struct thread *thread, const char *op, const struct ss_request *request);
// A run was found, which is to be recovered ("recover") or taken back when the
// thread has been read.
void ss_waiting_add_run(struct thread *thread, const char *run, const char *op);
// The same, behind all that wait.
void ss_waiting_add_run_last(
    struct thread *thread, const char *run, const char *op);
// The first run that was found and waits. Borrowed; NULL: none does.
const char *ss_waiting_run(const struct thread *thread);
// That run does (NULL: none does).
bool ss_waiting_has_run(const struct thread *thread, const char *run);
// It waits no more for what `op` says. False: it did not; else *ret is the
// caller's (ss_waiting_fini).
bool ss_waiting_take_run(struct thread *thread, const char *run, const char *op,
    struct waiting *ret);

#endif
