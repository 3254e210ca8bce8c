// world.c - the loop around the engine: clients, time, and what is told.
#include "tests/stories/world.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/model/value.h"
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

// ------------------------------------------------------------------ the engine

static struct call *find_call(uint64_t id)
{
    for (size_t i = 0; i < world.calls.count; i++)
        if (world.calls.items[i].id == id)
            return &world.calls.items[i];
    return NULL;
}

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
        world_order(command);
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
        world_order_void(command);
        break;
    case SS_COMMAND_REFUSE:
        tell("worker %s is refused: %s", command->peer, command->text);
        break;
    case SS_COMMAND_DRAIN:
        tell("worker %s is told to leave", command->peer);
        break;
    case SS_COMMAND_DAMAGED:
        tell("damaged is %s: %s", command->key, command->text);
        break;
    case SS_COMMAND_WELCOME:
    case SS_COMMAND_HEARD:
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
    event->wall_us =
        1767225600000000 + (world.now_ms + world.clock_set_ms) * 1000;
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

void world_drop_jobs(void)
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
        world_drop_jobs();
        SS_VEC_FINI(&world.parcels);
        SS_VEC_FINI(&world.jobs);
        world_at(world.at_two ? "one" : "two");
    }
    ss_engine_destroy(&world.engine);
    store_fini(&world.store);
    while (world.parcels.count > 0)
        drop_parcel(0);
    world_drop_jobs();
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

// ------------------------------------------------------------------ happening

uint64_t world_ask_json(const char *client, const char *op, json_t *body)
{
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = client};
    uint64_t id = world.calls.count + 1;
    SS_VEC_PUSH(&world.calls, (struct call){ss_strdup(client), id, NULL, NULL});
    event.request.id = id;
    event.request.op = op;
    event.request.body = body;
    event.request.by = world.key;
    world_step(&event);
    json_decref(body);
    return id;
}

void world_key(const char *name)
{
    world.key = name;
}

uint64_t world_ask(const char *client, const char *op, const char *body)
{
    return world_ask_json(client, op, js(body));
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
        world_workers_beat();
        world_run();
    }
}

void world_pause(int64_t ms)
{
    world.now_ms += ms;
    world_workers_beat();
    world_run();
}

void world_set_clock(int64_t ms)
{
    world.clock_set_ms += ms;
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

void world_gone(const char *client)
{
    world_step(&(struct ss_event){.type = SS_EVENT_CLIENT_GONE, .peer = client});
}

// ------------------------------------------------------------------ looking

json_t *world_events(uint64_t id)
{
    struct call *call = find_call(id);
    if (!call->events)
        call->events = json_array();
    return call->events;
}

const char *status_of(const json_t *answer)
{
    return ss_json_str(answer, "status", "-");
}

const char *code_of(const json_t *answer)
{
    return ss_json_str(json_object_get(answer, "error"), "code", "");
}

json_t *x_of(const char *thread)
{
    uint64_t id = world_ask_json(
        "ann", "state", json_pack("{s:s}", "thread", thread));
    json_t *state = json_object_get(world_finish(id), "state");
    return json_object_get(json_object_get(state, "values"), "x");
}

void expect_x(const char *thread, const char *expected)
{
    char *text = ss_json_canonical(x_of(thread));
    ck_assert_str_eq(text, expected);
    ss_free(text);
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
