// worker_main.c - the arguments of a worker program.
#include <stdio.h>
#include <string.h>

#include "common/app/log.h"
#include "common/app/notify.h"
#include "common/app/ports.h"
#include "common/app/settings.h"
#include "common/app/startup_warnings.h"
#include "common/app/std_files.h"
#include "common/base/mem.h"
#include "common/link/keys.h"
#include "worker/ended.h"
#include "worker/supervise.h"

static const char footer[] =
    "SIGTERM or ^C drains: the worker finishes what it runs and leaves; a "
    "second one\nstops it at once.\n"
    "Exit codes: 0 drained, 2 wrong use or application, 3 refused by the "
    "coordinator.\n";

static const struct ss_args args = {.program = "superstep-worker",
    .about = "Runs the nodes of an application's graphs.",
    .usage = "--app FILE.so [options]",
    .footer = footer,
    .env_prefix = SS_SETTINGS_PREFIX};

// Whether they fit together. Returns an exit code, or -1: go on.
static int check(const struct ss_worker_settings *values, bool has_app)
{
    if (values->ended && !values->name) {
        fprintf(stderr,
            "superstep-worker: which worker has ended? say it with --name\n");
        return SS_EXIT_USAGE;
    }
    if (!has_app && !values->app && !values->ended) {
        fprintf(stderr,
            "superstep-worker: no application; name one: superstep-worker "
            "--app libhello.so\n");
        return SS_EXIT_USAGE;
    }
    for (size_t i = 0; i < values->labels.count; i++)
        if (!*values->labels.items[i]) {
            fprintf(stderr, "superstep-worker: --label is an empty text; give "
                            "a word that nodes ask for, such as gpu\n");
            return SS_EXIT_USAGE;
        } else if (strchr(values->labels.items[i], ',')) {
            fprintf(stderr,
                "superstep-worker: --label %s has a comma, and no node may ask "
                "for such a label; give each\none by itself: --label gpu "
                "--label large\n",
                values->labels.items[i]);
            return SS_EXIT_USAGE;
        }
    if (values->metrics && *values->metrics && values->processes > 1) {
        char *last =
            ss_port_after(values->metrics, (unsigned)values->processes - 1);
        bool is_there = last != NULL;
        ss_free(last);
        if (!is_there) {
            fprintf(stderr,
                "superstep-worker: each process has the port behind that of "
                "the one before, and --metrics\n%s has not so many\n",
                values->metrics);
            return SS_EXIT_USAGE;
        }
    }
    return -1;
}

static int run(const struct ss_settings *settings,
    const struct ss_worker_settings *values, const struct ss_app *app)
{
    // What a body prints is for somebody who waits for it, and a crash must not
    // take it along: superstep dev, systemd and containers read through a pipe.
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    ss_log_setup(&(struct ss_log_options){.program = "superstep-worker",
        .level = SS_LOG_INFO,
        .is_json = values->log_json});
    if (!values->ended)
        ss_startup_warnings_log(settings, values->keys, SS_ROLE_WORKER);
    struct ss_worker_options options = {.app = app,
        .app_path = values->app,
        .app_arg = values->app_arg,
        .endpoint = values->connect,
        .name = values->name,
        .keys = values->keys,
        .metrics = values->metrics,
        .labels = values->labels.items,
        .labels_count = values->labels.count,
        .capacity = (unsigned)values->capacity,
        .settings = ss_settings_json(settings)};
    if (values->ended) {
        ss_worker_tell_ended(&options, values->ended);
        json_decref(options.settings);
        return 0;
    }
    ss_notify_begin();
    int code = values->processes > 0
                   ? ss_worker_supervise(&options, (unsigned)values->processes)
                   : ss_worker_run_one(&options);
    json_decref(options.settings);
    return code;
}

int ss_worker_main(int argc, char **argv, const struct ss_app *app)
{
    struct ss_worker_settings values;
    struct ss_settings settings;
    struct ss_args all = args;
    ss_std_files_open();
    ss_settings_init(&settings, SS_SETTINGS_OF_WORKER, &values);
    if (app) { // it is linked in
        ss_settings_hide(&settings, "app");
        all.usage = NULL;
    }
    all.items = settings.items;
    int code = ss_args_run(&all, argc, argv);
    if (code < 0)
        code = check(&values, app != NULL);
    if (code < 0)
        code = run(&settings, &values, app);
    ss_settings_fini(&settings);
    return code;
}
