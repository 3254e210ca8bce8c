#include "tests/unit/session/script.h"

#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

const char *script_thread = "t";
uint64_t script_shard_epoch;

// Welcomes of the script say these.
enum { LEASE_MS = 3000, HEARTBEAT_MS = 500 };

static void add(struct script *script, const char *text)
{
    size_t used = strlen(script->said);
    snprintf(script->said + used, sizeof(script->said) - used, "%s", text);
}

static void add_name(struct script *script, struct ss_attempt name)
{
    char text[64];
    snprintf(text, sizeof(text), " %llu.%llu", (unsigned long long)name.epoch,
        (unsigned long long)name.dispatch);
    add(script, text);
}

static void add_outcomes(
    struct script *script, const struct ss_session_command *command)
{
    static const char *const kinds[] = {[SS_OUTCOME_DONE] = "",
        [SS_OUTCOME_INTERRUPTED] = "(interrupted)",
        [SS_OUTCOME_FAILED] = "(failed)",
        [SS_OUTCOME_PARENT] = "(parent)",
        [SS_OUTCOME_CANCELLED] = "(cancelled)"};
    for (size_t i = 0; i < command->outcomes_count; i++) {
        const struct ss_outcome *outcome = command->outcomes[i];
        add_name(script, outcome->attempt);
        add(script, kinds[outcome->kind]);
        if (outcome->kind == SS_OUTCOME_FAILED) {
            add(script, " ");
            add(script, ss_status_name(outcome->code));
            add(script, ": ");
            add(script, outcome->message);
        }
    }
}

static void start(struct script *script, struct ss_assignment *order)
{
    uint64_t slot = order->attempt.dispatch % SCRIPT_BODIES_MAX;
    ss_check(!script->bodies[slot]);
    script->bodies[slot] = order;
}

// Which coordinator it is about, where there are several.
static void add_link(
    struct script *script, const struct ss_session_command *command)
{
    char text[300];
    bool is_about_one = command->type <= SS_SESSION_SEND_PING ||
                        command->type == SS_SESSION_READY ||
                        command->type == SS_SESSION_SILENT ||
                        command->type == SS_SESSION_REFUSED_YET ||
                        command->type == SS_SESSION_AWAY;
    if (!script->shows_links || !is_about_one)
        return;
    bool has_name = command->type == SS_SESSION_CONNECT ||
                    command->type == SS_SESSION_DISCONNECT;
    snprintf(text, sizeof(text), "@%u%s%s", (unsigned)command->link,
        has_name ? " " : "", has_name ? command->endpoint : "");
    add(script, text);
    if (command->type == SS_SESSION_SEND_BEAT) {
        snprintf(text, sizeof(text), "(%u)", (unsigned)command->capacity);
        add(script, text);
    }
}

static void note(
    struct script *script, const struct ss_session_command *command)
{
    static const char *const words[] = {[SS_SESSION_CONNECT] = "connect",
        [SS_SESSION_DISCONNECT] = "disconnect",
        [SS_SESSION_REFUSED_YET] = "refused",
        [SS_SESSION_AWAY] = "away",
        [SS_SESSION_STUCK] = "stuck",
        [SS_SESSION_SEND_HELLO] = "HELLO",
        [SS_SESSION_SEND_BEAT] = "BEAT",
        [SS_SESSION_SEND_BYE] = "BYE",
        [SS_SESSION_SEND_DONE] = "DONE",
        [SS_SESSION_SEND_LIVE] = "LIVE",
        [SS_SESSION_SEND_OFFERS] = "OFFERS",
        [SS_SESSION_SEND_LACKS] = "LACKS",
        [SS_SESSION_SEND_PING] = "PING",
        [SS_SESSION_START] = "start",
        [SS_SESSION_STOP_BODY] = "stop",
        [SS_SESSION_READY] = "ready",
        [SS_SESSION_SILENT] = "silent",
        [SS_SESSION_LEAVE] = "leave"};
    if (command->type == SS_SESSION_CONNECT && !script->shows_links)
        return;
    add(script, words[command->type]);
    add_link(script, command);
    if (command->type == SS_SESSION_SEND_BYE)
        add(script, command->stuck    ? " drains, stuck"
                    : command->drains ? " drains"
                                      : " gone");
    for (size_t i = 0; i < command->attempts_count; i++)
        add_name(script, command->attempts[i]);
    for (size_t i = 0; i < command->offers_count; i++) {
        add(script, i == 0 ? " offers" : "");
        add_name(script, command->offers[i].attempt);
        add(script, command->offers[i].ended ? "(ended)" : "");
    }
    add_outcomes(script, command);
    for (size_t i = 0; i < command->items_count; i++)
        add_name(script, command->items[i].attempt);
    if (command->type == SS_SESSION_START ||
        command->type == SS_SESSION_STOP_BODY)
        add_name(script, command->attempt);
    if (command->type == SS_SESSION_START) {
        start(script, command->order);
        script->begin_by_ms = command->begin_by_ms;
    }
    if (command->type == SS_SESSION_SEND_BEAT)
        script->beat = command->sent;
    if (command->type == SS_SESSION_LEAVE)
        snprintf(script->leaving, sizeof(script->leaving), "%s: %s",
            ss_status_name(command->status), command->text);
    add(script, "\n");
}

static const char *step(struct script *script, struct ss_session_event event)
{
    struct ss_session_commands commands;
    event.now_ms = script->now_ms;
    event.link = script->link;
    event.members = script->members;
    event.members_count = script->members_count;
    script->members_count = 0;
    script->said[0] = '\0';
    ss_session_step(script->session, &event, &commands);
    for (size_t i = 0; i < commands.count; i++)
        note(script, &commands.items[i]);
    script->wake_at_ms = commands.wake_at_ms;
    ss_check(commands.wake_at_ms >= script->now_ms);
    return script->said;
}

void script_init(struct script *script, uint32_t capacity)
{
    *script = (struct script){.now_ms = 1000};
    script->session =
        ss_session_new(&(struct ss_session_options){.capacity = capacity});
}

void script_init_cluster(struct script *script, uint32_t capacity,
    const char *const *endpoints, size_t count)
{
    *script = (struct script){.now_ms = 1000, .shows_links = true};
    script->session =
        ss_session_new(&(struct ss_session_options){.capacity = capacity,
            .endpoints = endpoints,
            .endpoints_count = count});
}

void script_fini(struct script *script)
{
    for (size_t i = 0; i < SCRIPT_BODIES_MAX; i++)
        ss_assignment_destroy(&script->bodies[i]);
    ss_session_destroy(&script->session);
}

const char *script_tick(struct script *script, int64_t after_ms)
{
    script->now_ms += after_ms;
    return step(script, (struct ss_session_event){.type = SS_SESSION_TICK});
}

const char *script_wake(struct script *script)
{
    ss_check(script->wake_at_ms < INT64_MAX);
    script->now_ms = script->wake_at_ms;
    return script_tick(script, 0);
}

const char *script_welcome(struct script *script, uint64_t epoch)
{
    return step(script, (struct ss_session_event){.type = SS_SESSION_WELCOME,
                            .epoch = epoch,
                            .lease_ms = LEASE_MS,
                            .heartbeat_ms = HEARTBEAT_MS,
                            .begin_ms = script->begin_ms});
}

const char *script_refused(struct script *script, int status, const char *text)
{
    return step(script,
        (struct ss_session_event){
            .type = SS_SESSION_REFUSED, .status = status, .text = text});
}

const char *script_pong(struct script *script, uint64_t epoch)
{
    return step(script,
        (struct ss_session_event){.type = SS_SESSION_PONG, .epoch = epoch});
}

const char *script_connected(struct script *script)
{
    return step(
        script, (struct ss_session_event){.type = SS_SESSION_CONNECTED});
}

const char *script_drain(struct script *script)
{
    return step(script, (struct ss_session_event){.type = SS_SESSION_DRAIN});
}

static struct ss_assignment *new_order(
    const struct script *script, uint64_t epoch, uint64_t dispatch)
{
    struct ss_assignment *order = ss_assignment_new();
    order->attempt = (struct ss_attempt){epoch, dispatch};
    order->node = "measure";
    order->thread = script_thread;
    order->run = "run-1";
    ss_assignment_keep(order);
    order->digest = dispatch + 100;
    order->shard_epoch = script_shard_epoch;
    order->heard = script->heard;
    return order;
}

static const char *give(struct script *script, struct ss_assignment *order)
{
    return step(script,
        (struct ss_session_event){
            .type = SS_SESSION_TASKS, .orders = &order, .orders_count = 1});
}

const char *script_task(
    struct script *script, uint64_t epoch, uint64_t dispatch)
{
    return give(script, new_order(script, epoch, dispatch));
}

const char *script_task_timed(struct script *script, uint64_t dispatch,
    int64_t run_ms, int64_t idle_ms, bool heartbeat_only)
{
    struct ss_assignment *order = new_order(script, 1, dispatch);
    order->timeouts.run_ms = run_ms;
    order->timeouts.idle_ms = idle_ms;
    order->timeouts.heartbeat_only = heartbeat_only;
    return give(script, order);
}

const char *script_members(
    struct script *script, const char *const *endpoints, size_t count)
{
    script->members = (char *const *)endpoints;
    script->members_count = count;
    return step(script, (struct ss_session_event){.type = SS_SESSION_MEMBERS});
}

const char *script_seek(
    struct script *script, uint64_t epoch, const uint32_t *shards, size_t count)
{
    return step(script, (struct ss_session_event){.type = SS_SESSION_SEEK,
                            .epoch = epoch,
                            .shards = shards,
                            .shards_count = count});
}

const char *script_adopt(
    struct script *script, struct ss_attempt held, struct ss_attempt as)
{
    struct ss_adoption adoption = {held, as};
    return step(script, (struct ss_session_event){.type = SS_SESSION_ADOPT,
                            .adoptions = &adoption,
                            .adoptions_count = 1});
}

static const char *about(struct script *script, enum ss_session_event_type type,
    uint64_t epoch, uint64_t dispatch)
{
    struct ss_attempt name = {epoch, dispatch};
    return step(
        script, (struct ss_session_event){
                    .type = type, .attempts = &name, .attempts_count = 1});
}

const char *script_cancel(
    struct script *script, uint64_t epoch, uint64_t dispatch)
{
    return about(script, SS_SESSION_CANCEL, epoch, dispatch);
}

const char *script_settled(
    struct script *script, uint64_t epoch, uint64_t dispatch)
{
    return about(script, SS_SESSION_SETTLED, epoch, dispatch);
}

const char *script_heard(
    struct script *script, uint64_t sent, struct ss_attempt gone)
{
    return step(script, (struct ss_session_event){.type = SS_SESSION_HEARD,
                            .sent = sent,
                            .attempts = &gone,
                            .attempts_count = gone.dispatch != 0});
}

const char *script_unbegun(struct script *script, uint64_t dispatch)
{
    struct ss_assignment **slot = &script->bodies[dispatch % SCRIPT_BODIES_MAX];
    struct ss_assignment *order = *slot;
    ss_check(order != NULL);
    *slot = NULL;
    return step(script,
        (struct ss_session_event){
            .type = SS_SESSION_UNBEGUN, .orders = &order, .orders_count = 1});
}

const char *script_end(struct script *script, uint64_t epoch, uint64_t dispatch)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = (struct ss_attempt){epoch, dispatch};
    ss_assignment_destroy(&script->bodies[dispatch % SCRIPT_BODIES_MAX]);
    return step(script, (struct ss_session_event){.type = SS_SESSION_OUTCOMES,
                            .outcomes = &outcome,
                            .outcomes_count = 1});
}

const char *script_progress(
    struct script *script, uint64_t dispatch, bool is_heartbeat)
{
    return step(script, (struct ss_session_event){.type = SS_SESSION_PROGRESS,
                            .attempt = {1, dispatch},
                            .is_heartbeat = is_heartbeat});
}

const char *script_item(
    struct script *script, uint64_t epoch, uint64_t dispatch)
{
    struct ss_session_item item = {
        .attempt = {epoch, dispatch}, .kind = SS_LIVE_CUSTOM};
    return step(script,
        (struct ss_session_event){
            .type = SS_SESSION_ITEMS, .items = &item, .items_count = 1});
}
