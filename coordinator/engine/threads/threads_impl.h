// threads_impl.h - all threads, and what else only the files of threads share.
#ifndef SS_ENGINE_THREADS_THREADS_IMPL_H
#define SS_ENGINE_THREADS_THREADS_IMPL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/thread_impl.h"

// Those that are in memory, or are being read.
struct threads {
    const struct thread_owner *owner;
    struct ss_map by_id;          // -> struct thread *
    struct ss_map awaited;        // tag of a unit or a read -> whose it is
    struct gate_line let_through; // whose rows have become durable
    size_t stores_out;            // units that the store has not answered
    SS_VEC(struct ss_row *) unit; // rows of the one that is handed out
    struct gated *held_spare;     // room of a list that holds none; or NULL
    size_t held_spare_capacity;
    SS_VEC(struct thread *) dirty; // to flush at the end of the step
    SS_VEC(struct thread *) gone;  // freed at the end of the step
    struct thread *idle_first, *idle_last;
    struct thread *idle_large; // the first that was not made small; or NULL
    size_t idle_large_count;   // those from there on
    size_t idle_count, idle_size;
    struct thread *still_first, *still_last; // still.c
    size_t still_count;
    int64_t evict_at_ms;
};

// Which threads are ours, and whose the others are.
struct shards {
    struct ss_shards owned;  // if the store is shared
    struct ss_shards unread; // of those: not all their runs are known yet
    uint64_t epochs[SS_SHARDS];
    uint16_t owners[SS_SHARDS]; // index in members, or SS_NOBODY
    json_t *members;            // endpoints of all; NULL: not told
    bool letting_go;            // threads are leaving: their attempts go on
};

// Those that were announced.
struct graphs {
    struct ss_map by_key;      // "name@version" -> struct known_graph *
    struct ss_map latest;      // name -> struct known_graph *
    int64_t announced_us;      // of the newest one
    bool has_moved;            // one became known in this step
    struct known_graph *asked; // the last that was found by its graph; or NULL
};

// ------------------------------------------------ thread_state.c

// thread_state.c: nobody else changes its state.
void ss_thread_move(struct thread *thread, enum thread_state to);

// ------------------------------------------------ thread.c

// At the end of a step: rows to the store, one unit in flight (a thread).
void ss_thread_flush(struct thread *thread);

// ------------------------------------------------ gate.c

// Rows of the thread have become durable: what waited for them goes on.
void ss_gate_open(struct thread *thread);
// Whose answers are held back get this error; and then nothing is held back.
void ss_gate_refuse(struct thread *thread, int status, const char *message);
void ss_gate_drop(struct thread *thread);

// ------------------------------------------------ waiting.c

// All who ask get this error; they are dropped then.
void ss_waiting_refuse(struct thread *thread, int status, const char *message);
// `but_runs`: runs that were found stay, nobody would find them again.
void ss_waiting_drop(struct thread *thread, bool but_runs);

// ------------------------------------------------ use.c

// Somebody uses it, or it goes: out of the list of those that nobody uses, and
// of those that wait.
void ss_idle_leave(struct thread *thread);
void ss_still_leave(struct thread *thread);

// ------------------------------------------------ still.c

// At the end of a step: into that list, if it waits and is not idle.
void ss_still_join(struct thread *thread);
// When the one that has waited longest has waited long enough.
int64_t ss_still_pack_at_ms(const struct threads *threads);
// Pack the rows of that one; false: it has not.
bool ss_still_pack(struct threads *threads, int64_t now_ms);

// ------------------------------------------------ catalog.c

// Of which graph the thread is, as its newest row that names one says.
void ss_thread_graph_from_rows(struct thread *thread);

// ------------------------------------------------ thread_record.c

// What is stored; NULL: nothing is.
void ss_thread_record_found(struct thread *thread, const json_t *record);

#endif
