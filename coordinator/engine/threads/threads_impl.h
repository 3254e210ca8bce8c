// threads_impl.h - what only the files of threads share.
#ifndef SS_ENGINE_THREADS_THREADS_IMPL_H
#define SS_ENGINE_THREADS_THREADS_IMPL_H

#include <jansson.h>
#include <stdbool.h>

#include "coordinator/engine/threads/thread.h"

struct engine;

// ------------------------------------------------ thread_state.c

// thread_state.c: nobody else changes its state.
void ss_thread_move(struct thread *thread, enum thread_state to);

// ------------------------------------------------ thread.c

// At the end of a step: rows to the store, one unit in flight (a thread).
void ss_thread_flush(struct thread *thread);

// ------------------------------------------------ waiting.c

// All who ask get this error; they are dropped then.
void ss_waiting_refuse(struct thread *thread, int status, const char *message);
// `but_runs`: runs that were found stay, nobody would find them again.
void ss_waiting_drop(struct thread *thread, bool but_runs);

// ------------------------------------------------ idle.c

// At the end of a step: it may be idle now.
void ss_thread_rest(struct thread *thread);
// Somebody uses it, or it goes: out of the list of those that nobody uses.
void ss_idle_leave(struct thread *thread);

// ------------------------------------------------ catalog.c

// Of which graph the thread is, as its newest row that names one says.
void ss_thread_graph_from_rows(struct thread *thread);

// ------------------------------------------------ thread_record.c

// What is stored; NULL: nothing is.
void ss_thread_record_found(struct thread *thread, const json_t *record);

// ------------------------------------------------ shards.c

// The answer that says where the thread is now, as far as it is known. Gives.
json_t *ss_moved_json(const struct engine *engine, const char *thread);

#endif
