// loop.c - supersteps of one graph: tick, run, update
// (spec/engine.md 5.4-5.11).
//
//   tick    budget? plan; restore what is finished (restore.c); breakpoint;
//           drain; start
//   (run)   tasks end one by one (task.c)
//   settle  a failure or a command to the graph around: leave
//           a question: leave, waiting
//           else: update, values, save, breakpoint, tick again
//
// A loop never recurses into another: it asks to be advanced later in the step.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/loop_output.h"
#include "coordinator/engine/levels/resume_value.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/tasks.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"

// The resume value without an id was for the first superstep of the root (R7.2,
// R7.10).
static void miss_plain(struct loop *loop)
{
    if (!loop->facts.parent && loop->facts.run->resume_value.value)
        ss_loop_warn_unasked(loop);
}

// ------------------------------------------------ leaving

static void leave(struct loop *loop, enum loop_status status)
{
    ss_check(!loop->parent_task || loop->parent_task->facts.child == loop);
    ss_loop_move(loop, status);
    if (loop->parent_task)
        ss_task_child_ended(loop->parent_task, loop);
    else
        SS_VEC_PUSH(&loop->facts.engine->levels->roots_ended, loop);
}

static void fail(struct loop *loop, int status, const char *message)
{
    ss_error_set(ss_error_at(&loop->result.error), status, "%s", message);
    leave(loop, LOOP_FAILED);
}

void ss_loop_fail(struct loop *loop, const struct ss_error *error)
{
    ss_check(error->status != SS_OK);
    fail(loop, error->status, error->message);
}

void ss_loop_exits(struct loop *loop, bool ended_well)
{
    if (!loop->facts.persists ||
        run_of(loop)->options.durability != DURABLE_EXIT)
        return;
    bool stable = strchr(loop->facts.ns, ':') == NULL;
    if (loop->facts.parent && ended_well && !stable)
        return;
    ss_loop_save_at_exit(loop);
    if (loop->facts.parent)
        ss_thread_seal(
            loop->facts.thread); // the next call of this graph reads it
}

static int by_task_path(const void *a, const void *b)
{
    const struct task *const *left = a, *const *right = b;
    return strcmp((*left)->facts.planned.path, (*right)->facts.planned.path);
}

// The loop's tasks in sorted path order. Borrowed from their own memory.
static struct task **sorted_tasks(struct loop *loop)
{
    size_t count = loop->facts.tasks.count;
    bool is_sorted = true; // most often they are planned so
    struct task **tasks =
        ss_arena_take(&loop->tasks_memory, count * sizeof(struct task *));
    for (size_t i = 0; i < count; i++) {
        tasks[i] = loop->facts.tasks.items[i];
        is_sorted = is_sorted &&
                    (i == 0 || by_task_path(&tasks[i - 1], &tasks[i]) <= 0);
    }
    if (!is_sorted)
        qsort(tasks, count, sizeof(struct task *), by_task_path);
    return tasks;
}

// Borrowed, until they are applied.
static struct ss_update_task *update_tasks(const struct loop *loop)
{
    struct ss_update_task *list =
        ss_arena_take(&loop->facts.engine->levels->scratch,
            loop->facts.tasks.count * sizeof(*list));
    for (size_t i = 0; i < loop->facts.tasks.count; i++)
        list[i] = ss_update_task(&loop->facts.tasks.items[i]->facts.planned,
            &loop->facts.tasks.items[i]->facts.writes);
    return list;
}

static bool writes_key(const struct loop *loop, const struct ss_keys *keys)
{
    for (size_t t = 0; t < loop->facts.tasks.count; t++) {
        const struct ss_writes *writes =
            &loop->facts.tasks.items[t]->facts.writes;
        for (size_t w = 0; w < writes->count; w++)
            if (ss_keys_have(keys, writes->items[w].channel))
                return true;
    }
    return false;
}

// A `values` event, and the final output, where their keys moved (R5.17-3).
static void values(struct loop *loop)
{
    struct ss_keys shown, final;
    ss_loop_keys(loop, &shown, &final);
    if (ss_update_moved(loop->machine, &final) && writes_key(loop, &final))
        ss_loop_output_moves(loop, &final);
    if (ss_update_moved(loop->machine, &shown) && writes_key(loop, &shown))
        loop->facts.engine->watch->values(loop, false);
}

// Tasks that wrote to the channel at fault have failed (better than R4.3:
// nobody is poisoned; they run again).
void ss_loop_update_failed(
    struct loop *loop, size_t channel, const struct ss_error *error)
{
    const char *name =
        channel == SS_NONE ? "" : loop->facts.graph->channels[channel].name;
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        struct task *task = loop->facts.tasks.items[i];
        bool guilty = false;
        for (size_t w = 0; w < task->facts.writes.count && !guilty; w++)
            guilty = strcmp(task->facts.writes.items[w].channel, name) == 0;
        if (!guilty)
            continue;
        struct ss_writes writes = {0};
        if (json_array_size(task->answers) > 0)
            ss_writes_add(&writes, SS_NAME_RESUME,
                ss_value_new(json_incref(task->answers)));
        ss_writes_add(&writes, SS_NAME_ERROR,
            ss_value_new(ss_error_json(error->status, error->message)));
        ss_loop_put_writes(loop, task->facts.planned.id,
            task->facts.planned.path, &writes, NULL);
        ss_writes_fini(&writes);
    }
    ss_loop_exits(loop, false);
    ss_check(error->status != SS_OK);
    fail(loop, error->status, error->message);
}

static void next_superstep(struct loop *loop);
static void show_and_leave(struct loop *loop);

static const struct fold_then superstep_folds = {
    .folded = next_superstep, .failed = ss_loop_update_failed};
static const struct fold_then leaving_folds = {
    .folded = show_and_leave, .failed = ss_loop_update_failed};

// R5.33: an interrupted root shows what finished beside the question, though no
// checkpoint has it. False: it cannot be applied, and the run fails of that; or
// reducers of the application fold first, and then it is asked for again.
static bool show_finished(struct loop *loop)
{
    bool any = false;
    size_t channel = SS_NONE;
    struct ss_error error = {0};
    for (size_t i = 0; i < loop->facts.tasks.count; i++)
        any = any || loop->facts.tasks.items[i]->facts.writes.count > 0;
    if (!any || loop->pending.count == 0)
        return true;
    struct ss_update_task *tasks = update_tasks(loop);
    if (ss_loop_fold(loop, tasks, loop->facts.tasks.count, &leaving_folds)) {
        ss_arena_reset(&loop->facts.engine->levels->scratch);
        return false;
    }
    int status =
        ss_loop_apply(loop, tasks, loop->facts.tasks.count, &channel, &error);
    run_of(loop)->keeps_output = loop->folds.count > 0;
    ss_loop_drop_folds(loop);
    if (status != SS_OK) {
        ss_loop_update_failed(loop, channel, &error);
        return false;
    }
    values(loop);
    return true;
}

// Also when the folds of what it shows are there.
static void show_and_leave(struct loop *loop)
{
    if (!loop->facts.parent) {
        struct ss_keys shown, final;
        ss_loop_keys(loop, &shown, &final);
        if (!show_finished(loop))
            return;
        if (json_array_size(loop->result.interrupts) == 0)
            loop->facts.engine->watch->stopped(loop);
        ss_loop_make_output(loop, &final);
    }
    leave(loop, LOOP_INTERRUPTED);
}

// Takes `interrupts`.
static void leave_interrupted(struct loop *loop, json_t *interrupts)
{
    json_decref(loop->result.interrupts);
    loop->result.interrupts = interrupts;
    ss_loop_exits(loop, false);
    show_and_leave(loop);
}

// ------------------------------------------------ tick

// R7.13, R7.14.
static bool should_stop(struct loop *loop, const struct ss_names *compiled,
    const struct ss_names *of_call)
{
    const struct ss_names *names =
        !loop->facts.parent && (of_call->all || of_call->count) ? of_call
                                                                : compiled;
    if (!names->all && names->count == 0)
        return false;
    bool moved = ss_break_moved(loop->machine);
    for (size_t i = 0; moved && i < loop->facts.tasks.count; i++)
        if (ss_names_have(
                names, loop->facts.tasks.items[i]->facts.planned.node))
            return true;
    return false;
}

static void start_tasks(struct loop *loop)
{
    size_t count = loop->facts.tasks.count;
    struct run *run = loop->facts.run;
    if (!loop->facts.parent) // progress counts the root's superstep, and what
                             // is inside
        run->facts.stats.planned = run->facts.stats.done = 0;
    run->facts.stats.planned += count;
    for (size_t i = 0; i < count; i++)
        run->facts.stats.done +=
            loop->facts.tasks.items[i]->facts.state == TASK_DONE;
    loop->facts.engine->watch->started(loop);
    struct task **sorted = sorted_tasks(loop);
    ss_resume_value_line(loop, sorted);
    for (size_t i = 0; i < count; i++)
        if (sorted[i]->facts.state == TASK_NEW)
            ss_task_start(sorted[i]);
    if (!loop->facts.parent)
        loop->facts.engine->watch->progressed(loop, NULL);
}

static void tick(struct loop *loop)
{
    struct run *run = loop->facts.run;
    ss_loop_plan(loop, true);
    loop->facts.engine->watch->planned(loop);
    if (loop->facts.step > loop->stop) {
        struct ss_error error;
        ss_error_set(&error, SS_ERECURSION,
            "graph %s: the recursion limit of %lld supersteps is reached "
            "before the run ended; run it on with no input, or with a "
            "higher limit: superstep run --recursion-limit",
            loop->facts.graph->name,
            (long long)run->facts.options.recursion_limit);
        ss_loop_exits(loop, true); // the limit is raised after the exit
        fail(loop, SS_ERECURSION, error.message);
        return;
    }
    if (loop->facts.tasks.count == 0) {
        miss_plain(loop);
        ss_loop_exits(loop, true);
        leave(loop, LOOP_DONE);
        return;
    }
    ss_loop_restore(loop);
    ss_loop_recover_tries(loop);
    if (should_stop(loop, &loop->facts.graph->interrupt_before,
            &run->facts.options.before)) {
        leave_interrupted(loop, json_array());
        return;
    }
    if (run->drain) {
        ss_loop_exits(loop, true);
        loop->result.drain = ss_strdup(run->drain);
        leave(loop, LOOP_DRAINED);
        return;
    }
    run->facts.stats.supersteps++;
    start_tasks(loop);
}

// ------------------------------------------------ settle

// All tasks have ended: raise, ask, or update and go on (R6.7, R5.17).
static bool is_settled(struct loop *loop)
{
    while (loop->ended_to < loop->facts.tasks.count &&
           ss_task_ended(loop->facts.tasks.items[loop->ended_to]))
        loop->ended_to++;
    return loop->ended_to == loop->facts.tasks.count;
}

// Has this step done its share? Then the loop goes on in a later one.
static bool rests(struct loop *loop)
{
    struct engine *engine = loop->facts.engine;
    if (++engine->levels->supersteps <= SS_STEP_SUPERSTEPS_MAX)
        return false;
    ss_loop_drop_tasks(loop);
    loop->ticked = false;
    SS_VEC_PUSH(&engine->levels->resting, loop);
    return true;
}

static void next_superstep(struct loop *loop)
{
    size_t channel = SS_NONE;
    struct ss_error error;
    struct ss_update_task *tasks = update_tasks(loop);
    size_t count = loop->facts.tasks.count;
    if (ss_loop_fold(loop, tasks, count, &superstep_folds)) {
        ss_arena_reset(&loop->facts.engine->levels->scratch);
        return;
    }
    ss_error_none(&error);
    int status = ss_loop_apply(loop, tasks, count, &channel, &error);
    ss_loop_drop_folds(loop);
    if (status != SS_OK) {
        ss_loop_update_failed(loop, channel, &error);
        return;
    }
    ss_updated_set(loop->machine, false);
    ss_loop_drop_pending(loop);
    loop->first_superstep = false;
    miss_plain(loop);
    if (!loop->facts.parent) {
        ss_resume_value_put(loop->facts.run, NULL); // R7.10: for this one alone
        run_of(loop)->recovering = false;
    }
    ss_loop_save(loop, SS_SOURCE_LOOP);
    values(loop); // behind the save: it rests on that row
    if (should_stop(loop, &loop->facts.graph->interrupt_after,
            &run_of(loop)->options.after)) {
        ss_loop_plan(loop, true);
        loop->facts.engine->watch->planned(loop);
        leave_interrupted(loop, json_array());
        return;
    }
    if (!rests(loop))
        tick(loop);
}

// NULL: none asks.
static json_t *all_interrupts(struct task *const *tasks, size_t count)
{
    json_t *all = NULL;
    for (size_t i = 0; i < count; i++) {
        if (tasks[i]->facts.state != TASK_INTERRUPTED)
            continue;
        if (!all)
            all = json_array();
        json_array_extend(all, tasks[i]->facts.interrupts);
    }
    return all;
}

// What ends the superstep: the first failure or command by path (R6.7).
static struct task *first_raised(struct task *const *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((tasks[i]->facts.state == TASK_FAILED &&
                !tasks[i]->error_handled) ||
            tasks[i]->facts.state == TASK_PARENT)
            return tasks[i];
    return NULL;
}

static void raise_task(struct loop *loop, struct task *task)
{
    ss_loop_exits(loop, false);
    if (task->facts.state == TASK_PARENT) {
        loop->result.parent_command = json_incref(task->parent);
        if (loop->facts.parent) {
            leave(loop, LOOP_PARENT);
            return;
        }
        fail(loop, SS_ENOPARENT,
            "a node of the outermost graph gave a "
            "command to the graph around it, and there is none");
        return;
    }
    if (task->facts.error->status == SS_EDRAINED) {
        loop->result.drain = ss_strdup(task->facts.error->message);
        leave(loop, LOOP_DRAINED);
        return;
    }
    ss_free(loop->result.error_node);
    loop->result.error_node = ss_strdup(task->facts.planned.node->name);
    fail(loop, task->facts.error->status, task->facts.error->message);
}

static void settle(struct loop *loop)
{
    size_t count = loop->facts.tasks.count;
    struct task **sorted = sorted_tasks(loop);
    struct task *raised = first_raised(sorted, count);
    json_t *interrupts = raised ? NULL : all_interrupts(sorted, count);
    if (raised)
        raise_task(loop, raised);
    else if (interrupts)
        leave_interrupted(loop, interrupts);
    else
        next_superstep(loop);
}

static void advance(struct loop *loop)
{
    if (loop->facts.status == LOOP_FOLDING) {
        if (ss_loop_folded(loop))
            loop->folds.then->folded(loop);
        return;
    }
    if (loop->facts.status != LOOP_RUNNING)
        return;
    if (loop->ticked && is_settled(loop))
        settle(loop);
    else if (!loop->ticked) {
        loop->ticked = true;
        tick(loop);
    }
    if (loop->facts.status == LOOP_RUNNING && loop->ticked && is_settled(loop))
        ss_loop_later(loop);
}

static bool goes_on(const struct loop *root)
{
    return root->facts.status == LOOP_ENTERING ||
           root->facts.status == LOOP_RUNNING ||
           root->facts.status == LOOP_FOLDING;
}

void ss_loop_advance(struct loop *loop)
{
    struct run *run = loop->facts.run;
    advance(loop);
    if (run && run->facts.state == RUN_ACTIVE && goes_on(run->facts.root))
        ss_resume_value_settle(run); // who is held may be next in line now
}
