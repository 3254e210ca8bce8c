// channel_barrier.c - joins: which names must arrive, and which have. The value
// is the sorted list of the names seen.
#include <string.h>

#include "common/base/buf.h"
#include "common/model/channel_kind.h"

static bool is_full(const struct ss_channel *channel)
{
    size_t seen =
        channel->value ? json_array_size(ss_value_json(channel->value)) : 0;
    return seen == channel->spec->names_count;
}

static bool is_awaited(const struct ss_channel_spec *spec, const char *name)
{
    size_t low = 0, high = spec->names_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, spec->names[middle]);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

// Where `name` is in the sorted list, or would be.
static size_t place_of(const json_t *seen, const char *name, bool *ret_there)
{
    size_t low = 0, high = json_array_size(seen);
    *ret_there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order =
            strcmp(name, json_string_value(json_array_get(seen, middle)));
        if (order == 0) {
            *ret_there = true;
            return middle;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int refuse(const struct ss_channel *channel, struct ss_value *value,
    struct ss_error *error)
{
    const struct ss_channel_spec *spec = channel->spec;
    struct ss_buf expected;
    // A long list is cut at the size of the buffer.
    ss_buf_init(&expected, 256);
    for (size_t i = 0; i < spec->names_count; i++)
        ss_buf_addf(&expected, "%s%s", i > 0 ? ", " : "", spec->names[i]);
    int status = ss_error_set(error, SS_EUPDATE,
        "channel \"%s\": it does not wait for %.100s but for: %s%s", spec->name,
        ss_value_text(value, NULL), ss_buf_str(&expected),
        expected.status == SS_OK ? "" : ", ...");
    ss_buf_fini(&expected);
    return status;
}

static int update(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    json_t *seen = NULL;
    const json_t *now = channel->value ? ss_value_json(channel->value) : NULL;
    for (size_t i = 0; i < count; i++) {
        json_t *json = ss_value_json(writes[i].value);
        const char *name = json_string_value(json);
        if (!name || !is_awaited(channel->spec, name)) {
            json_decref(seen);
            return refuse(channel, writes[i].value, error);
        }
        bool there;
        size_t place = place_of(seen ? seen : now, name, &there);
        if (there)
            continue;
        if (!seen)
            seen = now ? json_copy((json_t *)now) : json_array();
        json_array_insert(seen, place, json);
    }
    *ret_changed = seen != NULL;
    if (seen)
        ss_channel_put(channel, ss_value_new(seen));
    return SS_OK;
}

static int restore_seen(
    struct ss_channel *channel, json_t *list, struct ss_error *error)
{
    if (!json_is_array(list))
        return ss_channel_damaged(channel, "a list of names", error);
    json_t *seen = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        const char *name = json_string_value(item);
        bool there = false;
        size_t place = name ? place_of(seen, name, &there) : 0;
        if (!name) {
            json_decref(seen);
            return ss_channel_damaged(channel, "a list of names", error);
        }
        // A name that is no longer waited for does not count as arrived.
        if (!there && is_awaited(channel->spec, name))
            json_array_insert(seen, place, item);
    }
    channel->value = ss_value_new(seen);
    return SS_OK;
}

static int restore(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    return stored ? restore_seen(channel, ss_value_json(stored), error) : SS_OK;
}

static bool consume(struct ss_channel *channel)
{
    if (!is_full(channel))
        return false;
    ss_channel_put(channel, NULL);
    return true;
}

static struct ss_value *store(const struct ss_channel *channel)
{
    return channel->value ? ss_value_ref(channel->value)
                          : ss_value_new(json_array());
}

const struct ss_channel_kind_table ss_channel_barrier = {.restore = restore,
    .update = update,
    .available = is_full,
    .consume = consume,
    .store = store};

static int restore_pair(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    json_t *seen = NULL;
    if (!stored)
        return SS_OK;
    int status = ss_channel_unpair(channel, stored, &seen, error);
    return status == SS_OK ? restore_seen(channel, seen, error) : status;
}

static bool available_after_finish(const struct ss_channel *channel)
{
    return channel->finished && is_full(channel);
}

static bool consume_after_finish(struct ss_channel *channel)
{
    if (!available_after_finish(channel))
        return false;
    channel->finished = false;
    ss_channel_put(channel, NULL);
    return true;
}

static bool finish(struct ss_channel *channel)
{
    if (channel->finished || !is_full(channel))
        return false;
    channel->finished = true;
    return true;
}

static struct ss_value *store_pair(const struct ss_channel *channel)
{
    struct ss_value *seen = store(channel);
    struct ss_value *pair =
        ss_channel_pair(ss_value_json(seen), channel->finished);
    ss_value_unref(seen);
    return pair;
}

const struct ss_channel_kind_table ss_channel_barrier_after_finish = {
    .restore = restore_pair,
    .update = update,
    .available = available_after_finish,
    .consume = consume_after_finish,
    .finish = finish,
    .store = store_pair};
