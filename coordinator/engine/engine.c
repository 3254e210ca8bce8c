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
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/quarantine.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"

// A pause of ours must not expire everybody: when we come much later than we
// had asked for, leases on workers are extended by the delay. So that a pause
// is seen before it takes a lease, we ask often (ss_workers_expire).
static void pass_time(struct engine *engine, const struct ss_event *event)
{
    int64_t late = event->now_ms - engine->wake_at_ms;
    ss_check(event->now_ms >= engine->now_ms);
    if (engine->wake_at_ms > 0 && late > engine->options.lease_ms / 4)
        ss_workers_excuse(engine, late);
    engine->now_ms = event->now_ms;
    if (event->wall_us > engine->wall_us)
        engine->wall_us = event->wall_us;
}

static void on_rows(struct engine *engine, const struct ss_event *event)
{
    struct thread *thread = ss_thread_rows(engine, event);
    if (thread)
        ss_requests_resume(thread);
}

static void on_stored(struct engine *engine, const struct ss_event *event)
{
    if (ss_suspect_stored(engine, event) || ss_pause_stored(engine, event) ||
        ss_claim_stored(engine, event))
        return;
    struct thread *thread = ss_thread_awaits(engine, event->stored.tag);
    if (!thread || thread->store_tag != event->stored.tag)
        return;
    enum unit_end end = ss_thread_stored(thread, event);
    if (end != UNIT_REFUSED)
        ss_requests_stored(thread, end == UNIT_DELETED);
}

static void on_run_found(struct engine *engine, const struct ss_event *event)
{
    struct thread *thread =
        ss_run_found(engine, event->run.record, event->run.crashed);
    if (thread && !engine->options.shared)
        ss_takeover_begin(engine); // else workers are asked
    if (thread)
        ss_requests_resume(thread);
}

static void on_shards(struct engine *engine, const struct ss_event *event)
{
    if (event->type == SS_EVENT_SHARDS_GAINED) {
        ss_shards_gained(engine, event);
        ss_seek_gained(engine, event->shards.shards, event->shards.epoch);
    } else if (event->type == SS_EVENT_SHARDS_READ) {
        ss_shards_read(engine, event);
        ss_requests_read(engine, event->shards.shards);
    } else {
        ss_shards_lost(engine, event);
        ss_suspects_let_go(engine);
    }
    ss_limits_reckon(engine);
}

static void dispatch_event(struct engine *engine, const struct ss_event *event)
{
    switch (event->type) {
    case SS_EVENT_WORKER_HELLO:
        ss_worker_hello(engine, event);
        break;
    case SS_EVENT_WORKER_BEAT:
        ss_worker_beat(engine, event);
        break;
    case SS_EVENT_WORKER_BYE:
        ss_worker_bye(engine, event);
        break;
    case SS_EVENT_WORKER_LACKS:
        ss_worker_lacks(engine, event);
        break;
    case SS_EVENT_WORKER_OFFERS:
        ss_worker_offers(engine, event);
        break;
    case SS_EVENT_TASK_DONE:
        ss_worker_done(engine, event);
        break;
    case SS_EVENT_TASK_LIVE:
        ss_worker_live(engine, event);
        break;
    case SS_EVENT_REQUEST:
        ss_request(engine, event);
        break;
    case SS_EVENT_CLIENT_GONE:
        ss_client_gone(engine, event->peer, event->request.id);
        break;
    case SS_EVENT_GRAPH_KNOWN:
        ss_graph_found(engine, event);
        break;
    case SS_EVENT_RUN_FOUND:
        on_run_found(engine, event);
        break;
    case SS_EVENT_PAUSES:
        ss_pauses_read(engine, event);
        break;
    case SS_EVENT_ROWS:
        on_rows(engine, event);
        break;
    case SS_EVENT_RECORDS:
        ss_records(engine, event);
        break;
    case SS_EVENT_STORED:
        on_stored(engine, event);
        break;
    case SS_EVENT_SHARDS_GAINED:
    case SS_EVENT_SHARDS_READ:
    case SS_EVENT_SHARDS_LOST:
        on_shards(engine, event);
        break;
    case SS_EVENT_DRAIN:
        engine->drains = true;
        break;
    case SS_EVENT_MEMBERS:
        if (ss_shards_seen(engine, event))
            ss_workers_members(engine);
        break;
    case SS_EVENT_TICK:
        break;
    }
}

static void carry_on(struct engine *engine)
{
    struct loop *loop;
    ss_tasks_retry(engine);
    ss_requests_graphs_moved(engine);
    ss_loops_go_on(engine);
    do {
        ss_schedule_ready(engine);
        while ((loop = ss_loop_next(engine)) != NULL) {
            ss_loop_advance(loop);
            ss_runs_end(engine);
            ss_schedule_ready(engine);
        }
    } while (ss_queue_turns(engine) || ss_schedule_updates_follow(engine));
    ss_loops_rest(engine);
    ss_runs_free_ended(engine);
    ss_dispatch(engine);
    ss_threads_flush(engine);
    ss_threads_free_gone(engine);
    if (ss_threads_evict(engine))
        ss_list_cache_expire(engine);
    ss_suspects_wake(engine);
}

void ss_engine_step(
    struct ss_engine *it, const struct ss_event *event, struct ss_commands *ret)
{
    struct engine *engine = &it->engine;
    ss_engine_forget_commands(engine);
    pass_time(engine, event);
    engine->wake_at_ms = INT64_MAX;
    ss_suspects_next(engine);
    dispatch_event(engine, event);
    ss_schedule_ready(engine);
    ss_workers_expire(engine);
    ss_claimed_expire(engine);
    ss_vouched_expire(engine);
    carry_on(engine);
    ss_invariants(it);
    ret->items = engine->commands.items;
    ret->count = engine->commands.count;
    ret->wake_at_ms = engine->wake_at_ms;
}
