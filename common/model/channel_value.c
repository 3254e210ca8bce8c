// channel_value.c - the kinds that hold one value as it was written.
#include "common/model/channel_kind.h"

#include <string.h>

static int restore_value(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    (void)error;
    channel->value = ss_value_ref(stored);
    return SS_OK;
}

static int restore_nothing(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    (void)channel, (void)stored, (void)error;
    return SS_OK;
}

int ss_channel_restore_or_zero(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    (void)error;
    if (stored)
        channel->value = ss_value_ref(stored);
    else if (channel->spec->zero)
        channel->value = ss_value_new(json_incref(channel->spec->zero));
    return SS_OK;
}

static bool hold_last(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count)
{
    ss_channel_put(channel, ss_value_ref(writes[count - 1].value));
    return true;
}

static bool clear(struct ss_channel *channel)
{
    if (!channel->value)
        return false;
    ss_channel_put(channel, NULL);
    return true;
}

// A task that writes a key again does not write over what it wrote.
static int refuse_several(const struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, struct ss_error *error)
{
    bool is_one = writes[0].owner != NULL;
    for (size_t i = 1; i < count && is_one; i++)
        is_one =
            writes[i].owner && strcmp(writes[i].owner, writes[0].owner) == 0;
    return is_one
               ? ss_error_set(error, SS_EUPDATE,
                     "channel \"%s\": %zu writes by one task, and it holds "
                     "one value. Write it once in a body (a later write does "
                     "not replace an earlier one), or give it a reducer",
                     channel->spec->name, count)
               : ss_error_set(error, SS_EUPDATE,
                     "channel \"%s\": %zu writes in one superstep, and it "
                     "holds one value. Let one node write it, or give it a "
                     "reducer",
                     channel->spec->name, count);
}

// An Overwrite is opened here too (the reference stores the wrapper).
static int update_last_value(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    json_t *inside;
    if (count > 1)
        return refuse_several(channel, writes, count, error);
    if (count == 1 && ss_value_overwrites(writes[0].value, &inside))
        ss_channel_put(channel, ss_value_new(json_incref(inside)));
    else if (count == 1)
        hold_last(channel, writes, count);
    *ret_changed = count > 0;
    return SS_OK;
}

static int update_any_value(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    (void)error;
    *ret_changed =
        count > 0 ? hold_last(channel, writes, count) : clear(channel);
    return SS_OK;
}

static int check_guard(
    const struct ss_channel *channel, size_t count, struct ss_error *error)
{
    if (count < 2 || !channel->spec->guard)
        return SS_OK;
    return ss_error_set(error, SS_EUPDATE,
        "channel \"%s\": %zu writes in one superstep, and it is guarded. With "
        "\"guard\": false the last one counts",
        channel->spec->name, count);
}

static int update_ephemeral(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    int status = check_guard(channel, count, error);
    if (status == SS_OK)
        *ret_changed =
            count > 0 ? hold_last(channel, writes, count) : clear(channel);
    return status;
}

static int update_untracked(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    int status = check_guard(channel, count, error);
    if (status == SS_OK)
        *ret_changed = count > 0 && hold_last(channel, writes, count);
    return status;
}

const struct ss_channel_kind_table ss_channel_last_value = {
    .restore = ss_channel_restore_or_zero, .update = update_last_value};
const struct ss_channel_kind_table ss_channel_any_value = {
    .restore = restore_value, .update = update_any_value, .passes = true};
const struct ss_channel_kind_table ss_channel_ephemeral = {
    .restore = restore_value, .update = update_ephemeral, .passes = true};
const struct ss_channel_kind_table ss_channel_untracked = {
    .restore = restore_nothing, .update = update_untracked};

// LastValueAfterFinish: readable only once the run had nothing left to do.

struct ss_value *ss_channel_pair(json_t *value, bool finished)
{
    json_t *pair = json_array();
    json_array_append(pair, value);
    json_array_append_new(pair, json_boolean(finished));
    return ss_value_new(pair);
}

int ss_channel_unpair(struct ss_channel *channel, struct ss_value *stored,
    json_t **ret_value, struct ss_error *error)
{
    const json_t *pair = ss_value_json(stored);
    const json_t *finished = json_array_get(pair, 1);
    if (json_array_size(pair) != 2 || !json_is_boolean(finished))
        return ss_channel_damaged(channel, "a pair [value, finished]", error);
    channel->finished = json_is_true(finished);
    *ret_value = json_array_get(pair, 0);
    return SS_OK;
}

static int restore_pair(
    struct ss_channel *channel, struct ss_value *stored, struct ss_error *error)
{
    json_t *value = NULL;
    if (!stored)
        return SS_OK;
    int status = ss_channel_unpair(channel, stored, &value, error);
    if (status == SS_OK)
        channel->value = ss_value_new(json_incref(value));
    return status;
}

static int update_after_finish(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    (void)error;
    *ret_changed = count > 0;
    if (count > 0) {
        hold_last(channel, writes, count);
        channel->finished = false;
    }
    return SS_OK;
}

static bool available_after_finish(const struct ss_channel *channel)
{
    return channel->value && channel->finished;
}

static bool consume_after_finish(struct ss_channel *channel)
{
    if (!channel->finished)
        return false;
    channel->finished = false;
    ss_channel_put(channel, NULL);
    return true;
}

static bool finish_value(struct ss_channel *channel)
{
    if (!channel->value || channel->finished)
        return false;
    channel->finished = true;
    return true;
}

static struct ss_value *store_pair(const struct ss_channel *channel)
{
    return channel->value ? ss_channel_pair(ss_value_json(channel->value),
                                channel->finished)
                          : NULL;
}

const struct ss_channel_kind_table ss_channel_last_value_after_finish = {
    .restore = restore_pair,
    .update = update_after_finish,
    .available = available_after_finish,
    .consume = consume_after_finish,
    .finish = finish_value,
    .store = store_pair};
