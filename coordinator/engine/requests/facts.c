// facts.c - what people say of a thread itself, before it has a run and beside
// its runs: the requests `thread_put` and `thread`.
#include <string.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/facts.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ saying them

// What `if_exists` says is done where there is such a thread.
enum if_exists { PUT_OVER, KEEP, REFUSE, IF_EXISTS_COUNT };

static int read_if_exists(const struct ss_request *request, enum if_exists *ret,
    struct ss_error *error)
{
    static const char *const names[] = {"put", "keep", "refuse"};
    *ret = PUT_OVER;
    if (!request->has.if_exists)
        return SS_OK;
    while (
        *ret < IF_EXISTS_COUNT &&
        (!request->if_exists || strcmp(request->if_exists, names[*ret]) != 0))
        ++*ret;
    return *ret < IF_EXISTS_COUNT ? SS_OK
                                  : ss_error_set(error, SS_EINVAL,
                                        "if_exists: say put, keep or refuse");
}

static int check_put(struct thread *thread, const struct ss_request *request,
    enum if_exists *ret_if_exists, struct ss_error *error)
{
    int status = ss_key_check(request, error);
    if (status == SS_OK)
        status = read_if_exists(request, ret_if_exists, error);
    if (status == SS_OK && *ret_if_exists == REFUSE &&
        ss_thread_is_there(thread))
        status = ss_error_set(error, SS_EEXISTS, "there is a thread %s already",
            ss_thread_facts(thread)->id);
    return status;
}

void ss_facts_request(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct ss_error error = {0};
    enum if_exists if_exists = PUT_OVER;
    if (ss_answered_before(thread, request))
        return;
    json_t *facts = NULL;
    int status = check_put(thread, request, &if_exists, &error);
    bool is_new = !ss_thread_is_there(thread);
    if (status == SS_OK)
        status = ss_facts_lay(thread, request->facts, &facts, &error);
    if (status != SS_OK) {
        ss_reply_error(its->engine, request, status, "%s", error.message);
    } else {
        json_t *answer = json_pack("{s:b}", "made", is_new);
        if (is_new || if_exists == PUT_OVER) {
            ss_facts_put(thread, facts);
            ss_engine_narrate(
                its->engine, "facts of thread %s are put", its->id);
        }
        ss_answer_keep(thread, request, answer);
        ss_thread_seal(thread);
        ss_check(!its->open && ss_thread_is_there(thread));
        ss_reply_durable(thread, request, answer);
    }
    json_decref(facts);
}

// ------------------------------------------------ telling of the thread

void ss_facts_thread(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    json_t *record = ss_thread_record(thread);
    if (!record) {
        ss_reply_error(its->engine, request, SS_ENOTFOUND,
            "there is no thread %s", its->id);
        return;
    }
    json_t *shown = ss_thread_shown(
        record, ss_thread_busy(thread) ? SS_THREAD_RUNNING
                                       : ss_json_str(record, "status", NULL));
    const json_t *facts = ss_facts(thread);
    if (json_object_size(facts) > 0)
        json_object_set(shown, "facts", (json_t *)facts);
    ss_reply_durable(thread, request, json_pack("{s:o}", "thread", shown));
    json_decref(record);
}
