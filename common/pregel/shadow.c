// shadow.c - what the dense machine says, beside what the machine says.
#include "common/pregel/shadow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/dense/dense.h"
#include "common/model/persistent_vector.h"
#include "common/model/reserved.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

_Static_assert((int)SS_DENSE_SENDS_MAX == (int)SS_SENDS_MAX, "one limit");

static bool rests;

void ss_shadow_rest(bool it_rests)
{
    rests = it_rests;
}

// ------------------------------------------------ differences

enum { SHOWN_MAX = 4096 };

static void differ(
    const char *what, const char *of, const char *machine, const char *dense)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    ss_buf_addf(&buf, "shadow: %s of %s:\n  machine: %.*s\n  dense:   %.*s\n",
        what, of, SHOWN_MAX, machine, SHOWN_MAX, dense);
    ss_check_failed(ss_buf_str(&buf), __FILE__, __LINE__);
}

static void same_number(
    const char *what, const char *of, int64_t machine, int64_t dense)
{
    char left[32], right[32];
    if (machine == dense)
        return;
    snprintf(left, sizeof(left), "%" PRId64, machine);
    snprintf(right, sizeof(right), "%" PRId64, dense);
    differ(what, of, left, right);
}

static void same_text(
    const char *what, const char *of, const char *machine, const char *dense)
{
    if (strcmp(machine, dense) != 0)
        differ(what, of, machine, dense);
}

static char *text_of(struct ss_handle handle)
{
    struct ss_buf buf;
    if (handle.kind == SS_HANDLE_MISSING)
        return ss_strdup("(nothing)");
    ss_buf_init(&buf, SIZE_MAX);
    ss_handle_add(&buf, handle);
    return ss_buf_steal(&buf, NULL);
}

static bool is_same(struct ss_value *value, struct ss_handle handle);

// Of a long list its ends: all of it was compared when it was shorter.
static bool is_same_list(struct ss_value *value, struct ss_handle handle)
{
    enum { LOOKED_AT = 32 };
    struct ss_list *list = ss_value_list(value);
    size_t count = list ? ss_list_count(list) : 0;
    if (!list || count != handle.count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i == LOOKED_AT && count > 2 * LOOKED_AT)
            i = count - LOOKED_AT;
        struct ss_value *item = ss_list_get(list, ss_list_number(list, i));
        if (!is_same(item, ss_handle_item(handle, (uint32_t)i)))
            return false;
    }
    return true;
}

static bool is_same(struct ss_value *value, struct ss_handle handle)
{
    if (!value || handle.kind == SS_HANDLE_MISSING)
        return !value && handle.kind == SS_HANDLE_MISSING;
    if (handle.kind == SS_HANDLE_LIST && ss_value_listed(value))
        return is_same_list(value, handle);
    size_t size;
    const char *text = ss_value_text(value, &size);
    char *own = text_of(handle);
    bool is = strlen(own) == size && memcmp(own, text, size) == 0;
    if (!is && ss_value_tag(value) == SS_VALUE_JSON) {
        json_t *json = ss_handle_json(handle);
        is = json_equal(ss_value_json(value), json);
        json_decref(json);
    }
    ss_free(own);
    return is;
}

static void same_value(const char *what, const char *of, struct ss_value *value,
    struct ss_handle handle)
{
    if (is_same(value, handle))
        return;
    char *own = text_of(handle);
    differ(what, of, value ? ss_value_text(value, NULL) : "(nothing)", own);
}

// ------------------------------------------------ the state

static const char *name_of(const struct ss_machine *machine, size_t c)
{
    return machine->graph->channels[c].name;
}

static void same_channel(const struct ss_machine *machine, size_t c)
{
    const struct ss_dense_machine *dense = machine->shadow;
    struct ss_channel *channel = &machine->channels[c];
    const char *name = name_of(machine, c);
    uint32_t id = ss_dense_graph_channel(machine->dense_graph, name);
    ss_check(id != SS_RANK_NONE);
    enum ss_channel_kind kind = channel->spec->kind;
    same_number(
        "version", name, machine->versions[c], ss_dense_version(dense, id));
    same_number("availability", name, ss_channel_available(channel),
        ss_dense_available(dense, id));
    same_value(
        "value", name, ss_channel_get(channel), ss_dense_value(dense, id));
    if (kind != SS_CHANNEL_BARRIER && kind != SS_CHANNEL_BARRIER_AFTER_FINISH &&
        kind != SS_CHANNEL_LAST_VALUE_AFTER_FINISH)
        return;
    struct ss_value *stored = ss_channel_store(channel, false);
    struct ss_handle own = ss_dense_stored(dense, id);
    same_value("stored form", name, stored, own);
    ss_value_unref(stored);
    ss_handle_unref(own);
}

static void same_seen(
    const struct ss_machine *machine, const char *node, const char *channel)
{
    const struct ss_map *entry = ss_map_get(&machine->seen, node);
    const int64_t *version =
        entry && channel ? ss_map_get(entry, channel) : NULL;
    int64_t seen = channel ? (version ? *version : -1) : (entry ? 0 : -1);
    same_number(channel ? channel : "entry", node, seen,
        ss_dense_seen(machine->shadow, node, channel));
}

static void same_updated(const struct ss_machine *machine)
{
    const struct ss_dense_machine *dense = machine->shadow;
    const struct index_list *list = &machine->updated.list;
    same_number("number", "updated channels",
        machine->updated_known ? (int64_t)list->count : -1,
        (int64_t)ss_dense_updated_count(dense));
    for (size_t i = 0; i < list->count; i++) {
        const char *name = name_of(machine, list->items[i]);
        uint32_t id = ss_dense_graph_channel(machine->dense_graph, name);
        ss_check(id != SS_RANK_NONE);
        same_number("updated", name, true, ss_dense_is_updated(dense, id));
    }
}

static void same_state(const struct ss_machine *machine)
{
    for (size_t c = 0; c < machine->graph->channels_count; c++)
        same_channel(machine, c);
    for (const struct ss_map_entry *e = machine->seen.first; e; e = e->next) {
        const struct ss_map *entry = e->value;
        same_seen(machine, e->key, NULL);
        for (const struct ss_map_entry *v = entry->first; v; v = v->next)
            same_seen(machine, e->key, v->key);
    }
    same_updated(machine);
}

void ss_shadow_begin(struct ss_machine *machine)
{
    ss_check(!machine->shadow && !machine->dense_graph);
    if (rests)
        return;
    machine->dense_graph = ss_dense_graph_new(machine->graph);
    machine->shadow = ss_dense_new(machine->dense_graph);
}

void ss_shadow_end(struct ss_machine *machine)
{
    ss_dense_destroy(&machine->shadow);
    ss_dense_graph_unref(machine->dense_graph);
    machine->dense_graph = NULL;
}

void ss_shadow_load(struct ss_machine *machine,
    const struct ss_checkpoint *checkpoint, int status)
{
    if (!machine->shadow)
        return;
    ss_check(status == SS_OK || status == SS_ECORRUPT);
    int own = ss_dense_load(machine->shadow, checkpoint);
    same_number("status", "a load", status, own);
    if (status == SS_OK)
        same_state(machine);
}

// ------------------------------------------------ plans

static const char *name_of_read(const struct ss_machine *machine, uint32_t read)
{
    return read & SS_RANK_MANAGED
               ? machine->graph->managed[read & ~SS_RANK_MANAGED].name
               : machine->dense_graph->channels[read].spec->name;
}

// An input that was put together is compared part by part.
static void same_reads(const struct ss_machine *machine,
    const struct ss_planned_task *task, uint32_t shape,
    const struct ss_field *fields, size_t count)
{
    const struct ss_dense_graph *graph = machine->dense_graph;
    const struct ss_dense_node *node = &graph->nodes[shape];
    const uint32_t *reads = ss_dense_ids(graph, node->reads);
    size_t at = 0;
    ss_check(task->kind == SS_TASK_PULL);
    for (uint32_t i = 0; i < node->reads.count; i++) {
        bool is_managed = reads[i] & SS_RANK_MANAGED;
        if (!is_managed && !ss_dense_available(machine->shadow, reads[i]))
            continue;
        const char *name = at < count ? fields[at].name : "(nothing)";
        same_text("input", task->path, name, name_of_read(machine, reads[i]));
        ss_check(at < count);
        if (!is_managed)
            same_value("input", task->path, fields[at].value,
                ss_dense_value(machine->shadow, reads[i]));
        at++;
    }
    same_number("number of inputs", task->path, (int64_t)count, (int64_t)at);
}

static void same_input(const struct ss_machine *machine,
    const struct ss_dense_place *place, const struct ss_planned_task *task,
    const struct ss_dense_task *dense)
{
    size_t count;
    const struct ss_field *fields = ss_value_fields(task->input, &count);
    if (fields && dense->kind == SS_DENSE_PULL)
        same_reads(machine, task, dense->shape, fields, count);
    struct ss_handle input;
    if (fields && count > 0 && dense->kind != SS_DENSE_PULL)
        return; // a handler's: that of whom it handles
    struct ss_buf buf;
    if (ss_value_listed(task->input))
        return;
    ss_buf_init(&buf, SIZE_MAX);
    ss_dense_add_input(machine->shadow, place, dense, &buf);
    enum { LONG = 4096 };
    if (buf.size <= LONG) {
        input = ss_handle_text(ss_buf_str(&buf), buf.size);
        same_value("input", task->path, task->input, input);
        ss_handle_unref(input);
    }
    ss_buf_fini(&buf);
}

static void same_task(const struct ss_machine *machine,
    const struct ss_dense_place *place, const struct ss_planned_task *task,
    struct ss_dense_task *dense)
{
    const struct ss_dense_graph *graph = machine->dense_graph;
    char id[SS_UUID_SIZE];
    struct ss_buf path;
    ss_buf_init(&path, SIZE_MAX);
    ss_dense_add_path(machine->shadow, dense, &path);
    same_text("path", task->node->name, task->path, ss_buf_str(&path));
    same_text("node", task->path, task->node->name,
        graph->nodes[dense->node].spec->name);
    ss_dense_id_text(ss_dense_task_id(machine->shadow, place, dense), id);
    same_text("id", task->path, task->id, id);
    same_number("timeout", task->path, task->timeout_ms, dense->timeout_ms);
    ss_buf_fini(&path);
}

static struct ss_dense_place place_of(const struct ss_superstep *at)
{
    return (struct ss_dense_place){
        at->ns, at->checkpoint_id, at->step, at->stop};
}

void ss_shadow_plan(struct ss_machine *machine, const struct ss_superstep *at,
    bool execute, const struct ss_planned_tasks *tasks)
{
    struct ss_dense_place place = place_of(at);
    struct ss_dense_tasks own;
    if (!machine->shadow)
        return;
    ss_check(at->ns && at->checkpoint_id);
    ss_dense_plan(machine->shadow, execute, &own);
    same_number("number of tasks", "a plan", (int64_t)tasks->count, own.count);
    same_number(
        "ignored sends", "a plan", (int64_t)tasks->ignored.count, own.ignored);
    for (size_t i = 0; i < tasks->count; i++) {
        same_task(machine, &place, &tasks->items[i], &own.items[i]);
        same_input(machine, &place, &tasks->items[i], &own.items[i]);
    }
}

void ss_shadow_handler(const struct ss_machine *machine,
    const struct ss_superstep *at, const struct ss_planned_task *failed,
    const struct ss_planned_task *task)
{
    struct ss_dense_place place = place_of(at);
    if (!machine->shadow)
        return;
    struct ss_dense_task own = {
        .kind = failed->kind == SS_TASK_PULL ? SS_DENSE_PULL : SS_DENSE_PUSH,
        .node = ss_dense_graph_node(machine->dense_graph, failed->node->name),
        .index = (uint32_t)failed->index};
    own.shape = own.node;
    own.has_id = ss_uuid_parse(failed->id, own.id);
    ss_check(own.has_id);
    same_task(machine, &place, task, ss_dense_handler(machine->shadow, &own));
}

// ------------------------------------------------ updates

// Where a path stands, from its text.
static uint64_t path_of(const struct ss_dense_graph *graph, const char *path)
{
    static const char pull[] = "~" SS_NAME_PULL ", ";
    static const char push[] = "~" SS_NAME_PUSH ", ";
    static const char update[] = "~" SS_NAME_INTERRUPT ", ";
    static const char handled[] = ", " SS_NAME_HANDLER_PATH ", ";
    const char *handler = strstr(path, handled);
    if (strncmp(path, push, strlen(push)) == 0)
        return ss_dense_path_push(
            strtoull(path + strlen(push), NULL, 10), handler != NULL);
    if (strncmp(path, update, strlen(update)) == 0)
        return ss_dense_path_update(strtoull(path + strlen(update), NULL, 10));
    if (strncmp(path, pull, strlen(pull)) != 0)
        return ss_dense_path_input();
    const char *name = path + strlen(pull);
    uint32_t node = ss_dense_graph_node(graph, name);
    if (node != SS_RANK_NONE)
        return ss_dense_path_pull(graph, node, false);
    ss_check(handler != NULL);
    char *cut = ss_memdup(name, (size_t)(handler - name));
    node = ss_dense_graph_node(graph, cut);
    ss_free(cut);
    ss_check(node != SS_RANK_NONE);
    return ss_dense_path_pull(graph, node, true);
}

static void writes_of(const struct ss_dense_graph *graph,
    const struct ss_update_task *task, struct ss_dense_writer *writer)
{
    size_t count = task->writes ? task->writes->count : 0;
    struct ss_dense_write *writes = ss_zalloc(count + 1, sizeof(*writes));
    for (size_t w = 0; w < count; w++) {
        const struct ss_write *write = &task->writes->items[w];
        uint32_t channel = ss_dense_graph_channel(graph, write->channel);
        if (ss_name_ignored(write->channel) || channel == SS_RANK_NONE)
            continue;
        writes[writer->writes_count++] =
            (struct ss_dense_write){channel, ss_handle_of_value(write->value)};
    }
    ss_check(writer->writes_count <= count);
    writer->writes = writes;
}

// The node's own triggers, where they are the task's.
static const uint32_t *triggers_of(
    const struct ss_dense_graph *graph, const struct ss_update_task *task)
{
    uint32_t node = ss_dense_graph_node(graph, task->name);
    uint32_t *ids = ss_zalloc(task->triggers_count + 1, sizeof(*ids));
    for (size_t i = 0; i < task->triggers_count; i++)
        ids[i] = graph->channel_ranks[task->triggers[i]];
    const uint32_t *own =
        node == SS_RANK_NONE ? NULL
                             : ss_dense_ids(graph, graph->nodes[node].triggers);
    bool is_own = own && task->triggers_count > 0 &&
                  graph->nodes[node].triggers.count == task->triggers_count &&
                  memcmp(own, ids, task->triggers_count * sizeof(*ids)) == 0;
    if (is_own)
        ss_free(ids);
    return is_own ? own : ids;
}

static struct ss_dense_writer writer_of(
    const struct ss_dense_graph *graph, const struct ss_update_task *task)
{
    struct ss_dense_writer writer = {.path = path_of(graph, task->path),
        .node = ss_dense_graph_node(graph, task->name),
        .name = task->name,
        .owner = task->id,
        .triggers = triggers_of(graph, task),
        .triggers_count = (uint32_t)task->triggers_count,
        .bumps = task->bumps};
    writes_of(graph, task, &writer);
    return writer;
}

static void writer_fini(
    const struct ss_dense_graph *graph, struct ss_dense_writer *writer)
{
    const uint32_t *own =
        writer->node == SS_RANK_NONE
            ? NULL
            : ss_dense_ids(graph, graph->nodes[writer->node].triggers);
    for (uint32_t w = 0; w < writer->writes_count; w++)
        ss_handle_unref(writer->writes[w].value);
    ss_free((void *)writer->writes);
    if (writer->triggers != own)
        ss_free((void *)writer->triggers);
}

// What the update moved; the rest stands as it was compared before.
static void same_moves(
    const struct ss_machine *machine, const struct ss_update *update)
{
    const struct ss_dense_machine *dense = machine->shadow;
    const struct index_list *last = &machine->updated_last.list;
    for (size_t i = 0; i < machine->moved.list.count; i++)
        if (machine->versions[machine->moved.list.items[i]] ==
            machine->version_max)
            same_channel(machine, machine->moved.list.items[i]);
    same_number("number", "channels that moved", (int64_t)last->count,
        (int64_t)ss_dense_news_count(dense));
    for (size_t i = 0; i < last->count; i++) {
        const char *name = name_of(machine, last->items[i]);
        uint32_t id = ss_dense_graph_channel(machine->dense_graph, name);
        ss_check(id != SS_RANK_NONE);
        same_number("moved", name, true, ss_dense_is_news(dense, id));
    }
    for (size_t t = 0; t < update->count; t++) {
        const struct ss_update_task *task = &update->tasks[t];
        same_seen(machine, task->name, NULL);
        for (size_t i = 0; i < task->triggers_count; i++)
            same_seen(machine, task->name, name_of(machine, task->triggers[i]));
    }
}

// Those that were written, also where nothing moved.
static void same_written(
    const struct ss_machine *machine, const struct ss_dense_update *own)
{
    for (uint32_t t = 0; t < own->count; t++)
        for (uint32_t w = 0; w < own->writers[t].writes_count; w++) {
            uint32_t id = own->writers[t].writes[w].channel;
            same_channel(
                machine, ss_graph_channel(machine->graph,
                             machine->dense_graph->channels[id].spec->name));
        }
}

static void compare_update(struct ss_machine *machine,
    const struct ss_update *update, int status, struct ss_dense_update *own)
{
    int own_status = ss_dense_update(machine->shadow, own);
    same_number("status", "an update", status, own_status);
    same_text("channel at fault", "an update",
        update->channel == SS_NONE ? "(none)"
                                   : name_of(machine, update->channel),
        own->at_fault == SS_RANK_NONE
            ? "(none)"
            : machine->dense_graph->channels[own->at_fault].spec->name);
    same_written(machine, own);
    if (status != SS_OK)
        return;
    same_number("change", "an update", update->changed, own->changed);
    same_number("folds", "an update", update->not_folded, own->not_folded);
    same_moves(machine, update);
}

void ss_shadow_update(
    struct ss_machine *machine, const struct ss_update *update, int status)
{
    const struct ss_dense_graph *graph = machine->dense_graph;
    if (!machine->shadow)
        return;
    struct ss_dense_writer *writers =
        ss_zalloc(update->count + 1, sizeof(*writers));
    struct ss_dense_write *folds =
        ss_zalloc(update->folds_count + 1, sizeof(*folds));
    for (size_t t = 0; t < update->count; t++)
        writers[t] = writer_of(graph, &update->tasks[t]);
    for (size_t f = 0; f < update->folds_count; f++)
        folds[f] = (struct ss_dense_write){
            ss_dense_graph_channel(graph, update->folds[f].channel),
            ss_handle_of_value(update->folds[f].value)};
    struct ss_dense_update own = {.writers = writers,
        .count = (uint32_t)update->count,
        .folds = folds,
        .folds_count = (uint32_t)update->folds_count,
        .is_view = update->is_view};
    ss_check(own.count == update->count);
    compare_update(machine, update, status, &own);
    for (size_t f = 0; f < update->folds_count; f++)
        ss_handle_unref(folds[f].value);
    for (size_t t = 0; t < update->count; t++)
        writer_fini(graph, &writers[t]);
    ss_free(folds);
    ss_free(writers);
}

void ss_shadow_updated_set(struct ss_machine *machine, bool add)
{
    if (!machine->shadow)
        return;
    ss_dense_updated_set(machine->shadow, add);
    same_updated(machine);
}

void ss_shadow_updated_forget(struct ss_machine *machine)
{
    if (!machine->shadow)
        return;
    ss_dense_updated_forget(machine->shadow);
    same_updated(machine);
}

void ss_shadow_break_moved(struct ss_machine *machine, bool moved)
{
    if (machine->shadow)
        same_number("move since", "a breakpoint", moved,
            ss_dense_break_moved(machine->shadow));
}

void ss_shadow_break_pass(struct ss_machine *machine)
{
    if (machine->shadow)
        ss_dense_break_pass(machine->shadow);
}

// ------------------------------------------------ parts of rows

// Returns whether it weighs the same: numbers and escapes may have other texts.
static bool same_row_channel(
    const struct ss_row_channel *slot, const struct ss_row_channel *own)
{
    size_t left = 0, right = 0;
    same_text("channel", "a part", slot->name, own->name);
    same_number("version", slot->name, slot->version, own->version);
    same_number("op", slot->name, slot->op, own->op);
    struct ss_handle handle = ss_handle_of_value(own->value);
    same_value("part", slot->name, slot->value, handle);
    ss_handle_unref(handle);
    if (slot->value) {
        ss_value_text(slot->value, &left);
        ss_value_text(own->value, &right);
    }
    return left == right;
}

// As a map: of the machine's list the last one counts.
static void seen_into(struct ss_map *map, const struct ss_row_checkpoint *part)
{
    for (size_t i = 0; i < part->seen_count; i++) {
        const struct ss_row_seen *seen = &part->seen[i];
        char *key = ss_format("%s%s%s", seen->node,
            seen->channel ? " saw " : "", seen->channel ? seen->channel : "");
        ss_map_put(map, key, (void *)seen);
        ss_free(key);
    }
}

static void same_seen_parts(
    const struct ss_row_checkpoint *part, const struct ss_row_checkpoint *own)
{
    struct ss_map left = {0}, right = {0};
    seen_into(&left, part);
    seen_into(&right, own);
    same_number("number of versions seen", "a part", (int64_t)left.count,
        (int64_t)right.count);
    for (const struct ss_map_entry *e = left.first; e; e = e->next) {
        const struct ss_row_seen *seen = e->value;
        const struct ss_row_seen *other = ss_map_get(&right, e->key);
        same_number(
            e->key, "a part", seen->version, other ? other->version : -1);
    }
    ss_map_fini(&left, NULL);
    ss_map_fini(&right, NULL);
}

void ss_shadow_delta(struct ss_machine *machine,
    const struct ss_delta_form *form, const struct ss_row_checkpoint *part,
    size_t size)
{
    const struct ss_dense_form same = {form->whole, form->edits, form->updated};
    bool weighs_same = true;
    if (!machine->shadow)
        return;
    struct ss_row *row = ss_row_new();
    struct ss_row_checkpoint *own = &row->checkpoint;
    ss_check(part->whole == form->whole);
    size_t own_size = ss_dense_part(machine->shadow, &same, own);
    same_number("number of channels", "a part", (int64_t)part->channels_count,
        (int64_t)own->channels_count);
    for (size_t i = 0; i < part->channels_count; i++)
        weighs_same = same_row_channel(&part->channels[i], &own->channels[i]) &&
                      weighs_same;
    if (weighs_same)
        same_number("weight", "a part", (int64_t)size, (int64_t)own_size);
    same_seen_parts(part, own);
    same_number("updated", "a part",
        part->updated_known ? (int64_t)part->updated_count : -1,
        own->updated_known ? (int64_t)own->updated_count : -1);
    for (size_t i = 0; i < part->updated_count; i++)
        same_text("updated", "a part", part->updated[i], own->updated[i]);
    ss_row_destroy(&row);
}

void ss_shadow_delta_drop(struct ss_machine *machine)
{
    if (machine->shadow)
        ss_dense_part_drop(machine->shadow);
}
