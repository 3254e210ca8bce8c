// world.c - the loop around the core: clients, time, and what is told.
#include "tests/stories/world.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/model/journal.h"
#include "common/model/roles.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
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

static void narrate(
    void *ctx, const struct ss_core_subject *subject, const char *sentence)
{
    (void)ctx;
    (void)subject;
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

// ------------------------------------------------------------------ the core

static struct call *find_call(uint64_t id)
{
    for (size_t i = 0; i < world.calls.count; i++)
        if (world.calls.items[i].id == id)
            return &world.calls.items[i];
    return NULL;
}

static void on_reply(const char *peer, const struct ss_message *message)
{
    struct call *call = find_call(message->id);
    json_t *answer = ss_value_json(message->body);
    ck_assert_ptr_nonnull(call);
    ck_assert_str_eq(call->client, peer);
    if (call->answer)
        ck_abort_msg("request %d is answered twice", (int)call->id);
    tell_answer(call->client, answer);
    call->answer = json_deep_copy(answer);
}

static void keep_event(uint64_t id, json_t *event)
{
    struct call *call = find_call(id);
    if (!call || !json_object_get(event, "mode"))
        return;
    if (!call->events)
        call->events = json_array();
    json_array_append_new(call->events, json_deep_copy(event));
}

static void on_event(const char *peer, const struct ss_message *message)
{
    json_t *event = ss_value_json(message->body);
    json_array_append_new(world_seen(peer), json_deep_copy(event));
    tell_event(peer, event);
    keep_event(message->id, event);
}

// What a worker or a client gets.
static void on_message(const char *peer, struct ss_message *message)
{
    if (message->type == SS_MESSAGE_ANSWER && message->final)
        on_reply(peer, message);
    else if (message->type == SS_MESSAGE_ANSWER)
        on_event(peer, message);
    else if (message->type == SS_MESSAGE_REFUSED)
        tell("worker %s is refused: %s", peer, message->refused.text);
    else if (message->type == SS_MESSAGE_DRAIN)
        tell("worker %s is told to leave", peer);
    for (size_t i = 0; i < message->orders_count; i++)
        world_order(peer, message->orders[i]);
    for (size_t i = 0; i < message->attempts_count; i++)
        if (message->type == SS_MESSAGE_CANCEL)
            world_order_void(peer, message->attempts[i]);
}

static void before(void *ctx, const struct ss_event *event)
{
    (void)ctx;
    (void)event;
    world.in_engine = true;
}

static bool look(void *ctx, const struct ss_command *command)
{
    (void)ctx;
    world.in_engine = false;
    if (command->type == SS_COMMAND_DISPATCH)
        world_order_leaves(command->order);
    if (world.watch)
        world.watch(command);
    if (command->type == SS_COMMAND_DAMAGED)
        tell("damaged is %s: %s", command->key, command->text);
    return command->type == SS_COMMAND_DAMAGED;
}

static void carry_out(const struct ss_core_output *output)
{
    struct ss_message *message = NULL;
    struct ss_error error;
    if (output->type != SS_CORE_SEND)
        return; // nobody keeps a log
    if (ss_message_decode(output->bytes, output->size, &message, &error) !=
        SS_OK)
        ck_abort_msg("%s", error.message);
    on_message(output->peer, message);
    ss_message_destroy(&message);
}

static void feed(struct ss_core_event event)
{
    struct ss_core_outputs outputs;
    event.now_ms = world.now_ms;
    event.wall_us =
        1767225600000000 + (world.now_ms + world.clock_set_ms) * 1000;
    ss_core_step(world.core, &event, &outputs);
    world.in_engine = false;
    for (size_t i = 0; i < outputs.count; i++)
        if (outputs.items[i].type == SS_CORE_SUBMIT)
            SS_VEC_PUSH(&world.jobs, outputs.items[i].job);
    for (size_t i = 0; i < outputs.count; i++)
        carry_out(&outputs.items[i]);
}

// A turn for each thing that happens.
static void feed_turn(struct ss_core_event event)
{
    feed((struct ss_core_event){.type = SS_CORE_TURN});
    feed(event);
    feed((struct ss_core_event){.type = SS_CORE_FLUSH});
    world.wake_at_ms = ss_core_wake_at_ms(world.core);
}

void world_step(struct ss_event *event)
{
    feed_turn(
        (struct ss_core_event){.type = SS_CORE_HAPPENED, .happened = event});
}

void world_frame(const char *peer, const void *bytes, size_t size)
{
    feed_turn((struct ss_core_event){.type = SS_CORE_FRAME,
        .peer = peer,
        .sender = {SS_ROLES_ALL, world.key ? world.key : "", peer},
        .bytes = bytes,
        .size = size});
}

void world_say(const char *peer, const struct ss_message *message)
{
    struct ss_buf bytes;
    struct ss_error error;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    if (ss_message_encode(message, &bytes, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    world_frame(peer, bytes.data, bytes.size);
    ss_buf_fini(&bytes);
}

void world_core_new(bool is_after_crash)
{
    world.core =
        ss_core_new(&(struct ss_core_options){.self = {.name = "one",
                                                  .endpoint = "tcp://one",
                                                  .epoch = 1 + world.life,
                                                  .row_format = SS_ROW_FORMAT},
            .seed = 7 + world.life,
            .is_shared = world.is_pair,
            .is_after_crash = is_after_crash,
            .is_steered = world.is_pair,
            .outlives_store = true,
            .adopt_ms = world.adopt_ms,
            .lease_ms = LEASE_MS,
            .heartbeat_ms = BEAT_MS,
            .verify_rate = VERIFY_RATE,
            .idle_large_max = -1,
            .narrate = narrate,
            .before = before,
            .command = look});
    feed((struct ss_core_event){.type = SS_CORE_TURN});
    feed((struct ss_core_event){.type = SS_CORE_FLUSH});
    world.wake_at_ms = ss_core_wake_at_ms(world.core);
}

// ------------------------------------------------------------------ setting up

void world_begin(void)
{
    ss_value_setup();
    memset(&world, 0, sizeof(world));
    world.now_ms = 1000;
    world.seen = json_object();
    store_begin(&world.store);
    ss_buf_init(&world.told, 16u << 20);
    bodies_begin();
    world_core_new(false);
    world_run();
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
        ss_job_destroy(&world.jobs.items[i]);
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
        ss_core_destroy(&world.core);
        while (world.parcels.count > 0)
            drop_parcel(0);
        world_drop_jobs();
        SS_VEC_FINI(&world.parcels);
        SS_VEC_FINI(&world.jobs);
        world_at(world.at_two ? "one" : "two");
    }
    ss_core_destroy(&world.core);
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
    uint64_t id = world.calls.count + 1;
    struct ss_message message = {.type = SS_MESSAGE_ASK,
        .protocol = SS_PROTOCOL_VERSION,
        .id = id,
        .op = (char *)op,
        .body = ss_value_new(body)};
    SS_VEC_PUSH(&world.calls, (struct call){ss_strdup(client), id, NULL, NULL});
    world_say(client, &message);
    ss_value_unref(message.body);
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
    if (world.jobs.count == 0)
        return false;
    struct ss_job *job = world.jobs.items[0];
    SS_VEC_REMOVE(&world.jobs, 0);
    if (store_do(&world.store, job))
        feed_turn((struct ss_core_event){.type = SS_CORE_DONE, .job = job});
    ss_job_destroy(&job);
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
    world_hang_up(client, 0);
}

void world_hang_up(const char *client, uint64_t id)
{
    world_step(&(struct ss_event){
        .type = SS_EVENT_CLIENT_GONE, .peer = client, .request.id = id});
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

const char *output_of(const json_t *answer)
{
    static char text[256];
    char *x = ss_json_canonical(
        json_object_get(json_object_get(answer, "output"), "x"));
    snprintf(text, sizeof(text), "%s", x);
    ss_free(x);
    return text;
}

json_t *x_of(const char *thread)
{
    uint64_t id =
        world_ask_json("ann", "state", json_pack("{s:s}", "thread", thread));
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
    return store_each_row(&world.store, NULL);
}

size_t world_stored(int32_t *ret_format)
{
    return store_bytes(&world.store, ret_format);
}

const struct attempt_made *world_attempts(size_t *ret_count)
{
    *ret_count = world.attempts.count;
    return world.attempts.items;
}
