// cache.c - results that are kept for tasks with the same input (R6.28).
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/tasks.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"

static char *cache_key(const struct task *task)
{
    char hex[SS_HEX128_SIZE];
    const struct ss_graph *graph = task->facts.loop->facts.graph;
    char *text = ss_json_canonical(ss_value_json(task->facts.planned.input));
    ss_hash_hex(text, strlen(text), hex);
    ss_free(text);
    return ss_format(
        "%s|%s|%s", graph->key, task->facts.planned.node->name, hex);
}

void ss_cache_ask(struct task *task)
{
    struct engine *engine = task->facts.loop->facts.engine;
    uint64_t tag = ss_engine_tag(engine);
    ss_check(task->facts.planned.node->cached && !task->cache_key);
    task->cache_key = cache_key(task);
    ss_task_move(task, TASK_CACHE);
    SS_VEC_PUSH(&engine->levels->cache_looks,
        (struct cache_look){.tag = tag, .task = task});
    // behind the thread's own writes, which may hold the very entry
    ss_thread_release_at(task->facts.loop->facts.thread,
        ss_thread_head(task->facts.loop->facts.thread),
        (struct ss_command){.type = SS_COMMAND_GET,
            .tag = tag,
            .table = SS_RECORD_CACHE,
            .key = ss_strdup(task->cache_key)});
}

// A record is a result only if it is whole: [channel, value] each.
static bool is_whole(const json_t *writes)
{
    size_t i;
    json_t *write;
    if (!json_is_array(writes) || json_array_size(writes) == 0)
        return false;
    json_array_foreach ((json_t *)writes, i, write)
        if (json_array_size(write) != 2 ||
            !json_is_string(json_array_get(write, 0)) ||
            ss_name_special(json_string_value(json_array_get(write, 0))))
            return false;
    return true;
}

// Its writes are not durable before an attempt that was given up, or is another
// owner's, can begin no more (beat.c): then it is asked for once more.
static bool is_too_early(struct task *task)
{
    struct engine *engine = task->facts.loop->facts.engine;
    int64_t until_ms = engine->levels->sink->begins_until(task);
    if (until_ms <= engine->now_ms)
        return false;
    ss_free(task->cache_key);
    task->cache_key = NULL;
    task->facts.tries.retry_at_ms = until_ms;
    SS_VEC_PUSH(&engine->levels->backoff, task);
    ss_engine_wake(engine, until_ms);
    return true;
}

static enum cache_found look_at(struct task *task, const json_t *record)
{
    ss_check(task->facts.state == TASK_CACHE);
    json_t *writes = json_object_get(record, "writes"), *write;
    size_t i;
    int64_t expires = (int64_t)ss_json_int(record, "expires_us", 0);
    bool fresh =
        expires == 0 || expires > task->facts.loop->facts.engine->wall_us;
    if (!is_whole(writes) || !fresh)
        return CACHE_LACKS;
    if (is_too_early(task))
        return CACHE_WAITS;
    json_array_foreach (writes, i, write)
        ss_writes_add(&task->facts.writes,
            json_string_value(json_array_get(write, 0)),
            ss_value_new(json_incref(json_array_get(write, 1))));
    return CACHE_HAS;
}

enum cache_found ss_cache_looked(
    struct engine *engine, const struct ss_event *event, struct task **ret_task)
{
    struct levels *levels = engine->levels;
    for (size_t i = 0; i < levels->cache_looks.count; i++) {
        struct task *task = levels->cache_looks.items[i].task;
        if (levels->cache_looks.items[i].tag != event->records.tag)
            continue;
        SS_VEC_REMOVE(&levels->cache_looks, i);
        *ret_task = task;
        if (!task)
            return CACHE_WAITS; // for nobody: it has gone
        return look_at(
            task, event->records.status == SS_OK && event->records.records_count
                      ? event->records.records[0].value
                      : NULL);
    }
    return CACHE_ANOTHERS;
}

void ss_cache_forget(const struct task *task)
{
    const struct levels *levels = task->facts.loop->facts.engine->levels;
    for (size_t i = levels->cache_looks.count; i-- > 0;)
        if (levels->cache_looks.items[i].task == task)
            levels->cache_looks.items[i].task = NULL;
}

void ss_cache_fill(const struct task *task)
{
    ss_check(task->facts.state == TASK_DONE && task->cache_key);
    json_t *writes = json_array();
    for (size_t i = 0; i < task->facts.writes.count; i++)
        json_array_append_new(
            writes, json_pack("[s, O]", task->facts.writes.items[i].channel,
                        ss_value_json(task->facts.writes.items[i].value)));
    int64_t expires = task->facts.planned.node->cache_ttl_ms
                          ? task->facts.loop->facts.engine->wall_us +
                                task->facts.planned.node->cache_ttl_ms * 1000
                          : 0;
    struct ss_command_put put = ss_put_of(SS_RECORD_CACHE, task->cache_key,
        task->facts.loop->facts.graph->name,
        json_pack(
            "{s:o, s:I}", "writes", writes, "expires_us", (json_int_t)expires));
    put.expires_us = expires;
    ss_thread_put_take(task->facts.loop->facts.thread, put);
}
