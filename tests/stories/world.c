// world.c - the loop around the engine: what is on its way, time, mishaps.
#include "tests/stories/world.h"

#include <check.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/model/names.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "coordinator/bridge.h"
#include "tests/stories/world_impl.h"

struct world world;

// ------------------------------------------------------------------ telling

void tell(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    ss_buf_add_str(&world.told, line);
    ss_buf_add_str(&world.told, "\n");
}

static void narrate(void *ctx, const char *sentence)
{
    (void)ctx;
    tell("%s", sentence);
}

const char *world_told(void)
{
    ss_free(world.last_told);
    world.last_told = ss_strdup(ss_buf_str(&world.told));
    ss_buf_reset(&world.told);
    return world.last_told;
}

json_t *world_seen(const char *client)
{
    json_t *list = json_object_get(world.seen, client);
    if (!list)
        json_object_set_new(world.seen, client, list = json_array());
    return list;
}

void world_forget(void)
{
    ss_buf_reset(&world.told);
}

// ------------------------------------------------------------------ lists

static size_t find_name(char *const *items, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i], name) == 0)
            return i;
    return SS_NONE;
}

static struct member *find_worker(const char *name)
{
    for (size_t i = 0; i < world.workers.count; i++)
        if (strcmp(world.workers.items[i].name, name) == 0)
            return &world.workers.items[i];
    ck_abort_msg("there is no worker %s", name);
}

static struct call *find_call(uint64_t id)
{
    for (size_t i = 0; i < world.calls.count; i++)
        if (world.calls.items[i].id == id)
            return &world.calls.items[i];
    return NULL;
}

static const struct ss_graph *find_graph(const char *name, const char *version)
{
    for (size_t i = world.graphs.count; i-- > 0;) {
        const struct ss_graph *graph = world.graphs.items[i].graph;
        if (strcmp(graph->name, name) == 0 &&
            strcmp(graph->version, version) == 0)
            return graph;
    }
    ck_abort_msg("there is no graph %s in that version", name);
}

static void drop_attempt(struct member *worker, struct ss_attempt attempt)
{
    for (size_t i = worker->running.count; i-- > 0;)
        if (worker->running.items[i].epoch == attempt.epoch &&
            worker->running.items[i].dispatch == attempt.dispatch)
            SS_VEC_REMOVE(&worker->running, i);
}

// ------------------------------------------------------------------ workers

static void post(
    const char *worker, const char *node, struct ss_message *message, bool live)
{
    struct ss_buf bytes;
    struct ss_error error;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    if (ss_message_encode(message, &bytes, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    struct parcel parcel = {
        .worker = ss_strdup(worker), .node = ss_strdup(node), .live = live};
    parcel.bytes = ss_buf_steal(&bytes, &parcel.size);
    SS_VEC_PUSH(&world.parcels, parcel);
    ss_message_destroy(&message);
}

static const char *worker_at_work; // whose body runs now

void world_live(
    const struct ss_order *order, enum ss_live_kind kind, json_t *value)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_LIVE);
    message->items = ss_zalloc(1, sizeof(*message->items));
    message->items[0] =
        (struct ss_live_item){order->attempt, kind, ss_value_new(value)};
    message->items_count = 1;
    post(worker_at_work, order->node, message, true);
}

static void note_attempt(
    const struct ss_order *order, const struct member *worker)
{
    struct attempt_made made = {.life = world.life, .step = order->step};
    snprintf(made.node, sizeof(made.node), "%s", order->node);
    snprintf(made.run, sizeof(made.run), "%s", order->run);
    snprintf(made.task_id, sizeof(made.task_id), "%s", order->task_id);
    snprintf(made.worker, sizeof(made.worker), "%s", worker->name);
    if (order->kind == SS_ORDER_NODE)
        SS_VEC_PUSH(&world.attempts, made);
}

static struct ss_message *over_the_wire(struct ss_message *message)
{
    struct ss_buf bytes;
    struct ss_message *copy = NULL;
    struct ss_error error;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    if (ss_message_encode(message, &bytes, &error) != SS_OK ||
        ss_message_decode(bytes.data, bytes.size, &copy, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    ss_buf_fini(&bytes);
    return copy;
}

static void on_dispatch(const struct ss_command *command)
{
    struct member *worker = find_worker(command->peer);
    if (worker->dead)
        return;
    struct ss_message wrapped = {.type = SS_MESSAGE_TASKS,
        .protocol = SS_PROTOCOL_VERSION,
        .orders = (struct ss_order **)&command->order,
        .orders_count = 1};
    struct ss_message *message = over_the_wire(&wrapped);
    const struct ss_order *order = message->orders[0];
    SS_VEC_PUSH(&worker->running, order->attempt);
    note_attempt(order, worker);
    worker_at_work = worker->name;
    struct ss_message *done = ss_message_new(SS_MESSAGE_DONE);
    done->outcomes = ss_zalloc(1, sizeof(*done->outcomes));
    done->outcomes[0] =
        bodies_run(order, find_graph(order->app_graph, order->version));
    done->outcomes_count = 1;
    post(worker->name,
        order->kind == SS_ORDER_FOLD ? order->fold_channel : order->node, done,
        false);
    ss_message_destroy(&message);
}

// ------------------------------------------------------------------ the engine

static void on_reply(const struct ss_command *command)
{
    struct call *call = find_call(command->id);
    ck_assert_ptr_nonnull(call);
    ck_assert_str_eq(call->client, command->peer);
    if (call->answer)
        ck_abort_msg("request %d is answered twice", (int)call->id);
    tell_answer(call->client, command->json);
    call->answer = json_deep_copy(command->json);
}

static void keep_event(const struct ss_command *command)
{
    struct call *call = find_call(command->id);
    if (!call || !json_object_get(command->json, "mode"))
        return;
    if (!call->events)
        call->events = json_array();
    json_array_append_new(call->events, json_deep_copy(command->json));
}

static void carry_out(const struct ss_command *command)
{
    switch (command->type) {
    case SS_COMMAND_DISPATCH:
        on_dispatch(command);
        break;
    case SS_COMMAND_STORE:
    case SS_COMMAND_READ:
    case SS_COMMAND_SCAN:
    case SS_COMMAND_GET:
        SS_VEC_PUSH(&world.jobs, store_job_new(command));
        break;
    case SS_COMMAND_REPLY:
        on_reply(command);
        break;
    case SS_COMMAND_EVENT:
        json_array_append_new(
            world_seen(command->peer), json_deep_copy(command->json));
        tell_event(command->peer, command->json);
        keep_event(command);
        break;
    case SS_COMMAND_CANCEL:
        drop_attempt(find_worker(command->peer), command->attempt);
        break;
    case SS_COMMAND_REFUSE:
        tell("worker %s is refused: %s", command->peer, command->text);
        break;
    case SS_COMMAND_DRAIN:
        tell("worker %s is told to leave", command->peer);
        break;
    case SS_COMMAND_WELCOME:
    case SS_COMMAND_MEMBERS:
    case SS_COMMAND_SEEK:
    case SS_COMMAND_ADOPT:
    case SS_COMMAND_SETTLED:
        break;
    }
}

void world_step(struct ss_event *event)
{
    struct ss_commands commands;
    event->now_ms = world.now_ms;
    event->wall_us = 1767225600000000 + world.now_ms * 1000;
    world.in_engine = true;
    ss_engine_step(world.engine, event, &commands);
    world.in_engine = false;
    world.wake_at_ms = commands.wake_at_ms;
    for (size_t i = 0; i < commands.count; i++) {
        if (world.watch)
            world.watch(&commands.items[i]);
        carry_out(&commands.items[i]);
    }
}

void world_engine_new(void)
{
    world.engine =
        ss_engine_new(&(struct ss_engine_options){.epoch = 1 + world.life,
            .seed = 7 + world.life,
            .shared = world.is_pair,
            .unread = world.life > 0 && !world.is_pair,
            .adopt_ms = world.adopt_ms,
            .lease_ms = LEASE_MS,
            .heartbeat_ms = BEAT_MS,
            .narrate = narrate});
    world.wake_at_ms = INT64_MAX;
}

static void hello(const struct member *worker)
{
    struct ss_event event = {
        .type = SS_EVENT_WORKER_HELLO, .peer = worker->name};
    json_t **graphs = ss_zalloc(world.graphs.count + 1, sizeof(*graphs));
    size_t count = 0;
    for (size_t i = 0; i < world.graphs.count; i++)
        if (!world.graphs.items[i].old)
            graphs[count++] = world.graphs.items[i].description;
    event.hello.name = worker->name;
    event.hello.capacity = worker->capacity;
    event.hello.graphs = graphs;
    event.hello.graphs_count = count;
    event.hello.labels = &((struct member *)worker)->label;
    event.hello.labels_count = worker->label != NULL;
    event.hello.offers = world.offers;
    event.hello.offers_count = world.offers_count;
    world_step(&event);
    ss_free(graphs);
}

// ------------------------------------------------------------------ setting up

void world_begin(void)
{
    ss_value_setup();
    memset(&world, 0, sizeof(world));
    world.now_ms = 1000;
    world.seen = json_object();
    world.store.rows_left = -1;
    ss_buf_init(&world.told, 16u << 20);
    bodies_begin();
    world_engine_new();
}

static void drop_parcel(size_t i)
{
    ss_free(world.parcels.items[i].worker);
    ss_free(world.parcels.items[i].node);
    ss_free(world.parcels.items[i].bytes);
    SS_VEC_REMOVE(&world.parcels, i);
}

static void drop_jobs(void)
{
    for (size_t i = 0; i < world.jobs.count; i++)
        store_job_free(world.jobs.items[i]);
    world.jobs.count = 0;
}

static void free_lists(void)
{
    for (size_t i = 0; i < world.workers.count; i++) {
        ss_free(world.workers.items[i].name);
        ss_free(world.workers.items[i].label);
        SS_VEC_FINI(&world.workers.items[i].running);
    }
    for (size_t i = 0; i < world.calls.count; i++) {
        ss_free(world.calls.items[i].client);
        json_decref(world.calls.items[i].answer);
        json_decref(world.calls.items[i].events);
    }
    for (size_t i = 0; i < world.held.count; i++)
        ss_free(world.held.items[i]);
    for (size_t i = 0; i < world.lost.count; i++)
        ss_free(world.lost.items[i]);
    SS_VEC_FINI(&world.workers);
    SS_VEC_FINI(&world.calls);
    SS_VEC_FINI(&world.held);
    SS_VEC_FINI(&world.lost);
    SS_VEC_FINI(&world.attempts);
    SS_VEC_FINI(&world.parcels);
    SS_VEC_FINI(&world.jobs);
}

void world_end(void)
{
    if (world.is_pair) { // the other one first
        ss_engine_destroy(&world.engine);
        while (world.parcels.count > 0)
            drop_parcel(0);
        drop_jobs();
        SS_VEC_FINI(&world.parcels);
        SS_VEC_FINI(&world.jobs);
        world_at(world.at_two ? "one" : "two");
    }
    ss_engine_destroy(&world.engine);
    store_fini(&world.store);
    while (world.parcels.count > 0)
        drop_parcel(0);
    drop_jobs();
    for (size_t i = 0; i < world.graphs.count; i++) {
        json_decref(world.graphs.items[i].description);
        ss_graph_unref(world.graphs.items[i].graph);
    }
    SS_VEC_FINI(&world.graphs);
    free_lists();
    ss_map_fini(&world.finished, NULL);
    json_decref(world.seen);
    ss_buf_fini(&world.told);
    ss_free(world.last_told);
    bodies_end();
}

void world_graph(json_t *description)
{
    struct known known = {.description = description};
    struct ss_error error = {0};
    if (ss_graph_compile(description, &known.graph, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    SS_VEC_PUSH(&world.graphs, known);
}

void world_upgrade(json_t *description)
{
    for (size_t i = 0; i < world.graphs.count; i++)
        world.graphs.items[i].old = true;
    world_graph(description);
}

const char *world_version(void)
{
    return world.graphs.items[world.graphs.count - 1].graph->version;
}

void world_worker(const char *name, uint32_t capacity)
{
    size_t i = 0;
    while (i < world.workers.count &&
           strcmp(world.workers.items[i].name, name) != 0)
        i++;
    if (i == world.workers.count)
        SS_VEC_PUSH(&world.workers, (struct member){.name = ss_strdup(name)});
    world.workers.items[i].capacity = capacity;
    world.workers.items[i].dead = false;
    hello(&world.workers.items[i]);
}

// ------------------------------------------------------------------ happening

uint64_t world_ask_json(const char *client, const char *op, json_t *body)
{
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = client};
    uint64_t id = world.calls.count + 1;
    SS_VEC_PUSH(&world.calls, (struct call){ss_strdup(client), id, NULL, NULL});
    event.request.id = id;
    event.request.op = op;
    event.request.body = body;
    world_step(&event);
    json_decref(body);
    return id;
}

uint64_t world_ask(const char *client, const char *op, const char *body)
{
    return world_ask_json(client, op, js(body));
}

static void deliver_live(const char *worker, struct ss_message *message)
{
    struct ss_event event = {.type = SS_EVENT_TASK_LIVE, .peer = worker};
    event.live.attempt = message->items[0].attempt;
    event.live.kind = message->items[0].kind;
    event.live.value = ss_value_json(message->items[0].value);
    world_step(&event);
}

static void deliver_done(const char *worker, struct ss_message *message)
{
    struct ss_event event = {.type = SS_EVENT_TASK_DONE, .peer = worker};
    event.done.outcome = message->outcomes[0];
    message->outcomes_count = 0; // the engine takes it
    drop_attempt(find_worker(worker), event.done.outcome->attempt);
    world_step(&event);
}

static void deliver(const struct parcel *parcel)
{
    struct ss_message *message = NULL;
    struct ss_error error;
    if (ss_message_decode(parcel->bytes, parcel->size, &message, &error) !=
        SS_OK)
        ck_abort_msg("%s", error.message);
    if (parcel->live)
        deliver_live(parcel->worker, message);
    else
        deliver_done(parcel->worker, message);
    ss_message_destroy(&message);
}

bool world_run_result(const char *node)
{
    for (size_t i = 0; i < world.parcels.count; i++) {
        struct parcel parcel = world.parcels.items[i];
        if ((node && strcmp(parcel.node, node) != 0) ||
            (!parcel.live && find_name(world.held.items, world.held.count,
                                 parcel.node) != SS_NONE))
            continue;
        SS_VEC_REMOVE(&world.parcels, i);
        size_t lost =
            find_name(world.lost.items, world.lost.count, parcel.node);
        if (lost != SS_NONE && !parcel.live) {
            ss_free(world.lost.items[lost]);
            SS_VEC_REMOVE(&world.lost, lost);
            find_worker(parcel.worker)->running.count = 0;
        } else {
            deliver(&parcel);
            if (world.repeat && !parcel.live)
                deliver(&parcel);
        }
        ss_free(parcel.worker);
        ss_free(parcel.node);
        ss_free(parcel.bytes);
        return true;
    }
    return false;
}

bool world_run_store(void)
{
    struct ss_event event;
    if (world.jobs.count == 0)
        return false;
    struct store_job *job = world.jobs.items[0];
    SS_VEC_REMOVE(&world.jobs, 0);
    bool answers = store_do(&world.store, job, &event);
    if (answers)
        world_step(&event);
    store_event_fini(&event);
    store_job_free(job);
    return true;
}

void world_run(void)
{
    while ((!world.slow && world_run_store()) || world_run_result(NULL))
        continue;
}

static void beat(const struct member *worker)
{
    struct ss_event event = {
        .type = SS_EVENT_WORKER_BEAT, .peer = worker->name};
    SS_VEC(struct ss_attempt) running = {0};
    for (size_t i = 0; i < worker->running.count; i++) {
        struct ss_attempt attempt = worker->running.items[i];
        // Others' attempts are told to others.
        if (!world.is_pair || attempt.epoch == 1 + world.life)
            SS_VEC_PUSH(&running, attempt);
    }
    event.beat.running = running.items;
    event.beat.running_count = running.count;
    event.beat.capacity = worker->share;
    world_step(&event);
    SS_VEC_FINI(&running);
}

void world_share(const char *worker, uint32_t capacity)
{
    struct member *member = find_worker(worker);
    member->share = capacity;
    beat(member);
}

void world_pass(int64_t ms)
{
    int64_t until = world.now_ms + ms;
    while (world.now_ms < until) {
        int64_t next = world.now_ms + BEAT_MS;
        if (next > until)
            next = until;
        if (world.wake_at_ms > world.now_ms && world.wake_at_ms < next)
            next = world.wake_at_ms;
        world.now_ms = next;
        world_step(&(struct ss_event){.type = SS_EVENT_TICK});
        for (size_t i = 0; i < world.workers.count; i++)
            if (!world.workers.items[i].dead)
                beat(&world.workers.items[i]);
        world_run();
    }
}

void world_pause(int64_t ms)
{
    world.now_ms += ms;
    for (size_t i = 0; i < world.workers.count; i++)
        if (!world.workers.items[i].dead)
            beat(&world.workers.items[i]);
    world_run();
}

void world_sleep(int64_t ms)
{
    world.now_ms += ms;
}

json_t *world_answer(uint64_t id)
{
    return find_call(id)->answer;
}

json_t *world_finish(uint64_t id)
{
    world_run();
    for (int i = 0; i < PATIENCE && !world_answer(id) && !world.store.stopped;
         i++)
        world_pass(BEAT_MS);
    return world_answer(id);
}

json_t *world_get(const char *op, const char *body)
{
    return world_finish(world_ask("ann", op, body));
}

// ------------------------------------------------------------------ mishaps

void world_hold(const char *node)
{
    SS_VEC_PUSH(&world.held, ss_strdup(node));
}

void world_let(const char *node)
{
    size_t i = find_name(world.held.items, world.held.count, node);
    ck_assert_uint_ne(i, SS_NONE);
    ss_free(world.held.items[i]);
    SS_VEC_REMOVE(&world.held, i);
}

void world_repeat(bool on)
{
    world.repeat = on;
}

void world_lose(const char *node)
{
    SS_VEC_PUSH(&world.lost, ss_strdup(node));
}

void world_claim(const char *node, const char *worker)
{
    for (size_t i = 0; i < world.parcels.count; i++) {
        struct parcel *parcel = &world.parcels.items[i];
        if (parcel->live || strcmp(parcel->node, node) != 0)
            continue;
        ss_free(parcel->worker);
        parcel->worker = ss_strdup(worker);
        return;
    }
    ck_abort_msg("no result of %s is on its way", node);
}

void world_silence(const char *worker)
{
    find_worker(worker)->dead = true;
}

void world_leave(const char *worker)
{
    find_worker(worker)->dead = true;
    world_step(&(struct ss_event){.type = SS_EVENT_WORKER_BYE, .peer = worker});
}

void world_drain(const char *worker)
{
    struct ss_event event = {.type = SS_EVENT_WORKER_BYE, .peer = worker};
    event.bye.drains = true;
    world_step(&event);
}

void world_gone(const char *client)
{
    world_step(&(struct ss_event){.type = SS_EVENT_CLIENT_GONE, .peer = client});
}

void world_store_take(int64_t rows)
{
    world.store.rows_left = rows;
    world.store.stopped = rows == 0;
}

bool world_store_stopped(void)
{
    return world.store.stopped;
}

void world_store_says(int status)
{
    world.store.next_status = status;
}

void world_read_says(int status)
{
    world.store.next_read = status;
}

void world_lose_graphs(void)
{
    store_drop_graphs(&world.store);
}

size_t world_damage_cache(json_t *value)
{
    size_t count = 0;
    for (size_t i = 0; i < world.store.records.count; i++) {
        struct stored_record *record = &world.store.records.items[i];
        if (record->table != SS_RECORD_CACHE)
            continue;
        json_decref(record->value);
        record->value = json_incref(value);
        count++;
    }
    json_decref(value);
    return count;
}

void world_store_slow(bool on)
{
    world.slow = on;
}

static void note_finished(const struct ss_row *row)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *write = &row->writes[i];
        char *key = ss_format("%s %s", row->run, write->task_id);
        if (ss_name_special(write->channel) == 0 &&
            strcmp(write->channel, SS_NAME_ERROR_SOURCE) != 0)
            ss_map_put(&world.finished, key, &world);
        if (strcmp(write->channel, SS_NAME_ERROR) == 0)
            ss_map_remove(&world.finished, key);
        ss_free(key);
    }
}

static void forget_coordinator(void)
{
    drop_jobs();
    ss_map_fini(&world.finished, NULL);
    world.finished = (struct ss_map){0};
    for (size_t t = 0; t < world.store.threads.count; t++) {
        const struct stored_thread *thread = world.store.threads.items[t];
        for (size_t i = 0; i < thread->rows.count; i++)
            note_finished(thread->rows.items[i]);
    }
    tell("(the coordinator crashes)");
}

void world_crash(void)
{
    ss_engine_destroy(&world.engine);
    forget_coordinator();
}

void world_die(void)
{
    world.engine = NULL;
    world.in_engine = false;
    forget_coordinator();
}

bool world_is_in_engine(void)
{
    return world.in_engine;
}

bool world_was_finished(const char *run, const char *task_id)
{
    char *key = ss_format("%s %s", run, task_id);
    bool was = ss_map_get(&world.finished, key) != NULL;
    ss_free(key);
    return was;
}

void world_find_graphs(void)
{
    for (size_t i = 0; i < world.store.records.count; i++) {
        const struct stored_record *record = &world.store.records.items[i];
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        event.graph.description = record->value;
        if (record->table == SS_RECORD_GRAPH)
            world_step(&event);
    }
}

void world_find_runs(bool crashed)
{
    for (size_t i = world.store.records.count; i-- > 0;) { // in no order
        const struct stored_record *record = &world.store.records.items[i];
        struct ss_event event = {.type = SS_EVENT_RUN_FOUND};
        event.run.record = record->value;
        event.run.crashed = crashed;
        if (record->table == SS_RECORD_RUN &&
            ss_bridge_run_is_open(record->value))
            world_step(&event);
    }
}

void world_restart(void)
{
    world_restart_after(true);
}

void world_restart_after(bool crash)
{
    world.life++;
    world_store_take(-1);
    world_engine_new();
    world_find_graphs();
    for (size_t i = 0; i < world.workers.count; i++)
        if (!world.workers.items[i].dead)
            hello(&world.workers.items[i]);
    world_find_runs(crash);
    struct ss_shards all;
    ss_shards_fill(&all);
    struct ss_event event = {.type = SS_EVENT_SHARDS_READ};
    event.shards.shards = &all;
    world_step(&event);
}

// ------------------------------------------------------------------ looking

json_t *world_events(uint64_t id)
{
    struct call *call = find_call(id);
    if (!call->events)
        call->events = json_array();
    return call->events;
}

size_t world_taken(void)
{
    return world.store.taken;
}

size_t world_rows(void)
{
    size_t count = 0;
    for (size_t i = 0; i < world.store.threads.count; i++)
        count += world.store.threads.items[i]->rows.count;
    return count;
}

const struct attempt_made *world_attempts(size_t *ret_count)
{
    *ret_count = world.attempts.count;
    return world.attempts.items;
}
