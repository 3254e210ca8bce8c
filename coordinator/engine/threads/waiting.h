// waiting.h - who waits for a thread that is not read yet: requests, and runs
// that were found.
#ifndef SS_ENGINE_THREADS_WAITING_H
#define SS_ENGINE_THREADS_WAITING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct thread;

// A request that waits: for the thread to be loaded, or for its turn.
struct waiting {
    char *peer; // NULL: ours
    uint64_t id;
    char *op;
    json_t *body;
};

struct waiting_list {
    struct waiting *items;
    size_t count, capacity;
};

void ss_waiting_fini(struct waiting *waiting);
// One more request. Borrows all.
void ss_waiting_add(struct thread *thread, const char *op, const char *peer,
    uint64_t id, json_t *body);
// A run was found, which is to be recovered ("recover") or taken back when the
// thread has been read.
void ss_waiting_add_run(struct thread *thread, const char *run, const char *op);
// The first run that was found and waits. Borrowed; NULL: none does.
const char *ss_waiting_run(const struct thread *thread);
// That run does (NULL: none does).
bool ss_waiting_has_run(const struct thread *thread, const char *run);
// It waits no more for what `op` says. False: it did not; else *ret is the
// caller's (ss_waiting_fini).
bool ss_waiting_take_run(struct thread *thread, const char *run, const char *op,
    struct waiting *ret);

#endif
