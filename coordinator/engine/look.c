// look.c - what the shell asks of an engine between two steps.
#include "common/base/map.h"
#include "common/model/cluster.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"

void ss_engine_count(
    const struct ss_engine *it, struct ss_engine_counts *ret_counts)
{
    const struct engine *engine = &it->engine;
    ss_levels_count(engine, ret_counts);
    ss_runs_count(engine, ret_counts);
    ss_workers_sum(engine, ret_counts);
    ret_counts->threads = (int64_t)ss_threads_all(engine)->count;
    ret_counts->shards = engine->options.shared
                             ? (int64_t)ss_shards_count(ss_shards_ours(engine))
                             : SS_SHARDS;
}

json_t *ss_engine_limits(const struct ss_engine *it, size_t most)
{
    return ss_limits_numbers(&it->engine, most);
}

bool ss_engine_is_quiet(const struct ss_engine *it)
{
    const struct engine *engine = &it->engine;
    if (ss_attempts_count(engine) > 0)
        return false;
    for (const struct ss_map_entry *e = ss_threads_all(engine)->first; e;
         e = e->next)
        if (!ss_thread_is_quiet(e->value))
            return false;
    return true;
}

bool ss_engine_knows(const struct ss_engine *it, const char *thread)
{
    return ss_map_get(ss_threads_all(&it->engine), thread) != NULL;
}

struct ss_shards ss_engine_busy(const struct ss_engine *it)
{
    struct ss_shards busy = {{0}};
    const struct engine *engine = &it->engine;
    for (const struct ss_map_entry *e = ss_runs_all(engine)->first; e;
         e = e->next)
        ss_shards_add(&busy,
            ss_shard_of(ss_thread_facts(ss_run_facts(e->value)->thread)->id));
    return busy;
}
