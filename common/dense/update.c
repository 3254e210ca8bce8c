// update.c - the writes of one superstep, made aside (spec/engine.md 4).
//
// Each channel that is written or consumed gets a touch with its next value;
// the first that refuses ends it, and nothing has changed. A list grows behind
// the end that its holders know, and is cut back then.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/dense/dense_impl.h"
#include "common/model/reserved.h"

struct touch {
    uint32_t channel;
    bool consumed, changed;
    struct ss_dense_held next; // its value is a reference of its own
    struct ss_dense_given *first, *last;
};

struct work {
    struct ss_dense_machine *machine;
    struct ss_dense_update *update;
    const struct ss_dense_writer **writers; // in the order of paths
    struct touch *touches;
    uint32_t count;
};

// ------------------------------------------------ the order of paths

enum { PATH_INPUT, PATH_UPDATE, PATH_PULL, PATH_PUSH };

static uint64_t path_of(uint64_t kind, uint64_t place)
{
    return kind << 60 | place;
}

uint64_t ss_dense_path_input(void)
{
    return path_of(PATH_INPUT, 0);
}

uint64_t ss_dense_path_update(uint64_t index)
{
    return path_of(PATH_UPDATE, index);
}

uint64_t ss_dense_path_pull(
    const struct ss_dense_graph *graph, uint32_t node, bool is_handled)
{
    const struct ss_dense_node *it = &graph->nodes[node];
    return path_of(PATH_PULL, is_handled ? it->place_handled : it->place);
}

uint64_t ss_dense_path_push(uint64_t index, bool is_handled)
{
    return path_of(PATH_PUSH, 2 * index + is_handled);
}

static int by_path(const void *a, const void *b)
{
    const struct ss_dense_writer *left =
        *(const struct ss_dense_writer *const *)a;
    const struct ss_dense_writer *right =
        *(const struct ss_dense_writer *const *)b;
    if (left->path != right->path)
        return left->path < right->path ? -1 : 1;
    return left < right ? -1 : left > right; // as they were given
}

static void sort_writers(struct work *work)
{
    uint32_t count = work->update->count;
    bool is_sorted = true;
    work->writers = ss_arena_take(
        &work->machine->work, (count + 1) * sizeof(*work->writers));
    for (uint32_t i = 0; i < count; i++) {
        work->writers[i] = &work->update->writers[i];
        is_sorted = is_sorted && (i == 0 || work->writers[i - 1]->path <=
                                                work->writers[i]->path);
    }
    if (!is_sorted)
        qsort(work->writers, count, sizeof(*work->writers), by_path);
}

// ------------------------------------------------ aside

static struct touch *touch(struct work *work, uint32_t c)
{
    uint32_t *place = &work->machine->touched[c];
    if (*place == 0) {
        work->touches[work->count++] = (struct touch){.channel = c};
        *place = work->count;
    }
    return &work->touches[*place - 1];
}

static void touch_write(struct work *work, const struct ss_dense_writer *writer,
    const struct ss_dense_write *write)
{
    struct touch *it = touch(work, write->channel);
    struct ss_dense_given *given =
        ss_arena_take(&work->machine->work, sizeof(*given));
    *given =
        (struct ss_dense_given){.value = write->value, .owner = writer->owner};
    *(it->first ? &it->last->next : &it->first) = given;
    it->last = given;
}

// Steps 1, 5 (who is consumed) and 6 (group writes by channel).
static void gather(struct work *work)
{
    size_t most = 0, all = work->machine->graph->channels_count;
    for (uint32_t t = 0; t < work->update->count; t++)
        most += work->update->writers[t].triggers_count +
                work->update->writers[t].writes_count;
    most = most < all ? most : all;
    sort_writers(work);
    work->touches = ss_arena_take(
        &work->machine->work, (most + 1) * sizeof(*work->touches));
    for (uint32_t t = 0; t < work->update->count; t++) {
        const struct ss_dense_writer *writer = work->writers[t];
        for (uint32_t i = 0; i < writer->triggers_count; i++)
            touch(work, writer->triggers[i])->consumed = true;
        for (uint32_t w = 0; w < writer->writes_count; w++)
            touch_write(work, writer, &writer->writes[w]);
    }
}

static struct ss_dense_held held_aside(struct work *work, uint32_t c)
{
    const struct ss_dense_channel *channel = &work->machine->graph->channels[c];
    struct ss_dense_held held = ss_dense_hold(work->machine, c);
    const uint64_t *words = held.words;
    held.value = ss_handle_ref(held.value);
    if (channel->words_count) {
        size_t size = channel->words_count * sizeof(*words);
        held.words = ss_arena_take(&work->machine->work, size);
        memcpy(held.words, words, size);
    }
    return held;
}

static const struct ss_dense_write *folded(
    const struct ss_dense_update *update, uint32_t channel)
{
    for (uint32_t i = 0; i < update->folds_count; i++)
        if (update->folds[i].channel == channel)
            return &update->folds[i];
    return NULL;
}

// Steps 5 and 7 of one channel.
static int compute(struct work *work, struct touch *it)
{
    const struct ss_dense_graph *graph = work->machine->graph;
    const struct ss_dense_channel *channel = &graph->channels[it->channel];
    bool is_custom = channel->spec->reducer == SS_REDUCER_CUSTOM;
    int status = SS_OK;
    it->next = held_aside(work, it->channel);
    it->consumed = it->consumed && ss_held_consume(channel, &it->next);
    if (!it->first)
        return SS_OK;
    const struct ss_dense_write *fold =
        is_custom ? folded(work->update, it->channel) : NULL;
    if (fold) {
        ss_held_fold(&it->next, fold->value);
        it->changed = true;
    } else if (is_custom) {
        ss_check(work->update->is_view); // a view asks no worker
        work->update->not_folded = true;
    } else {
        status = ss_held_update(channel, &it->next, it->first, &it->changed);
    }
    if (status == SS_OK && it->channel == graph->tasks_channel &&
        it->next.value.count > SS_DENSE_SENDS_MAX)
        status = SS_ELIMIT;
    if (status != SS_OK)
        work->update->at_fault = it->channel;
    return status;
}

// As if nothing had happened.
static void undo(struct work *work)
{
    struct ss_dense_machine *machine = work->machine;
    for (uint32_t i = 0; i < work->count; i++) {
        struct touch *it = &work->touches[i];
        struct ss_handle *held = &machine->values[it->channel];
        if (ss_handle_shares(it->next.value, *held))
            ss_handle_cut(held, held->count);
        ss_handle_unref(it->next.value);
    }
}

// ------------------------------------------------ done

static void moved(struct ss_dense_machine *machine, uint32_t c, int64_t version)
{
    ss_check(version >= machine->versions[c]);
    machine->versions[c] = version;
    machine->version_max = version;
    machine->changed_since_break = machine->changed_since_break_known = true;
    rank_set_add(&machine->moved, c);
    rank_set_add(&machine->versioned, c);
    ss_dense_stir(machine, c);
}

// Its triggers are those of its node.
static bool is_pull(
    const struct ss_dense_graph *graph, const struct ss_dense_writer *writer)
{
    return writer->node != SS_RANK_NONE &&
           writer->triggers ==
               ss_dense_ids(graph, graph->nodes[writer->node].triggers);
}

static void see_triggers(struct ss_dense_machine *machine, uint32_t node)
{
    const struct ss_dense_node *it = &machine->graph->nodes[node];
    const uint32_t *triggers = ss_dense_ids(machine->graph, it->triggers);
    ss_dense_see_node(machine, node);
    for (uint32_t i = 0; i < it->triggers.count; i++)
        if (machine->versions[triggers[i]])
            ss_dense_see_slot(
                machine, it->slot + i, machine->versions[triggers[i]]);
}

// Step 3: what the tasks have seen.
static void mark_seen(struct work *work)
{
    struct ss_dense_machine *machine = work->machine;
    const struct ss_dense_graph *graph = machine->graph;
    for (uint32_t t = 0; t < work->update->count; t++) {
        const struct ss_dense_writer *writer = work->writers[t];
        if (is_pull(graph, writer)) {
            see_triggers(machine, writer->node);
            continue;
        }
        ss_dense_see(machine, writer->node, writer->name, NULL, 0);
        for (uint32_t i = 0; i < writer->triggers_count; i++) {
            uint32_t c = writer->triggers[i];
            if (machine->versions[c])
                ss_dense_see(machine, writer->node, writer->name,
                    graph->channels[c].spec->name, machine->versions[c]);
        }
    }
}

static void take_back(struct ss_dense_machine *machine, uint32_t c,
    const struct ss_dense_held *held)
{
    machine->values[c] = held->value;
    bit_put(machine->finished, c, held->finished);
    if (held->is_other)
        machine->stored[c] = SS_RANK_NONE;
}

static void swap_in(struct work *work, int64_t next)
{
    struct ss_dense_machine *machine = work->machine;
    for (uint32_t i = 0; i < work->count; i++) {
        struct touch *it = &work->touches[i];
        uint32_t c = it->channel;
        const struct ss_dense_channel *channel = &machine->graph->channels[c];
        ss_handle_unref(machine->values[c]);
        take_back(machine, c, &it->next);
        if (channel->words_count)
            memcpy(machine->words + channel->words, it->next.words,
                channel->words_count * sizeof(*machine->words));
        ss_dense_stir(machine, c);
        if (it->consumed || it->changed)
            moved(machine, c, next);
        if (it->changed && !work->update->is_view &&
            ss_dense_available(machine, c))
            rank_set_add(&machine->updated_last, c);
    }
}

typedef bool held_change(
    const struct ss_dense_channel *channel, struct ss_dense_held *held);

// Steps 8 and 9: channels that change by themselves.
static void change_all(struct ss_dense_machine *machine, int64_t next,
    held_change *change, bool is_tick)
{
    const struct ss_rank_set *set = &machine->self_changing;
    for (uint32_t i = 0, count = set->count; i < count; i++) {
        uint32_t c = set->items[i];
        const struct ss_dense_channel *channel = &machine->graph->channels[c];
        struct ss_dense_held held = ss_dense_hold(machine, c);
        if (is_tick && (bit_has(machine->updated_last.bits, c) ||
                           !ss_held_available(channel, &held)))
            continue;
        if (!change(channel, &held))
            continue;
        take_back(machine, c, &held);
        moved(machine, c, next);
        if (ss_held_available(channel, &held))
            rank_set_add(&machine->updated_last, c);
    }
}

// Something that was updated triggers a node.
static bool triggers_any(const struct ss_dense_machine *machine)
{
    const struct ss_rank_set *last = &machine->updated_last;
    for (uint32_t i = 0; i < last->count; i++)
        if (machine->graph->channels[last->items[i]].nodes.count > 0)
            return true;
    return false;
}

// Those that came to rest leave the set.
static void settle(struct ss_dense_machine *machine)
{
    struct ss_rank_set *set = &machine->self_changing;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t c = set->items[i];
        struct ss_dense_held held = ss_dense_hold(machine, c);
        bool stays = ss_held_self_changing(&machine->graph->channels[c], &held);
        bit_put(set->bits, c, stays);
        if (stays)
            set->items[kept++] = c;
    }
    set->count = kept;
}

static void commit(struct work *work)
{
    struct ss_dense_machine *machine = work->machine;
    int64_t next = machine->version_max + 1;
    bool bump = false;
    for (uint32_t t = 0; t < work->update->count; t++)
        bump = bump || work->update->writers[t].bumps;
    rank_set_clear(&machine->updated_last);
    mark_seen(work);
    work->update->changed = bump || work->count > 0;
    swap_in(work, next);
    if (bump) {
        change_all(machine, next, ss_held_tick, true);
        if (!triggers_any(machine))
            change_all(machine, next, ss_held_finish, false);
    }
    settle(machine);
}

int ss_dense_update(
    struct ss_dense_machine *machine, struct ss_dense_update *update)
{
    struct work work = {.machine = machine, .update = update};
    int status = SS_OK;
    update->at_fault = SS_RANK_NONE;
    update->changed = update->not_folded = false;
    gather(&work);
    if (machine->version_max >= INT64_MAX - 1)
        status = SS_ELIMIT;
    for (uint32_t i = 0; i < work.count && status == SS_OK; i++)
        status = compute(&work, &work.touches[i]);
    if (status == SS_OK)
        commit(&work);
    else
        undo(&work);
    for (uint32_t i = 0; i < work.count; i++)
        machine->touched[work.touches[i].channel] = 0;
    ss_arena_reset(&machine->work);
    return status;
}

// ------------------------------------------------ what was updated

void ss_dense_updated_forget(struct ss_dense_machine *machine)
{
    machine->updated_known = false;
    rank_set_clear(&machine->updated);
}

void ss_dense_updated_set(struct ss_dense_machine *machine, bool add)
{
    if (add && !machine->updated_known)
        return; // unknown stays unknown (R5.8)
    if (!add)
        ss_dense_updated_forget(machine);
    machine->updated_known = true;
    for (uint32_t i = 0; i < machine->updated_last.count; i++)
        rank_set_add(&machine->updated, machine->updated_last.items[i]);
}
