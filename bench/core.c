// core.c - supersteps of a coordinator without sockets, threads or chance: what
// its core does with the frames of a worker and a client, a store in memory
// behind it.
//
//     bench-core [THREADS [RUNS]]
//     bench-core --waiting RUNS STORE
//     bench-core --ended RUNS STORE
//
// Each thread has RUNS runs, one after the other, through a chain of twenty
// nodes. Worker and client are played here, and answer at once. A run is the
// same each time to the instruction, but for what the clock says, so that
// counting instructions of ss_core_step() is what it is for
// (tests/instructions/compare.py). It prints how many supersteps there were.
//
// --waiting: how many bytes of the heap a run takes that waits for its worker,
// through a chain of three nodes and on a thread of its own: just now, and when
// it has waited. --ended: the same of the thread of one that has ended. STORE:
// a file of SQLite, so that rows do not count that a store keeps in memory.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "common/model/roles.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "coordinator/core/core.h"
#include "coordinator/engine/limits.h"
#include "coordinator/store/store_actor.h"

enum { NODES = 20, THREADS = 64, RUNS = 2, CAPACITY = 64 };

static const char worker[] = "worker", client[] = "client";

static struct ss_core *core;
static struct ss_store_actor *actor;
static struct ss_graph *graph;
static struct ss_buf frame;
static SS_VEC(struct ss_message *) on_way; // to the core
static size_t *left;                       // runs, by thread
static int64_t now_ms = 1000;
static size_t supersteps;
static int nodes = NODES; // of the chain
static bool is_waiting;   // the worker does nothing
static size_t ended;      // runs

static void check(int status, const struct ss_error *error)
{
    if (status == SS_OK)
        return;
    fprintf(stderr, "bench-core: %s\n", error->message);
    exit(1);
}

static struct ss_message *post(enum ss_message_type type)
{
    struct ss_message *message = ss_message_new(type);
    SS_VEC_PUSH(&on_way, message);
    return message;
}

// ------------------------------------------------ the worker

static json_t *chain(void)
{
    json_t *list = json_array(), *edges = json_array();
    char name[16], before[16] = SS_NAME_START;
    for (int i = 0; i < nodes; i++) {
        (void)snprintf(name, sizeof(name), "n%02d", i);
        json_array_append_new(list, json_pack("{s:s}", "name", name));
        json_array_append_new(edges, json_pack("[s, s]", before, name));
        memcpy(before, name, sizeof(before));
    }
    return json_pack("{s:s, s:s, s:[{s:s, s:s}], s:o, s:o}", "name", "chain",
        "kind", "state", "state", "key", "n", "type", "int", "nodes", list,
        "edges", edges);
}

static void say_hello(void)
{
    struct ss_error error;
    json_t *description = chain();
    check(ss_graph_compile(description, &graph, &error), &error);
    struct ss_message *hello = post(SS_MESSAGE_HELLO);
    hello->hello.name = ss_strdup(worker);
    hello->hello.host = ss_strdup("here");
    hello->hello.pid = 1;
    hello->hello.graphs = ss_zalloc(1, sizeof(struct ss_value *));
    hello->hello.graphs[0] = ss_value_new(description);
    hello->hello.graphs_count = 1;
    hello->capacity = CAPACITY;
}

static void write_text(
    struct ss_outcome *outcome, const char *channel, const char *text)
{
    ss_writes_add(
        &outcome->writes, channel, ss_value_from_text(text, strlen(text)));
}

static struct ss_outcome *outcome_of(const struct ss_assignment *order)
{
    struct ss_outcome *outcome = ss_outcome_new();
    const struct ss_node *node =
        &graph->nodes[ss_graph_node(graph, order->node)];
    outcome->attempt = order->attempt;
    memcpy(outcome->task_id, order->task_id, sizeof(outcome->task_id));
    outcome->kind = SS_OUTCOME_DONE;
    outcome->ran_us = 1;
    write_text(outcome, "n", "41");
    for (size_t i = 0; i < node->edges_count; i++)
        write_text(outcome, graph->channels[node->edges[i]].name, "null");
    return outcome;
}

static void do_orders(const struct ss_message *tasks)
{
    if (is_waiting)
        return;
    struct ss_message *done = post(SS_MESSAGE_DONE);
    done->outcomes = ss_zalloc(tasks->orders_count, sizeof(*done->outcomes));
    for (size_t i = 0; i < tasks->orders_count; i++)
        done->outcomes[done->outcomes_count++] = outcome_of(tasks->orders[i]);
    supersteps += tasks->orders_count;
}

// ------------------------------------------------ the client

static void ask(size_t thread)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "t%zu", thread);
    struct ss_message *request = post(SS_MESSAGE_ASK);
    request->op = ss_strdup("run");
    request->id = thread + 1;
    request->body = ss_value_new(json_pack("{s:s, s:s, s:{s:i}}", "graph",
        "chain", "thread", name, "input", "n", 0));
}

static void hear(const struct ss_message *answer)
{
    json_t *body = ss_value_json(answer->body);
    const char *status = ss_json_str(body, "status", "none");
    if (strcmp(status, "done") != 0) {
        char *text = ss_json_text(body);
        fprintf(stderr, "bench-core: a run says %s\n", text);
        exit(1);
    }
    ended++;
    if (left[answer->id - 1]-- > 1)
        ask((size_t)answer->id - 1);
}

// ------------------------------------------------ the core

static void take(const struct ss_core_output *output)
{
    struct ss_error error;
    struct ss_message *message = NULL;
    check(ss_message_decode(output->bytes, output->size, &message, &error),
        &error);
    if (message->type == SS_MESSAGE_TASKS)
        do_orders(message);
    else if (message->type == SS_MESSAGE_ANSWER && message->final)
        hear(message);
    ss_message_destroy(&message);
}

static void feed(struct ss_core_event event)
{
    struct ss_core_outputs outputs;
    event.now_ms = now_ms;
    event.wall_us = now_ms * 1000;
    ss_core_step(core, &event, &outputs);
    for (size_t i = 0; i < outputs.count; i++)
        if (outputs.items[i].type == SS_CORE_SEND)
            take(&outputs.items[i]);
        else if (outputs.items[i].type == SS_CORE_SUBMIT)
            ss_store_actor_submit(actor, outputs.items[i].job);
}

// Their frame. Takes `message`.
static void deliver(struct ss_message *message)
{
    struct ss_error error;
    check(ss_message_encode(message, &frame, &error), &error);
    feed((struct ss_core_event){.type = SS_CORE_FRAME,
        .peer = message->type == SS_MESSAGE_ASK ? client : worker,
        .sender = {SS_ROLES_ALL, "", "here"},
        .bytes = frame.data,
        .size = frame.size});
    ss_message_destroy(&message);
}

// All that is ready when it begins.
static void turn(void)
{
    struct ss_job *job;
    size_t count = on_way.count;
    feed((struct ss_core_event){.type = SS_CORE_TURN});
    for (size_t i = 0; i < count; i++)
        deliver(on_way.items[i]);
    on_way.count -= count;
    if (on_way.count > 0)
        memmove(on_way.items, on_way.items + count,
            on_way.count * sizeof(struct ss_message *));
    while ((job = ss_store_actor_take(actor))) {
        feed((struct ss_core_event){.type = SS_CORE_DONE, .job = job});
        ss_job_destroy(&job);
    }
    feed((struct ss_core_event){.type = SS_CORE_TICK});
    feed((struct ss_core_event){.type = SS_CORE_FLUSH});
    now_ms++;
}

static void begin(const char *url)
{
    struct ss_error error;
    struct ss_store *store;
    ss_value_setup();
    ss_buf_init(&frame, SS_MESSAGE_SIZE_MAX);
    check(ss_store_open(url, &store, &error), &error);
    ss_store_actor_start_inline(store, &actor);
    core = ss_core_new(&(struct ss_core_options){
        .self = {.name = "bench", .endpoint = "tcp://a:1", .epoch = 1},
        .seed = 1,
        .lease_ms = INT32_MAX,
        .heartbeat_ms = INT32_MAX});
}

static void end(void)
{
    ss_core_destroy(&core);
    ss_store_actor_stop(&actor);
    ss_graph_unref(graph);
    for (size_t i = 0; i < on_way.count; i++)
        ss_message_destroy(&on_way.items[i]);
    SS_VEC_FINI(&on_way);
    ss_buf_fini(&frame);
    ss_free(left);
}

static size_t number(const char *text, size_t otherwise)
{
    size_t given = text ? strtoul(text, NULL, 10) : otherwise;
    return given > 0 ? given : otherwise;
}

static void start(const char *url, size_t threads)
{
    begin(url);
    turn();
    say_hello();
    turn();
    turn();
    left = ss_zalloc(threads, sizeof(*left));
}

// ------------------------------------------------ runs that wait

static size_t heap_size(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

enum { WARM = 200, AT_ONCE = 100, TURNS = 10, PACKED_A_TURN = 64 };

static void turns(size_t count)
{
    while (count-- > 0 || (!is_waiting && on_way.count > 0))
        turn();
}

// The first of them fill tables and caches, and are not counted.
static void weigh(const char *url, size_t runs)
{
    size_t before = 0;
    nodes = 3;
    start(url, runs + WARM);
    for (size_t i = 0; i < runs + WARM; i++) {
        if (i == WARM)
            before = heap_size();
        ask(i);
        if ((i + 1) % AT_ONCE == 0 || i + 1 == runs + WARM)
            turns(is_waiting ? TURNS : TURNS * (size_t)nodes);
    }
    size_t now = heap_size();
    now_ms += SS_IDLE_PACK_MS;
    turns(runs / PACKED_A_TURN + TURNS);
    printf("%zu %zu\n", (now - before) / runs, (heap_size() - before) / runs);
    if (!is_waiting && ended != runs + WARM)
        check(SS_EAGAIN, &(struct ss_error){.message = "not all have ended"});
    end();
}

int main(int argc, char **argv)
{
    is_waiting = argc == 4 && strcmp(argv[1], "--waiting") == 0;
    if (is_waiting || (argc == 4 && strcmp(argv[1], "--ended") == 0)) {
        weigh(argv[3], number(argv[2], THREADS));
        return 0;
    }
    size_t threads = number(argc > 1 ? argv[1] : NULL, THREADS);
    size_t runs = number(argc > 2 ? argv[2] : NULL, RUNS);
    start("memory:", threads);
    for (size_t i = 0; i < threads; i++) {
        left[i] = runs;
        ask(i);
    }
    for (size_t idle = 0; supersteps < threads * runs * NODES || on_way.count;)
        if (turn(), on_way.count == 0 && ++idle > 100000)
            check(SS_EAGAIN, &(struct ss_error){.message = "it stands still"});
    printf("%zu\n", supersteps);
    end();
    return 0;
}
