// saved.c - a checkpoint as JSON, both ways: what `checkpoints` gives and
// `import` takes (docs/reference/requests.md).
#include "coordinator/engine/requests/saved.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/model/checkpoint.h"
#include "common/model/limits.h"
#include "common/model/pending.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/snapshot.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ checking

static int wrong(struct ss_error *error, const char *part, const char *what)
{
    return ss_error_set(error, SS_EINVAL, "%s: %s", part, what);
}

static bool is_uuid(const json_t *json)
{
    uint8_t bytes[16];
    const char *text = json_string_value(json);
    return text && ss_uuid_parse(text, bytes) &&
           text[strcspn(text, "ABCDEF")] == '\0';
}

static bool is_name(const json_t *json)
{
    size_t size = json_string_length(json);
    return json_is_string(json) && size <= SS_NAME_SIZE_MAX &&
           strlen(json_string_value(json)) == size;
}

static bool is_version(const json_t *json)
{
    return json_is_integer(json) && json_integer_value(json) >= 0 &&
           json_integer_value(json) <= SS_COUNTED_MAX;
}

static int check_versions(
    const json_t *versions, const char *part, struct ss_error *error)
{
    const char *key;
    json_t *value;
    if (!json_is_object(versions))
        return wrong(error, part, "must be an object");
    json_object_foreach ((json_t *)versions, key, value) {
        if (!is_version(value) || strlen(key) > SS_NAME_SIZE_MAX)
            return wrong(error, part,
                "a name, or a version that is not a number, or is too large");
    }
    return SS_OK;
}

static int check_state(const json_t *saved, struct ss_error *error)
{
    const json_t *versions = json_object_get(saved, "channel_versions");
    json_t *values = json_object_get(saved, "channel_values");
    json_t *seen = json_object_get(saved, "versions_seen");
    const char *key;
    json_t *value;
    int status = check_versions(versions, "channel_versions", error);
    if (status != SS_OK)
        return status;
    if (!json_is_object(values) || !json_is_object(seen))
        return wrong(error, "channel_values, versions_seen", "must be objects");
    json_object_foreach (values, key, value) {
        if (!json_object_get(versions, key))
            return ss_error_set(error, SS_EINVAL,
                "channel_values: channel %.100s has no version", key);
    }
    json_object_foreach (seen, key, value) {
        status = check_versions(value, "versions_seen", error);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

static int check_writes(const json_t *writes, struct ss_error *error)
{
    size_t i;
    json_t *write;
    if (!json_is_array(writes))
        return wrong(error, "pending_writes", "must be a list");
    json_array_foreach (writes, i, write) {
        const json_t *idx = json_object_get(write, "idx");
        const json_t *path = json_object_get(write, "path");
        json_int_t index = json_integer_value(idx);
        const char *channel =
            json_string_value(json_object_get(write, "channel"));
        if (!is_uuid(json_object_get(write, "task_id")) || !channel ||
            !is_name(json_object_get(write, "channel")) ||
            !json_is_string(path) ||
            strlen(json_string_value(path)) != json_string_length(path) ||
            !json_is_integer(idx) || index < -4 || index > INT32_MAX ||
            !json_object_get(write, "value"))
            return ss_error_set(error, SS_EINVAL,
                "pending_writes: number %zu: "
                "give task_id (a UUID), path, idx, channel and value",
                i);
        if ((index < 0 || ss_name_special(channel) < 0) &&
            ss_name_special(channel) != index)
            return ss_error_set(error, SS_EINVAL,
                "pending_writes: number %zu: "
                "channel %.100s does not stand at index %d",
                i, channel, (int)index);
    }
    return SS_OK;
}

static int check_head(const json_t *saved, struct ss_error *error)
{
    const json_t *id = json_object_get(saved, "id");
    const json_t *parent = json_object_get(saved, "parent_id");
    const json_t *metadata = json_object_get(saved, "metadata");
    enum ss_source source;
    int64_t wall_us;
    if (!is_uuid(id) || ss_uuid6_read(json_string_value(id)) == 0)
        return wrong(error, "id", "must be a UUID of version 6");
    if (!json_is_null(parent) && !is_uuid(parent))
        return wrong(error, "parent_id", "must be null or a UUID");
    const json_t *ns = json_object_get(saved, "ns");
    if (!json_is_string(ns) ||
        strlen(json_string_value(ns)) != json_string_length(ns))
        return wrong(error, "ns", "must be text");
    if (!ss_source_by_name(ss_json_str(saved, "source", ""), &source) ||
        source == SS_SOURCE_NONE)
        return wrong(error, "source", "input, loop, update or fork");
    const json_t *step = json_object_get(saved, "step");
    if (!json_is_integer(step) || json_integer_value(step) < -SS_COUNTED_MAX ||
        json_integer_value(step) > SS_COUNTED_MAX)
        return wrong(error, "step", "must be a number, and not too large");
    if (!json_is_object(metadata) || json_object_get(metadata, "__loop__") ||
        (json_object_get(metadata, "parents") &&
            !json_is_object(json_object_get(metadata, "parents"))))
        return wrong(error, "metadata", "must be an object, and its parents");
    if (!ss_time_read(ss_json_str(saved, "created_at", ""), &wall_us))
        return wrong(error, "created_at", "must be a time, ISO-8601 and UTC");
    return SS_OK;
}

int ss_saved_check(const json_t *saved, struct ss_error *error)
{
    const json_t *updated = json_object_get(saved, "updated_channels");
    size_t i;
    json_t *name;
    if (!json_is_object(saved))
        return wrong(error, "it", "must be an object");
    int status = check_head(saved, error);
    if (status == SS_OK)
        status = check_state(saved, error);
    if (status == SS_OK)
        status = check_writes(json_object_get(saved, "pending_writes"), error);
    if (status != SS_OK)
        return status;
    if (updated && !json_is_null(updated) && !json_is_array(updated))
        return wrong(error, "updated_channels", "must be null or a list");
    json_array_foreach ((json_t *)updated, i, name) {
        if (!is_name(name))
            return wrong(error, "updated_channels", "must be names");
    }
    return SS_OK;
}

// ------------------------------------------------ in

static void read_updated(struct ss_checkpoint *full, const json_t *updated)
{
    size_t count = json_array_size(updated);
    full->updated_known = json_is_array(updated);
    full->updated = ss_zalloc(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++)
        full->updated[full->updated_count++] =
            ss_strdup(json_string_value(json_array_get(updated, i)));
    if (count > 1)
        qsort(full->updated, count, sizeof(char *), ss_text_order);
}

struct ss_checkpoint *ss_saved_read(const json_t *saved)
{
    struct ss_checkpoint *full = ss_checkpoint_new();
    json_t *values = json_object_get(saved, "channel_values");
    const char *name, *channel;
    json_t *version, *entry;
    json_object_foreach (
        json_object_get(saved, "channel_versions"), name, version) {
        struct ss_slot *slot = ss_checkpoint_slot(full, name);
        json_t *value = json_object_get(values, name);
        slot->version = json_integer_value(version);
        slot->value = value ? ss_value_new(json_incref(value)) : NULL;
    }
    json_object_foreach (json_object_get(saved, "versions_seen"), name, entry) {
        struct ss_map *seen = ss_checkpoint_seen(full, name);
        json_object_foreach (entry, channel, version)
            ss_checkpoint_saw(seen, channel, json_integer_value(version));
    }
    read_updated(full, json_object_get(saved, "updated_channels"));
    return full;
}

// ------------------------------------------------ out

json_t *ss_write_json(const struct ss_row_write *write)
{
    return json_pack("{s:s, s:s, s:i, s:s, s:o}", "task_id", write->task_id,
        "path", write->path ? write->path : "", "idx", write->idx, "channel",
        write->channel, "value",
        write->value ? json_incref(ss_value_json(write->value)) : json_null());
}

static json_t *pending_json(const struct ss_checkpoint_entry *mark)
{
    struct ss_pendings pending = {0};
    json_t *list = json_array();
    ss_journal_pending(mark, NULL, &pending);
    for (size_t i = 0; i < pending.count; i++)
        if (!ss_name_of_attempts(pending.items[i].write.channel))
            json_array_append_new(list, ss_write_json(&pending.items[i].write));
    ss_pendings_fini(&pending);
    return list;
}

json_t *ss_saved_json(struct thread *thread, struct ss_checkpoint_entry *mark)
{
    struct ss_checkpoint *full =
        ss_journal_fold(ss_thread_facts(thread)->journal, mark);
    if (!full)
        return NULL;
    json_t *values = json_object(), *versions = json_object();
    json_t *seen = json_object(), *updated = json_null();
    char created[SS_TIME_SIZE];
    for (const struct ss_map_entry *e = full->channels.first; e; e = e->next) {
        const struct ss_slot *slot = e->value;
        json_object_set_new(
            versions, e->key, json_integer((json_int_t)slot->version));
        if (slot->value)
            json_object_set(values, e->key, ss_value_json(slot->value));
    }
    for (const struct ss_map_entry *e = full->seen.first; e; e = e->next) {
        json_t *entry = json_object();
        const struct ss_map *map = e->value;
        for (const struct ss_map_entry *v = map->first; v; v = v->next)
            json_object_set_new(entry, v->key,
                json_integer((json_int_t) * (const int64_t *)v->value));
        json_object_set_new(seen, e->key, entry);
    }
    if (full->updated_known) {
        updated = json_array();
        for (size_t i = 0; i < full->updated_count; i++)
            json_array_append_new(updated, json_string(full->updated[i]));
    }
    const struct ss_row *row = mark->row;
    ss_time_text(row->wall_us, created);
    json_t *saved = json_pack(
        "{s:s, s:s, s:s?, s:s, s:I, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "ns",
        row->ns, "id", row->checkpoint_id, "parent_id",
        row->parent_id[0] ? row->parent_id : NULL, "source",
        ss_source_name(row->source), "step", (json_int_t)row->step, "metadata",
        ss_metadata_json(row->source, row->step, row->metadata), "created_at",
        created, "channel_values", values, "channel_versions", versions,
        "versions_seen", seen, "updated_channels", updated, "pending_writes",
        pending_json(mark));
    ss_checkpoint_unref(full);
    return saved;
}
