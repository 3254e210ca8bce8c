// life.c - an engine's birth, and its end: what every room begins with, and
// what it leaves behind.
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/threads.h"

struct ss_engine *ss_engine_new(const struct ss_engine_options *options)
{
    struct ss_engine *it = ss_zalloc(1, sizeof(*it));
    struct engine *engine = &it->engine;
    ss_threads_init(engine, &ss_runs_owner);
    ss_shards_init(engine, options->unread);
    ss_graphs_init(engine);
    ss_levels_init(engine, &ss_scheduler_sink);
    ss_runs_init(engine);
    ss_scheduler_init(engine);
    ss_requests_init(engine);
    engine->options = *options;
    engine->watch = &ss_audience_watch;
    if (engine->options.lease_ms <= 0)
        engine->options.lease_ms = SS_LEASE_MS;
    if (engine->options.heartbeat_ms <= 0)
        engine->options.heartbeat_ms = SS_HEARTBEAT_MS;
    if (engine->options.idle_ms <= 0)
        engine->options.idle_ms = SS_THREAD_IDLE_MS;
    if (engine->options.idle_large_max == 0)
        engine->options.idle_large_max = SS_IDLE_LARGE_MAX;
    engine->row_format =
        options->row_format > 0 ? options->row_format : SS_ROW_FORMAT;
    ss_prng_init(&engine->prng, options->seed);
    return it;
}

// ------------------------------------------------ the end

void ss_engine_destroy(struct ss_engine **place)
{
    struct ss_engine *it = *place;
    if (!it)
        return;
    *place = NULL;
    struct engine *engine = &it->engine;
    ss_runs_drop(engine);
    ss_threads_fini(engine);
    ss_requests_fini(engine);
    ss_scheduler_fini(engine);
    ss_runs_fini(engine);
    ss_levels_fini(engine);
    ss_graphs_fini(engine);
    ss_shards_fini(engine);
    ss_engine_forget_commands(engine);
    SS_VEC_FINI(&engine->commands);
    ss_check(engine->stored.count == 0);
    SS_VEC_FINI(&engine->stored);
    ss_free(it);
}
