// channel_reducer.c - values that writes are folded into (R2.2, R2.4).
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/channel_kind.h"
#include "common/model/opaque.h"
#include "common/model/reducer.h"

// The value of an Overwrite; null empties a delta channel.
static struct ss_value *opened(const struct ss_channel *channel, json_t *inside)
{
    if (channel->spec->kind == SS_CHANNEL_DELTA && json_is_null(inside) &&
        channel->spec->zero)
        inside = channel->spec->zero;
    return ss_value_new(json_incref(inside));
}

// The one Overwrite among the writes: its index, or `count`.
static int find_overwrite(const struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, size_t *ret_index,
    json_t **ret_inside, struct ss_error *error)
{
    json_t *inside;
    *ret_index = count;
    *ret_inside = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!ss_value_overwrites(writes[i].value, &inside))
            continue;
        if (*ret_index < count)
            return ss_error_set(error, SS_EUPDATE,
                "channel \"%s\": two Overwrites in one superstep",
                channel->spec->name);
        *ret_index = i;
        *ret_inside = inside;
    }
    return SS_OK;
}

int ss_channel_fold(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count,
    struct ss_fold *ret_fold, struct ss_error *error)
{
    size_t index;
    json_t *inside;
    ss_check(count > 0);
    int status = find_overwrite(channel, writes, count, &index, &inside, error);
    if (status != SS_OK)
        return status;
    struct ss_fold fold = {.from = writes, .count = count};
    if (index < count) {
        fold.base = opened(channel, inside);
        fold.count = 0;
    } else if (channel->value) {
        fold.base = ss_value_ref(channel->value);
    } else {
        // The channel holds nothing: the first write is the value as it is.
        fold.base = ss_value_ref(writes[0].value);
        fold.from++;
        fold.count--;
    }
    *ret_fold = fold;
    return SS_OK;
}

// The position of a write among its owner's writes to this channel. A router,
// which sees only its own task's writes, counts the same.
static size_t position_of(const struct ss_channel_write *writes, size_t index)
{
    size_t position = 0;
    const char *owner = writes[index].owner;
    for (size_t i = index; owner && i-- > 0;) {
        if (!writes[i].owner || strcmp(writes[i].owner, owner) != 0)
            break;
        position++;
    }
    return owner ? position : index;
}

// ------------------------------------------------ an update under way

// The result so far: the value as it was, or a copy that is ours alone and
// grows in place. Many writes to one list share one copy.
struct growth {
    struct ss_value *value;
    struct ss_list *list;
    json_t *json;
};

static struct ss_value *growth_close(struct growth *growth)
{
    if (growth->list)
        growth->value = ss_value_of_list(growth->list);
    else if (growth->json)
        growth->value = ss_value_new(growth->json);
    growth->list = NULL;
    growth->json = NULL;
    return growth->value;
}

static void growth_fini(struct growth *growth)
{
    ss_value_unref(growth->value);
    ss_list_unref(growth->list);
    json_decref(growth->json);
}

// A list that grows costs what is added to it, not what it holds.
static int fold_list(struct growth *growth, enum ss_reducer reducer,
    struct ss_value *right, const char *owner, size_t position,
    struct ss_error *error)
{
    if (reducer != SS_REDUCER_ADD && reducer != SS_REDUCER_APPEND &&
        reducer != SS_REDUCER_ADD_MESSAGES)
        return SS_EAGAIN;
    if (growth->json && !json_is_array(growth->json))
        return SS_EAGAIN; // a sum of numbers
    struct ss_list *list = growth->list;
    if (!list) {
        list = ss_value_list(growth_close(growth));
        if (!list)
            return SS_EAGAIN;
        ss_list_ref(list);
    }
    int status = ss_reduce_list(reducer, &list, right, owner, position, error);
    if (status == SS_OK && !growth->list) {
        ss_value_unref(growth->value);
        growth->value = NULL;
    }
    if (status == SS_OK || growth->list)
        growth->list = list;
    else
        ss_list_unref(list);
    return status;
}

static int fold_json(struct growth *growth, enum ss_reducer reducer,
    struct ss_value *right, const char *owner, size_t position,
    struct ss_error *error)
{
    json_t *left = growth->json, *next;
    if (left && !ss_json_is_shared(left) && reducer == SS_REDUCER_OR &&
        json_is_object(left) && json_is_object(ss_value_json(right)) &&
        !ss_mark_is(ss_value_json(right))) {
        json_object_update(left, ss_value_json(right));
        return SS_OK;
    }
    if (!left)
        left = ss_value_json(growth_close(growth));
    int status = ss_reduce(
        reducer, left, ss_value_json(right), owner, position, &next, error);
    if (status != SS_OK)
        return status;
    growth_fini(growth);
    *growth = (struct growth){.json = next};
    return SS_OK;
}

static int fold_one(const struct ss_channel *channel, struct growth *growth,
    const struct ss_channel_write *writes, size_t index, struct ss_error *error)
{
    const struct ss_channel_spec *spec = channel->spec;
    struct ss_value *right = writes[index].value;
    char *owner = NULL;
    size_t position = 0;
    if (spec->reducer == SS_REDUCER_ADD_MESSAGES && writes[index].owner) {
        owner = ss_format("%s|%s", writes[index].owner, spec->name);
        position = position_of(writes, index);
    }
    int status =
        fold_list(growth, spec->reducer, right, owner, position, error);
    if (status == SS_EAGAIN)
        status =
            fold_json(growth, spec->reducer, right, owner, position, error);
    ss_free(owner);
    if (status != SS_OK)
        ss_error_wrap(error, "channel \"%s\"", spec->name);
    return status;
}

// The writes before an Overwrite are lost, but one that cannot be applied is an
// error all the same; those after it are not looked at (R2.2). A delta channel
// looks at none of them (R2.4).
static int update(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    ss_check(channel->spec->reducer != SS_REDUCER_CUSTOM || count == 0);
    size_t end, from = 0;
    json_t *inside;
    int status = find_overwrite(channel, writes, count, &end, &inside, error);
    if (status != SS_OK || count == 0) {
        *ret_changed = false;
        return status;
    }
    struct ss_value *base = channel->value;
    if (inside && channel->spec->kind == SS_CHANNEL_DELTA)
        end = 0;
    if (!base && end > 0)
        base = writes[from++].value;
    struct growth growth = {.value = ss_value_ref(base)};
    for (size_t i = from; i < end && status == SS_OK; i++)
        status = fold_one(channel, &growth, writes, i, error);
    *ret_changed = status == SS_OK;
    if (status == SS_OK && inside)
        ss_channel_put(channel, opened(channel, inside));
    else if (status == SS_OK)
        ss_channel_put(channel, ss_value_ref(growth_close(&growth)));
    growth_fini(&growth);
    return status;
}

const struct ss_channel_kind_table ss_channel_reducer = {
    .restore = ss_channel_restore_or_zero, .update = update};
