// reference.c - supersteps as the definition has them, one task after the
// other.
#include "tests/sim/reference.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum { STEPS_MAX = 2000 };

// A graph and what it remembers between inputs.
struct instance {
    const struct plan *plan;
    json_t *state;
    unsigned arrived[JOINS_MAX]; // bits of nodes
    struct instance *kept[NODES_MAX];
    uint64_t *bodies;
};

struct reference {
    struct instance *root;
    json_t *steps;
    uint64_t bodies;
};

struct task {
    size_t node;
    json_t *arg; // of a send; NULL: it was triggered
    json_t *update;
    unsigned followers;
    json_t *sends;
    size_t sends_to;
};

// What becomes of a superstep's tasks.
struct wake {
    unsigned nodes;
    unsigned deferred;
    SS_VEC(struct task) sent;
};

static struct instance *instance_new(const struct plan *plan, uint64_t *bodies)
{
    struct instance *it = ss_zalloc(1, sizeof(*it));
    it->plan = plan;
    it->bodies = bodies;
    it->state = plan->is_inner
                    ? json_pack("{s:[], s:{}}", "y", "m")
                    : json_pack("{s:[], s:i, s:{}}", "x", "n", 0, "m");
    if (plan->folds)
        json_object_set_new(it->state, "f", json_string(""));
    return it;
}

static void instance_free(struct instance *it)
{
    if (!it)
        return;
    for (size_t i = 0; i < NODES_MAX; i++)
        instance_free(it->kept[i]);
    json_decref(it->state);
    ss_free(it);
}

// ------------------------------------------------------------------ the state

// Lists grow, numbers add up, maps take what is new.
static json_t *reduced(const json_t *value, const json_t *write)
{
    if (json_is_integer(value))
        return json_integer(
            json_integer_value(value) + json_integer_value(write));
    if (json_is_string(value))
        return plan_fold(value, write);
    json_t *copy = json_copy((json_t *)value);
    if (json_is_array(value))
        json_array_extend(copy, (json_t *)write);
    else
        json_object_update(copy, (json_t *)write);
    return copy;
}

// Keys that the graph does not have are dropped. Gives.
static json_t *updated(const json_t *state, const json_t *update)
{
    json_t *next = json_copy((json_t *)state), *value;
    const char *key;
    json_object_foreach ((json_t *)state, key, value) {
        const json_t *write = json_object_get(update, key);
        if (write)
            json_object_set_new(next, key, reduced(value, write));
    }
    return next;
}

static void apply(struct instance *it, const json_t *update)
{
    json_t *next = updated(it->state, update);
    json_decref(it->state);
    it->state = next;
}

// ------------------------------------------------------------------ tasks

static void run_graph(struct instance *it, const json_t *input, json_t *steps);

static json_t *run_inner(struct instance *it, size_t node, const json_t *input)
{
    const struct plan *plan = it->plan->roles[node].inner;
    bool keeps = plan->keeps == SS_CHECKPOINTER_KEEP;
    struct instance *inner = keeps ? it->kept[node] : NULL;
    if (!inner)
        inner = instance_new(plan, it->bodies);
    run_graph(inner, input, NULL);
    json_t *output = json_incref(inner->state);
    if (keeps)
        it->kept[node] = inner;
    else
        instance_free(inner);
    return output;
}

static struct deed run_body(
    struct instance *it, const struct role *role, json_t *input)
{
    json_t *answers = json_array();
    struct deed deed = plan_deed(it->plan, role, input, answers);
    while (deed.question[0]) {
        json_array_append_new(answers, plan_answer(deed.question));
        deed = plan_deed(it->plan, role, input, answers);
    }
    json_decref(answers);
    ++*it->bodies;
    return deed;
}

static void run_task(struct instance *it, struct task *task)
{
    const struct role *role = &it->plan->roles[task->node];
    json_t *input = task->arg ? task->arg : it->state;
    task->followers = role->edges;
    if (role->inner) {
        task->update = run_inner(it, task->node, input);
    } else {
        struct deed deed = run_body(it, role, input);
        task->update = deed.update;
        task->sends = deed.sends;
        task->followers |= deed.gotos;
        if (role->breaks) { // its edges and routers are not its handler's
            task->followers = deed.gotos;
            return;
        }
    }
    if (role->routes || role->back >= 0) { // its router sees its own writes
        json_t *seen = updated(it->state, task->update);
        task->followers |= plan_route(it->plan, role, seen);
        json_decref(seen);
    }
}

// ------------------------------------------------------------------ supersteps

static void wake_node(const struct instance *it, struct wake *wake, size_t node)
{
    if (it->plan->roles[node].is_deferred)
        wake->deferred |= 1u << node;
    else
        wake->nodes |= 1u << node;
}

static void arrive(struct instance *it, size_t node)
{
    for (size_t i = 0; i < it->plan->joins_count; i++)
        if ((it->plan->joins[i].from & (1u << node)) &&
            !it->plan->roles[node].breaks)
            it->arrived[i] |= 1u << node;
}

// When all of a superstep have arrived; one that waits for the end stays
// complete until then.
static void wake_joins(struct instance *it, struct wake *wake)
{
    for (size_t i = 0; i < it->plan->joins_count; i++) {
        const struct join *join = &it->plan->joins[i];
        if (it->arrived[i] != join->from)
            continue;
        wake_node(it, wake, join->to);
        if (!it->plan->roles[join->to].is_deferred)
            it->arrived[i] = 0;
    }
}

static void end_task(struct instance *it, struct wake *wake, struct task *task)
{
    const struct role *role = &it->plan->roles[task->node];
    json_t *arg;
    size_t i;
    apply(it, task->update);
    for (size_t to = 0; to < it->plan->count; to++)
        if (task->followers & (1u << to))
            wake_node(it, wake, to);
    json_array_foreach (task->sends, i, arg)
        SS_VEC_PUSH(&wake->sent, (struct task){.node = (size_t)role->sends_to,
                                     .arg = json_incref(arg)});
    json_decref(task->update);
    json_decref(task->sends);
    json_decref(task->arg);
}

// Those that wait for everybody run when nobody else was triggered.
static void wake_deferred(struct instance *it, struct wake *wake)
{
    if (wake->nodes || !wake->deferred)
        return;
    wake->nodes = wake->deferred;
    wake->deferred = 0;
    for (size_t i = 0; i < it->plan->joins_count; i++)
        if (it->arrived[i] == it->plan->joins[i].from)
            it->arrived[i] = 0;
}

static void superstep(struct instance *it, struct wake *wake)
{
    SS_VEC(struct task) tasks = {0};
    for (size_t i = 0; i < it->plan->count; i++)
        if (wake->nodes & (1u << i))
            SS_VEC_PUSH(&tasks, (struct task){.node = i});
    for (size_t i = 0; i < wake->sent.count; i++)
        SS_VEC_PUSH(&tasks, wake->sent.items[i]);
    wake->nodes = 0;
    wake->sent.count = 0;
    for (size_t i = 0; i < tasks.count; i++)
        run_task(it, &tasks.items[i]);
    for (size_t i = 0; i < tasks.count; i++) {
        size_t node = tasks.items[i].node;
        end_task(it, wake, &tasks.items[i]);
        arrive(it, node);
    }
    wake_joins(it, wake);
    wake_deferred(it, wake);
    SS_VEC_FINI(&tasks);
}

static void run_on(struct instance *it, struct wake *wake, json_t *steps)
{
    size_t count = 0;
    if (steps)
        json_array_append(steps, it->state);
    while (wake->nodes || wake->sent.count > 0) {
        ss_check(++count < STEPS_MAX);
        superstep(it, wake);
        if (steps)
            json_array_append(steps, it->state);
    }
    SS_VEC_FINI(&wake->sent);
}

static void run_graph(struct instance *it, const json_t *input, json_t *steps)
{
    struct wake wake = {0};
    apply(it, input);
    for (size_t i = 0; i < it->plan->count; i++)
        if (it->plan->roles[i].is_first)
            wake_node(it, &wake, i);
    wake_deferred(it, &wake);
    run_on(it, &wake, steps);
}

// The superstep of one task, whose body did not run.
static void update_as(
    struct instance *it, struct wake *wake, size_t node, const json_t *update)
{
    const struct role *role = &it->plan->roles[node];
    struct task task = {.node = node,
        .update = json_incref((json_t *)update),
        .followers = role->edges};
    wake->nodes = 0;
    if (role->routes || role->back >= 0) {
        json_t *seen = updated(it->state, update);
        task.followers |= plan_route(it->plan, role, seen);
        json_decref(seen);
    }
    end_task(it, wake, &task);
    arrive(it, node);
    wake_joins(it, wake);
    wake_deferred(it, wake);
}

// ------------------------------------------------------------------ outside

struct reference *reference_new(const struct plan *plan)
{
    struct reference *reference = ss_zalloc(1, sizeof(*reference));
    reference->root = instance_new(plan, &reference->bodies);
    reference->steps = json_array();
    return reference;
}

void reference_free(struct reference *reference)
{
    if (!reference)
        return;
    instance_free(reference->root);
    json_decref(reference->steps);
    ss_free(reference);
}

void reference_run(struct reference *reference, const json_t *input)
{
    json_array_clear(reference->steps);
    reference->bodies = 0;
    run_graph(reference->root, input, reference->steps);
}

void reference_update(struct reference *reference,
    const struct reference_update *updates, size_t count)
{
    struct wake wake = {0};
    json_array_clear(reference->steps);
    reference->bodies = 0;
    for (size_t i = 0; i < count; i++)
        update_as(reference->root, &wake, updates[i].node, updates[i].values);
    run_on(reference->root, &wake, reference->steps);
}

json_t *reference_values(const struct reference *reference)
{
    return reference->root->state;
}

json_t *reference_steps(const struct reference *reference)
{
    return reference->steps;
}

uint64_t reference_bodies(const struct reference *reference)
{
    return reference->bodies;
}
