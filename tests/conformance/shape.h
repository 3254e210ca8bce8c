// shape.h - answers of Superstep in the form that scenarios have them.
#ifndef CONFORMANCE_SHAPE_H
#define CONFORMANCE_SHAPE_H

#include <jansson.h>

#include "tests/conformance/names.h"

// Names of checkpoints: index of each id in its namespace.
struct saved {
    json_t *rows;   // the answer to op `checkpoints`
    json_t *places; // namespace -> id -> index
};

// Takes `rows`.
void saved_init(struct saved *saved, json_t *rows);
void saved_fini(struct saved *saved);

// A value with marks as scenarios show them. Gives.
json_t *shape_plain(json_t *value);
// An error as text: the script's message, or the name of the engine's error.
// Gives; NULL for null.
json_t *shape_failure(json_t *error);
// The name of an answer's error, or NULL. Borrowed.
const char *shape_error_name(json_t *answer);
// [mode, namespace, payload] of an event. Gives.
json_t *shape_event(const struct names *names, json_t *event);
// A state snapshot. Gives.
json_t *shape_snapshot(
    const struct names *names, const struct saved *saved, json_t *snapshot);
// All saved checkpoints. Gives.
json_t *shape_checkpoints(const struct names *names, const struct saved *saved);

#endif
