// engine.c - one step: an event in, everything that follows from it, commands
// out.
//
// Each kind of event has its file; what they set in motion (loops to advance,
// tasks to send, rows to store) is carried on here in a fixed order, so that
// the same events always give the same commands.
#include "coordinator/engine/engine.h"
#include "common/base/check.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/invariants.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/runs/quarantine.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/threads.h"

// A pause of ours must not expire everybody: when we come much later than we
// had asked for, leases on workers are extended by the delay. So that a pause
// is seen before it takes a lease, we ask often (ss_workers_expire).
static void pass_time(struct engine *engine, const struct ss_event *event)
{
    int64_t late = event->now_ms - engine->wake_at_ms;
    if (engine->wake_at_ms > 0 && late > engine->options.lease_ms / 4)
        ss_workers_excuse(engine, late);
    ss_step_time(engine, event->now_ms, event->wall_us);
}

// What the event set in motion, as far as levels and runs go.
static void go_on(struct engine *engine, bool is_first)
{
    struct loop *loop;
    ss_tasks_retry(engine);
    ss_requests_graphs_moved(engine);
    if (is_first)
        ss_loops_go_on(engine);
    do {
        ss_schedule_ready(engine);
        while ((loop = ss_loop_next(engine)) != NULL) {
            ss_loop_advance(loop);
            ss_runs_end(engine);
            ss_schedule_ready(engine);
        }
    } while (ss_queue_turns(engine) || ss_schedule_updates_follow(engine));
}

// Rows to the store. What it takes at once is durable, and what waited for that
// goes on: true, if anything did.
static bool let_rows_out(struct engine *engine)
{
    bool any = false;
    ss_threads_flush(engine);
    while (ss_event_take_stored(engine)) {
        any = true;
        go_on(engine, false);
        ss_loops_rest(engine);
        ss_runs_free_ended(engine);
        ss_threads_flush(engine);
    }
    return any;
}

// What leaves: once, for all events of a step.
static void let_out(struct engine *engine)
{
    ss_loops_rest(engine);
    ss_runs_free_ended(engine);
    if (engine->options.store)
        let_rows_out(engine); // first: tasks wait for them
    do
        ss_dispatch(engine);
    while (let_rows_out(engine));
    ss_threads_free_gone(engine);
    if (ss_threads_evict(engine))
        ss_list_cache_expire(engine);
    ss_suspects_wake(engine);
}

void ss_engine_step(
    struct ss_engine *it, const struct ss_event *event, struct ss_commands *ret)
{
    struct engine *engine = &it->engine;
    ss_check(ret || event->type == SS_EVENT_TASK_DONE); // they alone come many
    if (!engine->in_step)
        ss_engine_forget_commands(engine);
    pass_time(engine, event);
    if (!engine->in_step)
        ss_suspects_next(engine);
    ss_event_take(engine, event);
    ss_schedule_ready(engine);
    if (ret) {
        ss_workers_expire(engine);
        ss_claimed_expire(engine);
        ss_vouched_expire(engine);
    }
    bool is_first = !engine->in_step;
    ss_step_follow(engine, !ret);
    go_on(engine, is_first);
    if (!ret)
        return;
    let_out(engine);
    ss_invariants(it);
    ret->items = engine->commands.items;
    ret->count = engine->commands.count;
    ret->wake_at_ms = engine->wake_at_ms;
}
