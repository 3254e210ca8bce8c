// kinds.c - what each kind of channel does (spec/engine.md 2).
#include <string.h>

#include "common/base/check.h"
#include "common/dense/dense_impl.h"
#include "common/model/reducer.h"

void ss_held_put(struct ss_dense_held *held, struct ss_handle value)
{
    ss_handle_unref(held->value);
    held->value = value;
    held->is_other = true;
}

static bool held_clear(struct ss_dense_held *held)
{
    if (held->value.kind == SS_HANDLE_MISSING)
        return false;
    ss_held_put(held, (struct ss_handle){0});
    return true;
}

static bool is_held(const struct ss_dense_held *held)
{
    return held->value.kind != SS_HANDLE_MISSING;
}

// ------------------------------------------------ barriers

static bool held_full(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held)
{
    size_t count = 0;
    for (uint32_t i = 0; i < channel->words_count; i++)
        count += (size_t)__builtin_popcountll(held->words[i]);
    return count == channel->spec->names_count;
}

static bool held_any(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held)
{
    for (uint32_t i = 0; i < channel->words_count; i++)
        if (held->words[i])
            return true;
    return false;
}

static void held_empty(
    const struct ss_dense_channel *channel, struct ss_dense_held *held)
{
    for (uint32_t i = 0; i < channel->words_count; i++)
        held->words[i] = 0;
}

// The place of a name among those that are awaited; SS_RANK_NONE: it is not.
static uint32_t place_of_name(
    const struct ss_channel_spec *spec, const char *name)
{
    size_t low = 0, high = spec->names_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, spec->names[middle]);
        if (order == 0)
            return (uint32_t)middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return SS_RANK_NONE;
}

static int update_barrier(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, const struct ss_dense_given *first,
    bool *ret_changed)
{
    *ret_changed = false;
    for (const struct ss_dense_given *w = first; w; w = w->next) {
        char *name = ss_handle_string(w->value);
        uint32_t at = name ? place_of_name(channel->spec, name) : SS_RANK_NONE;
        ss_free(name);
        if (at == SS_RANK_NONE)
            return SS_EUPDATE;
        *ret_changed = *ret_changed || !bit_has(held->words, at);
        bit_put(held->words, at, true);
    }
    return SS_OK;
}

static struct ss_handle stored_names(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held)
{
    struct ss_handle list = ss_handle_list(4);
    for (uint32_t i = 0; i < channel->spec->names_count; i++)
        if (bit_has(held->words, i)) {
            const char *name = channel->spec->names[i];
            struct ss_buf buf;
            ss_buf_init(&buf, SIZE_MAX);
            ss_json_add_string(&buf, name, strlen(name));
            ss_handle_push(&list, ss_handle_text(buf.data, buf.size));
            ss_buf_fini(&buf);
        }
    return list;
}

static int restore_names(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, struct ss_handle stored)
{
    struct ss_handle list;
    int status = SS_OK;
    if (!ss_handle_split(stored, &list))
        return SS_ECORRUPT;
    for (uint32_t i = 0; i < list.count; i++) {
        char *name = ss_handle_string(ss_handle_item(list, i));
        uint32_t at = name ? place_of_name(channel->spec, name) : SS_RANK_NONE;
        status = name ? status : SS_ECORRUPT;
        if (at != SS_RANK_NONE) // else nobody waits for it any longer
            bit_put(held->words, at, true);
        ss_free(name);
    }
    ss_handle_unref(list);
    return status;
}

// ------------------------------------------------ pairs [value, finished]

// Takes `value`. Gives.
static struct ss_handle pair_of(struct ss_handle value, bool finished)
{
    struct ss_handle pair = ss_handle_list(2);
    const char *word = finished ? "true" : "false";
    ss_handle_push(&pair, value);
    ss_handle_push(&pair, ss_handle_text(word, strlen(word)));
    return pair;
}

// Gives the value. False: it is not a pair.
static bool pair_read(
    struct ss_handle stored, struct ss_handle *ret_value, bool *ret_finished)
{
    struct ss_handle pair;
    if (!ss_handle_split(stored, &pair))
        return false;
    struct ss_handle word =
        pair.count == 2 ? ss_handle_item(pair, 1) : (struct ss_handle){0};
    bool is_true = word.size == 4 && memcmp(word.as.text, "true", 4) == 0;
    bool is_false = word.size == 5 && memcmp(word.as.text, "false", 5) == 0;
    bool is_pair = word.kind == SS_HANDLE_SMALL && (is_true || is_false);
    if (is_pair) {
        *ret_value = ss_handle_ref(ss_handle_item(pair, 0));
        *ret_finished = is_true;
    }
    ss_handle_unref(pair);
    return is_pair;
}

// ------------------------------------------------ topics

static void push_flat(struct ss_handle *list, struct ss_handle value)
{
    struct ss_handle items;
    if (!ss_handle_split(value, &items)) {
        ss_handle_push(list, ss_handle_ref(value));
        return;
    }
    for (uint32_t i = 0; i < items.count; i++)
        ss_handle_push(list, ss_handle_ref(ss_handle_item(items, i)));
    ss_handle_unref(items);
}

static uint32_t topic_count(const struct ss_dense_held *held)
{
    return held->value.kind == SS_HANDLE_LIST ? held->value.count : 0;
}

static bool update_topic(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, const struct ss_dense_given *first)
{
    uint32_t before = topic_count(held);
    bool accumulates = channel->spec->accumulate;
    if (!accumulates || !is_held(held))
        ss_held_put(held, ss_handle_list(4));
    uint32_t from = held->value.count;
    for (const struct ss_dense_given *w = first; w; w = w->next)
        push_flat(&held->value, w->value);
    return held->value.count > from || (before > 0 && !accumulates);
}

// ------------------------------------------------ reducers

// Its list changes inside: it is the model's, which shares what stays.
static bool keeps_values(const struct ss_dense_channel *channel)
{
    return channel->spec->reducer == SS_REDUCER_ADD_MESSAGES ||
           channel->spec->reducer == SS_REDUCER_CUSTOM;
}

// Takes and gives.
static struct ss_handle kept(struct ss_handle value)
{
    struct ss_value *own = ss_handle_value(value);
    struct ss_handle handle = ss_handle_keep(own);
    ss_value_unref(own);
    ss_handle_unref(value);
    return handle;
}

// As its channel holds it. A list that may grow is cut into items now: rows are
// told what is added. Takes and gives.
static struct ss_handle ready_to_grow(
    const struct ss_dense_channel *channel, struct ss_handle value)
{
    enum ss_reducer reducer = channel->spec->reducer;
    struct ss_handle list;
    if (keeps_values(channel))
        return kept(value);
    if ((reducer != SS_REDUCER_ADD && reducer != SS_REDUCER_APPEND) ||
        !ss_handle_split(value, &list))
        return value;
    ss_handle_unref(value);
    return list;
}

// The value of an Overwrite; null empties a delta channel. Takes `inside`.
static struct ss_handle opened(
    const struct ss_dense_channel *channel, struct ss_handle inside)
{
    bool empties = channel->kind == SS_CHANNEL_DELTA &&
                   inside.kind == SS_HANDLE_NULL && channel->spec->zero;
    return ready_to_grow(
        channel, empties ? ss_handle_ref(channel->zero) : inside);
}

// Whole numbers and lists, as they are: the rest is decoded.
static bool fold_fast(
    enum ss_reducer reducer, struct ss_handle *value, struct ss_handle right)
{
    struct ss_handle items;
    if (reducer == SS_REDUCER_ADD && value->kind == SS_HANDLE_INT &&
        right.kind == SS_HANDLE_INT)
        return !__builtin_add_overflow(
            value->as.number, right.as.number, &value->as.number);
    if (value->kind != SS_HANDLE_LIST)
        return false;
    if (reducer == SS_REDUCER_APPEND) {
        ss_handle_push(value, ss_handle_ref(right));
        return true;
    }
    if (reducer != SS_REDUCER_ADD || !ss_handle_split(right, &items))
        return false;
    for (uint32_t i = 0; i < items.count; i++)
        ss_handle_push(value, ss_handle_ref(ss_handle_item(items, i)));
    ss_handle_unref(items);
    return true;
}

static int fold_decoded(const struct ss_channel_spec *spec,
    struct ss_dense_held *held, const struct ss_dense_given *write)
{
    json_t *left = ss_handle_json(held->value);
    json_t *right = ss_handle_json(write->value), *next = NULL;
    struct ss_error error;
    int status = ss_reduce(spec->reducer, left, right, NULL, 0, &next, &error);
    if (status == SS_OK) {
        ss_held_put(held, ss_handle_of_json(next));
        json_decref(next);
    }
    json_decref(left);
    json_decref(right);
    return status;
}

// Into a conversation that knows its ids (messages.c): costs what is written.
static int fold_messages(const struct ss_channel_spec *spec,
    struct ss_dense_held *held, const struct ss_dense_given *write,
    size_t position)
{
    struct ss_value *value = held->value.as.value;
    struct ss_list *list = ss_value_list(value);
    json_t *right = ss_handle_json(write->value), *merged;
    struct ss_error error;
    struct ss_value *next = NULL;
    char *owner =
        write->owner ? ss_format("%s|%s", write->owner, spec->name) : NULL;
    int status = SS_EAGAIN;
    if (list) {
        ss_list_ref(list);
        status = ss_messages_add(&list, right, owner, position, &error);
        next = ss_value_of_list(list);
    }
    if (status == SS_EAGAIN) {
        ss_value_unref(next);
        next = NULL;
        status = ss_reduce(spec->reducer, ss_value_json(value), right, owner,
            owner ? position : 0, &merged, &error);
        if (status == SS_OK)
            next = ss_value_new(merged);
    }
    if (status == SS_OK)
        ss_held_put(held, ss_handle_keep(next));
    ss_value_unref(next);
    json_decref(right);
    ss_free(owner);
    return status;
}

void ss_held_fold(struct ss_dense_held *held, struct ss_handle fold)
{
    struct ss_value *now = ss_handle_value(fold);
    struct ss_value *old =
        held->value.kind == SS_HANDLE_VALUE ? held->value.as.value : NULL;
    struct ss_value *shared = ss_list_share(old, now);
    ss_held_put(held, ss_handle_keep(shared ? shared : now));
    ss_value_unref(shared);
    ss_value_unref(now);
}

// The one Overwrite among the writes, or NULL.
static int find_overwrite(const struct ss_dense_given *first,
    const struct ss_dense_given **ret, struct ss_handle *ret_inside)
{
    struct ss_handle inside;
    *ret = NULL;
    for (const struct ss_dense_given *w = first; w; w = w->next) {
        if (!ss_handle_overwrites(w->value, &inside))
            continue;
        if (*ret) {
            ss_handle_unref(inside);
            ss_handle_unref(*ret_inside);
            return SS_EUPDATE;
        }
        *ret = w;
        *ret_inside = inside;
    }
    return SS_OK;
}

// A write's position among its owner's: made-up ids count on it.
static size_t next_position(
    const struct ss_dense_given *before, const struct ss_dense_given *write)
{
    return before && before->owner && write->owner &&
           strcmp(before->owner, write->owner) == 0;
}

static int update_reducer(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, const struct ss_dense_given *first)
{
    const struct ss_dense_given *end, *before = NULL;
    struct ss_handle inside = {0};
    size_t position = 0;
    int status = find_overwrite(first, &end, &inside);
    if (status != SS_OK)
        return status;
    if (end && channel->kind == SS_CHANNEL_DELTA)
        first = end;
    for (const struct ss_dense_given *w = first; w != end && status == SS_OK;
         before = w, w = w->next) {
        position = next_position(before, w) ? position + 1 : 0;
        if (!is_held(held))
            ss_held_put(held, ready_to_grow(channel, ss_handle_ref(w->value)));
        else if (channel->spec->reducer == SS_REDUCER_ADD_MESSAGES)
            status = fold_messages(channel->spec, held, w, position);
        else if (!fold_fast(channel->spec->reducer, &held->value, w->value))
            status = fold_decoded(channel->spec, held, w);
    }
    if (end && status == SS_OK)
        ss_held_put(held, opened(channel, inside));
    else if (end)
        ss_handle_unref(inside);
    return status;
}

// ------------------------------------------------ the table

static bool is_guarded(
    const struct ss_dense_channel *channel, const struct ss_dense_given *first)
{
    return first->next && channel->spec->guard;
}

static void hold_last(
    struct ss_dense_held *held, const struct ss_dense_given *first)
{
    while (first->next)
        first = first->next;
    ss_held_put(held, ss_handle_ref(first->value));
}

static int update_last_value(
    struct ss_dense_held *held, const struct ss_dense_given *first)
{
    struct ss_handle inside;
    if (first->next)
        return SS_EUPDATE;
    if (ss_handle_overwrites(first->value, &inside))
        ss_held_put(held, inside);
    else
        hold_last(held, first);
    return SS_OK;
}

int ss_held_update(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, const struct ss_dense_given *first,
    bool *ret_changed)
{
    ss_check(first != NULL);
    *ret_changed = true;
    switch (channel->kind) {
    case SS_CHANNEL_LAST_VALUE:
        return update_last_value(held, first);
    case SS_CHANNEL_LAST_VALUE_AFTER_FINISH:
        held->finished = false;
        hold_last(held, first);
        return SS_OK;
    case SS_CHANNEL_EPHEMERAL:
    case SS_CHANNEL_UNTRACKED:
        if (is_guarded(channel, first))
            return SS_EUPDATE;
        hold_last(held, first);
        return SS_OK;
    case SS_CHANNEL_ANY_VALUE:
        hold_last(held, first);
        return SS_OK;
    case SS_CHANNEL_BARRIER:
    case SS_CHANNEL_BARRIER_AFTER_FINISH:
        return update_barrier(channel, held, first, ret_changed);
    case SS_CHANNEL_TOPIC:
        *ret_changed = update_topic(channel, held, first);
        return SS_OK;
    case SS_CHANNEL_REDUCER:
    case SS_CHANNEL_DELTA:
        return update_reducer(channel, held, first);
    }
    ss_unreachable();
}

bool ss_held_available(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held)
{
    if (channel->kind == SS_CHANNEL_BARRIER)
        return held_full(channel, held);
    if (channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH)
        return held->finished && held_full(channel, held);
    if (channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH)
        return held->finished && is_held(held);
    if (channel->kind == SS_CHANNEL_TOPIC)
        return topic_count(held) > 0;
    return is_held(held);
}

bool ss_held_self_changing(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held)
{
    if (channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH)
        return held_any(channel, held) && !held->finished;
    if (channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH)
        return is_held(held) && !held->finished;
    if (channel->kind == SS_CHANNEL_TOPIC)
        return topic_count(held) > 0 && !channel->spec->accumulate;
    return is_held(held) && (channel->kind == SS_CHANNEL_ANY_VALUE ||
                                channel->kind == SS_CHANNEL_EPHEMERAL);
}

bool ss_held_consume(
    const struct ss_dense_channel *channel, struct ss_dense_held *held)
{
    bool consumes = channel->is_barrier && ss_held_available(channel, held);
    if (channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH)
        consumes = held->finished;
    if (!consumes)
        return false;
    held->finished = false;
    held_empty(channel, held);
    held_clear(held);
    return true;
}

bool ss_held_finish(
    const struct ss_dense_channel *channel, struct ss_dense_held *held)
{
    bool may = channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH
                   ? is_held(held)
                   : channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH &&
                         held_full(channel, held);
    if (!may || held->finished)
        return false;
    held->finished = true;
    return true;
}

bool ss_held_tick(
    const struct ss_dense_channel *channel, struct ss_dense_held *held)
{
    if (channel->kind == SS_CHANNEL_TOPIC && !channel->spec->accumulate &&
        topic_count(held) > 0) {
        ss_held_put(held, ss_handle_list(0));
        return true;
    }
    return (channel->kind == SS_CHANNEL_ANY_VALUE ||
               channel->kind == SS_CHANNEL_EPHEMERAL) &&
           held_clear(held);
}

struct ss_handle ss_held_store(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held)
{
    if (channel->kind == SS_CHANNEL_UNTRACKED)
        return (struct ss_handle){0};
    if (channel->kind == SS_CHANNEL_BARRIER)
        return stored_names(channel, held);
    if (channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH)
        return pair_of(stored_names(channel, held), held->finished);
    if (channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH && is_held(held))
        return pair_of(ss_handle_ref(held->value), held->finished);
    if (channel->kind == SS_CHANNEL_TOPIC && !is_held(held))
        return ss_handle_list(0);
    return ss_handle_ref(held->value);
}

// What it holds while nothing is stored.
static struct ss_handle nothing_stored(const struct ss_dense_channel *channel)
{
    bool is_zeroed = channel->kind == SS_CHANNEL_LAST_VALUE ||
                     channel->kind == SS_CHANNEL_REDUCER ||
                     channel->kind == SS_CHANNEL_DELTA;
    struct ss_handle zero =
        ss_handle_ref(is_zeroed ? channel->zero : (struct ss_handle){0});
    return keeps_values(channel) ? kept(zero) : zero;
}

// Takes `stored`.
static int restore(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, struct ss_handle stored)
{
    struct ss_handle inside = {0};
    bool is_read = true;
    int status = SS_OK;
    if (channel->kind == SS_CHANNEL_BARRIER) {
        status = restore_names(channel, held, stored);
    } else if (channel->kind == SS_CHANNEL_TOPIC) {
        is_read = ss_handle_split(stored, &held->value);
    } else if (channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH) {
        is_read = pair_read(stored, &held->value, &held->finished);
    } else if (channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH) {
        is_read = pair_read(stored, &inside, &held->finished);
        status = is_read ? restore_names(channel, held, inside) : SS_OK;
        ss_handle_unref(inside);
    } else {
        held->value = ready_to_grow(channel, ss_handle_ref(stored));
    }
    ss_handle_unref(stored);
    return is_read ? status : SS_ECORRUPT;
}

int ss_held_restore(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, struct ss_value *stored)
{
    if (channel->kind == SS_CHANNEL_UNTRACKED)
        return SS_OK;
    if (stored)
        return restore(channel, held,
            keeps_values(channel) ? ss_handle_keep(stored)
                                  : ss_handle_of_value(stored));
    held->value = nothing_stored(channel);
    return SS_OK;
}
