// show.c - what is out and what waits, for people.
#include "common/base/map.h"
#include "common/model/request.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/requests/waits.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"

enum { LIMIT_DEFAULT = 1000 };

static json_t *task_json(const struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    const char *worker = ss_attempt_worker(task);
    bool backs_off = facts->state == TASK_BACKOFF;
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:I}", "state",
        worker      ? "running"
        : backs_off ? "backoff"
                    : "ready",
        "node", facts->planned.node ? facts->planned.node->name : "", "thread",
        ss_thread_facts(level->thread)->id, "task", facts->planned.id,
        "attempt", (json_int_t)facts->tries.attempts);
    if (level->run) {
        json_object_set_new(
            json, "run", json_string(ss_run_facts(level->run)->id));
        json_object_set_new(
            json, "graph", json_string(ss_run_facts(level->run)->graph->name));
    }
    if (worker) {
        json_object_set_new(json, "worker", json_string(worker));
        json_object_set_new(
            json, "since_ms", json_integer((json_int_t)ss_attempt_ms(task)));
    }
    if (backs_off)
        ss_wait_set_backoff(json, task);
    return json;
}

// While there is room in the list; grouped in any case.
static void show_waiting(
    json_t *list, size_t *left, struct waits *waits, const struct task *task)
{
    ss_waits_add(waits, task);
    if (*left > 0) {
        json_array_append_new(list, task_json(task));
        --*left;
    }
}

void ss_show_tasks(struct engine *engine, const struct ss_request *request)
{
    int64_t limit = ss_request_int(request->limit, LIMIT_DEFAULT);
    size_t left = limit > 0 ? (size_t)limit : 0;
    json_t *list = json_array();
    struct waits waits = {0};
    size_t looked = 0, backoff = 0;
    const struct task *task = NULL;
    for (; left > 0 && (task = ss_attempts_after(engine, task)); left--)
        json_array_append_new(list, task_json(task));
    for (size_t i = 0; (task = ss_task_backing_off(engine, i)); i++)
        if (ss_task_facts(task)->state == TASK_BACKOFF) {
            show_waiting(list, &left, &waits, task);
            backoff++;
        }
    while (looked++ < SS_WAITS_LOOKED_MAX &&
           (task = ss_ready_queue_after(engine, task, LINES_ALL)))
        show_waiting(list, &left, &waits, task);
    ss_reply(engine, request,
        json_pack("{s:o, s:I, s:I, s:I, s:o}", "tasks", list, "running",
            (json_int_t)ss_attempts_count(engine), "ready",
            (json_int_t)ss_tasks_ready(engine), "backoff", (json_int_t)backoff,
            "waits", ss_waits_json(&waits, true)));
}

void ss_show_settings(struct engine *engine, const struct ss_request *request)
{
    ss_reply(engine, request,
        json_pack("{s:o}", "settings", ss_workers_settings(engine)));
}
