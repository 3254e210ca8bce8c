// outlived.c - a run whose rows a prune took: what its record still says of it.
//
//   named on a thread that lacks its first row, and no row tells of it
//        |
//        +-- look at its record --it has ended--> answered from the record
//                   |
//                   +--none--> `run` begins it, for others there is no such run
//
// A name is a run's for as long as its record is kept, and a prune keeps it. On
// a thread that has all its rows nobody looks, so that a new name costs
// nothing.
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/run_key.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/requests/emit.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ looks

// It was pruned: what stays is told again, by the first rows that are there.
// Where its first run was taken back another row is the first.
static bool lacks_rows(const struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const struct ss_row *first = ss_journal_row(its->journal, 1);
    uint64_t head = ss_journal_head(its->journal);
    if (first)
        return false;
    for (uint64_t seq = 2; seq <= head && !first; seq++)
        first = ss_journal_row(its->journal, seq);
    return first &&
           (first->kind == SS_ROW_SNAPSHOT || (first->entry && first->end));
}

// Takes `wait` and `key`.
static void look(struct engine *engine, struct scan_reply wait, char *key)
{
    wait.tag = ss_engine_tag(engine);
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_GET,
                                  .tag = wait.tag,
                                  .table = SS_RECORD_RUN,
                                  .key = key});
    SS_VEC_PUSH(&engine->requests->scans, wait);
}

bool ss_outlived_look(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const char *run = request->run;
    if (!run || !ss_run_name_fits(run) || !lacks_rows(thread))
        return false;
    look(its->engine,
        (struct scan_reply){.request = ss_request_ref(request),
            .thread = ss_strdup(its->id),
            .born_us = its->born_us,
            .is_early = ss_thread_has_past(thread)},
        ss_run_key(run, its->id));
    return true;
}

// ------------------------------------------------ what the record says

// Under a name alone stands one run of all that are called so; and what was
// stored before the thread was made is of one that was deleted.
static const json_t *record_of(
    const struct scan_reply *wait, const struct ss_event *event)
{
    const json_t *record = event->records.records_count > 0
                               ? event->records.records[0].value
                               : NULL;
    bool is_it =
        strcmp(ss_json_str(record, "thread", ""), wait->thread) == 0 &&
        strcmp(ss_json_str(record, "run", ""), wait->request->run) == 0 &&
        ss_json_int(record, "changed_us", INT64_MAX) >= wait->born_us;
    // a claim names no graph: that run has never begun
    return is_it && json_object_get(record, "graph") ? record : NULL;
}

// ------------------------------------------------ answers

// Why a run failed stood in its rows.
static json_t *error_of(enum ss_run_status status, const char *said)
{
    if (status == SS_RUN_FAILED)
        return ss_error_json(SS_ENOTFOUND, said);
    if (status == SS_RUN_DRAINED)
        return ss_error_json(SS_EDRAINED, said);
    if (status == SS_RUN_CANCELLED)
        return ss_error_json(SS_ECANCELLED, said);
    return NULL;
}

// As a run gives it at its end, but for what went with its rows. Gives.
static json_t *result_of(const json_t *record)
{
    enum ss_run_status status = ss_run_status_of(record);
    const char *name = ss_run_status_name(status);
    char *said = ss_format("the run is %s; the rest went when its thread was "
                           "pruned: its output, its questions, its error",
        name);
    json_t *result = json_pack("{s:O, s:O, s:s, s:n, s:[], s:b, s:[s]}", "run",
        json_object_get(record, "run"), "thread",
        json_object_get(record, "thread"), "status", name, "output",
        "interrupts", "pruned", 1, "warnings", said);
    json_t *error = error_of(status, said);
    if (error)
        json_object_set_new(result, "error", error);
    ss_free(said);
    return result;
}

static void answer(
    struct engine *engine, const struct scan_reply *wait, const json_t *record)
{
    struct ss_error error = {0};
    json_t *body = NULL;
    if (wait->request->op == SS_OP_EXPLAIN)
        body =
            json_pack("{s:o}", "explain", ss_explain_outlived(engine, record));
    else if (wait->request->op == SS_OP_CANCEL)
        body = json_pack("{s:O}", "status", json_object_get(record, "status"));
    else
        ss_stream_modes(wait->request->stream, &error);
    if (error.status != SS_OK)
        ss_reply_error(
            engine, wait->request, error.status, "%s", error.message);
    else // what it says of the prune is true when that is durable
        ss_reply_durable(ss_thread_find(engine, wait->thread), wait->request,
            body ? body : result_of(record));
}

static void go_on(struct engine *engine, const struct scan_reply *wait)
{
    bool begins = wait->request->op == SS_OP_RUN;
    ss_request_later(ss_thread_get(engine, wait->thread),
        begins ? TURN_NAME_UNUSED : TURN_RUN_UNKNOWN, wait->request);
}

// The prune may have been refused meanwhile: then the rows say all.
static void answer_or_look_again(
    struct engine *engine, const struct scan_reply *wait, const json_t *record)
{
    struct thread *thread = ss_thread_get(engine, wait->thread);
    if (ss_thread_facts(thread)->state == THREAD_HOT && lacks_rows(thread))
        answer(engine, wait, record);
    else
        ss_request_later(thread, TURN_OP, wait->request);
}

void ss_outlived_answer(struct engine *engine, struct scan_reply *wait,
    const struct ss_event *event)
{
    int status = event->records.status;
    const char *run = wait->request->run;
    if (status == SS_EFENCED)
        return; // it ends: its successor is asked
    if (status != SS_OK && status != SS_ENOTFOUND) {
        ss_reply_error(engine, wait->request, status, "%s: %s",
            ss_request_name(wait->request),
            event->records.message ? event->records.message : "");
        return;
    }
    const json_t *record = record_of(wait, event);
    if (!record && !wait->has_looked) { // a record of before: its name alone
        wait->has_looked = true;
        look(engine, *wait, ss_strdup(run));
        *wait = (struct scan_reply){0};
    } else if (ss_redirect(engine, wait->request, wait->thread)) {
        return; // and was told where the thread is now
    } else if (record && ss_run_status_has_ended(ss_run_status_of(record))) {
        answer_or_look_again(engine, wait, record);
    } else if (record && wait->is_early) {
        ss_reply_error(engine, wait->request, SS_EAGAIN,
            "run %s of thread %s is about to end: ask again", run,
            wait->thread);
    } else {
        go_on(engine, wait);
    }
}
