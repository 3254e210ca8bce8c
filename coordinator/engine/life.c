// life.c - an engine's birth, and its end: what every room begins with, and
// what it leaves behind.
#include "common/base/mem.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/levels/levels.h"
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
    ss_step_init(engine, options, &ss_audience_watch);
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
    ss_step_fini(engine);
    ss_free(it);
}
