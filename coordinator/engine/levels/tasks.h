// tasks.h - the life of a task: started, committed, tried again, looked up.
#ifndef SS_ENGINE_LEVELS_TASKS_H
#define SS_ENGINE_LEVELS_TASKS_H

#include <jansson.h>
#include <stdbool.h>

#include "common/model/task.h"

struct engine;
struct loop;
struct ss_event;
struct task;

// What a look into the cache came to.
enum cache_found {
    CACHE_ANOTHERS, // it was not an answer to one
    CACHE_LACKS,    // the task's body is to run
    CACHE_WAITS,    // asked again later; or its task has gone
    CACHE_HAS,      // the task has its writes
};

// ------------------------------------------------ task.c

void ss_task_start(struct task *task);
void ss_task_retry_due(struct task *task);
// It waits until task->tries.retry_at_ms, and begins then.
void ss_task_back_off(struct task *task, const char *why);
// The graph inside has ended.
void ss_task_child_ended(struct task *task, struct loop *child);

// ------------------------------------------------ restore_tasks.c

// Finished tasks keep what they wrote, the others get their answers. Handlers
// of what had failed are added to the tasks.
void ss_loop_restore(struct loop *loop);

// ------------------------------------------------ cache.c

// Is there a result for it?
void ss_cache_ask(struct task *task);
// What was answered. *ret_task: whose it is, if it lacks a result or has it.
enum cache_found ss_cache_looked(struct engine *engine,
    const struct ss_event *event, struct task **ret_task);
// The task goes.
void ss_cache_forget(const struct task *task);
void ss_cache_fill(const struct task *task);

// ------------------------------------------------ commit.c

void ss_task_succeeded(struct task *task, bool cached);
// It asks `question`.
void ss_task_interrupted(struct task *task, json_t *question);
// It asks, and there is no answer for it now.
void ss_task_commit_interrupt(struct task *task);
// It failed for good; `handled`: its handler goes on.
void ss_task_commit_failure(
    struct task *task, int code, const char *message, bool handled);
// It has ended, whichever way: the loop looks what is next.
void ss_task_settled(struct task *task);
// Nobody else may be given the resume value without an id. `stored`: it has
// writes to say so.
void ss_task_took_resume_value(struct task *task, bool stored);

// ------------------------------------------------ retry.c

// An attempt failed; there may be another one.
void ss_task_failed(struct task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *message);
// After a crash: those that have not ended have failed, and were lost, so
// often, and wait as long as they would have.
void ss_loop_recover_tries(struct loop *loop);

#endif
