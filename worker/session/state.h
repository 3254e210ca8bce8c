// state.h - what a session knows. Only files of this folder include it.
#ifndef SS_SESSION_STATE_H
#define SS_SESSION_STATE_H

#include "common/base/map.h"
#include "common/base/mem.h"
#include "worker/session/session.h"

enum phase { PHASE_GREETING, PHASE_SERVING, PHASE_DRAINING, PHASE_LEFT };

// An attempt that was given to us and is not settled.
struct ss_held {
    struct ss_attempt name;
    char task_id[SS_UUID_SIZE];
    char *node;
    struct ss_order *order;     // QUEUED; else NULL
    bool busy;                  // a thread is in its body
    bool settled;               // nobody wants its outcome any more
    struct ss_outcome *outcome; // KEPT; else NULL
    int64_t run_timeout_ms;
    int64_t idle_timeout_ms;
    bool heartbeat_only;
    int64_t started_ms;
    int64_t progress_ms;
    int64_t sent_ms; // the outcome, last
    unsigned sends;
};

struct ss_session {
    uint32_t capacity;
    enum phase phase;
    bool drains;    // the operator asked for it
    uint64_t epoch; // of the coordinator that took us in; 0: none yet
    int64_t lease_ms;
    int64_t heartbeat_ms;
    int64_t now_ms;
    bool has_stepped;
    int64_t heard_ms; // last sign of the coordinator
    int64_t beat_ms;  // next BEAT
    int64_t ping_ms;  // last PING
    int64_t hello_ms; // next HELLO
    int64_t hello_interval_ms;
    int64_t refused_ms; // first of a row of refusals that may pass; -1: none
    int64_t leave_ms;   // draining and idle: leave unsettled at this time
    struct ss_map held; // name as text -> struct ss_held *
    size_t busy;
    struct ss_error leaving;
    struct {
        struct ss_session_command *items;
        size_t count, capacity;
    } commands;
    // what commands point to, until the next call
    struct {
        struct ss_attempt *items;
        size_t count, capacity;
    } attempts;
    struct {
        struct ss_outcome **items;
        size_t count, capacity;
    } outcomes;
    struct {
        struct ss_outcome **items; // settled in this step
        size_t count, capacity;
    } trash;
};

// session.c
void ss_session_say(
    struct ss_session *session, const struct ss_session_command *command);

// held.c: the life of an attempt
struct ss_held *ss_held_find(
    const struct ss_session *session, struct ss_attempt name);
void ss_held_take(struct ss_session *session, struct ss_order *order);
void ss_held_start_queued(struct ss_session *session);
// Orders of an epoch that is over and that have not begun.
void ss_held_drop_stale(struct ss_session *session);
void ss_held_cancel(struct ss_session *session, struct ss_attempt name);
void ss_held_settle(struct ss_session *session, struct ss_attempt name);
void ss_held_end(struct ss_session *session, struct ss_outcome *outcome);
void ss_held_progress(
    struct ss_session *session, struct ss_attempt name, bool is_heartbeat);
bool ss_held_runs(const struct ss_session *session, struct ss_attempt name);
void ss_held_expire(struct ss_session *session);
// Send the outcomes that nobody has settled: all, or those due again.
void ss_held_send(struct ss_session *session, bool all);
// When a body times out; if it `sends`, also when a result is sent again.
int64_t ss_held_wake_at(const struct ss_session *session, bool sends);
void ss_held_fini(struct ss_session *session);
size_t ss_held_kept(const struct ss_session *session);

#endif
