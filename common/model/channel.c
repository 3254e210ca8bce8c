// channel.c - the table of kinds; each family of kinds has its file.
#include "common/model/channel.h"

#include <string.h>

#include "common/base/check.h"
#include "common/model/channel_kind.h"
#include "common/model/persistent_vector.h"

static const struct ss_channel_kind_table *table_of(enum ss_channel_kind kind)
{
    switch (kind) {
    case SS_CHANNEL_LAST_VALUE:
        return &ss_channel_last_value;
    case SS_CHANNEL_LAST_VALUE_AFTER_FINISH:
        return &ss_channel_last_value_after_finish;
    case SS_CHANNEL_ANY_VALUE:
        return &ss_channel_any_value;
    case SS_CHANNEL_EPHEMERAL:
        return &ss_channel_ephemeral;
    case SS_CHANNEL_UNTRACKED:
        return &ss_channel_untracked;
    case SS_CHANNEL_BARRIER:
        return &ss_channel_barrier;
    case SS_CHANNEL_BARRIER_AFTER_FINISH:
        return &ss_channel_barrier_after_finish;
    case SS_CHANNEL_TOPIC:
        return &ss_channel_topic;
    case SS_CHANNEL_REDUCER:
    case SS_CHANNEL_DELTA:
        return &ss_channel_reducer;
    }
    ss_unreachable();
}

int ss_channel_restore(struct ss_channel *channel,
    const struct ss_channel_spec *spec, struct ss_value *stored,
    struct ss_error *error)
{
    struct ss_channel fresh = {.spec = spec};
    int status = table_of(spec->kind)->restore(&fresh, stored, error);
    if (status == SS_OK)
        *channel = fresh;
    return status;
}

void ss_channel_fini(struct ss_channel *channel)
{
    ss_value_unref(channel->value);
    *channel = (struct ss_channel){0};
}

void ss_channel_copy(struct ss_channel *channel, const struct ss_channel *from)
{
    *channel = *from;
    ss_value_ref(channel->value);
}

int ss_channel_update(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error)
{
    return table_of(channel->spec->kind)
        ->update(channel, writes, count, ret_changed, error);
}

void ss_channel_set(struct ss_channel *channel, struct ss_value *value)
{
    bool is_folded = channel->spec->reducer == SS_REDUCER_CUSTOM;
    struct ss_value *shared =
        is_folded ? ss_list_share(channel->value, value) : NULL;
    ss_channel_put(channel, shared ? shared : ss_value_ref(value));
}

struct ss_value *ss_channel_get(struct ss_channel *channel)
{
    if (!ss_channel_available(channel))
        return NULL;
    bool is_barrier = channel->spec->kind == SS_CHANNEL_BARRIER ||
                      channel->spec->kind == SS_CHANNEL_BARRIER_AFTER_FINISH;
    return is_barrier ? ss_value_null() : channel->value;
}

bool ss_channel_available(const struct ss_channel *channel)
{
    const struct ss_channel_kind_table *table = table_of(channel->spec->kind);
    return table->available ? table->available(channel)
                            : channel->value != NULL;
}

bool ss_channel_self_changing(const struct ss_channel *channel)
{
    const struct ss_channel_kind_table *table = table_of(channel->spec->kind);
    if (table->finish)
        return channel->value && !channel->finished;
    return table->passes && channel->value &&
           !(channel->spec->kind == SS_CHANNEL_TOPIC &&
               channel->spec->accumulate);
}

bool ss_channel_consume(struct ss_channel *channel)
{
    const struct ss_channel_kind_table *table = table_of(channel->spec->kind);
    return table->consume && table->consume(channel);
}

bool ss_channel_finish(struct ss_channel *channel)
{
    const struct ss_channel_kind_table *table = table_of(channel->spec->kind);
    return table->finish && table->finish(channel);
}

struct ss_value *ss_channel_store(const struct ss_channel *channel, bool live)
{
    const struct ss_channel_kind_table *table = table_of(channel->spec->kind);
    if (channel->spec->kind == SS_CHANNEL_UNTRACKED && !live)
        return NULL;
    return table->store ? table->store(channel) : ss_value_ref(channel->value);
}

void ss_channel_put(struct ss_channel *channel, struct ss_value *value)
{
    struct ss_value *old = channel->value;
    channel->value = value;
    ss_value_unref(old);
}

int ss_channel_damaged(const struct ss_channel *channel, const char *expected,
    struct ss_error *error)
{
    return ss_error_set(error, SS_ECORRUPT,
        "channel \"%s\": what was stored is not %s", channel->spec->name,
        expected);
}

// Two of the three forms of an Overwrite, of a value that has been decoded.
static bool is_overwrite(const json_t *json, json_t **ret_value)
{
    json_t *value = json_object_get(json, SS_NAME_OVERWRITE);
    if (!value || json_object_size(json) != 1) {
        value = json_object_get(json, "value");
        const char *type = json_string_value(json_object_get(json, "type"));
        if (!value || !type || strcmp(type, SS_NAME_OVERWRITE) != 0)
            return false;
    }
    if (ret_value)
        *ret_value = value;
    return true;
}

bool ss_overwrite_is(const json_t *json, json_t **ret_value)
{
    return json_is_object(json) && is_overwrite(json, ret_value);
}

// The text has no NUL behind it.
static bool stands_in(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word);
    const char *end = text + size, *at = text;
    while (at && (size_t)(end - at) >= length && memcmp(at, word, length) != 0)
        at = memchr(at + 1, word[0], (size_t)(end - at) - 1);
    return at && (size_t)(end - at) >= length;
}

bool ss_value_overwrites(struct ss_value *value, json_t **ret_value)
{
    if (ss_value_tag(value) != SS_VALUE_JSON || ss_value_listed(value))
        return false;
    // Text that lacks the word need not be decoded.
    size_t size;
    const char *text =
        ss_value_decoded(value) ? NULL : ss_value_text(value, &size);
    if (text && !stands_in(text, size, SS_NAME_OVERWRITE))
        return false;
    return ss_overwrite_is(ss_value_json(value), ret_value);
}
