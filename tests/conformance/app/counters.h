// counters.h - what counts over a whole scenario, in a file that all workers
// share: one line for each event, appended under a lock.
#ifndef SCENARIO_COUNTERS_H
#define SCENARIO_COUNTERS_H

#include <jansson.h>
#include <stddef.h>

enum counter_kind { COUNTER_COUNT, COUNTER_FAIL };

// Note that `name` happened once more. How often it had happened before; -1
// with errno if the file cannot be written.
long counters_add(const char *file, enum counter_kind kind, const char *name);
// The counters of COUNTER_COUNT by name. Gives; empty without a file.
json_t *counters_read(const char *file);

#endif
