// workers.h - workers and their attempts, as people are shown them.
#ifndef SS_ENGINE_SCHEDULER_WORKERS_H
#define SS_ENGINE_SCHEDULER_WORKERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/task.h"

struct engine;
struct ss_graph;
struct ss_request;
struct task;

// ------------------------------------------------ attempt_slab.c

// Tasks that are out: how many, and the one that was sent after `task` (NULL:
// the first); NULL: none was.
size_t ss_attempts_count(const struct engine *engine);
struct task *ss_attempts_after(
    const struct engine *engine, const struct task *task);

// ------------------------------------------------ scheduler.c

size_t ss_workers_count(const struct engine *engine);
// What they count, of what an engine does.
void ss_workers_sum(
    const struct engine *engine, struct ss_engine_counts *counts);
// Tasks that wait for a worker (ready_queue.c).
size_t ss_tasks_ready(const struct engine *engine);
// The last one of a task, where it is out (the worker's name, borrowed, or
// NULL: nowhere), and how long it has been.
struct ss_attempt ss_attempt_name(const struct task *task);
const char *ss_attempt_worker(const struct task *task);
int64_t ss_attempt_ms(const struct task *task);
// How the process ended of the last worker that the task was lost with, as it
// is told of a task: "crashed its worker: signal 11". Gives; NULL: it was lost
// with none, or nobody said how.
char *ss_task_lost_how(const struct task *task);
// Somebody said how: it crashed.
bool ss_task_crashed(const struct task *task);
// The processes of so many workers crashed under it that it gets one to itself
// (alone.c).
bool ss_task_runs_alone(const struct task *task);
// As the request `workers` shows them. Gives.
json_t *ss_workers_json(const struct engine *engine);
// What each said that it is set to. One from before that says nothing. Gives.
json_t *ss_workers_settings(const struct engine *engine);

// ------------------------------------------------ placement.c

// The graph whose workers serve it. Borrowed.
const struct ss_graph *ss_task_root_graph(const struct task *task);

// ------------------------------------------------ limit.c

// Both are held by the same limit. What holds a task that waits (WAIT_SHARED),
// and others of its node (`of_many`: by limits of other values, too), for
// people: into `json`.
bool ss_limit_is_same(const struct task *a, const struct task *b);
void ss_limit_explain(const struct task *task, bool of_many, json_t *json);

// ------------------------------------------------ limit_request.c

// The numbers of so many limits at most, under the names that the request
// `limits` has for them, and nothing else of these. Gives a list.
json_t *ss_limits_numbers(const struct engine *engine, size_t most);

// The requests `limit` and `limits`.
void ss_limit_request(struct engine *engine, const struct ss_request *request);
void ss_limits_request(struct engine *engine, const struct ss_request *request);

// ------------------------------------------------ ended.c

// The newest processes of workers that ended, as their supervisors said, of the
// last ten minutes. Gives.
json_t *ss_crashes_json(const struct engine *engine);

// ------------------------------------------------ drain_worker.c

// The request `drain`.
void ss_worker_drain_request(
    struct engine *engine, const struct ss_request *request);

#endif
