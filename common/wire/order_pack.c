// order_pack.c - an order to the wire.
#include <string.h>

#include "common/wire/limits.h"
#include "common/wire/text.h"
#include "common/wire/work.h"

// An order that is being written, from its last field to its first.
struct order_pack {
    struct ss_tail *tail;
    bool is_doubtful; // a text or a number of parts that may be refused
    int status;       // of the first value that cannot be sent
    struct ss_error *error;
};

// A required text. What `ss_wire_scan` might refuse is left to it.
static void pack_text(struct order_pack *pack, unsigned field, const char *text)
{
    size_t size = text ? strlen(text) : 0;
    if (size > SS_WIRE_TEXT_SIZE_MAX || !ss_wire_text_ok(text, size))
        pack->is_doubtful = true;
    ss_tail_data(pack->tail, field, text, size);
}

// Numbers that are zero stay off the wire.
static void pack_number(
    struct order_pack *pack, unsigned field, uint64_t number)
{
    if (number != 0)
        ss_tail_number(pack->tail, field, number);
}

static void pack_signed(struct order_pack *pack, unsigned field, int64_t number)
{
    if (number != 0)
        ss_tail_signed(pack->tail, field, number);
}

// Eight bytes, the lowest first.
static void pack_digest(
    struct order_pack *pack, unsigned field, uint64_t digest)
{
    unsigned key = field << 3 | SS_TAIL_FIXED64;
    char *at = digest != 0 ? ss_tail_room(pack->tail, 2 + 8) : NULL;
    if (!at)
        return;
    *at++ = (char)(key | 128);
    *at++ = (char)(key >> 7);
    for (int i = 0; i < 8; i++)
        *at++ = (char)(digest >> (8 * i));
}

static void pack_bytes(
    struct order_pack *pack, unsigned field, struct ss_value *value)
{
    size_t size = 0;
    if (pack->status == SS_OK)
        pack->status = ss_value_valid(value, pack->error);
    if (pack->status != SS_OK)
        return;
    const char *bytes = ss_value_text(value, &size);
    if (size > (size_t)SS_VALUE_SIZE_MAX)
        pack->status = ss_error_set(pack->error, SS_ELIMIT,
            "a value of %zu bytes; the limit is %u", size, SS_VALUE_SIZE_MAX);
    else
        ss_tail_data(pack->tail, field, bytes, size);
}

static void pack_value(
    struct order_pack *pack, unsigned field, struct ss_value *value)
{
    size_t from = pack->tail->size;
    if (!value)
        return;
    pack_bytes(pack, 2, value);
    pack_number(pack, 1, (uint64_t)ss_value_tag(value));
    ss_tail_message(pack->tail, field, from);
}

static void pack_json(struct order_pack *pack, unsigned field, json_t *json)
{
    if (!json)
        return;
    if (json_is_array(json) && json_array_size(json) == 0) {
        ss_tail_data(pack->tail, field, "[]", 2);
        return;
    }
    struct ss_value *value = ss_value_new(json_incref(json));
    pack_bytes(pack, field, value);
    ss_value_unref(value);
}

// The part without its lists that go as edits.
static void pack_part(struct order_pack *pack, unsigned field,
    const struct ss_assignment *order, enum ss_assignment_part part)
{
    struct ss_value *rest = ss_assignment_rest(order, part);
    if (part != SS_PART_FRESH)
        pack_value(pack, field, rest);
    else if (rest)
        pack_bytes(pack, field, rest);
    ss_value_unref(rest);
}

static void pack_lists(
    struct order_pack *pack, const struct ss_assignment *order)
{
    for (size_t i = order->lists.count; i > 0; i--) {
        const struct ss_assignment_list *list = &order->lists.items[i - 1];
        size_t from = pack->tail->size;
        pack_bytes(pack, 7, list->delta);
        ss_tail_number(pack->tail, 6, list->stamp);
        pack_number(pack, 5, list->base);
        ss_tail_number(pack->tail, 4, list->slot);
        if (list->name) {
            pack_text(pack, 3, list->name);
            ss_tail_number(pack->tail, 2, list->at);
        }
        ss_tail_number(pack->tail, 1, (uint64_t)list->part);
        ss_tail_message(pack->tail, 37, from);
    }
}

// Fields 18 to 38, the last first.
static void pack_rest(
    struct order_pack *pack, const struct ss_assignment *order)
{
    pack_number(pack, 38, order->heard);
    pack_lists(pack, order);
    pack_number(pack, 36, order->shard_epoch);
    pack_digest(pack, 35, order->digest);
    pack_json(pack, 34, order->fold.writes);
    pack_part(pack, 33, order, SS_PART_FOLD);
    if (order->fold.channel)
        pack_text(pack, 32, order->fold.channel);
    pack_value(pack, 31, order->returned);
    pack_number(pack, 30, order->want_messages);
    pack_number(pack, 29, order->want_custom);
    pack_number(pack, 28, order->timeouts.heartbeat_only);
    pack_number(pack, 27, (uint64_t)order->timeouts.idle_ms);
    pack_number(pack, 26, (uint64_t)order->timeouts.run_ms);
    pack_json(pack, 25, order->given.error);
    pack_json(pack, 24, order->given.context);
    pack_json(pack, 23, order->given.config);
    pack_json(pack, 22, order->fresh.managed);
    pack_part(pack, 21, order, SS_PART_FRESH);
    pack_value(pack, 20, order->given.plain);
    pack_json(pack, 19, order->given.answers);
    pack_part(pack, 18, order, SS_PART_INPUT);
}

// Fields 1 to 17. Triggers are sorted names, an array in JSON.
static void pack_head(
    struct order_pack *pack, const struct ss_assignment *order)
{
    for (size_t i = json_array_size(order->triggers); i > 0; i--)
        pack_text(pack, 17,
            json_string_value(json_array_get(order->triggers, i - 1)));
    pack_number(pack, 16, (uint64_t)order->first_attempt_us);
    pack_number(pack, 15, order->attempt_number);
    pack_signed(pack, 14, order->stop);
    pack_signed(pack, 13, order->step);
    pack_text(pack, 12, order->path);
    pack_text(pack, 11, order->ns);
    pack_text(pack, 10, order->checkpoint_id);
    pack_text(pack, 9, order->task_id);
    pack_text(pack, 8, order->run);
    pack_text(pack, 7, order->thread);
    pack_text(pack, 6, order->node);
    pack_text(pack, 5, order->graph);
    pack_text(pack, 4, order->version);
    pack_text(pack, 3, order->app_graph);
    pack_number(pack, 2, (uint64_t)order->kind);
    size_t from = pack->tail->size;
    ss_tail_number(pack->tail, 2, order->attempt.dispatch);
    ss_tail_number(pack->tail, 1, order->attempt.epoch);
    ss_tail_message(pack->tail, 1, from);
}

int ss_pack_order(struct ss_tail *tail, const struct ss_assignment *order,
    bool *ret_is_doubtful, struct ss_error *error)
{
    size_t parts = order->lists.count + json_array_size(order->triggers);
    struct order_pack pack = {.tail = tail,
        .is_doubtful = parts > SS_WIRE_ITEMS_MAX / 2,
        .error = error};
    pack_rest(&pack, order);
    pack_head(&pack, order);
    *ret_is_doubtful = pack.is_doubtful;
    return pack.status;
}
