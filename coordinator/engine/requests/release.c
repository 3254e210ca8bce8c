// release.c - what is asked of a thread whose run is quarantined
// (quarantine.c).
//
//   release   the run is on probation once more: it goes on
//   cancel    it is read after all, and ends before anything of it goes on
//   others    are told what to do about it
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/requests.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/runs/quarantine.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

static void cancel(
    struct thread *thread, const char *peer, uint64_t id, json_t *body)
{
    json_t *run = json_incref(json_object_get(thread->quarantined, "run"));
    json_t *request = json_copy(body);
    json_object_set(request, "run", run);
    ss_quarantined_cancel(thread);
    ss_request_later(thread, "cancel", peer, id, request);
    json_t *found = json_pack("{s:o}", "run", run);
    ss_waiting_add(thread, "recover", NULL, 0, found); // behind: taken by it
    json_decref(found);
    json_decref(request);
}

void ss_quarantined_request(struct thread *thread, const char *op,
    const char *peer, uint64_t id, json_t *body)
{
    const char *quarantined = ss_json_str(thread->quarantined, "run", "");
    bool is_it =
        strcmp(ss_json_str(body, "run", quarantined), quarantined) == 0;
    if (strcmp(op, "cancel") == 0 && is_it) {
        cancel(thread, peer, id, body);
    } else if (strcmp(op, "release") == 0 && is_it) {
        ss_quarantined_release(thread);
        ss_reply(
            thread->engine, peer, id, json_pack("{s:s}", "status", "running"));
    } else {
        ss_reply_error(thread->engine, peer, id, SS_EQUARANTINED,
            "run %s of thread %s has ended its coordinator %d times and is "
            "parked; `superstep release` lets it go on, `superstep cancel` "
            "ends it",
            quarantined, thread->id, SS_RECOVERIES_MAX + 1);
    }
}

// One of those who wait may let it go on: who comes behind waits for that. Runs
// that were found wait on.
void ss_quarantined_answer(struct thread *thread)
{
    if (!thread->quarantined)
        return;
    struct waiting_list all = thread->waiting;
    memset(&thread->waiting, 0, sizeof(thread->waiting));
    for (size_t i = 0; i < all.count; i++) {
        struct waiting *w = &all.items[i];
        if (!thread->quarantined || !w->peer) {
            SS_VEC_PUSH(&thread->waiting, *w);
            continue;
        }
        ss_quarantined_request(thread, w->op, w->peer, w->id, w->body);
        ss_waiting_fini(w);
    }
    SS_VEC_FINI(&all);
}

void ss_release_on_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body)
{
    (void)body;
    ss_reply_error(thread->engine, peer, id, SS_ESTATE,
        "thread %s has no quarantined run", thread->id);
}
