// seat.h - a thread as runs see it: who has it, who waits for it, and what is
// known of those that were found. It is there as long as the thread is.
#ifndef SS_ENGINE_RUNS_SEAT_H
#define SS_ENGINE_RUNS_SEAT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "coordinator/engine/threads/thread.h"

struct change;
struct run;

struct seat {
    // What has it: one of these, or nothing.
    struct run *run;        // the active one
    struct run *taken_back; // one that ended so; its rows are not void yet
    struct change *change;  // an update_state that waits for a worker
    struct {
        struct run **items;
        size_t count, capacity;
    } queue;            // those that wait for their turn, in order (queue.c)
    int64_t queue_last; // the place of the last one that joined
    bool turn;          // in the list of threads that may begin one
    struct ss_map old_records; // runs whose name alone is their key (record.c)
    json_t *quarantined;       // the record of its quarantined run, or NULL
    json_t *cancelled_record;  // of one that is being cancelled; or NULL
    int64_t recoveries;        // of the run that it is read for
};

static inline struct seat *ss_seat(const struct thread *thread)
{
    return ss_thread_facts(thread)->seat;
}

#endif
