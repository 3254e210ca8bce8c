// main.c - the program superstep-coordinator.
#include <stdio.h>
#include <sys/resource.h>

#include "common/app/args.h"
#include "common/app/log.h"
#include "common/app/version.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/check.h"
#include "coordinator/limits.h"
#include "coordinator/shell.h"

enum { EXIT_CANNOT_START = 1, EXIT_STORE_FAILED = 4, EXIT_DISPLACED = 5 };

static const char *listen_at = SS_COORDINATOR_LISTEN;
static const char *db = "superstep.db";
static const char *store;
static int64_t lease_ms = SS_COORDINATOR_LEASE_MS;
static int64_t heartbeat_ms = SS_COORDINATOR_HEARTBEAT_MS;
static int64_t cluster_lease_ms = SS_COORDINATOR_CLUSTER_LEASE_MS;
static int64_t drain_ms = SS_COORDINATOR_DRAIN_MS;
static const char *name, *advertise;
static const char *keys;
static bool insecure;
static int64_t connections_max, per_address_max, connections_rate,
    messages_rate;
static const char *metrics;
static bool log_json, verbose, check;

static const struct ss_arg table[] = {
    {.name = "listen",
        .kind = SS_ARG_TEXT,
        .to = &listen_at,
        .value = "ENDPOINT",
        .help = "where workers and clients find it\n"
                "(" SS_COORDINATOR_LISTEN "); port * takes a free one"},
    {.name = "db",
        .kind = SS_ARG_TEXT,
        .to = &db,
        .value = "FILE",
        .help = "the SQLite database (superstep.db)"},
    {.name = "store",
        .kind = SS_ARG_TEXT,
        .to = &store,
        .value = "URL",
        .help = "in place of --db: postgres://USER@HOST/DATABASE\n"
                "(?schema=NAME), sqlite:FILE, or memory:\n"
                "(nothing is kept)"},
    {.name = "lease-ms",
        .kind = SS_ARG_INT,
        .to = &lease_ms,
        .min = SS_LEASE_MS_MIN,
        .max = SS_LEASE_MS_MAX,
        .value = "N",
        .help = "a worker that gives no sign for so long is\n"
                "lost, and its tasks go to others (10000)"},
    {.name = "heartbeat-ms",
        .kind = SS_ARG_INT,
        .to = &heartbeat_ms,
        .min = SS_HEARTBEAT_MS_MIN,
        .max = SS_LEASE_MS_MAX,
        .value = "N",
        .help = "how often workers give a sign (2000, or\n"
                "a fifth of a shorter lease)"},
    {.name = "advertise",
        .kind = SS_ARG_TEXT,
        .to = &advertise,
        .value = "ENDPOINT",
        .help = "where the others' workers and clients find it\n"
                "(--listen, with this host's name for all addresses)"},
    {.name = "name",
        .kind = SS_ARG_TEXT,
        .to = &name,
        .value = "NAME",
        .help = "its name among coordinators that share a\n"
                "database (--advertise); one that starts again\n"
                "under its name goes on at once"},
    {.name = "cluster-lease-ms",
        .kind = SS_ARG_INT,
        .to = &cluster_lease_ms,
        .min = SS_CLUSTER_LEASE_MS_MIN,
        .max = SS_LEASE_MS_MAX,
        .value = "N",
        .help = "when it gives no sign for so long, others that\n"
                "share its database take over (5000)"},
    {.name = "drain-ms",
        .kind = SS_ARG_INT,
        .to = &drain_ms,
        .min = 1,
        .max = SS_DRAIN_MS_MAX,
        .value = "N",
        .help = "how long a stop waits for running tasks\n"
                "(10000)"},
    {.name = "keys",
        .kind = SS_ARG_TEXT,
        .to = &keys,
        .value = "DIR",
        .help = "keys of superstep keys new: everything is\n"
                "encrypted, and only allowed keys come in"},
    {.name = "insecure",
        .kind = SS_ARG_FLAG,
        .to = &insecure,
        .help = "listen beyond this machine without keys"},
    {.name = "connections-max",
        .kind = SS_ARG_INT,
        .to = &connections_max,
        .min = 1,
        .max = SS_CONNECTIONS_OPTION_MAX,
        .value = "N",
        .help = "connections in all (8192, or as many as\n"
                "there are descriptors)"},
    {.name = "connections-per-address",
        .kind = SS_ARG_INT,
        .to = &per_address_max,
        .min = 1,
        .max = SS_CONNECTIONS_OPTION_MAX,
        .value = "N",
        .help = "connections from one address (1024)"},
    {.name = "connections-rate",
        .kind = SS_ARG_INT,
        .to = &connections_rate,
        .min = 1,
        .max = SS_CONNECTIONS_OPTION_MAX,
        .value = "N",
        .help = "new ones a second from one address (200)"},
    {.name = "messages-rate",
        .kind = SS_ARG_INT,
        .to = &messages_rate,
        .min = 1,
        .max = SS_MESSAGES_OPTION_MAX,
        .value = "N",
        .help = "messages a second from one peer (50000)"},
    {.name = "metrics",
        .kind = SS_ARG_TEXT,
        .to = &metrics,
        .value = "ADDR:PORT",
        .help = "serve /metrics (Prometheus) and /health there"},
    {.name = "check",
        .kind = SS_ARG_FLAG,
        .to = &check,
        .help = "start nothing; say what is wrong with these\n"
                "options, a line of JSON each (superstep doctor\n"
                "shows it)"},
    {.name = "log-json",
        .kind = SS_ARG_FLAG,
        .to = &log_json,
        .help = "log lines as JSON"},
    {.name = "verbose",
        .letter = 'v',
        .kind = SS_ARG_FLAG,
        .to = &verbose,
        .help = "log each decision of the engine"},
    {.name = NULL},
};

static const struct ss_args args = {
    .program = "superstep-coordinator",
    .about = "Plans durable graphs, hands their tasks to workers, and keeps\n"
             "what they did. It needs no application: workers bring it.",
    .items = table,
    .env_prefix = "SUPERSTEP_",
    .footer = "Exit status: 0 asked to stop; 1 cannot start; 2 usage; 4 the\n"
              "store failed (what was acknowledged is kept: start it again\n"
              "when there is room); 5 another coordinator has taken over\n"
              "(start it again: it joins as a new one).",
};

static void say_ready(void *ctx, struct ss_coordinator *coordinator)
{
    bool *is_ready = ctx;
    *is_ready = true;
    printf("%s %s listening on %s, store %s\n", args.program, SS_VERSION_TEXT,
        ss_coordinator_endpoint(coordinator),
        ss_coordinator_store(coordinator));
    fflush(stdout);
}

static void print_finding(
    void *ctx, enum ss_finding finding, const char *text)
{
    json_t *line = json_pack("{s:s, s:s, s:s}", "finding",
        ss_finding_name(finding), "text", text, "remedy",
        ss_finding_remedy(finding));
    char *json = ss_json_text(line);
    puts(json);
    ss_free(json);
    json_decref(line);
    (*(int *)ctx)++;
}

// A connection is a descriptor: as many as the system gives.
static void raise_descriptors(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
        files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

int main(int argc, char **argv)
{
    int code = ss_args_run(&args, argc, argv);
    if (code >= 0)
        return code;
    ss_log_setup(&(struct ss_log_options){.program = args.program,
        .level = verbose ? SS_LOG_DEBUG : SS_LOG_INFO,
        .is_json = log_json});
    if (heartbeat_ms == SS_COORDINATOR_HEARTBEAT_MS &&
        lease_ms < SS_COORDINATOR_LEASE_MS)
        heartbeat_ms = lease_ms / 5;
    raise_descriptors();
    bool is_ready = false;
    char *url = store ? ss_strdup(store) : ss_format("sqlite:%s", db);
    struct ss_coordinator_options options = {.listen = listen_at,
        .store = url,
        .lease_ms = lease_ms,
        .heartbeat_ms = heartbeat_ms,
        .name = name,
        .advertise = advertise,
        .cluster_lease_ms = cluster_lease_ms,
        .drain_ms = drain_ms,
        .keys = keys,
        .is_insecure = insecure,
        .metrics = metrics,
        .limits = {.connections_max = (unsigned)connections_max,
            .per_address_max = (unsigned)per_address_max,
            .connections_rate = (unsigned)connections_rate,
            .messages_rate = (unsigned)messages_rate},
        .ready = say_ready,
        .ready_ctx = &is_ready};
    if (check) {
        int found = 0;
        ss_value_setup();
        ss_coordinator_check(&options, print_finding, &found);
        ss_free(url);
        return found > 0 ? EXIT_CANNOT_START : 0;
    }
    struct ss_error error = {0};
    int status = ss_coordinator_run(&options, &error);
    ss_free(url);
    if (status == SS_OK)
        return 0;
    fprintf(stderr, "%s: %s\n", args.program, error.message);
    if (status == SS_EFENCED && is_ready)
        return EXIT_DISPLACED;
    return is_ready ? EXIT_STORE_FAILED : EXIT_CANNOT_START;
}
