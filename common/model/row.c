// row.c - one row of the journal: making, freeing, what holds of it by itself.
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"

// A row and its first memory are one block, in which that of a superstep with a
// task or two has room.
enum {
    HEAD_SIZE = (sizeof(struct ss_row) + 15) / 16 * 16,
    MEMORY_SIZE = 448,
};

struct ss_row *ss_row_new(void)
{
    struct ss_row *row = ss_alloc(HEAD_SIZE + MEMORY_SIZE);
    memset(row, 0, sizeof(*row));
    ss_arena_lend(&row->memory, (char *)row + HEAD_SIZE, MEMORY_SIZE);
    return row;
}

struct ss_row *ss_row_ref(struct ss_row *row)
{
    row->life.refs++;
    return row;
}

// What the row refers to and has not in its own memory.
static void values_free(struct ss_row *row)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        ss_value_unref(row->writes[i].value);
    }
    for (size_t i = 0; i < row->events_count; i++) {
        json_decref(row->events[i].data);
    }
    for (size_t i = 0; i < row->checkpoint.channels_count; i++) {
        ss_value_unref(row->checkpoint.channels[i].value);
    }
}

void ss_row_drop_sources(struct ss_row *row)
{
    for (size_t i = 0; i < row->sources.count; i++)
        ss_value_unref(row->sources.items[i].value);
    ss_free(row->sources.items);
    memset(&row->sources, 0, sizeof(row->sources));
}

void ss_row_destroy(struct ss_row **row)
{
    struct ss_row *it = *row;
    if (!it) {
        return;
    }
    *row = NULL;
    if (it->life.refs > 0) {
        it->life.refs--;
        return;
    }
    json_decref(it->metadata);
    json_decref(it->entry);
    json_decref(it->end);
    values_free(it);
    ss_row_drop_sources(it);
    ss_graph_unref(it->life.names);
    ss_arena_fini(&it->memory);
    ss_free(it);
}

static int damaged(
    const struct ss_row *row, const char *what, struct ss_error *error)
{
    return ss_error_set(
        error, SS_ECORRUPT, "journal: row %" PRIu64 ": %s", row->seq, what);
}

// It says that the resume value without an id was taken.
static bool is_taken(const struct ss_row_write *write)
{
    return strcmp(write->channel, SS_NAME_RESUME) == 0 &&
           strcmp(write->task_id, SS_NULL_TASK) == 0;
}

static int writes_valid(const struct ss_row *row, struct ss_error *error)
{
    if (row->writes_count > 0 && !row->of[0]) {
        return damaged(row, "its writes belong to no checkpoint", error);
    }
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *write = &row->writes[i];
        if (!write->channel || !write->task_id[0]) {
            return damaged(row, "a write without channel or task", error);
        }
        if (!write->value && !is_taken(write)) {
            return damaged(row, "a write without a value", error);
        }
    }
    return SS_OK;
}

static int channel_valid(const struct ss_row *row,
    const struct ss_row_channel *channel, struct ss_error *error)
{
    if (!channel->name) {
        return damaged(row, "a channel without a name", error);
    }
    if (channel->version < 0) {
        return damaged(row, "a version below 0", error);
    }
    switch (channel->op) {
    case SS_DELTA_SET:
        return channel->value
                   ? SS_OK
                   : damaged(row, "a channel is set to nothing", error);
    case SS_DELTA_CLEAR:
        return channel->value
                   ? damaged(row, "a cleared channel has a value", error)
                   : SS_OK;
    case SS_DELTA_APPEND:
    case SS_DELTA_EDIT:
        return channel->value && !row->checkpoint.whole
                   ? SS_OK
                   : damaged(
                         row, "a list is changed, and there is none", error);
    }
    return damaged(row, "an unknown change of a channel", error);
}

static int checkpoint_valid(const struct ss_row *row, struct ss_error *error)
{
    const struct ss_row_checkpoint *checkpoint = &row->checkpoint;
    if (!row->checkpoint_id[0]) {
        return damaged(row, "a checkpoint without an id", error);
    }
    for (size_t i = 0; i < checkpoint->channels_count; i++) {
        int status = channel_valid(row, &checkpoint->channels[i], error);
        if (status != SS_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < checkpoint->seen_count; i++) {
        if (!checkpoint->seen[i].node) {
            return damaged(row, "a seen version without a node", error);
        }
        if (checkpoint->seen[i].version < 0) {
            return damaged(row, "a seen version below 0", error);
        }
    }
    for (size_t i = 0; i < checkpoint->updated_count; i++) {
        if (!checkpoint->updated[i]) {
            return damaged(row, "an updated channel without a name", error);
        }
    }
    return SS_OK;
}

static int events_valid(const struct ss_row *row, struct ss_error *error)
{
    for (size_t i = 0; i < row->events_count; i++) {
        const struct ss_row_event *event = &row->events[i];
        bool has_data =
            event->what == SS_TOLD_RAW || event->what == SS_TOLD_ITEMS;
        if (event->what < SS_TOLD_RAW || event->what > SS_TOLD_ITEMS ||
            has_data != json_is_object(event->data)) {
            return damaged(row, "an event that says nothing", error);
        }
    }
    return SS_OK;
}

static int kind_valid(const struct ss_row *row, struct ss_error *error)
{
    switch (row->kind) {
    case SS_ROW_WRITES:
    case SS_ROW_CHECKPOINT:
    case SS_ROW_ENTRY:
    case SS_ROW_END:
        return SS_OK;
    case SS_ROW_SNAPSHOT:
        return row->has_checkpoint && row->checkpoint.whole
                   ? SS_OK
                   : damaged(row, "a snapshot that is not whole", error);
    case SS_ROW_VOID:
        return row->void_seq < row->seq && row->void_from <= row->void_seq
                   ? SS_OK
                   : damaged(
                         row, "it voids rows that are not before it", error);
    }
    return damaged(row, "an unknown kind of row", error);
}

int ss_row_valid(const struct ss_row *row, struct ss_error *error)
{
    if (row->seq == 0) {
        return damaged(row, "rows are numbered from 1", error);
    }
    if (!row->ns) {
        return damaged(row, "it is of no namespace", error);
    }
    int status = kind_valid(row, error);
    if (status == SS_OK) {
        status = writes_valid(row, error);
    }
    if (status == SS_OK) {
        status = events_valid(row, error);
    }
    if (status == SS_OK && row->has_checkpoint) {
        status = checkpoint_valid(row, error);
    }
    return status;
}

// --- what it repeats
// ----------------------------------------------------------

struct ss_value *ss_row_value(const struct ss_row *row, size_t place)
{
    const struct ss_row_checkpoint *checkpoint = &row->checkpoint;
    if (place < row->writes_count)
        return ss_value_ref(row->writes[place].value);
    place -= row->writes_count;
    if (place < checkpoint->channels_count)
        return ss_value_ref(checkpoint->channels[place].value);
    json_t *version = place == checkpoint->channels_count
                          ? json_object_get(row->entry, "version")
                          : NULL;
    return version ? ss_value_new(json_incref(version)) : NULL;
}

void ss_row_rest_on(struct ss_row *row, uint64_t seq)
{
    ss_check(seq > 0 && seq < row->seq);
    if (row->named_from == 0 || seq < row->named_from)
        row->named_from = seq;
}

// Smaller values are said again: to name one takes a few bytes, too.
enum { SOURCE_SIZE_MIN = 32 };

void ss_row_add_source(
    struct ss_row *row, const struct ss_row *from, size_t place, bool whole)
{
    struct ss_value *value = ss_row_value(from, place);
    size_t size = 0;
    if (value)
        (void)ss_value_text(value, &size);
    if (size < SOURCE_SIZE_MIN) {
        ss_value_unref(value);
        return;
    }
    row->sources.items = ss_vec_grow(row->sources.items, &row->sources.capacity,
        row->sources.count + 1, sizeof(*row->sources.items));
    ss_check(row->sources.count < row->sources.capacity);
    row->sources.items[row->sources.count++] = (struct ss_row_source){
        .seq = from->seq, .place = place, .value = value};
    row->sources.size += whole ? size : 0;
    ss_row_rest_on(row, from->seq);
}

// --- copying ----------------------------------------------------------------

void ss_row_add_write(
    struct ss_row *row, size_t *capacity, const struct ss_row_write *write)
{
    row->writes = ss_arena_grow(&row->memory, row->writes, capacity,
        row->writes_count + 1, sizeof(*row->writes));
    struct ss_row_write *to = &row->writes[row->writes_count++];
    // most often a task's writes stand together, and tell one path
    bool same = to > row->writes && strcmp(to[-1].path, write->path) == 0;
    *to = *write;
    to->path = same ? to[-1].path : ss_arena_text(&row->memory, write->path);
    to->channel = ss_arena_text(&row->memory, write->channel);
    to->value = ss_value_ref(write->value);
}

static void copy_writes(struct ss_row *to, const struct ss_row *from)
{
    size_t capacity = 0;
    to->writes = NULL;
    to->writes_count = 0;
    for (size_t i = 0; i < from->writes_count; i++)
        ss_row_add_write(to, &capacity, &from->writes[i]);
}

static void copy_events(struct ss_row *to, const struct ss_row *from)
{
    to->events_capacity = from->events_count + 1;
    to->events =
        ss_arena_take(&to->memory, to->events_capacity * sizeof(*to->events));
    for (size_t i = 0; i < from->events_count; i++) {
        to->events[i] = from->events[i];
        to->events[i].ns = ss_arena_text(&to->memory, from->events[i].ns);
        to->events[i].of = ss_arena_text(&to->memory, from->events[i].of);
        to->events[i].task_id =
            ss_arena_text(&to->memory, from->events[i].task_id);
        to->events[i].data = json_incref(from->events[i].data);
    }
}

static void copy_checkpoint(
    struct ss_row *row, const struct ss_row_checkpoint *from)
{
    struct ss_row_checkpoint *to = &row->checkpoint;
    struct ss_arena *memory = &row->memory;
    to->channels =
        ss_arena_take(memory, from->channels_count * sizeof(*to->channels));
    for (size_t i = 0; i < from->channels_count; i++) {
        to->channels[i] = from->channels[i];
        to->channels[i].name = ss_arena_text(memory, from->channels[i].name);
        to->channels[i].value = ss_value_ref(from->channels[i].value);
    }
    to->seen = ss_arena_take(memory, from->seen_count * sizeof(*to->seen));
    for (size_t i = 0; i < from->seen_count; i++) {
        to->seen[i] = from->seen[i];
        to->seen[i].node = ss_arena_text(memory, from->seen[i].node);
        to->seen[i].channel = ss_arena_text(memory, from->seen[i].channel);
    }
    to->updated = ss_arena_take(memory, from->updated_count * sizeof(char *));
    for (size_t i = 0; i < from->updated_count; i++) {
        to->updated[i] = ss_arena_text(memory, from->updated[i]);
    }
}

struct ss_row *ss_row_copy(const struct ss_row *row)
{
    struct ss_row *copy = ss_row_new();
    const struct ss_arena memory = copy->memory;
    *copy = *row;
    copy->life.names = NULL;
    copy->life.refs = 0;
    copy->memory = memory;
    copy->ns = ss_arena_text(&copy->memory, row->ns);
    copy->sources.items = NULL;
    copy->sources.count = copy->sources.capacity = copy->sources.size = 0;
    copy->sources.keeps_run = false;
    copy->named_from = 0;
    copy->metadata = json_incref(row->metadata);
    copy->entry = json_incref(row->entry);
    copy->end = json_incref(row->end);
    copy_writes(copy, row);
    copy_events(copy, row);
    copy_checkpoint(copy, &row->checkpoint);
    return copy;
}
