// shell_impl.h - what the files of the shell share.
#ifndef SS_COORDINATOR_SHELL_IMPL_H
#define SS_COORDINATOR_SHELL_IMPL_H

#include "common/app/log.h"
#include "common/app/log_limit.h"
#include "common/app/metrics_server.h"
#include "common/app/settings.h"
#include "common/base/buf.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/link/link.h"
#include "coordinator/engine/engine.h"
#include "coordinator/owners/owners.h"
#include "coordinator/shell.h"
#include "coordinator/store/store_actors.h"
#include "coordinator/core/store_codec.h"

// An event that the shell owes the engine: what it asked for went wrong here.
struct owed {
    struct ss_event event;
    char *peer; // what the event's texts point to
    char *text;
};

// Whether the store answers (watch.c).
struct ss_shell_watch {
    int64_t since_ms;   // since when it does not; 0: it does
    int64_t told_ms;    // in the log, last
    int64_t look_at_ms; // next
    char text[SS_ERROR_SIZE]; // while it does not
};

struct ss_coordinator {
    struct ss_link *link;
    struct ss_store_actors *actors;
    struct ss_engine *engine;
    struct ss_store_codec *codec;
    struct ss_shell_cluster *cluster; // NULL: the store is ours alone
    char *store_name;
    char *name;  // among coordinators
    char *place; // where others find it
    uint64_t epoch;
    json_t *config;  // [{name, value}], for show.c
    uint16_t *member_shards; // how many each of `members` owns
    json_t *members; // endpoints of all coordinators; NULL: we are alone
    int64_t lease_ms, heartbeat_ms, drain_ms;
    int64_t wake_at_ms;       // the engine's
    bool is_measured;         // somebody may ask for its numbers
    struct ss_metrics_server *metrics; // that answers; NULL: none
    int64_t measured_ms;      // when they were taken last
    int64_t measure_at_ms;    // and are due
    int64_t retry_at_ms;      // a full queue is tried again
    int64_t stop_by_ms;       // one that stops waits no longer for its store
    struct ss_shell_watch watch;
    json_t *damaged;      // damage.c: name -> sentence; NULL: nothing
    size_t damaged_count; // of those that are not listed, too
    struct ss_map outboxes;   // peer -> struct outbox *
    struct ss_log_limit complaints; // what peers did wrong, and was logged
    struct ss_log_subject subject; // of what the engine says now
    char subject_task[SS_UUID_SIZE];
    struct ss_buf wire;       // the message that is being encoded
    SS_VEC(struct owed) owed;
    struct ss_error failure; // of the store; status SS_OK: none
};

// shell.c: one event in, its commands carried out.
void ss_shell_feed(struct ss_coordinator *shell, struct ss_event *event);
// Feed `event` (whose peer, and message in `text`, are copied) in the next
// turn.
void ss_shell_owe(
    struct ss_coordinator *shell, struct ss_event event, const char *text);

// Who is there now (this one too), and the owner of each shard: the engine,
// workers and clients hear of it. All read rows up to `row_format`.
void ss_shell_members(struct ss_coordinator *shell,
    const char *const *endpoints, size_t count, const uint16_t *owners,
    int32_t row_format);

// cluster.c: one of several coordinators. All but the first do nothing, and
// answer what is harmless, where the store is ours alone.
int ss_cluster_names(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options,
    struct ss_error *error) SS_MUST_USE;
int ss_cluster_open(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options,
    struct ss_error *error) SS_MUST_USE;
void ss_cluster_close(struct ss_coordinator *shell);
int ss_cluster_fd(const struct ss_coordinator *shell);
int64_t ss_cluster_wake_at_ms(const struct ss_coordinator *shell);
// Has our own lease run out, by the clock? Then what it gave us is let go.
void ss_cluster_look(struct ss_coordinator *shell);
// At the start of each turn.
void ss_cluster_turn(struct ss_coordinator *shell);
// A finished job of the engine's store: true if it was this file's.
bool ss_cluster_took(struct ss_coordinator *shell, const struct ss_job *job);
// A member, in a cluster in which somebody owns every shard.
bool ss_cluster_is_settled(const struct ss_coordinator *shell);
void ss_cluster_drain(struct ss_coordinator *shell);
void ss_cluster_leave(struct ss_coordinator *shell);
bool ss_cluster_has_left(const struct ss_coordinator *shell);
// Whether it has its lease, or needs none.
bool ss_cluster_is_member(const struct ss_coordinator *shell);

// The store it asks for its lease, and what that waits for; false: for nothing.
bool ss_cluster_waits(
    const struct ss_coordinator *shell, struct ss_store_wait *ret_wait);
// Of one that leaves: shards that are not known to be let go.
size_t ss_cluster_unhanded(const struct ss_coordinator *shell);
// As ss_store_actor_finish_until() has it.
bool ss_cluster_finish_until(
    struct ss_coordinator *shell, int64_t until_ms) SS_MUST_USE;

// watch.c: whether the store answers, at each turn; when to look again; since
// when it does not and why (NULL: it answers).
void ss_watch_turn(struct ss_coordinator *shell);
int64_t ss_watch_wake_at_ms(const struct ss_coordinator *shell);
const char *ss_watch_trouble(const struct ss_coordinator *shell);
// The last wait: until `stop_by_ms`. False: the store has not answered, and
// *ret_error says what was not let go.
bool ss_watch_finish(
    struct ss_coordinator *shell, struct ss_error *ret_error) SS_MUST_USE;

// damage.c: what is stored and cannot be read goes to the log, each once, and to
// who asks (a list, given: [{what, text}]). `why` is a sentence that names it.
void ss_damage_note(
    struct ss_coordinator *shell, const char *what, const char *why);
json_t *ss_damage_list(const struct ss_coordinator *shell);

// metrics.c: the numbers, at the end of a turn, and of a job that is done.
void ss_shell_measure(struct ss_coordinator *shell);
void ss_shell_measure_job(const struct ss_job *job);
// Why it cannot do its work, for /health and who asks; NULL: it can.
const char *ss_shell_trouble(const struct ss_coordinator *shell);

// run_log.c: what a STORE says of runs goes to the log.
void ss_run_log_tell(
    struct ss_coordinator *shell, const struct ss_command *command);

// show.c: what it is set to, once it is open; and the request for it.
void ss_show_note(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options);
void ss_show(struct ss_coordinator *shell, const char *peer, uint64_t id,
    const json_t *body);
// And the request `health`.
void ss_show_health(
    struct ss_coordinator *shell, const char *peer, uint64_t id);

// startup.c: what the store is asked before it gets a thread of its own: a new
// epoch, durably, and the graphs and unfinished runs that it knows. A store
// that was set back gives no epoch again: one is at least the wall time.
int ss_startup_epoch(struct ss_store *store, int64_t wall_us,
    uint64_t *ret_epoch, struct ss_error *error) SS_MUST_USE;
// The last word of one that ends as asked: what it leaves is not what ended it.
void ss_startup_stopped(struct ss_store_actors *actors);
struct ss_startup;
int ss_startup_read(struct ss_store *store, struct ss_startup **ret_boot,
    struct ss_error *error) SS_MUST_USE;
// PAUSES, GRAPH_KNOWN and RUN_FOUND.
void ss_startup_feed(struct ss_startup *startup, struct ss_coordinator *shell);
void ss_startup_destroy(struct ss_startup **startup);

// inbox.c: a message from `peer`, well-formed or not.
void ss_inbox_message(struct ss_coordinator *shell, const char *peer,
    const void *bytes, size_t size);
void ss_inbox_garbage(struct ss_coordinator *shell, const char *peer,
    const struct ss_error *error);
// What the link has to tell goes to the log.
void ss_inbox_notices(struct ss_coordinator *shell);

// outbox.c: commands to messages.
void ss_coordinator_outbox_command(
    struct ss_coordinator *shell, const struct ss_command *command);
void ss_coordinator_outbox_refuse(struct ss_coordinator *shell,
    const char *peer, int status, const char *text);
// The final answer to request `id`; takes `body`.
void ss_coordinator_outbox_answer(
    struct ss_coordinator *shell, const char *peer, uint64_t id, json_t *body);
// The same: not allowed.
void ss_coordinator_outbox_deny(struct ss_coordinator *shell, const char *peer,
    uint64_t id, const char *text);
void ss_coordinator_outbox_pong(
    struct ss_coordinator *shell, const char *peer, uint64_t id);
// Send what was collected.
void ss_coordinator_outbox_flush(struct ss_coordinator *shell);
void ss_coordinator_outbox_fini(struct ss_coordinator *shell);

#endif
