// limit_verify.c - what holds of limits between two steps (invariants.c has the
// list).
#include "common/base/check.h"
#include "common/base/map.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"

static void verify(const struct engine *engine, const struct limit *limit)
{
    int64_t out = 0, lingering = 0, waiting = 0;
    const struct limits *limits = &engine->scheduler->limits;
    for (const struct ss_map_entry *a = engine->scheduler->attempts.first; a;
         a = a->next)
        out += attempt_of(a->value)->limit == limit;
    for (size_t i = 0; i < limits->lingering.count; i++)
        lingering += limits->lingering.items[i].limit == limit;
    for (const struct task *task = NULL;
         (task = ss_ready_queue_after(engine, task, LINES_ALL));)
        waiting += attempt_of(task)->limit == limit;
    ss_invariant(I253, limit->out == out && limit->waiting == waiting);
    ss_invariant(I254, limit->share == ss_limit_share(engine, limit));
    ss_invariant(I255, limit->lingering == lingering);
    int64_t begun = 0;
    for (size_t i = 0; i < limit->begun.count; i++)
        begun += limit->begun.items[i].count;
    ss_invariant(I260, limit->begun_now == begun);
    ss_invariant(I259, limit->gone == 0 && limit->gone_unclaimed == 0);
    ss_invariant(I256, limit->owed >= 0 && limit->owed <= limit->tasks_max &&
                           limit->claimed >= 0);
}

void ss_limits_verify(const struct engine *engine)
{
    const struct limits *limits = &engine->scheduler->limits;
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next)
        verify(engine, e->value);
    for (size_t i = 0; i < limits->lingering.count; i++)
        ss_invariant(
            I257, engine->wake_at_ms <= limits->lingering.items[i].until_ms);
    if (limits->held_until_ms > engine->now_ms)
        ss_invariant(I258, engine->wake_at_ms <= limits->held_until_ms);
}
