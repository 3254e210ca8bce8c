// steer.c - requests that tell a run where to go: `cancel` and `migrate`. What
// they do to it is in cancel.c and migrate.c.
#include <string.h>

#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

// ------------------------------------------------ cancel

static const char cancelled_text[] = "the run was cancelled";

static bool wants_back(const json_t *body)
{
    return strcmp(ss_json_str(body, "action", ""), "rollback") == 0;
}

static void answer(
    struct thread *thread, const char *peer, uint64_t id, const char *status)
{
    ss_reply_durable(thread, peer, id, json_pack("{s:s}", "status", status));
}

void ss_cancel_on_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body)
{
    const char *name = ss_json_str(body, "run", "");
    struct run *run = ss_run_live(thread, name);
    bool back = wants_back(body);
    const struct ss_run_facts *facts = ss_journal_run(thread->journal, name);
    if (run) {
        ss_run_cancel(run, cancelled_text, back);
        answer(thread, peer, id, "cancelled");
    } else if (facts && facts->end) {
        answer(thread, peer, id, ss_json_str(facts->end, "status", "done"));
    } else if (ss_run_cancel_awaited(thread, name, cancelled_text, back)) {
        answer(thread, peer, id, "cancelled");
    } else if (!ss_outlived_look(thread, "cancel", peer, id, body)) {
        ss_reply_no_run(thread, peer, id, name);
    }
}

void ss_cancel_request(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    const char *action = ss_json_str(body, "action", "interrupt");
    if (strcmp(action, "interrupt") != 0 && strcmp(action, "rollback") != 0)
        ss_reply_error(engine, peer, id, SS_EINVAL,
            "action: say interrupt or rollback, not \"%s\"", action);
    else
        ss_locate(engine, peer, id, body);
}

// ------------------------------------------------ migrate

void ss_migrate_on_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body)
{
    struct ss_error error = {0};
    const char *run = ss_json_str(body, "run", "");
    json_t *moved =
        ss_run_migrate(thread, run, ss_json_str(body, "to", NULL), &error);
    if (!moved) {
        ss_reply_error(
            thread->engine, peer, id, error.status, "%s", error.message);
        return;
    }
    if (ss_waiting_has_run(thread, run)) // now it may be recovered
        ss_requests_resume(thread);
    ss_reply_durable(thread, peer, id, moved);
}
