// state.h - what a session knows. Only files of this folder include it.
#ifndef SS_SESSION_STATE_H
#define SS_SESSION_STATE_H

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/graph.h"
#include "common/peer/peer.h"
#include "worker/session/session.h"

enum phase {
    PHASE_KNOCKING,
    PHASE_GREETING,
    PHASE_SERVING,
    PHASE_DRAINING,
    PHASE_REFUSED,
};

// A worker's contact with one coordinator.
struct contact {
    struct ss_peer peer;
    char *alias;   // another endpoint under which it answered; or NULL
    bool is_given; // by the operator: never forgotten
    enum phase phase;
    uint64_t epoch; // of the coordinator that accepted us; 0: none yet
    int64_t lease_ms;
    int64_t heartbeat_ms;
    int64_t begin_ms; // how long a beat vouches for orders; 0: for ever
    bool has_unnamed; // orders that no beat vouches for or has named
    int64_t beat_ms;  // next BEAT
    int64_t hello_ms; // next HELLO, or the PING that comes before it
    int64_t hello_interval_ms;
    bool is_missed;     // people were told that it is silent
    int64_t refused_ms; // the first of a series of refusals that may be
                        // temporary; -1: none
    uint32_t told_capacity;
    int64_t told_ms; // last BEAT
    size_t load;     // threads that its attempts have or wait for
    struct {
        struct ss_outcome **items; // to be sent in this step
        size_t count, capacity;
    } outcomes;
    struct ss_map lists; // that it sent (list_cache.c), least used first
    size_t lists_size;
};

// An attempt that was ordered and is not settled.
struct ss_held {
    struct ss_attempt name; // as its coordinator calls it
    struct ss_attempt
        body; // the name under which it began; its body knows no other
    struct contact *contact; // whose it is; NULL: an orphan
    char *thread;
    char *run;
    uint16_t shard;
    uint64_t digest; // of its order; 0: it cannot be offered
    size_t size;     // of its outcome's writes
    char task_id[SS_UUID_SIZE];
    char *node;
    struct ss_assignment *order; // QUEUED; else NULL
    int64_t named_ms;            // the first beat that named it; 0: none
    int64_t vouched_ms;          // the newest beat that vouches for it; 0: none
    bool busy;                   // a thread is in its body
    bool settled;                // nobody wants its outcome any more
    struct ss_outcome *outcome;  // KEPT; else NULL
    struct ss_timeouts timeouts;
    int64_t started_ms;
    int64_t progress_ms;
    int64_t sent_ms; // the outcome, last
};

struct ss_session {
    uint32_t capacity;
    bool drains; // the operator asked for it
    bool is_over;
    bool was_taken_in;
    int64_t now_ms;
    bool has_stepped;
    int64_t leave_ms;         // draining and idle: leave unsettled at this time
    struct ss_peers contacts; // of struct contact
    struct ss_endpoints endpoints;
    struct ss_map held;    // name as text -> struct ss_held *
    struct ss_map renamed; // name of a body, as text -> struct ss_held *
    struct ss_map spent;   // names that are over, oldest first -> when, in ms
    int64_t forgot_ms;     // the newest that was dropped from there
    uint64_t shard_epochs[SS_SHARDS]; // of the newest owner we heard of
    size_t busy;
    int64_t stuck_ms; // since when no thread can be had; -1: one can
    bool is_stuck;    // for so long that nothing is taken
    struct ss_error leaving;
    struct ss_error turned_away;
    struct {
        struct ss_session_command *items;
        size_t count, capacity;
    } commands;
    // what commands point to, until the next call
    struct {
        void **items; // lists, freed with the commands
        size_t count, capacity;
    } scratch;
    struct {
        struct ss_session_item *items; // under the names of now
        size_t count, capacity;
    } renamed_items;
    struct {
        struct contact **items; // disconnected in this step
        size_t count, capacity;
    } gone;
    struct {
        struct ss_outcome **items; // settled in this step
        size_t count, capacity;
    } trash;
};

static inline struct contact *ss_contact_at(
    const struct ss_session *session, size_t index)
{
    return (struct contact *)session->contacts.items[index]; // which it begins
}

// session.c
void ss_session_say(
    struct ss_session *session, const struct ss_session_command *command);
void ss_session_leave(struct ss_session *session, int status, const char *text);

// contact_state.c
void ss_contact_move(struct contact *contact, enum phase to);

// contact.c: the words with one coordinator
bool ss_contact_serves(const struct contact *contact); // or drains
void ss_contact_greet(struct ss_session *session, struct contact *contact);
void ss_contact_knock(struct ss_session *session, struct contact *contact);
void ss_contact_welcome(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event);
void ss_contact_refused(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event);
void ss_contact_connected(struct ss_session *session, struct contact *contact);
void ss_contact_pong(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event);
void ss_contact_bye(
    struct ss_session *session, struct contact *contact, bool drains);
// The operator wants us to leave.
void ss_contact_drain(struct ss_session *session, struct contact *contact);
// Send the beats, pings and HELLOs that are due; notice its silence.
void ss_contact_mind(struct ss_session *session, struct contact *contact);
void ss_contact_flush(struct ss_session *session, struct contact *contact);
int64_t ss_contact_wake_at(
    const struct ss_session *session, const struct contact *contact);

// members.c: which coordinators there are
struct contact *ss_contact_find(
    const struct ss_session *session, uint32_t link);
struct contact *ss_contact_add(
    struct ss_session *session, const char *endpoint, bool is_given);
void ss_contact_redial(struct ss_session *session, struct contact *contact);
void ss_contact_drop(struct ss_session *session, struct contact *contact);
void ss_members_told(
    struct ss_session *session, char *const *endpoints, size_t count);
// Free the contacts that were dropped in the step before.
void ss_contacts_forget_gone(struct ss_session *session);
void ss_contacts_fini(struct ss_session *session);

// list_cache.c: lists that are sent as edits
// Put the lists of an order of its epoch into their places. False: we lack one.
bool ss_list_cache_complete(
    struct contact *contact, struct ss_assignment *order);
void ss_list_cache_forget(struct contact *contact);

// takeover.c: what a coordinator leaves behind
// What it gave under other epochs than `epoch` is nobody's; orders that have
// not begun are dropped.
void ss_orphan_all(
    struct ss_session *session, struct contact *contact, uint64_t epoch);
void ss_orphans_bound(struct ss_session *session);
void ss_offers_for_hello(struct ss_session *session,
    const struct contact *contact, struct ss_session_command *hello);
// False: the epoch is older than the one we know. Otherwise it is the known one
// from now on.
bool ss_shard_is_current(
    struct ss_session *session, uint16_t shard, uint64_t epoch);
void ss_sought(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event);
void ss_adopted(struct ss_session *session, struct contact *contact,
    const struct ss_adoption *adoption);

// vouch.c: what may begin, and until when
// A beat that goes out now names it.
void ss_vouch_named(const struct ss_session *session, struct ss_held *held);
// An order has come: take note of the last heard beat that it names.
void ss_vouch_taken(const struct ss_session *session, struct ss_held *held);
void ss_vouch_heard(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event);
// Until when the order may begin, for ss_session_may_begin().
int64_t ss_vouch_ends_ms(const struct ss_held *held);
// The order waits for a beat that names it.
bool ss_vouch_lacks(
    const struct ss_session *session, const struct ss_held *held);
// The attempt of that name is over: an order under it begins nothing.
void ss_spent_add(struct ss_session *session, const char *name);
bool ss_is_spent(const struct ss_session *session, const char *name);

// held.c: the life of an attempt
// By the name that its body has; or NULL.
struct ss_held *ss_held_of_body(
    const struct ss_session *session, struct ss_attempt body);
struct ss_held *ss_held_find(
    const struct ss_session *session, struct ss_attempt name);
void ss_held_take(struct ss_session *session, struct contact *contact,
    struct ss_assignment *order);
// Forget attempts that have not begun; gives their names.
struct ss_attempt *ss_held_hand_back(struct ss_session *session,
    const struct contact *contact, size_t *ret_count);
void ss_held_start_queued(struct ss_session *session);
void ss_held_rename(
    struct ss_session *session, struct ss_held *held, struct ss_attempt name);
void ss_held_send_again(struct ss_session *session, struct ss_held *held);
// Count the threads that each coordinator uses.
void ss_held_weigh(struct ss_session *session);
// How many threads are kept by bodies whose attempts are over, where none is
// free; else 0.
size_t ss_held_over_count(const struct ss_session *session);
void ss_held_cancel(struct ss_session *session, struct ss_attempt name);
void ss_held_settle(struct ss_session *session, struct ss_attempt name);
void ss_held_end(struct ss_session *session, struct ss_outcome *outcome);
// The order came to its thread too late. Takes it.
void ss_held_unbegun(struct ss_session *session, struct ss_assignment *order);
void ss_held_progress(
    struct ss_session *session, struct ss_attempt name, bool is_heartbeat);
// The contact that an attempt belongs to while its body runs and counts; or
// NULL.
struct contact *ss_held_runs_for(
    const struct ss_session *session, struct ss_attempt name);
void ss_held_expire(struct ss_session *session);
// Send the outcomes that are not settled: all of them, or those due again.
void ss_held_send(
    struct ss_session *session, struct contact *contact, bool all);
// When a body times out, or a result is sent again.
int64_t ss_held_wake_at(const struct ss_session *session);
void ss_held_fini(struct ss_session *session);

#endif
