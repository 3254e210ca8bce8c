// core_impl.h - what the files of the core share.
#ifndef SS_CORE_CORE_IMPL_H
#define SS_CORE_CORE_IMPL_H

#include "common/base/buf.h"
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/core/core.h"
#include "coordinator/core/store_codec.h"
#include "coordinator/owners/gains.h"
#include "coordinator/owners/owners.h"

// An event that the core owes the engine: something that the engine asked for
// failed here.
struct ss_core_owed {
    struct ss_event event;
    char *peer; // what the event's texts point to
    char *text;
    SS_VEC(struct ss_attempt) returns; // WORKER_BYE: never begun
};

// Where the texts of an output stand among the step's bytes.
struct ss_core_place {
    size_t peer, bytes;
};

// The outputs of a step (output.c).
struct ss_core_out {
    SS_VEC(struct ss_core_output) items;
    SS_VEC(struct ss_core_place) places;
    SS_VEC(char *) texts; // of SAY
    struct ss_buf bytes;
};

// Who owns what, where nobody shares the store (table.c).
struct ss_core_table {
    struct ss_member self;
    uint16_t owners[SS_SHARDS]; // 0: we do
    struct ss_job *done;        // the one to be taken next first
};

// One of several, or of one (cluster.c).
struct ss_core_cluster {
    struct ss_owners *owners;   // NULL: the driver tells of shards
    struct ss_core_table table; // asked where nobody shares the store
    int64_t wake_at_ms;
    struct ss_gains gains; // their runs are being read
    bool is_seeing;        // what is paused, with a look
    bool is_leaving;
    size_t unhanded; // shards of one that leaves, not known to be let go
    bool has_left;
};

struct ss_core {
    struct ss_core_options options;
    json_t *config;
    struct ss_engine *engine;
    struct ss_store_codec *codec;
    struct ss_core_cluster cluster;
    int64_t now_ms, wall_us;      // of the event
    struct ss_core_sender sender; // of the frame
    int64_t wake_at_ms;           // the engine's
    int64_t retry_at_ms;          // a full queue is tried again
    json_t *members;        // endpoints of all coordinators; NULL: we are alone
    json_t *damaged;        // damage.c: name -> sentence; NULL: nothing
    size_t damaged_count;   // with those that are not listed
    struct ss_map outboxes; // peer -> struct outbox *
    struct outbox *spare_outbox;    // NULL: none
    struct ss_core_subject subject; // of lines that the engine logs now
    char subject_task[SS_UUID_SIZE];
    struct ss_buf wire; // the message that is being encoded
    struct ss_core_out out;
    SS_VEC(struct ss_core_owed) owed;
    struct ss_error failure; // of the store; status SS_OK: none
};

// core.c: one event for the engine, its commands carried out.
void ss_core_feed(struct ss_core *core, struct ss_event *event);
// One of several that have come at once; ss_core_feed() takes the last of them.
void ss_core_feed_more(struct ss_core *core, struct ss_event *event);
// Feed `event` (whose peer, and message in `text`, are copied) in the next
// turn.
void ss_core_owe(struct ss_core *core, struct ss_event event, const char *text);

// output.c: at the start of a step, and at its end; the other calls add one.
void ss_core_out_begin(struct ss_core *core);
void ss_core_out_end(struct ss_core *core, struct ss_core_outputs *ret);
void ss_core_out_fini(struct ss_core *core);
// Its bytes with the attempts behind them.
size_t ss_core_output_size(const struct ss_core_output *output);
// A SEND, of which the bytes are copied, with the attempts behind them.
void ss_core_out_send(
    struct ss_core *core, const char *peer, struct ss_core_output output);
// Takes `job`.
void ss_core_out_submit(
    struct ss_core *core, enum ss_core_lane lane, struct ss_job *job);
void ss_core_out_complain(struct ss_core *core);
void ss_core_say(struct ss_core *core, enum ss_core_level level,
    const char *format, ...) SS_PRINTF(3, 4);
void ss_core_say_about(struct ss_core *core, enum ss_core_level level,
    const struct ss_core_subject *subject, const char *format, ...)
    SS_PRINTF(4, 5);
// The same, once in a while about `who`.
void ss_core_say_seldom(struct ss_core *core, enum ss_core_level level,
    const struct ss_core_subject *subject, const char *kind, const char *who,
    const char *format, ...) SS_PRINTF(6, 7);

// cluster.c: our own lease, and the shards of others.
void ss_core_cluster_open(struct ss_core *core);
void ss_core_cluster_fini(struct ss_core *core);
// If our own lease has run out, by the clock, let its shards go. The first look
// begins.
void ss_core_cluster_look(struct ss_core *core);
// A finished job: true if it was this file's.
bool ss_core_cluster_took(struct ss_core *core, const struct ss_job *job);
void ss_core_cluster_drain(struct ss_core *core);
void ss_core_cluster_leave(struct ss_core *core);

// table.c: what the database does of those who share it; a job is done as it is
// submitted. `is_crashed`: who had the store before ended without a word.
void ss_core_table_init(
    struct ss_core_table *table, const struct ss_member *self, bool is_crashed);
void ss_core_table_fini(struct ss_core_table *table);
// Takes `job`, one for owners. It comes back, given, in its turn; NULL: none.
void ss_core_table_submit(struct ss_core_table *table, struct ss_job *job);
struct ss_job *ss_core_table_take(struct ss_core_table *table);

// found.c: read the shards that were gained. Ask the store; take an answer
// (true: it was one); ask what is paused now.
void ss_core_found_ask(struct ss_core *core);
bool ss_core_found_took(struct ss_core *core, const struct ss_job *job);
void ss_core_found_look(struct ss_core *core);

// damage.c: what is stored and cannot be read goes to the log, each thing once,
// and to peers that ask (a list, given: [{what, text}]). `why` is a sentence
// that names it.
void ss_core_damage_note(
    struct ss_core *core, const char *what, const char *why);
json_t *ss_core_damage_list(const struct ss_core *core);

// run_log.c: what a STORE says of runs goes to the log.
void ss_core_run_log(struct ss_core *core, const struct ss_command *command);

// show.c: the requests `show` and `health`, which the engine does not know.
// False: it is another request.
bool ss_core_show(struct ss_core *core, const char *peer, uint64_t id,
    const char *op, const json_t *body);

// inbox.c: a message from `peer`, well-formed or not.
void ss_core_inbox_frame(
    struct ss_core *core, const char *peer, const void *bytes, size_t size);
void ss_core_inbox_garbage(
    struct ss_core *core, const char *peer, const struct ss_error *error);

// outbox.c: commands to messages.
void ss_core_outbox_command(
    struct ss_core *core, const struct ss_command *command);
void ss_core_outbox_refuse(
    struct ss_core *core, const char *peer, int status, const char *text);
// The final answer to request `id`; takes `body`.
void ss_core_outbox_answer(
    struct ss_core *core, const char *peer, uint64_t id, json_t *body);
// The same, with the error that the request is not allowed.
void ss_core_outbox_deny(
    struct ss_core *core, const char *peer, uint64_t id, const char *text);
void ss_core_outbox_pong(struct ss_core *core, const char *peer, uint64_t id);
// Send the lists that were collected.
void ss_core_outbox_flush(struct ss_core *core);
void ss_core_outbox_fini(struct ss_core *core);

#endif
