// world_impl.h - inside of the world: what its files share.
#ifndef SS_TESTS_STORIES_WORLD_IMPL_H
#define SS_TESTS_STORIES_WORLD_IMPL_H

#include "common/base/buf.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "coordinator/core/core.h"
#include "coordinator/store/store.h"
#include "tests/stories/world.h"

// ------------------------------------------------------------ world_store.c

// The memory store that ships, and what a test has planted before it.
struct store {
    struct ss_store *inner;
    SS_VEC(char *) threads; // that it has been given
    int64_t rows_left;      // -1: no limit
    bool stopped;
    bool reads_on; // what is read is answered also then
    size_t taken;
    int next_status;
    int next_read;
};

typedef void row_fn(const struct ss_row *row);

void store_begin(struct store *store);
void store_fini(struct store *store);
// Do a job of a core; false: the store says nothing.
bool store_do(struct store *store, struct ss_job *job);
// A job that has the entries of a table, by ascending key. Gives.
struct ss_job *store_scan(struct store *store, enum ss_store_table table);
void store_put(struct store *store, struct ss_store_put put);
// All durable rows; gives how many. `each`: or NULL.
size_t store_each_row(struct store *store, row_fn *each);
size_t store_bytes(struct store *store, int32_t *ret_format);

// ------------------------------------------------------------------ bodies.c

void bodies_begin(void);
void bodies_end(void);
// Run an order to its outcome. Gives.
struct ss_outcome *bodies_run(
    const struct ss_assignment *order, const struct ss_graph *root);

// ------------------------------------------------------------------ tell.c

void tell_answer(const char *client, const json_t *answer);
void tell_event(const char *client, const json_t *event);
// One line about a row that became durable.
void tell_row(const char *thread, const struct ss_row *row);

// ------------------------------------------------------------------ world.c

void tell(const char *format, ...) SS_PRINTF(1, 2);

// ------------------------------------------------------------ world_workers.c

// An item shown by a running attempt. Takes `value`.
void world_live(
    const struct ss_assignment *order, enum ss_live_kind kind, json_t *value);

// ------------------------------------------------------------------ world.c

enum { LEASE_MS = 3000, BEAT_MS = 500, PATIENCE = 2000, VERIFY_RATE = 1000 };

struct known {
    json_t *description;
    struct ss_graph *graph;
    bool old; // workers that say hello serve it no more
};

struct member { // a worker
    char *name;
    uint32_t capacity;
    uint32_t share; // of it for this coordinator; 0: all
    char *label;    // that it offers; or NULL
    bool dead;
    SS_VEC(struct ss_attempt) running;
};

struct parcel { // from a worker, on its way
    char *worker;
    char *node;
    char *bytes;
    size_t size;
    bool live;
};

struct call { // of a client
    char *client;
    uint64_t id;
    json_t *answer;
    json_t *events;
};

// A coordinator that is not looked at now.
struct seat {
    struct ss_core *core;
    size_t life;
    int64_t wake_at_ms;
    SS_VEC(struct parcel) parcels;
    SS_VEC(struct ss_job *) jobs;
};

struct world {
    struct ss_core *core;
    size_t life;
    struct seat other; // of a pair
    bool is_pair, at_two;
    int64_t now_ms;
    int64_t clock_set_ms; // of the wall clock, beside that
    int64_t wake_at_ms;
    struct store store;
    bool slow, repeat, in_engine;
    bool beats_say;   // when they were sent
    bool vanishes;    // the attempt whose body runs now
    int64_t adopt_ms; // of the cores that follow
    const char *key;  // of who asks, or NULL
    void (*watch)(const struct ss_command *command); // or NULL
    const struct ss_offer *offers; // that workers say hello with
    size_t offers_count;
    SS_VEC(struct known) graphs;
    SS_VEC(struct member) workers;
    SS_VEC(struct parcel) parcels;
    SS_VEC(struct ss_job *) jobs;
    SS_VEC(struct call) calls;
    SS_VEC(char *) held;
    SS_VEC(char *) lost;
    SS_VEC(struct attempt_made) attempts;
    struct ss_map finished; // "run task": what was durable at the crash
    json_t *seen;           // client -> what it got
    struct ss_buf told;
    char *last_told;
};

extern struct world world;

void world_drop_jobs(void); // what the store was asked for
// One event to the coordinator that is looked at, and what it asks for.
void world_step(struct ss_event *event);
// What `peer` says, as bytes and before it is encoded.
void world_frame(const char *peer, const void *bytes, size_t size);
void world_say(const char *peer, const struct ss_message *message);
// Alone, it asks the store for pauses, graphs and unfinished runs: three jobs.
void world_core_new(bool is_after_crash);

// ------------------------------------------------------------ world_workers.c

// An order is about to leave: what it shares with those before it are the bytes
// of what it says itself.
void world_order_leaves(const struct ss_assignment *order);
// A worker gets an order: its body runs at once, and its result is on its way.
void world_order(const char *name, const struct ss_assignment *order);
void world_order_void(
    const char *name, struct ss_attempt attempt); // it is cancelled
// All that live.
void world_workers_hello(void);
void world_workers_beat(void);

#endif
