// route.c - the author's routers, mapped writes and reducers, as the writers of
// a task call them.
#include "common/base/mem.h"
#include "common/model/channel.h"
#include "worker/limits.h"
#include "worker/task.h"

// ------------------------------------------------------------------ the API

json_t *ss_state(struct ss_route *route)
{
    return route->state;
}

json_t *ss_state_get(struct ss_route *route, const char *key)
{
    return json_object_get(route->state, key);
}

const char *ss_state_str(struct ss_route *route, const char *key)
{
    return json_string_value(ss_state_get(route, key));
}

int64_t ss_state_int(struct ss_route *route, const char *key)
{
    return json_integer_value(ss_state_get(route, key));
}

double ss_state_float(struct ss_route *route, const char *key)
{
    return json_number_value(ss_state_get(route, key));
}

bool ss_state_bool(struct ss_route *route, const char *key)
{
    return json_is_true(ss_state_get(route, key));
}

void *ss_route_ctx(struct ss_route *route)
{
    return route->ctx;
}

static void pick(struct ss_route *route, json_t *item)
{
    if (!route->picks)
        route->picks = json_array();
    json_array_append_new(route->picks, item);
}

int ss_route_to(struct ss_route *route, const char *node)
{
    json_t *name = json_string(node);
    if (!ss_task_names_node(route->task, "ss_route_to", name))
        return SS_FAILED;
    pick(route, name);
    return 0;
}

int ss_route_send(struct ss_route *route, const char *node, json_t *input)
{
    if (!input)
        return ss_route_fail(route, NULL,
            "ss_route_send: its input is NULL; did json_pack() refuse its "
            "format?");
    json_t *name = json_string(node);
    if (!ss_task_names_node(route->task, "ss_route_send", name)) {
        json_decref(input);
        return SS_FAILED;
    }
    json_t *send = json_object(), *mark = json_object();
    json_object_set_new_nocheck(send, "node", name);
    json_object_set_new_nocheck(send, "arg", input);
    json_object_set_new_nocheck(mark, "$send", send);
    pick(route, mark);
    return 0;
}

int ss_route_return(struct ss_route *route, json_t *answer)
{
    if (!answer)
        return ss_route_fail(
            route, NULL, "ss_route_return: its answer is NULL");
    json_decref(route->answer);
    route->answer = answer;
    return 0;
}

int ss_route_fail(
    struct ss_route *route, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    ss_task_fail_args(route->task, SS_ENODE, kind, SS_RETRY_YES, format, args);
    va_end(args);
    return SS_FAILED;
}

// ------------------------------------------------------------------ hooks

// The task's failure as an error that climbs through ss_writers_run().
static int climb(const struct ss_task *task, struct ss_error *error)
{
    return ss_error_set(
        error, task->outcome->code, "%s", task->outcome->message);
}

// The answer of a router, from all of its calls: a single name, otherwise a
// list. A router that picked nothing leads nowhere.
static json_t *route_answer(struct ss_route *route)
{
    if (!route->picks && route->answer)
        return json_incref(route->answer);
    if (!route->picks)
        return json_array();
    if (json_is_array(route->answer))
        json_array_extend(route->picks, route->answer);
    else if (route->answer)
        json_array_append(route->picks, route->answer);
    if (json_array_size(route->picks) == 1)
        return json_incref(json_array_get(route->picks, 0));
    return json_incref(route->picks);
}

static int call_router(void *ctx, const struct ss_node *node, size_t branch,
    json_t *state, json_t **ret_answer, struct ss_error *error)
{
    struct ss_task *task = ctx;
    const struct ss_bound_router *router =
        &task->graph->nodes[task->node].routers[branch];
    struct ss_route route = {.task = task, .state = state, .ctx = router->ctx};
    int result = router->function(&route);
    if (result != 0)
        ss_task_fail(task, SS_ENODE, NULL, SS_RETRY_DEFAULT,
            "node \"%s\": the router \"%s\" returned %d", node->name,
            node->branches[branch].name, result);
    int status = SS_OK;
    if (task->failed)
        status = climb(task, error);
    else
        *ret_answer = route_answer(&route);
    json_decref(route.answer);
    json_decref(route.picks);
    return status;
}

static int call_write(void *ctx, const struct ss_node *node, size_t write,
    json_t *returned, json_t **ret_value, struct ss_error *error)
{
    struct ss_task *task = ctx;
    const struct ss_bound_write *bound =
        &task->graph->nodes[task->node].writes[write];
    struct ss_route route = {
        .task = task, .state = returned, .ctx = bound->ctx};
    json_t *value = bound->function(&route, returned);
    if (!value)
        ss_task_fail(task, SS_ENODE, NULL, SS_RETRY_DEFAULT,
            "the function of node %s for channel %s gave NULL", node->name,
            node->raw_writes[write].channel);
    json_decref(route.answer);
    json_decref(route.picks);
    if (task->failed) {
        json_decref(value);
        return climb(task, error);
    }
    *ret_value = value;
    return SS_OK;
}

int ss_task_fold(const struct ss_bound_reducer *reducer, const char *channel,
    json_t *value, json_t *writes, json_t **ret_value, struct ss_error *error)
{
    size_t count = json_array_size(writes);
    size_t overwrites = 0;
    json_t *given = NULL;
    json_t **items = ss_zalloc(count, sizeof(json_t *));
    for (size_t i = 0; i < count; i++) {
        items[i] = json_array_get(writes, i);
        if (ss_overwrite_is(items[i], &given))
            overwrites++;
    }
    int status = SS_OK;
    json_t *result = NULL;
    if (overwrites > 1)
        status = ss_error_set(error, SS_EUPDATE,
            "key \"%s\" was overwritten %zu times in one superstep; only one "
            "overwrite is allowed",
            channel, overwrites);
    else if (overwrites == 1)
        result = json_incref(given);
    else
        result = reducer->function(value, items, count, reducer->ctx);
    if (status == SS_OK && !result)
        status = ss_error_set(error, SS_EINVAL,
            "the reducer of key \"%s\" gave NULL for %zu writes", channel,
            count);
    if (status == SS_OK)
        *ret_value = result;
    ss_free(items);
    return status;
}

static int call_reducer(void *ctx, const struct ss_channel_spec *channel,
    json_t *value, json_t *const *writes, size_t count, json_t **ret_value,
    struct ss_error *error)
{
    struct ss_task *task = ctx;
    const struct ss_graph *graph = task->graph->graph;
    size_t index = ss_graph_channel(graph, channel->name);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append(list, writes[i]);
    int status = ss_task_fold(&task->graph->reducers[index], channel->name,
        value, list, ret_value, error);
    json_decref(list);
    return status;
}

static void keep_warning(void *ctx, const char *text)
{
    struct ss_outcome *outcome = ((struct ss_task *)ctx)->outcome;
    if (!outcome->warnings)
        outcome->warnings = json_array();
    if (json_array_size(outcome->warnings) < SS_TASK_WARNINGS_MAX)
        json_array_append_new(outcome->warnings, json_string(text));
}

const struct ss_writer_hooks ss_task_writer_hooks = {.route = call_router,
    .map = call_write,
    .fold = call_reducer,
    .warn = keep_warning};
