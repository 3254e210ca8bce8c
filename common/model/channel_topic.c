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
    if (!ss_value_is_list(stored) || !ss_value_list(stored))
        return ss_channel_damaged(channel, "a list", error);
    channel->value = ss_value_ref(stored);
    return SS_OK;
}

static void add(void *ctx, uint64_t number, struct ss_value *item)
{
    struct ss_list **list = ctx;
    (void)number;
    *list = ss_list_push(*list, item);
}

// A list is spliced in, one level (R2.1). Nothing else is looked into: a send
// may carry all of a state.
static void splice(struct ss_list **list, struct ss_value *written)
{
    struct ss_list *items =
        ss_value_is_list(written) ? ss_value_list(written) : NULL;
    if (items)
        ss_list_each(items, add, list);
    else
        *list = ss_list_push(*list, written);
}

// A topic of all supersteps shares with what it was.
static int update(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    (void)error;
    bool accumulates = channel->spec->accumulate;
    size_t before = count_of(channel), kept = accumulates ? before : 0;
    *ret_changed = false;
    // Nothing written, and nothing there that would go.
    if (count == 0 && (accumulates || before == 0))
        return SS_OK;
    struct ss_list *list =
        kept > 0 ? ss_list_ref(ss_value_list(channel->value)) : ss_list_new();
    for (size_t i = 0; i < count; i++)
        splice(&list, writes[i].value);
    *ret_changed = ss_list_count(list) > kept || before > kept;
    ss_channel_put(channel, ss_value_of_list(list));
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
