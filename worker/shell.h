// shell.h - one worker process: the loop between link, session and host.
#ifndef SS_WORKER_SHELL_H
#define SS_WORKER_SHELL_H

#include <jansson.h>
#include <superstep/superstep.h>

#include "common/base/status.h"

struct ss_worker_options {
    const struct ss_app *app;  // linked in; or NULL:
    const char *app_path;      // a shared object
    const char *app_arg;       // for its build function, or NULL
    const char *endpoint;      // of coordinators, comma between
    const char *name;          // NULL: "host/pid"
    const char *keys;          // common/link/keys.h; NULL, "": none
    const char *metrics;       // common/app/metrics_server.h; NULL, "": nowhere
    unsigned capacity;         // 0: one body a processor
    const char *const *labels; // what nodes may ask for
    size_t labels_count;
    json_t
        *settings; // for `show config`: ss_settings_json(); borrowed; or NULL
    // Called once the application is loaded and compiled, before anything is
    // sent; or NULL.
    void (*on_loaded)(void *ctx);
    // Called with the line for people when a coordinator has accepted us. NULL:
    // the line goes to stdout.
    void (*on_ready)(void *ctx, const char *line);
    void *ctx;
};

// Be a worker until SIGTERM or SIGINT (which drain: finish what runs, leave), a
// second one (which stops at once), or a refusal. Call it in a process that has
// not used ZeroMQ and has no other threads; end the process soon after. SS_OK:
// drained. Errors: those of the application (plugin.h, application.h),
// of the link, and the reason why the coordinator refused.
int ss_worker_run(const struct ss_worker_options *options,
    struct ss_error *error) SS_MUST_USE;

#endif
