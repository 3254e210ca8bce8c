// local_read.c - a fresh read: the state of the step's start with one task's
// own writes folded in (spec/engine.md R0.8).
#include <string.h>

#include "common/base/check.h"
#include "common/model/writers.h"

// One task's read; everything is borrowed.
struct reading {
    const struct ss_graph *graph;
    const struct ss_fresh *fresh;
    const struct ss_writes *own;
    const struct ss_writer_hooks *hooks;
    const char *task_id;
    struct ss_error *error;
};

// The task's own writes to that channel.
struct own {
    struct ss_channel_write *items;
    size_t count;
    size_t capacity;
};

static struct own own_writes(const struct reading *r, const char *channel)
{
    struct own own = {0};
    for (size_t i = 0; r->own && i < r->own->count; i++)
        if (strcmp(r->own->items[i].channel, channel) == 0)
            SS_VEC_PUSH(
                &own, (struct ss_channel_write){.value = r->own->items[i].value,
                          .owner = r->task_id});
    return own;
}

static int fold_custom(
    const struct reading *r, struct ss_channel *channel, const struct own *own)
{
    struct ss_fold fold;
    int status =
        ss_channel_fold(channel, own->items, own->count, &fold, r->error);
    if (status != SS_OK)
        return status;
    if (fold.count == 0) {
        ss_channel_set(channel, fold.base);
        ss_value_unref(fold.base);
        return SS_OK;
    }
    json_t **writes = ss_zalloc(fold.count, sizeof(*writes));
    for (size_t i = 0; i < fold.count; i++)
        writes[i] = ss_value_json(fold.from[i].value);
    json_t *folded = NULL;
    status =
        r->hooks && r->hooks->fold
            ? r->hooks->fold(r->hooks->ctx, channel->spec,
                  ss_value_json(fold.base), writes, fold.count, &folded,
                  r->error)
            : ss_error_set(r->error, SS_ESTATE,
                  "channel \"%s\": its reducer \"%s\" is the application's",
                  channel->spec->name, channel->spec->reducer_name);
    if (status == SS_OK) {
        struct ss_value *value = ss_value_new(folded);
        ss_channel_set(channel, value);
        ss_value_unref(value);
    }
    ss_free(writes);
    ss_value_unref(fold.base);
    return status;
}

static int update(const struct reading *r, struct ss_channel *channel)
{
    struct own own = own_writes(r, channel->spec->name);
    bool changed;
    int status = own.count > 0 && channel->spec->reducer == SS_REDUCER_CUSTOM
                     ? fold_custom(r, channel, &own)
                     : ss_channel_update(
                           channel, own.items, own.count, &changed, r->error);
    SS_VEC_FINI(&own);
    return status;
}

// *ret_value: given, or NULL where the channel holds nothing.
static int read_channel(
    const struct reading *r, size_t index, json_t **ret_value)
{
    const struct ss_channel_spec *spec = &r->graph->channels[index];
    struct ss_value *stored =
        r->fresh && r->fresh->channels
            ? ss_value_member(r->fresh->channels, spec->name)
            : NULL;
    struct ss_channel channel;
    int status = ss_channel_restore(&channel, spec, stored, r->error);
    if (status != SS_OK) {
        ss_value_unref(stored);
        return status;
    }
    // A channel that is never stored was sent with its live value.
    if (spec->kind == SS_CHANNEL_UNTRACKED && stored)
        ss_channel_set(&channel, stored);
    ss_value_unref(stored);
    status = update(r, &channel);
    if (status == SS_OK) {
        struct ss_value *value = ss_channel_get(&channel);
        *ret_value = value ? json_incref(ss_value_json(value)) : NULL;
    }
    ss_channel_fini(&channel);
    return status;
}

static int read_key(
    const struct reading *r, const char *key, json_t **ret_value)
{
    size_t index = ss_graph_channel(r->graph, key);
    if (index != SS_NONE)
        return read_channel(r, index, ret_value);
    *ret_value =
        json_incref(json_object_get(r->fresh ? r->fresh->managed : NULL, key));
    return SS_OK;
}

int ss_fresh_read(const struct ss_graph *graph, const struct ss_keys *keys,
    const struct ss_fresh *fresh, const struct ss_writes *own,
    const struct ss_writer_hooks *hooks, const char *task_id,
    json_t **ret_values, struct ss_error *error)
{
    struct reading r = {graph, fresh, own, hooks, task_id, error};
    ss_check(!keys->scalar || keys->count == 1);
    if (keys->scalar)
        return read_key(&r, keys->items[0], ret_values);
    json_t *values = json_object();
    for (size_t i = 0; i < keys->count; i++) {
        json_t *value;
        int status = read_key(&r, keys->items[i], &value);
        if (status != SS_OK) {
            json_decref(values);
            return status;
        }
        if (value)
            json_object_set_new(values, keys->items[i], value);
    }
    *ret_values = values;
    return SS_OK;
}
