// run.c - a run's life: asked for, entered, ended; recover.c finds it again after
// a crash.
//
//   request --> entry row --> loop ... --> end row --> reply
//                  |                          ^
//                  +-- crash, found, recover --+   (the same run goes on)
//
// The entry row says how the run was entered and what recovery could not see any
// more; the record in `runs` changes in the same units as those two rows.
#include <string.h>

#include "common/model/run_key.h"
#include "coordinator/engine/internal.h"

// ------------------------------------------------ making and freeing

static void free_names(struct ss_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        ss_free(names->items[i]);
    ss_free(names->items);
    memset(names, 0, sizeof(*names));
}

void ss_run_free(struct run *run)
{
    ss_loop_destroy(&run->root);
    for (size_t i = 0; i < run->listeners.count; i++)
        ss_listener_fini(&run->listeners.items[i]);
    SS_VEC_FINI(&run->listeners);
    free_names(&run->before);
    free_names(&run->after);
    for (size_t i = 0; i < run->output_keys.count; i++)
        ss_free(run->output_keys.items[i]);
    ss_free(run->output_keys.items);
    ss_map_fini(&run->message_ids, NULL);
    ss_map_fini(&run->replay_visited, NULL);
    json_decref(run->record);
    json_decref(run->body);
    json_decref(run->config);
    json_decref(run->context);
    json_decref(run->meta);
    json_decref(run->resume_map);
    json_decref(run->questions);
    json_decref(run->warnings);
    ss_value_unref(run->plain);
    ss_free(run->drain);
    ss_graph_unref(run->graph);
    ss_free(run);
}

static void random_id(struct engine *engine, char ret_id[SS_UUID_SIZE])
{
    uint64_t high = ss_prng_next(&engine->prng);
    ss_uuid4(high, ss_prng_next(&engine->prng), ret_id);
}

struct run *ss_run_new(struct thread *thread, struct ss_graph *graph)
{
    struct run *run = ss_zalloc(1, sizeof(*run));
    run->engine = thread->engine;
    run->thread = thread;
    run->graph = graph ? ss_graph_ref(graph) : NULL;
    run->warnings = json_array();
    run->questions = json_array();
    run->created_us = thread->engine->wall_us;
    return run;
}

// ------------------------------------------------ records

json_t *ss_run_record(const struct run *run, const char *status)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "run", run->id,
        "thread", run->thread->id, "graph", run->graph->name, "version",
        run->graph->version, "status", status, "created_us",
        (json_int_t)run->created_us, "changed_us",
        (json_int_t)run->engine->wall_us);
}

void ss_thread_remember(struct thread *thread, const struct ss_graph *graph)
{
    if (thread->known && thread->graph
        && strcmp(thread->graph, graph->name) == 0)
        return;
    thread->known = true;
    ss_free(thread->graph);
    thread->graph = ss_strdup(graph->name);
    ss_thread_put_record(thread,
        json_pack("{s:s, s:s}", "graph", graph->name, "version",
            graph->version));
}

void ss_run_begin_row(struct run *run)
{
    struct ss_row *row = ss_thread_row_for_entry(run->thread, run->id);
    row->entry = json_pack("{s:s, s:s, s:O, s:I}", "graph", run->graph->name,
        "version", run->graph->version, "request", run->body, "created_us",
        (json_int_t)run->created_us);
    run->entry = row->entry;
    run->entry_seq = row->seq;
    ss_record_put(run->thread, run->id, ss_run_record(run, "running"));
    ss_thread_remember(run->thread, run->graph);
    run->engine->counts.runs_started++;
    ss_engine_narrate(run->engine, "run of graph %s begins on thread %s",
        run->graph->name, run->thread->id);
    ss_run_accept(run);
}

// ------------------------------------------------ the end

json_t *ss_run_result(const struct run *run, const char *status)
{
    const struct loop *root = run->root;
    json_t *result = json_pack(
        "{s:s, s:s, s:s, s:o, s:o, s:{s:I, s:I, s:I}}", "run", run->id,
        "thread", run->thread->id, "status", status, "output",
        root->output ? json_incref(ss_value_json(root->output)) : json_null(),
        "interrupts",
        root->interrupts ? json_incref(root->interrupts) : json_array(),
        "stats", "supersteps", (json_int_t)run->supersteps, "tasks",
        (json_int_t)run->tasks_run, "restored",
        (json_int_t)run->tasks_restored);
    if (root->status == LOOP_FAILED) {
        json_t *error =
            ss_error_json(root->error.status, root->error.message);
        if (root->error_node)
            json_object_set_new(error, "node", json_string(root->error_node));
        json_object_set_new(result, "error", error);
    } else if (root->status == LOOP_DRAINED) {
        json_object_set_new(
            result, "error", ss_error_json(SS_EDRAINED, root->drain));
    }
    if (json_array_size(run->warnings) > 0)
        json_object_set(result, "warnings", run->warnings);
    return result;
}

void ss_run_finish(struct run *run, const char *status, json_t *result)
{
    struct thread *thread = run->thread;
    struct engine *engine = run->engine;
    run->ended = true;
    struct ss_row *row = ss_thread_row_for_end(thread, run->id);
    row->end = json_copy(result);
    if (!json_is_null(json_object_get(row->end, "output"))
        && !run->keeps_output)
        json_object_del(row->end, "output"); // the journal has it already
    ss_record_put(thread, run->id, ss_run_record(run, status));
    if (strcmp(status, "failed") == 0)
        engine->counts.runs_failed++;
    else
        engine->counts.runs_done++;
    ss_engine_narrate(engine, "the run ends: %s", status);
    for (size_t i = 0; i < run->listeners.count; i++)
        ss_reply_durable(thread, run->listeners.items[i].peer,
            run->listeners.items[i].request, json_incref(result));
    json_decref(result);
    thread->run = NULL;
    ss_run_forget(run);
}

// The thread is free for the next one.
void ss_run_forget(struct run *run)
{
    ss_run_unlist(run);
    SS_VEC_PUSH(&run->engine->ended, run);
    ss_queue_later(run->thread);
}

void ss_run_root_ended(struct run *run)
{
    const char *status = "done";
    if (run->root->status == LOOP_INTERRUPTED)
        status = "interrupted";
    else if (run->root->status == LOOP_FAILED)
        status = "failed";
    else if (run->root->status == LOOP_DRAINED)
        status = "drained";
    ss_run_finish(run, status, ss_run_result(run, status));
}

void ss_run_abandon(struct run *run, int status, const char *message)
{
    for (size_t i = 0; i < run->listeners.count; i++)
        ss_reply_dropped(run->thread, run->listeners.items[i].peer,
            run->listeners.items[i].request, status, message);
    run->ended = true;
    if (run->thread->run == run)
        run->thread->run = NULL;
    if (run->root) {
        ss_loop_drop_tasks(run->root);
        ss_loop_drop_folds(run->root);
        run->root->status = LOOP_FAILED;
    }
    ss_run_forget(run);
}

// ------------------------------------------------ beginning

struct run *ss_run_shadow(
    struct thread *thread, const struct ss_run_facts *facts)
{
    struct ss_error error = {0};
    struct known_graph *known = ss_known_graph(thread->engine,
        ss_json_str(facts->entry, "graph", ""),
        ss_json_str(facts->entry, "version", NULL));
    if (!known)
        return NULL;
    struct run *run = ss_run_new(thread, known->graph);
    id_copy(run->id, facts->id);
    if (ss_run_parse(run, json_object_get(facts->entry, "request"), &error)
        == SS_OK)
        return run;
    ss_run_free(run);
    return NULL;
}

void ss_run_enter_queued(struct run *run)
{
    struct ss_error error = {0};
    int status = run->body ? SS_OK
                           : ss_run_parse(run,
                                 json_object_get(run->record, "request"), &error);
    run->thread->run = run;
    run->root = ss_loop_new(run->thread, run, run->graph, "");
    if (status == SS_OK)
        status = ss_loop_enter_root(run->root, false, &error);
    if (status == SS_OK)
        return;
    run->root->status = LOOP_FAILED;
    run->root->error = error;
    ss_run_root_ended(run);
}

static void enter(struct run *run, const char *peer, uint64_t id)
{
    struct engine *engine = run->engine;
    struct thread *thread = run->thread;
    struct ss_error error = {0};
    run->root = ss_loop_new(thread, run, run->graph, "");
    thread->run = run;
    ss_run_enlist(run);
    int status = ss_loop_enter_root(run->root, false, &error);
    if (status == SS_OK)
        return;
    if (run->entry) { // it has begun: it fails in the journal too
        run->root->status = LOOP_FAILED;
        run->root->error = error;
        ss_run_root_ended(run);
        return;
    }
    thread->run = NULL;
    ss_run_unlist(run);
    ss_run_free(run);
    ss_reply_error(engine, peer, id, status, "%s", error.message);
}

// What can be said before a run is made of the request: SS_OK, and what is to be
// done about a thread that is busy, and the graph (borrowed).
static int look_at(struct thread *thread, const json_t *body,
    enum if_busy *ret_if_busy, struct ss_graph **ret_graph,
    struct ss_error *error)
{
    const char *name = ss_json_str(body, "run", NULL);
    char with[SS_BUSY_TEXT_SIZE];
    if (name && !ss_run_name_fits(name))
        return ss_error_set(error, SS_EINVAL,
            "run: an id has 1 to %d characters", SS_UUID_SIZE - 1);
    int status = ss_queue_strategy(body, ret_if_busy, error);
    if (status != SS_OK)
        return status;
    if (*ret_if_busy == IF_BUSY_REJECT && ss_thread_busy(thread)) {
        ss_thread_busy_with(thread, with);
        return ss_error_set(error, SS_EBUSY, "thread %s is busy with %s: "
            "wait for it, cancel it, or say what to do (if_busy)", thread->id,
            with);
    }
    *ret_graph = ss_request_graph(thread->engine, thread, body, error);
    return *ret_graph ? SS_OK : error->status;
}

// It has its name, and begins or joins the queue.
static int begin(struct run *run, const char *peer, uint64_t id,
    enum if_busy if_busy, struct ss_error *error)
{
    struct thread *thread = run->thread;
    int status = ss_run_listen(run, peer, id, run->body, error);
    if (status == SS_OK && ss_thread_busy(thread))
        status = ss_queue_make_way(run, if_busy, error);
    if (status != SS_OK)
        ss_run_free(run);
    else if (ss_thread_busy(thread))
        ss_queue_join(run);
    else
        enter(run, peer, id);
    return status;
}

static int make(struct thread *thread, struct ss_graph *graph, json_t *body,
    struct run **ret_run, struct ss_error *error)
{
    const char *name = ss_json_str(body, "run", NULL);
    struct run *run = ss_run_new(thread, graph);
    if (name)
        id_copy(run->id, name);
    else
        random_id(thread->engine, run->id);
    int status = ss_run_parse(run, body, error);
    if (status == SS_OK)
        *ret_run = run;
    else
        ss_run_free(run);
    return status;
}

static void ask(struct thread *thread, const char *peer, uint64_t id,
    json_t *body, enum name_state state)
{
    struct engine *engine = thread->engine;
    struct ss_error error = {0};
    enum if_busy if_busy = IF_BUSY_REJECT;
    struct ss_graph *graph = NULL;
    struct run *run = NULL;
    const char *name = ss_json_str(body, "run", NULL);
    bool is_ours = state == NAME_KNOWN || state == NAME_CLAIMED;
    if (ss_run_serve_repeated(thread, peer, id, name, body))
        return;
    if (state == NAME_FREE && ss_outlived_look(thread, "run", peer, id, body))
        return;
    int status = look_at(thread, body, &if_busy, &graph, &error);
    if (status == SS_OK)
        status = make(thread, graph, body, &run, &error);
    if (status == SS_OK && name && !is_ours
        && !ss_records_are_keyed(engine)) {
        ss_run_free(run);
        ss_claim(thread, peer, id, body);
        return;
    }
    if (status == SS_OK) {
        if (is_ours || !ss_records_are_keyed(engine))
            ss_record_is_old(thread, run->id);
        status = begin(run, peer, id, if_busy, &error);
    }
    if (status != SS_OK) {
        if (state == NAME_CLAIMED)
            ss_record_drop(thread, name);
        ss_reply_error(engine, peer, id, status, "%s", error.message);
    }
}

void ss_run_request(struct thread *thread, const char *peer, uint64_t id,
    json_t *body)
{
    ask(thread, peer, id, body, NAME_FREE);
}

void ss_run_named(struct thread *thread, const char *peer, uint64_t id,
    json_t *body, enum name_state state)
{
    ask(thread, peer, id, body, state);
}
