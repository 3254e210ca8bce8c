// import_row.c - a saved checkpoint as rows: the checkpoint, and its pending
// writes behind it.
//
// Of one row all writes are as old. What takes back something else (an output
// its task's earlier error) or rests on it (a question's answer) is therefore a
// second row: errors and writes of the null task, then the others.
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/limits.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/import.h"
#include "coordinator/engine/threads/thread.h"

// Whole at the latest after so many: what a reader has to pass.
enum { CHAIN_MAX = 64 };

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
    return json_is_integer(json) && json_integer_value(json) >= 0;
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
            return wrong(error, part, "a name, or a version that is no number");
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

static bool is_source(const char *text)
{
    static const char *const sources[] = {"input", "loop", "update", "fork"};
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        if (strcmp(sources[i], text) == 0)
            return true;
    return false;
}

static int check_head(const json_t *saved, struct ss_error *error)
{
    const json_t *id = json_object_get(saved, "id");
    const json_t *parent = json_object_get(saved, "parent_id");
    const json_t *metadata = json_object_get(saved, "metadata");
    int64_t wall_us;
    if (!is_uuid(id) || ss_uuid6_read(json_string_value(id)) == 0)
        return wrong(error, "id", "must be a UUID of version 6");
    if (!json_is_null(parent) && !is_uuid(parent))
        return wrong(error, "parent_id", "must be null or a UUID");
    const json_t *ns = json_object_get(saved, "ns");
    if (!json_is_string(ns) ||
        strlen(json_string_value(ns)) != json_string_length(ns))
        return wrong(error, "ns", "must be text");
    if (!is_source(ss_json_str(saved, "source", "")))
        return wrong(error, "source", "input, loop, update or fork");
    if (!json_is_integer(json_object_get(saved, "step")))
        return wrong(error, "step", "must be a number");
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

// ------------------------------------------------ the checkpoint

// The parent that a delta can stand on; NULL: the row has to be whole.
static struct ss_checkpoint_entry *base_of(
    const struct thread *thread, const json_t *saved)
{
    const char *parent = ss_json_str(saved, "parent_id", NULL);
    const char *id = ss_json_str(saved, "id", "");
    if (!parent || strcmp(parent, id) >= 0)
        return NULL;
    return ss_journal_find(
        thread->journal, ss_json_str(saved, "ns", ""), parent);
}

static bool is_far(const struct ss_checkpoint_entry *mark)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        if (!mark || mark->whole)
            return false;
        mark = mark->parent;
    }
    return true;
}

// Nothing of `full` is gone: a delta can only add.
static bool is_kept(const struct ss_checkpoint *full, const json_t *saved)
{
    const json_t *versions = json_object_get(saved, "channel_versions");
    const json_t *seen = json_object_get(saved, "versions_seen");
    for (const struct ss_map_entry *e = full->channels.first; e; e = e->next)
        if (!json_object_get(versions, e->key))
            return false;
    for (const struct ss_map_entry *e = full->seen.first; e; e = e->next) {
        const json_t *entry = json_object_get(seen, e->key);
        if (!entry)
            return false;
        for (const struct ss_map_entry *v = ((struct ss_map *)e->value)->first;
             v; v = v->next)
            if (!json_object_get(entry, v->key))
                return false;
    }
    return true;
}

// What was added at the end of a list, if that is all; else NULL. Gives.
static json_t *tail_of(json_t *before, json_t *after)
{
    size_t count = json_array_size(before);
    if (!json_is_array(before) || !json_is_array(after) || count == 0 ||
        json_array_size(after) < count)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!json_equal(json_array_get(before, i), json_array_get(after, i)))
            return NULL;
    json_t *tail = json_array();
    for (size_t i = count; i < json_array_size(after); i++)
        json_array_append(tail, json_array_get(after, i));
    return tail;
}

// `slot`: what the parent has (or NULL). False: it is as there.
static bool fill_channel(struct ss_row_channel *to, const char *name,
    int64_t version, json_t *value, const struct ss_slot *slot)
{
    json_t *before = slot && slot->value ? ss_value_json(slot->value) : NULL;
    bool same = slot && slot->version == version && !before == !value &&
                (!value || json_equal(before, value));
    if (same)
        return false;
    json_t *tail = before && value ? tail_of(before, value) : NULL;
    *to = (struct ss_row_channel){.name = ss_strdup(name), .version = version};
    to->op = !value ? SS_DELTA_CLEAR : tail ? SS_DELTA_APPEND : SS_DELTA_SET;
    if (value)
        to->value = ss_value_new(tail ? tail : json_incref(value));
    return true;
}

static void fill_channels(struct ss_row_checkpoint *part, const json_t *saved,
    const struct ss_checkpoint *base)
{
    json_t *versions = json_object_get(saved, "channel_versions");
    const json_t *values = json_object_get(saved, "channel_values");
    const char *name;
    json_t *version;
    part->channels =
        ss_zalloc(json_object_size(versions) + 1, sizeof(*part->channels));
    json_object_foreach (versions, name, version) {
        const struct ss_slot *slot =
            base ? ss_map_get(&base->channels, name) : NULL;
        if (fill_channel(&part->channels[part->channels_count], name,
                json_integer_value(version), json_object_get(values, name),
                slot))
            part->channels_count++;
    }
}

static void fill_node(struct ss_row_checkpoint *part, size_t *capacity,
    const char *node, json_t *entry, const struct ss_map *base)
{
    const char *channel;
    json_t *version;
    part->seen = ss_vec_grow(part->seen, capacity,
        part->seen_count + json_object_size(entry) + 1, sizeof(*part->seen));
    if (!base)
        part->seen[part->seen_count++] =
            (struct ss_row_seen){ss_strdup(node), NULL, 0};
    json_object_foreach (entry, channel, version) {
        const int64_t *known = base ? ss_map_get(base, channel) : NULL;
        if (!known || *known != json_integer_value(version))
            part->seen[part->seen_count++] =
                (struct ss_row_seen){ss_strdup(node), ss_strdup(channel),
                    json_integer_value(version)};
    }
}

static void fill_seen(struct ss_row_checkpoint *part, const json_t *saved,
    const struct ss_checkpoint *base)
{
    const char *node;
    json_t *entry;
    size_t capacity = 0;
    json_object_foreach (json_object_get(saved, "versions_seen"), node, entry) {
        fill_node(part, &capacity, node, entry,
            base ? ss_map_get(&base->seen, node) : NULL);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void fill_updated(struct ss_row_checkpoint *part, const json_t *saved)
{
    const json_t *updated = json_object_get(saved, "updated_channels");
    part->updated_known = json_is_array(updated);
    size_t count = json_array_size(updated);
    part->updated = ss_zalloc(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++)
        part->updated[part->updated_count++] =
            ss_strdup(json_string_value(json_array_get(updated, i)));
    if (count > 1)
        qsort(part->updated, count, sizeof(char *), by_name);
}

static json_t *metadata_of(const json_t *saved, const char *graph)
{
    json_t *metadata = json_copy(json_object_get(saved, "metadata"));
    json_object_del(metadata, "source");
    json_object_del(metadata, "step");
    if (graph && !ss_json_str(saved, "ns", "")[0])
        json_object_set_new(
            metadata, "__loop__", json_pack("{s:s}", "graph", graph));
    return metadata;
}

void ss_saved_append(
    struct thread *thread, const json_t *saved, const char *graph)
{
    const char *source = ss_json_str(saved, "source", "");
    const char *parent = ss_json_str(saved, "parent_id", "");
    ss_thread_seal(thread); // it may be the parent
    struct ss_checkpoint_entry *mark = base_of(thread, saved);
    struct ss_checkpoint *base =
        mark && !is_far(mark) ? ss_journal_fold(thread->journal, mark) : NULL;
    if (base && !is_kept(base, saved)) {
        ss_checkpoint_unref(base);
        base = NULL;
    }
    struct ss_row *row =
        ss_thread_row_for_events(thread, "", ss_json_str(saved, "ns", ""));
    ss_id_copy(row->checkpoint_id, ss_json_str(saved, "id", ""));
    ss_id_copy(row->parent_id, parent);
    memcpy(row->source, source, strlen(source) + 1);
    row->parent_seq = mark ? mark->row->seq : 0;
    row->base_seq = base ? mark->base_seq : row->seq;
    row->step = ss_json_int(saved, "step", 0);
    ss_time_read(ss_json_str(saved, "created_at", ""), &row->wall_us);
    row->metadata = metadata_of(saved, graph);
    row->has_checkpoint = true;
    row->checkpoint.whole = !base;
    fill_channels(&row->checkpoint, saved, base);
    fill_seen(&row->checkpoint, saved, base);
    fill_updated(&row->checkpoint, saved);
    ss_checkpoint_unref(base);
    uint64_t ticks = ss_uuid6_read(row->checkpoint_id);
    if (ticks > thread->last_ticks)
        thread->last_ticks = ticks;
    ss_thread_seal(thread);
}

// ------------------------------------------------ its pending writes

static bool is_null_task(const char *task_id)
{
    return strcmp(task_id, SS_NULL_TASK) == 0;
}

static bool is_first(const json_t *write)
{
    const char *channel = ss_json_str(write, "channel", "");
    return is_null_task(ss_json_str(write, "task_id", "")) ||
           strcmp(channel, SS_NAME_ERROR) == 0 ||
           strcmp(channel, SS_NAME_ERROR_SOURCE) == 0;
}

static bool is_known(
    const struct ss_checkpoint_entry *mark, const json_t *write)
{
    const char *task_id = ss_json_str(write, "task_id", "");
    json_int_t idx = ss_json_int(write, "idx", 0);
    for (size_t i = 0; i < mark->pending_count; i++)
        if (mark->pending[i].write->idx == idx &&
            strcmp(mark->pending[i].write->task_id, task_id) == 0)
            return true;
    return false;
}

// The resume value without an id that waits at the root's checkpoint, or NULL.
static json_t *plain_answer(const struct ss_checkpoint_entry *root)
{
    for (size_t i = 0; root && i < root->pending_count; i++) {
        const struct ss_row_write *write = root->pending[i].write;
        if (is_null_task(write->task_id) &&
            strcmp(write->channel, SS_NAME_RESUME) == 0)
            return ss_value_json(write->value);
    }
    return NULL;
}

// A task's last answer is the plain one: it was taken, and is not given again
// (docs/decisions/0007).
static void note_answer(struct thread *thread,
    const struct ss_checkpoint_entry *mark, struct ss_row *row,
    const json_t *write)
{
    const struct ss_checkpoint_entry *root = mark;
    const json_t *answers = json_object_get(write, "value");
    size_t count = json_array_size(answers);
    if (strcmp(ss_json_str(write, "channel", ""), SS_NAME_RESUME) != 0 ||
        count == 0)
        return;
    if (mark->ns[0])
        root = ss_journal_find(thread->journal, "",
            ss_json_str(json_object_get(mark->metadata, "parents"), "", ""));
    const json_t *plain = plain_answer(root);
    if (plain && json_equal(plain, json_array_get(answers, count - 1)))
        ss_id_copy(row->answer_of, root->id);
}

static void append_some(struct thread *thread,
    const struct ss_checkpoint_entry *mark, const json_t *writes, bool first)
{
    struct ss_row *row = NULL;
    size_t i;
    json_t *write;
    json_array_foreach ((json_t *)writes, i, write) {
        if (is_first(write) != first || is_known(mark, write))
            continue;
        if (!row) {
            row = ss_thread_row_for_writes(thread, "", mark->ns, mark->id);
            row->writes =
                ss_zalloc(json_array_size(writes), sizeof(*row->writes));
        }
        struct ss_row_write *to = &row->writes[row->writes_count++];
        ss_id_copy(to->task_id, ss_json_str(write, "task_id", ""));
        to->path = ss_strdup(ss_json_str(write, "path", ""));
        to->idx = (int32_t)ss_json_int(write, "idx", 0);
        to->channel = ss_strdup(ss_json_str(write, "channel", ""));
        to->value = ss_value_new(json_incref(json_object_get(write, "value")));
        if (!first)
            note_answer(thread, mark, row, write);
    }
    ss_thread_seal(thread);
}

void ss_saved_append_writes(struct thread *thread, const json_t *saved)
{
    const json_t *writes = json_object_get(saved, "pending_writes");
    const struct ss_checkpoint_entry *mark = ss_journal_find(thread->journal,
        ss_json_str(saved, "ns", ""), ss_json_str(saved, "id", ""));
    append_some(thread, mark, writes, true);
    append_some(thread, mark, writes, false);
}
