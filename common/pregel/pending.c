// pending.c - one reading of a superstep's pending writes (spec R1.14).
//
// finished: at least one output write that no later error takes back. A task
// with an error next to its output ran into trouble after it wrote, and runs
// again (spec 17.3: R6.6 is not copied).
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel_impl.h"

static bool is_null_task(const char *task_id)
{
    return strcmp(task_id, SS_NULL_TASK) == 0;
}

static bool is_control(const char *channel)
{
    return ss_name_special(channel) < 0 ||
           strcmp(channel, SS_NAME_ERROR_SOURCE) == 0;
}

// ------------------------------------------------ whose they are

enum { LOOKED_THROUGH_MAX = 8 };

static uint32_t *bucket(const struct ss_pendings *pending, const char *task_id)
{
    size_t mask = pending->index_size - 1;
    size_t at = ss_hash64(task_id, strlen(task_id)) & mask;
    while (pending->index[at] &&
           strcmp(pending->items[pending->index[at] - 1].task_id, task_id) != 0)
        at = (at + 1) & mask;
    return &pending->index[at];
}

// The task's first (`last` NULL), or the one behind `last`; NULL: no more.
static const struct ss_pending_write *next_of(const struct ss_pendings *pending,
    const char *task_id, const struct ss_pending_write *last)
{
    if (pending->index_size > 0) {
        uint32_t place = last ? last->next : *bucket(pending, task_id);
        return place ? &pending->items[place - 1] : NULL;
    }
    size_t i = last ? (size_t)(last - pending->items) + 1 : 0;
    while (
        i < pending->count && strcmp(pending->items[i].task_id, task_id) != 0)
        i++;
    return i < pending->count ? &pending->items[i] : NULL;
}

// What was in it is another list now: its places are looked up anew.
static void index_all(struct ss_pendings *pending)
{
    size_t size = 4 * LOOKED_THROUGH_MAX;
    if (pending->count <= LOOKED_THROUGH_MAX) {
        ss_free(pending->index);
        pending->index = NULL;
        pending->index_size = 0;
        return;
    }
    while (size < 2 * pending->count)
        size *= 2;
    if (size > pending->index_size)
        pending->index =
            ss_realloc(pending->index, size * sizeof(*pending->index));
    else
        size = pending->index_size;
    pending->index_size = size;
    memset(pending->index, 0, size * sizeof(*pending->index));
    for (size_t i = pending->count; i-- > 0;) {
        uint32_t *place = bucket(pending, pending->items[i].task_id);
        pending->items[i].next = *place;
        *place = (uint32_t)i + 1;
    }
}

// The newest is the last of its task.
static void index_newest(struct ss_pendings *pending)
{
    struct ss_pending_write *newest = &pending->items[pending->count - 1];
    if (pending->count <= LOOKED_THROUGH_MAX ||
        2 * pending->count > pending->index_size) {
        index_all(pending);
        return;
    }
    uint32_t *place = bucket(pending, newest->task_id);
    if (strcmp(newest[-1].task_id, newest->task_id) == 0)
        place = &newest[-1].next; // most often a task's come together
    while (*place)
        place = &pending->items[*place - 1].next;
    *place = (uint32_t)pending->count;
}

// ------------------------------------------------ adding and dropping

void ss_pendings_add(struct ss_pendings *pending, const char *task_id,
    const char *path, int32_t idx, const char *channel, struct ss_value *value,
    bool of_this_run, uint64_t seq)
{
    enum { FEWEST = 4 };
    const struct ss_pending_write *before =
        pending->count > 0 ? &pending->items[pending->count - 1] : NULL;
    struct ss_pending_write entry = {.idx = idx,
        .channel = ss_arena_text(&pending->memory, channel),
        .value = ss_value_ref(value),
        .of_this_run = of_this_run,
        .seq = seq};
    size_t size = strlen(task_id) + 1;
    ss_check(size <= sizeof(entry.task_id));
    memcpy(entry.task_id, task_id, size);
    path = path ? path : "";
    entry.path = before && strcmp(before->path, path) == 0
                     ? before->path
                     : ss_arena_text(&pending->memory, path);
    ss_check(pending->count < UINT32_MAX / 4);
    if (pending->count == pending->capacity)
        pending->items = ss_vec_grow(pending->items, &pending->capacity,
            pending->count + (pending->count ? 1 : FEWEST),
            sizeof(*pending->items));
    pending->items[pending->count++] = entry;
    index_newest(pending);
}

static void take_out(struct ss_pendings *pending, size_t index)
{
    ss_value_unref(pending->items[index].value);
    SS_VEC_REMOVE(pending, index);
}

void ss_pendings_remove(struct ss_pendings *pending, size_t index)
{
    take_out(pending, index);
    index_all(pending);
}

// NULL: of all channels.
static void drop(
    struct ss_pendings *pending, const char *task_id, const char *channel)
{
    if (!ss_pendings_have(pending, task_id))
        return; // of the many of a wide superstep, most write once
    for (size_t i = pending->count; i-- > 0;)
        if (strcmp(pending->items[i].task_id, task_id) == 0 &&
            (!channel || strcmp(pending->items[i].channel, channel) == 0))
            take_out(pending, i);
    index_all(pending);
}

void ss_pendings_drop(struct ss_pendings *pending, const char *task_id)
{
    drop(pending, task_id, NULL);
}

void ss_pendings_drop_write(
    struct ss_pendings *pending, const char *task_id, const char *channel)
{
    drop(pending, task_id, channel);
}

void ss_pendings_fini(struct ss_pendings *pending)
{
    for (size_t i = 0; i < pending->count; i++)
        ss_value_unref(pending->items[i].value);
    ss_free(pending->items);
    ss_free(pending->index);
    ss_arena_fini(&pending->memory);
    *pending = (struct ss_pendings){0};
}

bool ss_pendings_have(const struct ss_pendings *pending, const char *task_id)
{
    return next_of(pending, task_id, NULL) != NULL;
}

// ------------------------------------------------ what they say

struct ss_task_facts ss_pendings_facts(
    const struct ss_pendings *pending, const char *task_id)
{
    struct ss_task_facts facts = {0};
    uint64_t output = 0, failed = 0;
    bool has_output = false;
    const struct ss_pending_write *p = NULL;
    while ((p = next_of(pending, task_id, p)) != NULL) {
        if (strcmp(p->channel, SS_NAME_INTERRUPT) == 0) {
            facts.interrupts = ss_value_json(p->value);
        } else if (strcmp(p->channel, SS_NAME_RESUME) == 0) {
            facts.answers = ss_value_json(p->value);
        } else if (strcmp(p->channel, SS_NAME_ERROR) == 0) {
            facts.error = ss_value_json(p->value);
            failed = p->seq;
        } else if (strcmp(p->channel, SS_NAME_ERROR_SOURCE) == 0) {
            facts.error_source = json_string_value(ss_value_json(p->value));
        } else if (strcmp(p->channel, SS_NAME_TRIES) == 0) {
            facts.tried = ss_value_json(p->value);
            facts.tries = p->of_this_run ? facts.tried : NULL;
            facts.tries_seq = p->seq;
        } else if (strcmp(p->channel, SS_NAME_LOST) == 0) {
            facts.lost = p->of_this_run ? ss_value_json(p->value) : NULL;
            facts.lost_seq = p->seq;
        } else {
            has_output = true;
            output = p->seq > output ? p->seq : output;
        }
    }
    facts.finished = has_output && (!facts.error || output > failed);
    facts.failed = facts.error && !facts.finished;
    return facts;
}

bool ss_pendings_ours(const struct ss_pendings *pending, const char *task_id)
{
    const struct ss_pending_write *p = NULL;
    while ((p = next_of(pending, task_id, p)) != NULL)
        if (p->of_this_run && !ss_name_of_attempts(p->channel))
            return true;
    return false;
}

enum ss_found ss_pendings_ended(
    const struct ss_pendings *pending, const char *task_id, uint64_t since)
{
    const struct ss_pending_write *last = NULL, *p = NULL;
    while ((p = next_of(pending, task_id, p)) != NULL) {
        if (!p->of_this_run || p->seq <= since ||
            strcmp(p->channel, SS_NAME_LOST) == 0)
            continue;
        bool ends = strcmp(p->channel, SS_NAME_ERROR) == 0 ||
                    strcmp(p->channel, SS_NAME_INTERRUPT) == 0;
        if (!last || p->seq > last->seq || (p->seq == last->seq && ends))
            last = p;
    }
    if (!last || ss_pendings_facts(pending, task_id).finished)
        return SS_FOUND_NOTHING;
    return strcmp(last->channel, SS_NAME_ERROR) == 0       ? SS_FOUND_FAILURE
           : strcmp(last->channel, SS_NAME_INTERRUPT) == 0 ? SS_FOUND_QUESTION
                                                           : SS_FOUND_NOTHING;
}

void ss_pendings_output(const struct ss_pendings *pending, const char *task_id,
    struct ss_writes *writes)
{
    const struct ss_pending_write *p = NULL;
    while ((p = next_of(pending, task_id, p)) != NULL)
        if (!is_control(p->channel))
            ss_writes_add(writes, p->channel, ss_value_ref(p->value));
}

void ss_pendings_null_writes(
    const struct ss_pendings *pending, struct ss_writes *writes)
{
    const struct ss_pending_write *p = NULL;
    while ((p = next_of(pending, SS_NULL_TASK, p)) != NULL)
        ss_writes_add(writes, p->channel, ss_value_ref(p->value));
}

// R7.12b, not copied: a question is open only while its task has as many
// answers as it had when it asked. One that was answered since then (and failed
// after that) asks nothing now.
static bool answered_since(
    const struct ss_pendings *pending, const char *task_id)
{
    uint64_t asked = 0, answered = 0;
    const struct ss_pending_write *p = NULL;
    while ((p = next_of(pending, task_id, p)) != NULL) {
        if (strcmp(p->channel, SS_NAME_INTERRUPT) == 0)
            asked = p->seq;
        if (strcmp(p->channel, SS_NAME_RESUME) == 0)
            answered = p->seq;
    }
    return answered > asked;
}

bool ss_pendings_asks(const struct ss_pendings *pending, const char *task_id)
{
    struct ss_task_facts facts = ss_pendings_facts(pending, task_id);
    return facts.interrupts && !facts.finished &&
           !answered_since(pending, task_id);
}

static json_t *questions(const struct ss_pendings *pending, bool open_only)
{
    json_t *list = json_array();
    for (size_t i = 0; i < pending->count; i++) {
        const struct ss_pending_write *p = &pending->items[i];
        if (strcmp(p->channel, SS_NAME_INTERRUPT) == 0 &&
            !is_null_task(p->task_id) &&
            (!open_only || ss_pendings_asks(pending, p->task_id)))
            json_array_extend(list, ss_value_json(p->value));
    }
    return list;
}

static json_t *ids_of(json_t *interrupts)
{
    size_t i;
    json_t *interrupt, *ids = json_array();
    json_array_foreach (interrupts, i, interrupt)
        json_array_append(ids, json_object_get(interrupt, "id"));
    json_decref(interrupts);
    return ids;
}

json_t *ss_pendings_open(const struct ss_pendings *pending)
{
    return questions(pending, true);
}

json_t *ss_pendings_questions(const struct ss_pendings *pending)
{
    return ids_of(questions(pending, true));
}

json_t *ss_pendings_asked(const struct ss_pendings *pending)
{
    return ids_of(questions(pending, false));
}

bool ss_pendings_failed_answered(const struct ss_pendings *pending)
{
    for (size_t i = 0; i < pending->count; i++) {
        const struct ss_pending_write *p = &pending->items[i];
        if (strcmp(p->channel, SS_NAME_ERROR) != 0 ||
            ss_pendings_ours(pending, p->task_id))
            continue;
        struct ss_task_facts facts = ss_pendings_facts(pending, p->task_id);
        if (facts.failed && json_array_size(facts.answers) > 0 &&
            !ss_pendings_asks(pending, p->task_id))
            return true;
    }
    return false;
}
