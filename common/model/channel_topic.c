// channel_topic.c - a list of what was written, of one superstep or of all.
#include "common/model/channel_kind.h"

static size_t count_of(const struct ss_channel *channel)
{
    return channel->value ? json_array_size(ss_value_json(channel->value)) : 0;
}

static int restore(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    if (!stored)
        return SS_OK;
    if (!json_is_array(ss_value_json(stored)))
        return ss_channel_damaged(channel, "a list", error);
    channel->value = ss_value_ref(stored);
    return SS_OK;
}

// A list is spliced in, one level (R2.1).
static json_t *flatten(
    json_t *list, const struct ss_channel_write *writes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *item = ss_value_json(writes[i].value);
        if (json_is_array(item))
            json_array_extend(list, item);
        else
            json_array_append(list, item);
    }
    return list;
}

static int update(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    (void)error;
    size_t before = count_of(channel);
    if (!channel->spec->accumulate) {
        // Nothing there and nothing written: as it was.
        *ret_changed = before > 0;
        if (before == 0 && count == 0)
            return SS_OK;
        json_t *list = flatten(json_array(), writes, count);
        *ret_changed = before > 0 || json_array_size(list) > 0;
        ss_channel_put(channel, ss_value_new(list));
        return SS_OK;
    }
    *ret_changed = false;
    if (count == 0)
        return SS_OK;
    json_t *list =
        before > 0 ? json_copy(ss_value_json(channel->value)) : json_array();
    flatten(list, writes, count);
    *ret_changed = json_array_size(list) > before;
    ss_channel_put(channel, ss_value_new(list));
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
    .store = store};
