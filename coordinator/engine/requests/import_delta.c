// import_delta.c - values that a saved checkpoint leaves out: LangGraph stores
// a delta channel now and then, and between that only what was written to it
// (spec/engine.md R5.37, R13.8).
//
// The value is the parent's, folded with the parent's pending writes to it; the
// parent stands before its child, so its own value is there by then.
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/pending.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/import.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"

// The parent, in the list before `index` or in the journal.
struct parent {
    const json_t *saved;              // or NULL
    struct ss_checkpoint_entry *mark; // or NULL
};

static struct parent parent_of(
    const struct thread *thread, const json_t *list, size_t index)
{
    const json_t *saved = json_array_get(list, index);
    const char *ns = ss_json_str(saved, "ns", "");
    const char *id = ss_json_str(saved, "parent_id", "");
    struct parent parent = {NULL, NULL};
    for (size_t i = index; i-- > 0 && !parent.saved;) {
        const json_t *other = json_array_get(list, i);
        if (strcmp(ss_json_str(other, "id", ""), id) == 0 &&
            strcmp(ss_json_str(other, "ns", ""), ns) == 0)
            parent.saved = other;
    }
    if (!parent.saved)
        parent.mark = ss_journal_find(ss_thread_facts(thread)->journal, ns, id);
    return parent;
}

// What the parent holds of a channel. Gives; NULL: nothing.
static struct ss_value *held_by(struct thread *thread,
    const struct parent *parent, const char *name, int64_t *ret_version)
{
    struct ss_value *value = NULL;
    *ret_version = 0;
    if (parent->saved) {
        json_t *json = json_object_get(
            json_object_get(parent->saved, "channel_values"), name);
        *ret_version = ss_json_int(
            json_object_get(parent->saved, "channel_versions"), name, 0);
        return json ? ss_value_new(json_incref(json)) : NULL;
    }
    if (!parent->mark)
        return NULL;
    struct ss_checkpoint *full =
        ss_journal_fold(ss_thread_facts(thread)->journal, parent->mark);
    const struct ss_slot *slot =
        full ? ss_map_get(&full->channels, name) : NULL;
    if (slot) {
        *ret_version = slot->version;
        value = ss_value_ref(slot->value);
    }
    ss_checkpoint_unref(full);
    return value;
}

// The parent's pending writes to a channel, in their order. Gives a list.
static json_t *written_to(const struct parent *parent, const char *name)
{
    json_t *list = json_array(), *write;
    size_t i;
    json_array_foreach (
        json_object_get(parent->saved, "pending_writes"), i, write) {
        if (strcmp(ss_json_str(write, "channel", ""), name) == 0)
            json_array_append(list, json_object_get(write, "value"));
    }
    if (!parent->mark)
        return list;
    struct ss_pendings pending = {0};
    ss_journal_pending(parent->mark, NULL, &pending);
    for (i = 0; i < pending.count; i++)
        if (strcmp(pending.items[i].write.channel, name) == 0)
            json_array_append(
                list, ss_value_json(pending.items[i].write.value));
    ss_pendings_fini(&pending);
    return list;
}

// Where the writes begin that count: behind the last Overwrite, whose value
// (null: none) is *ret_base then.
static size_t begin_of(const json_t *written, struct ss_value **ret_base)
{
    for (size_t i = json_array_size(written); i-- > 0;) {
        json_t *inside = NULL;
        if (!ss_overwrite_is(json_array_get(written, i), &inside))
            continue;
        ss_value_unref(*ret_base);
        *ret_base =
            json_is_null(inside) ? NULL : ss_value_new(json_incref(inside));
        return i + 1;
    }
    return 0;
}

// `base` folded with the writes. Takes `base`; gives *ret_value (or NULL).
static int fold(const struct ss_channel_spec *spec, struct ss_value *base,
    const json_t *written, struct ss_value **ret_value, struct ss_error *error)
{
    struct ss_channel channel;
    size_t from = begin_of(written, &base);
    size_t count = json_array_size(written) - from;
    struct ss_channel_write *writes = ss_zalloc(count + 1, sizeof(*writes));
    bool changed = false;
    int status = ss_channel_restore(&channel, spec, base, error);
    for (size_t i = 0; i < count; i++)
        writes[i].value =
            ss_value_new(json_incref(json_array_get(written, from + i)));
    if (status == SS_OK) {
        if (count > 0)
            status =
                ss_channel_update(&channel, writes, count, &changed, error);
        if (status == SS_OK)
            *ret_value = ss_channel_store(&channel, false);
        ss_channel_fini(&channel);
    }
    for (size_t i = 0; i < count; i++)
        ss_value_unref(writes[i].value);
    ss_free(writes);
    ss_value_unref(base);
    return status;
}

static int remake(struct thread *thread, json_t *list, size_t index,
    const struct ss_channel_spec *spec, struct ss_error *error)
{
    json_t *saved = json_array_get(list, index);
    const struct parent parent = parent_of(thread, list, index);
    int64_t version =
        ss_json_int(json_object_get(saved, "channel_versions"), spec->name, 0);
    int64_t before;
    struct ss_value *base = held_by(thread, &parent, spec->name, &before);
    struct ss_value *value = NULL;
    int status = SS_OK;
    if (before == version && base) {
        value = base;
    } else if (spec->reducer == SS_REDUCER_CUSTOM) {
        status = ss_error_set(error, SS_EINVAL,
            "channel %s: its value has to "
            "be made of older writes, by a reducer of the application's own",
            spec->name);
        ss_value_unref(base);
    } else {
        json_t *written = written_to(&parent, spec->name);
        status = fold(spec, base, written, &value, error);
        json_decref(written);
    }
    if (value)
        json_object_set(json_object_get(saved, "channel_values"), spec->name,
            ss_value_json(value));
    ss_value_unref(value);
    return status;
}

static bool is_left_out(const json_t *saved, const struct ss_channel_spec *spec)
{
    return (spec->kind == SS_CHANNEL_DELTA ||
               spec->kind == SS_CHANNEL_REDUCER) &&
           json_object_get(
               json_object_get(saved, "channel_versions"), spec->name) &&
           !json_object_get(
               json_object_get(saved, "channel_values"), spec->name);
}

// What a checkpoint says of its delta channels, when all was done that could
// be.
static int check_counters(const json_t *saved, struct ss_error *error)
{
    json_t *counters = json_object_get(
        json_object_get(saved, "metadata"), "counters_since_delta_snapshot");
    const json_t *values = json_object_get(saved, "channel_values");
    const json_t *versions = json_object_get(saved, "channel_versions");
    const char *name;
    json_t *counter;
    json_object_foreach (counters, name, counter) {
        if (json_object_get(versions, name) && !json_object_get(values, name))
            return ss_error_set(error, SS_EINVAL,
                "channel %.100s: its value "
                "has to be made of older writes: say which graph it is of, one "
                "that a worker has announced",
                name);
    }
    return SS_OK;
}

// The graph of the checkpoint's namespace, borrowed; NULL: it is not known.
static const struct ss_graph *graph_of(
    struct thread *thread, const json_t *saved, const char *graph)
{
    struct ss_error ignored = {0};
    struct graph_ref place = {0};
    const struct ss_graph *found = NULL;
    if (ss_graph_ref_find(ss_thread_facts(thread)->engine, thread, graph,
            ss_json_str(saved, "ns", ""), &place, &ignored)) {
        found = place.known ? place.graph : NULL;
        ss_free(place.ns);
    }
    return found;
}

int ss_saved_complete(struct thread *thread, json_t *list, const char *graph,
    struct ss_error *error)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *saved = json_array_get(list, i);
        const struct ss_graph *known = graph_of(thread, saved, graph);
        int status = SS_OK;
        for (size_t c = 0; known && c < known->channels_count; c++)
            if (status == SS_OK && is_left_out(saved, &known->channels[c]))
                status = remake(thread, list, i, &known->channels[c], error);
        if (status == SS_OK)
            status = check_counters(saved, error);
        if (status != SS_OK) {
            ss_error_wrap(
                error, "import: checkpoint %s", ss_json_str(saved, "id", ""));
            return status;
        }
    }
    return SS_OK;
}
