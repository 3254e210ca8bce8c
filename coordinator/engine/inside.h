// inside.h - what is behind the handle that the shell has (engine.h).
#ifndef SS_ENGINE_INSIDE_H
#define SS_ENGINE_INSIDE_H

#include <stddef.h>

#include "coordinator/engine/step/state.h"

struct ss_engine {
    struct engine engine;
    size_t verify_in; // steps until all invariants are looked at again
};

// take.c: the event to its room.
void ss_event_take(struct engine *engine, const struct ss_event *event);
// What the store took at once, as STORED would tell it. False: it took nothing.
bool ss_event_take_stored(struct engine *engine);

#endif
