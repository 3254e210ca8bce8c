// run.c - a run's life: asked for, entered, ended; and found again after a crash.
//
//   request --> entry row --> loop ... --> end row --> reply
//                  |                          ^
//                  +-- crash, found, recover --+   (the same run goes on)
//
// The entry row says how the run was entered and what recovery could not see any
// more; the record in `runs` changes in the same units as those two rows.
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "coordinator/engine/internal.h"
#include "coordinator/engine/replay.h"

// ------------------------------------------------ making and freeing

static void free_names(struct ss_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        ss_free(names->items[i]);
    ss_free(names->items);
    memset(names, 0, sizeof(*names));
}

static void free_listener(struct listener *listener)
{
    ss_free(listener->peer);
}

void ss_run_free(struct run *run)
{
    ss_loop_destroy(&run->root);
    for (size_t i = 0; i < run->listeners.count; i++)
        free_listener(&run->listeners.items[i]);
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

// ------------------------------------------------ options

static int parse_names(const json_t *body, const char *key,
    struct ss_names *ret, struct ss_error *error)
{
    const json_t *names = json_object_get(body, key);
    size_t i;
    json_t *name;
    if (!names || json_is_null(names))
        return SS_OK;
    if (json_is_string(names) && strcmp(json_string_value(names), "*") == 0) {
        ret->all = true;
        return SS_OK;
    }
    if (!json_is_array(names))
        return ss_error_set(error, SS_EINVAL,
            "%s: give a list of nodes, or \"*\"", key);
    ret->items = ss_zalloc(json_array_size(names) + 1, sizeof(char *));
    json_array_foreach((json_t *)names, i, name) {
        if (!json_is_string(name))
            return ss_error_set(
                error, SS_EINVAL, "%s: item %zu is no name", key, i);
        ret->items[ret->count++] = ss_strdup(json_string_value(name));
    }
    return SS_OK;
}

static int parse_output_keys(
    struct run *run, const json_t *body, struct ss_error *error)
{
    const json_t *keys = json_object_get(body, "output_keys");
    if (!keys || json_is_null(keys))
        return SS_OK;
    run->has_output_keys = true;
    run->output_keys.scalar = json_is_string(keys);
    size_t count = json_is_string(keys) ? 1 : json_array_size(keys);
    run->output_keys.items = ss_zalloc(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const char *key = json_string_value(
            json_is_string(keys) ? keys : json_array_get(keys, i));
        if (!key || ss_graph_channel(run->graph, key) == SS_NONE)
            return ss_error_set(error, SS_EINVAL,
                "output_keys: graph %s has no key \"%s\"", run->graph->name,
                key ? key : "?");
        run->output_keys.items[run->output_keys.count++] = ss_strdup(key);
    }
    return SS_OK;
}

static int parse_durability(
    struct run *run, const json_t *body, struct ss_error *error)
{
    const char *name = ss_json_str(body, "durability", "sync");
    static const char *const all[] = {"sync", "async", "exit"};
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(name, all[i]) == 0) {
            run->durability = (enum durability)i;
            return SS_OK;
        }
    }
    return ss_error_set(error, SS_EINVAL,
        "durability \"%s\" is none: say sync, async or exit", name);
}

// R1.6: what the run's configuration adds to its checkpoints' metadata.
static json_t *make_meta(const json_t *config)
{
    static const char *const kept_out[] = {"thread_id", "checkpoint_id",
        "checkpoint_ns", "checkpoint_map", "langgraph_step",
        "langgraph_node", "langgraph_triggers", "langgraph_path",
        "langgraph_checkpoint_ns"};
    json_t *meta = json_object();
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(config, "metadata"), key, value)
        json_object_set(meta, key, value);
    json_object_foreach(json_object_get(config, "configurable"), key, value) {
        bool out = strncmp(key, "__", 2) == 0 || json_object_get(meta, key)
            || json_is_object(value) || json_is_array(value)
            || json_is_null(value);
        for (size_t i = 0; i < sizeof(kept_out) / sizeof(*kept_out); i++)
            out = out || strcmp(key, kept_out[i]) == 0;
        if (!out)
            json_object_set(meta, key, value);
    }
    json_object_del(meta, "source");
    json_object_del(meta, "step");
    return meta;
}

int ss_run_parse(struct run *run, json_t *body, struct ss_error *error)
{
    run->body = json_incref(body);
    run->input = json_object_get(body, "input");
    run->command = json_object_get(body, "command");
    if (json_is_null(run->command))
        run->command = NULL;
    run->config = json_incref(json_object_get(body, "config"));
    run->context = json_incref(json_object_get(body, "context"));
    run->meta = make_meta(run->config);
    run->strict_resume = ss_json_bool(body, "strict_resume", false);
    run->max_concurrency = ss_json_int(body, "max_concurrency", 0);
    run->priority = ss_json_int(body, "priority", 0);
    if (run->priority < -SS_PRIORITY_MAX || run->priority > SS_PRIORITY_MAX)
        return ss_error_set(error, SS_EINVAL,
            "priority: %" PRId64 " is not between %d and %d", run->priority,
            -SS_PRIORITY_MAX, SS_PRIORITY_MAX);
    run->recursion_limit = ss_json_int(
        body, "recursion_limit", SS_RECURSION_LIMIT_DEFAULT);
    if (run->recursion_limit > SS_RECURSION_LIMIT_MAX)
        run->recursion_limit = SS_RECURSION_LIMIT_MAX;
    if (run->recursion_limit < 1)
        return ss_error_set(error, SS_EINVAL,
            "recursion_limit: %" PRId64 " is less than 1",
            run->recursion_limit);
    if (run->command && !json_is_object(run->command))
        return ss_error_set(error, SS_EINVAL,
            "command: give an object of update, goto, resume");
    if (run->command && run->input && !json_is_null(run->input))
        return ss_error_set(
            error, SS_EINVAL, "give an input or a command, not both");
    int status = parse_durability(run, body, error);
    if (status == SS_OK)
        status = parse_names(body, "interrupt_before", &run->before, error);
    if (status == SS_OK)
        status = parse_names(body, "interrupt_after", &run->after, error);
    if (status == SS_OK)
        status = parse_output_keys(run, body, error);
    return status;
}

// ------------------------------------------------ listeners

static void sum_listeners(struct run *run)
{
    run->modes = 0;
    run->any_subgraphs = false;
    for (size_t i = 0; i < run->listeners.count; i++) {
        run->modes |= run->listeners.items[i].modes;
        run->any_subgraphs |= run->listeners.items[i].subgraphs;
    }
}

static int add_listener(struct run *run, const char *peer, uint64_t id,
    const json_t *body, struct ss_error *error)
{
    error->status = SS_OK;
    unsigned modes = ss_stream_modes(json_object_get(body, "stream"), error);
    if (error->status != SS_OK)
        return error->status;
    SS_VEC_PUSH(&run->listeners,
        (struct listener){.peer = ss_strdup(peer),
            .request = id,
            .modes = modes,
            .subgraphs = ss_json_bool(body, "subgraphs", false),
            .detached = ss_json_bool(body, "detach", false)});
    sum_listeners(run);
    return SS_OK;
}

// One that waits for its turn is acknowledged by its record, else by its entry.
static void accept_listener(struct run *run, struct listener *listener)
{
    struct thread *thread = run->thread;
    struct ss_command command = {.type = SS_COMMAND_EVENT,
        .peer = ss_strdup(listener->peer),
        .id = listener->request,
        .json = json_pack("{s:s, s:s, s:b}", "run", run->id, "thread",
            thread->id, "accepted", 1)};
    listener->told = true;
    if (listener->detached)
        command.type = SS_COMMAND_REPLY;
    if (listener->detached || run->queued)
        json_object_set_new(command.json, "status",
            json_string(run->queued ? "queued" : "running"));
    if (run->queued)
        ss_thread_hold_all(thread, GATE_ACCEPTED, command);
    else
        ss_thread_hold(thread,
            ss_thread_gate(thread, GATE_ACCEPTED, run->durability), command);
}

void ss_run_accept(struct run *run)
{
    for (size_t i = run->listeners.count; i-- > 0;) {
        struct listener *listener = &run->listeners.items[i];
        if (!listener->told)
            accept_listener(run, listener);
        if (listener->detached) {
            free_listener(listener);
            SS_VEC_REMOVE(&run->listeners, i);
        }
    }
    sum_listeners(run);
}

void ss_client_gone(struct engine *engine, const char *peer, uint64_t id)
{
    for (const struct ss_map_entry *e = engine->runs.first; e; e = e->next) {
        struct run *run = e->value;
        for (size_t i = run->listeners.count; i-- > 0;) {
            if (strcmp(run->listeners.items[i].peer, peer) != 0
                || (id != 0 && run->listeners.items[i].request != id))
                continue;
            free_listener(&run->listeners.items[i]);
            SS_VEC_REMOVE(&run->listeners, i);
        }
        sum_listeners(run);
    }
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
    ss_thread_put(thread, SS_RECORD_THREAD, thread->id, NULL,
        json_pack("{s:s, s:s, s:s, s:I}", "thread", thread->id, "graph",
            graph->name, "version", graph->version, "created_us",
            (json_int_t)thread->engine->wall_us),
        false);
}

void ss_run_begin_row(struct run *run)
{
    struct ss_row *row = ss_thread_row_for_entry(run->thread, run->id);
    row->entry = json_pack("{s:s, s:s, s:O, s:I}", "graph", run->graph->name,
        "version", run->graph->version, "request", run->body, "created_us",
        (json_int_t)run->created_us);
    run->entry = row->entry;
    run->entry_seq = row->seq;
    ss_thread_put(run->thread, SS_RECORD_RUN, run->id, run->thread->id,
        ss_run_record(run, "running"), false);
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
    ss_thread_put(thread, SS_RECORD_RUN, run->id, thread->id,
        ss_run_record(run, status), false);
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
    ss_map_remove(&run->engine->runs, run->id);
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

// What an ended run gave: folded from the journal, by its own options.
static json_t *ended_output(
    struct thread *thread, const struct ss_run_facts *facts)
{
    struct ss_journal *journal = thread->journal;
    struct known_graph *known = ss_known_graph(thread->engine,
        ss_json_str(facts->entry, "graph", ""),
        ss_json_str(facts->entry, "version", NULL));
    // one that asked again made no checkpoint: it stands where it began
    struct ss_mark *last = facts->last
        ? facts->last
        : ss_journal_find(journal, "", ss_json_str(facts->entry, "base", ""));
    if (!known || !last)
        return json_null();
    // a question shows what finished beside it; a failure does not (R5.33)
    bool asks = strcmp(ss_json_str(facts->end, "status", ""), "interrupted") == 0;
    bool live = asks && last == ss_journal_find(journal, "", NULL);
    struct run *run = ss_run_shadow(thread, facts);
    json_t *output = run ? ss_snapshot_output(thread, known->graph, last,
                               live,
                               run->has_output_keys ? &run->output_keys
                                                    : &known->graph->output)
                         : json_null();
    if (run)
        ss_run_free(run);
    return output;
}

// The result of a run that has ended, for one who asks again.
static void answer_ended(struct thread *thread, const char *peer,
    uint64_t id, const struct ss_run_facts *facts)
{
    json_t *result = json_copy(facts->end);
    if (!json_object_get(result, "output"))
        json_object_set_new(result, "output", ended_output(thread, facts));
    ss_reply_durable(thread, peer, id, result);
}

void ss_run_attach(struct engine *engine, struct run *run, const char *peer,
    uint64_t id, const json_t *body)
{
    struct ss_error error = {0};
    if (add_listener(run, peer, id, body, &error) != SS_OK) {
        ss_reply_error(engine, peer, id, error.status, "%s", error.message);
        return;
    }
    struct listener *listener =
        &run->listeners.items[run->listeners.count - 1];
    accept_listener(run, listener);
    if (listener->detached)
        ss_run_accept(run); // it was told, and does not wait
    else if (json_object_get(body, "after") && !run->queued)
        ss_replay(run->thread, run->id, run, listener, body);
}

// One who names what it saw is told the rest, of a run that has ended too.
static void tell_ended(struct thread *thread, const char *peer, uint64_t id,
    const struct ss_run_facts *facts, const json_t *body)
{
    struct ss_error error = {0};
    unsigned modes = ss_stream_modes(json_object_get(body, "stream"), &error);
    if (error.status != SS_OK) {
        ss_reply_error(
            thread->engine, peer, id, error.status, "%s", error.message);
        return;
    }
    struct listener listener = {.peer = (char *)peer,
        .request = id,
        .modes = modes,
        .subgraphs = ss_json_bool(body, "subgraphs", false)};
    if (json_object_get(body, "after"))
        ss_replay(thread, facts->id, NULL, &listener, body);
    answer_ended(thread, peer, id, facts);
}

// The run that has this id already: true if the request was served by it.
static bool serve_known(struct thread *thread, const char *peer, uint64_t id,
    const char *run_id, const json_t *body)
{
    if (!run_id)
        return false;
    if (thread->open && thread->open->end)
        ss_thread_seal(thread); // it has ended in this very step
    const struct ss_run_facts *facts =
        ss_journal_run(thread->journal, run_id);
    struct run *run = ss_map_get(&thread->engine->runs, run_id);
    if (run && run->thread == thread) {
        ss_run_attach(thread->engine, run, peer, id, body);
        return true;
    }
    if (run) {
        ss_reply_error(thread->engine, peer, id, SS_EEXISTS,
            "run %s is under way on thread %s: give this one another id",
            run_id, run->thread->id);
        return true;
    }
    if (facts && facts->end) {
        tell_ended(thread, peer, id, facts, body);
        return true;
    }
    return false;
}

// A run is asked for again by one who has heard nothing of it: it is told from
// its beginning.
static bool serve_repeated(struct thread *thread, const char *peer,
    uint64_t id, const char *run_id, const json_t *body)
{
    json_t *from_start = json_copy((json_t *)body);
    json_object_set_new(from_start, "after", json_string("0.0"));
    bool served = serve_known(thread, peer, id, run_id, from_start);
    json_decref(from_start);
    return served;
}

void ss_run_ask_again(struct thread *thread, const char *peer, uint64_t id,
    json_t *body)
{
    const char *run_id = ss_json_str(body, "run", NULL);
    if (!serve_known(thread, peer, id, run_id, body))
        ss_reply_error(thread->engine, peer, id, SS_ENOTFOUND,
            "thread %s has no run %s", thread->id, run_id ? run_id : "?");
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
    ss_map_put(&engine->runs, run->id, run);
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
    ss_map_remove(&engine->runs, run->id);
    ss_run_free(run);
    ss_reply_error(engine, peer, id, status, "%s", error.message);
}

void ss_run_request(struct thread *thread, const char *peer, uint64_t id,
    json_t *body)
{
    struct engine *engine = thread->engine;
    struct ss_error error = {0};
    const char *run_id = ss_json_str(body, "run", NULL);
    if (serve_repeated(thread, peer, id, run_id, body))
        return;
    if (run_id && (!run_id[0] || strlen(run_id) >= SS_UUID_SIZE)) {
        ss_reply_error(engine, peer, id, SS_EINVAL,
            "run: an id has 1 to %d characters", SS_UUID_SIZE - 1);
        return;
    }
    bool busy = ss_thread_busy(thread);
    enum if_busy if_busy = IF_BUSY_REJECT;
    int status = ss_queue_strategy(body, &if_busy, &error);
    if (status == SS_OK && busy && if_busy == IF_BUSY_REJECT) {
        char with[SS_BUSY_TEXT_SIZE];
        ss_thread_busy_with(thread, with);
        status = ss_error_set(&error, SS_EBUSY, "thread %s is busy with %s: "
            "wait for it, cancel it, or say what to do (if_busy)", thread->id,
            with);
    }
    if (status != SS_OK) {
        ss_reply_error(engine, peer, id, status, "%s", error.message);
        return;
    }
    struct ss_graph *graph = ss_request_graph(engine, thread, body, &error);
    if (!graph) {
        ss_reply_error(engine, peer, id, error.status, "%s", error.message);
        return;
    }
    struct run *run = ss_run_new(thread, graph);
    if (run_id)
        id_copy(run->id, run_id);
    else
        random_id(engine, run->id);
    status = ss_run_parse(run, body, &error);
    if (status == SS_OK)
        status = add_listener(run, peer, id, body, &error);
    if (status == SS_OK && busy)
        status = ss_queue_make_way(run, if_busy, &error);
    if (status != SS_OK) {
        ss_run_free(run);
        ss_reply_error(engine, peer, id, status, "%s", error.message);
    } else if (ss_thread_busy(thread)) {
        ss_queue_join(run);
    } else {
        enter(run, peer, id);
    }
}

// ------------------------------------------------ recovery

void ss_run_found(struct engine *engine, json_t *record_json, bool crashed)
{
    const char *id = ss_json_str(record_json, "run", NULL);
    const char *thread_id = ss_json_str(record_json, "thread", NULL);
    const char *status = ss_json_str(record_json, "status", "");
    if (!id || !thread_id || ss_map_get(&engine->runs, id)
        || ss_refer(engine, NULL, 0, thread_id))
        return;
    struct thread *thread = ss_thread_find(engine, thread_id);
    if (!engine->options.shared)
        ss_adopt_begin(engine); // else workers are asked
    bool runs = strcmp(status, "running") == 0;
    if (strcmp(status, "quarantined") == 0)
        ss_run_parked(thread, record_json);
    else if (strcmp(status, "queued") == 0)
        ss_queue_found(thread, record_json);
    else if (crashed)
        ss_trial_add(thread, record_json);
    else if (runs || strcmp(status, SS_RUN_TAKEN_BACK) == 0)
        ss_run_await(thread, id, runs ? "recover" : SS_RUN_TAKEN_BACK);
    ss_requests_resume(ss_thread_get(engine, thread_id));
}

// Before those who ask: they are to find it.
void ss_run_await(struct thread *thread, const char *id, const char *what)
{
    struct waiting found = {.op = ss_strdup(what),
        .body = json_pack("{s:s}", "run", id)};
    SS_VEC_PUSH(&thread->waiting, found);
    size_t at = thread->waiting.count - 1;
    for (; at > 0 && thread->waiting.items[at - 1].peer; at--)
        thread->waiting.items[at] = thread->waiting.items[at - 1];
    thread->waiting.items[at] = found;
}

// False: its graph is not known yet; wait for a worker that announces it.
bool ss_run_recover(struct thread *thread, const char *id)
{
    return ss_run_recover_as(thread, id, NULL);
}

static void take_over(struct run *run, struct run *before)
{
    memcpy(&run->listeners, &before->listeners, sizeof(run->listeners));
    memset(&before->listeners, 0, sizeof(before->listeners));
    sum_listeners(run);
    run->supersteps = before->supersteps;
    run->tasks_run = before->tasks_run;
}

bool ss_run_recover_as(
    struct thread *thread, const char *id, struct run *before)
{
    struct engine *engine = thread->engine;
    struct ss_error error = {0};
    const struct ss_run_facts *facts = ss_journal_run(thread->journal, id);
    if (!facts || facts->end || !facts->entry || thread->run)
        return true;
    struct known_graph *known = ss_known_graph(engine,
        ss_json_str(facts->entry, "graph", ""),
        ss_json_str(facts->entry, "version", NULL));
    if (!known)
        return false;
    struct run *run = ss_run_new(thread, known->graph);
    id_copy(run->id, id);
    run->entry = facts->entry;
    run->entry_seq = facts->first_seq;
    run->created_us = ss_json_int(facts->entry, "created_us", 0);
    run->recovering = true;
    run->recoveries = thread->recoveries;
    thread->recoveries = 0;
    if (before)
        take_over(run, before);
    int status = ss_run_parse(
        run, json_object_get(facts->entry, "request"), &error);
    run->root = ss_loop_new(thread, run, run->graph, "");
    thread->run = run;
    ss_map_put(&engine->runs, run->id, run);
    engine->counts.runs_started++;
    ss_engine_narrate(engine, "run of graph %s on thread %s is found "
        "unfinished and goes on", run->graph->name, thread->id);
    if (status == SS_OK)
        status = ss_loop_recover_root(run->root, &error);
    if (status != SS_OK) {
        run->root->status = LOOP_FAILED;
        run->root->error = error;
        ss_run_root_ended(run);
    }
    return true;
}
