// update.c - apply the writes of one superstep, all at once (spec/engine.md 4).
//
// What a superstep makes depends on its tasks and their writes alone, never on
// who finished first: tasks are sorted by path, and everything that may fail is
// done on copies before anything changes.
#include "coordinator/engine/loop.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"

bool ss_seen_has(const struct loop *loop, const char *node)
{
    return ss_map_get(&loop->seen, node) != NULL;
}

bool ss_seen_get(const struct loop *loop, const char *node,
    const char *channel, int64_t *ret)
{
    const struct ss_map *entry = ss_map_get(&loop->seen, node);
    if (!entry)
        return false;
    const int64_t *version = ss_map_get(entry, channel);
    *ret = version ? *version : 0;
    return true;
}

void ss_seen_set(struct loop *loop, const char *node, const char *channel,
    int64_t version)
{
    struct ss_map *entry = ss_map_get(&loop->seen, node);
    if (entry && !channel)
        return;
    if (!entry) {
        entry = ss_zalloc(1, sizeof(*entry));
        ss_map_put(&loop->seen, node, entry);
    }
    if (channel) {
        int64_t *place = ss_map_get(entry, channel);
        if (place && *place == version)
            return;
        if (!place) {
            place = ss_alloc(sizeof(*place));
            ss_map_put(entry, channel, place);
        }
        *place = version;
    }
    SS_VEC_PUSH(&loop->seen_moved,
        (struct seen_change){ss_strdup(node), ss_strdup(channel), version});
}

struct update_task ss_update_task(const struct task *task)
{
    struct update_task seen = {.path = task->path,
        .name = task->node->name,
        .id = task->id,
        .bumps = true,
        .writes = &task->writes};
    if (task->kind == TASK_PULL) {
        seen.triggers = task->node->triggers;
        seen.triggers_count = task->node->triggers_count;
    }
    return seen;
}

// ------------------------------------------------ one update under way

struct group { // the writes to one channel, in order
    struct ss_channel_write *items;
    size_t count, capacity;
};

struct work {
    struct loop *loop;
    const struct update_task **tasks; // sorted by path
    size_t count;
    struct group *groups;     // by touched slot
    size_t *touched;          // channel indexes
    struct ss_channel *copies; // of the touched ones
    bool *consumed, *changed;
    size_t touched_count;
    size_t *slot; // channel -> touched slot + 1
};

static int by_path(const void *a, const void *b)
{
    const struct update_task *const *left = a, *const *right = b;
    int order = strcmp((*left)->path, (*right)->path);
    if (order == 0) // stable: the array's own order
        order = *left < *right ? -1 : *left > *right;
    return order;
}

static size_t touch(struct work *work, size_t channel)
{
    if (work->slot[channel])
        return work->slot[channel] - 1;
    size_t slot = work->touched_count++;
    work->touched[slot] = channel;
    work->slot[channel] = slot + 1;
    return slot;
}

// Steps 1, 5 (who is consumed) and 6 (group writes by channel).
static void gather(struct work *work)
{
    const struct ss_graph *graph = work->loop->graph;
    qsort(work->tasks, work->count, sizeof(*work->tasks), by_path);
    for (size_t t = 0; t < work->count; t++) {
        const struct update_task *task = work->tasks[t];
        for (size_t i = 0; i < task->triggers_count; i++)
            work->consumed[touch(work, task->triggers[i])] = true;
        for (size_t w = 0; task->writes && w < task->writes->count; w++) {
            const struct ss_write *write = &task->writes->items[w];
            if (ss_name_ignored(write->channel))
                continue;
            size_t channel = ss_graph_channel(graph, write->channel);
            if (channel == SS_NONE)
                continue; // the run warned when the task was committed
            struct group *group = &work->groups[touch(work, channel)];
            SS_VEC_PUSH(group,
                (struct ss_channel_write){write->value, task->id});
        }
    }
}

// The fold of a custom reducer that a worker made, or NULL.
static struct ss_value *folded(const struct loop *loop, const char *channel)
{
    for (size_t i = 0; i < loop->folds_count; i++)
        if (strcmp(loop->folds[i].fold_channel, channel) == 0)
            return loop->folds[i].folded;
    return NULL;
}

// Steps 5 and 7 on copies: the only part that can fail.
static int compute(struct work *work, size_t *ret_channel,
    struct ss_error *error)
{
    for (size_t s = 0; s < work->touched_count; s++) {
        size_t channel = work->touched[s];
        struct ss_channel *copy = &work->copies[s];
        ss_channel_copy(copy, &work->loop->channels[channel]);
        work->consumed[s] = work->consumed[s] && ss_channel_consume(copy);
        struct group *group = &work->groups[s];
        if (group->count == 0)
            continue;
        const struct ss_channel_spec *spec = copy->spec;
        struct ss_value *value = spec->reducer == SS_REDUCER_CUSTOM
            ? folded(work->loop, spec->name)
            : NULL;
        if (spec->reducer == SS_REDUCER_CUSTOM && !value) {
            ss_check(work->loop->is_view); // a view asks no worker
            work->loop->not_folded = true;
        } else if (value) {
            ss_channel_set(copy, value);
            work->changed[s] = true;
        } else if (ss_channel_update(copy, group->items, group->count,
                       &work->changed[s], error) != SS_OK) {
            *ret_channel = channel;
            return error->status;
        }
    }
    return SS_OK;
}

static void moved(struct loop *loop, size_t channel, int64_t version)
{
    loop->versions[channel] = version;
    if (version > loop->version_max)
        loop->version_max = version;
    if (!loop->is_moved[channel]) {
        loop->is_moved[channel] = true;
        SS_VEC_PUSH(&loop->moved, channel);
    }
}

// Step 3: what the tasks have seen.
static void mark_seen(struct work *work)
{
    struct loop *loop = work->loop;
    for (size_t t = 0; t < work->count; t++) {
        const struct update_task *task = work->tasks[t];
        ss_seen_set(loop, task->name, NULL, 0);
        for (size_t i = 0; i < task->triggers_count; i++) {
            size_t channel = task->triggers[i];
            if (loop->versions[channel])
                ss_seen_set(loop, task->name,
                    loop->graph->channels[channel].name,
                    loop->versions[channel]);
        }
    }
}

// Step 8: what was not written and is available is told that a step passed.
static void tick(struct loop *loop, bool *updated, int64_t next)
{
    for (size_t c = 0; c < loop->graph->channels_count; c++) {
        struct ss_channel *channel = &loop->channels[c];
        bool changed = false;
        if (!channel->value || updated[c] || !ss_channel_available(channel))
            continue;
        int status = ss_channel_update(channel, NULL, 0, &changed, NULL);
        ss_check(status == SS_OK);
        if (changed) {
            moved(loop, c, next);
            updated[c] = ss_channel_available(channel);
        }
    }
}

// Step 9: nothing that was updated triggers a node: deferred ones may come.
static void finish(struct loop *loop, bool *updated, int64_t next)
{
    for (size_t c = 0; c < loop->graph->channels_count; c++)
        if (updated[c] && loop->graph->channels[c].nodes_count > 0)
            return;
    for (size_t c = 0; c < loop->graph->channels_count; c++) {
        struct ss_channel *channel = &loop->channels[c];
        if (ss_channel_finish(channel)) {
            moved(loop, c, next);
            if (ss_channel_available(channel))
                updated[c] = true;
        }
    }
}

// Steps 2 to 9, with the copies made: nothing here fails.
static void commit(struct work *work, bool *updated)
{
    struct loop *loop = work->loop;
    bool bump = false;
    for (size_t t = 0; t < work->count; t++)
        bump = bump || work->tasks[t]->bumps;
    mark_seen(work);
    loop->drifted = loop->drifted || bump || work->touched_count > 0;
    int64_t next = loop->version_max + 1;
    for (size_t s = 0; s < work->touched_count; s++) {
        size_t channel = work->touched[s];
        ss_channel_fini(&loop->channels[channel]);
        loop->channels[channel] = work->copies[s];
        work->copies[s] = (struct ss_channel){0};
        if (work->consumed[s] || work->changed[s])
            moved(loop, channel, next);
        if (work->changed[s] && !loop->is_view)
            updated[channel] =
                ss_channel_available(&loop->channels[channel]);
    }
    if (bump) {
        tick(loop, updated, next);
        finish(loop, updated, next);
    }
}

int ss_update_apply(struct loop *loop, const struct update_task *tasks,
    size_t count, bool **ret_updated, size_t *ret_channel,
    struct ss_error *error)
{
    size_t channels = loop->graph->channels_count;
    struct work work = {
        .loop = loop,
        .tasks = ss_zalloc(count + 1, sizeof(*work.tasks)),
        .count = count,
        .groups = ss_zalloc(channels, sizeof(*work.groups)),
        .touched = ss_zalloc(channels, sizeof(*work.touched)),
        .copies = ss_zalloc(channels, sizeof(*work.copies)),
        .consumed = ss_zalloc(channels, sizeof(*work.consumed)),
        .changed = ss_zalloc(channels, sizeof(*work.changed)),
        .slot = ss_zalloc(channels, sizeof(*work.slot)),
    };
    for (size_t t = 0; t < count; t++)
        work.tasks[t] = &tasks[t];
    *ret_channel = SS_NONE;
    gather(&work);
    int status = compute(&work, ret_channel, error);
    if (status == SS_OK) {
        *ret_updated = ss_zalloc(channels, sizeof(**ret_updated));
        commit(&work, *ret_updated);
    }
    for (size_t s = 0; s < work.touched_count; s++) {
        SS_VEC_FINI(&work.groups[s]);
        if (work.copies[s].spec)
            ss_channel_fini(&work.copies[s]);
    }
    ss_free(work.tasks);
    ss_free(work.groups);
    ss_free(work.touched);
    ss_free(work.copies);
    ss_free(work.consumed);
    ss_free(work.changed);
    ss_free(work.slot);
    return status;
}

void ss_loop_forget_updated(struct loop *loop)
{
    loop->updated_known = false;
    loop->updated_count = 0;
    memset(loop->updated, 0, loop->graph->channels_count * sizeof(bool));
}

void ss_loop_set_updated(struct loop *loop, const bool *updated, bool add)
{
    if (add && !loop->updated_known)
        return; // unknown stays unknown (R5.8)
    if (!add)
        ss_loop_forget_updated(loop);
    loop->updated_known = true;
    for (size_t c = 0; c < loop->graph->channels_count; c++) {
        if (updated[c] && !loop->updated[c]) {
            loop->updated[c] = true;
            loop->updated_count++;
        }
    }
}
