// release.c - what is asked of a thread whose run is quarantined
// (quarantine.c).
//
//   release   the run is on probation once more: it goes on
//   cancel    it is read after all, and ends before anything of it goes on
//   others    are told what to do about it
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/runs/quarantine.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

static void cancel(struct thread *thread, const struct ss_request *request)
{
    json_t *run =
        json_incref(json_object_get(ss_thread_quarantined(thread), "run"));
    json_t *body = json_copy(request->body);
    json_object_set(body, "run", run);
    struct ss_request *of_it = ss_request_new(
        SS_OP_CANCEL, request->peer, request->id, request->signed_by, body);
    ss_quarantined_cancel(thread);
    ss_request_later(thread, TURN_OP, of_it);
    // behind: taken by it
    ss_waiting_add_run_last(thread, json_string_value(run), TURN_RECOVER);
    ss_request_unref(of_it);
    json_decref(body);
    json_decref(run);
}

void ss_quarantined_request(
    struct thread *thread, enum turn turn, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const char *quarantined =
        ss_json_str(ss_thread_quarantined(thread), "run", "");
    bool is_it = turn == TURN_OP &&
                 (!request->run || strcmp(request->run, quarantined) == 0);
    if (is_it && request->op == SS_OP_CANCEL) {
        cancel(thread, request);
    } else if (is_it && request->op == SS_OP_RELEASE) {
        ss_quarantined_release(thread);
        ss_reply(its->engine, request,
            json_pack("{s:s}", "status", ss_run_status_name(SS_RUN_RUNNING)));
    } else {
        ss_reply_error(its->engine, request, SS_EQUARANTINED,
            "run %s of thread %s has ended its coordinator %d times and is "
            "parked; `superstep release` lets it go on, `superstep cancel` "
            "ends it",
            quarantined, its->id, SS_RECOVERIES_MAX + 1);
    }
}

// One of those who wait may let it go on: who comes behind waits for that. Runs
// that were found wait on.
void ss_quarantined_answer(struct thread *thread)
{
    if (!ss_thread_quarantined(thread))
        return;
    struct waiting_list all = ss_waiting_take_all(thread);
    for (size_t i = 0; i < all.count; i++) {
        struct waiting *w = &all.items[i];
        if (!ss_thread_quarantined(thread) || w->run) {
            ss_waiting_put(thread, *w);
            continue;
        }
        ss_quarantined_request(thread, w->turn, w->request);
        ss_waiting_fini(w);
    }
    SS_VEC_FINI(&all);
}

void ss_release_on_thread(
    struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    ss_reply_error(its->engine, request, SS_ESTATE,
        "thread %s has no quarantined run", its->id);
}
