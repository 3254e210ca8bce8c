// row_pack.c - from a row to its body.
//
// The body is written from its end: a message's size stands before it, and is
// known once it is written. So there is no message in memory, only its bytes,
// which are those that protobuf-c would write (tests/unit/wire/row_test.c).
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/wire/row.h"
#include "common/wire/row_impl.h"
#include "common/wire/row_limits.h"

enum { ROW_FIRST_SIZE = 1024 };
enum row_wire_type { ROW_VARINT = 0, ROW_BYTES = 2 };

struct row_pack {
    char *end;       // behind the last byte
    size_t size;     // written; what is beyond SS_ROW_SIZE_MAX is only counted
    size_t capacity; // bytes there are before `end`
    char *data;      // NULL: `first` is enough
    char first[ROW_FIRST_SIZE];
};

// Room for `size` bytes more; NULL: the row is too large.
static char *pack_grow(struct row_pack *pack, size_t size)
{
    size_t capacity = pack->capacity;
    pack->size += size;
    if (pack->size > SS_ROW_SIZE_MAX)
        return NULL;
    while (capacity < pack->size)
        capacity *= 2;
    char *data = ss_alloc(capacity), *end = data + capacity;
    size_t before = pack->size - size;
    memcpy(end - before, pack->end - before, before);
    ss_free(pack->data);
    pack->data = data;
    pack->end = end;
    pack->capacity = capacity;
    return end - pack->size;
}

static inline char *pack_room(struct row_pack *pack, size_t size)
{
    if (size > pack->capacity - pack->size || pack->size > pack->capacity)
        return pack_grow(pack, size);
    pack->size += size;
    return pack->end - pack->size;
}

// A field: its key, a number, and `size` bytes.
static void pack_field(struct row_pack *pack, unsigned key, uint64_t number,
    const void *bytes, size_t size)
{
    size_t digits = 1;
    for (uint64_t rest = number; rest > 127; rest >>= 7)
        digits++;
    char *at = pack_room(pack, 1 + digits + size);
    if (!at)
        return;
    *at++ = (char)key;
    for (; number > 127; number >>= 7)
        *at++ = (char)(number | 128);
    *at++ = (char)number;
    if (size > 0)
        memcpy(at, bytes, size);
}

static void pack_number(struct row_pack *pack, unsigned field, uint64_t number)
{
    pack_field(pack, field << 3 | ROW_VARINT, number, NULL, 0);
}

static void pack_signed(struct row_pack *pack, unsigned field, int64_t number)
{
    uint64_t twice = (uint64_t)number << 1;
    pack_number(pack, field, number < 0 ? ~twice : twice);
}

static void pack_data(
    struct row_pack *pack, unsigned field, const void *bytes, size_t size)
{
    pack_field(pack, field << 3 | ROW_BYTES, size, bytes, size);
}

static void pack_text(struct row_pack *pack, unsigned field, const char *text)
{
    pack_data(pack, field, text, text ? strlen(text) : 0);
}

// What was written since there were `from` bytes is a message in that field.
static void pack_message(struct row_pack *pack, unsigned field, size_t from)
{
    pack_field(pack, field << 3 | ROW_BYTES, pack->size - from, NULL, 0);
}

// 16 bytes in `field` if `id` is a UUID as we write them, else text in the next
// one.
static void pack_id(struct row_pack *pack, unsigned field, const char *id)
{
    uint8_t bytes[SS_ROW_UUID_SIZE];
    if (ss_uuid_parse_canonical(id, bytes))
        pack_data(pack, field, bytes, sizeof(bytes));
    else
        pack_text(pack, field + 1, id);
}

// Its bytes, with its tag in the field before.
static void pack_value(
    struct row_pack *pack, unsigned field, struct ss_value *value)
{
    if (!value)
        return;
    size_t size = 0;
    const char *bytes = ss_value_text(value, &size);
    pack_data(pack, field, bytes, size);
    if (ss_value_tag(value) != SS_VALUE_JSON)
        pack_number(pack, field - 1, (uint64_t)ss_value_tag(value));
}

static void pack_json(struct row_pack *pack, unsigned field, const json_t *json)
{
    if (!json)
        return;
    char *text = ss_json_text(json);
    pack_text(pack, field, text);
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

static void write_pack(struct row_pack *pack, const struct ss_row_write *write)
{
    size_t from = pack->size;
    pack_value(pack, 4, write->value);
    pack_text(pack, 2, write->channel);
    pack_signed(pack, 1, write->idx);
    pack_message(pack, 4, from);
}

static void tasks_pack(struct row_pack *pack, const struct ss_row *row)
{
    for (size_t at = row->writes_count; at > 0;) {
        size_t from = pack->size;
        const struct ss_row_write *last = &row->writes[at - 1];
        while (at > 0 && same_task(&row->writes[at - 1], last))
            write_pack(pack, &row->writes[--at]);
        if (path_of(last)[0])
            pack_text(pack, 3, last->path);
        pack_id(pack, 1, last->task_id);
        pack_message(pack, 6, from);
    }
}

// --- checkpoint -------------------------------------------------------------

static void channel_pack(
    struct row_pack *pack, const struct ss_row_channel *channel)
{
    size_t from = pack->size;
    pack_value(pack, 5, channel->value);
    if (channel->op != SS_DELTA_SET)
        pack_number(pack, 3, (uint64_t)channel->op);
    pack_signed(pack, 2, channel->version);
    pack_text(pack, 1, channel->name);
    pack_message(pack, 2, from);
}

static void version_pack(struct row_pack *pack, const struct ss_row_seen *seen)
{
    size_t from = pack->size;
    pack_signed(pack, 2, seen->version);
    pack_text(pack, 1, seen->channel);
    pack_message(pack, 2, from);
}

// Versions of a node that stand together make one message; an entry without a
// channel makes one of its own.
static void seen_pack(
    struct row_pack *pack, const struct ss_row_checkpoint *checkpoint)
{
    for (size_t at = checkpoint->seen_count; at > 0;) {
        size_t from = pack->size;
        const struct ss_row_seen *last = &checkpoint->seen[--at];
        if (last->channel)
            version_pack(pack, last);
        while (last->channel && at > 0 && checkpoint->seen[at - 1].channel &&
               strcmp(checkpoint->seen[at - 1].node, last->node) == 0)
            version_pack(pack, &checkpoint->seen[--at]);
        pack_text(pack, 1, last->node);
        pack_message(pack, 3, from);
    }
}

static void checkpoint_pack(
    struct row_pack *pack, const struct ss_row_checkpoint *checkpoint)
{
    size_t from = pack->size;
    if (checkpoint->updated_known) {
        for (size_t i = checkpoint->updated_count; i > 0; i--)
            pack_text(pack, 1, checkpoint->updated[i - 1]);
        pack_message(pack, 4, from);
    }
    seen_pack(pack, checkpoint);
    for (size_t i = checkpoint->channels_count; i > 0; i--)
        channel_pack(pack, &checkpoint->channels[i - 1]);
    if (checkpoint->whole)
        pack_number(pack, 1, 1);
    pack_message(pack, 7, from);
}

// --- events -----------------------------------------------------------------

static void event_pack(struct row_pack *pack, const struct ss_row_event *event)
{
    size_t from = pack->size;
    pack_json(pack, 7, event->data);
    if (event->task_id[0])
        pack_id(pack, 5, event->task_id);
    if (event->of[0])
        pack_id(pack, 3, event->of);
    if (event->ns)
        pack_text(pack, 2, event->ns);
    pack_number(pack, 1, (uint64_t)event->what);
    pack_message(pack, 11, from);
}

// --- the row ----------------------------------------------------------------

static void row_pack(struct row_pack *pack, const struct ss_row *row)
{
    for (size_t i = row->events_count; i > 0; i--)
        event_pack(pack, &row->events[i - 1]);
    if (row->answer_of[0])
        pack_id(pack, 9, row->answer_of);
    pack_json(pack, 8, row->end);
    if (row->has_checkpoint)
        checkpoint_pack(pack, &row->checkpoint);
    tasks_pack(pack, row);
    pack_json(pack, 5, row->entry);
    if (row->of[0])
        pack_id(pack, 3, row->of);
    if (row->void_seq)
        pack_number(pack, 2, row->void_seq);
    if (row->void_from)
        pack_number(pack, 1, row->void_from);
}

// The last field is a hash of all before it.
static void check_pack(struct row_pack *pack)
{
    char *check = pack->end - SS_ROW_CHECK_SIZE;
    uint64_t hash =
        ss_hash64(pack->end - pack->size, pack->size - SS_ROW_CHECK_SIZE);
    *check++ = SS_ROW_CHECK_KEY;
    for (size_t i = 0; i < 8; i++)
        *check++ = (char)(hash >> (8 * i));
}

int ss_row_encode(
    const struct ss_row *row, struct ss_buf *ret, struct ss_error *error)
{
    struct row_pack pack;
    pack.data = NULL;
    pack.end = pack.first + sizeof(pack.first);
    pack.capacity = sizeof(pack.first);
    pack.size = SS_ROW_CHECK_SIZE;
    row_pack(&pack, row);
    int status = SS_OK;
    if (pack.size > SS_ROW_SIZE_MAX || pack.size > ret->size_max - ret->size) {
        status = ss_error_set(error, SS_ELIMIT,
            "a journal row of %zu bytes; the limit is %zu", pack.size,
            SS_ROW_SIZE_MAX);
    } else {
        check_pack(&pack);
        status = ss_buf_add(ret, pack.end - pack.size, pack.size);
    }
    ss_free(pack.data);
    return status;
}
