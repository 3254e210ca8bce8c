// worker_main.c - the arguments of a worker program.
#include <stdio.h>

#include "common/app/args.h"
#include "common/app/log.h"
#include "common/base/mem.h"
#include "worker/limits.h"
#include "worker/supervise.h"

struct choice {
    const char *app;
    const char *app_arg;
    const char *connect;
    const char *name;
    const char *keys;
    const char *metrics;
    struct ss_arg_list labels;
    int64_t capacity;
    int64_t processes;
    bool is_json;
};

static const char footer[] =
    "SIGTERM or ^C drains: the worker finishes what it runs and leaves; a "
    "second one\nstops it at once.\n"
    "Exit codes: 0 drained, 2 wrong use or application, 3 refused by the "
    "coordinator.\n";

// Returns an exit code, or -1: go on.
static int parse(struct choice *choice, bool has_app, int argc, char **argv)
{
    const struct ss_arg table[] = {
        {.name = "app",
            .kind = SS_ARG_TEXT,
            .to = &choice->app,
            .value = "FILE.so",
            .help = "the application: a shared object built with superstep.h"},
        {.name = "app-arg",
            .kind = SS_ARG_TEXT,
            .to = &choice->app_arg,
            .value = "TEXT",
            .help = "an argument for the application's build function"},
        {.name = "connect",
            .letter = 'c',
            .kind = SS_ARG_TEXT,
            .to = &choice->connect,
            .value = "ENDPOINTS",
            .help = "coordinators, comma between; others of their cluster are\n"
                    "found by themselves (tcp://127.0.0.1:7433)",
            .env = "SUPERSTEP_COORDINATOR"},
        {.name = "label",
            .kind = SS_ARG_LIST,
            .to = &choice->labels,
            .value = "NAME",
            .help = "what its nodes may ask for, such as gpu; several times"},
        {.name = "capacity",
            .kind = SS_ARG_INT,
            .to = &choice->capacity,
            .value = "N",
            .help = "tasks at once, each on a thread (default: processors)",
            .min = 1,
            .max = SS_CAPACITY_MAX},
        {.name = "processes",
            .kind = SS_ARG_INT,
            .to = &choice->processes,
            .value = "N",
            .help = "fork so many workers and start crashed ones again",
            .min = 1,
            .max = SS_PROCESSES_MAX},
        {.name = "name",
            .kind = SS_ARG_TEXT,
            .to = &choice->name,
            .value = "NAME",
            .help = "for people (default: HOST/PROCESS)"},
        {.name = "keys",
            .kind = SS_ARG_TEXT,
            .to = &choice->keys,
            .value = "DIR",
            .help = "keys: worker.key, and coordinator.pub (superstep keys "
                    "new)"},
        {.name = "metrics",
            .kind = SS_ARG_TEXT,
            .to = &choice->metrics,
            .value = "ADDR:PORT",
            .help = "serve /metrics (Prometheus) and /health there"},
        {.name = "log-json",
            .kind = SS_ARG_FLAG,
            .to = &choice->is_json,
            .help = "log lines as JSON"},
        {.name = NULL},
    };
    // An application that is linked in needs no --app: the table starts later.
    struct ss_args args = {.program = "superstep-worker",
        .about = "Runs the nodes of an application's graphs.",
        .usage = has_app ? NULL : "--app FILE.so [options]",
        .items = has_app ? table + 1 : table,
        .footer = footer,
        .env_prefix = "SUPERSTEP_"};
    return ss_args_run(&args, argc, argv);
}

int ss_worker_main(int argc, char **argv, const struct ss_app *app)
{
    struct choice choice = {.connect = "tcp://127.0.0.1:7433"};
    int code = parse(&choice, app != NULL, argc, argv);
    if (code >= 0)
        return code;
    if (!app && !choice.app) {
        fprintf(stderr,
            "superstep-worker: no application; name one: superstep-worker "
            "--app libhello.so\n");
        return SS_EXIT_USAGE;
    }
    if (choice.metrics && *choice.metrics && choice.processes > 1) {
        fprintf(stderr,
            "superstep-worker: --metrics is the port of one process, and "
            "--processes forks\nseveral: start them one by one, each with "
            "its --metrics\n");
        return SS_EXIT_USAGE;
    }
    ss_log_setup(&(struct ss_log_options){.program = "superstep-worker",
        .level = SS_LOG_INFO,
        .is_json = choice.is_json});
    struct ss_worker_options options = {.app = app,
        .app_path = choice.app,
        .app_arg = choice.app_arg,
        .endpoint = choice.connect,
        .name = choice.name,
        .keys = choice.keys,
        .metrics = choice.metrics,
        .labels = choice.labels.items,
        .labels_count = choice.labels.count,
        .capacity = (unsigned)choice.capacity};
    code = choice.processes > 0
               ? ss_worker_supervise(&options, (unsigned)choice.processes)
               : ss_worker_run_one(&options);
    ss_free(choice.labels.items);
    return code;
}
