// watch.h - what levels and runs tell the rooms above them, while it happens.
//
//   scheduler, runs, levels --engine->watch->planned(loop)--> audience.c
//
// One table of functions, which the requests room fills when the engine is
// made; none of them is NULL. Each is called in the step in which it happens,
// before the row that tells of it closes, so that what is told rests on that
// row. Whoever is called changes nothing that a level or a run decides by, and
// makes none of them go on. Everything is borrowed.
//
// A loop here is one that a run runs: views, and what an update works on, have
// no run and tell nothing.
#ifndef SS_ENGINE_LEVELS_WATCH_H
#define SS_ENGINE_LEVELS_WATCH_H

#include <jansson.h>
#include <stdbool.h>

#include "common/base/status.h"
#include "common/model/task.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/step/state.h"

struct watch {
    // There is one run more; nobody listens to it yet: what is kept of those
    // who will, until it is freed.
    struct audience *(*made)(void);
    // It is freed, and nothing more is told of it.
    void (*freed)(struct run *run);
    // What makes it known is in the open row or, where it waits for its turn,
    // in the next unit.
    void (*accepted)(struct run *run);
    // It has entered, in the step in which it was accepted, or failed to.
    void (*entered)(struct run *run);
    // `run` goes on in the place of `before`, the same run, which is freed.
    void (*moved)(struct run *run, struct run *before);
    // It has ended, or was taken back: that is its answer.
    void (*ended)(struct run *run, const json_t *result);
    // It is dropped from memory, unfinished, for that reason.
    void (*dropped)(struct run *run, int status, const char *message);

    // It is entered once more after a crash, before anything of it is told:
    // what it tells first may have been told then.
    void (*recovered)(struct loop *loop);
    // Its values are shown: it goes on with those of its checkpoint, or an
    // update moved one of them, and the checkpoint is saved. `again`: it goes
    // on after a crash, and may have shown them before.
    void (*values)(struct loop *loop, bool again);
    // The tasks of its next superstep are there; none has begun.
    void (*planned)(struct loop *loop);
    // They are about to begin; restored ones have what they wrote.
    void (*started)(struct loop *loop);
    // It ends at a breakpoint, where nobody asks.
    void (*stopped)(struct loop *loop);
    // The run has more tasks planned, or done: `task`, or NULL.
    void (*progressed)(struct loop *loop, const struct task *task);

    // An attempt that is out sent this.
    void (*item)(struct task *task, enum ss_live_kind kind, json_t *value);
    // It has ended for good, as its state says, and its writes, its question or
    // its failure are in the open row.
    void (*committed)(struct task *task);
    // Its attempt is void, and there will be another one.
    void (*restarted)(struct task *task);
};

#endif
