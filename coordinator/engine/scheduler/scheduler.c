// scheduler.c - what the scheduler keeps, from an engine's birth to its end,
// and what it shows of that.
#include "coordinator/engine/scheduler/scheduler.h"
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "coordinator/engine/scheduler/limit_linger.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/takeover.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"

void ss_scheduler_init(struct engine *engine)
{
    struct scheduler *scheduler = ss_zalloc(1, sizeof(*scheduler));
    scheduler->queue = ss_ready_queue_new();
    scheduler->takeover = ss_takeover_new();
    engine->scheduler = scheduler;
}

static void free_worker(void *value)
{
    ss_worker_free(value);
}

void ss_scheduler_fini(struct engine *engine)
{
    struct scheduler *scheduler = engine->scheduler;
    ss_map_fini(&scheduler->workers, free_worker);
    ss_attempt_slab_fini(&scheduler->out);
    ss_map_fini(&scheduler->vouched, ss_free);
    ss_limits_fini(engine);
    ss_ready_queue_destroy(&scheduler->queue);
    ss_check(scheduler->alone.count == 0);
    SS_VEC_FINI(&scheduler->alone);
    ss_takeover_destroy(&scheduler->takeover);
    ss_free(scheduler);
}

size_t ss_workers_count(const struct engine *engine)
{
    return engine->scheduler->workers.count;
}

void ss_workers_sum(
    const struct engine *engine, struct ss_engine_counts *counts)
{
    const struct scheduler *scheduler = engine->scheduler;
    counts->attempts_sent = (int64_t)scheduler->attempts_sent;
    counts->attempts_lost = (int64_t)scheduler->attempts_lost;
    counts->tasks_ready = (int64_t)ss_tasks_ready(engine);
    counts->tasks_running = (int64_t)scheduler->out.count;
    counts->workers = (int64_t)scheduler->workers.count;
    counts->capacity = 0; // tasks that all of them take at once
    for (const struct ss_map_entry *e = scheduler->workers.first; e;
         e = e->next)
        counts->capacity += ((const struct worker *)e->value)->capacity;
}

struct ss_attempt ss_attempt_name(const struct task *task)
{
    return attempt_of(task)->name;
}

const char *ss_attempt_worker(const struct task *task)
{
    const struct worker *worker = attempt_of(task)->worker;
    return worker ? worker->name : NULL;
}

int64_t ss_attempt_ms(const struct task *task)
{
    return ss_task_level(task)->engine->now_ms - attempt_of(task)->sent_ms;
}

json_t *ss_workers_json(const struct engine *engine)
{
    json_t *list = json_array();
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next) {
        const struct worker *w = e->value;
        json_array_append_new(
            list, json_pack("{s:s, s:O, s:I, s:I, s:I, s:I, s:I, s:b, s:o*}",
                      "worker", w->name, "graphs", w->graph_names, "running",
                      (json_int_t)w->running, "capacity",
                      (json_int_t)w->capacity, "attempts",
                      (json_int_t)w->attempts, "lost", (json_int_t)w->lost,
                      "seen_ms", (json_int_t)(engine->now_ms - w->seen_ms),
                      "drains", ss_worker_leaves(w), "stuck",
                      w->is_stuck ? json_true() : NULL));
    }
    return list;
}

json_t *ss_workers_settings(const struct engine *engine)
{
    json_t *list = json_array();
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next) {
        const struct worker *worker = e->value;
        json_array_append_new(
            list, json_pack("{s:s, s:o}", "worker", worker->name, "settings",
                      worker->settings ? json_incref(worker->settings)
                                       : json_array()));
    }
    return list;
}
