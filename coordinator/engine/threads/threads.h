// threads.h - all threads of an engine.
#ifndef SS_ENGINE_THREADS_THREADS_H
#define SS_ENGINE_THREADS_THREADS_H

#include <stdbool.h>

struct engine;
struct ss_map;
struct thread_owner;

// ------------------------------------------------ threads.c

void ss_threads_init(struct engine *engine, const struct thread_owner *owner);
void ss_threads_fini(struct engine *engine);
// Those that are in memory, or are being read, by their ids.
const struct ss_map *ss_threads_all(const struct engine *engine);
// It owes too many answers.
bool ss_store_is_slow(const struct engine *engine);

// ------------------------------------------------ thread_verify.c

// At the end of each step: nobody has anything to do in it.
void ss_threads_verify_rest(const struct engine *engine);

// ------------------------------------------------ idle.c

// At the end of a step, of all that were used: each is flushed, then it may be
// idle.
void ss_threads_flush(struct engine *engine);
// Nothing has happened: time to pack the rows of threads that have rested, of
// some at a time.
void ss_threads_pack(struct engine *engine);
// Forget threads that nobody has used for a while, and the longest idle ones
// where there are too many; a tick must come when the next one has rested, also
// where nothing else wants one. True: it was time to look for the former.
bool ss_threads_evict(struct engine *engine);

// ------------------------------------------------ shards_lost.c

// At the end of the step: threads that have moved.
void ss_threads_free_gone(struct engine *engine);

#endif
