// play.h - plays the calls of a scenario on a backend.
#ifndef CONFORMANCE_PLAY_H
#define CONFORMANCE_PLAY_H

#include <jansson.h>

#include "tests/conformance/backend.h"

// The graphs of a scenario that can be built, for the file that workers get.
// Gives.
json_t *play_graphs(json_t *scenario);

// One comparable answer for each call. `counters`: the file of the scenario's
// counters. Gives.
json_t *play(json_t *scenario, const struct backend_type *type,
    struct backend *backend, const char *counters);

#endif
