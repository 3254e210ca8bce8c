// journal_pack.c - a journal that nobody reads, in few bytes.
//
// A row of a small superstep is 200 bytes in the store and 4,000 as a noun:
// values with their heads, texts that stand alone, ids in letters. While nobody
// uses a thread its rows stand here one behind the other. Nothing else of the
// journal is kept: its index is a function of the rows.
//
// Only the process that wrote these bytes reads them: they have no format that
// must be kept, and are as they should be.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/journal_impl.h"

// What stands for a text: one of these, or where it stood before, or its size.
enum { TEXT_NULL, TEXT_EMPTY, TEXT_UUID, TEXT_KNOWN };
enum { KNOWN_TEXTS = 64, TEXT_NEW = TEXT_KNOWN + KNOWN_TEXTS };
enum { UUID_BYTES = 16, VALUE_NONE = 0, VALUE_TAGGED = 1 };

// Texts that came before, by their hash: names and ids come again and again.
// Borrowed from rows.
struct known_texts {
    const char *items[KNOWN_TEXTS];
};

static size_t known_place(const char *text)
{
    return (size_t)(ss_hash64(text, strlen(text)) % KNOWN_TEXTS);
}

// ------------------------------------------------ in

struct pack {
    struct ss_buf bytes;
    struct known_texts known;
};

static void put_number(struct pack *pack, uint64_t number)
{
    char bytes[10];
    size_t size = 0;
    for (; number > 127; number >>= 7)
        bytes[size++] = (char)(number | 128);
    bytes[size++] = (char)number;
    ss_buf_add(&pack->bytes, bytes, size);
}

static void put_signed(struct pack *pack, int64_t number)
{
    uint64_t twice = (uint64_t)number << 1;
    put_number(pack, number < 0 ? ~twice : twice);
}

static void put_new_text(struct pack *pack, const char *text)
{
    uint8_t uuid[UUID_BYTES];
    size_t size = strlen(text);
    if (size == SS_UUID_SIZE - 1 && ss_uuid_parse_canonical(text, uuid)) {
        put_number(pack, TEXT_UUID);
        ss_buf_add(&pack->bytes, uuid, sizeof(uuid));
    } else {
        put_number(pack, TEXT_NEW + size);
        ss_buf_add(&pack->bytes, text, size);
    }
}

static void put_text(struct pack *pack, const char *text)
{
    if (!text || !text[0]) {
        put_number(pack, text ? TEXT_EMPTY : TEXT_NULL);
        return;
    }
    size_t place = known_place(text);
    const char *known = pack->known.items[place];
    if (known && strcmp(known, text) == 0) {
        put_number(pack, TEXT_KNOWN + place);
        return;
    }
    pack->known.items[place] = text;
    put_new_text(pack, text);
}

static void put_json(struct pack *pack, const json_t *json)
{
    char *text = json ? ss_json_text(json) : NULL;
    size_t size = text ? strlen(text) : 0;
    put_number(pack, size);
    ss_buf_add(&pack->bytes, text, size);
    ss_free(text);
}

static void put_value(struct pack *pack, struct ss_value *value)
{
    if (!value) {
        put_number(pack, VALUE_NONE);
        return;
    }
    size_t size = 0;
    const char *text = ss_value_text(value, &size);
    put_number(pack, VALUE_TAGGED + (uint64_t)ss_value_tag(value));
    put_number(pack, size);
    ss_buf_add(&pack->bytes, text, size);
}

static void put_checkpoint(
    struct pack *pack, const struct ss_row_checkpoint *part)
{
    put_number(pack, part->whole);
    put_number(pack, part->channels_count);
    for (size_t i = 0; i < part->channels_count; i++) {
        put_text(pack, part->channels[i].name);
        put_signed(pack, part->channels[i].version);
        put_number(pack, (uint64_t)part->channels[i].op);
        put_value(pack, part->channels[i].value);
    }
    put_number(pack, part->seen_count);
    for (size_t i = 0; i < part->seen_count; i++) {
        put_text(pack, part->seen[i].node);
        put_text(pack, part->seen[i].channel);
        put_signed(pack, part->seen[i].version);
    }
    put_number(pack, part->updated_known);
    put_number(pack, part->updated_count);
    for (size_t i = 0; i < part->updated_count; i++)
        put_text(pack, part->updated[i]);
}

static void put_parts(struct pack *pack, const struct ss_row *row)
{
    put_number(pack, row->writes_count);
    for (size_t i = 0; i < row->writes_count; i++) {
        put_text(pack, row->writes[i].task_id);
        put_text(pack, row->writes[i].path);
        put_signed(pack, row->writes[i].idx);
        put_text(pack, row->writes[i].channel);
        put_value(pack, row->writes[i].value);
    }
    put_number(pack, row->events_count);
    for (size_t i = 0; i < row->events_count; i++) {
        put_number(pack, (uint64_t)row->events[i].what);
        put_text(pack, row->events[i].ns);
        put_text(pack, row->events[i].of);
        put_text(pack, row->events[i].task_id);
        put_json(pack, row->events[i].data);
    }
    put_number(pack, row->has_checkpoint);
    if (row->has_checkpoint)
        put_checkpoint(pack, &row->checkpoint);
}

static void put_row(struct pack *pack, const struct ss_row *row)
{
    put_number(pack, (uint64_t)row->kind);
    put_text(pack, row->run);
    put_text(pack, row->ns);
    put_text(pack, row->of);
    put_text(pack, row->checkpoint_id);
    put_text(pack, row->parent_id);
    put_number(pack, row->parent_seq);
    put_number(pack, row->base_seq);
    put_number(pack, (uint64_t)row->source);
    put_signed(pack, row->step);
    put_signed(pack, row->wall_us);
    put_json(pack, row->metadata);
    put_text(pack, row->answer_of);
    put_number(pack, row->void_from);
    put_number(pack, row->void_seq);
    put_json(pack, row->entry);
    put_json(pack, row->end);
    put_number(pack, row->size);
    put_number(pack, row->named_from);
    put_parts(pack, row);
}

void ss_journal_pack(struct ss_journal *journal)
{
    struct pack pack = {.known = {{NULL}}};
    uint64_t end = 0;
    if (journal->packed || journal->places.count == 0)
        return;
    ss_buf_init(&pack.bytes, SIZE_MAX);
    for (size_t i = 0; i < journal->places.count; i++) {
        const struct ss_journal_place *place = &journal->places.items[i];
        put_number(&pack, place->end - end);
        put_number(&pack, place->row != NULL);
        if (place->row)
            put_row(&pack, place->row);
        end = place->end;
    }
    ss_check(pack.bytes.status == SS_OK && journal->index);
    size_t count = journal->places.count;
    ss_journal_drop_rows(journal);
    journal->packed_count = count;
    char *bytes = ss_buf_steal(&pack.bytes, &journal->packed_size);
    journal->packed = ss_realloc(bytes, journal->packed_size);
}

// ------------------------------------------------ out

struct unpack {
    const char *at, *end;
    struct known_texts known;
    struct ss_arena *memory; // of the row that is taken
};

static const char *take(struct unpack *from, size_t size)
{
    const char *at = from->at;
    ss_check(size <= (size_t)(from->end - at));
    from->at += size;
    return at;
}

static uint64_t take_number(struct unpack *from)
{
    uint64_t number = 0;
    unsigned byte = 128;
    for (unsigned shift = 0; byte & 128; shift += 7) {
        byte = (unsigned char)*take(from, 1);
        number |= (uint64_t)(byte & 127) << shift;
    }
    return number;
}

static int64_t take_signed(struct unpack *from)
{
    uint64_t twice = take_number(from);
    return (int64_t)(twice & 1 ? ~(twice >> 1) : twice >> 1);
}

static size_t take_count(struct unpack *from)
{
    return (size_t)take_number(from);
}

// Into `id` of `size` bytes, or, if it is NULL, into the row's memory.
static char *take_text_into(struct unpack *from, char *id, size_t size_max)
{
    char text[SS_UUID_SIZE];
    size_t what = take_count(from), size = 0;
    const char *at = "";
    if (what == TEXT_NULL)
        return NULL;
    if (what == TEXT_UUID) {
        ss_uuid_text((const uint8_t *)take(from, UUID_BYTES), text);
        at = text;
        size = sizeof(text) - 1;
    } else if (what >= TEXT_NEW) {
        size = what - TEXT_NEW;
        at = take(from, size);
    } else if (what >= TEXT_KNOWN) {
        at = from->known.items[what - TEXT_KNOWN];
        size = strlen(at);
    }
    ss_check(!id || size < size_max);
    char *to = id ? id : ss_arena_take(from->memory, size + 1);
    memcpy(to, at, size);
    to[size] = '\0';
    if (what == TEXT_UUID || what >= TEXT_NEW)
        from->known.items[known_place(to)] = to;
    return to;
}

static char *take_text(struct unpack *from)
{
    return take_text_into(from, NULL, 0);
}

#define TAKE_ID(from, id) (void)take_text_into((from), (id), sizeof(id))

static json_t *take_json(struct unpack *from)
{
    json_t *json = NULL;
    size_t size = take_count(from);
    const char *text = take(from, size);
    if (size > 0 && ss_json_parse(text, size, &json, NULL) != SS_OK)
        ss_check_failed("journal: packed JSON", __FILE__, __LINE__);
    return json;
}

static struct ss_value *take_value(struct unpack *from)
{
    size_t what = take_count(from);
    if (what == VALUE_NONE)
        return NULL;
    enum ss_value_tag tag = (enum ss_value_tag)(what - VALUE_TAGGED);
    size_t size = take_count(from);
    const char *text = take(from, size);
    return tag == SS_VALUE_JSON ? ss_value_from_text(text, size)
                                : ss_value_opaque(tag, text, size);
}

static void take_checkpoint(struct unpack *from, struct ss_row_checkpoint *part)
{
    part->whole = take_number(from);
    part->channels_count = take_count(from);
    part->channels = ss_arena_take(
        from->memory, part->channels_count * sizeof(*part->channels));
    for (size_t i = 0; i < part->channels_count; i++) {
        part->channels[i].name = take_text(from);
        part->channels[i].version = take_signed(from);
        part->channels[i].op = (enum ss_delta_op)take_number(from);
        part->channels[i].value = take_value(from);
    }
    part->seen_count = take_count(from);
    part->seen =
        ss_arena_take(from->memory, part->seen_count * sizeof(*part->seen));
    for (size_t i = 0; i < part->seen_count; i++) {
        part->seen[i].node = take_text(from);
        part->seen[i].channel = take_text(from);
        part->seen[i].version = take_signed(from);
    }
    part->updated_known = take_number(from);
    part->updated_count = take_count(from);
    part->updated =
        ss_arena_take(from->memory, part->updated_count * sizeof(char *));
    for (size_t i = 0; i < part->updated_count; i++)
        part->updated[i] = take_text(from);
}

static void take_parts(struct unpack *from, struct ss_row *row)
{
    row->writes_count = take_count(from);
    row->writes =
        ss_arena_take(from->memory, row->writes_count * sizeof(*row->writes));
    for (size_t i = 0; i < row->writes_count; i++) {
        TAKE_ID(from, row->writes[i].task_id);
        row->writes[i].path = take_text(from);
        row->writes[i].idx = (int32_t)take_signed(from);
        row->writes[i].channel = take_text(from);
        row->writes[i].value = take_value(from);
    }
    row->events_count = row->events_capacity = take_count(from);
    row->events =
        ss_arena_zalloc(from->memory, row->events_count, sizeof(*row->events));
    for (size_t i = 0; i < row->events_count; i++) {
        row->events[i].what = (enum ss_told)take_number(from);
        row->events[i].ns = take_text(from);
        row->events[i].of = take_text(from);
        row->events[i].task_id = take_text(from);
        row->events[i].data = take_json(from);
    }
    row->has_checkpoint = take_number(from);
    if (row->has_checkpoint)
        take_checkpoint(from, &row->checkpoint);
}

static struct ss_row *take_row(struct unpack *from)
{
    struct ss_row *row = ss_row_new();
    from->memory = &row->memory;
    row->kind = (enum ss_row_kind)take_number(from);
    TAKE_ID(from, row->run);
    row->ns = take_text(from);
    TAKE_ID(from, row->of);
    TAKE_ID(from, row->checkpoint_id);
    TAKE_ID(from, row->parent_id);
    row->parent_seq = take_number(from);
    row->base_seq = take_number(from);
    row->source = (enum ss_source)take_number(from);
    row->step = take_signed(from);
    row->wall_us = take_signed(from);
    row->metadata = take_json(from);
    TAKE_ID(from, row->answer_of);
    row->void_from = take_number(from);
    row->void_seq = take_number(from);
    row->entry = take_json(from);
    row->end = take_json(from);
    row->size = take_count(from);
    row->named_from = take_number(from);
    take_parts(from, row);
    return row;
}

void ss_journal_unpack(struct ss_journal *journal)
{
    char *packed = journal->packed;
    struct unpack from = {
        packed, packed + journal->packed_size, {{NULL}}, NULL};
    ss_check(packed && !journal->index && journal->places.count == 0);
    journal->packed = NULL;
    for (size_t i = 0; i < journal->packed_count; i++) {
        size_t size = take_count(&from);
        struct ss_row *row = take_number(&from) ? take_row(&from) : NULL;
        if (row)
            row->seq = journal->first_seq + i;
        ss_journal_place_add(journal, row, size);
    }
    ss_check(from.at == from.end);
    ss_free(packed);
    journal->packed_size = journal->packed_count = 0;
    journal->index = ss_zalloc(1, sizeof(*journal->index));
    int status = ss_journal_index_build(journal, journal->index, NULL);
    ss_check(status == SS_OK); // they stood in it before
}
