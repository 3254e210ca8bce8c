// superstep.c - a level drives its machine (common/pregel): tasks of what was
// planned, and an update with the folds that are there.
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/step/state.h"

// ------------------------------------------------ tasks

struct task *ss_task_new(struct loop *loop)
{
    size_t in_front = loop->facts.engine->levels->sink->in_front;
    char *bytes = ss_zalloc(1, in_front + sizeof(struct task));
    struct task *task = (struct task *)(bytes + in_front);
    task->facts.loop = loop;
    return task;
}

static void fini_task(struct task *task)
{
    ss_check(task->facts.loop);
    task->facts.loop->facts.engine->levels->sink->dropped(task);
    ss_planned_task_fini(&task->facts.planned);
    ss_writes_fini(&task->facts.writes);
    json_decref(task->answers);
    json_decref(task->used_answers);
    json_decref(task->facts.interrupts);
    ss_free(task->facts.error);
    json_decref(task->facts.messages);
    json_decref(task->items.kept);
    json_decref(task->parent);
    ss_free(task->cache_key);
    ss_value_unref(task->facts.returned);
    ss_fold_fini(&task->fold);
}

void ss_task_destroy(struct task **place)
{
    if (!*place)
        return;
    size_t in_front =
        (*place)->facts.loop->facts.engine->levels->sink->in_front;
    fini_task(*place);
    ss_free((char *)*place - in_front);
    *place = NULL;
}

void ss_loop_drop_tasks(struct loop *loop)
{
    for (size_t i = 0; i < loop->facts.tasks.count; i++)
        fini_task(loop->facts.tasks.items[i]);
    loop->facts.tasks.count = 0;
    loop->ended_to = 0;
    ss_arena_reset(&loop->tasks_memory);
}

static struct task *add_task(struct loop *loop)
{
    size_t in_front = loop->facts.engine->levels->sink->in_front;
    char *bytes =
        ss_arena_zalloc(&loop->tasks_memory, 1, in_front + sizeof(struct task));
    struct task *task = (struct task *)(bytes + in_front);
    task->facts.loop = loop;
    SS_VEC_PUSH(&loop->facts.tasks, task);
    return task;
}

void ss_loop_plan(struct loop *loop, bool execute)
{
    struct ss_planned_tasks planned;
    struct ss_superstep at = ss_loop_stands(loop);
    at.lists = &loop->facts.engine->levels->scratch;
    ss_loop_drop_tasks(loop);
    ss_check(loop->facts.tasks.count == 0 && loop->ended_to == 0);
    ss_plan(loop->machine, &at, execute, &planned);
    for (size_t i = 0; i < planned.ignored.count; i++)
        ss_loop_warn_send(loop, planned.ignored.items[i]);
    for (size_t i = 0; i < planned.count; i++)
        add_task(loop)->facts.planned = planned.items[i];
    ss_check(loop->facts.tasks.count == planned.count);
    ss_arena_reset(at.lists);
}

struct task *ss_loop_plan_handler(struct loop *loop, struct task *failed)
{
    const struct ss_superstep at = ss_loop_stands(loop);
    struct task *task = add_task(loop);
    ss_plan_handler(
        loop->machine, &at, &failed->facts.planned, &task->facts.planned);
    task->failed = failed;
    return task;
}

// ------------------------------------------------ the update

int ss_loop_apply(struct loop *loop, const struct ss_update_task *tasks,
    size_t count, size_t *ret_channel, struct ss_error *error)
{
    struct ss_arena *scratch = &loop->facts.engine->levels->scratch;
    struct ss_fold_value *folds =
        ss_arena_take(scratch, loop->folds.count * sizeof(*folds));
    for (size_t i = 0; i < loop->folds.count; i++)
        folds[i] = (struct ss_fold_value){loop->folds.items[i]->fold.channel,
            loop->folds.items[i]->fold.value};
    struct ss_update update = {.tasks = tasks,
        .count = count,
        .folds = folds,
        .folds_count = loop->folds.count,
        .step = loop->facts.step,
        .is_view = loop->is_view,
        .memory = scratch};
    int status = ss_update_apply(loop->machine, &update, error);
    ss_check(status == SS_OK || !update.changed);
    *ret_channel = update.channel;
    loop->saved.unsaved_state = loop->saved.unsaved_state || update.changed;
    loop->not_folded = loop->not_folded || update.not_folded;
    ss_arena_reset(scratch);
    return status;
}

// ------------------------------------------------ what it gives

void ss_loop_keys(
    struct loop *loop, struct ss_keys *ret_shown, struct ss_keys *ret_final)
{
    *ret_final = loop->facts.graph->output;
    *ret_shown = loop->facts.parent ? loop->facts.graph->output
                                    : loop->facts.graph->stream;
    if (!loop->facts.parent && run_of(loop)->options.has_output_keys)
        *ret_shown = *ret_final = run_of(loop)->options.output_keys;
}

json_t *ss_loop_output_json(struct loop *loop, const struct ss_keys *keys)
{
    struct ss_value *output = ss_machine_output(loop->machine, keys);
    json_t *json = json_incref(ss_value_json(output));
    ss_value_unref(output);
    return json;
}
