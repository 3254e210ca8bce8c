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
// The driver (shell.c; local/; the simulator; the stories' world) feeds events,
// and carries out the outputs of each, in their order, before it feeds the
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
// There is one way to start: shards are gained; their pauses, graphs and
// unfinished runs are read; then they are served (ss_core_is_settled()). Where
// the store is shared the owners decide which shards; a coordinator alone gains
// all of them, once.
//
// Time comes with the event. An error of the store that leaves open what is
// durable ends the core (ss_core_failure()): it takes no more events.
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
    SS_CORE_GARBAGE,  // the link could not read what `peer` sent: `error`
    SS_CORE_HAPPENED, // `happened`: an event of a peer in this process, without
                      // a frame
    SS_CORE_DONE,     // `job` was done
    SS_CORE_TICK,
    SS_CORE_DRAIN, // send no more tasks, take no more shards
    SS_CORE_LEAVE, // hand everything over: ss_core_has_left()
    SS_CORE_FLUSH,
};

// The sender of a frame, as the link knows it.
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
    bool more; // HAPPENED, an outcome: another one follows at once, and what
               // this one sets in motion leaves with the last of them
};

// ------------------------------------------------------------------ outputs

enum ss_core_output_type {
    SS_CORE_SEND,     // `bytes` to `peer`; else: ss_core_unsent()
    SS_CORE_SUBMIT,   // `job` to the store, by `lane`; comes back with DONE.
                      // Taken
    SS_CORE_SAY,      // a line of the log: `level`, `subject`, `text`
    SS_CORE_COMPLAIN, // the frame makes no sense: counted against its sender
    SS_CORE_KEPT,     // nothing any more: ss_core_unsent()
};

// The connection of the store. Leases do not wait behind appends.
enum ss_core_lane { SS_CORE_APPENDS, SS_CORE_LEASES };

enum ss_core_level {
    SS_CORE_ERROR,
    SS_CORE_WARNING,
    SS_CORE_INFO,
    SS_CORE_DEBUG,
};

// What a line or decision is about; NULL, 0: nothing.
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
    size_t orders; // SEND: of so many; their attempts stand behind the bytes
    enum ss_core_lane lane; // SUBMIT
    struct ss_job *job;
    enum ss_core_level level; // SAY
    struct ss_core_subject subject;
    const char *text;
    // SAY: lines of this kind about `who` are due once in a while; NULL:
    // always.
    const char *kind, *who;
    bool is_counted; // with how many were left out since
};

// In order; valid until the next step.
struct ss_core_outputs {
    const struct ss_core_output *items;
    size_t count;
};

// ------------------------------------------------------------------ life

struct ss_core_options {
    struct ss_member self; // name, endpoint, epoch, rows that it reads
    // Other coordinators use the store too, under leases. False: it is ours
    // alone.
    bool is_shared;
    bool is_after_crash; // alone: the coordinator before did not end as asked
    // The driver feeds shards, and what is found in them, as events: the core
    // does not ask the store.
    bool is_steered;
    // An error of the store breaks its thread, and not the core: a program that
    // embeds the core has only this process, and gets the error.
    bool outlives_store;
    // The store is in memory, and in the thread of the core: rows stay as they
    // are, and never become bytes.
    bool keeps_rows;
    // The same store takes a unit at once: it borrows it, and gives what came
    // of it. With `keeps_rows` and `outlives_store` alone. NULL: units are
    // jobs.
    int (*store)(void *ctx, struct ss_store_unit *unit, struct ss_error *error);
    // With `store` alone: it has nothing of that thread. NULL: each is read.
    bool (*is_new)(void *ctx, const char *thread);
    uint64_t seed;
    int64_t lease_ms, heartbeat_ms, adopt_ms, idle_ms; // engine.h
    uint32_t crashes_max;                              // the same
    size_t verify_rate;                                // the same
    int32_t idle_large_max;                            // the same
    int64_t cluster_lease_ms;
    unsigned members;   // that start together: owners.h
    bool says_debug;    // lines of that level are wanted
    bool says_failures; // each run that fails is, with its message
    json_t *config; // for `show config`: [{name, value}]; borrowed; NULL: none
    // Facts that only the driver knows: "limits" (a list, for `show`),
    // "disk" (that it is nearly full: a text, or null), "trouble" (why it
    // cannot work, for `health`: a text, or null), "away" (the same, where the
    // store itself says that it is away: reads are refused then). Gives. NULL:
    // nothing.
    json_t *(*ask)(void *ctx, const char *what);
    // Each decision, as it is taken. NULL: nobody listens.
    void (*narrate)(
        void *ctx, const struct ss_core_subject *subject, const char *sentence);
    // Called with each event before the engine takes it; or NULL.
    void (*before)(void *ctx, const struct ss_event *event);
    // Called with each command of the engine before it is carried out; or NULL.
    // True: the driver carried it out (its peer is in this process).
    bool (*command)(void *ctx, const struct ss_command *command);
    void *ctx; // of all these
};

struct ss_core;

// Gives.
struct ss_core *ss_core_new(const struct ss_core_options *options);
// Jobs that were submitted stay with the driver.
void ss_core_destroy(struct ss_core **core);
void ss_core_step(struct ss_core *core, const struct ss_core_event *event,
    struct ss_core_outputs *ret_outputs);
// This SEND of the last step could not leave. `status` SS_EAGAIN: the peer's
// queue is full; otherwise the peer is not there. The consequences come with
// the next turn. A list for a worker that could not leave is sent again later,
// and so are the messages that the step has for that worker behind it: their
// SEND becomes KEPT.
void ss_core_unsent(
    struct ss_core *core, const struct ss_core_output *output, int status);

// ------------------------------------------------------------------ looks

// When the next turn must be, at the latest; INT64_MAX: none is needed.
int64_t ss_core_wake_at_ms(const struct ss_core *core);
// Why the core takes no more events; status SS_OK: it does. SS_EFENCED: another
// coordinator has taken over. Borrowed.
const struct ss_error *ss_core_failure(const struct ss_core *core);
// Somebody owns every shard, and the runs of ours are known.
bool ss_core_is_settled(const struct ss_core *core);
// Why the coordinator can do no work: it has no lease, or owns nothing that it
// has read. NULL: it can.
const char *ss_core_trouble(const struct ss_core *core);
// Nothing is out: no attempt runs, no row waits to be stored.
bool ss_core_is_quiet(const struct ss_core *core);
bool ss_core_has_left(const struct ss_core *core);
// While it leaves: shards that are not known to be handed over.
size_t ss_core_unhanded(const struct ss_core *core);
// To look into. Borrowed.
const struct ss_engine *ss_core_engine(const struct ss_core *core);

#endif
