// resume.c - requests that wait for their thread, and when they go on.
//
//   ss_request_later --> thread->waiting --read, stored, a graph known-->
//   served
//
// Who is served how is for those above to say: engine->requests->serve
// (request.c).

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/cluster.h"
#include "common/model/request.h"
#include "common/model/requests.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/runs/quarantine.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "coordinator/engine/threads/waiting.h"

// Each is looked at once: what cannot be served yet stays, in its order.
void ss_requests_resume(struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    ss_quarantined_answer(thread);
    if (!ss_is_read(its->engine, its->id))
        return;
    struct waiting waiting;
    for (size_t left = ss_waiting_count(thread);
         left > 0 && ss_thread_is_open(thread) &&
         ss_waiting_take_first(thread, &waiting);
         left--)
        if (its->engine->requests->serve(thread, &waiting))
            ss_waiting_fini(&waiting);
        else
            ss_waiting_put(thread, waiting);
    ss_quarantined_answer(thread); // its run may be in quarantine again
    ss_queue_later(thread);
}

void ss_requests_graphs_moved(struct engine *engine)
{
    if (!ss_graphs_moved(engine))
        return;
    for (struct ss_map_entry *e = ss_threads_all(engine)->first; e;
         e = e->next) {
        struct thread *thread = e->value;
        if (ss_waiting_count(thread) > 0)
            ss_requests_resume(thread);
        ss_queue_later(thread);
    }
}

// One who asked for a copy waits until all of the thread is durable.
static bool copy_may_go_on(const struct thread *thread)
{
    return ss_thread_facts(thread)->durable == ss_thread_head(thread) &&
           ss_waiting_asks(thread, SS_OP_COPY);
}

void ss_requests_stored(struct thread *thread, bool is_deleted)
{
    if (is_deleted || copy_may_go_on(thread))
        ss_requests_resume(thread);
    ss_thread_dirty(thread);
    ss_queue_later(thread);
}

void ss_requests_read(struct engine *engine, const struct ss_shards *shards)
{
    for (struct ss_map_entry *e = ss_threads_all(engine)->first; e;
         e = e->next) {
        struct thread *thread = e->value;
        if (ss_shards_have(shards, ss_shard_of(ss_thread_facts(thread)->id)) &&
            (ss_waiting_count(thread) > 0 || ss_queue_waits(thread)))
            ss_requests_resume(
                ss_thread_get(engine, ss_thread_facts(thread)->id));
    }
}

void ss_request_later(
    struct thread *thread, enum turn turn, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    if (ss_thread_quarantined(thread)) {
        ss_quarantined_request(thread, turn, request);
        return;
    }
    if (ss_waiting_count(thread) >= SS_REQUESTS_WAITING_MAX) {
        ss_reply_error(its->engine, request, SS_EBUSY,
            "thread %s: %d requests wait already", its->id,
            SS_REQUESTS_WAITING_MAX);
        return;
    }
    ss_waiting_add(thread, turn, request);
    ss_requests_resume(thread);
}
