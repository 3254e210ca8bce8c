// execute.c - run one order to its outcome.
#include "worker/execute.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/compare.h"
#include "common/model/value.h"
#include "worker/task.h"

static struct ss_outcome *outcome_for(const struct ss_assignment *order)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = order->attempt;
    memcpy(outcome->task_id, order->task_id, sizeof(outcome->task_id));
    return outcome;
}

struct ss_outcome *ss_outcome_failed(const struct ss_assignment *order,
    int code, enum ss_retryable retryable, const char *format, ...)
{
    char text[SS_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    struct ss_outcome *outcome = outcome_for(order);
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = code;
    outcome->retryable = retryable;
    outcome->message = ss_strdup(text);
    return outcome;
}

// ------------------------------------------------------------------ body

// Call the body. True: what it returned counts. False: the body failed, and the
// outcome says why.
static bool run_body(struct ss_task *task, const struct ss_bound_node *node)
{
    int result = node->body(task);
    struct ss_outcome *outcome = task->outcome;
    bool asked = outcome->question != NULL;
    if (!task->failed && !asked && result != 0 && ss_cancelled(task)) {
        outcome->kind = SS_OUTCOME_CANCELLED;
        return false;
    }
    if (!task->failed && !asked && result == SS_INTERRUPTED)
        ss_task_fail(task, SS_ENODE, NULL, SS_RETRY_NO,
            "node \"%s\": it returned SS_INTERRUPTED, but asked nothing",
            task->order->node);
    else if (!task->failed && !asked && result != 0)
        ss_task_fail(task, SS_ENODE, NULL, SS_RETRY_DEFAULT,
            "node \"%s\": it returned %d; ss_fail() can say why",
            task->order->node, result);
    if (task->failed) {
        outcome->kind = SS_OUTCOME_FAILED;
        json_decref(outcome->question);
        outcome->question = NULL;
        return false;
    }
    if (asked)
        outcome->kind = SS_OUTCOME_INTERRUPTED;
    return !asked;
}

// ------------------------------------------------------------------ writers

static void fail_from(struct ss_task *task, const struct ss_error *error)
{
    // A failure that a router recorded itself has more than the error: kind,
    // retries.
    ss_task_fail(
        task, error->status, NULL, SS_RETRY_DEFAULT, "%s", error->message);
    task->outcome->kind = SS_OUTCOME_FAILED;
}

// Whoever encodes a value calls itself for each level: one that has too many,
// or holds itself, ends here.
static int check_depth(const char *what, const char *name,
    struct ss_value *value, struct ss_error *error)
{
    struct ss_error inner;
    if (ss_value_valid(value, &inner) == SS_OK)
        return SS_OK;
    return ss_error_set(error, SS_EUPDATE,
        "%s \"%s\": %s; does it hold itself?", what, name, inner.message);
}

static int check_depths(const struct ss_task *task, struct ss_error *error)
{
    const struct ss_writes *writes = &task->outcome->writes;
    int status = SS_OK;
    for (size_t i = 0; status == SS_OK && i < writes->count; i++)
        status = check_depth("what was written to", writes->items[i].channel,
            writes->items[i].value, error);
    return status;
}

// What the body wrote must be what its keys hold.
static int check_types(const struct ss_task *task, struct ss_error *error)
{
    const struct ss_graph *graph = task->graph->graph;
    const struct ss_writes *writes = &task->outcome->writes;
    for (size_t i = 0; i < writes->count; i++) {
        const struct ss_write *write = &writes->items[i];
        size_t channel = ss_write_channel(graph, write);
        const char *holds;
        size_t size;
        if (channel == SS_NONE || !task->graph->typed[channel] ||
            ss_channel_takes(
                &graph->channels[channel], ss_value_json(write->value), &holds))
            continue;
        const char *text = ss_value_text(write->value, &size);
        return ss_error_set(error, SS_EUPDATE,
            "node \"%s\": key \"%s\" holds %s, and got %s: %.*s",
            graph->nodes[task->node].name, write->channel, holds,
            ss_type_text(ss_value_json(write->value)),
            size > 200 ? 200 : (int)size, text);
    }
    return SS_OK;
}

static void run_writers(struct ss_task *task, json_t *returned)
{
    const struct ss_graph *graph = task->graph->graph;
    struct ss_outcome *outcome = task->outcome;
    struct ss_writer_hooks hooks = ss_task_writer_hooks;
    struct ss_error error;
    json_t *parent = NULL;
    bool is_by_body = task->order->kind == SS_ORDER_NODE &&
                      task->graph->nodes[task->node].body;
    hooks.ctx = task;
    if (!is_by_body)
        hooks.warn = NULL;
    int status = ss_writers_run(graph, &graph->nodes[task->node], returned,
        &task->order->fresh, &hooks, task->order->task_id, &outcome->writes,
        &parent, &error);
    if (status == SS_OK)
        status = check_depths(task, &error);
    if (status == SS_OK && is_by_body)
        status = check_types(task, &error);
    if (status != SS_OK) {
        ss_writes_fini(&outcome->writes);
        fail_from(task, &error);
    } else if (parent) {
        outcome->kind = SS_OUTCOME_PARENT;
        outcome->parent = parent;
    }
}

// Asked as late as possible: a process may be suspended anywhere before.
static bool may_begin(const struct ss_task *task)
{
    const struct ss_execute_hooks *hooks = task->hooks;
    return !hooks->may_begin || hooks->may_begin(hooks->ctx, task->order);
}

// False: its body may not begin.
static bool run_node(struct ss_task *task)
{
    const struct ss_assignment *order = task->order;
    const struct ss_node *node = &task->graph->graph->nodes[task->node];
    const struct ss_bound_node *bound = &task->graph->nodes[task->node];
    json_t *returned;
    if (order->kind == SS_ORDER_WRITERS) {
        returned = order->returned ? json_incref(ss_value_json(order->returned))
                                   : json_null();
    } else if (!node->has_body || !bound->body) {
        returned = json_incref(ss_task_input(task));
    } else {
        if (!may_begin(task))
            return false;
        if (!run_body(task, bound))
            return true;
        returned = ss_task_returned(task);
        if (order->want_messages) {
            json_t *given = ss_messages_collect(
                order->task_id, returned, &task->outcome->messages);
            json_decref(returned);
            returned = given;
        }
    }
    run_writers(task, returned);
    json_decref(returned);
    return true;
}

static void run_fold(struct ss_task *task)
{
    const struct ss_assignment *order = task->order;
    const struct ss_bound_graph *graph = task->graph;
    const char *name = order->fold.channel ? order->fold.channel : "";
    size_t channel = ss_graph_channel(graph->graph, name);
    struct ss_error error;
    json_t *result = NULL;
    int status;
    if (channel == SS_NONE || !graph->reducers[channel].function)
        status = ss_error_set(&error, SS_ENOTFOUND,
            "this worker has no reducer for key \"%s\" of graph %s", name,
            order->graph);
    else
        status = ss_task_fold(&graph->reducers[channel], name,
            order->fold.value ? ss_value_json(order->fold.value) : NULL,
            order->fold.writes, &result, &error);
    if (status == SS_OK) {
        task->outcome->folded = ss_value_new(result);
        status = check_depth(
            "the reducer of key", name, task->outcome->folded, &error);
    }
    if (status != SS_OK)
        fail_from(task, &error);
}

// ------------------------------------------------------------------ orders

// The graph of `order`, or NULL and *ret_refusal: an outcome that says why not.
static const struct ss_bound_graph *find_graph(
    const struct ss_application *application, const struct ss_assignment *order,
    struct ss_outcome **ret_refusal)
{
    const struct ss_root_graph *root =
        ss_application_find(application, order->app_graph);
    if (!root) {
        *ret_refusal = ss_outcome_failed(order, SS_ENOTFOUND, SS_RETRY_DEFAULT,
            "this worker does not serve graph \"%s\"", order->app_graph);
        return NULL;
    }
    if (order->version && *order->version &&
        strcmp(order->version, root->graph->version) != 0) {
        *ret_refusal = ss_outcome_failed(order, SS_EVERSION, SS_RETRY_DEFAULT,
            "this worker serves graph \"%s\" in version %s, not %s",
            order->app_graph, root->graph->version, order->version);
        return NULL;
    }
    const struct ss_bound_graph *graph =
        ss_application_bound(root, order->graph);
    if (!graph)
        *ret_refusal = ss_outcome_failed(order, SS_ENOTFOUND, SS_RETRY_DEFAULT,
            "graph \"%s\" has no graph \"%s\" inside", order->app_graph,
            order->graph);
    return graph;
}

// The thread ends in the midst of a body, router or reducer: nobody would ever
// hear of the task again, and nothing can be returned from here. It is a crash,
// which is told at once.
static void on_thread_end(void *ctx)
{
    const struct ss_assignment *order = ctx;
    bool is_fold = order->kind == SS_ORDER_FOLD;
    fprintf(stderr,
        "%s \"%s\" of graph \"%s\" ended its thread (pthread_exit, or a"
        " pthread_cancel of it): it has to return\n",
        is_fold ? "the reducer of key" : "node",
        is_fold ? (order->fold.channel ? order->fold.channel : "")
                : order->node,
        order->graph);
    abort();
}

// A body that forks: its child may run another program, or end; if it came back
// from the body, there were two that go on with the task, with one connection.
static _Thread_local bool is_in_body, is_child;

static void on_fork(void)
{
    is_child = is_in_body;
}

static void watch_forks(void)
{
    ss_check(pthread_atfork(NULL, NULL, on_fork) == 0);
}

static void end_child(const struct ss_assignment *order)
{
    static const char text[] = ": a child process that it forked came back from"
                               " the body; it has to end, with _exit()\n";
    const char *node = order->node ? order->node : "a reducer";
    (void)!write(STDERR_FILENO, node, strlen(node));
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(1);
}

// A body may run a graph of its own in this thread (superstep/local.h): behind
// that, the thread is in the outer body as before.
static void run_task(struct ss_task *task)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    ss_check(pthread_once(&once, watch_forks) == 0);
    bool was_in_body = is_in_body, was_child = is_child;
    is_in_body = true;
    is_child = false;
    pthread_cleanup_push(on_thread_end, (void *)task->order);
    if (task->order->kind == SS_ORDER_FOLD)
        run_fold(task);
    else if (!run_node(task))
        ss_outcome_destroy(&task->outcome); // its body may not begin
    pthread_cleanup_pop(0);
    if (is_child)
        end_child(task->order);
    is_in_body = was_in_body;
    is_child = was_child;
}

struct ss_outcome *ss_execute(const struct ss_application *application,
    const struct ss_assignment *order, const struct ss_execute_hooks *hooks)
{
    static const struct ss_execute_hooks no_hooks;
    struct ss_outcome *outcome = NULL;
    const struct ss_bound_graph *graph =
        find_graph(application, order, &outcome);
    if (!graph)
        return outcome;
    size_t node = order->kind == SS_ORDER_FOLD
                      ? 0
                      : ss_graph_node(graph->graph, order->node);
    if (node == SS_NONE)
        return ss_outcome_failed(order, SS_ENOTFOUND, SS_RETRY_DEFAULT,
            "graph \"%s\" of this worker has no node \"%s\"", order->graph,
            order->node);
    struct ss_task task = {.order = order,
        .graph = graph,
        .node = node,
        .hooks = hooks ? hooks : &no_hooks,
        .outcome = outcome_for(order)};
    run_task(&task);
    ss_task_fini(&task);
    return task.outcome;
}
