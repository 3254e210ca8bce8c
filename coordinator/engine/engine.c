// engine.c - one step: an event in, everything that follows from it, commands out.
//
// Each kind of event has its file; what they set in motion (loops to advance,
// tasks to send, rows to store) is carried on here in a fixed order, so that the
// same events always give the same commands.
#include <string.h>

#include "common/base/check.h"
#include "coordinator/engine/inside.h"

// ------------------------------------------------ life

struct ss_engine *ss_engine_new(const struct ss_engine_options *options)
{
    struct ss_engine *it = ss_zalloc(1, sizeof(*it));
    struct engine *engine = &it->engine;
    engine->owner = &ss_runs_owner;
    engine->sink = &ss_scheduler_sink;
    engine->options = *options;
    engine->watch = &ss_audience_watch;
    if (engine->options.lease_ms <= 0)
        engine->options.lease_ms = SS_LEASE_MS;
    if (engine->options.heartbeat_ms <= 0)
        engine->options.heartbeat_ms = SS_HEARTBEAT_MS;
    if (engine->options.idle_ms <= 0)
        engine->options.idle_ms = SS_THREAD_IDLE_MS;
    engine->row_format =
        options->row_format > 0 ? options->row_format : SS_ROW_FORMAT;
    ss_prng_init(&engine->prng, options->seed);
    if (options->unread)
        ss_shards_fill(&engine->unread);
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        engine->owners[i] = SS_NOBODY;
    return it;
}

static void free_thread(void *value)
{
    struct thread *thread = value;
    ss_thread_destroy(&thread);
}

static void free_known(void *value)
{
    struct known_graph *known = value;
    ss_graph_unref(known->graph);
    ss_free(known);
}

static void free_worker(void *value)
{
    ss_worker_free(value);
}

static void free_gone(struct engine *engine)
{
    for (size_t i = 0; i < engine->gone.count; i++)
        ss_thread_destroy(&engine->gone.items[i]);
    engine->gone.count = 0;
}

static void free_ended(struct engine *engine)
{
    for (size_t i = 0; i < engine->ended.count; i++)
        ss_run_free(engine->ended.items[i]);
    engine->ended.count = 0;
}

void ss_engine_destroy(struct ss_engine **place)
{
    struct ss_engine *it = *place;
    if (!it)
        return;
    *place = NULL;
    struct engine *engine = &it->engine;
    for (struct ss_map_entry *e = engine->threads.first; e; e = e->next) {
        struct thread *thread = e->value;
        if (thread->run)
            SS_VEC_PUSH(&engine->ended, thread->run);
        if (thread->change)
            ss_change_free(thread->change);
        thread->run = NULL;
    }
    free_ended(engine);
    for (size_t i = 0; i < engine->scans.count; i++)
        ss_scan_fini(&engine->scans.items[i]);
    for (size_t i = 0; i < engine->claims.count; i++)
        ss_claim_fini(&engine->claims.items[i]);
    SS_VEC_FINI(&engine->claims);
    for (size_t i = 0; i < engine->trials.count; i++)
        ss_trial_fini(&engine->trials.items[i]);
    SS_VEC_FINI(&engine->trials);
    ss_pauses_fini(engine);
    ss_free(engine->on_trial);
    ss_map_fini(&engine->runs, NULL);
    ss_map_fini(&engine->threads, free_thread);
    ss_map_fini(&engine->awaited, NULL);
    ss_map_fini(&engine->latest, NULL);
    ss_map_fini(&engine->graphs, free_known);
    ss_map_fini(&engine->workers, free_worker);
    ss_map_fini(&engine->attempts, NULL);
    ss_offers_fini(engine);
    ss_map_fini(&engine->vouched, ss_free);
    json_decref(engine->members);
    ss_engine_forget_commands(engine);
    SS_VEC_FINI(&engine->commands);
    SS_VEC_FINI(&engine->dirty);
    SS_VEC_FINI(&engine->turns);
    SS_VEC_FINI(&engine->ready);
    SS_VEC_FINI(&engine->lines);
    SS_VEC_FINI(&engine->scans);
    SS_VEC_FINI(&engine->ended);
    SS_VEC_FINI(&engine->gone);
    SS_VEC_FINI(&engine->backoff);
    SS_VEC_FINI(&engine->advance);
    SS_VEC_FINI(&engine->resting);
    SS_VEC_FINI(&engine->roots_ended);
    ss_free(it);
}

// ------------------------------------------------ one step

// A pause of ours must not expire everybody: when we come much later than we
// had asked for, leases on workers are extended by the delay. So that a pause is
// seen before it takes a lease, we ask often (ss_workers_expire).
static void pass_time(struct engine *engine, const struct ss_event *event)
{
    int64_t late = event->now_ms - engine->wake_at_ms;
    ss_check(event->now_ms >= engine->now_ms);
    if (engine->wake_at_ms > 0 && late > engine->options.lease_ms / 4)
        for (struct ss_map_entry *e = engine->workers.first; e; e = e->next)
            ((struct worker *)e->value)->seen_ms += late;
    engine->now_ms = event->now_ms;
    if (event->wall_us > engine->wall_us)
        engine->wall_us = event->wall_us;
}

static void on_rows(struct engine *engine, const struct ss_event *event)
{
    struct thread *thread = ss_thread_awaits(engine, event->rows.tag);
    if (thread && thread->state == THREAD_LOADING) {
        if (ss_thread_loaded(thread, event))
            ss_requests_resume(thread);
        return;
    }
    for (size_t i = 0; i < event->rows.rows_count; i++)
        ss_row_destroy(&event->rows.rows[i]);
}

static void on_stored(struct engine *engine, const struct ss_event *event)
{
    if (ss_trial_stored(engine, event) || ss_pause_stored(engine, event)
        || ss_claim_stored(engine, event))
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
        ss_adopt_begin(engine); // else workers are asked
    if (thread)
        ss_requests_resume(thread);
}

static void on_shards(struct engine *engine, const struct ss_event *event)
{
    const struct ss_shards *shards = event->shards.shards;
    if (event->type == SS_EVENT_SHARDS_GAINED) {
        ss_shards_gained(engine, event);
        ss_seek_gained(engine, shards, event->shards.epoch);
    } else if (event->type == SS_EVENT_SHARDS_READ) {
        ss_shards_read(engine, event);
        ss_requests_read(engine, shards);
    } else {
        ss_shards_lost(engine, event);
        ss_trials_let_go(engine);
    }
}

static void on_graph(struct engine *engine, const struct ss_event *event)
{
    struct ss_error error = {0};
    struct ss_graph *graph = NULL;
    ss_graph_learn(engine, event->graph.description, false, &graph, &error);
    if (error.status == SS_OK)
        return;
    const char *key = event->graph.key ? event->graph.key : "?";
    char *why = ss_format(
        "graph %s: its description cannot be read: %s", key, error.message);
    ss_engine_narrate(engine, "a stored graph is not read: %s", error.message);
    ss_engine_damaged(engine, "graph", key, why);
    ss_free(why);
}

static void on_request(struct engine *engine, const struct ss_event *event)
{
    engine->request_op = event->request.op;
    engine->request_by = event->request.by;
    ss_request(engine, event);
    engine->request_op = engine->request_by = NULL;
}

static void dispatch_event(
    struct engine *engine, const struct ss_event *event)
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
        on_request(engine, event);
        break;
    case SS_EVENT_CLIENT_GONE:
        ss_client_gone(engine, event->peer, event->request.id);
        break;
    case SS_EVENT_GRAPH_KNOWN:
        on_graph(engine, event);
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
        ss_shards_seen(engine, event);
        ss_workers_members(engine, event);
        break;
    case SS_EVENT_TICK:
        break;
    }
}

// A graph became known: runs found after a crash may have waited for it.
static void wake_waiting(struct engine *engine)
{
    if (!engine->graphs_moved)
        return;
    engine->graphs_moved = false;
    for (struct ss_map_entry *e = engine->threads.first; e; e = e->next) {
        struct thread *thread = e->value;
        if (thread->waiting.count > 0)
            ss_requests_resume(thread);
        ss_queue_later(thread);
    }
}

static void carry_on(struct engine *engine)
{
    ss_tasks_retry(engine);
    wake_waiting(engine);
    ss_loops_go_on(engine);
    do {
        ss_schedule_ready(engine);
        while (engine->advance.count > 0) {
            struct loop *loop = engine->advance.items[0];
            SS_VEC_REMOVE(&engine->advance, 0);
            ss_loop_advance(loop);
            ss_runs_end(engine);
            ss_schedule_ready(engine);
        }
    } while (ss_queue_turns(engine) || ss_schedule_updates_follow(engine));
    ss_loops_rest(engine);
    free_ended(engine);
    ss_dispatch(engine);
    for (size_t i = 0; i < engine->dirty.count; i++)
        engine->dirty.items[i]->dirty = false;
    for (size_t i = 0; i < engine->dirty.count; i++)
        ss_thread_flush(engine->dirty.items[i]);
    for (size_t i = 0; i < engine->dirty.count; i++)
        ss_thread_rest(engine->dirty.items[i]);
    engine->dirty.count = 0;
    free_gone(engine);
    if (ss_threads_evict(engine))
        ss_holdings_expire(engine);
    ss_trials_wake(engine);
}

void ss_engine_step(struct ss_engine *it, const struct ss_event *event,
    struct ss_commands *ret)
{
    struct engine *engine = &it->engine;
    ss_engine_forget_commands(engine);
    pass_time(engine, event);
    engine->wake_at_ms = INT64_MAX;
    ss_trials_next(engine);
    dispatch_event(engine, event);
    ss_schedule_ready(engine);
    ss_workers_expire(engine);
    ss_offers_expire(engine);
    ss_vouched_expire(engine);
    carry_on(engine);
    ret->items = engine->commands.items;
    ret->count = engine->commands.count;
    ret->wake_at_ms = engine->wake_at_ms;
}
