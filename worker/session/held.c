// held.c - the life of an attempt on this worker: queued, running, kept.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "worker/session/limits.h"
#include "worker/session/state.h"

enum { NAME_SIZE = 48 };

static void name_text(struct ss_attempt name, char ret_text[NAME_SIZE])
{
    snprintf(ret_text, NAME_SIZE, "%llu.%llu", (unsigned long long)name.epoch,
        (unsigned long long)name.dispatch);
}

struct ss_held *ss_held_find(
    const struct ss_session *session, struct ss_attempt name)
{
    char text[NAME_SIZE];
    name_text(name, text);
    return ss_map_get(&session->held, text);
}

struct ss_held *ss_held_of_body(
    const struct ss_session *session, struct ss_attempt body)
{
    char text[NAME_SIZE];
    name_text(body, text);
    struct ss_held *held = ss_map_get(&session->renamed, text);
    return held ? held : ss_map_get(&session->held, text);
}

static void free_held(void *value)
{
    struct ss_held *held = value;
    ss_assignment_destroy(&held->order);
    ss_outcome_destroy(&held->outcome);
    ss_free(held->node);
    ss_free(held->thread);
    ss_free(held->run);
    ss_free(held);
}

void ss_held_fini(struct ss_session *session)
{
    ss_map_fini(&session->renamed, NULL);
    ss_map_fini(&session->spent, NULL);
    ss_map_fini(&session->held, free_held);
}

// Forget an attempt once no thread runs it and nobody wants its outcome.
// Commands of this step may point to the outcome: it is freed when the next
// step begins.
static void forget_if_over(struct ss_session *session, struct ss_held *held)
{
    if (held->busy || !held->settled)
        return;
    char text[NAME_SIZE];
    if (session->renamed.count > 0) {
        name_text(held->body, text);
        ss_map_remove(&session->renamed, text);
    }
    name_text(held->body, text);
    ss_spent_add(session, text);
    name_text(held->name, text);
    ss_spent_add(session, text);
    if (held->outcome)
        SS_VEC_PUSH(&session->trash, held->outcome);
    held->outcome = NULL;
    free_held(ss_map_remove(&session->held, text));
}

// ------------------------------------------------------------------ outcomes

static void send(struct ss_held *held)
{
    if (held->contact)
        SS_VEC_PUSH(&held->contact->outcomes, held->outcome);
}

static void keep(struct ss_session *session, struct ss_held *held,
    struct ss_outcome *outcome)
{
    ss_check(!held->outcome);
    held->outcome = outcome;
    outcome->attempt = held->name;
    held->size = 0;
    for (size_t i = 0; i < outcome->writes.count; i++) {
        size_t size;
        ss_value_text(outcome->writes.items[i].value, &size);
        held->size += size;
    }
    ss_held_send_again(session, held);
    if (!held->contact)
        ss_orphans_bound(session);
}

void ss_held_send_again(struct ss_session *session, struct ss_held *held)
{
    held->sent_ms = session->now_ms;
    send(held);
}

void ss_held_rename(
    struct ss_session *session, struct ss_held *held, struct ss_attempt name)
{
    char text[NAME_SIZE];
    name_text(held->name, text);
    ss_map_remove(&session->held, text);
    held->name = name;
    name_text(name, text);
    ss_check(!ss_map_put(&session->held, text, held));
    name_text(held->body, text);
    ss_map_put(&session->renamed, text, held);
}

static struct ss_outcome *made_outcome(
    const struct ss_held *held, enum ss_outcome_kind kind)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = held->name;
    memcpy(outcome->task_id, held->task_id, sizeof(outcome->task_id));
    outcome->kind = kind;
    return outcome;
}

static void fail(struct ss_session *session, struct ss_held *held, int code,
    enum ss_retryable retryable, char *message)
{
    struct ss_outcome *outcome = made_outcome(held, SS_OUTCOME_FAILED);
    outcome->code = code;
    outcome->retryable = retryable;
    outcome->message = message;
    keep(session, held, outcome);
}

void ss_session_spoil(struct ss_session *session, struct ss_attempt attempt,
    int status, const char *text)
{
    struct ss_held *held = ss_held_find(session, attempt);
    if (!held || !held->outcome)
        return;
    struct ss_outcome *outcome = made_outcome(held, SS_OUTCOME_FAILED);
    outcome->code = status;
    outcome->retryable = SS_RETRY_NO;
    outcome->message = ss_strdup(text);
    SS_VEC_PUSH(&session->trash, held->outcome);
    held->outcome = outcome;
    held->sent_ms = session->now_ms - SS_SESSION_AGAIN_MS;
}

void ss_held_send(struct ss_session *session, struct contact *contact, bool all)
{
    for (struct ss_map_entry *e = session->held.first; e; e = e->next) {
        struct ss_held *held = e->value;
        bool is_due = session->now_ms - held->sent_ms >= SS_SESSION_AGAIN_MS;
        if (held->contact != contact || !held->outcome || held->settled ||
            !(all || is_due))
            continue;
        ss_held_send_again(session, held);
    }
}

// ------------------------------------------------------------------ orders

static struct ss_held *new_held(struct ss_session *session,
    struct contact *contact, const struct ss_assignment *order)
{
    struct ss_held *held = ss_zalloc(1, sizeof(*held));
    held->name = held->body = order->attempt;
    held->contact = contact;
    held->thread = ss_strdup(order->thread ? order->thread : "");
    held->run = ss_strdup(order->run ? order->run : "");
    held->shard = ss_shard_of(held->thread);
    held->digest = order->digest;
    memcpy(held->task_id, order->task_id, sizeof(held->task_id));
    held->node = ss_strdup(order->node ? order->node : "");
    held->timeouts = order->timeouts;
    char text[NAME_SIZE];
    name_text(held->name, text);
    ss_check(!ss_map_put(&session->held, text, held));
    return held;
}

void ss_held_take(struct ss_session *session, struct contact *contact,
    struct ss_assignment *order)
{
    char text[NAME_SIZE];
    name_text(order->attempt, text);
    struct ss_held *known = ss_held_of_body(session, order->attempt);
    if (known && known->outcome && !known->settled) {
        known->sent_ms = session->now_ms;
        send(known);
    }
    // The order is of another epoch: the coordinator, or its successor, sends
    // it anew.
    if (known || !contact || order->attempt.epoch != contact->epoch ||
        ss_is_spent(session, text)) {
        ss_assignment_destroy(&order);
        return;
    }
    uint16_t shard = ss_shard_of(order->thread ? order->thread : "");
    if (session->held.count >= SS_SESSION_HELD_MAX ||
        !ss_shard_is_current(session, shard, order->shard_epoch)) {
        ss_assignment_destroy(&order);
        return;
    }
    struct ss_held *held = new_held(session, contact, order);
    held->order = order;
    ss_vouch_taken(session, held);
}

struct ss_attempt *ss_held_hand_back(struct ss_session *session,
    const struct contact *contact, size_t *ret_count)
{
    SS_VEC(struct ss_attempt) names = {0};
    struct ss_map_entry *next;
    for (struct ss_map_entry *e = session->held.first; e; e = next) {
        next = e->next;
        struct ss_held *held = e->value;
        if (held->contact != contact || !held->order)
            continue;
        SS_VEC_PUSH(&names, held->name);
        ss_spent_add(session, e->key); // it has no coordinator now
        free_held(ss_map_remove(&session->held, e->key));
    }
    *ret_count = names.count;
    return names.items;
}

void ss_held_weigh(struct ss_session *session)
{
    for (size_t i = 0; i < session->contacts.count; i++)
        ss_contact_at(session, i)->load = 0;
    for (size_t i = 0; i < session->contacts.count; i++)
        ss_contact_at(session, i)->has_unnamed = false;
    for (struct ss_map_entry *e = session->held.first; e; e = e->next) {
        const struct ss_held *held = e->value;
        if (held->contact && (held->order || held->busy))
            held->contact->load++;
        if (held->contact && ss_vouch_lacks(session, held))
            held->contact->has_unnamed = true;
    }
}

void ss_held_start_queued(struct ss_session *session)
{
    for (struct ss_map_entry *e = session->held.first;
         e && session->busy < session->capacity; e = e->next) {
        struct ss_held *held = e->value;
        if (!held->order || !ss_contact_serves(held->contact) ||
            !ss_session_may_begin(ss_vouch_ends_ms(held), session->now_ms))
            continue;
        struct ss_session_command start = {.type = SS_SESSION_START,
            .attempt = held->name,
            .begin_by_ms = ss_vouch_ends_ms(held),
            .order = held->order};
        held->order = NULL;
        held->busy = true;
        held->started_ms = held->progress_ms = session->now_ms;
        session->busy++;
        ss_session_say(session, &start);
    }
}

static void stop_body(struct ss_session *session, const struct ss_held *held)
{
    ss_session_say(
        session, &(struct ss_session_command){
                     .type = SS_SESSION_STOP_BODY, .attempt = held->body});
}

void ss_held_cancel(struct ss_session *session, struct ss_attempt name)
{
    struct ss_held *held = ss_held_find(session, name);
    if (!held || held->outcome)
        return;
    if (held->order) {
        ss_assignment_destroy(&held->order);
        keep(session, held, made_outcome(held, SS_OUTCOME_CANCELLED));
        return;
    }
    stop_body(session, held);
}

void ss_held_settle(struct ss_session *session, struct ss_attempt name)
{
    struct ss_held *held = ss_held_find(session, name);
    if (!held)
        return;
    if (held->busy && !held->outcome)
        stop_body(session, held); // its result is not wanted any more
    ss_assignment_destroy(&held->order);
    held->settled = true;
    forget_if_over(session, held);
}

void ss_held_end(struct ss_session *session, struct ss_outcome *outcome)
{
    struct ss_held *held = ss_held_of_body(session, outcome->attempt);
    bool is_known = held && held->busy;
    if (is_known) {
        held->busy = false;
        session->busy--;
    }
    // The attempt timed out before, or is settled: this outcome comes too late.
    if (!is_known || held->outcome || held->settled)
        ss_outcome_destroy(&outcome);
    else
        keep(session, held, outcome);
    if (is_known)
        forget_if_over(session, held);
}

// Put the order back into the queue, under its present name. An orphan is
// dropped: the owner of its thread orders it anew.
void ss_held_unbegun(struct ss_session *session, struct ss_assignment *order)
{
    char text[NAME_SIZE];
    struct ss_held *held = ss_held_of_body(session, order->attempt);
    bool is_known = held && held->busy;
    bool waits = is_known && held->contact && !held->outcome && !held->settled;
    if (is_known) {
        held->busy = false;
        session->busy--;
    }
    if (!waits) {
        ss_assignment_destroy(&order);
        if (is_known && !held->contact && !held->outcome)
            held->settled = true;
        if (is_known)
            forget_if_over(session, held);
        return;
    }
    name_text(held->body, text);
    ss_map_remove(&session->renamed, text);
    order->attempt = held->body = held->name;
    held->order = order;
}

// ------------------------------------------------------------------ time

struct contact *ss_held_runs_for(
    const struct ss_session *session, struct ss_attempt name)
{
    const struct ss_held *held = ss_held_find(session, name);
    bool counts = held && held->busy && !held->outcome && !held->settled;
    return counts ? held->contact : NULL;
}

void ss_held_progress(
    struct ss_session *session, struct ss_attempt name, bool is_heartbeat)
{
    struct ss_held *held = ss_held_of_body(session, name);
    if (held && (is_heartbeat || !held->timeouts.heartbeat_only))
        held->progress_ms = session->now_ms;
}

static int64_t run_ends_at(const struct ss_held *held)
{
    return held->timeouts.run_ms > 0 ? held->started_ms + held->timeouts.run_ms
                                     : INT64_MAX;
}

static int64_t idle_ends_at(const struct ss_held *held)
{
    return held->timeouts.idle_ms > 0
               ? held->progress_ms + held->timeouts.idle_ms
               : INT64_MAX;
}

static void expire(struct ss_session *session, struct ss_held *held)
{
    bool is_idle = session->now_ms < run_ends_at(held);
    char *message =
        is_idle ? ss_format("node \"%s\" gave no sign of progress for %lld ms",
                      held->node, (long long)held->timeouts.idle_ms)
                : ss_format("node \"%s\" did not end within %lld ms",
                      held->node, (long long)held->timeouts.run_ms);
    stop_body(session, held);
    fail(session, held, SS_ENODETIMEOUT, SS_RETRY_DEFAULT, message);
}

size_t ss_held_over_count(const struct ss_session *session)
{
    size_t count = 0;
    if (session->busy < session->capacity)
        return 0;
    for (const struct ss_map_entry *e = session->held.first; e; e = e->next) {
        const struct ss_held *held = e->value;
        count += held->busy && (held->outcome || held->settled);
    }
    return count;
}

static bool is_running(const struct ss_held *held)
{
    return held->busy && !held->outcome && !held->settled;
}

void ss_held_expire(struct ss_session *session)
{
    for (struct ss_map_entry *e = session->held.first; e; e = e->next) {
        struct ss_held *held = e->value;
        if (is_running(held) && (session->now_ms >= run_ends_at(held) ||
                                    session->now_ms >= idle_ends_at(held)))
            expire(session, held);
    }
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t ss_held_wake_at(const struct ss_session *session)
{
    int64_t at = INT64_MAX;
    for (const struct ss_map_entry *e = session->held.first; e; e = e->next) {
        const struct ss_held *held = e->value;
        if (is_running(held))
            at = earlier(at, earlier(run_ends_at(held), idle_ends_at(held)));
        if (held->outcome && !held->settled && held->contact &&
            ss_contact_serves(held->contact))
            at = earlier(at, held->sent_ms + SS_SESSION_AGAIN_MS);
    }
    return at;
}

static size_t held_kept(const struct ss_session *session)
{
    size_t count = 0;
    for (const struct ss_map_entry *e = session->held.first; e; e = e->next) {
        const struct ss_held *held = e->value;
        count += held->outcome && !held->settled;
    }
    return count;
}

struct ss_session_load ss_session_load(const struct ss_session *session)
{
    struct ss_session_load load = {.busy = session->busy,
        .kept = held_kept(session),
        .drains = session->drains};
    for (const struct ss_map_entry *e = session->held.first; e; e = e->next)
        load.queued += ((const struct ss_held *)e->value)->order != NULL;
    for (size_t i = 0; i < session->contacts.count; i++)
        load.coordinators += ss_contact_at(session, i)->phase == PHASE_SERVING;
    return load;
}
