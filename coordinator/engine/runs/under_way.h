// under_way.h - the runs that an engine has.
#ifndef SS_ENGINE_RUNS_UNDER_WAY_H
#define SS_ENGINE_RUNS_UNDER_WAY_H

#include <jansson.h>
#include <stddef.h>

#include "common/base/map.h"
#include "common/base/mem.h"

struct run;
struct thread;

// All that are under way or wait for their turn.
struct runs {
    struct ss_map by_name;          // and thread (record.c) -> struct run *
    SS_VEC(struct thread *) turns;  // those whose next run may begin
    size_t queued;                  // runs that wait for their turn
    uint64_t started, done, failed; // that were, in all
    SS_VEC(struct run *) ended;     // freed at the end of the step
    json_t *plain_meta;             // of runs that say no configuration
};

// ------------------------------------------------ record.c

// The run is found by its name from now on; it is so no more.
void ss_run_enlist(struct run *run);
void ss_run_unlist(struct run *run);

#endif
