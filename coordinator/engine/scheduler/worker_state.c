// worker_state.c - a worker by its name; its states, and from which it comes
// into each.
#include <string.h>

#include "common/base/map.h"
#include "common/base/move.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"

#define FROM(state) (1U << WORKER_##state)

// One that drains and says hello again takes part again; one that was sent away
// does not, until it has said that it goes (drain_worker.c).
static const struct ss_move_state states[] = {
    [WORKER_SERVES] = {"serving", FROM(SERVES) | FROM(DRAINS)},
    [WORKER_SENT_AWAY] = {"sent away", FROM(SERVES)},
    [WORKER_DRAINS] = {"draining",
        FROM(SERVES) | FROM(SENT_AWAY) | FROM(DRAINS)},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("worker", states);

void ss_worker_move(struct worker *worker, enum worker_state to)
{
    ss_move(&moves, worker->state, to);
    worker->state = to;
}

struct worker *ss_worker_named(struct engine *engine, const char *name)
{
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next) {
        struct worker *worker = e->value;
        if (strcmp(worker->name, name) == 0)
            return worker;
    }
    return NULL;
}
