// core.h - a coordinator without what it performs: events in, outputs out.
//
//      bytes of a peer                                     outputs
//   FRAME --> inbox.c --message--> event --+            +--> SEND   (outbox.c)
//                                          v            |
//   DONE  --> store_codec.c -------->  the engine  -----+--> SUBMIT
//   (store_codec.c)
//                                          ^            |
//   TURN  --> cluster.c, the owners -------+            +--> SAY    (run_log.c
//   ...)
//
// It translates and performs nothing: no socket, no store, no clock, no log.
// Who drives it (shell.c; local/; the simulator; the stories' world) feeds what
// has happened, and carries the outputs out in their order before it feeds the
// next:
//
//   TURN     at the start of each turn, before all else: leases run out, and
//   what
//            the core owes the engine is fed. The first one begins: it asks for
//            a lease or, alone with its store, for what is there
//   FRAME, GARBAGE, DONE   what is ready, in any order
//   TICK     if nothing more is ready: time passes
//   FLUSH    at the end of each turn: lists for workers leave
//
// Everybody starts in one way: shards are gained, then pauses, graphs and
// unfinished runs are read, then served (ss_core_is_settled()). Of a store that
// others share the owners decide which shards; who is alone gains all, once.
//
// Time comes with the event. An error of the store that leaves open what is
// durable ends the core (ss_core_failure()): it takes no event any more.
#ifndef SS_CORE_CORE_H
#define SS_CORE_CORE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/model/cluster.h"
#include "common/wire/message.h"
#include "coordinator/engine/engine.h"
#include "coordinator/job/job.h"

// ------------------------------------------------------------------ events

enum ss_core_event_type {
    SS_CORE_TURN,
    SS_CORE_FRAME,    // `bytes` came from `peer`
    SS_CORE_GARBAGE,  // what came from `peer` is not even bytes: `error`
    SS_CORE_HAPPENED, // `happened`, of a peer in this process: no frame says it
    SS_CORE_DONE,     // `job` was done
    SS_CORE_TICK,
    SS_CORE_DRAIN, // send no more tasks, take no more shards
    SS_CORE_LEAVE, // hand everything over: ss_core_has_left()
    SS_CORE_FLUSH,
};

// Who sent a frame, as the link knows it.
struct ss_core_sender {
    unsigned roles;      // bits of model/roles.h; SS_ROLES_ALL without a key
    const char *key;     // its name; "": it has none
    const char *address; // "192.0.2.7"
};

// Everything is borrowed for the call.
struct ss_core_event {
    enum ss_core_event_type type;
    int64_t now_ms;  // monotonic
    int64_t wall_us; // since 1970
    const char *peer;
    struct ss_core_sender sender; // FRAME, GARBAGE
    const void *bytes;
    size_t size;
    const struct ss_error *error; // GARBAGE
    struct ss_job *job;           // DONE
    struct ss_event *happened;    // the core sets its times
};

// ------------------------------------------------------------------ outputs

enum ss_core_output_type {
    SS_CORE_SEND,     // `bytes` to `peer`; else: ss_core_unsent()
    SS_CORE_SUBMIT,   // `job` to the store, by `lane`; comes back with DONE.
                      // Taken
    SS_CORE_SAY,      // a line of the log: `level`, `subject`, `text`
    SS_CORE_COMPLAIN, // the frame's sender makes no sense: that is counted
    SS_CORE_KEPT,     // nothing any more: ss_core_unsent()
};

// By which connection of the store. Leases do not wait behind appends.
enum ss_core_lane { SS_CORE_APPENDS, SS_CORE_LEASES, SS_CORE_LANES };

enum ss_core_level {
    SS_CORE_ERROR,
    SS_CORE_WARNING,
    SS_CORE_INFO,
    SS_CORE_DEBUG,
};

// What is said or told is about these; NULL, 0: about none.
struct ss_core_subject {
    const char *thread, *run, *task;
    uint64_t epoch; // of the attempt
};

struct ss_core_output {
    enum ss_core_output_type type;
    const char *peer;             // SEND
    enum ss_message_type message; // SEND: what the bytes are
    bool is_final;                // SEND: an ANSWER, the last one
    const void *bytes;
    size_t size;
    enum ss_core_lane lane; // SUBMIT
    struct ss_job *job;
    enum ss_core_level level; // SAY
    struct ss_core_subject subject;
    const char *text;
    // SAY: of this kind about `who` a line is due once in a while; NULL:
    // always.
    const char *kind, *who;
    bool is_counted; // with how many were not said since
};

// In order; valid until the next step.
struct ss_core_outputs {
    const struct ss_core_output *items;
    size_t count;
};

// ------------------------------------------------------------------ life

struct ss_core_options {
    struct ss_member self; // name, endpoint, epoch, rows that it reads
    // Others use the store too, under leases. False: it is ours alone.
    bool is_shared;
    bool is_after_crash; // alone: who had the store before ended without a word
    // The driver tells of shards and of what is found, as events: nobody is
    // asked.
    bool is_steered, is_unread;
    // An error of the store breaks the thread that it befell, and not the core:
    // who embeds it has one process, and is told.
    bool outlives_store;
    uint64_t seed;
    int64_t lease_ms, heartbeat_ms, adopt_ms, idle_ms; // engine.h
    size_t verify_rate;                                // the same
    int64_t cluster_lease_ms;
    bool says_debug; // lines of that level are wanted
    json_t *config;  // for `show config`: [{name, value}]; borrowed; NULL: none
    // For `show` and `health`: what only the driver knows of "limits" (a list)
    // and "trouble" (why it cannot work: a text, or null). Gives. NULL:
    // nothing.
    json_t *(*ask)(void *ctx, const char *what);
    // Each decision, as it is taken. NULL: nobody listens.
    void (*narrate)(
        void *ctx, const struct ss_core_subject *subject, const char *sentence);
    // Each event before the engine takes it. NULL: nobody looks.
    void (*before)(void *ctx, const struct ss_event *event);
    // Each command of the engine before it is carried out. True: the driver did
    // (its peer is in this process). NULL: nobody looks.
    bool (*command)(void *ctx, const struct ss_command *command);
    void *ctx; // of all these
};

struct ss_core;

// Gives.
struct ss_core *ss_core_new(const struct ss_core_options *options);
// Jobs that are out are the driver's.
void ss_core_destroy(struct ss_core **core);
void ss_core_step(struct ss_core *core, const struct ss_core_event *event,
    struct ss_core_outputs *ret_outputs);
// This SEND of the last step could not leave. `status` SS_EAGAIN: the peer's
// queue is full; else it is not there. What that means comes with the next
// turn. A list for a worker that did not leave is sent again later, and so is
// what the step has for that worker behind it: that SEND becomes KEPT.
void ss_core_unsent(
    struct ss_core *core, const struct ss_core_output *output, int status);

// ------------------------------------------------------------------ looks

// A turn then, at the latest; INT64_MAX: none wanted.
int64_t ss_core_wake_at_ms(const struct ss_core *core);
// Why it takes no more events; status SS_OK: it does. SS_EFENCED: another
// coordinator has taken over. Borrowed.
const struct ss_error *ss_core_failure(const struct ss_core *core);
// Somebody owns every shard, and the runs of ours are known.
bool ss_core_is_settled(const struct ss_core *core);
// It has its lease, or needs none.
bool ss_core_is_member(const struct ss_core *core);
// Nothing is out: no attempt runs, no row waits to be stored.
bool ss_core_is_quiet(const struct ss_core *core);
bool ss_core_has_left(const struct ss_core *core);
// Of one that leaves: shards that are not known to be let go.
size_t ss_core_unhanded(const struct ss_core *core);
// To look into. Borrowed.
const struct ss_engine *ss_core_engine(const struct ss_core *core);

#endif
