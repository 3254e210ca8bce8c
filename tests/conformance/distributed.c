// distributed.c - the backend of several processes: a coordinator with its
// store, two workers, and the client library.
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <superstep/client.h>

#include "common/base/mem.h"
#include "tests/conformance/backend.h"
#include "tests/conformance/process.h"

enum {
    WORKERS = 2,
    READY_MS = 60000,    // to start, on a machine that is busy
    ANSWER_MS = 60000,   // for any one answer
    CONNECT_MS = 60000,  // it has said that it listens
    PATIENCE_MS = 10000, // a coordinator that is gone does not come back here
};

struct cluster {
    struct backend base;
    struct process coordinator;
    struct process workers[WORKERS];
    struct ss_client *client;
    bool is_gone; // nobody answers any more
};

// A path beside this program. Gives.
static char *beside(const char *path)
{
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    self[size < 0 ? 0 : size] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    return ss_format("%s/%s", self, path);
}

// The endpoint in "... listening on ENDPOINT, store ...". Gives, or NULL.
static char *endpoint_of(const char *line)
{
    static const char before[] = "listening on ";
    const char *at = strstr(line, before);
    if (!at)
        return NULL;
    at += strlen(before);
    return ss_memdup(at, strcspn(at, ", \n"));
}

static int start_coordinator(struct cluster *cluster,
    const struct backend_options *options, char **ret_endpoint,
    struct ss_error *error)
{
    char *program = beside("superstep-coordinator");
    char *file = ss_format("sqlite:%s/store.db", options->folder);
    const char *store = strcmp(options->store, "sqlite") == 0 ? file
                        : strcmp(options->store, "memory") == 0
                            ? "memory:"
                            : options->store;
    char *argv[] = {program, "--listen", "tcp://127.0.0.1:*", "--store",
        (char *)store, NULL};
    char *line = NULL;
    int status = process_start(&cluster->coordinator, argv, error);
    if (status == SS_OK)
        status = process_wait_line(
            &cluster->coordinator, "listening on ", READY_MS, &line, error);
    if (status == SS_OK)
        *ret_endpoint = endpoint_of(line);
    else
        ss_error_wrap(error, "coordinator");
    ss_free(line);
    ss_free(file);
    ss_free(program);
    return status;
}

static int start_workers(struct cluster *cluster,
    const struct backend_options *options, char *endpoint,
    struct ss_error *error)
{
    char *program = beside("superstep-worker");
    char *app = beside("../lib/scenario.so");
    char *argv[] = {program, "--app", app, "--app-arg",
        (char *)options->scenario, "--connect", endpoint, NULL};
    int status = SS_OK;
    for (int i = 0; i < WORKERS && status == SS_OK; i++)
        status = process_start(&cluster->workers[i], argv, error);
    for (int i = 0; i < WORKERS && status == SS_OK; i++) {
        char *line = NULL;
        status = process_wait_line(
            &cluster->workers[i], " ready", READY_MS, &line, error);
        ss_free(line);
    }
    if (status != SS_OK)
        ss_error_wrap(error, "worker");
    ss_free(app);
    ss_free(program);
    return status;
}

static int connect_client(
    struct cluster *cluster, const char *endpoint, struct ss_error *error)
{
    struct ss_client_error failure;
    struct ss_client_options options = {.endpoints = endpoint,
        .connect_ms = CONNECT_MS,
        .patience_ms = PATIENCE_MS};
    if (ss_client_open(&options, &cluster->client, &failure) != 0)
        return ss_error_set(error, SS_ECLOSED, "client: %s", failure.message);
    return SS_OK;
}

static void cluster_close(struct backend *backend)
{
    struct cluster *cluster = (struct cluster *)backend;
    ss_client_close(&cluster->client);
    for (int i = 0; i < WORKERS; i++)
        process_stop(&cluster->workers[i]);
    process_stop(&cluster->coordinator);
    ss_free(cluster);
}

static int cluster_open(const struct backend_options *options,
    struct backend **ret_backend, struct ss_error *error)
{
    struct cluster *cluster = ss_zalloc(1, sizeof(*cluster));
    char *endpoint = NULL;
    cluster->base.type = &backend_distributed;
    int status = start_coordinator(cluster, options, &endpoint, error);
    if (status == SS_OK && options->scenario)
        status = start_workers(cluster, options, endpoint, error);
    if (status == SS_OK)
        status = connect_client(cluster, endpoint, error);
    ss_free(endpoint);
    if (status == SS_OK)
        *ret_backend = &cluster->base;
    else
        cluster_close(&cluster->base);
    return status;
}

static void collect(void *ctx, const json_t *item)
{
    json_array_append(ctx, (json_t *)item);
}

static json_t *error_answer(const char *code, const char *message)
{
    return json_pack(
        "{s:{s:s, s:s}}", "error", "code", code, "message", message);
}

static json_t *cluster_ask(
    struct backend *backend, const char *op, json_t *body, json_t *events)
{
    struct cluster *cluster = (struct cluster *)backend;
    struct ss_client_ask options = {.timeout_ms = ANSWER_MS,
        .on_item = events ? collect : NULL,
        .ctx = events};
    struct ss_client_error error;
    json_t *answer;
    if (cluster->is_gone) {
        json_decref(body);
        return error_answer("closed", "nobody answers any more");
    }
    if (ss_client_ask(cluster->client, op, body, &options, &answer, &error) ==
        0)
        return answer;
    cluster->is_gone = strcmp(error.code, ss_status_name(SS_ECLOSED)) == 0 ||
                       strcmp(error.code, ss_status_name(SS_ETIMEOUT)) == 0;
    return error_answer(error.code, error.message);
}

const struct backend_type backend_distributed = {.name = "distributed",
    .open = cluster_open,
    .ask = cluster_ask,
    .close = cluster_close};
