// import.c - the request `import`: a thread that was made elsewhere, as saved
// checkpoints in the order of their ids (what `checkpoints` gives).
//
// All is checked before the first row is made, and all rows are one unit. What
// the thread has already is passed over, so that a long thread may come in
// pieces (all but the last say `more`) and an import that was cut off may be
// done again; where the thread has gone on by itself, nothing is imported.
#include <string.h>

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/pending.h"
#include "common/model/request.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/import.h"
#include "coordinator/engine/requests/saved.h"
#include "coordinator/engine/requests/snapshot.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/stands.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"

static const char *id_of(const json_t *saved)
{
    return ss_json_str(saved, "id", "");
}

static const char *ns_of(const json_t *saved)
{
    return ss_json_str(saved, "ns", "");
}

static bool is_there(const struct thread *thread, const json_t *saved)
{
    return ss_journal_find(ss_thread_facts(thread)->journal, ns_of(saved),
               id_of(saved)) != NULL;
}

// Each by itself; then each after those before it, and what is new after what
// its namespace has.
static int check_each(
    const struct thread *thread, const json_t *list, struct ss_error *error)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const char *last = "";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *saved = json_array_get(list, i);
        int status = ss_saved_check(saved, error);
        if (status != SS_OK) {
            ss_error_wrap(error, "import: checkpoint %zu", i);
            return status;
        }
        if (strcmp(id_of(saved), last) <= 0)
            return ss_error_set(error, SS_EINVAL,
                "import: checkpoint %zu: %s "
                "does not come after %s",
                i, id_of(saved), last);
        last = id_of(saved);
        const struct ss_checkpoint_entry *newest =
            ss_journal_find(its->journal, ns_of(saved), NULL);
        if (newest && strcmp(newest->row->checkpoint_id, last) >= 0 &&
            !is_there(thread, saved))
            return ss_error_set(error, SS_EEXISTS,
                "import: thread %s has a "
                "checkpoint %s already, and not %s before it",
                its->id, newest->row->checkpoint_id, last);
    }
    return SS_OK;
}

static bool lists(const json_t *list, const char *id)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(id_of(json_array_get(list, i)), id) == 0)
            return true;
    return false;
}

static const char *newest_of(const struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const char *newest = "";
    size_t spaces = 0;
    const char *const *names = ss_journal_namespaces(its->journal, &spaces);
    for (size_t i = 0; i < spaces; i++) {
        const char *id =
            ss_journal_find(its->journal, names[i], NULL)->row->checkpoint_id;
        if (strcmp(id, newest) > 0)
            newest = id;
    }
    return newest;
}

// Of a piece that others follow: all of it came before, and so did more.
static bool is_past(
    const struct thread *thread, const struct ss_request *request)
{
    const json_t *list = request->checkpoints;
    bool past = request->more;
    for (size_t i = 0; past && i < json_array_size(list); i++)
        past = is_there(thread, json_array_get(list, i));
    return past && !lists(list, newest_of(thread));
}

// The thread is new, or has nothing newer than what was imported before.
static int check_thread(const struct thread *thread,
    const struct ss_request *request, struct ss_error *error)
{
    const json_t *list = request->checkpoints;
    const char *after = request->after ? request->after : "";
    const char *newest = newest_of(thread);
    if (!newest[0] && !after[0])
        return SS_OK;
    if (newest[0] && (strcmp(after, newest) == 0 || lists(list, newest)))
        return SS_OK;
    return ss_error_set(error, SS_EEXISTS,
        newest[0] ? "import: thread %s has gone on by itself (checkpoint %s): "
                    "import into another one, or delete it first"
                  : "import: thread %s does not have what this is to follow%s",
        ss_thread_facts(thread)->id, newest);
}

static int check(const struct thread *thread, const struct ss_request *request,
    struct ss_error *error)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const json_t *list = request->checkpoints;
    if (ss_thread_busy(thread))
        return ss_error_set(error, SS_EBUSY,
            "thread %s is busy: wait for its run, or cancel it", its->id);
    if (!json_is_array(list) || json_array_size(list) == 0)
        return ss_error_set(
            error, SS_EINVAL, "import: give a list of checkpoints");
    if (json_array_size(list) > SS_IMPORT_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "import: %zu checkpoints at "
            "once; %d are the most",
            json_array_size(list), SS_IMPORT_MAX);
    if (request->has.graph && !(request->graph && request->graph[0]))
        return ss_error_set(error, SS_EINVAL, "import: graph is a name");
    int status = request->has.facts
                     ? ss_facts_check(its->engine, request->facts, error)
                     : SS_OK;
    if (status == SS_OK && !is_past(thread, request))
        status = check_thread(thread, request, error);
    return status == SS_OK ? check_each(thread, list, error) : status;
}

// It stands as its newest checkpoint does, so what it asks is in the inbox.
static void tell_stands(struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct ss_error error = {0};
    struct ss_pendings pending = {0};
    struct ss_checkpoint_entry *mark = ss_journal_find(its->journal, "", NULL);
    struct ss_graph *graph =
        ss_request_graph(its->engine, thread, NULL, &error);
    ss_check(!its->open && !ss_thread_run(thread));
    if (!mark)
        return;
    struct loop *view =
        graph ? ss_snapshot_view(thread, graph, "", mark, &error) : NULL;
    ss_journal_pending(mark, NULL, &pending);
    ss_thread_was_made(thread, view, &pending, mark->row->wall_us);
    ss_pendings_fini(&pending);
    ss_loop_destroy(&view);
}

// The checkpoints with values that may be added to. Gives.
static json_t *own_list(const json_t *list)
{
    json_t *own = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *saved = json_copy(json_array_get(list, i));
        json_object_set_new(saved, "channel_values",
            json_copy(json_object_get(saved, "channel_values")));
        json_array_append_new(own, saved);
    }
    return own;
}

static void append_all(struct thread *thread, const json_t *list,
    const char *graph, const struct ss_request *request)
{
    uint64_t head = ss_thread_head(thread);
    json_int_t made = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *saved = json_array_get(list, i);
        if (!is_there(thread, saved)) {
            ss_saved_append(thread, saved, graph);
            made++;
        }
        ss_saved_append_writes(thread, saved);
    }
    ss_thread_was_of(thread, graph);
    if (!request->more && ss_thread_head(thread) > head) {
        ss_thread_seal(thread);
        tell_stands(thread);
    }
    if (request->facts && !json_equal(request->facts, ss_facts(thread)))
        ss_facts_put(thread, request->facts);
    ss_reply_durable(thread, request,
        json_pack("{s:I, s:I}", "rows",
            (json_int_t)(ss_thread_head(thread) - head), "checkpoints", made));
}

void ss_import_thread(struct thread *thread, const struct ss_request *request)
{
    struct ss_error error = {0};
    const char *graph = request->graph;
    json_t *list = NULL;
    int status = check(thread, request, &error);
    if (status == SS_OK && is_past(thread, request)) {
        ss_reply_durable(thread, request,
            json_pack("{s:i, s:i}", "rows", 0, "checkpoints", 0));
        return;
    }
    if (status == SS_OK) {
        list = own_list(request->checkpoints);
        status = ss_saved_complete(thread, list, graph, &error);
    }
    if (status == SS_OK)
        append_all(thread, list, graph, request);
    else
        ss_reply_error(ss_thread_facts(thread)->engine, request, status, "%s",
            error.message);
    json_decref(list);
}
