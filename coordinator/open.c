// open.c - a coordinator is opened and closed: its names, its link, its store
// with fences, its core, and then its first shards.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/limits.h"
#include "common/app/notify.h"
#include "common/app/settings.h"
#include "common/app/stop.h"
#include "common/base/ids.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"

static int64_t or_else(int64_t given, int64_t otherwise)
{
    return given > 0 ? given : otherwise;
}

// ------------------------------------------------ names and link

// Others cannot connect to "tcp://0.0.0.0:7433": then the host's name stands in
// it.
static char *place_of(const char *listen)
{
    static const char *const all[] = {
        "tcp://0.0.0.0:", "tcp://*:", "tcp://[::]:"};
    char host[256] = "";
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        size_t size = strlen(all[i]);
        if (strncmp(listen, all[i], size) == 0 &&
            gethostname(host, sizeof(host) - 1) == 0)
            return ss_format("tcp://%s:%s", host, listen + size);
    }
    return ss_strdup(listen);
}

static int open_names(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    shell->place = options->advertise ? ss_strdup(options->advertise)
                                      : place_of(ss_link_endpoint(shell->link));
    shell->name = ss_strdup(options->name ? options->name : shell->place);
    if (strlen(shell->name) > SS_MEMBER_NAME_MAX || !shell->name[0])
        return ss_error_set(error, SS_EINVAL,
            "--name: a coordinator's name has 1 to %d bytes",
            SS_MEMBER_NAME_MAX);
    if (options->advertise &&
        ss_link_check_endpoint(options->advertise, error) != SS_OK)
        return ss_error_wrap(error, "--advertise");
    if (strlen(shell->place) > SS_ENDPOINT_SIZE_MAX)
        return ss_error_set(error, SS_EINVAL,
            "--advertise: an endpoint has at most %d bytes",
            SS_ENDPOINT_SIZE_MAX);
    return SS_OK;
}

static int open_link(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    struct ss_link_options link = {
        .endpoint =
            options->listen ? options->listen : ss_coordinator_initial.listen,
        .server = true,
        .message_size_max = SS_MESSAGE_SIZE_MAX,
        .keys = options->keys,
        .is_insecure = options->is_insecure,
        .limits = options->limits};
    int status = ss_link_open(&link, &shell->link, error);
    const char *port = strrchr(link.endpoint, ':');
    // Who stands in the way is not always somebody else.
    if (status == SS_EBUSY && shell->metrics && port &&
        strtoul(port + 1, NULL, 10) == ss_metrics_server_port(shell->metrics))
        return ss_error_set(error, SS_EBUSY,
            "%s is in use by --metrics of this very coordinator: give one of "
            "the two another port",
            link.endpoint);
    return status;
}

// ------------------------------------------------ the store

_Static_assert((int)SS_STORE_CONNECTIONS_MAX <= (int)SS_STORE_ACTORS_MAX,
    "what may be asked for can be had");

static void asks(const struct ss_coordinator_options *options, const char *what)
{
    if (options->asks)
        options->asks(options->asks_ctx, what);
}

// A server that is away is waited for.
static int open_one(const struct ss_coordinator_options *options,
    struct ss_store **ret_store, struct ss_error *error)
{
    return ss_store_open_patient(options->store, options->asks_again,
        options->asks_ctx, ret_store, error);
}

// Of a store that is shared: a fence for each connection that appends. Before
// the first, whatever was appended under this name by as many or more is over.
static int take_fences_once(struct ss_coordinator *shell,
    struct ss_store *const *stores, size_t count, uint64_t *ret_epochs,
    struct ss_error *error)
{
    int status = ss_store_fence_break(stores[0], shell->name, error);
    for (size_t i = 0; i < count && status == SS_OK; i++)
        status = ss_store_fence_take(
            stores[i], shell->name, (int)i, &ret_epochs[i], error);
    return status;
}

// Coordinators that start together may be in each other's way, and a server may
// restart just then: none of them ends by that.
static int take_fences(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options,
    struct ss_store *const *stores, size_t count, uint64_t *ret_epochs,
    struct ss_error *error)
{
    int status = SS_EAGAIN;
    for (int i = 0; i < SS_STORE_TRIES_MAX && status == SS_EAGAIN; i++) {
        struct ss_error why = {0};
        status = take_fences_once(shell, stores, count, ret_epochs, &why);
        if (status == SS_EAGAIN && options->asks_again)
            options->asks_again(options->asks_ctx, why.message);
        if (status != SS_OK)
            (void)ss_error_set(error, status, "%s", why.message);
    }
    return status;
}

// Takes the stores, also on failure.
static int start_actors(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options,
    struct ss_store *const *stores, size_t count, struct ss_error *error)
{
    uint64_t epochs[SS_STORE_ACTORS_MAX] = {0};
    int status = take_fences(shell, options, stores, count, epochs, error);
    if (status == SS_OK) {
        status = ss_store_actors_start(stores, count, &shell->actors, error);
    } else {
        for (size_t i = 0; i < count; i++) {
            struct ss_store *store = stores[i];
            ss_store_close(&store);
        }
    }
    for (size_t i = 0; i < count && status == SS_OK; i++)
        ss_store_actors_fence(shell->actors, i, epochs[i]);
    if (status == SS_OK)
        ss_store_actors_lay(shell->actors);
    shell->epoch = epochs[0];
    return status;
}

// Takes `store`, the first of the connections that were asked for.
static int start_shared(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_store *store,
    struct ss_error *error)
{
    struct ss_store *stores[SS_STORE_ACTORS_MAX] = {store};
    size_t count = 1;
    size_t wanted = (size_t)or_else(
        options->store_connections, ss_coordinator_initial.store_connections);
    int status = SS_OK;
    if (options->opened) // it is not known how to open one more
        wanted = 1;
    while (count < wanted && status == SS_OK) {
        asks(options, "open one more connection");
        status = open_one(options, &stores[count], error);
        count += status == SS_OK;
    }
    asks(options, "take the fence of this coordinator");
    if (status == SS_OK)
        return start_actors(shell, options, stores, count, error);
    for (size_t i = 0; i < count; i++)
        ss_store_close(&stores[i]);
    return status;
}

// Ask the store what has to be known before it moves to its own thread. Takes
// `store`.
static int open_actors(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_store *store,
    struct ss_error *error)
{
    bool was_stopped = false;
    shell->store_name = ss_strdup(ss_store_name(store));
    shell->store_url = ss_strdup(options->store);
    if (ss_store_is_shared(store))
        return start_shared(shell, options, store, error);
    asks(options, "read what it knows");
    int status =
        ss_store_alone_epoch(store, ss_clock_wall_us(), &shell->epoch, error);
    if (status == SS_OK)
        status = ss_store_alone_begin(store, &was_stopped, error);
    shell->is_after_crash = !was_stopped;
    if (status == SS_OK)
        return ss_store_actors_start(&store, 1, &shell->actors, error);
    ss_store_close(&store);
    return status;
}

static int open_store(const struct ss_coordinator_options *options,
    struct ss_store **ret_store, struct ss_error *error)
{
    *ret_store = options->opened;
    if (options->opened)
        return SS_OK;
    asks(options, "open, with its tables");
    return open_one(options, ret_store, error);
}

// Leases have a connection of their own, so that they do not wait behind
// appends.
static int open_leases(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    struct ss_store *store = NULL;
    asks(options, "open a connection for leases");
    int status = open_one(options, &store, error);
    if (status == SS_OK)
        status = ss_store_actor_start(store, &shell->leases, error);
    if (status != SS_OK) {
        ss_store_close(&store);
        return status;
    }
    return ss_shell_leases_start(shell, error);
}

// ------------------------------------------------ the core

static struct ss_member open_self(const struct ss_coordinator *shell)
{
    struct ss_member self = {
        .epoch = shell->epoch, .row_format = SS_ROW_FORMAT};
    memcpy(self.name, shell->name, strlen(shell->name) + 1);
    memcpy(self.endpoint, shell->place, strlen(shell->place) + 1);
    return self;
}

static void open_narrate(
    void *ctx, const struct ss_core_subject *about, const char *sentence)
{
    const struct ss_log_subject subject = {
        about->thread, about->run, about->task, about->epoch};
    (void)ctx;
    ss_stop_told(sentence);
    ss_log_about(SS_LOG_DEBUG, &subject, "%s", sentence);
}

static void open_core(
    struct ss_coordinator *shell, const struct ss_coordinator_options *options)
{
    json_t *config = ss_shell_config(shell, options);
    ss_log_set_epoch(shell->epoch);
    bool is_told = ss_stop_has_poison() || ss_log_wants(SS_LOG_DEBUG);
    shell->core =
        ss_core_new(&(struct ss_core_options){.self = open_self(shell),
            .is_shared = shell->leases != NULL,
            .is_after_crash = shell->is_after_crash,
            .members = options->members,
            .seed = ss_entropy(),
            .lease_ms = shell->lease_ms,
            .heartbeat_ms = shell->heartbeat_ms,
            .crashes_max = (uint32_t)or_else(
                options->crashes_max, ss_coordinator_initial.crashes_max),
            .adopt_ms = SS_COORDINATOR_ADOPT_MS,
            .cluster_lease_ms = or_else(options->cluster_lease_ms,
                ss_coordinator_initial.cluster_lease_ms),
            .says_debug = ss_log_wants(SS_LOG_DEBUG),
            .says_failures = options->logs_failures,
            .config = config,
            .ask = ss_shell_ask,
            .narrate = is_told ? open_narrate : NULL,
            .ctx = shell});
    json_decref(config);
}

// A coordinator alone waits until its store is read.
static int open_settle(struct ss_coordinator *shell, struct ss_error *error)
{
    int status = SS_OK;
    while (status == SS_OK && !ss_core_is_settled(shell->core))
        status = ss_coordinator_step(shell, -1, SS_SETTLE_MS, error);
    return status;
}

static int open_metrics(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    bool is_served = options->metrics && *options->metrics;
    shell->is_measured = is_served || ss_notify_is_on();
    if (!is_served)
        return SS_OK;
    int status = ss_metrics_serve(options->metrics, SS_METRIC_OF_COORDINATOR,
        "superstep-coordinator", &shell->metrics, error);
    if (status == SS_OK)
        ss_log_say(SS_LOG_INFO, "metrics and health on port %u",
            ss_metrics_server_port(shell->metrics));
    return status;
}

static int check_times(
    const struct ss_coordinator *shell, struct ss_error *error)
{
    if (shell->heartbeat_ms < shell->lease_ms)
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "a heartbeat every %lld ms cannot keep a lease of %lld ms",
        (long long)shell->heartbeat_ms, (long long)shell->lease_ms);
}

static void open_times(
    struct ss_coordinator *shell, const struct ss_coordinator_options *options)
{
    shell->lease_ms =
        or_else(options->lease_ms, ss_coordinator_initial.lease_ms);
    shell->heartbeat_ms =
        or_else(options->heartbeat_ms, ss_coordinator_initial.heartbeat_ms);
    shell->drain_ms =
        or_else(options->drain_ms, ss_coordinator_initial.drain_ms);
    shell->measure_at_ms = shell->watch.look_at_ms = INT64_MAX;
}

// Takes options->opened.
static int open_parts(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    struct ss_store *store = options->opened;
    bool is_shared = false;
    int status = check_times(shell, error);
    if (status == SS_OK)
        status = open_metrics(shell, options, error);
    if (status == SS_OK)
        status = open_link(shell, options, error);
    if (status == SS_OK)
        status = open_names(shell, options, error);
    if (status == SS_OK)
        status = open_store(options, &store, error);
    if (status != SS_OK) {
        ss_store_close(&store);
        return status;
    }
    is_shared = ss_store_is_shared(store);
    status = open_actors(shell, options, store, error);
    if (status == SS_OK && is_shared)
        status = open_leases(shell, options, error);
    if (status == SS_OK)
        asks(options, "open a connection for lists");
    return status == SS_OK ? ss_shell_open_lists(shell, options, error)
                           : status;
}

int ss_coordinator_open(const struct ss_coordinator_options *options,
    struct ss_coordinator **ret_coordinator, struct ss_error *error)
{
    struct ss_coordinator *shell = ss_zalloc(1, sizeof(*shell));
    ss_value_setup();
    open_times(shell, options);
    int status = open_parts(shell, options, error);
    // A coordinator that shares its store watches the store itself from here
    // on.
    shell->is_opening = !shell->leases;
    if (status != SS_OK || !shell->is_opening)
        asks(options, NULL);
    ss_stop_at(SS_STOP_COORDINATOR_STARTED);
    if (status == SS_OK) {
        open_core(shell, options);
        if (shell->is_opening)
            status = open_settle(shell, error);
    }
    shell->is_opening = false;
    asks(options, NULL);
    if (status == SS_OK)
        *ret_coordinator = shell;
    else
        ss_coordinator_close(&shell);
    return status;
}

void ss_coordinator_close(struct ss_coordinator **coordinator)
{
    struct ss_coordinator *shell = *coordinator;
    if (!shell)
        return;
    ss_store_actors_stop(&shell->actors);
    ss_lease_keeper_stop(&shell->keeper);
    ss_store_actor_stop(&shell->leases);
    ss_store_actor_stop(&shell->reader);
    ss_core_destroy(&shell->core);
    ss_link_close(&shell->link);
    ss_metrics_server_stop(&shell->metrics);
    ss_log_limit_fini(&shell->complaints);
    ss_free(shell->store_name);
    ss_free(shell->store_url);
    ss_free(shell->name);
    ss_free(shell->place);
    ss_free(shell);
    *coordinator = NULL;
}

const char *ss_coordinator_endpoint(const struct ss_coordinator *coordinator)
{
    return ss_link_endpoint(coordinator->link);
}

const char *ss_coordinator_store(const struct ss_coordinator *coordinator)
{
    return coordinator->store_name;
}
