// delete.c - a thread goes, with all its rows and records.

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"

bool ss_thread_is_free(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    if (!ss_thread_busy(thread))
        return true;
    ss_reply_error(its->engine, request, SS_EBUSY,
        "thread %s is busy: wait for its run, or cancel it", its->id);
    return false;
}

int64_t ss_thread_used_us(const struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    for (uint64_t seq = ss_journal_head(its->journal); seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        if (row && row->kind != SS_ROW_VOID)
            return row->wall_us;
    }
    return 0;
}

bool ss_thread_spared(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const int64_t ms_max = INT64_MAX / 1000;
    int64_t idle_ms = ss_request_int(request->idle_ms, 0);
    const struct ss_run_rows *run = ss_journal_newest_run(its->journal);
    const char *why = NULL;
    if (idle_ms < 0 || idle_ms > ms_max) {
        ss_reply_error(its->engine, request, SS_EINVAL,
            "idle_ms: give milliseconds, from 0");
        return true;
    }
    if (idle_ms > 0 &&
        its->engine->wall_us - ss_thread_used_us(thread) < idle_ms * 1000)
        why = "used";
    else if (request->keep_waiting && run && run->end &&
             ss_run_status_of(run->end) == SS_RUN_INTERRUPTED)
        why = "waits";
    if (why)
        ss_reply_durable(
            thread, request, json_pack("{s:i, s:s}", "rows", 0, "spared", why));
    return why != NULL;
}

// The thread's rows and records go in one unit; then it is as if new. Whoever
// asks for it meanwhile waits: a row of its next life must not go with them.
void ss_delete_thread(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    if (!ss_thread_is_free(thread, request) ||
        ss_thread_spared(thread, request))
        return;
    uint64_t head = ss_journal_head(its->journal);
    for (uint64_t seq = 1; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        const struct ss_run_rows *facts =
            row ? ss_journal_run(its->journal, row->run) : NULL;
        // one that was cancelled before its turn has an end alone
        if (facts && (row->entry || (row->end && !facts->entry)))
            ss_record_drop(thread, row->run);
    }
    ss_thread_delete(thread);
    // held back until the unit is durable: answered behind everything
    ss_thread_release_at(thread, head + 1,
        (struct ss_command){.type = SS_COMMAND_REPLY,
            .peer = ss_strdup(request->peer),
            .id = request->id,
            .json = json_pack("{s:I}", "rows", (json_int_t)head)});
}
