// record_in.c - rows of LangGraph's tables become a saved checkpoint.
#include <math.h>
#include <string.h>

#include "client/langgraph/record.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "common/model/value.h"

// Older formats are converted by migrate.c (spec/engine.md R13.20).
enum { FORMAT = 4, FORMAT_MIN = 1 };
// An empty checkpoint that holds what a run with durability "exit" wrote to
// delta channels (R5.40); it says no source.
enum { STUB_STEP = -2 };
// Where SQLite's rows had what was sent, before format 4. In PostgreSQL's it is
// empty, and the sends are looked for among the parent's writes.
#define SENDS "pending_sends"

// ---------------------------------------------------------------- versions

// The number before the first point of a text, or a number's whole part.
static bool version_of(const json_t *json, int64_t *ret_version)
{
    const char *text = json_string_value(json);
    double number = floor(json_number_value(json));
    if (json_is_integer(json)) {
        *ret_version = json_integer_value(json);
        return *ret_version >= 0;
    }
    if (json_is_real(json)) {
        *ret_version = number >= 0 && number < 1e15 ? (int64_t)number : -1;
        return *ret_version >= 0;
    }
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (digits == 0 || (text[digits] && text[digits] != '.'))
        return false;
    *ret_version = 0;
    for (size_t i = 0; i < digits; i++) {
        if (*ret_version > (INT64_MAX - 9) / 10)
            return false;
        *ret_version = *ret_version * 10 + (text[i] - '0');
    }
    return true;
}

// Gives the same map with numbers; NULL after an error.
static json_t *numbers_of(
    json_t *versions, const char *what, struct ss_error *error)
{
    json_t *numbers = json_object();
    const char *name;
    json_t *value;
    int64_t number;
    bool good = json_is_object(versions);
    json_object_foreach (versions, name, value) {
        good = good && version_of(value, &number);
        if (good)
            json_object_set_new(numbers, name, json_integer(number));
    }
    if (good)
        return numbers;
    json_decref(numbers);
    ss_error_set(error, SS_EFORMAT,
        "column checkpoint: %s is not a map of versions", what);
    return NULL;
}

static int put_versions(json_t *saved, json_t *record, struct ss_error *error)
{
    json_t *seen = json_object(), *entry;
    json_t *values = json_object_get(saved, "channel_values");
    const char *node;
    void *next;
    json_object_set_new(saved, "versions_seen", seen);
    json_t *versions = numbers_of(
        json_object_get(record, "channel_versions"), "channel_versions", error);
    if (!versions)
        return SS_EFORMAT;
    json_object_set_new(saved, "channel_versions", versions);
    // LangGraph.js stores what channels begin with, too
    json_object_foreach_safe(values, next, node, entry)
    {
        if (!json_object_get(versions, node))
            json_object_del(values, node);
    }
    json_t *given = json_object_get(record, "versions_seen");
    if (!json_is_object(given))
        return ss_error_set(
            error, SS_EFORMAT, "column checkpoint: versions_seen is not a map");
    json_object_foreach (given, node, entry) {
        json_t *numbers = numbers_of(entry, "versions_seen", error);
        if (!numbers)
            return SS_EFORMAT;
        json_object_set_new(seen, node, numbers);
    }
    return SS_OK;
}

// ---------------------------------------------------------------- the record

static bool is_name(const struct ss_msgpack_item *item)
{
    return item->type == SS_MSGPACK_STR &&
           (item->size == 0 || !memchr(item->bytes, '\0', item->size));
}

// Channel by channel: each is read in its own form.
static int values_from_msgpack(
    struct ss_msgpack_reader *reader, json_t *values, struct ss_error *error)
{
    struct ss_msgpack_item map, key;
    int status = ss_msgpack_read(reader, &map, error);
    if (status == SS_OK && map.type != SS_MSGPACK_MAP)
        status = ss_error_set(error, SS_EFORMAT, "channel_values is not a map");
    for (size_t i = 0; status == SS_OK && i < map.count; i++) {
        json_t *value = NULL;
        status = ss_msgpack_read(reader, &key, error);
        if (status == SS_OK && !is_name(&key))
            status = ss_error_set(
                error, SS_EFORMAT, "channel_values: a name that is not text");
        if (status != SS_OK)
            return status;
        char *name = ss_memdup(key.bytes, key.size);
        status = ss_form_decode(name, false, reader, &value, error);
        if (status != SS_OK)
            ss_error_wrap(error, "channel %.100s", name);
        else if (json_object_set_new(values, name, value) != 0)
            status = ss_error_set(
                error, SS_EFORMAT, "channel_values: a name that is not UTF-8");
        ss_free(name);
    }
    return status;
}

static int record_from_msgpack(const void *bytes, size_t size, json_t *values,
    json_t *record, struct ss_error *error)
{
    struct ss_msgpack_reader reader;
    struct ss_msgpack_item map, key;
    ss_msgpack_init(&reader, bytes, size);
    int status = ss_msgpack_read(&reader, &map, error);
    if (status == SS_OK && map.type != SS_MSGPACK_MAP)
        status = ss_error_set(error, SS_EFORMAT, "it is not a map");
    for (size_t i = 0; status == SS_OK && i < map.count; i++) {
        static const char name[] = "channel_values";
        json_t *value = NULL;
        status = ss_msgpack_read(&reader, &key, error);
        if (status == SS_OK && !is_name(&key))
            status =
                ss_error_set(error, SS_EFORMAT, "one of its keys is not text");
        if (status != SS_OK)
            return status;
        if (key.size == sizeof(name) - 1 &&
            memcmp(key.bytes, name, key.size) == 0) {
            status = values_from_msgpack(&reader, values, error);
            continue;
        }
        char *text = ss_memdup(key.bytes, key.size);
        status =
            strcmp(text, SENDS) == 0
                ? ss_form_decode(SS_NAME_TASKS, false, &reader, &value, error)
                : ss_item_decode(&reader, &value, error);
        if (status == SS_OK && json_object_set_new(record, text, value) != 0)
            status =
                ss_error_set(error, SS_EFORMAT, "one of its keys is not UTF-8");
        ss_free(text);
    }
    return status == SS_OK ? ss_msgpack_end(&reader, error) : status;
}

// The values in the row itself; each is JSON, under the rules of its channel.
static int record_from_json(const void *bytes, size_t size, json_t *values,
    json_t **ret_record, struct ss_error *error)
{
    const char *name;
    json_t *value;
    int status = ss_json_parse(bytes, size, ret_record, error);
    if (status != SS_OK)
        return status;
    json_object_del(*ret_record, SENDS);
    json_object_foreach (
        json_object_get(*ret_record, "channel_values"), name, value) {
        json_t *checked = NULL;
        char *text = ss_json_text(value);
        status = ss_typed_decode(
            name, false, "json", text, strlen(text), &checked, error);
        ss_free(text);
        if (status != SS_OK) {
            ss_error_wrap(error, "channel %.100s", name);
            return status;
        }
        json_object_set_new(values, name, checked);
    }
    return SS_OK;
}

static int read_record(const struct ss_record *row, json_t *values,
    json_t **ret_record, struct ss_error *error)
{
    if (row->size > SS_LANGGRAPH_VALUE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "it has %zu bytes; %zu are the "
            "most",
            row->size, SS_LANGGRAPH_VALUE_MAX);
    if (strcmp(row->tag, "json") == 0)
        return record_from_json(
            row->size ? row->bytes : "", row->size, values, ret_record, error);
    if (strcmp(row->tag, "msgpack") != 0)
        return ss_error_set(error, SS_EINVAL,
            "it is stored as \"%.100s\", which cannot be looked into",
            row->tag);
    *ret_record = json_object();
    return record_from_msgpack(
        row->bytes, row->size, values, *ret_record, error);
}

static int put_record(const struct ss_record *row, json_t *saved,
    json_t *record, struct ss_error *error)
{
    json_t *format = json_object_get(record, "v");
    json_t *updated = json_object_get(record, "updated_channels");
    json_t *time = json_object_get(record, "ts");
    int64_t wall_us;
    if (!json_is_number(format))
        return ss_error_set(
            error, SS_EFORMAT, "column checkpoint: v is not a number");
    if (json_number_value(format) < FORMAT_MIN)
        return ss_error_set(error, SS_EINVAL,
            "column checkpoint: it has format %g, and %d is the oldest there "
            "is",
            json_number_value(format), FORMAT_MIN);
    if (json_number_value(format) < FORMAT)
        json_object_update_new(saved,
            json_pack("{s:I, s:O*}", "v", (json_int_t)json_number_value(format),
                SENDS, json_object_get(record, SENDS)));
    if (strcmp(ss_json_str(record, "id", ""), row->id) != 0)
        return ss_error_set(error, SS_EFORMAT,
            "column checkpoint: its id is not that of the row");
    if (!ss_time_read(ss_json_str(record, "ts", ""), &wall_us) ||
        strlen(json_string_value(time)) != json_string_length(time))
        return ss_error_set(
            error, SS_EFORMAT, "column checkpoint: ts is not a time");
    json_object_set(saved, "created_at", time);
    json_object_set(saved, "updated_channels", updated ? updated : json_null());
    return put_versions(saved, record, error);
}

static int put_metadata(
    const struct ss_record *row, json_t *saved, struct ss_error *error)
{
    json_t *metadata = NULL;
    int status =
        ss_json_parse(row->metadata, row->metadata_size, &metadata, error);
    if (status != SS_OK) {
        ss_error_wrap(error, "column metadata");
        return status;
    }
    json_t *source = json_object_get(metadata, "source");
    json_t *step = json_object_get(metadata, "step");
    bool is_stub = !source && json_integer_value(step) == STUB_STEP;
    if ((is_stub || json_is_string(source)) && json_is_integer(step)) {
        json_object_set_new(saved, "source",
            is_stub ? json_string("input") : json_incref(source));
        json_object_set(saved, "step", step);
        json_object_del(metadata, "__loop__"); // a key of ours
        json_object_set(saved, "metadata", metadata);
    } else {
        status = ss_error_set(
            error, SS_EFORMAT, "column metadata: source or step is missing");
    }
    json_decref(metadata);
    return status;
}

int ss_record_open(
    const struct ss_record *row, json_t **ret_saved, struct ss_error *error)
{
    json_t *values = json_object(), *record = NULL;
    const char *parent = row->parent && row->parent[0] ? row->parent : NULL;
    json_t *saved =
        json_pack("{s:s, s:s, s:s?, s:o, s:[]}", "ns", row->ns, "id", row->id,
            "parent_id", parent, "channel_values", values, "pending_writes");
    if (!saved)
        return ss_error_set(error, SS_EFORMAT, "one of its keys is not UTF-8");
    int status = read_record(row, values, &record, error);
    if (status != SS_OK)
        ss_error_wrap(error, "column checkpoint");
    if (status == SS_OK)
        status = put_record(row, saved, record, error);
    if (status == SS_OK)
        status = put_metadata(row, saved, error);
    json_decref(record);
    if (status == SS_OK)
        *ret_saved = saved;
    else
        json_decref(saved);
    return status;
}

int ss_record_value(json_t *saved, const char *channel, const char *tag,
    const void *bytes, size_t size, struct ss_error *error)
{
    json_t *value = NULL;
    if (strcmp(tag, "empty") == 0)
        return SS_OK;
    int status =
        ss_typed_decode(channel, false, tag, bytes, size, &value, error);
    if (status == SS_OK &&
        json_object_set_new(
            json_object_get(saved, "channel_values"), channel, value) != 0)
        status = ss_error_set(error, SS_EFORMAT, "a name that is not UTF-8");
    return status;
}

int ss_record_write(
    json_t *saved, const struct ss_record_write *write, struct ss_error *error)
{
    json_t *value = NULL;
    int status = ss_typed_decode(write->channel, true, write->tag, write->bytes,
        write->size, &value, error);
    if (status != SS_OK)
        return status;
    json_t *one = json_pack("{s:s, s:s, s:I, s:s, s:O}", "task_id",
        write->task_id, "path", write->path, "idx", (json_int_t)write->idx,
        "channel", write->channel, "value", value);
    json_decref(value);
    if (!one)
        return ss_error_set(error, SS_EFORMAT, "a name that is not UTF-8");
    json_array_append_new(json_object_get(saved, "pending_writes"), one);
    if (strcmp(write->tag, "json") == 0)
        json_object_set_new(saved, "foreign", json_true());
    return SS_OK;
}
