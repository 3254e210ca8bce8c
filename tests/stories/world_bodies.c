// world_bodies.c - what the workers of the world do: bodies are functions of
// the test, writers are the real ones.
#include <check.h>
#include <string.h>

#include "common/model/writers.h"
#include "tests/stories/world_impl.h"

static struct {
    struct ss_map bodies; // node -> struct body *
    struct ss_map routes;
    struct ss_map folds;
} known;

// A function in a map.
struct body {
    body_fn *body;
    route_fn *route;
    fold_fn *fold;
};

void bodies_begin(void)
{
    memset(&known, 0, sizeof(known));
}

void bodies_end(void)
{
    ss_map_fini(&known.bodies, ss_free);
    ss_map_fini(&known.routes, ss_free);
    ss_map_fini(&known.folds, ss_free);
}

static void put(struct ss_map *map, const char *name, struct body body)
{
    struct body *entry = ss_map_get(map, name);
    if (!entry) {
        entry = ss_zalloc(1, sizeof(*entry));
        ss_map_put(map, name, entry);
    }
    *entry = body;
}

void world_body(const char *node, body_fn *body)
{
    put(&known.bodies, node, (struct body){.body = body});
}

void world_route(const char *node, route_fn *route)
{
    put(&known.routes, node, (struct body){.route = route});
}

void world_fold(const char *reducer, fold_fn *fold)
{
    put(&known.folds, reducer, (struct body){.fold = fold});
}

// ------------------------------------------------------------------ in a body

json_t *says(const char *word)
{
    return json_pack("{s:[s]}", "x", word);
}

json_t *visit_ask(struct visit *visit, const char *question)
{
    const struct ss_assignment *order = visit->order;
    struct ss_outcome *outcome = visit->outcome;
    json_t *answer = json_array_get(order->given.answers, visit->asked);
    if (!answer && order->given.plain && !outcome->took_plain) {
        answer = ss_value_json(order->given.plain);
        outcome->took_plain = true;
    }
    if (answer) {
        visit->asked++;
        if (!outcome->answers)
            outcome->answers = json_array();
        json_array_append(outcome->answers, answer);
        return answer;
    }
    outcome->kind = SS_OUTCOME_INTERRUPTED;
    outcome->question = question ? json_pack("{s:s}", "value", question)
                                 : json_object(); // a worker that is not ours
    return NULL;
}

json_t *visit_fail(struct visit *visit, int code, const char *kind,
    enum ss_retryable retryable, const char *message)
{
    struct ss_outcome *outcome = visit->outcome;
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = code;
    outcome->error_kind = ss_strdup(kind);
    outcome->retryable = retryable;
    outcome->message = ss_strdup(message);
    return NULL;
}

json_t *visit_vanish(struct visit *visit)
{
    world.vanishes = true;
    return visit_fail(visit, SS_ENODE, NULL, SS_RETRY_NO, "nobody hears it");
}

void visit_show(struct visit *visit, enum ss_live_kind kind, const char *text)
{
    world_live(visit->order, kind, js(text));
}

// ------------------------------------------------------------------ writers

static int route(void *ctx, const struct ss_node *node, size_t branch,
    json_t *state, json_t **ret_answer, struct ss_error *error)
{
    (void)ctx;
    struct body *body = ss_map_get(&known.routes, node->name);
    if (!body)
        ck_abort_msg("nobody routes from %s", node->name);
    *ret_answer = body->route(node->branches[branch].name, state);
    if (*ret_answer)
        return SS_OK;
    return ss_error_set(error, SS_ENODE, "the router of %s failed", node->name);
}

static int fold(void *ctx, const struct ss_channel_spec *channel, json_t *value,
    json_t *const *writes, size_t count, json_t **ret_value,
    struct ss_error *error)
{
    (void)ctx;
    struct body *body = ss_map_get(&known.folds, channel->reducer_name);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append(list, writes[i]);
    *ret_value = body->fold(value, list);
    json_decref(list);
    return *ret_value ? SS_OK
                      : ss_error_set(error, SS_ENODE, "the reducer failed");
}

// A raw node's mapped write adds its channel's name to what was returned.
static int map(void *ctx, const struct ss_node *node, size_t write,
    json_t *returned, json_t **ret_value, struct ss_error *error)
{
    (void)ctx;
    (void)error;
    *ret_value = json_pack("[O, s]", returned, node->raw_writes[write].channel);
    return SS_OK;
}

static void fail_from(struct ss_outcome *outcome, const struct ss_error *error)
{
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = error->status;
    outcome->message = ss_strdup(error->message);
}

static void run_writers(const struct ss_graph *graph,
    const struct ss_node *node, struct visit *visit, json_t *returned)
{
    struct ss_outcome *outcome = visit->outcome;
    struct ss_writer_hooks hooks = {.route = route, .map = map, .fold = fold};
    struct ss_error error = {0};
    json_t *parent = NULL;
    int status = ss_writers_run(graph, node, returned, &visit->order->fresh,
        &hooks, visit->order->task_id, &outcome->writes, &parent, &error);
    if (status != SS_OK) {
        fail_from(outcome, &error);
    } else if (parent) {
        outcome->kind = SS_OUTCOME_PARENT;
        outcome->parent = parent;
    }
}

// ------------------------------------------------------------------ orders

static const struct ss_graph *find_graph(
    const struct ss_graph *graph, const char *name)
{
    if (strcmp(graph->name, name) == 0)
        return graph;
    for (size_t i = 0; i < graph->nodes_count; i++) {
        const struct ss_graph *found =
            graph->nodes[i].subgraph
                ? find_graph(graph->nodes[i].subgraph, name)
                : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static void run_fold(const struct ss_graph *graph, struct visit *visit)
{
    const struct ss_assignment *order = visit->order;
    size_t channel = ss_graph_channel(graph, order->fold.channel);
    struct body *body =
        ss_map_get(&known.folds, graph->channels[channel].reducer_name);
    json_t *result =
        body->fold(order->fold.value ? ss_value_json(order->fold.value) : NULL,
            order->fold.writes);
    if (result)
        visit->outcome->folded = ss_value_new(result);
    else
        visit_fail(visit, SS_ENODE, NULL, SS_RETRY_NO, "the reducer failed");
}

static json_t *returned_by(struct visit *visit)
{
    const struct ss_assignment *order = visit->order;
    const struct body *body = ss_map_get(&known.bodies, order->node);
    if (order->kind == SS_ORDER_WRITERS)
        return json_incref(ss_value_json(order->returned));
    return body && body->body ? body->body(visit) : says(order->node);
}

struct ss_outcome *bodies_run(
    const struct ss_assignment *order, const struct ss_graph *root)
{
    const struct ss_graph *graph = find_graph(root, order->graph);
    struct visit visit = {.order = order, .outcome = ss_outcome_new()};
    visit.outcome->attempt = order->attempt;
    memcpy(visit.outcome->task_id, order->task_id, SS_UUID_SIZE);
    ck_assert_ptr_nonnull(graph);
    if (order->kind == SS_ORDER_FOLD) {
        run_fold(graph, &visit);
        return visit.outcome;
    }
    const struct ss_node *node =
        &graph->nodes[ss_graph_node(graph, order->node)];
    visit.input = order->input ? ss_value_json(order->input) : json_null();
    json_t *returned = returned_by(&visit);
    if (returned)
        run_writers(graph, node, &visit, returned);
    json_decref(returned);
    return visit.outcome;
}

size_t world_attempts_of(const char *node)
{
    size_t all = 0, count = 0;
    const struct attempt_made *made = world_attempts(&all);
    for (size_t i = 0; i < all; i++)
        count += strcmp(made[i].node, node) == 0;
    return count;
}
