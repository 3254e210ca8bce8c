// world_workers.c - workers and their bodies: what they are given and say, and
// what goes wrong with them on the way.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/wire/batch.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "tests/stories/world_impl.h"

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

// ------------------------------------------------------------------ orders

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
    const struct ss_assignment *order, enum ss_live_kind kind, json_t *value)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_LIVE);
    message->items = ss_zalloc(1, sizeof(*message->items));
    message->items[0] =
        (struct ss_live_item){order->attempt, kind, ss_value_new(value)};
    message->items_count = 1;
    post(worker_at_work, order->node, message, true);
}

static void note_attempt(
    const struct ss_assignment *order, const struct member *worker)
{
    struct attempt_made made = {.life = world.life, .step = order->step};
    snprintf(made.node, sizeof(made.node), "%s", order->node);
    snprintf(made.run, sizeof(made.run), "%s", order->run);
    snprintf(made.task_id, sizeof(made.task_id), "%s", order->task_id);
    snprintf(made.worker, sizeof(made.worker), "%s", worker->name);
    if (order->kind == SS_ORDER_NODE)
        SS_VEC_PUSH(&world.attempts, made);
}

void world_order_leaves(const struct ss_assignment *order)
{
    struct ss_assignment alone = *order;
    struct ss_buf bytes, wanted;
    alone.kept = (struct ss_assignment_kept){0};
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    ss_buf_init(&wanted, SS_MESSAGE_SIZE_MAX);
    int status = ss_batch_add_order(&wanted, &alone, NULL);
    ck_assert_int_eq(ss_batch_add_order(&bytes, order, NULL), status);
    ck_assert_uint_eq(bytes.size, wanted.size);
    if (status == SS_OK)
        ck_assert_mem_eq(bytes.data, wanted.data, wanted.size);
    if (order->digest)
        ck_assert_uint_eq(ss_assignment_digest(&alone), order->digest);
    ss_buf_fini(&bytes);
    ss_buf_fini(&wanted);
}

void world_order(const char *name, const struct ss_assignment *order)
{
    struct member *worker = find_worker(name);
    if (worker->dead)
        return;
    SS_VEC_PUSH(&worker->running, order->attempt);
    note_attempt(order, worker);
    worker_at_work = worker->name;
    struct ss_message *done = ss_message_new(SS_MESSAGE_DONE);
    done->outcomes = ss_zalloc(1, sizeof(*done->outcomes));
    done->outcomes[0] =
        bodies_run(order, find_graph(order->app_graph, order->version));
    done->outcomes_count = 1;
    if (world.vanishes) {
        drop_attempt(worker, order->attempt);
        ss_message_destroy(&done);
    } else {
        post(worker->name,
            order->kind == SS_ORDER_FOLD ? order->fold.channel : order->node,
            done, false);
    }
    world.vanishes = false;
}

void world_order_void(const char *name, struct ss_attempt attempt)
{
    drop_attempt(find_worker(name), attempt);
}

// ------------------------------------------------------------ what they say

static void hello(const struct member *worker)
{
    struct ss_message message = {.type = SS_MESSAGE_HELLO,
        .protocol = SS_PROTOCOL_VERSION,
        .hello.name = worker->name,
        .hello.host = worker->name,
        .capacity = worker->capacity,
        .hello.labels = &((struct member *)worker)->label,
        .hello.labels_count = worker->label != NULL,
        .offers = (struct ss_offer *)world.offers,
        .offers_count = world.offers_count};
    message.hello.graphs =
        ss_zalloc(world.graphs.count + 1, sizeof(*message.hello.graphs));
    for (size_t i = 0; i < world.graphs.count; i++)
        if (!world.graphs.items[i].old)
            message.hello.graphs[message.hello.graphs_count++] =
                ss_value_new(json_incref(world.graphs.items[i].description));
    world_say(worker->name, &message);
    while (message.hello.graphs_count > 0)
        ss_value_unref(message.hello.graphs[--message.hello.graphs_count]);
    ss_free(message.hello.graphs);
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

void world_workers_hello(void)
{
    for (size_t i = 0; i < world.workers.count; i++)
        if (!world.workers.items[i].dead)
            hello(&world.workers.items[i]);
}

static void beat(const struct member *worker)
{
    struct ss_message message = {
        .type = SS_MESSAGE_BEAT, .protocol = SS_PROTOCOL_VERSION};
    SS_VEC(struct ss_attempt) running = {0};
    for (size_t i = 0; i < worker->running.count; i++) {
        struct ss_attempt attempt = worker->running.items[i];
        // Others' attempts are told to others.
        if (!world.is_pair || attempt.epoch == 1 + world.life)
            SS_VEC_PUSH(&running, attempt);
    }
    message.attempts = running.items;
    message.attempts_count = running.count;
    message.capacity = worker->share;
    message.sent = world.beats_say ? (uint64_t)world.now_ms : 0;
    world_say(worker->name, &message);
    SS_VEC_FINI(&running);
}

void world_share(const char *worker, uint32_t capacity)
{
    struct member *member = find_worker(worker);
    member->share = capacity;
    beat(member);
}

void world_workers_beat(void)
{
    for (size_t i = 0; i < world.workers.count; i++)
        if (!world.workers.items[i].dead)
            beat(&world.workers.items[i]);
}

void world_ended(const char *worker, const char *how)
{
    world_say("supervisor", &(struct ss_message){.type = SS_MESSAGE_BYE,
                                .protocol = SS_PROTOCOL_VERSION,
                                .bye.ended = (char *)worker,
                                .bye.how = (char *)how});
}

void world_leave(const char *worker)
{
    find_worker(worker)->dead = true;
    world_say(worker, &(struct ss_message){.type = SS_MESSAGE_BYE,
                          .protocol = SS_PROTOCOL_VERSION});
}

void world_drain(const char *worker)
{
    world_say(worker, &(struct ss_message){.type = SS_MESSAGE_BYE,
                          .protocol = SS_PROTOCOL_VERSION,
                          .bye.drains = true});
}

// An attempt whose result has come is not its worker's any more.
static void settle(const struct parcel *parcel)
{
    struct ss_message *message = NULL;
    struct ss_error error;
    if (ss_message_decode(parcel->bytes, parcel->size, &message, &error) !=
        SS_OK)
        ck_abort_msg("%s", error.message);
    drop_attempt(find_worker(parcel->worker), message->outcomes[0]->attempt);
    ss_message_destroy(&message);
}

static void parcel_fini(struct parcel *parcel)
{
    ss_free(parcel->worker);
    ss_free(parcel->node);
    ss_free(parcel->bytes);
}

// The result of that node, if it is on its way, is `together`'s, too.
static void join(struct ss_message *together, const char *node)
{
    struct ss_message *message = NULL;
    struct ss_error error;
    size_t i = 0;
    while (i < world.parcels.count &&
           (world.parcels.items[i].live ||
               strcmp(world.parcels.items[i].node, node) != 0))
        i++;
    if (i == world.parcels.count)
        return;
    struct parcel parcel = world.parcels.items[i];
    SS_VEC_REMOVE(&world.parcels, i);
    settle(&parcel);
    ck_assert_int_eq(
        ss_message_decode(parcel.bytes, parcel.size, &message, &error), SS_OK);
    together->outcomes[together->outcomes_count++] = message->outcomes[0];
    message->outcomes[0] = NULL;
    message->outcomes_count = 0;
    ss_message_destroy(&message);
    parcel_fini(&parcel);
}

bool world_run_results(
    const char *worker, const char *const *nodes, size_t count)
{
    struct ss_message *together = ss_message_new(SS_MESSAGE_DONE);
    together->outcomes = ss_zalloc(count, sizeof(*together->outcomes));
    for (size_t i = 0; i < count; i++)
        join(together, nodes[i]);
    bool any = together->outcomes_count > 0;
    if (any)
        world_say(worker, together);
    ss_message_destroy(&together);
    return any;
}

static void deliver(const struct parcel *parcel)
{
    if (!parcel->live)
        settle(parcel);
    world_frame(parcel->worker, parcel->bytes, parcel->size);
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
        parcel_fini(&parcel);
        return true;
    }
    return false;
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
