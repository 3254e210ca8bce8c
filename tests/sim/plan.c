// plan.c - drawing a graph. Nodes are called a, b, c...; edges lead to later
// ones, so that there is an end; only routers go back, and only while there is
// little.
#include "tests/sim/plan.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/reserved.h"

static uint64_t below(struct ss_prng *dice, uint64_t bound)
{
    return ss_prng_below(dice, bound);
}

static bool chance(struct ss_prng *dice, unsigned percent)
{
    return below(dice, 100) < percent;
}

static unsigned bit(size_t index)
{
    return 1u << index;
}

// ------------------------------------------------------------------ drawing

// Some of the nodes behind node `index`.
static unsigned some_after(const struct plan *plan, size_t index,
    unsigned percent, struct ss_prng *dice)
{
    unsigned bits = 0;
    for (size_t i = index + 1; i < plan->count; i++)
        if (chance(dice, percent))
            bits |= bit(i);
    return bits;
}

static bool is_plain(const struct role *role)
{
    return !role->inner;
}

static void draw_sends(struct plan *plan, size_t index, struct ss_prng *dice)
{
    struct role *role = &plan->roles[index];
    if (index + 1 >= plan->count)
        return;
    size_t to = index + 1 + below(dice, plan->count - index - 1);
    if (!is_plain(&plan->roles[to]))
        return;
    role->sends_to = (int)to;
    role->sends = 1 + (uint32_t)below(dice, 4);
}

// What a node is beside its edges: one thing or another.
static void draw_role(struct plan *plan, size_t index, struct ss_prng *dice)
{
    struct role *role = &plan->roles[index];
    uint64_t kind = below(dice, 100);
    if (kind < 16)
        role->questions = 1 + (uint32_t)below(dice, QUESTIONS_MAX);
    else if (kind < 28)
        role->failures = 1 + (uint32_t)below(dice, 2);
    else if (kind < 33)
        role->hangs = true;
    else if (kind < 48)
        draw_sends(plan, index, dice);
    else if (kind < 58)
        role->gotos = some_after(plan, index, 50, dice);
    else if (kind < 66) {
        role->breaks = true;
        role->gotos = some_after(plan, index, 60, dice);
    }
    if (chance(dice, 30)) {
        role->routes = some_after(plan, index, 40, dice);
        if (chance(dice, 60))
            role->back = (int)below(dice, index + 1);
    }
}

// What a result is kept for must decide it: a node that is sent to has a router
// that reads what it does not read itself.
static void draw_caches(struct plan *plan, struct ss_prng *dice)
{
    unsigned sent = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->roles[i].sends_to >= 0)
            sent |= bit((size_t)plan->roles[i].sends_to);
    plan->cached_ms = chance(dice, 50) ? 0 : 200 + (uint32_t)below(dice, 8000);
    for (size_t i = 0; i < plan->count; i++) {
        struct role *role = &plan->roles[i];
        role->is_cached = is_plain(role) && !role->questions && !role->breaks &&
                          !(sent & bit(i)) && chance(dice, 25);
    }
}

static void draw_edges(struct plan *plan, size_t index, struct ss_prng *dice)
{
    struct role *role = &plan->roles[index];
    bool routes = role->routes || role->back >= 0;
    if (!routes || chance(dice, 30))
        role->edges = some_after(plan, index, 35, dice);
    role->is_last = !role->edges && !routes;
}

// Nobody is out of reach; some wait for several.
static void draw_ways_in(struct plan *plan, struct ss_prng *dice)
{
    plan->roles[0].is_first = true;
    for (size_t to = 1; to < plan->count; to++) {
        unsigned in = 0;
        size_t count = 0;
        for (size_t i = 0; i < to; i++)
            if (plan->roles[i].edges & bit(to)) {
                in |= bit(i);
                count++;
            }
        if (count == 0 && chance(dice, 30)) {
            plan->roles[to].is_first = true;
        } else if (count == 0) {
            struct role *from = &plan->roles[below(dice, to)];
            from->edges |= bit(to);
            from->is_last = false;
        } else if (count > 1 && plan->joins_count < JOINS_MAX &&
                   chance(dice, 60)) {
            plan->joins[plan->joins_count++] = (struct join){in, to};
            for (size_t i = 0; i < to; i++)
                plan->roles[i].edges &= ~bit(to);
        }
    }
}

static struct plan *draw_inner(const char *name, struct ss_prng *dice);

uint32_t plan_questions(const struct plan *plan)
{
    uint32_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += plan->roles[i].inner ? plan_questions(plan->roles[i].inner)
                                      : plan->roles[i].questions;
    return count;
}

// Its questions have other ids each time, so they need a resume value without
// an id, which is for the only question.
static void silence(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct plan *inner = plan->roles[i].inner;
        if (!inner || inner->keeps != SS_CHECKPOINTER_NONE ||
            plan_questions(plan) < 2)
            continue;
        for (size_t k = 0; k < inner->count; k++)
            inner->roles[k].questions = 0;
    }
}

// A graph that keeps nothing begins anew with each answer, so it can ask one
// question, once: at its first node, which nothing leads back to.
static void simplify(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct role *role = &plan->roles[i];
        role->questions = role->questions > 0 && i == 0;
        role->sends_to = role->back = -1;
    }
}

static void draw_nodes(struct plan *plan, struct ss_prng *dice)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct role *role = &plan->roles[i];
        role->name[0] = (char)((plan->is_inner ? 'p' : 'a') + (int)i);
        role->back = role->sends_to = -1;
        if (!plan->is_inner && i > 0 && chance(dice, 14))
            role->inner =
                draw_inner((const char[]){'s', (char)('a' + (int)i), 0}, dice);
    }
    for (size_t i = 0; i < plan->count; i++)
        if (is_plain(&plan->roles[i]))
            draw_role(plan, i, dice);
    if (plan->keeps == SS_CHECKPOINTER_NONE)
        simplify(plan);
    silence(plan);
    draw_caches(plan, dice);
    for (size_t i = 0; i < plan->count; i++)
        draw_edges(plan, i, dice);
    draw_ways_in(plan, dice);
    plan->roles[plan->count - 1].is_deferred = chance(dice, 25);
    plan->busy = 4 + (uint32_t)below(dice, 16);
}

static struct plan *new_plan(const char *name, size_t count, bool is_inner)
{
    struct plan *plan = ss_zalloc(1, sizeof(*plan));
    size_t size = strlen(name);
    ss_check(size < sizeof(plan->name));
    memcpy(plan->name, name, size);
    plan->count = count;
    plan->is_inner = is_inner;
    return plan;
}

static struct plan *draw_inner(const char *name, struct ss_prng *dice)
{
    struct plan *plan = new_plan(name, 1 + below(dice, 4), true);
    uint64_t kind = below(dice, 10);
    plan->keeps = kind < 6   ? SS_CHECKPOINTER_INHERIT
                  : kind < 8 ? SS_CHECKPOINTER_KEEP
                             : SS_CHECKPOINTER_NONE;
    draw_nodes(plan, dice);
    return plan;
}

// ------------------------------------------------------------------ describing

static json_t *describe(const struct plan *plan, size_t version);

// What nodes and routers read, and people are shown.
static json_t *described_reads(const struct plan *plan)
{
    return plan->folds ? json_pack("[s, s, s, s]", "x", "n", "m", "f")
                       : json_pack("[s, s, s]", "x", "n", "m");
}

static json_t *describe_node(const struct plan *plan, const struct role *role)
{
    json_t *node = json_pack("{s:s}", "name", role->name);
    if (!plan->is_inner)
        json_object_set_new(node, "reads", described_reads(plan));
    if (role->is_cached)
        json_object_set_new(node, "cache",
            plan->cached_ms ? json_pack("{s:i}", "ttl_ms", (int)plan->cached_ms)
                            : json_object());
    if (role->is_deferred)
        json_object_set_new(node, "defer", json_true());
    if (role->inner)
        json_object_set_new(node, "subgraph", json_string(role->inner->name));
    if (role->breaks)
        json_object_set_new(node, "error_handler", json_true());
    if (role->failures || role->hangs)
        json_object_set_new(node, "retry",
            json_pack("[{s:i, s:i, s:b}]", "initial_interval_ms", 50,
                "max_attempts", 12, "jitter", 0));
    if (role->hangs)
        json_object_set_new(node, "timeout_ms", json_integer(2000));
    return node;
}

static void add_edge(json_t *edges, const char *from, const char *to)
{
    json_array_append_new(edges, json_pack("[s, s]", from, to));
}

static void describe_edges(const struct plan *plan, size_t index, json_t *edges)
{
    const struct role *role = &plan->roles[index];
    if (role->is_first)
        add_edge(edges, "__start__", role->name);
    for (size_t to = 0; to < plan->count; to++)
        if (role->edges & bit(to))
            add_edge(edges, role->name, plan->roles[to].name);
    if (role->is_last)
        add_edge(edges, role->name, "__end__");
}

static json_t *describe_join(const struct plan *plan, const struct join *join)
{
    json_t *from = json_array();
    for (size_t i = 0; i < plan->count; i++)
        if (join->from & bit(i))
            json_array_append_new(from, json_string(plan->roles[i].name));
    return json_pack("[o, s]", from, plan->roles[join->to].name);
}

static json_t *describe_key(
    const char *key, const char *type, const char *reducer)
{
    return json_pack(
        "{s:s, s:s, s:s}", "key", key, "type", type, "reducer", reducer);
}

static json_t *describe_keys(const struct plan *plan, size_t version)
{
    json_t *words = describe_key(plan->is_inner ? "y" : "x", "list", "add");
    json_t *notes = describe_key("m", "dict", "or");
    if (plan->is_inner)
        return json_pack("[o, o]", words, notes);
    json_t *keys = json_pack("[o, o, o, o, o]", words,
        describe_key("n", "int", "add"), notes, describe_key("v", "dict", "or"),
        describe_key(version ? "d" : "e", "int", "add"));
    if (plan->folds)
        json_array_append_new(keys, json_pack("{s:s, s:s, s:s}", "key", "f",
                                        "type", "str", "custom", "chain"));
    return keys;
}

static json_t *describe_insides(const struct plan *plan)
{
    json_t *insides = json_object();
    for (size_t i = 0; i < plan->count; i++)
        if (plan->roles[i].inner)
            json_object_set_new(insides, plan->roles[i].inner->name,
                describe(plan->roles[i].inner, 0));
    return insides;
}

// A node that runs beside the first ones, and leads nowhere.
static const struct role extra = {.name = "z",
    .is_first = true,
    .is_last = true,
    .is_extra = true,
    .back = -1,
    .sends_to = -1};

static json_t *describe_branch(const struct plan *plan, const struct role *role)
{
    json_t *branch =
        json_pack("{s:s, s:s}", "from", role->name, "name", "route");
    if (!plan->is_inner)
        json_object_set_new(branch, "reads", described_reads(plan));
    return branch;
}

static void add_extra(const struct plan *plan, json_t *nodes, json_t *edges)
{
    json_array_append_new(nodes, describe_node(plan, &extra));
    add_edge(edges, "__start__", extra.name);
    add_edge(edges, extra.name, "__end__");
}

static json_t *describe(const struct plan *plan, size_t version)
{
    json_t *nodes = json_array(), *edges = json_array();
    json_t *branches = json_array();
    for (size_t i = 0; i < plan->count; i++) {
        const struct role *role = &plan->roles[i];
        json_array_append_new(nodes, describe_node(plan, role));
        describe_edges(plan, i, edges);
        if (role->routes || role->back >= 0)
            json_array_append_new(branches, describe_branch(plan, role));
    }
    if (version > 0)
        add_extra(plan, nodes, edges);
    for (size_t i = 0; i < plan->joins_count; i++)
        json_array_append_new(edges, describe_join(plan, &plan->joins[i]));
    json_t *description = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
        "name", plan->name, "kind", "state", "state",
        describe_keys(plan, version), "nodes", nodes, "edges", edges,
        "branches", branches, "subgraphs", describe_insides(plan));
    if (!plan->is_inner)
        json_object_set_new(description, "output", described_reads(plan));
    if (plan->keeps != SS_CHECKPOINTER_INHERIT)
        json_object_set_new(description, "checkpointer",
            json_boolean(plan->keeps == SS_CHECKPOINTER_KEEP));
    return description;
}

// Its first node with a body has that limit, too.
static void add_also(json_t *description, const json_t *also)
{
    size_t i;
    json_t *node;
    json_array_foreach (json_object_get(description, "nodes"), i, node) {
        if (json_object_get(node, "subgraph") ||
            json_object_get(node, "error_handler"))
            continue;
        json_object_set(node, "limit", (json_t *)also);
        return;
    }
}

struct plan *plan_draw(const char *name, struct ss_prng *dice,
    const json_t *limit, const json_t *also)
{
    struct plan *plan = new_plan(name, 3 + below(dice, NODES_MAX - 3), false);
    struct ss_error error = {0};
    draw_nodes(plan, dice);
    plan->folds = chance(dice, 30);
    for (size_t i = 0; i < VERSIONS; i++) {
        struct version *it = &plan->versions[i];
        it->description = describe(plan, i);
        if (limit)
            json_object_set(it->description, "limit", (json_t *)limit);
        if (also)
            add_also(it->description, also);
        if (ss_graph_compile(it->description, &it->graph, &error) != SS_OK)
            ss_check_failed(error.message, __FILE__, __LINE__);
    }
    return plan;
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->count; i++)
        plan_free(plan->roles[i].inner);
    for (size_t i = 0; i < VERSIONS; i++) {
        ss_graph_unref(plan->versions[i].graph);
        json_decref(plan->versions[i].description);
    }
    ss_free(plan);
}

const struct plan *plan_find(const struct plan *plan, const char *graph)
{
    if (strcmp(plan->name, graph) == 0)
        return plan;
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan *inner = plan->roles[i].inner;
        if (inner && strcmp(inner->name, graph) == 0)
            return inner;
    }
    return NULL;
}

static bool is_writer(const struct role *role, bool is_last)
{
    return is_plain(role) && !role->breaks && (!is_last || role->is_last);
}

size_t plan_count_writers(const struct plan *plan, bool is_last)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        count += is_writer(&plan->roles[i], is_last);
    return count;
}

size_t plan_writer(const struct plan *plan, bool is_last, uint64_t hash)
{
    size_t count = plan_count_writers(plan, is_last), i = 0;
    ss_check(count > 0);
    size_t skip = (size_t)(hash % count);
    while (!is_writer(&plan->roles[i], is_last) || skip-- > 0)
        i++;
    return i;
}

bool plan_is_extra(const char *node)
{
    return strcmp(node, extra.name) == 0;
}

const struct role *plan_role(
    const struct plan *plan, const char *node, bool *ret_is_handler)
{
    bool is_handler =
        strncmp(node, SS_NAME_HANDLER, strlen(SS_NAME_HANDLER)) == 0;
    if (is_handler)
        node += strlen(SS_NAME_HANDLER);
    if (ret_is_handler)
        *ret_is_handler = is_handler;
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->roles[i].name, node) == 0)
            return &plan->roles[i];
    return !plan->is_inner && strcmp(node, extra.name) == 0 ? &extra : NULL;
}
