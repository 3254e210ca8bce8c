// limits.c - how many bodies of a limit are under way at any moment.
//
// Counted is each body that has begun and was not told to stop, of whom
// somebody may be expected to know:
//
//   its attempt was given, or taken over, by the owner of its shard: while that
//   one has heard of its worker without a gap of a lease since (a beat that a
//   newer one overtook, or that comes twice, is no sign of life)
//   by an owner before: for a lease, from when the present one began to serve
//   the shard, if the one before did not lose it
//
// All others are lost to everybody: nobody can wait for them. Such a body
// counts again when somebody takes it over after all.
//
// Of a rate each new attempt is counted when it is sent: so many in any time.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/cluster.h"
#include "common/model/graph.h"
#include "common/wire/message.h"
#include "tests/sim/world.h"

enum {
    SLACK_MS = 2 * BEAT_MS, // a clock may run ahead, an answer be on its way
};

struct owner {
    const struct coordinator *it; // NULL: nobody has begun to serve it
    uint64_t life;
    int64_t since_ms;
};

struct limits_seen {
    struct owner owners[SS_SHARDS];
    struct ss_map roots;  // an attempt's name -> that of the one it began as
    SS_VEC(int64_t) sent; // of a rate: when each attempt was
    struct ss_map givers; // of that one -> struct owner, who knows of it
    struct ss_map lost;   // of that one: an owner lost it -> itself
};

json_t *limits_describe(const struct climate *climate)
{
    if (climate->limit == 0)
        return NULL;
    const char *each = climate->limit_each ? "none" : NULL;
    if (climate->limit_per_ms == 0)
        return json_pack("{s:s, s:i, s:s*}", "name", "shared", "tasks_max",
            (int)climate->limit, "each", each);
    return json_pack("{s:s, s:i, s:i, s:s*}", "name", "shared", "begun_max",
        (int)climate->limit, "per_ms", (int)climate->limit_per_ms, "each",
        each);
}

#define ALSO "also" // before the name of the other one: its places come first

json_t *limits_also(const struct climate *climate)
{
    return climate->limit_also == 0
               ? NULL
               : json_pack("{s:s, s:i}", "name", ALSO, "tasks_max",
                     (int)climate->limit_also);
}

static struct limits_seen *seen_of(struct world *world)
{
    if (!world->limits)
        world->limits = ss_zalloc(1, sizeof(*world->limits));
    return world->limits;
}

void limits_fini(struct world *world)
{
    struct limits_seen *seen = world->limits;
    world->limits = NULL;
    if (!seen)
        return;
    ss_map_fini(&seen->roots, ss_free);
    ss_map_fini(&seen->givers, ss_free);
    ss_map_fini(&seen->lost, NULL);
    SS_VEC_FINI(&seen->sent);
    ss_free(seen);
}

// ------------------------------------------------ what is seen

// A beat that a newer one overtook, or that came before.
static bool is_stale(struct coordinator *it, const struct process *worker,
    const void *bytes, size_t size)
{
    struct ss_message *message = NULL;
    struct ss_error error = {0};
    struct newest_beat *newest = &it->newest_beats[worker->index];
    if (newest->life != it->process.life ||
        newest->workers_life != worker->life)
        *newest = (struct newest_beat){it->process.life, worker->life, 0};
    if (ss_message_decode(bytes, size, &message, &error) != SS_OK)
        violated(
            it->process.world, "a message cannot be read: %s", error.message);
    bool is_beat = message->type == SS_MESSAGE_BEAT && message->sent != 0;
    bool is_old = is_beat && message->sent <= newest->sent;
    if (is_beat && !is_old)
        newest->sent = message->sent;
    ss_message_destroy(&message);
    return is_old;
}

void limits_heard(
    struct coordinator *it, const char *peer, const void *bytes, size_t size)
{
    struct process *process = NULL;
    if (network_find(it->process.world, it->process.index, peer, &process) &&
        process->kind == WORKER && !is_stale(it, process, bytes, size)) {
        int64_t now_ms = it->process.world->now_ms;
        int64_t *heard_ms = &it->heard_ms[process->index];
        if (*heard_ms > 0 && now_ms - *heard_ms >= LEASE_MS - SLACK_MS)
            it->back_ms[process->index] = now_ms;
        *heard_ms = now_ms;
    }
}

static void name_of(char ret_name[48], struct ss_attempt attempt)
{
    snprintf(ret_name, 48, "%llu %llu", (unsigned long long)attempt.epoch,
        (unsigned long long)attempt.dispatch);
}

static void know(struct coordinator *it, const char *root)
{
    struct limits_seen *seen = seen_of(it->process.world);
    struct owner *giver = ss_zalloc(1, sizeof(*giver));
    *giver = (struct owner){it, it->process.life, it->process.world->now_ms};
    ss_free(ss_map_put(&seen->givers, root, giver));
    ss_map_remove(&seen->lost, root);
}

// One that was a worker's before, who asks for it once more, is no other one.
static void count_sent(
    struct coordinator *it, const struct ss_assignment *order)
{
    struct world *world = it->process.world;
    struct limits_seen *seen = seen_of(world);
    const struct plan *plan = world_plan(world, order);
    const struct ss_graph *graph = plan->versions[VERSIONS - 1].graph;
    size_t node = graph ? ss_graph_node(graph, order->node) : SS_NONE;
    if (world->climate.limit_per_ms == 0 || order->kind != SS_ORDER_NODE ||
        order->attempt.dispatch <= it->given || node == SS_NONE ||
        graph->nodes[node].limits.count == 0)
        return;
    SS_VEC_PUSH(&seen->sent, world->now_ms);
    while (seen->sent.items[0] + world->climate.limit_per_ms <= world->now_ms)
        SS_VEC_REMOVE(&seen->sent, 0);
    if (seen->sent.count > world->climate.limit)
        violated(world, "%u tasks of a rate of %u are sent in %u ms",
            (unsigned)seen->sent.count, (unsigned)world->climate.limit,
            (unsigned)world->climate.limit_per_ms);
}

void limits_told(struct coordinator *it, const struct ss_command *command)
{
    char name[48], held[48];
    struct world *world = it->process.world;
    if (world->climate.limit == 0)
        return;
    struct limits_seen *seen = seen_of(world);
    if (command->type == SS_COMMAND_DISPATCH) {
        count_sent(it, command->order);
        name_of(name, command->order->attempt);
        know(it, name);
    } else if (command->type == SS_COMMAND_ADOPT) {
        name_of(name, command->attempt);
        name_of(held, command->held);
        const char *root = ss_map_get(&seen->roots, held);
        char *copy = ss_strdup(root ? root : held);
        ss_free(ss_map_put(&seen->roots, name, copy));
        know(it, copy);
    }
}

// ------------------------------------------------------------------ counting

// By that limit; NULL: by any.
static bool is_limited(const struct worker *it,
    const struct ss_assignment *order, const char *name)
{
    const struct ss_graph *graph = versions_serve(it, order);
    if (order->kind != SS_ORDER_NODE || strcmp(order->graph, graph->name) != 0)
        return false;
    size_t index = ss_graph_node(graph, order->node);
    const struct ss_node *node = index == SS_NONE ? NULL : &graph->nodes[index];
    bool is_any = node && !name && node->limits.count > 0;
    for (size_t i = 0; node && name && i < node->limits.count; i++)
        is_any |= strcmp(node->limits.items[i].name, name) == 0;
    return is_any;
}

// Does the owner of its shard know of it no more, at such a time?
static bool is_given_up(
    const struct worker *it, const struct body *body, int64_t now_ms)
{
    const struct limits_seen *seen = it->process.world->limits;
    const struct owner *owner = &seen->owners[ss_shard_of(body->order->thread)];
    char name[48];
    name_of(name, body->order->attempt);
    const struct owner *giver = ss_map_get(&seen->givers, name);
    bool is_known =
        giver && giver->it == owner->it && giver->life == owner->life;
    if (ss_map_get(&seen->lost, name))
        return true;
    // Given up with its worker, until somebody takes it over.
    if (is_known && giver->since_ms < owner->it->back_ms[it->process.index])
        return true;
    int64_t from_ms =
        is_known ? owner->it->heard_ms[it->process.index] : owner->since_ms;
    return now_ms - from_ms >= LEASE_MS - SLACK_MS;
}

static bool counts(
    const struct worker *it, const struct body *body, const char *limit)
{
    const struct world *world = it->process.world;
    uint16_t shard = ss_shard_of(body->order->thread);
    return body->has_begun && !body->is_hung && !body->is_stopped &&
           world->limits->owners[shard].it &&
           is_limited(it, body->order, limit) &&
           !is_given_up(it, body, world->now_ms);
}

// ------------------------------------------------------------------ owners

// What the owner of that shard had given up when it last did anything stays so
// for whoever comes next.
static void keep_lost(
    struct worker *it, const struct body *body, const struct owner *owner)
{
    struct limits_seen *seen = it->process.world->limits;
    char name[48];
    name_of(name, body->order->attempt);
    if (is_given_up(it, body, owner->it->turned_ms))
        ss_map_put(&seen->lost, name, seen);
}

// `shards` NULL: all of them.
static void ends_to_own(
    struct coordinator *it, uint64_t life, const struct ss_shards *shards)
{
    struct world *world = it->process.world;
    for (size_t i = 0; i < world->climate.workers; i++) {
        struct worker *worker = &world->workers[i];
        for (size_t k = 0; k < worker->bodies.count; k++) {
            const struct body *body = &worker->bodies.items[k];
            uint16_t shard = ss_shard_of(body->order->thread);
            const struct owner *owner = &world->limits->owners[shard];
            if (owner->it == it && owner->life == life &&
                (!shards || ss_shards_have(shards, shard)))
                keep_lost(worker, body, owner);
        }
    }
}

void limits_stop(struct coordinator *it)
{
    if (it->process.world->limits)
        ends_to_own(it, it->process.life, NULL);
}

void limits_read(struct coordinator *it, const struct ss_shards *shards)
{
    struct world *world = it->process.world;
    struct limits_seen *seen = seen_of(world);
    for (size_t i = 0; i < world->climate.coordinators; i++)
        if (world->coordinators[i].process.is_alive)
            ends_to_own(&world->coordinators[i],
                world->coordinators[i].process.life, shards);
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(shards, i))
            seen->owners[i] =
                (struct owner){it, it->process.life, world->now_ms};
}

// ------------------------------------------------------------------ checking

static void tell_body(struct world *world, const struct worker *it,
    const struct ss_assignment *order)
{
    tell(world, "%s runs %s of %s, attempt %llu %llu", it->process.name,
        order->node, order->thread, (unsigned long long)order->attempt.epoch,
        (unsigned long long)order->attempt.dispatch);
}

// `tells`: of each of them.
static uint32_t count_bodies(struct world *world, const char *limit, bool tells)
{
    uint32_t count = 0;
    for (size_t i = 0; i < world->climate.workers; i++) {
        const struct worker *it = &world->workers[i];
        for (size_t k = 0; it->process.is_alive && k < it->bodies.count; k++) {
            if (!counts(it, &it->bodies.items[k], limit))
                continue;
            count++;
            if (tells)
                tell_body(world, it, it->bodies.items[k].order);
        }
    }
    return count;
}

// `limit` NULL: that of all nodes.
static void check_one(struct worker *it, const struct body *body,
    const char *limit, uint32_t most)
{
    struct world *world = it->process.world;
    if (most == 0 || !world->limits || !counts(it, body, limit) ||
        count_bodies(world, limit, false) <= most)
        return;
    uint32_t count = count_bodies(world, limit, true);
    violated(world, "%u bodies of a limit of %u are under way, with %s of %s",
        (unsigned)count, (unsigned)most, body->order->node,
        body->order->thread);
}

void limits_begin(struct worker *it, const struct body *body)
{
    const struct climate *climate = &it->process.world->climate;
    if (climate->limit_per_ms == 0)
        check_one(it, body, NULL, climate->limit);
    check_one(it, body, ALSO, climate->limit_also);
}
