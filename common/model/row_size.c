// row_size.c - what a row takes: encoded, and in memory.
#include "common/base/check.h"
#include "common/model/journal_impl.h"

enum { ROW_PART_SIZE = 24 }; // of a write or a channel, beside its value

size_t ss_row_value_size(const struct ss_row *row, struct ss_value *value)
{
    if (!value) {
        return 0;
    }
    return row->life.is_kept ? ss_value_size_about(value)
                             : ss_value_text_size(value);
}

static size_t value_size(const struct ss_row *row, struct ss_value *value)
{
    return ss_row_value_size(row, value) + ROW_PART_SIZE;
}

size_t ss_row_size(const struct ss_row *row)
{
    if (row->size > 0) {
        return row->size;
    }
    size_t written = 0, made = 0;
    for (size_t i = 0; i < row->writes_count; i++) {
        written += value_size(row, row->writes[i].value);
    }
    for (size_t i = 0; i < row->checkpoint.channels_count; i++) {
        made += value_size(row, row->checkpoint.channels[i].value);
    }
    // what is written and then held is stored once, and not here if it is named
    size_t told = written > made ? written : made;
    ss_check(row->sources.count > 0 || row->sources.size == 0);
    told -= row->sources.size < told ? row->sources.size : told;
    return ROW_PART_SIZE + told + row->checkpoint.seen_count * ROW_PART_SIZE;
}

// What the parts of a row take in memory, about, with what the allocator adds:
// a decoded value is about four times its text, beside its own head; names and
// ids stand in blocks of their own.
enum {
    WEIGHT_JSON = 48,    // a number, a text
    WEIGHT_OBJECT = 256, // with its table
    WEIGHT_MEMBER = 112, // beside key and value
    WEIGHT_NAME = 32,
    WEIGHT_VALUE = 112,
    WEIGHT_TEXT_TIMES = 4,
    WEIGHT_MARK = 192, // and what the run has in the index
    WEIGHED_MAX = 8,   // items of a list; the others are taken to be like them
};

static size_t json_weight(const json_t *json);

// Of a long one some are looked at, from its beginning to its end: a request
// may hold a great many.
static size_t array_weight(const json_t *array)
{
    size_t count = json_array_size(array), weight = 0;
    size_t weighed = count < WEIGHED_MAX ? count : WEIGHED_MAX;
    for (size_t i = 0; i < weighed; i++) {
        weight += sizeof(array) +
                  json_weight(json_array_get(array, i * count / weighed));
    }
    return weighed < count ? weight / weighed * count : weight;
}

static size_t json_weight(const json_t *json)
{
    size_t weight = json ? WEIGHT_JSON : 0;
    if (json_is_string(json)) {
        weight += json_string_length(json);
    }
    if (json_is_array(json)) {
        return weight + array_weight(json);
    }
    json_t *object = (json_t *)json;
    for (void *at = json_object_iter(object); at;
         at = json_object_iter_next(object, at)) {
        weight += WEIGHT_MEMBER + json_weight(json_object_iter_value(at));
    }
    return weight + (json_is_object(json) ? WEIGHT_OBJECT : 0);
}

size_t ss_row_weight(
    const struct ss_row *row, size_t size, const struct ss_row *before)
{
    const struct ss_row_checkpoint *part = &row->checkpoint;
    bool is_shared = before && before->metadata == row->metadata;
    size_t weight = sizeof(*row) + size * WEIGHT_TEXT_TIMES +
                    (is_shared ? 0 : json_weight(row->metadata));
    weight += row->entry ? json_weight(row->entry) : 0;
    weight += row->end ? json_weight(row->end) : 0;
    weight += row->writes_count *
              (sizeof(*row->writes) + 2 * WEIGHT_NAME + WEIGHT_VALUE);
    weight += part->channels_count *
              (sizeof(*part->channels) + WEIGHT_NAME + WEIGHT_VALUE);
    weight += part->seen_count * (sizeof(*part->seen) + 2 * WEIGHT_NAME);
    for (size_t i = 0; i < row->events_count; i++) {
        const json_t *data = row->events[i].data;
        weight += sizeof(*row->events) + (data ? json_weight(data) : 0);
    }
    return weight + (row->has_checkpoint ? WEIGHT_MARK : 0);
}
