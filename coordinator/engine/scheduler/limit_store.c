// limit_store.c - what the store holds of limits.
//
//   set NAME          how many tasks may be out, as an operator said
//   used NAME         tasks of it, a rate, may have begun (limit_rate.c)
//   part NUMBER NAME  the shard in which that part is (limit_parts.c)
//   lack SHARD NAME   the owner of that shard lacks so many (limit_even.c)
//
// They are read before the runs of shards that were gained, and with each look
// at the members, by the queue that our own records go through: what is read
// later is newer (limit_record.c). A part's record is written over only while
// it says what we have read, so that a write which comes late changes nothing.
// A part that comes to where it is without a record has none.
#include "coordinator/engine/scheduler/limit_store.h"
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/request.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"

// ------------------------------------------------ keys

// Gives. A number below 0 is none.
static char *key_of(const char *kind, int64_t number, const char *name)
{
    return number < 0 ? ss_format("%s %s", kind, name)
                      : ss_format("%s %lld %s", kind, (long long)number, name);
}

char *ss_limit_key(const json_t *record)
{
    const char *name = ss_json_str(record, "limit", "");
    if (json_object_get(record, "part"))
        return key_of("part", ss_json_int(record, "part", 0), name);
    if (json_object_get(record, "used"))
        return key_of("used", -1, name);
    if (json_object_get(record, "lacks"))
        return key_of("lack", ss_json_int(record, "shard", 0), name);
    return key_of("set", -1, name);
}

const json_t *ss_limit_record(const struct engine *engine, const char *kind,
    int64_t number, const char *name)
{
    const struct ss_map *records = &engine->scheduler->limits.records;
    if (records->count == 0)
        return NULL;
    char *key = key_of(kind, number, name);
    const json_t *record = ss_map_get(records, key);
    ss_free(key);
    return record;
}

void ss_limit_record_free(void *record)
{
    json_decref(record);
}

// ------------------------------------------------ written

void ss_limit_batch(struct engine *engine, const struct ss_request *request)
{
    struct limit_batch batch = {.tag = ss_engine_tag(engine),
        .request = request ? ss_request_ref(request) : NULL};
    SS_VEC_PUSH(&engine->scheduler->limits.under_way, batch);
}

static struct limit_batch *last_batch(struct engine *engine)
{
    struct limits *limits = &engine->scheduler->limits;
    ss_check(limits->under_way.count > 0);
    return &limits->under_way.items[limits->under_way.count - 1];
}

void ss_limit_put(struct engine *engine, const char *kind, int64_t number,
    const char *name, json_t *record)
{
    ss_check(last_batch(engine)->tag == engine->tags); // it is not sent
    SS_VEC_PUSH(&last_batch(engine)->puts,
        (struct limit_put){key_of(kind, number, name), record});
}

void ss_limit_batch_free(struct limit_batch *batch)
{
    ss_request_unref(batch->request);
    for (size_t i = 0; i < batch->puts.count; i++) {
        ss_free(batch->puts.items[i].key);
        json_decref(batch->puts.items[i].record);
    }
    SS_VEC_FINI(&batch->puts);
}

bool ss_limit_comes_home(const json_t *record)
{
    return json_object_get(record, "home") != NULL;
}

// A part's record is one member's to write: over what it has read.
static struct ss_command_put put_of(
    const struct engine *engine, const struct limit_put *put)
{
    json_t *before = ss_map_get(&engine->scheduler->limits.records, put->key);
    bool is_part = put->record && json_object_get(put->record, "part");
    json_t *record =
        ss_limit_comes_home(put->record) ? NULL : json_incref(put->record);
    struct ss_command_put one =
        ss_put_of(SS_RECORD_LIMIT, put->key, SS_RECORD_LIMIT_INDEX, record);
    one.absent = is_part && !before;
    one.same = is_part && before ? ss_json_text(before) : NULL;
    return one;
}

void ss_limit_batch_send(struct engine *engine)
{
    struct limits *limits = &engine->scheduler->limits;
    struct limit_batch *batch = last_batch(engine);
    size_t count = batch->puts.count;
    ss_check(batch->tag <= engine->tags);
    if (count == 0) {
        ss_limit_batch_free(batch);
        limits->under_way.count--;
        return;
    }
    struct ss_command command = {
        .type = SS_COMMAND_STORE, .tag = batch->tag, .puts_count = count};
    command.puts = ss_zalloc(count, sizeof(*command.puts));
    for (size_t i = 0; i < count; i++)
        command.puts[i] = put_of(engine, &batch->puts.items[i]);
    ss_engine_command(engine, command);
}
