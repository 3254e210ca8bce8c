// world.h - what the files of the simulator share: the world and who lives in it.
#ifndef SS_TESTS_SIM_WORLD_H
#define SS_TESTS_SIM_WORLD_H

#include "common/base/map.h"
#include "common/wire/message.h"
#include "coordinator/bridge.h"
#include "tests/sim/plan.h"
#include "tests/sim/sim.h"

enum {
    WORKERS_MAX = 4,
    CUSTOMERS_MAX = 4,
    GRAPHS_MAX = 2,
    LEASE_MS = 3000,
    BEAT_MS = 500,
};

struct world;

// ------------------------------------------------------------------ climate

// Drawn from the seed: no two seeds have the same weather. Chances are in
// thousandths.
struct climate {
    uint32_t workers, customers, graphs, inputs;
    uint32_t latency_ms, commit_ms, body_ms;
    uint32_t lost, repeated, late, cut;
    uint32_t commit_slow, commit_failed, commit_lied, commit_unsure;
    uint32_t read_failed, commit_lands;
    uint32_t crash_coordinator, crash_worker, crash_customer;
    uint32_t drain, pause, partition, clock; // weights of what a mishap is
    int64_t mishap_ms;                // between two mishaps, on average
    int64_t storm_ms;                 // how long there are faults at all
};
void climate_draw(struct climate *climate, struct ss_prng *dice);

// ------------------------------------------------------------------ agenda

enum errand_kind {
    ERRAND_LETTER, // a message arrives
    ERRAND_ALARM,  // a process had asked to be woken
    ERRAND_COMMIT, // the database is done with a coordinator's next job
    ERRAND_BODY,   // a body ends
    ERRAND_MISHAP, // something goes wrong
    ERRAND_START,  // a process starts (again)
    ERRAND_ASK,    // a customer makes its next move
};

struct process;

struct errand {
    int64_t at_ms;
    uint64_t number; // of two at the same time the first one planned is first
    enum errand_kind kind;
    struct process *who; // or NULL
    uint64_t life;       // of it; another one has no use for this
    uint64_t what;       // BODY: the dispatch; ALARM: its number
    void *load;          // LETTER
};

struct agenda {
    SS_VEC(struct errand) heap;
    uint64_t number;
};

uint64_t agenda_add(struct agenda *agenda, struct errand errand);
bool agenda_next(struct agenda *agenda, struct errand *ret_errand);

// ------------------------------------------------------------------ processes

enum process_kind { COORDINATOR, WORKER, CUSTOMER };

struct process {
    struct world *world;
    enum process_kind kind;
    size_t index;
    char name[8];
    uint64_t life; // which start this is: 1, 2, ...
    bool is_alive;
    bool is_silent; // nobody noticed yet that it is not
    int64_t paused_to_ms;
    int64_t clock_ms; // how far its monotonic clock is ahead of ours
    int64_t wall_us;  // and its wall clock
    uint64_t alarm;
    int64_t alarm_at_ms;
};

int64_t process_now(const struct process *process);
// Wake it at this time of its own clock.
void process_wake(struct process *process, int64_t at_ms);
void process_crash(struct process *process);
void process_start(struct process *process);

// ------------------------------------------------------------------ network

// A connection between a worker or customer and the coordinator. Another one
// has another number, and so another name as a peer.
struct wire {
    uint32_t number;
    bool is_cut[2];     // by direction: nothing passes any more
    int64_t last_ms[2]; // a connection keeps its order
    bool is_closed;     // the coordinator is told when it sends
};

enum direction { UP, DOWN }; // up: to the coordinator

struct partition {
    const struct process *from, *to;
    int64_t end_ms;
};

void network_send(struct process *peer, enum direction direction,
    const struct ss_message *message);
// A new connection in place of the old one.
void network_reopen(struct process *peer);
// The name that the coordinator knows a connection by.
void network_name(const struct process *peer, char ret_name[32]);
// Whose it is; NULL if it is over: by crash, or closed.
struct process *network_find(struct world *world, const char *name);
void network_deliver(struct world *world, struct errand *errand);
void network_drop(void *letter);
// Something goes wrong between two processes for a while.
void network_part(struct world *world);

// ------------------------------------------------------------------ database

struct store_link { // a coordinator's connection, and the queue before it
    struct ss_job *queue;
    bool is_busy;
};

struct database {
    struct ss_store *store; // may fail on demand
    struct ss_store *inner;
};

void database_open(struct world *world);
void database_close(struct world *world);
void database_submit(struct process *process, struct ss_job *job);
// A job is done: gives the finished ones.
struct ss_job *database_finish(struct process *process);
// The connection is lost with its process: what was on its way is there or not.
void database_lose(struct process *process);
// A record as it is stored now. Gives; NULL: there is none.
json_t *database_record(
    struct world *world, enum ss_store_table table, const char *key);

// ------------------------------------------------------------------ who lives

struct coordinator {
    struct process process;
    struct ss_engine *engine;
    struct ss_bridge *bridge;
    struct store_link link;
    uint64_t epoch;
    SS_VEC(char *) gone; // peers that turned out to be
};

void coordinator_start(struct coordinator *it);
void coordinator_stop(struct coordinator *it); // at once, as a crash does
void coordinator_alarm(struct coordinator *it);
void coordinator_message(struct coordinator *it, const char *peer,
    struct ss_message *message);
void coordinator_stored(struct coordinator *it);

struct body {
    struct ss_order *order;
    bool is_hung;
};

struct worker {
    struct process process;
    struct wire wire;
    struct ss_session *session;
    uint32_t capacity;
    SS_VEC(struct body) bodies;
};

void worker_start(struct worker *it);
void worker_stop(struct worker *it);
void worker_alarm(struct worker *it);
void worker_message(struct worker *it, struct ss_message *message);
void worker_body(struct worker *it, uint64_t epoch, uint64_t dispatch);
void worker_drain(struct worker *it);

struct customer; // customer.c
struct customer *customer_new(struct world *world, size_t index);
struct process *customer_process(struct customer *it);
struct wire *customer_wire(struct customer *it);
void customer_start(struct customer *it);
void customer_stop(struct customer *it);
void customer_free(struct customer *it);
void customer_alarm(struct customer *it);
void customer_ask(struct customer *it);
void customer_message(struct customer *it, const struct ss_message *message);
bool customer_is_content(const struct customer *it);
const char *customer_thread(const struct customer *it);
// Does its present run say nothing that is not durable?
bool customer_is_sync(const struct customer *it);
// What it waits for, for a failure's text.
void customer_describe(const struct customer *it, char *ret_text, size_t size);

// ------------------------------------------------------------------ the world

struct world {
    uint64_t seed;
    struct climate climate;
    struct ss_prng dice;
    int64_t now_ms;
    bool is_stormy; // there are faults
    bool narrates;
    struct report report;
    struct agenda agenda;
    struct database database;
    SS_VEC(struct partition) partitions;
    struct plan *plans[GRAPHS_MAX];
    struct coordinator coordinator;
    struct worker workers[WORKERS_MAX];
    struct customer *customers[CUSTOMERS_MAX];
    struct ss_buf bytes; // the message that is being encoded
};

// The plan that an order's node is of.
const struct plan *world_plan(struct world *world, const struct ss_order *order);
// True with a chance of so many thousandths, while there are faults.
bool strikes(struct world *world, uint32_t thousandths);
uint64_t draw(struct world *world, uint64_t bound); // 0 for bound 0
void note_fault(struct world *world, enum fault fault);
// The digest takes it in.
void mark(struct world *world, const void *bytes, size_t size);
void mark_number(struct world *world, uint64_t number);
void tell(struct world *world, const char *format, ...) SS_PRINTF(2, 3);
_Noreturn void violated(struct world *world, const char *format, ...)
    SS_PRINTF(2, 3);

// ------------------------------------------------------------------ mishaps.c

void mishap(struct world *world);      // one happens
void mishap_plan(struct world *world); // the next one

// ------------------------------------------------------------------ checks.c

// Before a command leaves: what it rests on is durable.
void check_dispatch(struct world *world, const struct ss_order *order);
void check_reply(struct world *world, const json_t *reply);
void check_event(
    struct world *world, const struct customer *customer, const json_t *event);
// The journal of a thread, row by row (spec/engine.md 17.4).
void check_thread(struct world *world, const char *thread);

#endif
