// update.c - apply the writes of one superstep, all at once (spec/engine.md 4).
//
// What a superstep makes depends on its tasks and their writes alone, never on
// who finished first: tasks are sorted by path, and everything that may fail is
// done on copies before anything changes.
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

struct ss_update_task ss_update_task(
    const struct ss_planned_task *task, const struct ss_writes *writes)
{
    struct ss_update_task seen = {.path = task->path,
        .name = task->node->name,
        .node = task->node,
        .id = task->id,
        .bumps = true,
        .writes = writes};
    if (task->kind == SS_TASK_PULL) {
        seen.triggers = task->node->triggers;
        seen.triggers_count = task->node->triggers_count;
    }
    return seen;
}

// ------------------------------------------------ one update under way

struct touch { // a channel that was written or consumed
    size_t channel;
    struct ss_channel copy;
    bool consumed, changed;
    struct ss_channel_write *writes; // in order, in the arena
    size_t count, capacity;
};

struct work {
    struct ss_machine *machine;
    struct ss_update *update;
    const struct ss_update_task **tasks; // sorted by path
    size_t count;
    struct touch *touches; // machine->touched: their places here + 1
    size_t touched;
    struct ss_arena *arena;
};

static int by_path(const void *a, const void *b)
{
    const struct ss_update_task *const *left = a, *const *right = b;
    int order = strcmp((*left)->path, (*right)->path);
    if (order == 0) // stable: the array's own order
        order = *left < *right ? -1 : *left > *right;
    return order;
}

static void sort_tasks(struct work *work)
{
    bool is_sorted = true;
    work->tasks =
        ss_arena_take(work->arena, (work->count + 1) * sizeof(*work->tasks));
    for (size_t t = 0; t < work->count; t++) {
        work->tasks[t] = &work->update->tasks[t];
        is_sorted = is_sorted && (t == 0 || strcmp(work->tasks[t - 1]->path,
                                                work->tasks[t]->path) <= 0);
    }
    if (!is_sorted)
        qsort(work->tasks, work->count, sizeof(*work->tasks), by_path);
}

static struct touch *touch(struct work *work, size_t channel)
{
    ss_check(channel < work->machine->graph->channels_count);
    uint32_t *place = &work->machine->touched[channel];
    if (*place == 0) {
        work->touches[work->touched++] = (struct touch){.channel = channel};
        *place = (uint32_t)work->touched;
    }
    return &work->touches[*place - 1];
}

static void touch_write(
    struct work *work, struct touch *it, struct ss_channel_write write)
{
    enum { FEWEST = 4 };
    if (it->count == it->capacity) {
        size_t capacity = it->capacity ? 2 * it->capacity : FEWEST;
        struct ss_channel_write *writes =
            ss_arena_take(work->arena, capacity * sizeof(*writes));
        if (it->count)
            memcpy(writes, it->writes, it->count * sizeof(*writes));
        it->writes = writes;
        it->capacity = capacity;
    }
    it->writes[it->count++] = write;
}

// A channel that was written last, by its name: many write to one.
struct written {
    const char *name;
    size_t channel; // SS_NONE: its writes are ignored
};

static size_t written_channel(const struct ss_graph *graph,
    const struct ss_write *write, struct written *last)
{
    const char *name = write->channel;
    ss_check(name);
    if (last->name && strcmp(last->name, name) == 0)
        return last->channel;
    last->name = name;
    // of what is not a channel the run warned when the task was committed
    last->channel =
        ss_name_ignored(name) ? SS_NONE : ss_write_channel(graph, write);
    return last->channel;
}

// Steps 1, 5 (who is consumed) and 6 (group writes by channel).
static void gather(struct work *work)
{
    const struct ss_graph *graph = work->machine->graph;
    struct written last = {NULL, SS_NONE};
    size_t most = 0;
    for (size_t t = 0; t < work->count; t++) {
        const struct ss_update_task *task = &work->update->tasks[t];
        most += task->triggers_count + (task->writes ? task->writes->count : 0);
    }
    most = most < graph->channels_count ? most : graph->channels_count;
    sort_tasks(work);
    work->touches =
        ss_arena_take(work->arena, (most + 1) * sizeof(*work->touches));
    for (size_t t = 0; t < work->count; t++) {
        const struct ss_update_task *task = work->tasks[t];
        for (size_t i = 0; i < task->triggers_count; i++)
            touch(work, task->triggers[i])->consumed = true;
        for (size_t w = 0; task->writes && w < task->writes->count; w++) {
            const struct ss_write *write = &task->writes->items[w];
            size_t channel = written_channel(graph, write, &last);
            if (channel != SS_NONE)
                touch_write(work, touch(work, channel),
                    (struct ss_channel_write){write->value, task->id});
        }
    }
}

// The fold of a custom reducer that a worker made, or NULL.
static struct ss_value *folded(
    const struct ss_update *update, const char *channel)
{
    for (size_t i = 0; i < update->folds_count; i++)
        if (strcmp(update->folds[i].channel, channel) == 0)
            return update->folds[i].value;
    return NULL;
}

// Whose writes to a channel did not go together: "superstep 2 (left, right)".
static void name_writers(
    const struct work *work, const struct touch *it, struct ss_error *error)
{
    enum { NAMED_MAX = 4, NAMES_SIZE_MAX = 256 };
    struct ss_buf names;
    size_t named = 0;
    ss_buf_init(&names, NAMES_SIZE_MAX);
    for (size_t t = 0; t < work->count && named < NAMED_MAX; t++)
        for (size_t w = 0; w < it->count; w++)
            if (it->writes[w].owner == work->tasks[t]->id) {
                ss_buf_addf(
                    &names, "%s%s", named++ ? ", " : "", work->tasks[t]->name);
                break;
            }
    if (named == 1 && strcmp(ss_buf_str(&names), SS_NAME_INPUT) != 0)
        ss_error_wrap(error, "node \"%s\"", ss_buf_str(&names));
    if (names.status == SS_OK && named > 1)
        ss_error_wrap(error, "superstep %lld (%s%s)",
            (long long)work->update->step, ss_buf_str(&names),
            named == NAMED_MAX ? " ..." : "");
    ss_buf_fini(&names);
}

// What a superstep may send: each is a task, with all that is kept of one.
static int check_sends(const struct ss_update *update, struct ss_channel *copy,
    struct ss_error *error)
{
    size_t count =
        ss_channel_available(copy) ? ss_value_count(ss_channel_get(copy)) : 0;
    if (count <= SS_SENDS_MAX)
        return SS_OK;
    return ss_error_set(error, SS_ELIMIT,
        "superstep %lld sends %zu tasks, and %d is the most: send fewer at a "
        "time, each of which does more",
        (long long)update->step, count, SS_SENDS_MAX);
}

// Steps 5 and 7 on copies: the only part that can fail.
static int compute(struct work *work, struct ss_error *error)
{
    struct ss_update *update = work->update;
    for (size_t s = 0; s < work->touched; s++) {
        struct touch *it = &work->touches[s];
        struct ss_channel *copy = &it->copy;
        ss_channel_copy(copy, &work->machine->channels[it->channel]);
        it->consumed = it->consumed && ss_channel_consume(copy);
        if (it->count == 0)
            continue;
        const struct ss_channel_spec *spec = copy->spec;
        struct ss_value *value = spec->reducer == SS_REDUCER_CUSTOM
                                     ? folded(update, spec->name)
                                     : NULL;
        if (spec->reducer == SS_REDUCER_CUSTOM && !value) {
            ss_check(update->is_view); // a view asks no worker
            update->not_folded = true;
        } else if (value) {
            ss_channel_set(copy, value);
            it->changed = true;
        } else if (ss_channel_update(copy, it->writes, it->count, &it->changed,
                       error) != SS_OK) {
            update->channel = it->channel;
            name_writers(work, it, error);
            return error->status;
        }
        if (it->channel == work->machine->graph->tasks_channel &&
            check_sends(update, copy, error) != SS_OK) {
            update->channel = it->channel;
            return SS_ELIMIT;
        }
    }
    return SS_OK;
}

void ss_machine_stir(struct ss_machine *machine, size_t channel)
{
    const struct ss_channel_spec *spec = &machine->graph->channels[channel];
    if (ss_channel_self_changing(&machine->channels[channel]))
        index_set_add(&machine->self_changing, channel);
    for (size_t i = 0; machine->candidates_known && i < spec->nodes_count; i++)
        index_set_add(&machine->candidates, spec->nodes[i]);
}

static void moved(struct ss_machine *machine, size_t channel, int64_t version)
{
    ss_check(version >= machine->versions[channel]);
    machine->versions[channel] = version;
    if (version > machine->version_max)
        machine->version_max = version;
    machine->changed_since_break = machine->changed_since_break_known = true;
    index_set_add(&machine->moved, channel);
    index_set_add(&machine->versioned, channel);
    ss_machine_stir(machine, channel);
}

// Step 3: what the tasks have seen.
static void mark_seen(struct work *work)
{
    struct ss_machine *machine = work->machine;
    const struct ss_graph *graph = machine->graph;
    for (size_t t = 0; t < work->count; t++) {
        const struct ss_update_task *task = work->tasks[t];
        size_t node = task->node ? (size_t)(task->node - graph->nodes)
                                 : ss_graph_node(graph, task->name);
        if (node != SS_NONE && task->triggers == graph->nodes[node].triggers) {
            ss_seen_triggers(machine, node);
            continue;
        }
        if (node != SS_NONE)
            ss_seen_entry(machine, node);
        else
            ss_seen_set(machine, task->name, NULL, 0);
        for (size_t i = 0; i < task->triggers_count; i++) {
            size_t channel = task->triggers[i];
            if (machine->versions[channel])
                ss_seen_set(machine, task->name, graph->channels[channel].name,
                    machine->versions[channel]);
        }
    }
}

// Step 8: what was not written and is available is told that a step passed.
static bool tick(struct ss_machine *machine, size_t c)
{
    struct ss_channel *channel = &machine->channels[c];
    bool changed = false;
    if (index_set_has(&machine->updated_last, c) ||
        !ss_channel_available(channel))
        return false;
    int status = ss_channel_update(channel, NULL, 0, &changed, NULL);
    ss_check(status == SS_OK);
    return changed;
}

static bool finish(struct ss_machine *machine, size_t c)
{
    return ss_channel_finish(&machine->channels[c]);
}

// Those that change by themselves now; what a change adds comes next time.
static void change_all(struct ss_machine *machine, int64_t next,
    bool (*change)(struct ss_machine *machine, size_t channel))
{
    const struct index_set *set = &machine->self_changing;
    for (uint32_t i = 0, count = set->count; i < count; i++) {
        size_t c = set->items[i];
        if (!change(machine, c))
            continue;
        moved(machine, c, next);
        if (ss_channel_available(&machine->channels[c]))
            index_set_add(&machine->updated_last, c);
    }
}

// Step 9: nothing that was updated triggers a node: deferred ones may come.
static bool triggers_any(const struct ss_machine *machine)
{
    const struct index_set *last = &machine->updated_last;
    for (uint32_t i = 0; i < last->count; i++)
        if (machine->graph->channels[last->items[i]].nodes_count > 0)
            return true;
    return false;
}

// Those that came to rest leave the set.
static void settle(struct ss_machine *machine)
{
    struct index_set *set = &machine->self_changing;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t c = set->items[i];
        bool stays = ss_channel_self_changing(&machine->channels[c]);
        bit_put(set->bits, c, stays);
        if (stays)
            set->items[kept++] = c;
    }
    ss_check(kept <= set->count);
    set->count = kept;
}

// Steps 2 to 9, with the copies made: nothing here fails.
static void commit(struct work *work)
{
    struct ss_machine *machine = work->machine;
    bool bump = false;
    for (size_t t = 0; t < work->count; t++)
        bump = bump || work->tasks[t]->bumps;
    index_set_clear(&machine->updated_last);
    mark_seen(work);
    work->update->changed = bump || work->touched > 0;
    int64_t next = machine->version_max + 1;
    for (size_t s = 0; s < work->touched; s++) {
        struct touch *it = &work->touches[s];
        struct ss_channel *channel = &machine->channels[it->channel];
        ss_check(machine->touched[it->channel] == s + 1 && it->copy.spec);
        ss_channel_fini(channel);
        *channel = it->copy;
        it->copy = (struct ss_channel){0};
        if (it->consumed || it->changed)
            moved(machine, it->channel, next);
        else
            ss_machine_stir(machine, it->channel);
        if (it->changed && !work->update->is_view &&
            ss_channel_available(channel))
            index_set_add(&machine->updated_last, it->channel);
    }
    if (bump) {
        change_all(machine, next, tick);
        if (!triggers_any(machine))
            change_all(machine, next, finish);
    }
    settle(machine);
    ss_check(machine->version_max == next || machine->version_max == next - 1);
}

static void work_fini(struct work *work)
{
    for (size_t s = 0; s < work->touched; s++) {
        struct touch *it = &work->touches[s];
        work->machine->touched[it->channel] = 0;
        if (it->copy.spec)
            ss_channel_fini(&it->copy);
    }
}

int ss_update_apply(struct ss_machine *machine, struct ss_update *update,
    struct ss_error *error)
{
    struct work work = {.machine = machine,
        .update = update,
        .count = update->count,
        .arena = update->memory};
    update->channel = SS_NONE;
    update->changed = update->not_folded = false;
    gather(&work);
    int status = machine->version_max < INT64_MAX - 1
                     ? compute(&work, error)
                     : ss_error_set(error, SS_ELIMIT,
                           "the state's versions are at their end: they may "
                           "not be counted on");
    if (status == SS_OK)
        commit(&work);
    work_fini(&work);
    return status;
}

// ------------------------------------------------ what was updated

bool ss_update_moved(
    const struct ss_machine *machine, const struct ss_keys *keys)
{
    const struct index_set *last = &machine->updated_last;
    for (uint32_t i = 0; i < last->count; i++)
        if (ss_keys_have(keys, machine->graph->channels[last->items[i]].name))
            return true;
    return false;
}

void ss_updated_forget(struct ss_machine *machine)
{
    machine->updated_known = false;
    index_set_clear(&machine->updated);
}

void ss_updated_set(struct ss_machine *machine, bool add)
{
    if (add && !machine->updated_known)
        return; // unknown stays unknown (R5.8)
    if (!add)
        ss_updated_forget(machine);
    machine->updated_known = true;
    for (uint32_t i = 0; i < machine->updated_last.count; i++)
        index_set_add(&machine->updated, machine->updated_last.items[i]);
}
