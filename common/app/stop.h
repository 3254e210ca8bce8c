// stop.h - named places where a test stops a process, to kill it just there.
//
// SUPERSTEP_TEST_STOP=NAME[:N] stops a process (SIGSTOP, all its threads) when
// it comes to the place NAME of stops.def for the Nth time, after it said so on
// stderr: "stopped at NAME". What comes then, SIGKILL or SIGCONT, is the
// test's. SUPERSTEP_TEST_POISON=WORDS ends a coordinator (SIGABRT) when its
// engine tells a decision in whose sentence they stand.
//
// For tests alone: what is built without tests (SS_TESTS=OFF: images, packages)
// has neither. Else, without the variable, a place costs a look at a number.
#ifndef SS_APP_STOP_H
#define SS_APP_STOP_H

#include <stdbool.h>

enum ss_stop {
    SS_STOP_NOWHERE,
#define X(place, name, words) SS_STOP_##place,
#include "common/app/stops.def"
#undef X
    SS_STOPS_COUNT,
};

#ifdef SS_STOPS
// The process is at this place. Any thread may say so.
void ss_stop_at(enum ss_stop place);
// Some words are poison: decisions must be told.
bool ss_stop_has_poison(void);
// A decision is told: the process ends, if it is the poisonous one.
void ss_stop_told(const char *sentence);
#else
static inline void ss_stop_at(enum ss_stop place)
{
    (void)place;
}

static inline bool ss_stop_has_poison(void)
{
    return false;
}

static inline void ss_stop_told(const char *sentence)
{
    (void)sentence;
}
#endif

#endif
