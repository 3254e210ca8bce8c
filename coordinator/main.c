// main.c - the program superstep-coordinator.
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/app/log.h"
#include "common/app/notify.h"
#include "common/app/settings.h"
#include "common/app/startup_warnings.h"
#include "common/app/std_files.h"
#include "common/app/version.h"
#include "common/base/mem.h"
#include "common/link/keys.h"
#include "common/model/value.h"
#include "coordinator/check.h"
#include "coordinator/members.h"
#include "coordinator/shell.h"

enum { EXIT_CANNOT_START = 1, EXIT_STORE_FAILED = 4, EXIT_DISPLACED = 5 };

#ifdef SS_JEMALLOC
// jemalloc reads this as the process begins: a thread of its own gives back
// what has been free for a while (ten seconds). By itself it does so as others
// allocate, and who rests after a burst does not. A shorter while costs page
// faults: with two seconds 1,000 threads lost a tenth of their supersteps.
extern const char *malloc_conf;
const char *malloc_conf = "background_thread:true";
#endif

static const char program[] = "superstep-coordinator";

static const struct ss_args args = {
    .program = program,
    .about = "Plans durable graphs, hands their tasks to workers, and keeps\n"
             "what they did. It needs no application: workers bring it.",
    .env_prefix = SS_SETTINGS_PREFIX,
    .footer =
        "Exit status: 0 asked to stop; 1 cannot start; 2 usage; 4 the\n"
        "store failed, or did not answer when it was asked to stop (what\n"
        "was acknowledged is kept: start it again when it is mended);\n"
        "5 another coordinator has taken over (start it again: it joins\n"
        "as a new one).",
};

static void print_ready(const char *endpoint, const char *store)
{
    printf("%s %s listening on %s, store %s\n", program, SS_VERSION_TEXT,
        endpoint, store);
    fflush(stdout);
}

static void say_ready(void *ctx, struct ss_coordinator *coordinator)
{
    bool *is_ready = ctx;
    *is_ready = true;
    print_ready(ss_coordinator_endpoint(coordinator),
        ss_coordinator_store(coordinator));
}

// Of a member: its parent says it when all are ready.
static void say_member_ready(void *ctx, struct ss_coordinator *coordinator)
{
    bool *is_ready = ctx;
    *is_ready = true;
    ss_members_ready(coordinator);
}

static void print_finding(void *ctx, enum ss_finding finding, const char *text)
{
    json_t *line =
        json_pack("{s:s, s:s, s:s}", "finding", ss_finding_name(finding),
            "text", text, "remedy", ss_finding_remedy(finding));
    char *json = ss_json_text(line);
    puts(json);
    ss_free(json);
    json_decref(line);
    (*(int *)ctx)++;
}

// Raise the limit of descriptors, as each connection takes one.
static void raise_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
        files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

// `url`: that of the store.
static struct ss_coordinator_options options_of(
    const struct ss_coordinator_settings *values, const char *url)
{
    int64_t heartbeat_ms = values->heartbeat_ms;
    if (heartbeat_ms == ss_coordinator_initial.heartbeat_ms &&
        values->lease_ms < ss_coordinator_initial.lease_ms)
        heartbeat_ms = values->lease_ms / 5;
    return (struct ss_coordinator_options){.listen = values->listen,
        .store = url,
        .lease_ms = values->lease_ms,
        .heartbeat_ms = heartbeat_ms,
        .crashes_max = values->crashes_max,
        .logs_failures = values->log_failures,
        .name = values->name,
        .advertise = values->advertise,
        .cluster_lease_ms = values->cluster_lease_ms,
        .store_connections = values->store_connections,
        .drain_ms = values->drain_ms,
        .keys = values->keys,
        .is_insecure = values->insecure,
        .metrics = values->metrics,
        .limits = {.connections_max = (unsigned)values->connections_max,
            .per_address_max = (unsigned)values->per_address_max,
            .connections_rate = (unsigned)values->connections_rate,
            .messages_rate = (unsigned)values->messages_rate,
            .unread_max_mb = (unsigned)values->unread_max}};
}

static int check(const struct ss_settings *settings,
    const struct ss_coordinator_options *options, unsigned processes)
{
    int found = 0;
    ss_value_setup();
    ss_startup_warnings_variables(print_finding, &found);
    ss_startup_warnings_exposed(
        settings, options->keys, SS_ROLE_COORDINATOR, print_finding, &found);
    ss_coordinator_check(options, print_finding, &found);
    struct ss_error error = {0};
    if (processes > 0 && ss_members_check(options, processes, &error) != SS_OK)
        print_finding(&found, SS_FINDING_PROCESSES, error.message);
    return found > 0 ? EXIT_CANNOT_START : 0;
}

static int run(struct ss_coordinator_options *options)
{
    struct ss_error error = {0};
    bool is_ready = false, has_ended = true;
    options->ready = options->members > 0 ? say_member_ready : say_ready;
    options->ready_ctx = &is_ready;
    int status = ss_coordinator_run(options, &has_ended, &error);
    if (status == SS_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", program, error.message);
    int code = !is_ready && has_ended ? EXIT_CANNOT_START
               : status == SS_EFENCED ? EXIT_DISPLACED
                                      : EXIT_STORE_FAILED;
    if (!has_ended) {
        fflush(stdout);
        _exit(code); // threads that still wait must not use what exit() frees
    }
    return code;
}

static int run_members(
    const struct ss_coordinator_options *options, unsigned count)
{
    struct ss_error error = {0};
    if (ss_members_check(options, count, &error) != SS_OK) {
        fprintf(stderr, "%s: %s\n", program, error.message);
        return SS_EXIT_USAGE;
    }
    return ss_members_run(&(struct ss_members_options){.first = options,
        .count = count,
        .run = run,
        .cannot_start = EXIT_CANNOT_START,
        .ready = print_ready});
}

static int start(const struct ss_settings *settings,
    const struct ss_coordinator_settings *values)
{
    ss_log_setup(&(struct ss_log_options){.program = program,
        .level = values->verbose ? SS_LOG_DEBUG : SS_LOG_INFO,
        .is_json = values->log_json});
    ss_notify_begin();
    raise_descriptors();
    if (values->store &&
        ss_settings_from(settings, "db") != SS_ARG_FROM_NOWHERE)
        ss_log_say(SS_LOG_WARNING,
            "the database %s is not used: --store says "
            "another one, and --db has no effect beside it",
            values->db);
    char *url = values->store ? ss_strdup(values->store)
                              : ss_format("sqlite:%s", values->db);
    struct ss_coordinator_options options = options_of(values, url);
    unsigned processes = (unsigned)values->processes;
    options.settings = ss_settings_json(settings);
    if (!values->check)
        ss_startup_warnings_log(settings, values->keys, SS_ROLE_COORDINATOR);
    int code = values->check   ? check(settings, &options, processes)
               : processes > 0 ? run_members(&options, processes)
                               : run(&options);
    json_decref(options.settings);
    ss_free(url);
    return code;
}

int main(int argc, char **argv)
{
    struct ss_coordinator_settings values;
    struct ss_settings settings;
    struct ss_args all = args;
    ss_std_files_open();
    // A file that may not grow is an error of the store, as a full disk is.
    signal(SIGXFSZ, SIG_IGN);
    ss_settings_init(&settings, SS_SETTINGS_OF_COORDINATOR, &values);
    all.items = settings.items;
    int code = ss_args_run(&all, argc, argv);
    if (code < 0)
        code = start(&settings, &values);
    ss_settings_fini(&settings);
    return code;
}
