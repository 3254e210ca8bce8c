// limit_record.c - records of limits that were read, or are stored: what
// follows from them.
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"

// ------------------------------------------------ read

static bool is_set(const json_t *record)
{
    return json_object_get(record, "since_us") != NULL;
}

static size_t count_set(const struct ss_map *records)
{
    size_t count = 0;
    for (const struct ss_map_entry *e = records->first; e; e = e->next)
        count += is_set(e->value);
    return count;
}

// What operators say is not what it was.
static bool has_moved(const struct ss_map *before, const struct ss_map *now)
{
    if (count_set(before) != count_set(now))
        return true;
    for (const struct ss_map_entry *e = now->first; e; e = e->next)
        if (is_set(e->value) &&
            !json_equal(ss_map_get(before, e->key), e->value))
            return true;
    return false;
}

static void told(struct engine *engine, const struct ss_event *event)
{
    struct limits *limits = &engine->scheduler->limits;
    struct ss_map before = limits->records;
    ss_limits_idle(engine);
    limits->records = (struct ss_map){0};
    for (size_t i = 0; i < event->limits.count; i++) {
        json_t *record = event->limits.records[i];
        char *key = ss_limit_key(record);
        json_decref(ss_map_put(&limits->records, key, json_incref(record)));
        ss_free(key);
    }
    limits->has_moved |= has_moved(&before, &limits->records);
    ss_map_fini(&before, ss_limit_record_free);
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next)
        ss_limit_place(engine, e->value, 0);
    ss_limits_reckon(engine);
    ss_limits_even_out(engine);
}

// ------------------------------------------------ stored

static struct part *part_of(struct engine *engine, const json_t *record)
{
    struct limit *limit = ss_map_get(
        &engine->scheduler->limits.by_name, ss_json_str(record, "limit", ""));
    int64_t part = ss_json_int(record, "part", -1);
    return limit && part >= 0 && part < LIMIT_PARTS ? &limit->parts[part]
                                                    : NULL;
}

// Where it was not stored nobody knows where the part is, until it is read.
static void arrives(struct engine *engine, const json_t *record, bool is_stored)
{
    struct part *part = part_of(engine, record);
    if (!part)
        return;
    ss_check(part->to != SS_NOBODY);
    part->shard = is_stored ? part->to : SS_NOBODY;
    part->to = SS_NOBODY;
}

static void take(struct engine *engine, struct limit_put *put, bool is_stored)
{
    struct ss_map *records = &engine->scheduler->limits.records;
    if (json_object_get(put->record, "part"))
        arrives(engine, put->record, is_stored);
    if (is_stored && put->record && !ss_limit_comes_home(put->record))
        json_decref(ss_map_put(records, put->key, json_incref(put->record)));
    else if (is_stored)
        json_decref(ss_map_remove(records, put->key));
}

static json_t *answer_of(
    const struct engine *engine, const struct limit_batch *batch)
{
    const struct limit_put *put = &batch->puts.items[0];
    bool was_set =
        ss_map_get(&engine->scheduler->limits.records, put->key) != NULL;
    if (put->record)
        return json_pack("{s:s, s:O}", "status", "set", "limit", put->record);
    return json_pack("{s:s, s:b}", "status", "cleared", "was_set", was_set);
}

static void tell(struct engine *engine, const struct limit_batch *batch,
    const struct ss_event *event)
{
    if (!batch->request)
        return;
    if (event->stored.status == SS_OK)
        ss_reply(engine, batch->request, answer_of(engine, batch));
    else
        ss_reply_error(engine, batch->request, event->stored.status,
            "limit: it is not stored: %s",
            event->stored.message ? event->stored.message : "");
}

static bool stored(struct engine *engine, const struct ss_event *event)
{
    struct limits *limits = &engine->scheduler->limits;
    size_t i = 0;
    while (i < limits->under_way.count &&
           limits->under_way.items[i].tag != event->stored.tag)
        i++;
    if (i == limits->under_way.count)
        return false;
    struct limit_batch batch = limits->under_way.items[i];
    SS_VEC_REMOVE(&limits->under_way, i);
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next) {
        struct limit *limit = e->value;
        if (limit->marking == batch.tag)
            limit->marking = 0;
    }
    tell(engine, &batch, event);
    for (size_t k = 0; k < batch.puts.count; k++)
        take(engine, &batch.puts.items[k], event->stored.status == SS_OK);
    limits->has_moved |= batch.request != NULL;
    ss_limit_batch_free(&batch);
    ss_limits_reckon(engine);
    return true;
}

bool ss_limit_records(struct engine *engine, const struct ss_event *event)
{
    if (event->type != SS_EVENT_LIMITS)
        return stored(engine, event);
    told(engine, event);
    return true;
}
