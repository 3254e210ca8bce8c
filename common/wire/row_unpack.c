// row_unpack.c - from a body to a row.
//
// The hash over the body comes first. What it lets through is still unpacked
// from a budget and checked: whoever can write to the database can compute the
// hash, too.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/wire/budget.h"
#include "common/wire/row.h"
#include "common/wire/row_impl.h"
#include "common/wire/row_limits.h"
#include "superstep/v1/journal.pb-c.h"

static int damaged(struct ss_error *error, const char *what)
{
    return ss_error_set(error, SS_ECORRUPT, "a damaged journal row: %s", what);
}

static int id_take(protobuf_c_boolean has_uuid, ProtobufCBinaryData uuid,
    const char *text, char ret_id[SS_UUID_SIZE], struct ss_error *error)
{
    if (has_uuid) {
        if (uuid.len != SS_ROW_UUID_SIZE) {
            return damaged(error, "an id of another size");
        }
        ss_uuid_text(uuid.data, ret_id);
        return SS_OK;
    }
    size_t size = text ? strlen(text) : 0;
    if (size >= SS_UUID_SIZE) {
        return damaged(error, "too long an id");
    }
    memcpy(ret_id, text ? text : "", size + 1);
    return SS_OK;
}

static int value_take(protobuf_c_boolean has_data, uint32_t tag,
    ProtobufCBinaryData data, struct ss_value **ret_value,
    struct ss_error *error)
{
    if (!has_data) {
        return SS_OK;
    }
    const char *bytes = data.len > 0 ? (const char *)data.data : "";
    switch (tag) {
    case SS_VALUE_JSON:
        *ret_value = ss_value_from_text(bytes, data.len);
        return SS_OK;
    case SS_VALUE_BYTES:
    case SS_VALUE_MSGPACK:
        *ret_value = ss_value_opaque((enum ss_value_tag)tag, bytes, data.len);
        return SS_OK;
    default:
        return damaged(error, "an unknown tag of a value");
    }
}

static int json_take(protobuf_c_boolean has, ProtobufCBinaryData data,
    json_t **ret_json, struct ss_error *error)
{
    if (!has) {
        return SS_OK;
    }
    const char *text = data.len > 0 ? (const char *)data.data : "";
    int status = ss_json_parse(text, data.len, ret_json, NULL);
    return status == SS_OK ? SS_OK : damaged(error, "what should be JSON");
}

// --- writes -----------------------------------------------------------------

// The last of the row's; its path stands there.
static int write_take(const Superstep__V1__JournalTask *task,
    const Superstep__V1__JournalWrite *packed, struct ss_row *row,
    struct ss_error *error)
{
    struct ss_row_write *write = &row->writes[row->writes_count - 1];
    write->idx = packed->idx;
    write->channel = ss_arena_text(&row->memory, packed->channel);
    int status =
        id_take(task->has_uuid, task->uuid, task->id, write->task_id, error);
    if (status == SS_OK) {
        status = value_take(
            packed->has_data, packed->tag, packed->data, &write->value, error);
    }
    return status;
}

static int writes_take(const Superstep__V1__JournalRow *packed,
    struct ss_row *row, struct ss_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < packed->n_tasks; i++) {
        count += packed->tasks[i]->n_writes;
    }
    row->writes = ss_arena_zalloc(&row->memory, count, sizeof(*row->writes));
    int status = SS_OK;
    for (size_t i = 0; i < packed->n_tasks; i++) {
        const Superstep__V1__JournalTask *task = packed->tasks[i];
        char *path = ss_arena_text(&row->memory, task->path ? task->path : "");
        for (size_t w = 0; w < task->n_writes && status == SS_OK; w++) {
            row->writes[row->writes_count++].path = path;
            status = write_take(task, task->writes[w], row, error);
        }
    }
    return status;
}

// --- checkpoint -------------------------------------------------------------

static int channels_take(const Superstep__V1__JournalCheckpoint *packed,
    struct ss_row *row, struct ss_error *error)
{
    struct ss_row_checkpoint *checkpoint = &row->checkpoint;
    checkpoint->channels = ss_arena_zalloc(
        &row->memory, packed->n_channels, sizeof(*checkpoint->channels));
    int status = SS_OK;
    for (size_t i = 0; i < packed->n_channels && status == SS_OK; i++) {
        const Superstep__V1__JournalChannel *from = packed->channels[i];
        struct ss_row_channel *to =
            &checkpoint->channels[checkpoint->channels_count++];
        to->name = ss_arena_text(&row->memory, from->name);
        to->version = from->version;
        to->op = (enum ss_delta_op)from->change;
        if ((int)from->change < SS_DELTA_SET ||
            (int)from->change > SS_DELTA_EDIT) {
            return damaged(error, "an unknown change of a channel");
        }
        status = value_take(
            from->has_data, from->tag, from->data, &to->value, error);
    }
    return status;
}

static void seen_take(
    const Superstep__V1__JournalCheckpoint *packed, struct ss_row *row)
{
    struct ss_row_checkpoint *checkpoint = &row->checkpoint;
    size_t count = 0;
    for (size_t i = 0; i < packed->n_seen; i++) {
        size_t versions = packed->seen[i]->n_versions;
        count += versions > 0 ? versions : 1;
    }
    checkpoint->seen =
        ss_arena_zalloc(&row->memory, count, sizeof(*checkpoint->seen));
    for (size_t i = 0; i < packed->n_seen; i++) {
        const Superstep__V1__JournalSeen *from = packed->seen[i];
        char *node = ss_arena_text(&row->memory, from->node);
        if (from->n_versions == 0) {
            checkpoint->seen[checkpoint->seen_count++].node = node;
        }
        for (size_t v = 0; v < from->n_versions; v++) {
            struct ss_row_seen *to =
                &checkpoint->seen[checkpoint->seen_count++];
            to->node = node;
            to->channel =
                ss_arena_text(&row->memory, from->versions[v]->channel);
            to->version = from->versions[v]->version;
        }
    }
}

static int checkpoint_take(const Superstep__V1__JournalCheckpoint *packed,
    struct ss_row *row, struct ss_error *error)
{
    struct ss_row_checkpoint *checkpoint = &row->checkpoint;
    checkpoint->whole = packed->has_whole && packed->whole;
    seen_take(packed, row);
    if (packed->updated) {
        size_t count = packed->updated->n_names;
        checkpoint->updated_known = true;
        checkpoint->updated =
            ss_arena_take(&row->memory, count * sizeof(char *));
        for (size_t i = 0; i < count; i++) {
            checkpoint->updated[i] =
                ss_arena_text(&row->memory, packed->updated->names[i]);
        }
        checkpoint->updated_count = count;
    }
    return channels_take(packed, row, error);
}

// --- events -----------------------------------------------------------------

// An id of an event; NULL: it has none.
static int event_id_take(protobuf_c_boolean has_uuid, ProtobufCBinaryData uuid,
    const char *text, struct ss_row *row, const char **ret,
    struct ss_error *error)
{
    char id[SS_UUID_SIZE] = "";
    int status = id_take(has_uuid, uuid, text, id, error);
    *ret = id[0] ? ss_arena_text(&row->memory, id) : NULL;
    return status;
}

static int events_take(const Superstep__V1__JournalRow *packed,
    struct ss_row *row, struct ss_error *error)
{
    int status = SS_OK;
    row->events_capacity = packed->n_events + 1;
    row->events = ss_arena_zalloc(
        &row->memory, row->events_capacity, sizeof(*row->events));
    for (size_t i = 0; i < packed->n_events && status == SS_OK; i++) {
        const Superstep__V1__JournalEvent *from = packed->events[i];
        struct ss_row_event *to = &row->events[row->events_count++];
        to->what = (enum ss_told)from->what;
        to->ns = ss_arena_text(&row->memory, from->ns);
        status = event_id_take(
            from->has_of_uuid, from->of_uuid, from->of, row, &to->of, error);
        if (status == SS_OK) {
            status = event_id_take(from->has_task_uuid, from->task_uuid,
                from->task, row, &to->task_id, error);
        }
        if (status == SS_OK) {
            status = json_take(from->has_data, from->data, &to->data, error);
        }
    }
    return status;
}

// --- the row ----------------------------------------------------------------

static int row_take(const Superstep__V1__JournalRow *packed, struct ss_row *row,
    struct ss_error *error)
{
    row->void_from = packed->void_from;
    row->void_seq = packed->void_seq;
    int status = id_take(
        packed->has_of_uuid, packed->of_uuid, packed->of, row->of, error);
    if (status == SS_OK) {
        status = id_take(packed->has_answer_of_uuid, packed->answer_of_uuid,
            packed->answer_of, row->answer_of, error);
    }
    if (status == SS_OK) {
        status =
            json_take(packed->has_entry, packed->entry, &row->entry, error);
    }
    if (status == SS_OK) {
        status = json_take(packed->has_end, packed->end, &row->end, error);
    }
    if (status == SS_OK) {
        status = writes_take(packed, row, error);
    }
    if (status == SS_OK) {
        status = events_take(packed, row, error);
    }
    if (status == SS_OK && packed->checkpoint) {
        row->has_checkpoint = true;
        status = checkpoint_take(packed->checkpoint, row, error);
    }
    return status;
}

static bool check_holds(const uint8_t *bytes, size_t size)
{
    if (size < SS_ROW_CHECK_SIZE) {
        return false;
    }
    const uint8_t *check = bytes + size - SS_ROW_CHECK_SIZE;
    uint64_t hash = 0;
    for (size_t i = SS_ROW_CHECK_SIZE - 1; i > 0; i--) {
        hash = hash << 8 | check[i];
    }
    return check[0] == SS_ROW_CHECK_KEY &&
           hash == ss_hash64(bytes, size - SS_ROW_CHECK_SIZE);
}

int ss_row_decode(
    const void *bytes, size_t size, struct ss_row **ret, struct ss_error *error)
{
    if (size > SS_ROW_SIZE_MAX) {
        return ss_error_set(error, SS_ELIMIT,
            "a journal row of %zu bytes; the limit is %zu", size,
            SS_ROW_SIZE_MAX);
    }
    if (!check_holds(bytes, size)) {
        return damaged(error, "its bytes are not those that were written");
    }
    struct ss_budget budget;
    ss_budget_init(
        &budget, SS_ROW_BUDGET_BASE + size * (size_t)SS_ROW_BUDGET_FACTOR);
    Superstep__V1__JournalRow *packed =
        superstep__v1__journal_row__unpack(&budget.allocator, size, bytes);
    struct ss_row *row = ss_row_new();
    int status = SS_OK;
    if (packed) {
        status = row_take(packed, row, error);
    } else if (budget.is_spent) {
        status = ss_error_set(error, SS_ELIMIT,
            "a journal row of %zu bytes takes too much memory", size);
    } else {
        status = damaged(error, "it does not follow its schema");
    }
    ss_budget_fini(&budget);
    if (status != SS_OK) {
        ss_row_destroy(&row);
        return status;
    }
    row->size = size;
    *ret = row;
    return SS_OK;
}
