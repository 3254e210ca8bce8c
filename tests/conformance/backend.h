// backend.h - something that answers requests (docs/reference/requests.md) and
// runs the graphs of one scenario: in this process, or in several.
#ifndef CONFORMANCE_BACKEND_H
#define CONFORMANCE_BACKEND_H

#include <jansson.h>

#include "common/base/status.h"

struct backend_options {
    const char *store;    // "memory", "sqlite" or "postgres"
    const char *folder;   // an empty one of its own
    const char *scenario; // the file that workers build their graphs from, or
                          // NULL where it has none that can be built
};

struct backend {
    const struct backend_type *type;
};

struct backend_type {
    const char *name;
    int (*open)(const struct backend_options *options,
        struct backend **ret_backend, struct ss_error *error);
    // The final answer. Takes `body`, appends events to `events` (may be NULL).
    // Gives; an answer of the form {"error": {"code", "message"}} always, where
    // none came.
    json_t *(*ask)(
        struct backend *backend, const char *op, json_t *body, json_t *events);
    void (*close)(struct backend *backend);
};

extern const struct backend_type backend_local;
extern const struct backend_type backend_distributed;

#endif
