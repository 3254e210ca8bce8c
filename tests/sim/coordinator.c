// coordinator.c - a coordinator's process: the engine, the bridge, its store.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/store/store.h"
#include "tests/sim/world.h"

// ------------------------------------------------------------------ messages out

// Work for a worker leaves at the end of a step, one message for each kind.
struct bundle {
    char peer[32];
    struct ss_message tasks, cancel, settled;
    SS_VEC(struct ss_order *) orders;
    SS_VEC(struct ss_attempt) cancels;
    SS_VEC(struct ss_attempt) settles;
};

struct outbox {
    struct coordinator *it;
    SS_VEC(struct bundle) bundles;
};

static struct bundle *bundle_for(struct outbox *outbox, const char *peer)
{
    for (size_t i = 0; i < outbox->bundles.count; i++)
        if (strcmp(outbox->bundles.items[i].peer, peer) == 0)
            return &outbox->bundles.items[i];
    struct bundle bundle = {0};
    ss_check(strlen(peer) < sizeof(bundle.peer));
    memcpy(bundle.peer, peer, strlen(peer));
    SS_VEC_PUSH(&outbox->bundles, bundle);
    return &outbox->bundles.items[outbox->bundles.count - 1];
}

static bool note_gone(struct coordinator *it, const char *peer)
{
    SS_VEC_PUSH(&it->gone, ss_strdup(peer));
    return false;
}

// False: the link knows that nobody is there.
static bool send_to(
    struct coordinator *it, const char *name, struct ss_message *message)
{
    struct process *peer = NULL;
    struct wire *wire =
        network_find(it->process.world, it->process.index, name, &peer);
    message->protocol = SS_PROTOCOL_VERSION;
    if (!wire)
        return note_gone(it, name);
    network_send(peer, wire, DOWN, message);
    return true;
}

static void send_bundle(struct coordinator *it, struct bundle *bundle)
{
    struct ss_message tasks = {.type = SS_MESSAGE_TASKS,
        .orders = bundle->orders.items,
        .orders_count = bundle->orders.count};
    struct ss_message cancel = {.type = SS_MESSAGE_CANCEL,
        .attempts = bundle->cancels.items,
        .attempts_count = bundle->cancels.count};
    struct ss_message settled = {.type = SS_MESSAGE_SETTLED,
        .attempts = bundle->settles.items,
        .attempts_count = bundle->settles.count};
    bool is_there = true;
    if (tasks.orders_count > 0)
        is_there = send_to(it, bundle->peer, &tasks);
    if (cancel.attempts_count > 0 && is_there)
        is_there = send_to(it, bundle->peer, &cancel);
    if (settled.attempts_count > 0 && is_there)
        send_to(it, bundle->peer, &settled);
    SS_VEC_FINI(&bundle->orders);
    SS_VEC_FINI(&bundle->cancels);
    SS_VEC_FINI(&bundle->settles);
}

static void send_answer(struct coordinator *it,
    const struct ss_command *command, bool is_final)
{
    struct ss_message message = {.type = SS_MESSAGE_ANSWER,
        .id = command->id,
        .final = is_final,
        .body = ss_value_new(json_incref(command->json))};
    send_to(it, command->peer, &message);
    ss_value_unref(message.body);
}

// The endpoints of `members` (a list, or NULL), borrowed.
static void put_members(struct ss_message *message, const json_t *members)
{
    size_t count = json_array_size(members);
    message->members = ss_zalloc(count + 1, sizeof(*message->members));
    message->members_count = count;
    for (size_t i = 0; i < count; i++)
        message->members[i] =
            (char *)json_string_value(json_array_get(members, i));
}

static void welcome(struct coordinator *it, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_WELCOME,
        .epoch = it->epoch,
        .lease_ms = LEASE_MS,
        .heartbeat_ms = BEAT_MS,
        .begin_ms = command->begin_ms};
    put_members(&message, command->json);
    send_to(it, command->peer, &message);
    ss_free(message.members);
}

static void heard(struct coordinator *it, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_HEARD,
        .sent = command->tag,
        .attempts = command->attempts,
        .attempts_count = command->attempts_count};
    send_to(it, command->peer, &message);
}

static void send_members(
    struct coordinator *it, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_MEMBERS};
    put_members(&message, command->json);
    send_to(it, command->peer, &message);
    ss_free(message.members);
}

static void adopt(struct coordinator *it, const struct ss_command *command)
{
    struct ss_adoption adoption = {command->held, command->attempt};
    pauses_adopt(it, &command->attempt);
    struct ss_message message = {.type = SS_MESSAGE_ADOPT,
        .adoptions = &adoption,
        .adoptions_count = 1};
    send_to(it, command->peer, &message);
}

static void seek(struct coordinator *it, const struct ss_command *command)
{
    uint32_t shards[SS_SHARDS];
    struct ss_message message = {
        .type = SS_MESSAGE_SEEK, .epoch = command->tag, .shards = shards};
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(command->shards, i))
            shards[message.shards_count++] = i;
    send_to(it, command->peer, &message);
}

static void refuse(struct coordinator *it, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_REFUSED,
        .status = command->status,
        .text = command->text};
    send_to(it, command->peer, &message);
}

// ------------------------------------------------------------------ commands

static void submit(struct coordinator *it, const struct ss_command *command)
{
    struct ss_job *job = NULL;
    struct ss_error error = {0};
    if (ss_store_codec_job(it->codec, command, &job, &error) != SS_OK)
        violated(it->process.world, "a row is refused: %s", error.message);
    database_submit(&it->process, LINK_APPENDS, job);
}

static const struct customer *listener(
    const struct coordinator *it, const char *peer)
{
    struct process *process = NULL;
    struct world *world = it->process.world;
    return network_find(world, it->process.index, peer, &process)
               ? world->customers[process->index]
               : NULL;
}

static void carry_out(struct outbox *outbox, const struct ss_command *command)
{
    struct coordinator *it = outbox->it;
    switch (command->type) {
    case SS_COMMAND_WELCOME:
        welcome(it, command);
        break;
    case SS_COMMAND_HEARD:
        heard(it, command);
        break;
    case SS_COMMAND_REFUSE:
        refuse(it, command);
        break;
    case SS_COMMAND_MEMBERS:
        send_members(it, command);
        break;
    case SS_COMMAND_SEEK:
        seek(it, command);
        break;
    case SS_COMMAND_ADOPT:
        adopt(it, command);
        break;
    case SS_COMMAND_DRAIN:
        send_to(it, command->peer,
            &(struct ss_message){.type = SS_MESSAGE_DRAIN});
        break;
    case SS_COMMAND_DISPATCH:
        check_dispatch(it, command->order);
        pauses_dispatch(it, command->order);
        SS_VEC_PUSH(&bundle_for(outbox, command->peer)->orders, command->order);
        break;
    case SS_COMMAND_CANCEL:
        SS_VEC_PUSH(
            &bundle_for(outbox, command->peer)->cancels, command->attempt);
        break;
    case SS_COMMAND_SETTLED:
        SS_VEC_PUSH(
            &bundle_for(outbox, command->peer)->settles, command->attempt);
        break;
    case SS_COMMAND_STORE:
        if (command->thread)
            check_owner(it, command->thread, "stores rows");
        submit(it, command);
        break;
    case SS_COMMAND_READ:
    case SS_COMMAND_SCAN:
    case SS_COMMAND_GET:
        submit(it, command);
        break;
    case SS_COMMAND_REPLY:
        check_reply(it, command->json);
        pauses_reply(it, command);
        send_answer(it, command, true);
        break;
    case SS_COMMAND_EVENT:
        check_event(it, listener(it, command->peer), command->json);
        send_answer(it, command, false);
        break;
    case SS_COMMAND_DAMAGED: // nothing here damages what is stored
        violated(it->process.world, "%s: %s", command->key, command->text);
        break;
    }
}

int64_t coordinator_wall_us(const struct coordinator *it)
{
    return world_us(it->process.world) + it->process.wall_us;
}

// Which customers' threads it has in memory: bits.
static unsigned known_threads(const struct coordinator *it)
{
    struct world *world = it->process.world;
    unsigned bits = 0;
    for (size_t i = 0; i < world->climate.customers; i++)
        if (ss_engine_knows(it->engine, customer_thread(world->customers[i])))
            bits |= 1u << i;
    return bits;
}

// What it forgot by itself: not a thread that moved, or was deleted.
static void note_evicted(
    struct coordinator *it, enum ss_event_type type, unsigned knew)
{
    unsigned evicted = knew & ~known_threads(it);
    if (type == SS_EVENT_SHARDS_LOST || type == SS_EVENT_STORED)
        return;
    for (; evicted; evicted &= evicted - 1)
        it->process.world->report.evicted++;
}

static void feed_one(struct coordinator *it, struct ss_event *event)
{
    struct world *world = it->process.world;
    struct outbox outbox = {.it = it};
    struct ss_commands commands;
    unsigned knew = known_threads(it);
    event->now_ms = process_now(&it->process);
    event->wall_us = coordinator_wall_us(it);
    world->report.steps++;
    mark_number(world, event->type);
    ss_engine_step(it->engine, event, &commands);
    for (size_t i = 0; i < commands.count; i++) {
        mark_number(world, commands.items[i].type);
        carry_out(&outbox, &commands.items[i]);
    }
    for (size_t i = 0; i < outbox.bundles.count; i++)
        send_bundle(it, &outbox.bundles.items[i]);
    SS_VEC_FINI(&outbox.bundles);
    it->wake_ms = commands.wake_at_ms;
    note_evicted(it, event->type, knew);
}

void coordinator_pauses(struct coordinator *it, const json_t *list)
{
    size_t count = json_array_size(list);
    json_t **records = ss_zalloc(count + 1, sizeof(*records));
    struct ss_event event = {.type = SS_EVENT_PAUSES};
    for (size_t i = 0; i < count; i++)
        records[i] = json_array_get(list, i);
    event.pauses.records = records;
    event.pauses.count = count;
    pauses_told(it, list);
    coordinator_feed(it, &event);
    ss_free(records);
}

static bool is_worker(const char *peer)
{
    return peer[0] == 'w';
}

// A step, and what it shows of peers that are not there any more.
void coordinator_feed(struct coordinator *it, struct ss_event *event)
{
    feed_one(it, event);
    while (it->gone.count > 0) {
        char *peer = it->gone.items[--it->gone.count];
        struct ss_event gone = {.type = is_worker(peer) ? SS_EVENT_WORKER_BYE
                                                        : SS_EVENT_CLIENT_GONE,
            .peer = peer};
        feed_one(it, &gone);
        ss_free(peer);
    }
}

// ------------------------------------------------------------------ messages in

static void hello(struct coordinator *it, struct ss_event *event,
    const struct ss_message *message)
{
    json_t **graphs = ss_zalloc(message->graphs_count + 1, sizeof(*graphs));
    for (size_t i = 0; i < message->graphs_count; i++)
        graphs[i] = ss_value_json(message->graphs[i]);
    event->type = SS_EVENT_WORKER_HELLO;
    event->hello.name = message->name;
    event->hello.capacity = message->capacity;
    event->hello.keeps_lists = message->keeps_lists;
    event->hello.graphs = graphs;
    event->hello.graphs_count = message->graphs_count;
    event->hello.offers = message->offers;
    event->hello.offers_count = message->offers_count;
    coordinator_feed(it, event);
    ss_free(graphs);
}

static void done(struct coordinator *it, struct ss_event *event,
    struct ss_message *message)
{
    for (size_t i = 0; i < message->outcomes_count; i++) {
        event->type = SS_EVENT_TASK_DONE;
        event->done.outcome = message->outcomes[i];
        message->outcomes[i] = NULL;
        coordinator_feed(it, event);
    }
}

static void show(struct coordinator *it, struct ss_event *event,
    const struct ss_message *message)
{
    for (size_t i = 0; i < message->items_count; i++) {
        const struct ss_live_item *item = &message->items[i];
        event->type = SS_EVENT_TASK_LIVE;
        event->live.attempt = item->attempt;
        event->live.kind = item->kind;
        event->live.value = item->value ? ss_value_json(item->value) : NULL;
        coordinator_feed(it, event);
    }
}

static void ask(struct coordinator *it, struct ss_event *event,
    const struct ss_message *message)
{
    event->type = SS_EVENT_REQUEST;
    pauses_asked(it, event->peer, message);
    event->request.id = message->id;
    event->request.op = message->op;
    event->request.body = ss_value_json(message->body);
    coordinator_feed(it, event);
}

static void pong(struct coordinator *it, const char *peer, uint64_t id)
{
    struct ss_message message = {
        .type = SS_MESSAGE_PONG, .id = id, .epoch = it->epoch};
    put_members(&message, it->members);
    send_to(it, peer, &message);
    ss_free(message.members);
    while (it->gone.count > 0) // it asked and left: nothing hangs on it
        ss_free(it->gone.items[--it->gone.count]);
}

static void take_message(
    struct coordinator *it, const char *peer, struct ss_message *message)
{
    struct ss_event event = {.peer = peer};
    if (message->type == SS_MESSAGE_HELLO) {
        hello(it, &event, message);
    } else if (message->type == SS_MESSAGE_DONE) {
        done(it, &event, message);
    } else if (message->type == SS_MESSAGE_LIVE) {
        show(it, &event, message);
    } else if (message->type == SS_MESSAGE_ASK) {
        ask(it, &event, message);
    } else if (message->type == SS_MESSAGE_PING) {
        pong(it, peer, message->id);
    } else if (message->type == SS_MESSAGE_BEAT) {
        event.type = SS_EVENT_WORKER_BEAT;
        event.beat.running = message->attempts;
        event.beat.running_count = message->attempts_count;
        event.beat.capacity = message->capacity;
        event.beat.sent = message->sent;
        coordinator_feed(it, &event);
    } else if (message->type == SS_MESSAGE_OFFERS) {
        event.type = SS_EVENT_WORKER_OFFERS;
        event.offers.items = message->offers;
        event.offers.count = message->offers_count;
        coordinator_feed(it, &event);
    } else if (message->type == SS_MESSAGE_LACKS) {
        event.type = SS_EVENT_WORKER_LACKS;
        event.lacks.attempts = message->attempts;
        event.lacks.attempts_count = message->attempts_count;
        coordinator_feed(it, &event);
    } else if (message->type == SS_MESSAGE_BYE) {
        event.type = SS_EVENT_WORKER_BYE;
        event.bye.drains = message->drains;
        event.bye.returns = message->attempts;
        event.bye.returns_count = message->attempts_count;
        coordinator_feed(it, &event);
    } else if (message->type == SS_MESSAGE_HANGUP) {
        event.type = SS_EVENT_CLIENT_GONE;
        event.request.id = message->id;
        coordinator_feed(it, &event);
    } else {
        violated(it->process.world, "a coordinator is sent %s",
            ss_message_name(message->type));
    }
}

// ------------------------------------------------------------------ turns

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void mind_leaving(struct coordinator *it)
{
    bool is_late = process_now(&it->process) >= it->leave_ms;
    if (it->leave_ms == 0 || it->failure[0] || it->has_left ||
        (!is_late && !ss_engine_is_quiet(it->engine)))
        return;
    if (it->owners && !it->is_leaving)
        member_leave(it);
    else if (!it->owners)
        it->has_left = true;
    it->is_leaving = true;
}

// At the end of each turn: the process may be over.
static void end_turn(struct coordinator *it)
{
    mind_leaving(it);
    if (it->failure[0] || it->has_left) {
        tell(it->process.world, "%s ends: %s", it->process.name,
            it->failure[0] ? it->failure : "it was asked to leave");
        process_crash(&it->process);
        return;
    }
    int64_t at_ms = earlier(it->wake_ms, it->owners_wake_ms);
    if (it->leave_ms && !it->is_leaving)
        at_ms = earlier(at_ms, it->leave_ms);
    process_wake(&it->process, at_ms);
}

void coordinator_message(
    struct coordinator *it, const char *peer, struct ss_message *message)
{
    member_turn(it);
    if (!it->failure[0])
        take_message(it, peer, message);
    end_turn(it);
}

void coordinator_alarm(struct coordinator *it)
{
    member_turn(it);
    if (!it->failure[0] && process_now(&it->process) >= it->wake_ms)
        coordinator_feed(it, &(struct ss_event){.type = SS_EVENT_TICK});
    end_turn(it);
}

void coordinator_drain(struct coordinator *it)
{
    member_turn(it);
    if (it->leave_ms == 0 && !it->failure[0]) {
        it->leave_ms = process_now(&it->process) + 1 +
                       (int64_t)draw(it->process.world, 5000);
        coordinator_feed(it, &(struct ss_event){.type = SS_EVENT_DRAIN});
        member_drain(it);
    }
    end_turn(it);
}

// As the shell has it: a refusal is an answer, anything else ends the process.
static void note_failure(struct coordinator *it, const struct ss_job *job)
{
    int status = job->status != SS_OK ? job->status : job->unit.result;
    if (job->type == SS_JOB_APPLY && status != SS_OK &&
        status != SS_EREFUSED && status != SS_EFENCED)
        snprintf(it->failure, sizeof(it->failure), "its store failed");
}

void coordinator_heard(struct coordinator *it, size_t link)
{
    struct ss_job *job = database_heard(&it->process, link);
    member_turn(it);
    while (job) {
        struct ss_job *next = job->next;
        note_failure(it, job);
        if (!it->failure[0] && !member_took(it, job)) {
            struct ss_event event;
            ss_store_codec_event(it->codec, job, &event);
            coordinator_feed(it, &event);
            ss_store_codec_event_fini(&event);
        }
        ss_job_destroy(&job);
        job = next;
    }
    end_turn(it);
}

// ------------------------------------------------------------------ life

static void feed_found(struct coordinator *it, enum ss_store_table table)
{
    json_t *list = database_list(it->process.world, table), *json;
    size_t i;
    json_array_foreach (list, i, json) {
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        event.graph.description = json;
        if (table == SS_TABLE_OPEN) {
            event = (struct ss_event){.type = SS_EVENT_RUN_FOUND};
            event.run.record = json;
            event.run.crashed = !it->ended_well;
        }
        coordinator_feed(it, &event);
    }
    json_decref(list);
}

// What people hold back, before all else.
static void feed_pauses(struct coordinator *it)
{
    if (it->process.world->climate.hold == 0)
        return;
    json_t *list = database_list(it->process.world, SS_TABLE_PAUSES);
    coordinator_pauses(it, list);
    json_decref(list);
}

static void narrate(void *ctx, const char *sentence)
{
    struct coordinator *it = ctx;
    tell(it->process.world, "  %s: %s", it->process.name, sentence);
}

void coordinator_start(struct coordinator *it)
{
    it->process.world->database.backing->start(it);
}

void coordinator_live(struct coordinator *it)
{
    struct world *world = it->process.world;
    bool is_shared = world->climate.is_shared;
    versions_change(world);
    it->codec = ss_store_codec_new();
    it->engine = ss_engine_new(&(struct ss_engine_options){.epoch = it->epoch,
        .shared = is_shared,
        .unread = !is_shared,
        .seed = ss_prng_next(&world->dice),
        .lease_ms = LEASE_MS,
        .heartbeat_ms = BEAT_MS,
        .adopt_ms = BEAT_MS,
        .idle_ms = world->climate.idle_ms,
        .narrate = world->narrates ? narrate : NULL,
        .narrate_ctx = it});
    it->wake_ms = it->owners_wake_ms = INT64_MAX;
    it->leave_ms = 0;
    it->ended_well = it->ended_well && it->process.life > 1;
    it->is_leaving = it->has_left = false;
    it->failure[0] = '\0';
    if (is_shared) {
        member_start(it);
    } else {
        struct ss_shards all;
        struct ss_event event = {.type = SS_EVENT_SHARDS_READ};
        ss_shards_fill(&all);
        event.shards.shards = &all;
        feed_pauses(it);
        feed_found(it, SS_TABLE_GRAPHS);
        feed_found(it, SS_TABLE_OPEN);
        coordinator_feed(it, &event);
    }
    end_turn(it);
}

void coordinator_stop(struct coordinator *it)
{
    it->ended_well = it->has_left;
    it->process.world->database.backing->lose(&it->process);
    member_stop(it);
    ss_engine_destroy(&it->engine);
    ss_store_codec_destroy(&it->codec);
    pauses_forget(it);
    json_decref(it->members);
    it->members = NULL;
    while (it->gone.count > 0)
        ss_free(it->gone.items[--it->gone.count]);
    SS_VEC_FINI(&it->gone);
}
