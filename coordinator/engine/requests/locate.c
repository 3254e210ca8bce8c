// locate.c - which run a request means: `attach`, `cancel`, `explain`,
// `migrate`, `release`.
//
// A run is named by its thread and its own name. Who names the run alone is
// served where one thread has a run of that name; where several have, the
// threads are named, and the request is to say which. What is known of them is
// the records, and the runs that are under way here: the records of those may
// be on their way still.
#include <string.h>

#include "common/base/buf.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/request.h"
#include "common/model/run_key.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

static void serve(
    struct engine *engine, const char *thread, const struct ss_request *request)
{
    if (!ss_redirect(engine, request, thread))
        ss_request_later(ss_thread_get(engine, thread), TURN_OP, request);
}

// ------------------------------------------------ looks

static void look(struct engine *engine, struct scan_reply wait, char *key)
{
    char prefix[SS_RUN_PREFIX_SIZE];
    struct ss_command command = {.tag = ss_engine_tag(engine),
        .type = key ? SS_COMMAND_GET : SS_COMMAND_SCAN,
        .table = SS_RECORD_RUN};
    if (key) {
        command.key = key;
    } else {
        ss_run_prefix(wait.request->run, prefix);
        command.after = ss_strdup(prefix);
        command.limit = SS_NAMESAKES_MAX + 1;
    }
    wait.tag = command.tag;
    ss_engine_command(engine, command);
    SS_VEC_PUSH(&engine->requests->scans, wait);
}

void ss_locate(struct engine *engine, const struct ss_request *request)
{
    const char *run = request->run;
    const char *thread = request->thread;
    if (thread && (!thread[0] || strlen(thread) > SS_THREAD_SIZE_MAX)) {
        ss_reply_error(engine, request, SS_EINVAL,
            "thread: an id has 1 to %d bytes", SS_THREAD_SIZE_MAX);
    } else if (thread) {
        serve(engine, thread, request);
    } else if (!run) {
        ss_reply_error(engine, request, SS_EINVAL, "%s: say which run",
            ss_request_name(request));
    } else if (!ss_run_name_fits(run)) {
        ss_reply_error(
            engine, request, SS_ENOTFOUND, "there is no run %s", run);
    } else {
        look(engine,
            (struct scan_reply){
                .request = ss_request_ref(request), .found = json_object()},
            NULL);
    }
}

// ------------------------------------------------ what was found

// What lies under a name alone may be of a run that is called so, or not: such
// a key may be all that another name begins with.
static void note_records(
    const struct scan_reply *wait, const struct ss_event *event)
{
    const char *run = wait->request->run;
    for (size_t i = 0; i < event->records.records_count; i++) {
        const json_t *record = event->records.records[i].value;
        if (strcmp(ss_json_str(record, "run", ""), run) == 0)
            json_object_set_new(
                wait->found, ss_json_str(record, "thread", ""), json_true());
    }
}

static void note_live(
    const struct engine *engine, const struct scan_reply *wait)
{
    const char *name = wait->request->run;
    for (const struct ss_map_entry *e = ss_runs_all(engine)->first; e;
         e = e->next) {
        const struct run *run = e->value;
        if (strcmp(ss_run_facts(run)->id, name) == 0)
            json_object_set_new(wait->found,
                ss_thread_facts(ss_run_facts(run)->thread)->id, json_true());
    }
}

static void ambiguous(struct engine *engine, const struct scan_reply *wait)
{
    struct ss_buf names;
    size_t count = 0;
    const char *thread;
    json_t *found;
    ss_buf_init(&names, SS_NAMESAKES_MAX * (SS_THREAD_SIZE_MAX + 2));
    json_object_foreach (wait->found, thread, found)
        if (count++ < SS_NAMESAKES_MAX)
            ss_buf_addf(&names, "%s%s", count > 1 ? ", " : "", thread);
    ss_reply_error(engine, wait->request, SS_ENAMESAKES,
        "%s: %s threads have a run %s: say which thread (%s%s)",
        ss_request_name(wait->request),
        count > SS_NAMESAKES_MAX ? "many" : "several", wait->request->run,
        ss_buf_str(&names), count > SS_NAMESAKES_MAX ? ", and more" : "");
    ss_buf_fini(&names);
}

static void decide(struct engine *engine, const struct scan_reply *wait)
{
    note_live(engine, wait);
    size_t count = json_object_size(wait->found);
    if (count > 1)
        ambiguous(engine, wait);
    else if (count == 1)
        serve(engine, json_object_iter_key(json_object_iter(wait->found)),
            wait->request);
    else
        ss_reply_error(engine, wait->request, SS_ENOTFOUND,
            "there is no run %s", wait->request->run);
}

void ss_locate_answer(struct engine *engine, struct scan_reply *wait,
    const struct ss_event *event)
{
    int status = event->records.status;
    const char *run = wait->request->run;
    if (status != SS_OK && status != SS_ENOTFOUND) {
        if (status != SS_EFENCED) // it ends: its successor is asked
            ss_reply_error(engine, wait->request, status, "%s: %s",
                ss_request_name(wait->request),
                event->records.message ? event->records.message : "");
    } else {
        note_records(wait, event);
        if (!wait->has_looked) {
            wait->has_looked = true;
            look(engine, *wait, ss_strdup(run));
            *wait = (struct scan_reply){0};
            return;
        }
        decide(engine, wait);
    }
}
