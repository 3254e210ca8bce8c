// record_out.c - a saved checkpoint becomes rows of LangGraph's tables.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/langgraph/record.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum { FORMAT = 4, VERSION_TEXT = 32 + 1 + 32 + 1 };

// Floats from here on come back from jsonb as integers (spec R13.15).
#define INLINE_REAL_MAX 1e16

struct version {
    int64_t number;
    uint64_t hash; // of the value; 0: there is none
    bool is_new;   // it appeared with this checkpoint
    char text[VERSION_TEXT];
};

struct rowing {
    const json_t *saved;
    enum ss_record_layout layout;
    const struct ss_ext_allowed *allowed;
    struct ss_map *channels; // name -> struct version *
    struct ss_record_rows *rows;
    struct ss_error *error;
};

// ---------------------------------------------------------------- versions

static void free_channels(void *channels)
{
    ss_map_fini(channels, ss_free);
    ss_free(channels);
}

void ss_record_versions_fini(struct ss_record_versions *versions)
{
    ss_map_fini(&versions->checkpoints, free_channels);
}

static char *key_of(const json_t *saved, const char *id)
{
    return ss_format("%s\n%s", ss_json_str(saved, "ns", ""), id);
}

static uint64_t hash_of(const json_t *value)
{
    if (!value)
        return 0;
    char *text = ss_json_text(value);
    uint64_t hash = ss_hash64(text, strlen(text));
    ss_free(text);
    return hash ? hash : 1;
}

// The suffix keeps branches apart: the digits of the checkpoint's id.
static void write_text(struct version *version, const char *id)
{
    int size = snprintf(
        version->text, VERSION_TEXT, "%032" PRId64 ".", version->number);
    for (const char *from = id; *from && size < VERSION_TEXT - 1; from++)
        if (*from != '-')
            version->text[size++] = *from;
    version->text[size] = '\0';
}

static struct ss_map *channels_of(
    struct ss_record_versions *versions, const json_t *saved)
{
    const char *id = ss_json_str(saved, "id", "");
    json_t *values = json_object_get(saved, "channel_values");
    char *key = key_of(saved, ss_json_str(saved, "parent_id", ""));
    const struct ss_map *parent = ss_map_get(&versions->checkpoints, key);
    struct ss_map *channels = ss_zalloc(1, sizeof(*channels));
    const char *name;
    json_t *number;
    ss_free(key);
    json_object_foreach (
        json_object_get(saved, "channel_versions"), name, number) {
        struct version *version = ss_zalloc(1, sizeof(*version));
        const struct version *before = parent ? ss_map_get(parent, name) : NULL;
        version->number = json_integer_value(number);
        version->hash = hash_of(json_object_get(values, name));
        version->is_new = !before || before->number != version->number ||
                          before->hash != version->hash;
        if (version->is_new)
            write_text(version, id);
        else
            memcpy(version->text, before->text, sizeof(version->text));
        ss_free(ss_map_put(channels, name, version));
    }
    key = key_of(saved, id);
    struct ss_map *old = ss_map_put(&versions->checkpoints, key, channels);
    if (old)
        free_channels(old);
    ss_free(key);
    return channels;
}

// The text of a version that a node has seen: the channel's own if it is the
// current version.
static json_t *seen_text(
    const struct ss_map *channels, const char *channel, const json_t *number)
{
    const struct version *version = ss_map_get(channels, channel);
    struct version other = {.number = json_integer_value(number)};
    if (version && version->number == other.number)
        return json_string(version->text);
    write_text(&other, "0");
    return json_string(other.text);
}

// ---------------------------------------------------------------- the record

static int name_check(const struct rowing *rowing, const char *name)
{
    if (rowing->layout == SS_RECORD_WHOLE || !strchr(name, '\\'))
        return SS_OK;
    return ss_error_set(rowing->error, SS_EINVAL,
        "\"%.100s\" has a backslash: LangGraph could not read it back from "
        "PostgreSQL",
        name);
}

static bool stands_inline(const json_t *value)
{
    double number = json_real_value(value);
    if (json_is_string(value))
        return strlen(json_string_value(value)) == json_string_length(value);
    if (json_is_real(value))
        return fabs(number) < INLINE_REAL_MAX &&
               !(signbit(number) && number >= 0);
    return json_is_null(value) || json_is_boolean(value) ||
           json_is_integer(value);
}

static int add_blob(struct rowing *rowing, const char *name,
    const struct version *version, const json_t *value)
{
    struct ss_buf buf;
    struct ss_record_blob blob = {.channel = NULL};
    ss_buf_init(&buf, SS_LANGGRAPH_VALUE_MAX);
    int status = ss_typed_encode(
        name, false, value, rowing->allowed, &blob.tag, &buf, rowing->error);
    if (status != SS_OK) {
        ss_error_wrap(rowing->error, "channel %.100s", name);
        ss_buf_fini(&buf);
        return status;
    }
    blob.channel = ss_strdup(name);
    blob.version = ss_strdup(version->text);
    blob.size = buf.size;
    blob.bytes = buf.size ? ss_buf_steal(&buf, NULL) : NULL;
    ss_buf_fini(&buf);
    SS_VEC_PUSH(&rowing->rows->blobs, blob);
    return SS_OK;
}

// Scalars stay in the row; other values go into rows of their own, if they are
// new.
static int split_values(struct rowing *rowing, json_t *inline_values)
{
    const char *name;
    json_t *value;
    json_object_foreach (
        json_object_get(rowing->saved, "channel_values"), name, value) {
        const struct version *version = ss_map_get(rowing->channels, name);
        int status = name_check(rowing, name);
        if (status == SS_OK && !version)
            status = ss_error_set(rowing->error, SS_EFORMAT,
                "channel %.100s has no version", name);
        if (status == SS_OK && stands_inline(value))
            json_object_set(inline_values, name, value);
        else if (status == SS_OK && version->is_new)
            status = add_blob(rowing, name, version, value);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

// The record without its values. Gives.
static json_t *record_of(const struct rowing *rowing)
{
    const json_t *saved = rowing->saved;
    json_t *versions = json_object(), *seen = json_object();
    json_t *updated = json_object_get(saved, "updated_channels"), *entry;
    json_t *number;
    const char *node, *channel;
    for (const struct ss_map_entry *e = rowing->channels->first; e; e = e->next)
        json_object_set_new(versions, e->key,
            json_string(((const struct version *)e->value)->text));
    json_object_foreach (json_object_get(saved, "versions_seen"), node, entry) {
        json_t *texts = json_object();
        json_object_foreach (entry, channel, number) {
            json_object_set_new(
                texts, channel, seen_text(rowing->channels, channel, number));
        }
        json_object_set_new(seen, node, texts);
    }
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:O}", "v", FORMAT, "ts",
        ss_json_str(saved, "created_at", ""), "id",
        ss_json_str(saved, "id", ""), "channel_versions", versions,
        "versions_seen", seen, "updated_channels",
        updated ? updated : json_null());
}

static int write_split(struct rowing *rowing)
{
    json_t *record = record_of(rowing), *values = json_object();
    json_object_set_new(record, "channel_values", values);
    int status = split_values(rowing, values);
    rowing->rows->checkpoint = ss_json_text(record);
    rowing->rows->size = strlen(rowing->rows->checkpoint);
    json_decref(record);
    return status;
}

static int write_whole(struct rowing *rowing)
{
    static const struct ss_ext_allowed nothing;
    json_t *record = record_of(rowing), *value;
    json_t *values = json_object_get(rowing->saved, "channel_values");
    const char *name;
    struct ss_buf buf;
    int status = SS_OK;
    ss_buf_init(&buf, SS_LANGGRAPH_VALUE_MAX);
    ss_msgpack_map(&buf, json_object_size(record) + 1);
    json_object_foreach (record, name, value) {
        ss_msgpack_text(&buf, name);
        if (status == SS_OK)
            status = ss_item_encode(value, &nothing, &buf, rowing->error);
    }
    json_decref(record);
    ss_msgpack_text(&buf, "channel_values");
    ss_msgpack_map(&buf, json_object_size(values));
    json_object_foreach (values, name, value) {
        ss_msgpack_text(&buf, name);
        if (status == SS_OK) {
            status = ss_form_encode(
                name, false, value, rowing->allowed, &buf, rowing->error);
            if (status != SS_OK)
                ss_error_wrap(rowing->error, "channel %.100s", name);
        }
    }
    if (status == SS_OK && buf.status != SS_OK)
        status = ss_error_set(rowing->error, SS_ELIMIT,
            "the checkpoint takes more than %zu bytes", buf.size_max);
    if (status == SS_OK)
        rowing->rows->checkpoint = ss_buf_steal(&buf, &rowing->rows->size);
    ss_buf_fini(&buf);
    return status;
}

// ---------------------------------------------------------------- the writes

static int add_write(struct rowing *rowing, const json_t *write)
{
    struct ss_buf buf;
    struct ss_record_blob blob = {.channel = NULL};
    const char *channel = ss_json_str(write, "channel", "");
    const json_int_t idx = ss_json_int(write, "idx", 0);
    int status = name_check(rowing, channel);
    const json_t *value = json_object_get(write, "value");
    if (status == SS_OK && (!value || idx < INT32_MIN || idx > INT32_MAX))
        status = ss_error_set(rowing->error, SS_EFORMAT,
            "a write to %.100s has no value, or an index that fits into no row",
            channel);
    if (status != SS_OK)
        return status;
    ss_buf_init(&buf, SS_LANGGRAPH_VALUE_MAX);
    status = ss_typed_encode(
        channel, true, value, rowing->allowed, &blob.tag, &buf, rowing->error);
    if (status != SS_OK) {
        ss_error_wrap(rowing->error, "a write to %.100s", channel);
        ss_buf_fini(&buf);
        return status;
    }
    blob.channel = ss_strdup(channel);
    blob.task_id = ss_strdup(ss_json_str(write, "task_id", ""));
    blob.path = ss_strdup(ss_json_str(write, "path", ""));
    blob.idx = (int32_t)idx;
    blob.size = buf.size;
    blob.bytes = buf.size ? ss_buf_steal(&buf, NULL) : NULL;
    ss_buf_fini(&buf);
    SS_VEC_PUSH(&rowing->rows->writes, blob);
    return SS_OK;
}

static int add_writes(struct rowing *rowing)
{
    size_t i;
    json_t *write;
    json_array_foreach (
        json_object_get(rowing->saved, "pending_writes"), i, write) {
        int status = add_write(rowing, write);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

int ss_record_rows(const json_t *saved, enum ss_record_layout layout,
    const struct ss_ext_allowed *allowed, struct ss_record_versions *versions,
    struct ss_record_rows *ret_rows, struct ss_error *error)
{
    struct ss_record_rows rows = {0};
    const json_t *metadata = json_object_get(saved, "metadata");
    if (!json_is_object(metadata))
        return ss_error_set(error, SS_EFORMAT, "it has no metadata");
    struct rowing rowing = {.saved = saved,
        .layout = layout,
        .allowed = allowed,
        .channels = channels_of(versions, saved),
        .rows = &rows,
        .error = error};
    const char *parent = ss_json_str(saved, "parent_id", NULL);
    rows.ns = ss_strdup(ss_json_str(saved, "ns", ""));
    rows.id = ss_strdup(ss_json_str(saved, "id", ""));
    rows.parent = ss_strdup(parent);
    rows.metadata = ss_json_text(metadata);
    int status =
        layout == SS_RECORD_SPLIT ? write_split(&rowing) : write_whole(&rowing);
    if (status == SS_OK)
        status = add_writes(&rowing);
    if (status != SS_OK)
        ss_record_rows_fini(&rows);
    else
        *ret_rows = rows;
    return status;
}

static void fini_blob(struct ss_record_blob *blob)
{
    ss_free(blob->channel);
    ss_free(blob->version);
    ss_free(blob->task_id);
    ss_free(blob->path);
    ss_free(blob->tag);
    ss_free(blob->bytes);
}

void ss_record_rows_fini(struct ss_record_rows *rows)
{
    for (size_t i = 0; i < rows->blobs.count; i++)
        fini_blob(&rows->blobs.items[i]);
    for (size_t i = 0; i < rows->writes.count; i++)
        fini_blob(&rows->writes.items[i]);
    SS_VEC_FINI(&rows->blobs);
    SS_VEC_FINI(&rows->writes);
    ss_free(rows->ns);
    ss_free(rows->id);
    ss_free(rows->parent);
    ss_free(rows->checkpoint);
    ss_free(rows->metadata);
    *rows = (struct ss_record_rows){0};
}
