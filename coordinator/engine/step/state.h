// state.h - the engine itself: what it has, and what each of its rooms keeps.
//
//   engine -- threads -- journal, rows on their way to the store
//          |          \- run -- loop (root graph) -- tasks
//          |                                           \- loop (a subgraph) ...
//          \- workers -- attempts -> tasks
//
// A *loop* is one graph in one checkpoint namespace (spec 5); a run is a tree
// of loops.
#ifndef SS_ENGINE_STEP_STATE_H
#define SS_ENGINE_STEP_STATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/prng.h"
#include "common/model/cluster.h"
#include "coordinator/engine/engine.h"

struct claim;
struct levels;
struct loop;
struct pauses;
struct quarantine;
struct runs;
struct scheduler;
struct scan_reply;
struct task;
struct thread;
struct thread_owner;
struct waiting;
struct watch;

struct engine {
    struct levels *levels;
    struct runs *runs;
    struct quarantine *quarantine;
    struct pauses *pauses;
    struct scheduler *scheduler;
    struct ss_engine_options options;
    const struct watch *watch; // who is told what levels and runs do
    // Serves a request that waited for its thread (request.c).
    bool (*serve)(struct thread *thread, const struct waiting *w);
    struct ss_engine_counts counts;
    struct ss_prng prng;
    int64_t now_ms, wall_us;
    struct {
        struct ss_command *items;
        size_t count, capacity;
    } commands;
    const struct thread_owner *owner; // of all threads: the room of runs
    struct ss_map threads;            // id -> struct thread *
    struct ss_map awaited;            // tag of a unit or a read -> whose it is
    struct thread *idle_first, *idle_last;
    size_t idle_count, idle_size;
    struct ss_map graphs; // "name@version" -> struct known_graph *
    struct ss_map latest; // name -> struct known_graph *
    size_t stores_out;    // units of threads that the store has not answered
    int32_t row_format;   // rows of newer ones are not written: who reads them?
    json_t *members;      // endpoints of all coordinators; NULL: not told
    struct ss_shards owned;  // if shared
    struct ss_shards unread; // of those: not all their runs are known yet
    uint64_t shard_epochs[SS_SHARDS];
    uint16_t owners[SS_SHARDS]; // index in members, or SS_NOBODY
    struct {
        struct claim *items;
        size_t count, capacity;
    } claims;
    bool letting_go; // threads are leaving: their attempts go on
    bool drains;
    struct {
        struct thread **items;
        size_t count, capacity;
    } gone; // freed at the end of the step
    struct {
        struct thread **items;
        size_t count, capacity;
    } dirty;
    size_t verify_in; // steps until all invariants are looked at again
    struct {
        struct scan_reply *items;
        size_t count, capacity;
    } scans;
    bool ready_moved;
    uint64_t tags;
    int64_t announced_us; // of the newest graph
    int64_t evict_at_ms;
    bool graphs_moved; // one became known in this step
    int64_t wake_at_ms;
};

#endif
