// between.h - the moment between two runs.
//
// A run that goes on would meet other code, perhaps another graph: workers
// change between runs. One that waits for something else (a version that nobody
// serves any more, a worker with a label) does not hold that up for ever.
#ifndef SS_CLI_BETWEEN_H
#define SS_CLI_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

enum { SS_BETWEEN_LOOK_MS = 200 }; // how often to ask, and for how long

// Whether no run is under way at the coordinator, or none has had a task out
// for a moment: since *quiet_since_ms, which is kept for the caller (0 at
// first). False if it does not say.
bool ss_between_runs(
    const char *endpoint, int64_t *quiet_since_ms, int64_t now_ms);

#endif
