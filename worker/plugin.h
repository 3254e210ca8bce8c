// plugin.h - applications that are shared objects.
#ifndef SS_WORKER_PLUGIN_H
#define SS_WORKER_PLUGIN_H

#include <superstep/superstep.h>

#include "common/base/status.h"

// Load the shared object at `path` and find its descriptor. It stays loaded
// until the process ends: bodies may have left threads and pointers behind.
// Lends *ret_app. Errors, each with the path: SS_ENOTFOUND (no such file),
// SS_EIO (it cannot be read), SS_EFORMAT (no shared object for this machine, or
// a symbol that it needs is nowhere), SS_EINVAL (no ss_app_descriptor in it).
int ss_plugin_open(const char *path, const struct ss_app **ret_app,
    struct ss_error *error) SS_MUST_USE;

#endif
