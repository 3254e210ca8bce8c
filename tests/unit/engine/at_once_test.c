// at_once_test.c - a store at hand, that takes a unit when it is given: what
// waits for rows goes on in the same step.
#include <string.h>

#include "coordinator/engine/engine.h"
#include "tests/stories/suite.h"

static struct {
    size_t units, rows, records; // what the store took
    int status;                  // what it says of units
} store;

static int take(
    void *ctx, const struct ss_command *command, struct ss_error *error)
{
    (void)ctx;
    if (!command->thread) {
        store.records++;
        return SS_OK;
    }
    store.units++;
    if (store.status != SS_OK)
        return ss_error_set(error, store.status, "it has other plans");
    store.rows += command->rows_count;
    return SS_OK;
}

static struct ss_engine *engine;
static struct ss_commands commands;

static void step(struct ss_event event)
{
    event.now_ms = event.wall_us = 1000;
    ss_engine_step(engine, &event, &commands);
}

static size_t count(enum ss_command_type type)
{
    size_t found = 0;
    for (size_t i = 0; i < commands.count; i++)
        found += commands.items[i].type == type;
    return found;
}

static const struct ss_command *first(enum ss_command_type type)
{
    for (size_t i = 0; i < commands.count; i++)
        if (commands.items[i].type == type)
            return &commands.items[i];
    ck_abort_msg("there is no such command");
    return NULL;
}

// A worker with a graph of one node, and a run of it that waits for its thread.
static void begin(void)
{
    json_t *graph = chart("g", "start>a, a>end", "{}");
    store.units = store.rows = store.records = 0;
    store.status = SS_OK;
    engine = ss_engine_new(&(struct ss_engine_options){.epoch = 1,
        .row_format = SS_ROW_FORMAT,
        .lease_ms = 1000000,
        .heartbeat_ms = 1000000,
        .verify_rate = SIZE_MAX,
        .keeps_rows = true,
        .store = take});
    struct ss_event hello = {.type = SS_EVENT_WORKER_HELLO, .peer = "w"};
    hello.hello.name = "w";
    hello.hello.capacity = 1;
    hello.hello.graphs = &graph;
    hello.hello.graphs_count = 1;
    step(hello);
    json_decref(graph);
    json_t *body = json_pack(
        "{s:s, s:s, s:{s:[]}}", "thread", "t", "graph", "g", "input", "x");
    struct ss_event request = {.type = SS_EVENT_REQUEST, .peer = "ann"};
    request.request.id = 7;
    request.request.op = "run";
    request.request.body = body;
    step(request);
    json_decref(body);
}

static void answer_read(void)
{
    struct ss_event rows = {.type = SS_EVENT_ROWS};
    rows.rows.tag = first(SS_COMMAND_READ)->tag;
    step(rows);
}

START_TEST(a_task_leaves_in_the_step_that_made_its_rows)
{
    begin();
    ck_assert_uint_eq(store.records, 1); // the graph's
    answer_read();
    ck_assert_uint_ge(store.units, 1);
    ck_assert_uint_ge(store.rows, 2);
    ck_assert_uint_eq(count(SS_COMMAND_STORE), 0);
    ck_assert_uint_eq(count(SS_COMMAND_DISPATCH), 1);
    ck_assert_uint_eq(count(SS_COMMAND_EVENT), 1); // it is accepted
    ss_engine_destroy(&engine);
}
END_TEST

START_TEST(who_asked_hears_that_the_store_refused_and_nothing_leaves)
{
    begin();
    store.status = SS_EREFUSED;
    answer_read();
    ck_assert_uint_eq(store.rows, 0);
    ck_assert_uint_eq(count(SS_COMMAND_DISPATCH), 0);
    const struct ss_command *reply = first(SS_COMMAND_REPLY);
    ck_assert_uint_eq(reply->id, 7);
    const char *message = json_string_value(
        json_object_get(json_object_get(reply->json, "error"), "message"));
    ck_assert(message && strstr(message, "it has other plans"));
    ss_engine_destroy(&engine);
}
END_TEST

SUITE("store at once", a_task_leaves_in_the_step_that_made_its_rows,
    who_asked_hears_that_the_store_refused_and_nothing_leaves)
