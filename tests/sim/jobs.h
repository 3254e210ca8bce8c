// jobs.h - many seeds: child processes, progress, the summary.
#ifndef SS_TESTS_SIM_JOBS_H
#define SS_TESTS_SIM_JOBS_H

#include "tests/sim/sim.h"

enum { JOBS_MAX = 64 };

struct range {
    uint64_t first, last;
    uint64_t drawn_from; // 0: the numbers are the seeds; else seeds are drawn
    unsigned jobs;
    uint64_t twice; // of so many seeds one is lived twice; 0: as is usual
    bool keep_going;
    struct sim_options options; // who narrates does so here, each seed once
};

// Simulate all; progress on stderr, one line on stdout. 0, or 1 if a check
// failed.
int jobs_run(const struct range *range);

#endif
