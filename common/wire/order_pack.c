// order_pack.c - an order to the wire.
#include <string.h>

#include "common/base/mem.h"
#include "common/wire/limits.h"
#include "common/wire/put.h"
#include "common/wire/work.h"

// ------------------------------------------------ what many orders share

// Fields as they stand in each of them (model/task.h).
struct ss_coded {
    uint32_t size;
    bool is_doubtful; // as the writer is behind them
    char bytes[];
};

// False: they are not there yet.
static bool put_coded(
    struct ss_wire_writer *writer, struct ss_coded *const *place)
{
    const struct ss_coded *coded = place ? *place : NULL;
    if (!coded)
        return false;
    char *end = ss_tail_ahead(writer->tail, coded->size);
    if (!end)
        return true; // the message is too large
    memcpy(end - coded->size, coded->bytes, coded->size);
    ss_tail_reach(writer->tail, end - coded->size);
    writer->is_doubtful |= coded->is_doubtful;
    return true;
}

// What this writer wrote since there were `from` bytes is kept there, from now
// on.
static void keep_coded(
    const struct ss_wire_writer *writer, size_t from, struct ss_coded **place)
{
    const struct ss_tail *tail = writer->tail;
    if (!place || tail->size > tail->size_max)
        return;
    size_t size = tail->size - from;
    struct ss_coded *coded = ss_alloc(sizeof(*coded) + size);
    coded->size = (uint32_t)size;
    coded->is_doubtful = writer->is_doubtful;
    memcpy(coded->bytes, tail->end - tail->size, size);
    *place = coded;
}

// Two texts, of fields `field` and behind.
static void put_pair(struct ss_wire_writer *writer, struct ss_coded **place,
    unsigned field, const char *first, const char *second)
{
    struct ss_wire_writer pair = {.tail = writer->tail};
    size_t from = writer->tail->size;
    if (put_coded(writer, place))
        return;
    ss_put_text(&pair, field + 1, second);
    ss_put_text(&pair, field, first);
    keep_coded(&pair, from, place);
    writer->is_doubtful |= pair.is_doubtful;
}

// ------------------------------------------------ fields

static char *put_signed(char *at, unsigned field, int64_t number)
{
    return number != 0 ? ss_back_signed(at, field, number) : at;
}

// Eight bytes, the lowest first.
static char *put_digest(char *at, unsigned field, uint64_t digest)
{
    if (digest == 0)
        return at;
    for (int i = 7; i >= 0; i--)
        *--at = (char)(digest >> (8 * i));
    return ss_back_key(at, field << 3 | SS_TAIL_FIXED64);
}

// The part without its lists that go as edits.
static void pack_part(struct ss_wire_writer *writer, unsigned field,
    const struct ss_assignment *order, enum ss_assignment_part part)
{
    struct ss_value *rest = ss_assignment_rest(order, part);
    if (part != SS_PART_FRESH)
        ss_put_value(writer, field, rest);
    else if (rest)
        ss_put_bytes(writer, field, rest);
    ss_value_unref(rest);
}

static void pack_lists(
    struct ss_wire_writer *writer, const struct ss_assignment *order)
{
    for (size_t i = order->lists.count; i > 0; i--) {
        const struct ss_assignment_list *list = &order->lists.items[i - 1];
        size_t from = writer->tail->size;
        ss_put_bytes(writer, 7, list->delta);
        ss_tail_number(writer->tail, 6, list->stamp);
        if (list->base != 0)
            ss_tail_number(writer->tail, 5, list->base);
        ss_tail_number(writer->tail, 4, list->slot);
        if (list->name) {
            ss_put_text(writer, 3, list->name);
            ss_tail_number(writer->tail, 2, list->at);
        }
        ss_tail_number(writer->tail, 1, (uint64_t)list->part);
        ss_tail_message(writer->tail, 37, from);
    }
}

// Fields 18 to 25 and 31 to 38, the last first.
static void pack_rest(
    struct ss_wire_writer *writer, const struct ss_assignment *order)
{
    if (order->heard != 0)
        ss_tail_number(writer->tail, 38, order->heard);
    pack_lists(writer, order);
    char *at = ss_tail_ahead(writer->tail, 2 * SS_BACK_HEAD_MAX);
    if (at) {
        at = ss_put_number(at, 36, order->shard_epoch);
        ss_tail_reach(writer->tail, put_digest(at, 35, order->digest));
    }
    ss_put_json(writer, 34, order->fold.writes);
    pack_part(writer, 33, order, SS_PART_FOLD);
    if (order->fold.channel)
        ss_put_text(writer, 32, order->fold.channel);
    ss_put_value(writer, 31, order->returned);
    at = ss_tail_ahead(writer->tail, 5 * SS_BACK_HEAD_MAX);
    if (at) {
        at = ss_put_number(at, 30, order->want_messages);
        at = ss_put_number(at, 29, order->want_custom);
        at = ss_put_number(at, 28, order->timeouts.heartbeat_only);
        at = ss_put_number(at, 27, (uint64_t)order->timeouts.idle_ms);
        at = ss_put_number(at, 26, (uint64_t)order->timeouts.run_ms);
        ss_tail_reach(writer->tail, at);
    }
    ss_put_json(writer, 25, order->given.error);
    if (order->given.context)
        ss_put_bytes(writer, 24, order->given.context);
    if (order->given.config)
        ss_put_bytes(writer, 23, order->given.config);
    ss_put_json(writer, 22, order->fresh.managed);
    pack_part(writer, 21, order, SS_PART_FRESH);
    ss_put_value(writer, 20, order->given.plain);
    ss_put_json(writer, 19, order->given.answers);
    pack_part(writer, 18, order, SS_PART_INPUT);
}

// Fields 7 to 16: the texts of 7 to 12 stand together.
static void pack_names(
    struct ss_wire_writer *writer, const struct ss_assignment *order)
{
    enum { FIRST = 7, TEXTS = 6, NUMBERS = 4 };
    const char *const texts[TEXTS] = {order->thread, order->run, order->task_id,
        order->checkpoint_id, order->ns, order->path};
    size_t sizes[TEXTS], all = (TEXTS + NUMBERS) * SS_BACK_HEAD_MAX;
    for (size_t i = 0; i < TEXTS; i++)
        all += sizes[i] = texts[i] ? strlen(texts[i]) : 0;
    char *at = ss_tail_ahead(writer->tail, all);
    if (!at)
        return;
    at = ss_put_number(at, 16, (uint64_t)order->first_attempt_us);
    at = ss_put_number(at, 15, order->attempt_number);
    at = put_signed(at, 14, order->stop);
    at = put_signed(at, 13, order->step);
    const char *behind = at;
    for (unsigned i = TEXTS; i > 0; i--)
        at = ss_back_data(at, FIRST + i - 1, texts[i - 1], sizes[i - 1]);
    if (ss_put_is_doubtful(at, behind))
        writer->is_doubtful = true;
    ss_tail_reach(writer->tail, at);
}

// Fields 1 to 6.
static void pack_head(
    struct ss_wire_writer *writer, const struct ss_assignment *order)
{
    put_pair(writer, order->kept.node, 5, order->graph, order->node);
    put_pair(writer, order->kept.root, 3, order->app_graph, order->version);
    char *at = ss_tail_ahead(writer->tail, 4 * SS_BACK_HEAD_MAX);
    if (!at)
        return;
    at = ss_put_number(at, 2, (uint64_t)order->kind);
    ss_tail_reach(writer->tail, ss_put_attempt(at, order->attempt));
}

// Sorted names, an array in JSON.
static void pack_triggers(
    struct ss_wire_writer *writer, const struct ss_assignment *order)
{
    struct ss_wire_writer triggers = {.tail = writer->tail};
    size_t from = writer->tail->size;
    if (put_coded(writer, order->kept.triggers))
        return;
    for (size_t i = json_array_size(order->triggers); i > 0; i--)
        ss_put_text(&triggers, 17,
            json_string_value(json_array_get(order->triggers, i - 1)));
    keep_coded(&triggers, from, order->kept.triggers);
    writer->is_doubtful |= triggers.is_doubtful;
}

int ss_pack_order(struct ss_tail *tail, const struct ss_assignment *order,
    bool *ret_is_doubtful, struct ss_error *error)
{
    size_t parts = order->lists.count + json_array_size(order->triggers);
    struct ss_wire_writer writer = {.tail = tail,
        .is_doubtful = parts > SS_WIRE_ITEMS_MAX / 2,
        .error = error};
    pack_rest(&writer, order);
    pack_triggers(&writer, order);
    pack_names(&writer, order);
    pack_head(&writer, order);
    *ret_is_doubtful = writer.is_doubtful;
    return writer.status;
}
