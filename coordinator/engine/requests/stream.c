// stream.c - what listeners are shown, and when (spec/engine.md 10); emit.c
// says on which row it rests and sends it.

#include "coordinator/engine/requests/stream.h"
#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/told.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/emit.h"
#include "coordinator/engine/requests/snapshot.h"
#include "coordinator/engine/threads/answers.h"

// ------------------------------------------------ values

void ss_stream_values(struct loop *loop, const json_t *interrupts)
{
    struct ss_keys shown, final;
    ss_loop_keys(loop, &shown, &final);
    bool alone = audience_of(ss_loop_facts(loop)->run)->scope == SCOPE_NONE;
    if (alone)
        ss_emit_begin(loop, SS_TOLD_VALUES, NULL);
    json_t *values = ss_emit_wants(loop, STREAM_VALUES)
                         ? ss_loop_output_json(loop, &shown)
                         : NULL;
    if (values && interrupts) {
        if (!json_is_object(values)) {
            json_decref(values);
            values = json_object();
        }
        json_t *copy = json_copy(values);
        json_decref(values);
        values = copy;
        json_object_set(values, SS_NAME_INTERRUPT, (json_t *)interrupts);
    }
    ss_emit_event(loop, STREAM_VALUES, values);
    if (alone)
        ss_emit_end(loop);
}

void ss_stream_breakpoint(struct loop *loop)
{
    ss_emit_begin(loop, SS_TOLD_RAW, NULL);
    ss_emit_event(loop, STREAM_UPDATES, json_pack("{s:[]}", SS_NAME_INTERRUPT));
    ss_emit_end(loop);
}

// ------------------------------------------------ tasks and updates

void ss_stream_task_start(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    struct loop *loop = facts->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    if (facts->planned.node->hidden)
        return;
    if (!ss_emit_wants(loop, STREAM_TASKS | STREAM_DEBUG)) {
        ss_emit_wrapped(loop, STREAM_TASKS, "task", level->step, NULL);
        return;
    }
    json_t *payload = json_pack("{s:s, s:s, s:O, s:o}", "id", facts->planned.id,
        "name", facts->planned.node->name, "input",
        ss_value_json(facts->planned.input), "triggers",
        ss_task_triggers(ss_task_level(task)->graph, &facts->planned));
    if (facts->planned.node->metadata)
        json_object_set(payload, "metadata", facts->planned.node->metadata);
    ss_emit_wrapped(loop, STREAM_TASKS, "task", level->step, payload);
}

// Several writes to one key: the list of them, marked (R9.6).
static void fold_write(
    json_t *map, const struct ss_write *write, json_t *repeated)
{
    json_t *value = ss_value_json(write->value);
    json_t *old = json_object_get(map, write->channel);
    json_t *list = json_object_get(repeated, write->channel);
    if (!old) {
        json_object_set(map, write->channel, value);
    } else if (list) {
        json_array_append(list, value);
    } else {
        list = json_pack("[O, O]", old, value);
        json_object_set(repeated, write->channel, list);
        json_object_set_new(
            map, write->channel, json_pack("{s:o}", "$writes", list));
    }
}

json_t *ss_writes_result(
    const struct ss_keys *keys, const struct ss_writes *writes)
{
    json_t *map = json_object(), *repeated = json_object();
    for (size_t i = 0; i < writes->count; i++)
        if (ss_keys_have(keys, writes->items[i].channel))
            fold_write(map, &writes->items[i], repeated);
    json_decref(repeated);
    if (!keys->scalar)
        return map;
    json_t *only = json_incref(json_object_get(map, keys->items[0]));
    if (!only)
        return map; // {}: it wrote elsewhere
    json_decref(map);
    return only;
}

// Each write to a shown key by itself, in order.
static json_t *writes_of(const struct task *task, const struct ss_keys *keys)
{
    const struct task_facts *facts = ss_task_facts(task);
    json_t *list = json_array();
    for (size_t i = 0; i < facts->writes.count; i++) {
        const struct ss_write *write = &facts->writes.items[i];
        json_t *value = ss_value_json(write->value);
        if (ss_keys_have(keys, write->channel))
            json_array_append_new(
                list, keys->scalar ? json_incref(value)
                                   : json_pack("{s:O}", write->channel, value));
    }
    return list;
}

// R10.7: what a node did to the shown keys.
static json_t *update_of(const struct task *task, const struct ss_keys *keys)
{
    const struct task_facts *facts = ss_task_facts(task);
    json_t *map = json_object(), *first = NULL;
    bool repeats = false;
    for (size_t i = 0; i < facts->writes.count && !repeats; i++) {
        const struct ss_write *write = &facts->writes.items[i];
        if (!ss_keys_have(keys, write->channel))
            continue;
        json_t *value = ss_value_json(write->value);
        first = first ? first : value;
        repeats = json_object_get(map, write->channel) != NULL;
        json_object_set_nocheck(map, write->channel, value);
    }
    json_t *update = repeats        ? writes_of(task, keys)
                     : !first       ? json_null()
                     : keys->scalar ? json_incref(first)
                                    : json_incref(map);
    json_decref(map);
    return update;
}

static void emit_result(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    struct loop *loop = facts->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    if (!ss_emit_wants(loop, STREAM_TASKS | STREAM_DEBUG)) {
        ss_emit_wrapped(loop, STREAM_TASKS, "task_result", level->step, NULL);
        return;
    }
    json_t *payload = json_pack("{s:s, s:s, s:o, s:o, s:o}", "id",
        facts->planned.id, "name", facts->planned.node->name, "error",
        facts->state == TASK_FAILED
            ? ss_error_json(facts->error->status, facts->error->message)
            : json_null(),
        "result",
        facts->state == TASK_DONE
            ? ss_writes_result(&level->graph->stream, &facts->writes)
            : json_object(),
        "interrupts",
        facts->state == TASK_INTERRUPTED ? json_incref(facts->interrupts)
                                         : json_array());
    ss_emit_wrapped(loop, STREAM_TASKS, "task_result", level->step, payload);
}

static json_t *update_event(
    struct task *task, const struct ss_keys *shown, bool cached)
{
    const struct task_facts *facts = ss_task_facts(task);
    if (!ss_emit_wants(facts->loop, STREAM_UPDATES))
        return NULL;
    json_t *update = json_object();
    json_object_set_new_nocheck(
        update, facts->planned.node->name, update_of(task, shown));
    if (cached)
        json_object_set_new(
            update, "__metadata__", json_pack("{s:b}", "cached", 1));
    return update;
}

void ss_stream_task_output(struct task *task, bool cached)
{
    const struct task_facts *facts = ss_task_facts(task);
    struct loop *loop = facts->loop;
    struct ss_keys shown, final;
    if (facts->planned.node->hidden)
        return;
    // what this run did before a crash was told with the row of its writes
    if (ss_task_was_told(task))
        return;
    ss_loop_keys(loop, &shown, &final);
    bool named = !cached && facts->planned.kind != SS_TASK_HANDLER;
    ss_emit_begin(loop, named ? SS_TOLD_OUTPUT : SS_TOLD_RAW, task);
    if (facts->state == TASK_INTERRUPTED) {
        ss_emit_event(loop, STREAM_UPDATES,
            json_pack("{s:O}", SS_NAME_INTERRUPT, facts->interrupts));
        ss_stream_values(loop, facts->interrupts);
    } else if (facts->state == TASK_DONE) {
        ss_emit_event(loop, STREAM_UPDATES, update_event(task, &shown, cached));
    }
    if (!cached)
        emit_result(task);
    ss_emit_end(loop);
}

// ------------------------------------------------ checkpoints

static json_t *names_of(const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    json_t *names = json_array();
    for (size_t i = 0; i < level->tasks.count; i++)
        json_array_append_new(names,
            json_string(
                ss_task_facts(level->tasks.items[i])->planned.node->name));
    return names;
}

static json_t *checkpoint_task(json_t *task)
{
    json_t *error = json_object_get(task, "error");
    json_t *result = json_object_get(task, "result");
    json_t *shown = json_pack("{s:O, s:O, s:O}", "id",
        json_object_get(task, "id"), "name", json_object_get(task, "name"),
        "state", json_object_get(task, "state"));
    if (!json_is_null(error)) {
        json_object_set(shown, "error", error);
        return shown;
    }
    json_object_set(shown, "interrupts", json_object_get(task, "interrupts"));
    if (ss_json_truthy(result))
        json_object_set(shown, "result", result);
    return shown;
}

static json_t *checkpoint_payload(struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct ss_keys shown_keys, final;
    ss_loop_keys(loop, &shown_keys, &final);
    json_t *tasks = ss_snapshot_tasks(loop, &shown_keys, false, false), *task;
    json_t *shown = json_array();
    size_t i;
    json_array_foreach (tasks, i, task)
        json_array_append_new(shown, checkpoint_task(task));
    json_decref(tasks);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "config",
        ss_config_json(level->thread, level->ns, level->checkpoint.id,
            level->checkpoint_map),
        "parent_config",
        level->checkpoint.parent_id[0]
            ? ss_config_json(level->thread, level->ns,
                  level->checkpoint.parent_id, level->checkpoint_map)
            : json_null(),
        "values", ss_loop_output_json(loop, &level->graph->stream), "metadata",
        ss_metadata_json(level->checkpoint.source, level->checkpoint.step,
            level->checkpoint.metadata),
        "next", names_of(loop), "tasks", shown);
}

void ss_stream_checkpoint(struct loop *loop)
{
    ss_emit_begin(loop, SS_TOLD_TICK, NULL);
    bool wanted = ss_emit_wants(loop, STREAM_CHECKPOINTS | STREAM_DEBUG);
    ss_emit_wrapped(loop, STREAM_CHECKPOINTS, "checkpoint",
        ss_loop_facts(loop)->step - 1,
        wanted ? checkpoint_payload(loop) : NULL);
    ss_emit_end(loop);
}

// ------------------------------------------------ live items, messages

json_t *ss_message_metadata(const struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    json_t *metadata = ss_run_facts(level->run)->options.metadata;
    json_t *all = metadata ? json_copy(metadata) : json_object();
    json_t *path = json_pack("[s, s]",
        facts->planned.kind == SS_TASK_PULL ? SS_NAME_PULL : SS_NAME_PUSH,
        facts->planned.node->name);
    if (facts->planned.kind != SS_TASK_PULL) {
        json_array_set_new(
            path, 1, json_integer((json_int_t)facts->planned.index));
        json_array_append_new(path, json_false());
    }
    json_object_set_new(
        all, "langgraph_step", json_integer((json_int_t)level->step));
    json_object_set_new(
        all, "langgraph_node", json_string(facts->planned.node->name));
    json_object_set_new(all, "langgraph_triggers",
        ss_task_triggers(ss_task_level(task)->graph, &facts->planned));
    json_object_set_new(all, "langgraph_path", path);
    json_object_set_new(
        all, "langgraph_checkpoint_ns", json_string(facts->planned.ns));
    return all;
}

static bool unheard(const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    return !(ss_run_facts(level->run)->modes & STREAM_MESSAGES) ||
           (level->parent && !audience_of(level->run)->any_subgraphs);
}

static void show_message(struct task *task, json_t *message, bool chunk)
{
    struct loop *loop = ss_task_facts(task)->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    const char *id = ss_json_str(message, "id", NULL);
    if (unheard(loop))
        return;
    if (!chunk && id && ss_map_get(&audience_of(level->run)->message_ids, id))
        return;
    if (id)
        ss_map_put(&audience_of(level->run)->message_ids, id, level->run);
    json_t *data = json_pack("[O, o]", message, ss_message_metadata(task));
    if (chunk) {
        ss_emit_live(task, STREAM_MESSAGES, message, data);
        return;
    }
    ss_emit_begin(loop, SS_TOLD_RAW, NULL);
    ss_emit_event(loop, STREAM_MESSAGES, data);
    ss_emit_end(loop);
}

void ss_stream_live(struct task *task, enum ss_live_kind kind, json_t *value)
{
    if (kind == SS_LIVE_CUSTOM)
        ss_emit_live(task, STREAM_CUSTOM, value, json_incref(value));
    else if (kind == SS_LIVE_MESSAGE)
        show_message(task, value, true);
}

static bool is_message(const json_t *json)
{
    return json_is_object(json) && json_object_get(json, "type") &&
           json_object_get(json, "content") &&
           json_is_string(json_object_get(json, "id"));
}

// Every message in a value: alone, in a list, in fields (R10.13).
static void each_message(struct task *task, json_t *value, int depth,
    void (*act)(struct task *task, json_t *message))
{
    size_t i;
    const char *key;
    json_t *item;
    if (is_message(value)) {
        act(task, value);
    } else if (json_is_array(value) && depth < 2) {
        json_array_foreach (value, i, item)
            each_message(task, item, 2, act);
    } else if (json_is_object(value) && depth == 0) {
        json_object_foreach (value, key, item)
            each_message(task, item, 1, act);
    }
}

static void remember(struct task *task, json_t *message)
{
    const struct loop_facts *level = ss_task_level(task);
    ss_map_put(&audience_of(level->run)->message_ids,
        ss_json_str(message, "id", ""), level->run);
}

static void show(struct task *task, json_t *message)
{
    show_message(task, message, false);
}

// Messages are known as such where a reducer made them: in the keys of
// conversations, not in every map that looks like one.
void ss_stream_message_inputs(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct ss_graph *graph = ss_task_level(task)->graph;
    json_t *input, *value;
    const char *key;
    if (unheard(facts->loop) || facts->planned.node->hidden)
        return;
    input = ss_value_json(facts->planned.input);
    if (is_message(input))
        return;
    json_object_foreach (input, key, value) {
        size_t c = ss_graph_channel(graph, key);
        if (c != SS_NONE &&
            graph->channels[c].reducer == SS_REDUCER_ADD_MESSAGES)
            each_message(task, value, 1, remember);
    }
}

void ss_stream_messages(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    size_t i;
    json_t *message;
    if (unheard(facts->loop) || facts->planned.node->hidden || facts->cached)
        return;
    json_array_foreach (facts->messages, i, message)
        show(task, message);
    if (facts->child && facts->returned)
        each_message(task,
            json_object_get(ss_value_json(facts->returned), "$quote"), 0, show);
}

// ------------------------------------------------ progress

void ss_stream_progress(struct loop *loop, const struct task *task)
{
    const struct run *run = ss_loop_facts(loop)->run;
    const struct run_facts *its = ss_run_facts(run);
    if (!(its->modes & STREAM_PROGRESS))
        return;
    ss_emit_progress(its->root,
        json_pack("{s:I, s:I, s:I, s:s*, s:o*}", "step",
            (json_int_t)ss_loop_facts(its->root)->step, "tasks",
            (json_int_t)its->stats.planned, "done", (json_int_t)its->stats.done,
            "node", task ? ss_task_facts(task)->planned.node->name : NULL,
            "inner", loop == its->root ? NULL : json_true()));
}
