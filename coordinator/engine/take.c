// take.c - an event to the room that it is for.
#include "coordinator/engine/engine.h"
#include "coordinator/engine/inside.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/quarantine.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/threads.h"

static void on_rows(struct engine *engine, const struct ss_event *event)
{
    struct thread *thread = ss_thread_rows(engine, event);
    if (thread)
        ss_requests_resume(thread);
}

static void on_unit_stored(
    struct thread *thread, int status, const char *message)
{
    enum unit_end end = ss_thread_stored(thread, status, message);
    if (end != UNIT_REFUSED)
        ss_requests_stored(thread, end == UNIT_DELETED);
}

static void on_stored(struct engine *engine, const struct ss_event *event)
{
    if (ss_limit_records(engine, event) || ss_suspect_stored(engine, event) ||
        ss_pause_stored(engine, event) || ss_claim_stored(engine, event))
        return;
    struct thread *thread = ss_thread_awaits(engine, event->stored.tag);
    if (!thread || !ss_thread_awaits_unit(thread, event->stored.tag))
        return;
    on_unit_stored(thread, event->stored.status, event->stored.message);
}

bool ss_event_take_stored(struct engine *engine)
{
    bool any = engine->stored.count > 0;
    for (size_t i = 0; i < engine->stored.count; i++) { // more may come
        struct unit_answer it = engine->stored.items[i];
        struct ss_event event = {.type = SS_EVENT_STORED};
        event.stored.tag = it.tag;
        event.stored.status = it.status;
        event.stored.message = it.message;
        if (!it.thread)
            on_stored(engine, &event);
        else if (ss_thread_awaits_unit(it.thread, it.tag))
            on_unit_stored(it.thread, it.status, it.message);
        ss_free(it.message);
    }
    ss_engine_forget_stored(engine);
    return any;
}

static void on_run_found(struct engine *engine, const struct ss_event *event)
{
    struct thread *thread =
        ss_run_found(engine, event->run.record, event->run.crashed);
    ss_takeover_found(engine, thread != NULL);
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
        ss_limits_let_go(engine, event->shards.shards);
        ss_shards_lost(engine, event);
        ss_suspects_let_go(engine);
    }
    ss_limits_shards(engine, event);
}

void ss_event_take(struct engine *engine, const struct ss_event *event)
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
    case SS_EVENT_LIMITS:
    case SS_EVENT_STORED:
        on_stored(engine, event);
        break;
    case SS_EVENT_SHARDS_GAINED:
    case SS_EVENT_SHARDS_READ:
    case SS_EVENT_SHARDS_LOST:
        on_shards(engine, event);
        break;
    case SS_EVENT_DRAIN:
        ss_engine_drain(engine);
        break;
    case SS_EVENT_MEMBERS:
        if (ss_shards_seen(engine, event))
            ss_workers_members(engine);
        break;
    case SS_EVENT_TICK:
        ss_threads_pack(engine);
        break;
    }
}
