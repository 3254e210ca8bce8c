// order.c - an order from the wire.

#include "common/base/mem.h"
#include "common/model/limits.h"
#include "common/wire/work.h"

Superstep__V1__Attempt *ss_pack_attempt(
    struct ss_packer *packer, struct ss_attempt attempt)
{
    Superstep__V1__Attempt *packed = ss_pack_alloc(packer, 1, sizeof(*packed));
    superstep__v1__attempt__init(packed);
    packed->epoch = attempt.epoch;
    packed->dispatch = attempt.dispatch;
    return packed;
}

struct ss_attempt ss_take_attempt(const Superstep__V1__Attempt *packed)
{
    return (struct ss_attempt){packed->epoch, packed->dispatch};
}

static void take_plain(
    const Superstep__V1__Order *packed, struct ss_assignment *order)
{
    order->attempt = ss_take_attempt(packed->attempt);
    order->app_graph = packed->app_graph;
    order->version = packed->version;
    order->graph = packed->graph;
    order->node = packed->node;
    order->thread = packed->thread;
    order->run = packed->run;
    order->ns = packed->ns;
    order->path = packed->path;
    ss_assignment_keep(order);
    order->step = packed->step;
    order->stop = packed->stop;
    order->attempt_number = packed->attempt_number;
    order->first_attempt_us = packed->first_attempt_us;
    order->timeouts.run_ms = ss_duration_ms(packed->run_timeout_ms);
    order->timeouts.idle_ms = ss_duration_ms(packed->idle_timeout_ms);
    order->timeouts.heartbeat_only = packed->heartbeat_only != 0;
    order->want_custom = packed->want_custom != 0;
    order->want_messages = packed->want_messages != 0;
    order->digest = packed->digest;
    order->shard_epoch = packed->shard_epoch;
    order->heard = packed->heard;
    order->fold.channel = ss_strdup(packed->fold_channel);
    order->triggers = json_array();
    for (size_t i = 0; i < packed->n_triggers; i++)
        json_array_append_new(
            order->triggers, json_string_nocheck(packed->triggers[i]));
}

#define TAKE(take, field, want, to)                                            \
    do {                                                                       \
        if (status == SS_OK)                                                   \
            status = take(packed->has_##field, packed->field, (want),          \
                "an order's " #field, (to), error);                            \
    } while (0)
#define TAKE_JSON(field, want, to) TAKE(ss_take_json, field, want, to)
#define TAKE_TEXT(field, want, to) TAKE(ss_take_text, field, want, to)

static int take_jsons(const Superstep__V1__Order *packed,
    struct ss_assignment *order, struct ss_error *error)
{
    int status = SS_OK;
    TAKE_JSON(answers, SS_WANT_ARRAY, &order->given.answers);
    TAKE_TEXT(fresh_channels, SS_WANT_OBJECT, &order->fresh.channels);
    TAKE_JSON(fresh_managed, SS_WANT_OBJECT, &order->fresh.managed);
    TAKE_TEXT(config, SS_WANT_OBJECT, &order->given.config);
    TAKE_TEXT(context, SS_WANT_ANY, &order->given.context);
    TAKE_JSON(error, SS_WANT_OBJECT, &order->given.error);
    TAKE_JSON(fold_writes, SS_WANT_ARRAY, &order->fold.writes);
    if (status == SS_OK && !order->given.answers)
        order->given.answers = json_array();
    return status;
}

#define TAKE_VALUE(field, place)                                               \
    do {                                                                       \
        if (status == SS_OK)                                                   \
            status = ss_take_value(                                            \
                packed->field, "an order's " #field, place, error);            \
    } while (0)

static int take_values(const Superstep__V1__Order *packed,
    struct ss_assignment *order, struct ss_error *error)
{
    int status = SS_OK;
    TAKE_VALUE(input, &order->input);
    TAKE_VALUE(plain, &order->given.plain);
    TAKE_VALUE(returned, &order->returned);
    TAKE_VALUE(fold_value, &order->fold.value);
    return status;
}

static int take_lists(const Superstep__V1__Order *packed,
    struct ss_assignment *order, struct ss_error *error)
{
    int status = SS_OK;
    order->lists.items =
        ss_zalloc(packed->n_lists + 1, sizeof(*order->lists.items));
    order->lists.capacity = packed->n_lists + 1;
    for (size_t i = 0; i < packed->n_lists && status == SS_OK; i++) {
        const Superstep__V1__OrderList *from = packed->lists[i];
        struct ss_assignment_list *list =
            &order->lists.items[order->lists.count++];
        int part = 0;
        *list = (struct ss_assignment_list){.at = from->at,
            .name = ss_strdup(from->name),
            .slot = from->slot,
            .base = from->from,
            .stamp = from->stamp};
        status = ss_take_enum((int)from->part, SS_PARTS_COUNT,
            "the part of a list in an order", &part, error);
        list->part = (enum ss_assignment_part)part;
        if (status == SS_OK)
            status = ss_take_bytes(SS_VALUE_JSON, from->delta,
                "a list in an order", &list->delta, error);
    }
    return status;
}

int ss_take_order(const Superstep__V1__Order *packed,
    struct ss_assignment **ret_order, struct ss_error *error)
{
    struct ss_assignment *order = ss_assignment_new();
    int kind = 0;
    take_plain(packed, order);
    int status = ss_take_enum(
        (int)packed->kind, SS_ORDER_FOLD + 1, "an order's kind", &kind, error);
    order->kind = (enum ss_assignment_kind)kind;
    if (status == SS_OK)
        status = ss_take_id(
            packed->task_id, "an order's task_id", order->task_id, error);
    if (status == SS_OK)
        status = ss_take_id(packed->checkpoint_id, "an order's checkpoint_id",
            order->checkpoint_id, error);
    if (status == SS_OK)
        status = take_jsons(packed, order, error);
    if (status == SS_OK)
        status = take_values(packed, order, error);
    if (status == SS_OK)
        status = take_lists(packed, order, error);
    if (status != SS_OK) {
        ss_assignment_destroy(&order);
        return status;
    }
    *ret_order = order;
    return SS_OK;
}
