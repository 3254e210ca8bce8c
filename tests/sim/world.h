// world.h - what the files of the simulator share: the world and who lives in
// it.
#ifndef SS_TESTS_SIM_WORLD_H
#define SS_TESTS_SIM_WORLD_H

#include "common/base/map.h"
#include "common/wire/message.h"
#include "coordinator/core/core.h"
#include "coordinator/store/store_actor.h"
#include "tests/sim/plan.h"
#include "tests/sim/sim.h"

enum {
    COORDINATORS_MAX = 3,
    WORKERS_MAX = 4,
    CUSTOMERS_MAX = 4,
    GRAPHS_MAX = 2,
    LEASE_MS = 3000,
    BEAT_MS = 500,
    VERIFY_RATE = 1000000, // things looked at after each engine step
};

struct world;
struct coordinator;

// ------------------------------------------------------------------ climate

// Drawn from the seed: no two seeds have the same weather. Chances are in
// thousandths.
struct climate {
    uint32_t coordinators, workers, customers, graphs, inputs;
    bool is_shared; // coordinators share the store, under leases and fences
    uint32_t cluster_lease_ms;
    uint32_t latency_ms, commit_ms, body_ms;
    uint32_t lost, repeated, late, cut, words;
    uint32_t commit_slow, commit_failed, commit_lied, commit_unsure;
    uint32_t read_failed, commit_lands;
    uint32_t crash_coordinator, crash_worker, crash_customer;
    uint32_t drain, leave, pause, partition,
        clock; // weights of what a mishap is
    uint32_t set_back;
    uint32_t roll;         // weight, too: 0: there is one version
    uint32_t hold;         // how often people hold graphs back; 0: nobody does
    uint32_t limit;        // of all graphs together; 0: none
    uint32_t limit_per_ms; // so many begin in that time; 0: are out at once
    uint32_t limit_also;   // of one node of each graph, together; 0: none
    bool limit_each;       // value of a key, which no task has: one for all
    uint32_t chores[CHORE_COUNT], chore_none; // weights between two runs
    int64_t idle_ms;   // after which a thread that nobody uses is forgotten
    uint32_t rest_ms;  // how long one is left alone
    bool shares_names; // runs of different threads have the same names
    int64_t mishap_ms; // between two mishaps, on average
    int64_t storm_ms;  // how long there are faults at all
};
void climate_draw(struct climate *climate, struct ss_prng *dice, uint64_t seed);

// ------------------------------------------------------------------ agenda

enum errand_kind {
    ERRAND_LETTER,  // a message arrives
    ERRAND_ALARM,   // a process had asked to be woken
    ERRAND_COMMIT,  // the database is done with a coordinator's next job
    ERRAND_HEARD,   // and the coordinator hears of it
    ERRAND_GHOST,   // what a dead coordinator had sent lands
    ERRAND_REQUEST, // of a store, arrives at the server
    ERRAND_ANSWER,  // of the server, arrives at its store
    ERRAND_TIMEOUT, // or takes too long
    ERRAND_LEAVE,   // a coordinator is asked to leave
    ERRAND_BEGIN,   // a thread takes a body up
    ERRAND_BODY,    // a body ends
    ERRAND_SHOW,    // it shows something
    ERRAND_MISHAP,  // something goes wrong
    ERRAND_START,   // a process starts (again)
    ERRAND_ASK,     // a customer makes its next move
    ERRAND_ROLL,    // a worker is exchanged for one of another version
    ERRAND_OPERATE, // somebody looks after runs of versions that went
    ERRAND_HOLD,    // somebody holds graphs back, or lets them go on
    ERRAND_CONNECT, // a connection is made, perhaps again
};

struct process;

struct errand {
    int64_t at_ms;
    uint64_t number; // of two at the same time the first one planned is first
    enum errand_kind kind;
    struct process *who; // or NULL
    uint64_t life;       // of it; another one has no use for this
    uint64_t what;       // BEGIN, BODY, SHOW: the dispatch; ALARM: its number;
                         // CONNECT: the wire's
    void *load;          // LETTER, GHOST: owned
};

struct agenda {
    SS_VEC(struct errand) heap;
    uint64_t number;
};

uint64_t agenda_add(struct agenda *agenda, struct errand errand);
// One that was put off: it keeps its number, and so its place among those that
// are due with it.
void agenda_again(struct agenda *agenda, struct errand errand);
bool agenda_next(struct agenda *agenda, struct errand *ret_errand);

// ------------------------------------------------------------------ processes

enum process_kind { COORDINATOR, WORKER, CUSTOMER };

// A connection of a worker or customer with a coordinator. Another one has
// another number, and so another name as a peer.
struct wire {
    uint32_t line; // as the peer's session calls it
    uint32_t number;
    size_t to;          // which coordinator
    bool is_cut[2];     // by direction: nothing passes any more
    int64_t last_ms[2]; // when the last letter arrives
    int64_t held_ms[2]; // until then those that arrived wait for their reader
};

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
    SS_VEC(struct wire) wires; // not of a coordinator
    uint32_t wires_made;
};

int64_t process_now(const struct process *process);
// Wake it at this time of its own clock.
void process_wake(struct process *process, int64_t at_ms);
void process_crash(struct process *process);
void process_start(struct process *process);
// One that is not there is started again in a while.
void process_again(struct process *process);

// ------------------------------------------------------------------ network

enum direction { UP, DOWN }; // up: to the coordinator

struct partition {
    const struct process *from, *to;
    int64_t end_ms;
};

// Connect to the coordinator at `endpoint`, in place of what was on that line.
void network_open(struct process *peer, uint32_t line, const char *endpoint);
void network_close(struct process *peer, uint32_t line);
struct wire *network_line(struct process *peer, uint32_t line);
// NULL wire: it is lost.
void network_send(struct process *peer, struct wire *wire,
    enum direction direction, const struct ss_message *message);
// The same for bytes that are one. `is_once`: nobody repeats it.
void network_post(struct process *peer, struct wire *wire,
    enum direction direction, const void *bytes, size_t size, bool is_once);
// Who is known to coordinator `to` by this name; NULL: it is over, by a crash,
// or closed.
struct wire *network_find(struct world *world, size_t to, const char *name,
    struct process **ret_peer);
void network_deliver(struct world *world, struct errand *errand);
void network_drop(void *load); // a letter
// What this customer, or any (NULL), had asked for is lost where nobody has
// read it yet.
void network_forget_asks(struct world *world, const struct process *customer);
// Something goes wrong between two processes for a while.
void network_part(struct world *world);
// That coordinator is there (again): who has wires to it connects.
void network_serve(struct world *world, size_t which);
// A wire of that number is made, if it can be; who has it hears of it.
void network_connect(struct process *peer, uint32_t number);

// ------------------------------------------------------------------ database

struct fence {
    uint64_t epoch; // 0: there is none
};

struct lease {
    bool is_member, drains;
    uint64_t epoch;
    int32_t row_format;
    int64_t end_ms;
};

// What stands beside rows and records.
struct cluster {
    uint64_t epoch; // the last one given
    struct fence fences[COORDINATORS_MAX];
    struct lease leases[COORDINATORS_MAX];
    uint16_t owners[SS_SHARDS]; // coordinators, or SS_NOBODY
};

// A unit as it was applied, and what stood beside it then.
struct moment {
    struct ss_job *job;
    struct cluster cluster;
};

// One database; as PostgreSQL keeps it, under fences, where it is shared.
struct database {
    const struct backing *backing;
    struct ss_store *inner; // to look into it
    struct pg *pg;          // of a PostgreSQL
    struct cluster cluster;
    uint64_t
        generation; // 1, 2, ...: another one after each time it was set back
    int64_t set_back_ms;
    SS_VEC(struct moment) past; // kept only where it may be set back
};

enum { LINK_APPENDS, LINK_LEASES, LINKS };

struct store_link { // a coordinator's connection, and the queue before it
    struct ss_store *store;
    struct side *side; // of a PostgreSQL
    struct ss_job *queue;
    struct ss_job *running; // taken from the queue
    struct ss_job *done;    // the coordinator has not heard of it yet
    bool is_busy;
};

// What is behind the connections: the model (database_memory.c), or a real one.
struct backing {
    void (*open)(struct world *world);
    void (*close)(struct world *world);
    // Connect it and give it its epoch; then, perhaps later,
    // coordinator_live().
    void (*start)(struct coordinator *it);
    // The first of the jobs that run has its effect, now or in a while; then
    // its coordinator hears of it.
    void (*commit)(struct process *process, size_t link);
    // The connections are lost with their process: what was on its way is
    // there, lands later, or is lost.
    void (*lose)(struct process *process);
    // Of its own errands: one is due.
    void (*arrive)(struct world *world, const struct errand *errand);
    // It loses what it acknowledged last: a standby that lagged is its primary
    // now, or a backup was restored. Who is connected finds that out at the
    // next word.
    bool (*may_go_back)(const struct world *world);
    void (*set_back)(struct world *world);
    // Is its coordinator connected to what was there before that?
    bool (*is_gone)(const struct coordinator *it);
    // A coordinator, or SS_NOBODY.
    uint16_t (*owner)(struct world *world, uint16_t shard);
    // Or NULL: this process ends now, amid everything.
    void (*abandon)(struct world *world);
};
const struct backing *backing_memory(void);
const struct backing *backing_sqlite(void);
const struct backing *backing_postgres(void); // NULL: built without libpq

void database_open(struct world *world);
bool database_is_gone(const struct coordinator *it);
void database_submit(struct process *process, size_t which, struct ss_job *job);
// Gives what was done.
struct ss_job *database_heard(struct process *process, size_t which);
struct ss_job **jobs_end(struct ss_job **list);
void jobs_free(struct ss_job **list);
void database_ghost_drop(void *load);
// The runs of a thread that have not ended, and those of them that wait for
// their turn.
size_t database_open_runs(
    struct world *world, const char *thread, size_t *ret_queued);
// What is stored now: an entry (NULL: there is none), or all of a table (a
// list). Gives.
json_t *database_entry(
    struct world *world, enum ss_store_table table, const char *key);
json_t *database_list(struct world *world, enum ss_store_table table);
// The record of a run as it is stored now. Gives; NULL: there is none.
json_t *database_run(struct world *world, const char *thread, const char *run);

// ------------------------------------------------------------------ who lives

struct coordinator {
    struct process process;
    int64_t heard_ms[WORKERS_MAX]; // limits.c: when of each worker
    // When of it again, after it was silent for a lease; 0: it never was.
    int64_t back_ms[WORKERS_MAX];
    // The newest beat of a worker's life that came in this one's life.
    struct newest_beat {
        uint64_t life, workers_life;
        uint64_t sent;
    } newest_beats[WORKERS_MAX];
    int64_t turned_ms; // when its last turn was
    bool has_refused;  // whom it hears now: it must say hello first
    struct ss_core *core;
    struct store_link links[LINKS];
    uint64_t epoch;
    unsigned
        knew; // customers' threads in memory, as bits, before its last event
    enum ss_event_type fed; // which that is
    int64_t
        leave_ms; // it was asked to leave, and does so at the latest; 0: not
    bool is_leaving, has_left;
    bool ended_well;     // in its last life
    int64_t workers;     // that it knew after its last turn
    struct ss_map held;  // pauses.c: what it knows to be: key -> since when
    uint64_t given;      // the number of the last attempt
    struct ss_map asked; // and what it was asked to let go on: request -> key
};

void coordinator_start(struct coordinator *it);
// It has its stores and its epoch.
void coordinator_live(struct coordinator *it);
int64_t coordinator_wall_us(const struct coordinator *it);
void coordinator_stop(struct coordinator *it); // at once, as a crash does
void coordinator_alarm(struct coordinator *it);
void coordinator_message(
    struct coordinator *it, const char *peer, const void *bytes, size_t size);
void coordinator_heard(struct coordinator *it, size_t link);
void coordinator_drain(struct coordinator *it);

struct body {
    struct ss_assignment *order;
    int64_t begin_by_ms;
    bool has_begun, is_hung;
    bool is_stopped; // it was told to stop
};

struct worker {
    struct process process;
    struct ss_session *session;
    uint32_t capacity;
    size_t versions[GRAPHS_MAX]; // that it serves
    SS_VEC(struct body) bodies;
};

void worker_start(struct worker *it);
void worker_stop(struct worker *it);
void worker_alarm(struct worker *it);
// A connection to the coordinator of that line was made, perhaps again.
void worker_connected(struct worker *it, uint32_t line);
void worker_message(
    struct worker *it, uint32_t line, struct ss_message *message);
void worker_begin(struct worker *it, uint64_t epoch, uint64_t dispatch);
void worker_body(struct worker *it, uint64_t epoch, uint64_t dispatch);
void worker_show(struct worker *it, uint64_t epoch, uint64_t dispatch);
void worker_drain(struct worker *it);

// items.c: when this body, which takes so long, shows something.
void items_plan(
    struct worker *it, const struct ss_assignment *order, int64_t takes_ms);

struct customer; // customer.c
struct customer *customer_new(struct world *world, size_t index);
struct process *customer_process(struct customer *it);
void customer_start(struct customer *it);
void customer_stop(struct customer *it);
void customer_free(struct customer *it);
void customer_alarm(struct customer *it);
void customer_ask(struct customer *it);
void customer_connected(struct customer *it, uint32_t line);
void customer_message(
    struct customer *it, uint32_t line, const struct ss_message *message);
// The database was set back: what it knows of its thread may not be so.
void customer_go_astray(struct customer *it);
bool customer_is_content(const struct customer *it);
// Takes `body`. Nobody needs the answer.
void customer_ask_aside(struct customer *it, const char *op, json_t *body);
// Did it ask for its run's release from quarantine?
bool customer_has_released(const struct customer *it);
const char *customer_thread(const struct customer *it);
// All threads that it has had. Borrowed.
json_t *customer_threads(const struct customer *it);
bool customer_has_thread(const struct customer *it, const char *thread);
// Names of its runs that were taken back. Borrowed.
json_t *customer_gone(const struct customer *it);
// Was this run of it taken back, as far as it knows or may expect?
bool customer_may_lack(const struct customer *it, const char *run);
// Does its present run say nothing that is not durable?
bool customer_is_sync(const struct customer *it);
// What it waits for, for a failure's text.
void customer_describe(const struct customer *it, char *ret_text, size_t size);

// ------------------------------------------------------------------ the world

struct world {
    uint64_t seed;
    const struct sim_options *options;
    struct climate climate;
    struct ss_prng dice;
    int64_t now_ms;
    int64_t advanced_ms; // when a customer last came further
    bool is_stormy;      // there are faults
    bool narrates;
    struct report report;
    struct agenda agenda;
    struct database database;
    SS_VEC(struct partition) partitions;
    struct plan *plans[GRAPHS_MAX];
    struct coordinator coordinators[COORDINATORS_MAX];
    struct worker workers[WORKERS_MAX];
    struct customer *customers[CUSTOMERS_MAX];
    struct ss_buf bytes;         // the message that is being encoded
    struct ss_map ledgers;       // bodies.c: by thread
    size_t deployed[GRAPHS_MAX]; // versions.c: what is rolled out
    int64_t changed_ms;          // when somebody began to serve it, or to know
    struct ss_map moves;         // and of which runs were asked to move
    struct limits_seen *limits;  // limits.c
    struct ss_map let_go;        // pauses.c: what somebody asked to go on, ever
    uint64_t stamps;             // of bodies, so far
    struct ss_map results;       // and where what they wrote stands first
};

// The time of the database, and of those whose clock does not jump.
int64_t world_us(const struct world *world);
// The plan that an order's node is of.
const struct plan *world_plan(
    struct world *world, const struct ss_assignment *order);
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

// ------------------------------------------------------------------ versions.c

// The other version of some graph is rolled out.
void versions_roll(struct world *world);
// From now on who serves what, or who knows it, is not as it was.
void versions_change(struct world *world);
bool versions_are_current(const struct world *world, const struct worker *it);
// An operator moves runs of versions that nobody serves, now and then.
void versions_operate(struct world *world);
void versions_plan(struct world *world);
void versions_fini(struct world *world);
// Which of a graph's versions has this hash?
size_t version_find(
    struct world *world, const char *graph, const char *version);
// This says that a run has moved; this order is of the version that its run's
// record says.
void versions_moved(struct world *world, const json_t *reply);
void versions_dispatch(struct world *world, const struct ss_assignment *order,
    const json_t *record);
// A row of a thread's journal; `entries`: of the runs of those before it.
void versions_row(
    struct world *world, const struct ss_row *row, struct ss_map *entries);
// What one version knows and the other does not is not lost.
void versions_kept(struct world *world, const struct ss_checkpoint_entry *mark,
    const struct ss_checkpoint *is, const struct ss_checkpoint *was);
// The graph that this worker serves, which is what the order names.
const struct ss_graph *versions_serve(
    const struct worker *it, const struct ss_assignment *order);

// ------------------------------------------------------------------ pauses.c

void pauses_operate(struct world *world);
void pauses_plan(struct world *world);
// All that is paused, as this coordinator is told now; its life is over.
void pauses_told(struct coordinator *it, const struct ss_event *event);
// limits.c: who owns a shard, since when, and whose attempts are known to whom.
// The limit of all graphs; NULL: they have none. Gives.
json_t *limits_describe(const struct climate *climate);
// The one of a node of each graph, which it has besides, likewise.
json_t *limits_also(const struct climate *climate);
void limits_fini(struct world *world);
void limits_heard(
    struct coordinator *it, const char *peer, const void *bytes, size_t size);
void limits_read(struct coordinator *it, const struct ss_shards *shards);
void limits_stop(struct coordinator *it);
void limits_told(struct coordinator *it, const struct ss_command *command);
// This body has begun: not too many are under way.
void limits_begin(struct worker *it, const struct body *body);

void pauses_forget(struct coordinator *it);
void pauses_asked(struct coordinator *it, const struct ss_event *event);
// Before an answer leaves; before a task does; an attempt under another one
// becomes this one's.
void pauses_reply(struct coordinator *it, const struct ss_command *command);
void pauses_dispatch(struct coordinator *it, const struct ss_assignment *order);
void pauses_adopt(struct coordinator *it, const struct ss_attempt *attempt);

// ------------------------------------------------------------------ checks.c

// How long its customer waits for rows is the last letter of a run's id.
bool run_is_sync(const char *run);
// Before a command leaves: what it rests on is durable.
void check_dispatch(
    const struct coordinator *it, const struct ss_assignment *order);
// Only who owns a thread's shard acts for it.
void check_owner(
    const struct coordinator *it, const char *thread, const char *what);
void check_reply(const struct coordinator *it, const json_t *reply);
void check_event(const struct coordinator *it, const struct customer *customer,
    const json_t *event);
// Does it say that the run was taken back?
bool check_tells_rollback(const json_t *answer);
// A run that was taken back: its rows count no more, and its record is gone.
// False: no row says so either. (Where it was the first run of its thread, who
// reads that deletes its rows: the one that made them void is left.)
bool check_gone(
    struct world *world, const char *thread, const char *run, bool is_first);
// bodies.c: this body begins now.
void bodies_begin(struct world *world, const struct ss_assignment *order);
// All is over: what does the journal say of this thread?
void bodies_end(struct world *world, const char *thread);
void bodies_fini(struct world *world);
// The journal of a thread, row by row (spec/engine.md 17.4).
void check_thread(struct world *world, const char *thread);
// All that was begun has ended.
void check_ended(struct world *world, const char *thread);

#endif
