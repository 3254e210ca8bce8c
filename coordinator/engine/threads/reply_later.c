// reply_later.c - answers that are given when what they tell is durable, and
// what is answered of rows that contradict each other.
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/thread_impl.h"

void ss_reply_durable(
    struct thread *thread, const struct ss_request *request, json_t *body)
{
    ss_check(body);
    ss_thread_release_all_at(thread, GATE_REPLY,
        (struct ss_command){.type = SS_COMMAND_REPLY,
            .peer = ss_strdup(request->peer),
            .id = request->id,
            .json = body});
}

void ss_reply_no_run(
    struct thread *thread, const struct ss_request *request, const char *run)
{
    struct ss_error error;
    ss_error_set(
        &error, SS_ENOTFOUND, "thread %s has no run %s", thread->facts.id, run);
    ss_reply_durable(thread, request,
        json_pack(
            "{s:o}", "error", ss_error_json(error.status, error.message)));
}

void ss_reply_torn(struct thread *thread, const struct ss_request *request,
    const struct ss_checkpoint_entry *mark)
{
    struct ss_error error;
    ss_thread_torn(thread, mark, &error);
    ss_engine_narrate(thread->facts.engine, "%s", error.message);
    ss_reply_error(
        thread->facts.engine, request, error.status, "%s", error.message);
}
