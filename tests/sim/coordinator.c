// coordinator.c - a coordinator's process: the engine, the bridge, its store.
#include <string.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
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
    struct process *peer = network_find(it->process.world, name);
    message->protocol = SS_PROTOCOL_VERSION;
    if (!peer)
        return note_gone(it, name);
    network_send(peer, DOWN, message);
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

static void welcome(struct coordinator *it, const struct ss_command *command)
{
    struct ss_message message = {.type = SS_MESSAGE_WELCOME,
        .epoch = it->epoch,
        .lease_ms = LEASE_MS,
        .heartbeat_ms = BEAT_MS};
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
    if (ss_bridge_job(it->bridge, command, &job, &error) != SS_OK)
        violated(it->process.world, "a row is refused: %s", error.message);
    database_submit(&it->process, job);
}

static const struct customer *listener(struct world *world, const char *peer)
{
    const struct process *process = network_find(world, peer);
    return process ? world->customers[process->index] : NULL;
}

static void carry_out(struct outbox *outbox, const struct ss_command *command)
{
    struct coordinator *it = outbox->it;
    struct world *world = it->process.world;
    switch (command->type) {
    case SS_COMMAND_WELCOME:
        welcome(it, command);
        break;
    case SS_COMMAND_REFUSE:
        refuse(it, command);
        break;
    case SS_COMMAND_MEMBERS:
        break;
    case SS_COMMAND_DISPATCH:
        check_dispatch(world, command->order);
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
    case SS_COMMAND_READ:
    case SS_COMMAND_SCAN:
    case SS_COMMAND_GET:
        submit(it, command);
        break;
    case SS_COMMAND_REPLY:
        check_reply(world, command->json);
        send_answer(it, command, true);
        break;
    case SS_COMMAND_EVENT:
        check_event(world, listener(world, command->peer), command->json);
        send_answer(it, command, false);
        break;
    }
}

static void feed_one(struct coordinator *it, struct ss_event *event)
{
    struct world *world = it->process.world;
    struct outbox outbox = {.it = it};
    struct ss_commands commands;
    event->now_ms = process_now(&it->process);
    event->wall_us =
        1767225600000000 + world->now_ms * 1000 + it->process.wall_us;
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
    process_wake(&it->process, commands.wake_at_ms);
}

static bool is_worker(const char *peer)
{
    return peer[0] == 'w';
}

// A step, and what it shows of peers that are not there any more.
static void feed(struct coordinator *it, struct ss_event *event)
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
    feed(it, event);
    ss_free(graphs);
}

static void done(struct coordinator *it, struct ss_event *event,
    struct ss_message *message)
{
    for (size_t i = 0; i < message->outcomes_count; i++) {
        event->type = SS_EVENT_TASK_DONE;
        event->done.outcome = message->outcomes[i];
        message->outcomes[i] = NULL;
        feed(it, event);
    }
}

static void ask(struct coordinator *it, struct ss_event *event,
    const struct ss_message *message)
{
    event->type = SS_EVENT_REQUEST;
    event->request.id = message->id;
    event->request.op = message->op;
    event->request.body = ss_value_json(message->body);
    feed(it, event);
}

static void pong(struct coordinator *it, const char *peer, uint64_t id)
{
    struct ss_message message = {
        .type = SS_MESSAGE_PONG, .id = id, .epoch = it->epoch};
    send_to(it, peer, &message);
    while (it->gone.count > 0) // it asked and left: nothing hangs on it
        ss_free(it->gone.items[--it->gone.count]);
}

void coordinator_message(
    struct coordinator *it, const char *peer, struct ss_message *message)
{
    struct ss_event event = {.peer = peer};
    if (message->type == SS_MESSAGE_HELLO) {
        hello(it, &event, message);
    } else if (message->type == SS_MESSAGE_DONE) {
        done(it, &event, message);
    } else if (message->type == SS_MESSAGE_ASK) {
        ask(it, &event, message);
    } else if (message->type == SS_MESSAGE_PING) {
        pong(it, peer, message->id);
    } else if (message->type == SS_MESSAGE_BEAT) {
        event.type = SS_EVENT_WORKER_BEAT;
        event.beat.running = message->attempts;
        event.beat.running_count = message->attempts_count;
        event.beat.capacity = message->capacity;
        feed(it, &event);
    } else if (message->type == SS_MESSAGE_LACKS) {
        event.type = SS_EVENT_WORKER_LACKS;
        event.lacks.attempts = message->attempts;
        event.lacks.attempts_count = message->attempts_count;
        feed(it, &event);
    } else if (message->type == SS_MESSAGE_BYE) {
        event.type = SS_EVENT_WORKER_BYE;
        event.bye.drains = message->drains;
        feed(it, &event);
    } else if (message->type == SS_MESSAGE_HANGUP) {
        event.type = SS_EVENT_CLIENT_GONE;
        event.request.id = message->id;
        feed(it, &event);
    } else {
        violated(it->process.world, "a coordinator is sent %s",
            ss_message_name(message->type));
    }
}

void coordinator_alarm(struct coordinator *it)
{
    feed(it, &(struct ss_event){.type = SS_EVENT_TICK});
}

// As the shell has it: a refusal is an answer, anything else ends the process.
static bool has_failed(const struct ss_job *job)
{
    int status = job->status != SS_OK ? job->status : job->unit.result;
    return job->type == SS_JOB_APPLY && status != SS_OK &&
           status != SS_EREFUSED && status != SS_EFENCED;
}

void coordinator_stored(struct coordinator *it)
{
    bool failed = false;
    struct ss_job *job = database_finish(&it->process);
    while (job) {
        struct ss_job *next = job->next;
        failed = failed || has_failed(job);
        if (!failed) {
            struct ss_event event;
            ss_bridge_event(it->bridge, job, &event);
            feed(it, &event);
            ss_bridge_event_fini(&event);
        }
        ss_job_destroy(&job);
        job = next;
    }
    if (failed) {
        tell(it->process.world, "the coordinator ends: its store failed");
        process_crash(&it->process);
    }
}

// ------------------------------------------------------------------ life

static void take_epoch(struct coordinator *it)
{
    struct world *world = it->process.world;
    struct ss_error error = {0};
    json_t *old = database_record(world, SS_TABLE_META, "epoch");
    it->epoch = (uint64_t)json_integer_value(old) + 1;
    json_t *next = json_integer((json_int_t)it->epoch);
    char *text = ss_json_text(next);
    struct ss_store_put put = {.table = SS_TABLE_META,
        .key = "epoch",
        .value = text,
        .value_size = strlen(text)};
    struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    ss_check(ss_store_apply(world->database.inner, &batch, &error) == SS_OK);
    ss_free(text);
    json_decref(next);
    json_decref(old);
}

struct found {
    SS_VEC(json_t *) items;
};

static int take_found(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    struct found *found = ctx;
    json_t *json = NULL;
    (void)key;
    (void)index;
    (void)expires_us;
    ss_check(ss_json_parse(value, size, &json, NULL) == SS_OK);
    SS_VEC_PUSH(&found->items, json);
    return SS_OK;
}

static struct found scan(struct world *world, enum ss_store_table table)
{
    struct found found = {0};
    struct ss_error error = {0};
    int status = ss_store_scan(world->database.inner, table, NULL, NULL, 0,
        take_found, &found, &error);
    ss_check(status == SS_OK);
    return found;
}

static void feed_found(struct coordinator *it, enum ss_store_table table)
{
    struct found found = scan(it->process.world, table);
    for (size_t i = 0; i < found.items.count; i++) {
        json_t *json = found.items.items[i];
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        event.graph.description = json;
        if (table == SS_TABLE_OPEN) {
            event = (struct ss_event){.type = SS_EVENT_RUN_FOUND};
            event.run.record = json;
        }
        feed(it, &event);
        json_decref(json);
    }
    SS_VEC_FINI(&found.items);
}

static void narrate(void *ctx, const char *sentence)
{
    tell(ctx, "  %s", sentence);
}

void coordinator_start(struct coordinator *it)
{
    struct world *world = it->process.world;
    take_epoch(it);
    it->bridge = ss_bridge_new();
    it->engine = ss_engine_new(&(struct ss_engine_options){.epoch = it->epoch,
        .seed = ss_prng_next(&world->dice),
        .lease_ms = LEASE_MS,
        .heartbeat_ms = BEAT_MS,
        .narrate = world->narrates ? narrate : NULL,
        .narrate_ctx = world});
    feed_found(it, SS_TABLE_GRAPHS);
    feed_found(it, SS_TABLE_OPEN);
}

void coordinator_stop(struct coordinator *it)
{
    database_lose(&it->process);
    ss_engine_destroy(&it->engine);
    ss_bridge_destroy(&it->bridge);
    while (it->gone.count > 0)
        ss_free(it->gone.items[--it->gone.count]);
    SS_VEC_FINI(&it->gone);
}
