// engine.h - the deterministic heart of a coordinator: events in, commands out.
//
// The engine owns every decision and performs none: no clock, no socket, no
// thread, no file, no randomness of its own. The shell tells it what happened
// (struct ss_event) and carries out what it asks for (struct ss_command). Feed
// two engines the same events and they give the same commands.
//
//     client            engine                     worker        store
//       | REQUEST run ---> enter  -- STORE rows ------------------> |
//       |                  (held back by the gate) <-- STORED ----- |
//       |                  plan   -- DISPATCH ------> |             |
//       |                  commit <-- TASK_DONE ----- |             |
//       |                  update -- STORE rows ------------------> |
//       | <-- EVENT, REPLY (when the rows they rest on are durable) |
//
// Where to read on: docs/internals/engine.md says which room decides what,
// follows one superstep from function to function, and has a row for each phase
// of a run's life; gate.def is what waits for what.
#ifndef SS_ENGINE_ENGINE_H
#define SS_ENGINE_ENGINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/model/cluster.h"
#include "common/model/find.h"
#include "common/model/journal.h"
#include "common/model/run_status.h"
#include "common/model/task.h"

// What the small tables hold, as the engine names them; the shell maps them to
// the store's.
enum ss_record_table {
    SS_RECORD_RUN, // run id -> {"run", "thread", "graph", "status", ...}
    // Thread -> {"thread", "graph", "version", "created_us", "updated_us",
    // "status", "run", "interrupts"?: {task: [question]}, "error"?}
    SS_RECORD_THREAD,
    SS_RECORD_OPEN,  // of SS_RECORD_RUN those that have not ended; only read
    SS_RECORD_GRAPH, // "name@version" -> description
    SS_RECORD_CACHE, // cache key -> {"writes", ...}
    SS_RECORD_PAUSE, // "all", "graph:NAME" or "graph:NAME@VERSION" ->
                     // {"graph"?, "version"?, "since_us", "reason"?, "by"?}
    SS_RECORD_LIMIT, // of limits (scheduler/limit_record.c), by one index
};

#define SS_RECORD_LIMIT_INDEX "limit"

#define SS_EVENT_MAP(X)                                                        \
    X(WORKER_HELLO)  /* a worker announced itself */                           \
    X(WORKER_BEAT)   /* it is alive; what it runs */                           \
    X(WORKER_BYE)    /* it drains or is gone */                                \
    X(WORKER_LACKS)  /* it does not hold the lists of these orders */          \
    X(WORKER_OFFERS) /* what it holds of shards that were gained */            \
    X(TASK_DONE)     /* the outcome of an attempt, perhaps again */            \
    X(TASK_LIVE)     /* an item of a running attempt */                        \
    X(REQUEST)       /* a client asks */                                       \
    X(CLIENT_GONE)   /* nobody listens there (request.id; 0: at all) */        \
    X(GRAPH_KNOWN)   /* a description found in the store */                    \
    X(RUN_FOUND)     /* an unfinished run found in the store */                \
    X(PAUSES)        /* all that is paused, as the store has it */             \
    X(LIMITS)        /* all records of limits, as the store has them */        \
    X(ROWS)          /* the answer to READ */                                  \
    X(RECORDS)       /* the answer to SCAN, GET or FIND */                     \
    X(STORED)        /* the answer to STORE */                                 \
    X(MEMBERS)       /* where all coordinators are, as of now */               \
    X(SHARDS_GAINED) /* threads that are ours from now on */                   \
    X(SHARDS_READ)   /* all unfinished runs of these were told */              \
    X(SHARDS_LOST)   /* threads that are not */                                \
    X(DRAIN)         /* send no more tasks; what is out may end */             \
    X(TICK)          /* time passed (all events carry the time) */

enum ss_event_type {
#define X(name) SS_EVENT_##name,
    SS_EVENT_MAP(X)
#undef X
};

struct ss_record {
    const char *key;
    const char *index; // or NULL
    json_t *value;
    int64_t expires_us;
};

// Everything is borrowed for the call, but what is said to be taken.
struct ss_event {
    enum ss_event_type type;
    int64_t now_ms;   // monotonic; what waits is measured with it
    int64_t wall_us;  // since 1970; what is stored is stamped with it
    const char *peer; // WORKER_*, TASK_*, REQUEST, CLIENT_GONE
    union {
        struct {
            const char *name; // for people: "host/pid/1"
            uint32_t capacity;
            bool keeps_lists;      // it takes lists as edits of what it holds
            json_t *const *graphs; // descriptions
            size_t graphs_count;
            char *const *labels; // what nodes may ask for
            size_t labels_count;
            json_t *settings; // what it is set to, for people; or NULL
            const struct ss_offer *offers; // what it holds of owners before us
            size_t offers_count;
        } hello;
        struct {
            const struct ss_attempt *running;
            size_t running_count;
            uint32_t capacity; // tasks at once, from now on; 0: as in HELLO
            uint64_t sent;     // by its clock; 0: it wants no answer
        } beat;
        struct {
            const struct ss_attempt *attempts;
            size_t attempts_count;
        } lacks;
        struct {
            const struct ss_offer *items;
            size_t count;
        } offers;
        struct {
            bool drains;    // finishes what it runs, takes no more
            bool stuck;     // until one of its threads is free
            bool is_broken; // it does not say so: its link does
            const struct ss_attempt *returns; // not begun: for somebody else
            size_t returns_count;
            // NULL: itself; else another worker's process has ended, as its
            // supervisor says, and how (or NULL).
            const char *ended, *how;
        } bye;
        struct {
            struct ss_outcome *outcome; // taken
        } done;
        struct {
            struct ss_attempt attempt;
            enum ss_live_kind kind;
            json_t *value;
        } live;
        struct {
            uint64_t id; // the client's number for it
            const char *op;
            json_t *body;
            const char *by; // the name of its key; NULL: it has none
            bool is_alone;  // nobody hears what comes before its answer
        } request;
        struct {
            json_t *description;
            const char *key; // what it is stored under
        } graph;
        struct {
            json_t *record; // of SS_RECORD_RUN
            bool crashed;   // its coordinator ended without a word
        } run;
        struct {
            json_t *const *records; // what is not here is not paused
            size_t count;
        } pauses;
        struct {
            json_t *const *records;
            size_t count;
        } limits;
        struct {
            uint64_t tag;
            int status;
            const char *message;
            struct ss_row **rows; // each taken
            size_t rows_count;
            const json_t *record; // of SS_RECORD_THREAD; NULL: there is none
        } rows;
        struct {
            uint64_t tag;
            int status;
            const char *message;
            const struct ss_record *records;
            size_t records_count;
            const char *place; // FIND: it goes on there; NULL: that is all
            bool lacks;        // FIND: some are not found yet
            size_t unsearched; // FIND: so many may fit, and are not found
        } records;
        struct {
            uint64_t tag;
            int status; // SS_OK durable; SS_EREFUSED; SS_EFENCED; other: failed
            const char *message;
        } stored;
        struct {
            const char *const *endpoints;
            size_t count;
            const uint16_t *owners; // of each shard: an endpoint's number, or
                                    // SS_NOBODY; NULL: nobody knows
            int32_t
                row_format; // the newest that all of them read; 0: as it was
        } members;
        struct {
            const struct ss_shards *shards;
            uint64_t epoch; // gained: higher than any owner's before
            // Gained: RUN_FOUND comes for what is unfinished there, in any
            // order, then SHARDS_READ; until then nobody is served.
            bool unread;
            bool has_open;        // read: a run of anybody's had not ended then
            const char *endpoint; // lost: of the new owner; NULL: not known
        } shards;
    };
};

enum ss_command_type {
    SS_COMMAND_WELCOME,  // to a worker: taken in; `json`: the members;
                         // `begin_ms`: so long a beat vouches; 0: for ever
    SS_COMMAND_HEARD,    // to a worker: its beat `tag` has come; `attempts` of
                         // those that it named are gone
    SS_COMMAND_REFUSE,   // to a worker: go away; `status`, `text` say why
    SS_COMMAND_DISPATCH, // `order` to worker `peer`
    SS_COMMAND_CANCEL,   // attempt `attempt` of worker `peer`
    SS_COMMAND_SETTLED,  // to a worker: forget the result of `attempt`
    SS_COMMAND_SEEK,     // to a worker: what have you of `shards` (epoch `tag`)
    SS_COMMAND_ADOPT,    // to a worker: `held` is `attempt` from now on
    SS_COMMAND_MEMBERS,  // to a worker: `json`, where all coordinators are
    SS_COMMAND_DRAIN,    // to a worker: leave in order
    SS_COMMAND_STORE,    // rows and records, all or nothing; answer STORED
    SS_COMMAND_READ,     // rows of `thread` from..to, its record; answer ROWS
    SS_COMMAND_SCAN,     // records of `table` (`key`: index, or NULL)
    SS_COMMAND_GET,      // the record `key` of `table`
    SS_COMMAND_FIND,     // records that fit `find`; answer RECORDS
    SS_COMMAND_REPLY,    // the final answer `json` to request `id` of `peer`
    SS_COMMAND_EVENT,    // a stream item of request `id` of `peer`
    SS_COMMAND_DAMAGED, // `key` ("thread t") cannot be read; `text`: a sentence
};

struct ss_json_late;

struct ss_command_put {
    enum ss_record_table table;
    char *key;
    char *index;
    char *value; // an object, as JSON text
    // In its place, where a store in memory takes it in this step: the text is
    // made when somebody reads it. Neither: delete.
    struct ss_json_late *late;
    bool absent; // only if the key is not there
    char *same;  // only if this is there, such a text; NULL: whatever is
    // Of a run: how it stands, as `value` says.
    enum ss_run_status status;
    // Of a run or a thread: by when it is found (find.h), as `value` says.
    int64_t at_us;
    // Of a run: while it has not ended its record stands among the open ones
    // alone.
    bool open_alone;
    int64_t expires_us;
};

struct ss_command {
    enum ss_command_type type;
    char *peer;
    uint64_t id;  // REPLY, EVENT: the request's number
    uint64_t tag; // STORE, READ, SCAN, GET, FIND; SEEK; HEARD
    int status;
    char *text;
    json_t *json;
    struct ss_assignment *order;
    struct ss_attempt attempt;
    struct ss_attempt held;
    struct ss_attempt *attempts;
    size_t attempts_count;
    int64_t begin_ms;
    struct ss_shards *shards;
    char *thread;
    uint64_t from, to;
    struct ss_row *const *rows; // borrowed, in the journal
    size_t rows_count;
    int32_t row_format; // STORE: the newest that all members read
    struct ss_command_put *puts;
    size_t puts_count;
    // When the thread was made: its record, and those of runs that have ended,
    // tell where it ends with these rows. 0: they do not.
    int64_t born_us;
    bool delete_thread;
    uint64_t delete_to;
    enum ss_record_table table;
    char *key;
    char *after;  // SCAN: keys that follow this one; NULL: from the first
    size_t limit; // SCAN: at most so many; 0: all
    struct ss_find *find; // FIND
};

// What one step asks of the shell, in order. Owned by the engine, valid until
// the next call.
struct ss_commands {
    const struct ss_command *items;
    size_t count;
    int64_t wake_at_ms; // INT64_MAX: no timer wanted
};

struct ss_engine_options {
    uint64_t epoch; // of this coordinator; names attempts
    // Others have threads, too: only those of shards that were gained are
    // served, requests for others are answered "moved".
    bool shared;
    // Of one that has all threads: unfinished runs are being read, as for
    // shards that are gained; RUN_FOUND comes for each, then SHARDS_READ.
    bool unread;
    int32_t row_format;   // of rows, at most, until members say; 0: the newest
    uint64_t seed;        // for the random parts of ids
    int64_t lease_ms;     // a worker is lost after so long without a sign
    int64_t heartbeat_ms; // told to workers
    // A task fails when so many processes crashed under it; 0: as limits.h says
    // of workers that are lost.
    uint32_t crashes_max;
    // So long a task that may be out waits for the worker that has it. 0: it is
    // sent anew at once.
    int64_t adopt_ms;
    int64_t
        idle_ms; // a thread unused so long is forgotten; 0: as limits.h says
    // For tests: see that all which must hold between two steps does, not its
    // cheap half alone (invariants.c). So many things are looked at for each
    // step, on the average: where there are more, not after every one.
    size_t verify_rate;
    // So many threads that nobody uses keep their rows as they are for a while;
    // 0: as limits.h says, below: none.
    int32_t idle_large_max;
    // The store keeps rows as they are, in memory: to pack those of a thread
    // gains nothing, and what they repeat need not be named.
    bool keeps_rows;
    // The store is at hand, and takes a STORE at once: it borrows the command,
    // and gives what STORED would tell, with the message in `error`. No STORE
    // is among the commands then, and what rests on one goes on in the same
    // step. NULL: they are.
    int (*store)(
        void *ctx, const struct ss_command *command, struct ss_error *error);
    // With such a store alone: it has nothing of that thread, which is not read
    // then. NULL: each is read.
    bool (*is_new)(void *ctx, const char *thread);
    void *store_ctx;
    // One sentence for each decision; for stories, logs, explain. NULL: none.
    void (*narrate)(void *ctx, const char *sentence);
    void *narrate_ctx;
};

// What an engine has done since it was made, and what it has now.
struct ss_engine_counts {
    int64_t runs_started, runs_done, runs_failed;
    int64_t supersteps; // checkpoints of source "loop", of all loops
    int64_t attempts_sent, attempts_failed, attempts_lost;
    int64_t tasks_ready; // wait for a worker
    // filled when asked for
    int64_t runs_active, runs_queued, tasks_running, threads, workers, capacity,
        shards;
    int64_t pauses; // of graphs, of versions, and of everything
};

struct ss_engine;

struct ss_engine *ss_engine_new(const struct ss_engine_options *options);
void ss_engine_destroy(struct ss_engine **place);
// Advance by one event. What the user's graph or a client does wrong is data in
// the commands, never an error here. `ret` NULL: more events follow at once,
// and with the last of them, which has the commands of all, tasks are sent and
// rows handed to the store, once.
void ss_engine_step(struct ss_engine *it, const struct ss_event *event,
    struct ss_commands *ret);
// Costs as much as there are workers.
void ss_engine_count(
    const struct ss_engine *it, struct ss_engine_counts *ret_counts);
// The numbers of so many limits of tasks at most, under the names that the
// request `limits` has for them. Gives a list. It is asked for ten times a
// second: what else a limit has to show is left out.
json_t *ss_engine_limits(const struct ss_engine *it, size_t most);
// Nothing is out: no attempt runs, no row waits to be stored.
bool ss_engine_is_quiet(const struct ss_engine *it);
// The thread is in memory, or is being read. Else it is read before anything is
// written to it.
bool ss_engine_knows(const struct ss_engine *it, const char *thread);
// Shards of threads whose runs are under way.
struct ss_shards ss_engine_busy(const struct ss_engine *it);

#endif
