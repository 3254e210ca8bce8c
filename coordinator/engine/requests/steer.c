// steer.c - requests that tell a run where to go: `cancel` and `migrate`. What
// they do to it is in cancel.c and migrate.c.
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/facts.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

// ------------------------------------------------ cancel

// What `cancel` does with the rows of the run.
enum steer_action { STEER_INTERRUPT, STEER_ROLLBACK, STEER_ACTIONS };

// STEER_ACTIONS: it is none.
static enum steer_action action_of(const struct ss_request *request)
{
    static const char *const names[] = {"interrupt", "rollback"};
    enum steer_action action = STEER_INTERRUPT;
    while (request->action && action < STEER_ACTIONS &&
           strcmp(request->action, names[action]) != 0)
        action++;
    return action;
}

static void answer(
    struct thread *thread, const struct ss_request *request, const char *status)
{
    ss_reply_durable(thread, request, json_pack("{s:s}", "status", status));
}

void ss_cancel_on_thread(
    struct thread *thread, const struct ss_request *request)
{
    const char *name = request->run ? request->run : "";
    struct run *run = ss_run_live(thread, name);
    bool back = action_of(request) == STEER_ROLLBACK;
    const struct ss_run_rows *facts =
        ss_journal_run(ss_thread_facts(thread)->journal, name);
    char *why = request->reason
                    ? ss_format(SS_CANCELLED ": %s", request->reason)
                    : ss_strdup(SS_CANCELLED);
    if (run) {
        ss_run_cancel(run, why, back);
        answer(thread, request, ss_run_status_name(SS_RUN_CANCELLED));
    } else if (facts && facts->end) {
        answer(thread, request, ss_json_str(facts->end, "status", "done"));
    } else if (ss_run_cancel_awaited(thread, name, why, back)) {
        answer(thread, request, ss_run_status_name(SS_RUN_CANCELLED));
    } else if (!ss_outlived_look(thread, request)) {
        ss_reply_no_run(thread, request, name);
    }
    ss_free(why);
}

void ss_cancel_request(struct engine *engine, const struct ss_request *request)
{
    if (action_of(request) == STEER_ACTIONS)
        ss_reply_error(engine, request, SS_EINVAL,
            "action: say interrupt or rollback, not \"%s\"", request->action);
    else if (request->has.reason &&
             (!request->reason ||
                 strlen(request->reason) > SS_PAUSE_REASON_MAX))
        ss_reply_error(engine, request, SS_EINVAL,
            "reason: text of at most %d bytes", SS_PAUSE_REASON_MAX);
    else
        ss_locate(engine, request);
}

// ------------------------------------------------ migrate

void ss_migrate_on_thread(
    struct thread *thread, const struct ss_request *request)
{
    struct ss_error error = {0};
    const char *run = request->run ? request->run : "";
    json_t *moved = ss_run_migrate(thread, run, request->to, &error);
    if (!moved) {
        ss_reply_error(ss_thread_facts(thread)->engine, request, error.status,
            "%s", error.message);
        return;
    }
    if (ss_waiting_has_run(thread, run)) // now it may be recovered
        ss_requests_resume(thread);
    ss_reply_durable(thread, request, moved);
}
