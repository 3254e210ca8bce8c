// channel_topic.c - a list of what was written, of one superstep or of all.
#include "common/model/channel_kind.h"
#include "common/model/persistent_vector.h"

static size_t count_of(const struct ss_channel *channel)
{
    return channel->value ? ss_value_count(channel->value) : 0;
}

static int restore(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    if (!stored)
        return SS_OK;
    if (!ss_value_listed(stored) && !json_is_array(ss_value_json(stored)))
        return ss_channel_damaged(channel, "a list", error);
    channel->value = ss_value_ref(stored);
    return SS_OK;
}

// A topic of one superstep: a plain list.
static json_t *flatten(const struct ss_channel_write *writes, size_t count)
{
    json_t *list = json_array();
    // A list is spliced in, one level (R2.1).
    for (size_t i = 0; i < count; i++) {
        json_t *item = ss_value_json(writes[i].value);
        if (json_is_array(item))
            json_array_extend(list, item);
        else
            json_array_append(list, item);
    }
    return list;
}

// A topic of all supersteps: a list that shares with what it was.
static struct ss_value *accumulate(struct ss_value *old, json_t *added)
{
    struct ss_list *list =
        old ? ss_list_ref(ss_value_list(old)) : ss_list_new();
    for (size_t i = 0; i < json_array_size(added); i++) {
        struct ss_value *item =
            ss_value_new(json_incref(json_array_get(added, i)));
        list = ss_list_push(list, item);
        ss_value_unref(item);
    }
    return ss_value_of_list(list);
}

static int update(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    (void)error;
    bool accumulates = channel->spec->accumulate;
    size_t before = count_of(channel);
    *ret_changed = false;
    // Nothing written, and nothing there that would go.
    if (count == 0 && (accumulates || before == 0))
        return SS_OK;
    json_t *added = flatten(writes, count);
    size_t more = json_array_size(added);
    *ret_changed = more > 0 || (before > 0 && !accumulates);
    if (accumulates)
        ss_channel_put(channel, accumulate(channel->value, added));
    else
        ss_channel_put(channel, ss_value_new(json_incref(added)));
    json_decref(added);
    return SS_OK;
}

static bool available(const struct ss_channel *channel)
{
    return count_of(channel) > 0;
}

static struct ss_value *store(const struct ss_channel *channel)
{
    return channel->value ? ss_value_ref(channel->value)
                          : ss_value_new(json_array());
}

const struct ss_channel_kind_table ss_channel_topic = {.restore = restore,
    .update = update,
    .available = available,
    .passes = true,
    .store = store};
