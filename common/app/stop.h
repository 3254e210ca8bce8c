// stop.h - named places where a test stops a process, to kill it just there.
//
// SUPERSTEP_TEST_STOP=NAME[:N] stops a process (SIGSTOP, all its threads) when
// it comes to the place NAME of stops.def for the Nth time, after it printed
// "stopped at NAME" on stderr. The test then sends SIGKILL or SIGCONT.
// SUPERSTEP_TEST_POISON=WORDS ends a coordinator (SIGABRT) when its engine
// narrates a decision whose sentence contains WORDS.
//
// For tests alone: programs that are built without tests (SS_TESTS=OFF: images,
// packages) have neither. In the others a place costs a look at a number where
// the variable is not set.
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
// The process is at this place. Any thread may call it.
void ss_stop_at(enum ss_stop place);
// SUPERSTEP_TEST_POISON is set: decisions must be narrated.
bool ss_stop_has_poison(void);
// A decision was narrated: the process ends if its sentence contains the
// poisonous words.
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
