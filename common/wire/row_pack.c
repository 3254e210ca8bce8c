// row_pack.c - from a row to its body.
//
// tail.h writes the bytes that protobuf-c would write
// (tests/unit/wire/row_test.c).
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/wire/row.h"
#include "common/wire/row_impl.h"
#include "common/wire/row_limits.h"
#include "common/wire/tail.h"

// 16 bytes in `field` if `id` is a UUID as we write them, else text in the next
// one.
static void pack_id(struct ss_tail *tail, unsigned field, const char *id)
{
    uint8_t bytes[SS_ROW_UUID_SIZE];
    if (ss_uuid_parse_canonical(id, bytes))
        ss_tail_data(tail, field, bytes, sizeof(bytes));
    else
        ss_tail_text(tail, field + 1, id);
}

// Its bytes, with its tag in the field before.
static void pack_value(
    struct ss_tail *tail, unsigned field, struct ss_value *value)
{
    if (!value)
        return;
    size_t size = 0;
    const char *bytes = ss_value_text(value, &size);
    ss_tail_data(tail, field, bytes, size);
    if (ss_value_tag(value) != SS_VALUE_JSON)
        ss_tail_number(tail, field - 1, (uint64_t)ss_value_tag(value));
}

static void pack_json(struct ss_tail *tail, unsigned field, const json_t *json)
{
    if (!json)
        return;
    char *text = ss_json_text(json);
    ss_tail_text(tail, field, text);
    ss_free(text);
}

// --- writes -----------------------------------------------------------------

static const char *path_of(const struct ss_row_write *write)
{
    return write->path ? write->path : "";
}

static bool same_task(
    const struct ss_row_write *a, const struct ss_row_write *b)
{
    return strcmp(a->task_id, b->task_id) == 0 &&
           strcmp(path_of(a), path_of(b)) == 0;
}

static void write_pack(struct ss_tail *tail, const struct ss_row_write *write)
{
    size_t from = tail->size;
    pack_value(tail, 4, write->value);
    ss_tail_text(tail, 2, write->channel);
    ss_tail_signed(tail, 1, write->idx);
    ss_tail_message(tail, 4, from);
}

static void tasks_pack(struct ss_tail *tail, const struct ss_row *row)
{
    for (size_t at = row->writes_count; at > 0;) {
        size_t from = tail->size;
        const struct ss_row_write *last = &row->writes[at - 1];
        while (at > 0 && same_task(&row->writes[at - 1], last))
            write_pack(tail, &row->writes[--at]);
        if (path_of(last)[0])
            ss_tail_text(tail, 3, last->path);
        pack_id(tail, 1, last->task_id);
        ss_tail_message(tail, 6, from);
    }
}

// --- checkpoint -------------------------------------------------------------

static void channel_pack(
    struct ss_tail *tail, const struct ss_row_channel *channel)
{
    size_t from = tail->size;
    pack_value(tail, 5, channel->value);
    if (channel->op != SS_DELTA_SET)
        ss_tail_number(tail, 3, (uint64_t)channel->op);
    ss_tail_signed(tail, 2, channel->version);
    ss_tail_text(tail, 1, channel->name);
    ss_tail_message(tail, 2, from);
}

static void version_pack(struct ss_tail *tail, const struct ss_row_seen *seen)
{
    size_t from = tail->size;
    ss_tail_signed(tail, 2, seen->version);
    ss_tail_text(tail, 1, seen->channel);
    ss_tail_message(tail, 2, from);
}

// Versions of a node that stand together make one message; an entry without a
// channel makes one of its own.
static void seen_pack(
    struct ss_tail *tail, const struct ss_row_checkpoint *checkpoint)
{
    for (size_t at = checkpoint->seen_count; at > 0;) {
        size_t from = tail->size;
        const struct ss_row_seen *last = &checkpoint->seen[--at];
        if (last->channel)
            version_pack(tail, last);
        while (last->channel && at > 0 && checkpoint->seen[at - 1].channel &&
               strcmp(checkpoint->seen[at - 1].node, last->node) == 0)
            version_pack(tail, &checkpoint->seen[--at]);
        ss_tail_text(tail, 1, last->node);
        ss_tail_message(tail, 3, from);
    }
}

static void checkpoint_pack(
    struct ss_tail *tail, const struct ss_row_checkpoint *checkpoint)
{
    size_t from = tail->size;
    if (checkpoint->updated_known) {
        for (size_t i = checkpoint->updated_count; i > 0; i--)
            ss_tail_text(tail, 1, checkpoint->updated[i - 1]);
        ss_tail_message(tail, 4, from);
    }
    seen_pack(tail, checkpoint);
    for (size_t i = checkpoint->channels_count; i > 0; i--)
        channel_pack(tail, &checkpoint->channels[i - 1]);
    if (checkpoint->whole)
        ss_tail_number(tail, 1, 1);
    ss_tail_message(tail, 7, from);
}

// --- events -----------------------------------------------------------------

static void event_pack(struct ss_tail *tail, const struct ss_row_event *event)
{
    size_t from = tail->size;
    pack_json(tail, 7, event->data);
    if (event->task_id[0])
        pack_id(tail, 5, event->task_id);
    if (event->of[0])
        pack_id(tail, 3, event->of);
    if (event->ns)
        ss_tail_text(tail, 2, event->ns);
    ss_tail_number(tail, 1, (uint64_t)event->what);
    ss_tail_message(tail, 11, from);
}

// --- the row ----------------------------------------------------------------

static void row_pack(struct ss_tail *tail, const struct ss_row *row)
{
    for (size_t i = row->events_count; i > 0; i--)
        event_pack(tail, &row->events[i - 1]);
    if (row->answer_of[0])
        pack_id(tail, 9, row->answer_of);
    pack_json(tail, 8, row->end);
    if (row->has_checkpoint)
        checkpoint_pack(tail, &row->checkpoint);
    tasks_pack(tail, row);
    pack_json(tail, 5, row->entry);
    if (row->of[0])
        pack_id(tail, 3, row->of);
    if (row->void_seq)
        ss_tail_number(tail, 2, row->void_seq);
    if (row->void_from)
        ss_tail_number(tail, 1, row->void_from);
}

// The last field is a hash of all before it.
static void check_pack(struct ss_tail *tail)
{
    char *check = tail->end - SS_ROW_CHECK_SIZE;
    uint64_t hash =
        ss_hash64(tail->end - tail->size, tail->size - SS_ROW_CHECK_SIZE);
    *check++ = SS_ROW_CHECK_KEY;
    for (size_t i = 0; i < 8; i++)
        *check++ = (char)(hash >> (8 * i));
}

int ss_row_encode(
    const struct ss_row *row, struct ss_buf *ret, struct ss_error *error)
{
    struct ss_tail tail;
    ss_tail_init(&tail, SS_ROW_SIZE_MAX);
    tail.size = SS_ROW_CHECK_SIZE;
    row_pack(&tail, row);
    int status = SS_OK;
    if (tail.size > SS_ROW_SIZE_MAX || tail.size > ret->size_max - ret->size) {
        status = ss_error_set(error, SS_ELIMIT,
            "a journal row of %zu bytes; the limit is %zu", tail.size,
            SS_ROW_SIZE_MAX);
    } else {
        check_pack(&tail);
        status = ss_buf_add(ret, tail.end - tail.size, tail.size);
    }
    ss_tail_fini(&tail);
    return status;
}
