// wait.c - what a task waits for: dispatch goes by it, and people are told it.
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/placement.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/takeover.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"

static enum task_wait lacks_worker(const struct task *task)
{
    const struct engine *engine = ss_task_level(task)->engine;
    if (ss_graph_workers(engine, ss_task_root_graph(task)) == 0)
        return WAIT_SERVER;
    return ss_placement_lacks_labels(task) ? WAIT_LABEL : WAIT_NOTHING;
}

static enum task_wait ready_waits_for(const struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    const struct run *run = level->run;
    if (run && ss_pause_of_run(run))
        return WAIT_PAUSE;
    if (ss_task_facts(task)->gate_seq > ss_thread_facts(level->thread)->durable)
        return WAIT_ROWS;
    if (run && ss_run_facts(run)->options.max_concurrency > 0 &&
        (int64_t)ss_run_facts(run)->running >=
            ss_run_facts(run)->options.max_concurrency)
        return WAIT_LIMIT;
    if (ss_limit_that_stops(task))
        return WAIT_SHARED;
    enum task_wait lacking = lacks_worker(task);
    if (lacking != WAIT_NOTHING)
        return lacking;
    if (ss_store_is_slow(level->engine))
        return WAIT_STORE;
    if (ss_takeover_waits(task) || ss_vouched_waits(task))
        return WAIT_EARLIER;
    return WAIT_ROOM;
}

enum task_wait ss_task_waits_for(const struct task *task)
{
    switch (ss_task_facts(task)->state) {
    case TASK_NEW:
        return WAIT_PLANNED;
    case TASK_CACHE:
        return WAIT_CACHE;
    case TASK_READY:
        return ready_waits_for(task);
    case TASK_RUNNING:
        return WAIT_OUTCOME;
    case TASK_BACKOFF:
        return WAIT_BACKOFF;
    case TASK_INTERRUPTED:
    case TASK_HELD:
        return WAIT_ANSWER;
    case TASK_CHILD:
    case TASK_DONE:
    case TASK_FAILED:
    case TASK_PARENT:
        break;
    }
    return WAIT_NOTHING;
}

// A limit passes by itself; a worker that lacks wants somebody to start one.
// Dispatch looks at the limit first, which costs less.
enum task_wait ss_task_waits_told(const struct task *task)
{
    enum task_wait what = ss_task_waits_for(task);
    if (what != WAIT_LIMIT && what != WAIT_SHARED)
        return what;
    enum task_wait lacking = lacks_worker(task);
    return lacking == WAIT_NOTHING ? what : lacking;
}
