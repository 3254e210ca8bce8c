// order_pack.c - an order to the wire.
#include <string.h>

#include "common/wire/back.h"
#include "common/wire/limits.h"
#include "common/wire/work.h"

// An order that is being written, from its last field to its first.
struct order_pack {
    struct ss_tail *tail;
    bool is_doubtful; // a text or a number of parts that may be refused
    int status;       // of the first value that cannot be sent
    struct ss_error *error;
};

// Has a text among these bytes a letter beyond ASCII, or so many that its size
// takes two bytes? Then it is for `ss_wire_scan` to say whether it may be sent.
static bool is_doubtful(const char *at, const char *end)
{
    uint64_t letters, any = 0;
    for (; end - at >= 8; at += 8) {
        memcpy(&letters, at, sizeof(letters));
        any |= letters;
    }
    for (; at < end; at++)
        any |= (uint8_t)*at;
    return any & UINT64_C(0x8080808080808080);
}

// A required text.
static void pack_text(struct order_pack *pack, unsigned field, const char *text)
{
    size_t size = text ? strlen(text) : 0;
    char *end = ss_tail_ahead(pack->tail, size + SS_BACK_HEAD_MAX);
    if (!end)
        return;
    if (is_doubtful(text, text + size) || size > SS_WIRE_TEXT_SIZE_MAX)
        pack->is_doubtful = true;
    ss_tail_reach(pack->tail, ss_back_data(end, field, text, size));
}

// Numbers that are zero stay off the wire.
static char *put_number(char *at, unsigned field, uint64_t number)
{
    return number != 0 ? ss_back_number(at, field, number) : at;
}

static void pack_number(
    struct order_pack *pack, unsigned field, uint64_t number)
{
    if (number != 0)
        ss_tail_number(pack->tail, field, number);
}

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
    bool is_list = json_is_array(json);
    if ((is_list ? json_array_size(json) : json_object_size(json)) == 0 &&
        (is_list || json_is_object(json))) {
        ss_tail_data(pack->tail, field, is_list ? "[]" : "{}", 2);
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

// Fields 18 to 25 and 31 to 38, the last first.
static void pack_rest(
    struct order_pack *pack, const struct ss_assignment *order)
{
    pack_number(pack, 38, order->heard);
    pack_lists(pack, order);
    char *at = ss_tail_ahead(pack->tail, 2 * SS_BACK_HEAD_MAX);
    if (at) {
        at = put_number(at, 36, order->shard_epoch);
        ss_tail_reach(pack->tail, put_digest(at, 35, order->digest));
    }
    pack_json(pack, 34, order->fold.writes);
    pack_part(pack, 33, order, SS_PART_FOLD);
    if (order->fold.channel)
        pack_text(pack, 32, order->fold.channel);
    pack_value(pack, 31, order->returned);
    at = ss_tail_ahead(pack->tail, 5 * SS_BACK_HEAD_MAX);
    if (at) {
        at = put_number(at, 30, order->want_messages);
        at = put_number(at, 29, order->want_custom);
        at = put_number(at, 28, order->timeouts.heartbeat_only);
        at = put_number(at, 27, (uint64_t)order->timeouts.idle_ms);
        at = put_number(at, 26, (uint64_t)order->timeouts.run_ms);
        ss_tail_reach(pack->tail, at);
    }
    pack_json(pack, 25, order->given.error);
    if (order->given.context)
        pack_bytes(pack, 24, order->given.context);
    if (order->given.config)
        pack_bytes(pack, 23, order->given.config);
    pack_json(pack, 22, order->fresh.managed);
    pack_part(pack, 21, order, SS_PART_FRESH);
    pack_value(pack, 20, order->given.plain);
    pack_json(pack, 19, order->given.answers);
    pack_part(pack, 18, order, SS_PART_INPUT);
}

// Fields 1 to 16: the texts of 3 to 12 stand together.
static void pack_head(
    struct order_pack *pack, const struct ss_assignment *order)
{
    enum { FIRST = 3, TEXTS = 10, NUMBERS = 8 };
    const char *const texts[TEXTS] = {order->app_graph, order->version,
        order->graph, order->node, order->thread, order->run, order->task_id,
        order->checkpoint_id, order->ns, order->path};
    size_t sizes[TEXTS], all = (TEXTS + NUMBERS) * SS_BACK_HEAD_MAX;
    for (size_t i = 0; i < TEXTS; i++)
        all += sizes[i] = texts[i] ? strlen(texts[i]) : 0;
    char *at = ss_tail_ahead(pack->tail, all);
    if (!at)
        return;
    at = put_number(at, 16, (uint64_t)order->first_attempt_us);
    at = put_number(at, 15, order->attempt_number);
    at = put_signed(at, 14, order->stop);
    at = put_signed(at, 13, order->step);
    const char *behind = at;
    for (unsigned i = TEXTS; i > 0; i--)
        at = ss_back_data(at, FIRST + i - 1, texts[i - 1], sizes[i - 1]);
    if (is_doubtful(at, behind))
        pack->is_doubtful = true;
    at = put_number(at, 2, (uint64_t)order->kind);
    const char *end = at;
    at = ss_back_number(at, 2, order->attempt.dispatch);
    at = ss_back_number(at, 1, order->attempt.epoch);
    ss_tail_reach(pack->tail, ss_back_message(at, 1, end));
}

// Sorted names, an array in JSON.
static void pack_triggers(
    struct order_pack *pack, const struct ss_assignment *order)
{
    for (size_t i = json_array_size(order->triggers); i > 0; i--)
        pack_text(pack, 17,
            json_string_value(json_array_get(order->triggers, i - 1)));
}

int ss_pack_order(struct ss_tail *tail, const struct ss_assignment *order,
    bool *ret_is_doubtful, struct ss_error *error)
{
    size_t parts = order->lists.count + json_array_size(order->triggers);
    struct order_pack pack = {.tail = tail,
        .is_doubtful = parts > SS_WIRE_ITEMS_MAX / 2,
        .error = error};
    pack_rest(&pack, order);
    pack_triggers(&pack, order);
    pack_head(&pack, order);
    *ret_is_doubtful = pack.is_doubtful;
    return pack.status;
}
