// row_pack.c - from a row to its body.
//
// A tail writes the bytes that protobuf-c would write
// (tests/unit/wire/row_test.c).
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/wire/back.h"
#include "common/wire/row.h"
#include "common/wire/row_impl.h"
#include "common/wire/row_limits.h"

// Keys, numbers and sizes of a part, of which none has more than eight fields,
// and ids of two.
enum { PART_MAX = 8 * SS_BACK_HEAD_MAX + 2 * SS_UUID_SIZE };

static size_t size_of(const char *text)
{
    return text ? strlen(text) : 0;
}

// 16 bytes in `field` if `id` is a UUID as we write them, else text in the next
// one.
static char *put_id(char *at, unsigned field, const char *id)
{
    uint8_t bytes[SS_ROW_UUID_SIZE];
    if (ss_uuid_parse_canonical(id, bytes))
        return ss_back_data(at, field, bytes, sizeof(bytes));
    return ss_back_data(at, field + 1, id, strlen(id));
}

static void pack_id(struct ss_tail *tail, unsigned field, const char *id)
{
    char *at = ss_tail_ahead(tail, PART_MAX);
    if (at)
        ss_tail_reach(tail, put_id(at, field, id));
}

// The bytes of a value, which may be NULL.
struct bytes {
    struct ss_value *value;
    const char *data; // NULL: a list, which is written from its items
    size_t size;
};

static struct bytes bytes_of(struct ss_value *value)
{
    struct bytes bytes = {.value = value};
    if (value && ss_value_listed(value))
        bytes.size = ss_value_text_size(value);
    else if (value)
        bytes.data = ss_value_text(value, &bytes.size);
    return bytes;
}

// With the tag in the field before.
static char *put_value(char *at, unsigned field, const struct bytes *bytes)
{
    if (!bytes->value)
        return at;
    if (bytes->data) {
        at = ss_back_data(at, field, bytes->data, bytes->size);
    } else {
        at -= bytes->size;
        ss_value_write(bytes->value, at);
        at = ss_back_head(at, field, SS_TAIL_BYTES, bytes->size);
    }
    if (ss_value_tag(bytes->value) == SS_VALUE_JSON)
        return at;
    return ss_back_number(at, field - 1, (uint64_t)ss_value_tag(bytes->value));
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
    const struct bytes value = bytes_of(write->value);
    size_t name = size_of(write->channel);
    char *end = ss_tail_ahead(tail, PART_MAX + name + value.size);
    if (!end)
        return;
    char *at = put_value(end, 4, &value);
    at = ss_back_data(at, 2, write->channel, name);
    at = ss_back_signed(at, 1, write->idx);
    ss_tail_reach(tail, ss_back_message(at, 4, end));
}

static void tasks_pack(struct ss_tail *tail, const struct ss_row *row)
{
    for (size_t count = row->writes_count; count > 0;) {
        size_t from = tail->size;
        const struct ss_row_write *last = &row->writes[count - 1];
        while (count > 0 && same_task(&row->writes[count - 1], last))
            write_pack(tail, &row->writes[--count]);
        size_t path = strlen(path_of(last));
        char *at = ss_tail_ahead(tail, PART_MAX + path);
        if (!at)
            return;
        if (path > 0)
            at = ss_back_data(at, 3, last->path, path);
        at = put_id(at, 1, last->task_id);
        ss_tail_reach(tail, ss_back_message(at, 6, tail->end - from));
    }
}

// --- checkpoint -------------------------------------------------------------

static void channel_pack(
    struct ss_tail *tail, const struct ss_row_channel *channel)
{
    const struct bytes value = bytes_of(channel->value);
    size_t name = size_of(channel->name);
    char *end = ss_tail_ahead(tail, PART_MAX + name + value.size);
    if (!end)
        return;
    char *at = put_value(end, 5, &value);
    if (channel->op != SS_DELTA_SET)
        at = ss_back_number(at, 3, (uint64_t)channel->op);
    at = ss_back_signed(at, 2, channel->version);
    at = ss_back_data(at, 1, channel->name, name);
    ss_tail_reach(tail, ss_back_message(at, 2, end));
}

static void version_pack(struct ss_tail *tail, const struct ss_row_seen *seen)
{
    size_t name = size_of(seen->channel);
    char *end = ss_tail_ahead(tail, PART_MAX + name);
    if (!end)
        return;
    char *at = ss_back_signed(end, 2, seen->version);
    at = ss_back_data(at, 1, seen->channel, name);
    ss_tail_reach(tail, ss_back_message(at, 2, end));
}

// Versions of a node that stand together make one message; an entry without a
// channel makes one of its own.
static void seen_pack(
    struct ss_tail *tail, const struct ss_row_checkpoint *checkpoint)
{
    for (size_t count = checkpoint->seen_count; count > 0;) {
        size_t from = tail->size;
        const struct ss_row_seen *last = &checkpoint->seen[--count];
        if (last->channel)
            version_pack(tail, last);
        while (last->channel && count > 0 &&
               checkpoint->seen[count - 1].channel &&
               strcmp(checkpoint->seen[count - 1].node, last->node) == 0)
            version_pack(tail, &checkpoint->seen[--count]);
        size_t name = size_of(last->node);
        char *at = ss_tail_ahead(tail, PART_MAX + name);
        if (!at)
            return;
        at = ss_back_data(at, 1, last->node, name);
        ss_tail_reach(tail, ss_back_message(at, 3, tail->end - from));
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
    size_t ns = size_of(event->ns);
    char *at = ss_tail_ahead(tail, PART_MAX + ns);
    if (!at)
        return;
    if (event->task_id)
        at = put_id(at, 5, event->task_id);
    if (event->of)
        at = put_id(at, 3, event->of);
    if (event->ns)
        at = ss_back_data(at, 2, event->ns, ns);
    at = ss_back_number(at, 1, (uint64_t)event->what);
    ss_tail_reach(tail, ss_back_message(at, 11, tail->end - from));
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

// The last field is a hash of all before it; `size` bytes with it.
static void check_pack(const struct ss_tail *tail, size_t size)
{
    const char *body = tail->end - tail->size;
    char *check = tail->end - tail->size + size - SS_ROW_CHECK_SIZE;
    uint64_t hash = ss_hash64(body, size - SS_ROW_CHECK_SIZE);
    *check++ = SS_ROW_CHECK_KEY;
    for (size_t i = 0; i < 8; i++)
        *check++ = (char)(hash >> (8 * i));
}

int ss_row_encode(
    const struct ss_row *row, struct ss_tail *tail, struct ss_error *error)
{
    const size_t from = tail->size, size_max = tail->size_max;
    if (size_max - from > SS_ROW_SIZE_MAX)
        tail->size_max = from + SS_ROW_SIZE_MAX;
    ss_tail_room(tail, SS_ROW_CHECK_SIZE);
    row_pack(tail, row);
    bool fits = tail->size <= tail->size_max;
    tail->size_max = size_max;
    if (!fits)
        return ss_error_set(error, SS_ELIMIT,
            "a journal row of more than %zu bytes", SS_ROW_SIZE_MAX);
    check_pack(tail, tail->size - from);
    return SS_OK;
}
