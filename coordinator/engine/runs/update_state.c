// update_state.c - update_state: writes on behalf of nodes
// (spec/engine.md 9.3).
//
// A change is a list of supersteps, each a list of updates; each superstep
// makes one checkpoint. An update runs the writers of a node on the values
// given, as if the node had returned them: here, or on a worker where routers
// decide. If the last worker of its version goes, it is planned anew with one
// that is served.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/reserved.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/update_loop.h"
#include "coordinator/engine/levels/view.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/stands.h"
#include "coordinator/engine/runs/update_state.h"
#include "coordinator/engine/runs/update_state_impl.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

struct change {
    struct thread *thread;
    struct ss_request *request;
    json_t *supersteps; // its own: what a copy brings along stands there, too
    struct ss_graph *root;
    struct ss_graph *graph;
    char *ns;
    char *left; // the version that it began with and had to leave; or NULL
    size_t superstep;
    uint32_t losses; // of the superstep's workers, on versions that it left
    char base[SS_UUID_SIZE]; // checkpoint that the superstep starts from; ""
    bool fresh;
    bool superseded; // named by its id, and the thread has moved on
    struct loop *loop;
    bool null_done; // the null writes are applied
    bool is_due;    // the next superstep begins (run_on)
    SS_VEC(struct task *) tasks;
    struct ss_arena memory; // of their paths
    json_t *warnings;       // texts for who asked; NULL: none
};

static void warn(void *ctx, const char *text)
{
    struct change *change = ctx;
    size_t i;
    json_t *told;
    json_array_foreach (change->warnings, i, told)
        if (strcmp(json_string_value(told), text) == 0)
            return;
    if (!change->warnings)
        change->warnings = json_array();
    if (i < SS_WARNINGS_MAX)
        json_array_append_new(change->warnings, json_string(text));
}

const struct ss_graph *ss_update_state_graph(const struct change *change)
{
    return change->root;
}

static void drop_superstep(struct change *change)
{
    for (size_t i = 0; i < change->tasks.count; i++)
        ss_task_destroy(&change->tasks.items[i]);
    change->tasks.count = 0;
    ss_arena_reset(&change->memory);
    ss_loop_destroy(&change->loop);
}

void ss_update_state_free(struct change *change)
{
    drop_superstep(change);
    SS_VEC_FINI(&change->tasks);
    ss_arena_fini(&change->memory);
    if (ss_seat(change->thread)->change == change)
        ss_seat(change->thread)->change = NULL;
    ss_queue_later(change->thread);
    ss_graph_unref(change->root);
    ss_graph_unref(change->graph);
    json_decref(change->supersteps);
    json_decref(change->warnings);
    ss_request_unref(change->request);
    ss_free(change->ns);
    ss_free(change->left);
    ss_free(change);
}

void ss_update_state_abandon(
    struct change *change, int status, const char *message)
{
    ss_reply_dropped(change->thread, change->request->peer, change->request->id,
        status, message);
    ss_update_state_free(change);
}

static void refuse(struct change *change, const struct ss_error *error)
{
    char *text =
        change->left
            ? ss_format(
                  "%s (graph %s: nobody serves version %s any more, with "
                  "which the update began; it was planned anew with version "
                  "%s: "
                  "ask for what that knows, or start a worker that serves %s)",
                  error->message, change->root->name, change->left,
                  change->root->version, change->left)
            : ss_strdup(error->message);
    ss_update_state_abandon(change, error->status, text);
    ss_free(text);
}

// ------------------------------------------------ one superstep

static json_t *updates_of(const struct change *change)
{
    return json_array_get(change->supersteps, change->superstep);
}

static int load(struct change *change, struct ss_error *error)
{
    struct thread *thread = change->thread;
    const struct thread_facts *its = ss_thread_facts(thread);
    ss_thread_seal(thread);
    struct ss_checkpoint_entry *mark = NULL;
    if (change->superstep == 0) {
        const char *id = change->request->checkpoint_id;
        mark = ss_journal_find(its->journal, change->ns, id);
        change->superseded =
            id && mark &&
            mark != ss_journal_find(its->journal, change->ns, NULL);
    } else {
        mark = ss_journal_find(its->journal, change->ns, change->base);
        change->superseded = false;
    }
    change->fresh = mark == NULL;
    change->loop =
        ss_update_loop_new(thread, change->graph, change->ns, change);
    return ss_update_loop_load(change->loop, mark, error);
}

static void folded(struct loop *loop);

static void fold_failed(
    struct loop *loop, size_t channel, const struct ss_error *error)
{
    (void)channel;
    ss_update_state_abandon(
        ss_loop_facts(loop)->change, error->status, error->message);
}

static const struct fold_then change_folds = {
    .folded = folded, .failed = fold_failed};

// R9.14b, not copied: what waits on the base is not forgotten.
// SS_EAGAIN: a worker folds first, then folded() comes here again.
static int apply(struct loop *loop, const struct ss_update_task *tasks,
    size_t count, struct ss_error *error)
{
    size_t channel = SS_NONE;
    if (ss_loop_fold(loop, tasks, count, &change_folds)) {
        ss_loop_folds_lost(loop, ss_loop_facts(loop)->change->losses);
        return SS_EAGAIN;
    }
    int status = ss_loop_apply(loop, tasks, count, &channel, error);
    ss_loop_drop_folds(loop);
    return status;
}

static int apply_null(struct loop *loop, struct ss_error *error)
{
    struct ss_writes writes = {0};
    ss_pendings_null_writes(ss_loop_pending(loop), &writes);
    struct ss_update_task input = ss_loop_input(loop, &writes);
    int status = writes.count ? apply(loop, &input, 1, error) : SS_OK;
    ss_writes_fini(&writes);
    return status;
}

// The superstep's checkpoint is made; the next one is due, or the answer.
static void save(struct change *change, enum ss_source source)
{
    struct loop *loop = change->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    struct thread *thread = change->thread;
    bool is_root = level->ns[0] == '\0', has_next = false;
    ss_update_loop_save(loop, source);
    ss_id_copy(change->base, level->checkpoint.id);
    json_t *config = ss_config_json(
        thread, level->ns, level->checkpoint.id, level->checkpoint_map);
    if (is_root &&
        change->superstep + 1 == json_array_size(change->supersteps)) {
        ss_loop_plan(loop, false);
        has_next = level->tasks.count > 0;
    }
    drop_superstep(change);
    change->superstep++;
    change->losses = 0;
    if (updates_of(change)) {
        json_decref(config);
        ss_answer_keep_part(
            thread, change->request, change->superstep, change->base);
        change->is_due = true;
        return;
    }
    ss_thread_remember(thread, change->root);
    if (is_root)
        ss_thread_was_changed(thread, has_next);
    json_t *answer = json_pack(
        "{s:o, s:O*}", "config", config, "warnings", change->warnings);
    ss_answer_keep(thread, change->request, answer);
    ss_reply_durable(thread, change->request, answer);
    ss_update_state_free(change);
}

static void settle(struct change *change, int status, enum ss_source source,
    const struct ss_error *error)
{
    if (status == SS_OK)
        save(change, source);
    else if (status != SS_EAGAIN)
        refuse(change, error);
}

// R9.16: nothing next; what finished tasks wrote is kept.
static void clear(struct change *change)
{
    struct loop *loop = change->loop;
    struct ss_error error = {0};
    ss_loop_plan(loop, false);
    struct ss_update_task *list =
        ss_zalloc(ss_loop_facts(loop)->tasks.count + 1, sizeof(*list));
    size_t count = ss_loop_finished(loop, true, list);
    int status = count ? apply(loop, list, count, &error) : SS_OK;
    ss_free(list);
    settle(change, status, SS_SOURCE_UPDATE, &error);
}

// Pending writes of the base under `task_id`, unless it must stay as it was.
static void store_on_base(struct change *change, const char *task_id,
    const char *path, const struct ss_writes *writes)
{
    if (!change->fresh && !change->superseded)
        ss_loop_put_writes(change->loop, task_id, path, writes, NULL);
}

// R9.17.
static void as_input(struct change *change, const json_t *update)
{
    struct loop *loop = change->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    struct ss_error error = {0};
    struct ss_error text;
    struct ss_writes writes = {0};
    size_t unknown = 0;
    char id[SS_UUID_SIZE];
    json_t *values = json_object_get(update, "values");
    int status =
        values && !json_is_null(values)
            ? ss_writers_input(level->graph, values, &writes, &unknown, &error)
            : SS_OK;
    if (unknown > 0) {
        ss_error_set(&text, SS_OK,
            "%zu of the values are not channels of graph %s and were ignored",
            unknown, level->graph->name);
        warn(change, text.message);
    }
    if (status == SS_OK && writes.count == 0)
        status = ss_error_set(&error, SS_EUPDATE,
            "update as %s: the values are not an input of graph %s",
            SS_NAME_INPUT, level->graph->name);
    if (status == SS_OK) {
        struct ss_update_task input = ss_loop_input(loop, &writes);
        status = apply(loop, &input, 1, &error);
    }
    if (status == SS_OK) {
        ss_uuid5(level->checkpoint.id, SS_NAME_INPUT, id);
        store_on_base(change, id, "", &writes);
        if (change->fresh)
            ss_update_loop_is_input(loop);
    }
    ss_writes_fini(&writes);
    settle(change, status, SS_SOURCE_INPUT, &error);
}

// R9.18: the same state, beside its original.
static bool as_copy(struct change *change, struct ss_error *error)
{
    struct loop *loop = change->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    if (change->fresh) {
        ss_error_set(error, SS_EUPDATE,
            "update as %s: there is no checkpoint to copy", SS_NAME_COPY);
        return false;
    }
    struct ss_checkpoint_entry *mark =
        ss_journal_find(ss_thread_facts(change->thread)->journal, level->ns,
            level->checkpoint.id);
    ss_update_loop_copies(loop, mark);
    return true;
}

// ------------------------------------------------ ordinary updates

// What the updates write stands beside their base when they are applied, not
// before: whoever waits for a fold may be gone by then, and half an update
// stay.
static void apply_updates(struct change *change)
{
    struct loop *loop = change->loop;
    struct ss_error error = {0};
    size_t count = change->tasks.count;
    struct ss_update_task *list = ss_zalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++)
        list[i] =
            ss_update_task(&ss_task_facts(change->tasks.items[i])->planned,
                &ss_task_facts(change->tasks.items[i])->writes);
    int status = apply(loop, list, count, &error);
    ss_free(list);
    for (size_t i = 0; status == SS_OK && i < count; i++) {
        struct task *task = change->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        if (facts->writes.count > 0)
            store_on_base(
                change, facts->planned.id, facts->planned.path, &facts->writes);
    }
    settle(change, status, SS_SOURCE_UPDATE, &error);
}

static bool all_written(const struct change *change)
{
    for (size_t i = 0; i < change->tasks.count; i++)
        if (ss_task_facts(change->tasks.items[i])->state != TASK_DONE)
            return false;
    return true;
}

static int write_here(struct task *task, struct ss_error *error)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    json_t *parent = NULL;
    struct ss_fresh fresh = {0};
    struct ss_writes writes = {0};
    const struct ss_writer_hooks hooks = {.warn = warn, .ctx = level->change};
    int status = ss_writers_run(level->graph, facts->planned.node,
        ss_value_json(facts->returned), &fresh, &hooks, facts->planned.id,
        &writes, &parent, error);
    json_decref(parent);
    ss_update_loop_wrote(task, &writes);
    return status;
}

static bool prepare(
    struct change *change, const json_t *updates, struct ss_error *error)
{
    struct loop *loop = change->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    ss_loop_plan(loop, false);
    bool *used = ss_zalloc(level->tasks.count + 1, sizeof(*used));
    bool single = json_array_size(updates) == 1;
    for (size_t i = 0; i < json_array_size(updates); i++) {
        const json_t *update = json_array_get(updates, i);
        const struct ss_node *node =
            ss_as_node_find(loop, update, single, error);
        if (!node) {
            ss_free(used);
            return false;
        }
        json_t *values = json_object_get(update, "values");
        values = values ? json_incref(values) : json_null();
        if (!node->has_body) // what a graph is started with is data
            values = json_pack("{s:o}", "$quote", values);
        struct ss_planned_task planned = {.kind = SS_TASK_UPDATE,
            .node = node,
            .index = i,
            .path = ss_path_update(&change->memory, i),
            .ns = level->ns};
        ss_as_node_name(loop, update, used, &planned);
        SS_VEC_PUSH(&change->tasks, ss_update_loop_task(loop, &planned,
                                        ss_value_new(values), change->losses));
    }
    ss_free(used);
    return true;
}

static void ordinary(struct change *change, const json_t *updates)
{
    struct ss_error error = {0};
    if (!prepare(change, updates, &error)) {
        refuse(change, &error);
        return;
    }
    for (size_t i = 0; i < change->tasks.count; i++) {
        struct task *task = change->tasks.items[i];
        if (ss_writers_need_worker(ss_task_facts(task)->planned.node)) {
            ss_task_ready(task);
        } else if (write_here(task, &error) != SS_OK) {
            refuse(change, &error);
            return;
        }
    }
    if (all_written(change))
        apply_updates(change);
}

static void run_on(struct thread *thread);

void ss_update_state_outcome(struct task *task, struct ss_outcome *outcome)
{
    struct change *change = ss_task_level(task)->change;
    struct thread *thread = change->thread;
    size_t i;
    json_t *text;
    json_array_foreach (outcome->warnings, i, text)
        if (json_is_string(text))
            warn(change, json_string_value(text));
    if (outcome->kind != SS_OUTCOME_DONE) {
        struct ss_error error;
        ss_error_set(&error, outcome->code ? outcome->code : SS_ENODE,
            "update as \"%s\": %s", ss_task_facts(task)->planned.node->name,
            outcome->message ? outcome->message : "it gave no writes");
        refuse(change, &error);
        return;
    }
    ss_update_loop_wrote(task, &outcome->writes);
    if (all_written(change))
        apply_updates(change);
    run_on(thread);
}

// ------------------------------------------------ the request

// The updates that a copy brings along follow on it, as a superstep.
static void unfold_copy(struct change *change)
{
    json_t *updates = updates_of(change);
    json_t *more = json_object_get(json_array_get(updates, 0), "values");
    if (ss_update_is_as(json_array_get(updates, 0), SS_NAME_COPY) &&
        json_is_array(more) && json_array_size(more) > 0)
        json_array_insert(change->supersteps, change->superstep + 1, more);
}

// Its client asks again after a crash: what is in the rows is not done again.
static void go_on(struct change *change)
{
    size_t done = ss_answer_part(change->thread, change->request, change->base);
    for (; change->superstep < done && updates_of(change); change->superstep++)
        unfold_copy(change);
}

// Values that are no list of updates say nothing here.
static void copy(struct change *change, const json_t *update)
{
    struct ss_error error = {0};
    json_t *more = json_object_get(update, "values"), *item;
    size_t i;
    json_array_foreach (more, i, item) {
        if (!json_is_object(item))
            ss_error_set(&error, SS_EUPDATE,
                "update as %s: item %zu of "
                "its values is not an update",
                SS_NAME_COPY, i);
    }
    if (error.status != SS_OK || !as_copy(change, &error)) {
        refuse(change, &error);
        return;
    }
    unfold_copy(change);
    save(change, SS_SOURCE_FORK);
}

// One superstep, from the null writes on; also after a fold.
static void carry_on(struct change *change)
{
    struct ss_error error = {0};
    json_t *updates = updates_of(change);
    json_t *first = json_array_get(updates, 0);
    if (!change->null_done) {
        int status = apply_null(change->loop, &error);
        if (status != SS_OK) {
            settle(change, status, SS_SOURCE_UPDATE, &error);
            return;
        }
        change->null_done = true;
    }
    if (change->tasks.count > 0) {
        apply_updates(change);
    } else if (ss_update_is_clear(first)) {
        clear(change);
    } else if (ss_update_is_as(first, SS_NAME_INPUT)) {
        as_input(change, first);
    } else if (ss_update_is_as(first, SS_NAME_COPY)) {
        copy(change, first);
    } else {
        ordinary(change, updates);
    }
}

static void begin_superstep(struct change *change)
{
    struct ss_error error = {0};
    json_t *updates = updates_of(change);
    change->null_done = false;
    if (!ss_update_check_superstep(updates, &error) ||
        load(change, &error) != SS_OK) {
        refuse(change, &error);
        return;
    }
    carry_on(change);
}

// One superstep after the other, until one waits for a worker or all is done: a
// request may bring so many that none may stand on the stack of another.
static void run_on(struct thread *thread)
{
    while (ss_seat(thread)->change && ss_seat(thread)->change->is_due) {
        ss_seat(thread)->change->is_due = false;
        begin_superstep(ss_seat(thread)->change);
    }
}

static void folded(struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct thread *thread = level->thread;
    carry_on(level->change);
    run_on(thread);
}

// The graph and the namespace that the request means now. False: it is refused.
static bool find_place(struct thread *thread, const struct ss_request *request,
    struct graph_ref *ret, struct ss_error *error)
{
    if (!ss_graph_ref_find(ss_thread_facts(thread)->engine, thread,
            request->graph, request->checkpoint_ns, ret, error))
        return false;
    if (!ret->known) {
        ss_error_set(error, SS_EINVAL, "graph %s has no graph inside at \"%s\"",
            ret->root->name, ret->ns);
        ss_free(ret->ns);
    }
    return ret->known;
}

// Takes what `place` owns.
static void take_place(struct change *change, const struct graph_ref *place)
{
    ss_graph_unref(change->root);
    ss_graph_unref(change->graph);
    ss_free(change->ns);
    change->root = ss_graph_ref(place->root);
    change->graph = ss_graph_ref(place->graph);
    change->ns = place->ns;
}

void ss_update_state_request(
    struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct engine *engine = its->engine;
    struct ss_error error = {0};
    struct graph_ref place = {0};
    int status = ss_update_check(request->supersteps, &error);
    if (status == SS_OK)
        status = ss_key_check(request, &error);
    if (status == SS_OK && ss_answered_before(thread, request))
        return;
    if (status == SS_OK && ss_thread_busy(thread))
        status = ss_error_set(&error, SS_EBUSY,
            "thread %s is busy: update it when its run has ended", its->id);
    if (status == SS_OK && !find_place(thread, request, &place, &error))
        status = error.status;
    if (status != SS_OK) {
        ss_reply_error(engine, request, status, "%s", error.message);
        return;
    }
    struct change *change = ss_zalloc(1, sizeof(*change));
    change->thread = thread;
    change->request = ss_request_ref(request);
    change->supersteps = json_deep_copy(request->supersteps);
    take_place(change, &place);
    ss_seat(thread)->change = change;
    go_on(change);
    change->is_due = true;
    run_on(thread);
}

// ------------------------------------------------ its version is gone

// What is lost again and again is given up, on however many versions.
static uint32_t losses_of(const struct change *change)
{
    const struct task *asked;
    uint32_t most = 0;
    for (size_t i = 0; i < change->tasks.count; i++)
        if (ss_task_facts(change->tasks.items[i])->tries.redeliveries > most)
            most = ss_task_facts(change->tasks.items[i])->tries.redeliveries;
    for (size_t i = 0; (asked = ss_loop_fold_asked(change->loop, i)); i++)
        if (ss_task_facts(asked)->tries.redeliveries > most)
            most = ss_task_facts(asked)->tries.redeliveries;
    return most;
}

// The superstep that waits begins anew; of what it did so far nothing is
// stored.
void ss_update_state_plan_anew(struct change *change)
{
    struct thread *thread = change->thread;
    const struct thread_facts *its = ss_thread_facts(thread);
    struct ss_error error = {0};
    struct graph_ref place = {0};
    change->losses = losses_of(change);
    drop_superstep(change);
    if (!change->left)
        change->left = ss_strdup(change->root->version);
    ss_engine_narrate(its->engine,
        "the update on thread %s is planned anew:"
        " nobody serves its version of graph %s",
        its->id, change->root->name);
    if (!find_place(thread, change->request, &place, &error)) {
        refuse(change, &error);
        return;
    }
    take_place(change, &place);
    change->is_due = true;
    run_on(thread);
}

// ------------------------------------------------ what holds

void ss_update_state_verify(const struct change *change, struct census *census)
{
    size_t waits = 0;
    const struct loop *loop = change->loop;
    const struct loop_facts *level = ss_loop_facts(loop);
    ss_invariant(I233, ss_thread_facts(change->thread)->state == THREAD_HOT);
    ss_invariant(I234, level->graph == change->graph && !level->parent);
    ss_invariant(I235, updates_of(change) != NULL);
    ss_invariant(I236, change->losses <= SS_REDELIVERIES_MAX);
    ss_invariant(I96, ss_seat(change->thread)->change == change &&
                          !change->is_due &&
                          ss_loop_facts(change->loop)->change == change &&
                          !ss_loop_facts(change->loop)->run);
    while (ss_loop_fold_asked(loop, waits))
        waits++;
    for (size_t i = 0; i < change->tasks.count; i++) {
        const struct task *task = change->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        ss_task_verify(task, census);
        ss_invariant(I237, facts->planned.kind == SS_TASK_UPDATE);
        ss_invariant(I97, facts->loop == change->loop);
        waits += facts->state != TASK_DONE;
    }
    ss_invariant(I98, waits > 0);
    ss_level_verify(change->loop, census);
}
