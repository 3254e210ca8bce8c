// under_way.c - all runs of an engine: from its birth to its end.
#include "coordinator/engine/runs/under_way.h"
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/quarantine_impl.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/update_state.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/threads.h"

void ss_runs_init(struct engine *engine)
{
    engine->runs = ss_zalloc(1, sizeof(*engine->runs));
    ss_quarantine_init(engine);
    ss_pauses_init(engine);
}

void ss_runs_drop(struct engine *engine)
{
    for (struct ss_map_entry *e = ss_threads_all(engine)->first; e;
         e = e->next) {
        struct thread *thread = e->value;
        if (ss_seat(thread)->run)
            SS_VEC_PUSH(&engine->runs->ended, ss_seat(thread)->run);
        if (ss_seat(thread)->change)
            ss_update_state_free(ss_seat(thread)->change);
        ss_seat(thread)->run = NULL;
    }
    ss_runs_free_ended(engine);
}

void ss_runs_fini(struct engine *engine)
{
    struct runs *runs = engine->runs;
    ss_check(runs->turns.count == 0);
    ss_check(runs->ended.count == 0);
    ss_quarantine_fini(engine);
    ss_pauses_fini(engine);
    ss_map_fini(&runs->by_name, NULL);
    SS_VEC_FINI(&runs->turns);
    SS_VEC_FINI(&runs->ended);
    json_decref(runs->plain_meta);
    ss_free(engine->runs);
}

const struct ss_map *ss_runs_all(const struct engine *engine)
{
    return &engine->runs->by_name;
}

void ss_runs_count(const struct engine *engine, struct ss_engine_counts *counts)
{
    const struct runs *runs = engine->runs;
    ss_check(runs->queued <= runs->by_name.count);
    counts->runs_started = (int64_t)runs->started;
    counts->runs_done = (int64_t)runs->done;
    counts->runs_failed = (int64_t)runs->failed;
    counts->runs_queued = (int64_t)runs->queued;
    counts->runs_active = (int64_t)(runs->by_name.count - runs->queued);
    counts->pauses = (int64_t)ss_pauses_count(engine);
}
