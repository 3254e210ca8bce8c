// thread_impl.h - all of a thread: its rows on their way to the store, what
// waits for them, and the lists in which it rests.
#ifndef SS_ENGINE_THREADS_THREAD_IMPL_H
#define SS_ENGINE_THREADS_THREAD_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/engine/engine.h"
#include "coordinator/engine/threads/gate.h"
#include "coordinator/engine/threads/rows.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

// A command that waits for rows to be durable.
struct gated {
    uint64_t seq;
    uint64_t unit; // and for this unit, which may hold records alone
    struct ss_command command;
};

// Its place among the threads that nobody uses, the longest idle first.
struct idle_item {
    struct thread *prev, *next;
    size_t size;   // bytes of memory, about; 0: it is in use
    bool is_small; // what it has was put into few bytes, if that is worth it
    // Or among those whose runs wait and that are not packed, the one that was
    // used longest ago first.
    struct {
        struct thread *prev, *next;
        bool is_listed;
    } still;
};

// Whoever asks for the thread meanwhile waits.
enum deletion {
    DELETION_NONE,
    DELETION_ASKED, // the next unit deletes every row
    DELETION_OUT,   // that unit is on its way
};

// What the table `threads` has of a thread, as JSON texts.
struct thread_record {
    char *text;                // or:
    struct ss_json_late *late; // as it was said. Neither: there is none
    char *others; // members that no run's end says anew; NULL: none
};

struct thread {
    struct thread_facts facts; // in front
    uint64_t load_tag;
    size_t open_writes; // the open row's capacity for writes
    uint64_t issued;    // rows handed to the store
    uint64_t store_tag; // of the unit in flight; 0: none
    uint64_t store_to;
    uint64_t units; // handed to the store
    uint64_t units_durable;
    struct {
        struct ss_command_put *items;
        size_t count, capacity;
    } puts;
    struct {
        struct gated *items;
        size_t count, capacity;
        struct gate_line waiters; // tasks (gate.h)
    } held;
    struct waiting_list waiting;
    bool dirty; // in engine's list of threads to flush
    bool known; // has a record
    struct thread_record record;
    uint64_t delete_to;     // void rows to delete when that is durable; 0: none
    enum deletion deletion; // of every row
    uint64_t last_ticks;
    struct event_position told; // last
    int64_t used_ms;
    struct idle_item idle;
};
_Static_assert(
    offsetof(struct thread, facts) == 0, "ss_thread_facts() sees them");

#endif
