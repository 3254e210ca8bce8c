// stop.h - named places where a test stops a process, to kill it just there.
//
// SUPERSTEP_TEST_STOP=NAME[:N] stops a process (SIGSTOP, all its threads) when
// it comes to the place NAME of stops.def for the Nth time, after it said so on
// stderr: "stopped at NAME". What comes then, SIGKILL or SIGCONT, is the test's.
// For tests alone; without the variable a place costs one look at a number.
#ifndef SS_APP_STOP_H
#define SS_APP_STOP_H

enum ss_stop {
    SS_STOP_NOWHERE,
#define X(place, name, words) SS_STOP_##place,
#include "common/app/stops.def"
#undef X
    SS_STOPS_COUNT,
};

// The process is at this place. Any thread may say so.
void ss_stop_at(enum ss_stop place);

#endif
