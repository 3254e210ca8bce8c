// row_pack.c - from a row to its body.
//
// The packed messages borrow texts and bytes from the row; only the structs
// themselves live in a budget, until the bytes are written.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/wire/budget.h"
#include "common/wire/row.h"
#include "common/wire/row_impl.h"
#include "common/wire/row_limits.h"
#include "superstep/v1/journal.pb-c.h"

// protobuf-c wants a mutable string, and does not touch it.
static char *borrow(const char *text)
{
    return (char *)(text ? text : "");
}

static ProtobufCBinaryData bytes_of(struct ss_value *value)
{
    ProtobufCBinaryData data;
    data.data = (uint8_t *)ss_value_text(value, &data.len);
    return data;
}

// 16 bytes in *ret_data if `id` is a UUID as we write them.
static bool uuid_pack(
    struct ss_budget *budget, const char *id, ProtobufCBinaryData *ret_data)
{
    uint8_t bytes[SS_ROW_UUID_SIZE];
    char text[SS_UUID_SIZE];
    if (!ss_uuid_parse(id, bytes)) {
        return false;
    }
    ss_row_uuid_text(bytes, text);
    if (strcmp(text, id) != 0) {
        return false;
    }
    ret_data->len = sizeof(bytes);
    ret_data->data = ss_budget_zalloc(budget, 1, sizeof(bytes));
    memcpy(ret_data->data, bytes, sizeof(bytes));
    return true;
}

// --- writes -----------------------------------------------------------------

static bool same_task(
    const struct ss_row_write *a, const struct ss_row_write *b)
{
    return strcmp(a->task_id, b->task_id) == 0 &&
           strcmp(borrow(a->path), borrow(b->path)) == 0;
}

static Superstep__V1__JournalWrite *write_pack(
    struct ss_budget *budget, const struct ss_row_write *write)
{
    Superstep__V1__JournalWrite *packed =
        ss_budget_zalloc(budget, 1, sizeof(*packed));
    superstep__v1__journal_write__init(packed);
    packed->idx = write->idx;
    packed->channel = borrow(write->channel);
    if (write->value) {
        packed->tag = (uint32_t)ss_value_tag(write->value);
        packed->has_tag = packed->tag != SS_VALUE_JSON;
        packed->has_data = 1;
        packed->data = bytes_of(write->value);
    }
    return packed;
}

static Superstep__V1__JournalTask *task_pack(
    struct ss_budget *budget, const struct ss_row_write *writes, size_t count)
{
    Superstep__V1__JournalTask *task =
        ss_budget_zalloc(budget, 1, sizeof(*task));
    superstep__v1__journal_task__init(task);
    if (uuid_pack(budget, writes[0].task_id, &task->uuid)) {
        task->has_uuid = 1;
    } else {
        task->id = borrow(writes[0].task_id);
    }
    task->path = writes[0].path && writes[0].path[0] ? writes[0].path : NULL;
    task->n_writes = count;
    task->writes = ss_budget_zalloc(budget, count, sizeof(*task->writes));
    for (size_t i = 0; i < count; i++) {
        task->writes[i] = write_pack(budget, &writes[i]);
    }
    return task;
}

static void tasks_pack(struct ss_budget *budget, const struct ss_row *row,
    Superstep__V1__JournalRow *packed)
{
    if (row->writes_count == 0) {
        return;
    }
    packed->tasks =
        ss_budget_zalloc(budget, row->writes_count, sizeof(*packed->tasks));
    for (size_t from = 0; from < row->writes_count;) {
        size_t to = from + 1;
        while (to < row->writes_count &&
               same_task(&row->writes[from], &row->writes[to])) {
            to++;
        }
        packed->tasks[packed->n_tasks++] =
            task_pack(budget, &row->writes[from], to - from);
        from = to;
    }
}

// --- checkpoint -------------------------------------------------------------

static Superstep__V1__JournalChannel *channel_pack(
    struct ss_budget *budget, const struct ss_row_channel *channel)
{
    Superstep__V1__JournalChannel *packed =
        ss_budget_zalloc(budget, 1, sizeof(*packed));
    superstep__v1__journal_channel__init(packed);
    packed->name = borrow(channel->name);
    packed->version = channel->version;
    packed->change = (Superstep__V1__JournalChange)channel->op;
    packed->has_change = channel->op != SS_DELTA_SET;
    if (channel->value) {
        packed->tag = (uint32_t)ss_value_tag(channel->value);
        packed->has_tag = packed->tag != SS_VALUE_JSON;
        packed->has_data = 1;
        packed->data = bytes_of(channel->value);
    }
    return packed;
}

static Superstep__V1__JournalVersion *version_pack(
    struct ss_budget *budget, const struct ss_row_seen *seen)
{
    Superstep__V1__JournalVersion *packed =
        ss_budget_zalloc(budget, 1, sizeof(*packed));
    superstep__v1__journal_version__init(packed);
    packed->channel = borrow(seen->channel);
    packed->version = seen->version;
    return packed;
}

// How many of `seen` make one message: those of a node that have a channel, or
// one that has none.
static size_t seen_group(const struct ss_row_seen *seen, size_t count)
{
    size_t size = 1;
    while (seen[0].channel && size < count && seen[size].channel &&
           strcmp(seen[0].node, seen[size].node) == 0) {
        size++;
    }
    return size;
}

static void seen_pack(struct ss_budget *budget,
    const struct ss_row_checkpoint *checkpoint,
    Superstep__V1__JournalCheckpoint *packed)
{
    packed->seen = ss_budget_zalloc(
        budget, checkpoint->seen_count + 1, sizeof(*packed->seen));
    for (size_t at = 0; at < checkpoint->seen_count;) {
        const struct ss_row_seen *first = &checkpoint->seen[at];
        size_t count = seen_group(first, checkpoint->seen_count - at);
        Superstep__V1__JournalSeen *seen =
            ss_budget_zalloc(budget, 1, sizeof(*seen));
        superstep__v1__journal_seen__init(seen);
        seen->node = borrow(first->node);
        seen->versions =
            ss_budget_zalloc(budget, count, sizeof(*seen->versions));
        for (size_t i = 0; i < count && first->channel; i++) {
            seen->versions[seen->n_versions++] =
                version_pack(budget, &first[i]);
        }
        packed->seen[packed->n_seen++] = seen;
        at += count;
    }
}

static Superstep__V1__JournalCheckpoint *checkpoint_pack(
    struct ss_budget *budget, const struct ss_row_checkpoint *checkpoint)
{
    Superstep__V1__JournalCheckpoint *packed =
        ss_budget_zalloc(budget, 1, sizeof(*packed));
    superstep__v1__journal_checkpoint__init(packed);
    packed->has_whole = packed->whole = checkpoint->whole;
    packed->n_channels = checkpoint->channels_count;
    packed->channels = ss_budget_zalloc(
        budget, packed->n_channels + 1, sizeof(*packed->channels));
    for (size_t i = 0; i < packed->n_channels; i++) {
        packed->channels[i] = channel_pack(budget, &checkpoint->channels[i]);
    }
    seen_pack(budget, checkpoint, packed);
    if (checkpoint->updated_known) {
        packed->updated = ss_budget_zalloc(budget, 1, sizeof(*packed->updated));
        superstep__v1__journal_names__init(packed->updated);
        packed->updated->n_names = checkpoint->updated_count;
        packed->updated->names = checkpoint->updated;
    }
    return packed;
}

// --- events -----------------------------------------------------------------

static void id_pack(struct ss_budget *budget, const char *id,
    protobuf_c_boolean *ret_has, ProtobufCBinaryData *ret_uuid, char **ret_text)
{
    if (id[0]) {
        *ret_has = uuid_pack(budget, id, ret_uuid);
        *ret_text = *ret_has ? NULL : borrow(id);
    }
}

static Superstep__V1__JournalEvent *event_pack(
    struct ss_budget *budget, const struct ss_row_event *event)
{
    Superstep__V1__JournalEvent *packed =
        ss_budget_zalloc(budget, 1, sizeof(*packed));
    superstep__v1__journal_event__init(packed);
    packed->what = (uint32_t)event->what;
    packed->ns = event->ns;
    id_pack(
        budget, event->of, &packed->has_of_uuid, &packed->of_uuid, &packed->of);
    id_pack(budget, event->task_id, &packed->has_task_uuid, &packed->task_uuid,
        &packed->task);
    if (event->data) {
        char *text = ss_json_text(event->data);
        packed->has_data = 1;
        packed->data.len = strlen(text);
        packed->data.data = ss_budget_zalloc(budget, 1, packed->data.len + 1);
        memcpy(packed->data.data, text, packed->data.len);
        ss_free(text);
    }
    return packed;
}

static void events_pack(struct ss_budget *budget, const struct ss_row *row,
    Superstep__V1__JournalRow *packed)
{
    packed->n_events = row->events_count;
    packed->events = ss_budget_zalloc(
        budget, row->events_count + 1, sizeof(*packed->events));
    for (size_t i = 0; i < row->events_count; i++) {
        packed->events[i] = event_pack(budget, &row->events[i]);
    }
}

// --- the row ----------------------------------------------------------------

static void json_bytes(const json_t *json, char **text,
    protobuf_c_boolean *ret_has, ProtobufCBinaryData *ret_data)
{
    if (json) {
        *text = ss_json_text(json);
        *ret_has = 1;
        ret_data->data = (uint8_t *)*text;
        ret_data->len = strlen(*text);
    }
}

// `size` bytes, the check among them, for which there is room.
static void message_write(
    const Superstep__V1__JournalRow *packed, size_t size, struct ss_buf *ret)
{
    uint8_t *body = (uint8_t *)ss_buf_room(ret, size);
    ss_check(body != NULL);
    size -= SS_ROW_CHECK_SIZE;
    ss_check(protobuf_c_message_pack(&packed->base, body) == size);
    uint64_t hash = ss_hash64((const char *)body, size);
    uint8_t *check = body + size;
    check[0] = SS_ROW_CHECK_KEY;
    for (size_t i = 1; i < SS_ROW_CHECK_SIZE; i++) {
        check[i] = (uint8_t)(hash >> (8 * (i - 1)));
    }
}

int ss_row_encode(
    const struct ss_row *row, struct ss_buf *ret, struct ss_error *error)
{
    struct ss_budget budget;
    ss_budget_init(&budget, SIZE_MAX);
    Superstep__V1__JournalRow packed = SUPERSTEP__V1__JOURNAL_ROW__INIT;
    char *entry = NULL;
    char *end = NULL;
    packed.has_void_from = row->void_from != 0;
    packed.void_from = row->void_from;
    packed.has_void_seq = row->void_seq != 0;
    packed.void_seq = row->void_seq;
    if (row->of[0]) {
        packed.has_of_uuid = uuid_pack(&budget, row->of, &packed.of_uuid);
        packed.of = packed.has_of_uuid ? NULL : borrow(row->of);
    }
    if (row->answer_of[0]) {
        packed.has_answer_of_uuid =
            uuid_pack(&budget, row->answer_of, &packed.answer_of_uuid);
        packed.answer_of =
            packed.has_answer_of_uuid ? NULL : borrow(row->answer_of);
    }
    json_bytes(row->entry, &entry, &packed.has_entry, &packed.entry);
    json_bytes(row->end, &end, &packed.has_end, &packed.end);
    tasks_pack(&budget, row, &packed);
    events_pack(&budget, row, &packed);
    if (row->has_checkpoint) {
        packed.checkpoint = checkpoint_pack(&budget, &row->checkpoint);
    }
    size_t size =
        protobuf_c_message_get_packed_size(&packed.base) + SS_ROW_CHECK_SIZE;
    int status = SS_OK;
    if (size > SS_ROW_SIZE_MAX || size > ret->size_max - ret->size) {
        status = ss_error_set(error, SS_ELIMIT,
            "a journal row of %zu bytes; the limit is %zu", size,
            SS_ROW_SIZE_MAX);
    } else {
        message_write(&packed, size, ret);
    }
    ss_budget_fini(&budget);
    ss_free(entry);
    ss_free(end);
    return status;
}
