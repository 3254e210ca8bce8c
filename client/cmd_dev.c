// cmd_dev.c - superstep dev APP.so: a coordinator and workers in the
// foreground.
//
//   starting --ready--> running --ctrl-C--> draining --all gone--> end
//
// One worker starts first: what is wrong with the application is told once. The
// others follow when it is ready.
//
// Each is a process of its own, so that what crashes in a node's code costs one
// worker; it is started again. Ctrl-C lets the workers finish what they run,
// then stops the coordinator; a second one kills.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/cli/app_watch.h"
#include "client/cli/between.h"
#include "client/cli/child.h"
#include "client/cli/text.h"
#include "client/commands.h"
#include "client/limits.h"
#include "common/app/clock.h"
#include "common/app/last_words.h"
#include "common/app/limits.h"
#include "common/app/signals.h"
#include "common/app/std_files.h"
#include "common/app/version.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *app_arg;
static const char *db;
static const char *store;
static const char *listen_at;
static int64_t workers_wanted = 2;
static int64_t capacity;
static int64_t lease_ms;
static bool verbose;

const struct ss_arg ss_cmd_dev_options[] = {SS_CLI_WORD(words, "APP.so"),
    SS_CLI_TEXT(
        "app-arg", 0, app_arg, "ARG", "an argument for the application"),
    SS_CLI_INT("workers", 'w', workers_wanted, "N", 1, SS_DEV_WORKERS_MAX,
        "worker processes (2)"),
    SS_CLI_INT("capacity", 0, capacity, "N", 1, SS_CAPACITY_MAX,
        "tasks that each of them runs at once\n(one a processor)"),
    SS_CLI_TEXT("db", 0, db, "FILE", "the SQLite database (superstep.db)"),
    SS_CLI_TEXT(
        "store", 0, store, "URL", "another store: memory: keeps nothing"),
    SS_CLI_TEXT("listen", 0, listen_at, "EP",
        "where the coordinator listens\n(" SS_CLIENT_ENDPOINT ")"),
    SS_CLI_INT("lease-ms", 0, lease_ms, "N", SS_LEASE_MS_MIN, SS_LEASE_MS_MAX,
        "a worker that is silent for this long\nis lost"),
    SS_CLI_FLAG(
        "verbose", 'v', verbose, "log each decision of the coordinator"),
    SS_CLI_OPTIONS};

// A node that crashed twice will again: the third time tells nothing new.
#define CRASHES_MAX "2"

struct member {
    struct ss_child child;
    struct ss_child teller; // tells the coordinator how a worker ended
    char name[32];
    unsigned starts;
    bool is_ready;
    bool is_renewed; // it drains, and comes again with the application of now
    char words[SS_LAST_WORDS_SIZE]; // its last ones
    int64_t started_ms;
    int64_t backoff_ms;
    int64_t start_at_ms; // to be started again; 0: not
};

struct dev {
    char *coordinator_program;
    char *worker_program;
    struct member coordinator;
    struct member *workers;
    size_t workers_count;
    char *endpoint; // as the coordinator bound it
    char *store;    // as it says
    struct ss_app_watch app;
    bool is_stale, is_renewing; // built anew, and its workers run the old one;
                                // and its graphs are to be told again
    bool is_tried; // a worker was ready with the application of now
    bool is_unfit; // none can be: wait for the next build
    // Next, whether runs are under way; since when no task is out. 0: not.
    int64_t look_at_ms, quiet_since_ms;
    bool is_announced;
    bool is_draining;
    bool is_stopping; // the coordinator was told to stop
    int status;
};

static void member_start(
    struct dev *dev, struct member *it, const char *const argv[])
{
    struct ss_error error;
    it->started_ms = ss_clock_ms();
    it->start_at_ms = 0;
    it->is_ready = false;
    it->words[0] = '\0';
    if (ss_child_start(&it->child, argv, &error) != SS_OK) {
        dev->status = ss_cli_fail("%s", error.message);
        dev->is_draining = true;
    }
}

// ------------------------------------------------------------------- starting

static void start_coordinator(struct dev *dev)
{
    char lease[32];
    const char *argv[16];
    size_t count = 0;
    argv[count++] = dev->coordinator_program;
    argv[count++] = "--log-failures";
    argv[count++] = "--crashes-max";
    argv[count++] = CRASHES_MAX;
    argv[count++] = "--listen";
    argv[count++] = dev->endpoint ? dev->endpoint
                    : listen_at   ? listen_at
                                  : SS_CLIENT_ENDPOINT;
    if (db && store)
        ss_cli_note("--db has no effect beside --store");
    if (db || store) {
        argv[count++] = store ? "--store" : "--db";
        argv[count++] = store ? store : db;
    }
    if (lease_ms) {
        snprintf(lease, sizeof(lease), "%lld", (long long)lease_ms);
        argv[count++] = "--lease-ms";
        argv[count++] = lease;
    }
    if (ss_cli_options.keys) {
        argv[count++] = "--keys";
        argv[count++] = ss_cli_options.keys;
    }
    if (verbose)
        argv[count++] = "--verbose";
    argv[count] = NULL;
    member_start(dev, &dev->coordinator, argv);
}

static void start_worker(struct dev *dev, struct member *it, size_t number)
{
    char slots[32];
    const char *argv[16];
    size_t count = 0;
    // A new name each time: the old one may still hold a lease.
    if (it->starts++ == 0)
        snprintf(it->name, sizeof(it->name), "w%zu", number);
    else
        snprintf(it->name, sizeof(it->name), "w%zu-%u", number, it->starts);
    argv[count++] = dev->worker_program;
    argv[count++] = "--app";
    argv[count++] = words.items[0];
    argv[count++] = "--connect";
    argv[count++] = dev->endpoint;
    argv[count++] = "--name";
    argv[count++] = it->name;
    if (ss_cli_options.keys) {
        argv[count++] = "--keys";
        argv[count++] = ss_cli_options.keys;
    }
    if (app_arg) {
        argv[count++] = "--app-arg";
        argv[count++] = app_arg;
    }
    if (capacity) {
        snprintf(slots, sizeof(slots), "%lld", (long long)capacity);
        argv[count++] = "--capacity";
        argv[count++] = slots;
    }
    argv[count] = NULL;
    member_start(dev, it, argv);
}

// ------------------------------------------------------------------ announcing

static void print_graphs(const struct dev *dev)
{
    struct ss_client *client;
    struct ss_client_error error;
    // The worker has said that it is ready: its graphs are late only on a busy
    // machine.
    enum { LATE_MS = 4000 };
    const struct ss_client_options client_options = {.endpoints = dev->endpoint,
        .connect_ms = LATE_MS,
        .patience_ms = LATE_MS};
    json_t *graphs;
    if (ss_client_open(&client_options, &client, &error) != 0)
        return;
    if (ss_client_graphs(client, &graphs, &error) == 0) {
        size_t i;
        json_t *graph;
        json_array_foreach (graphs, i, graph) {
            json_t *nodes = json_object_get(graph, "nodes");
            if (ss_json_int(graph, "workers", 1) == 0)
                continue; // known from another day
            char *count = ss_text_count(json_is_array(nodes)
                                            ? (int64_t)json_array_size(nodes)
                                            : json_integer_value(nodes),
                "node");
            printf("graph %s  %s  version %.8s\n",
                ss_json_str(graph, "name", "?"), count,
                ss_json_str(graph, "version", "?"));
            ss_free(count);
        }
        json_decref(graphs);
    }
    ss_client_close(&client);
}

static void announce(struct dev *dev)
{
    for (size_t i = 0; i < dev->workers_count; i++)
        if (!dev->workers[i].is_ready)
            return;
    if (dev->is_draining || (dev->is_announced && !dev->is_renewing))
        return;
    dev->is_renewing = false;
    if (!dev->is_announced)
        printf("superstep %s  store %s  coordinator %s  workers %zu\n",
            SS_VERSION_TEXT, dev->store, dev->endpoint, dev->workers_count);
    dev->is_announced = true;
    print_graphs(dev);
    ss_stdout_flush();
}

// "sqlite superstep.db" as "superstep.db (sqlite)". Gives.
static char *store_text(const char *said)
{
    const char *space = strchr(said, ' ');
    return space ? ss_format("%s (%.*s)", space + 1, (int)(space - said), said)
                 : ss_strdup(said);
}

static void on_coordinator_line(struct dev *dev, const char *line)
{
    const char *listens = strstr(line, " listening on ");
    const char *stores = strstr(line, ", store ");
    if (!listens || !stores || stores < listens) {
        printf("%s\n", line);
        return;
    }
    dev->coordinator.is_ready = true;
    if (dev->endpoint) { // it was restarted
        printf("the coordinator is ready again\n");
        ss_stdout_flush();
        return;
    }
    listens += strlen(" listening on ");
    dev->endpoint = ss_memdup(listens, (size_t)(stores - listens));
    dev->store = store_text(stores + strlen(", store "));
    for (size_t i = 0; i < dev->workers_count; i++)
        dev->workers[i].start_at_ms = ss_clock_ms();
}

static void on_worker_line(struct dev *dev, struct member *it, const char *line)
{
    bool is_ready = strstr(line, " ready:") != NULL;
    const char *last = NULL;
    if (ss_last_words_are(line, &last)) {
        snprintf(it->words, sizeof(it->words), "%s", last);
    } else if (is_ready && !it->is_ready) {
        it->is_ready = dev->is_tried = true;
        if (dev->is_announced)
            printf("worker %s is ready\n", it->name);
        announce(dev);
    } else {
        printf("%s\n", line);
    }
    ss_stdout_flush();
}

// ---------------------------------------------------------------------- ending

static void drain_workers(struct dev *dev)
{
    for (size_t i = 0; i < dev->workers_count; i++) {
        dev->workers[i].start_at_ms = 0;
        ss_child_signal(&dev->workers[i].child, SIGTERM);
    }
}

static void on_stop(struct dev *dev)
{
    if (dev->is_draining) {
        for (size_t i = 0; i < dev->workers_count; i++)
            ss_child_signal(&dev->workers[i].child, SIGKILL);
        ss_child_signal(&dev->coordinator.child, SIGKILL);
        return;
    }
    dev->is_draining = true;
    fprintf(
        stderr, "superstep: finishing what runs (ctrl-C again: stop now)\n");
    drain_workers(dev);
}

static void fail(struct dev *dev)
{
    dev->status = SS_CLI_FAILED;
    if (!dev->is_draining) {
        dev->is_draining = true;
        drain_workers(dev);
    }
}

// Start it again soon, and later each time that it does not live long.
static void start_later(struct member *it)
{
    int64_t now = ss_clock_ms();
    if (now - it->started_ms > SS_DEV_BACKOFF_MS_MAX)
        it->backoff_ms = 0;
    it->start_at_ms = now + it->backoff_ms + 1;
    it->backoff_ms = it->backoff_ms * 2 + SS_DEV_BACKOFF_MS;
    if (it->backoff_ms > SS_DEV_BACKOFF_MS_MAX)
        it->backoff_ms = SS_DEV_BACKOFF_MS_MAX;
}

static void on_coordinator_end(struct dev *dev, int status)
{
    struct member *it = &dev->coordinator;
    if (dev->is_draining)
        return;
    char *text = ss_child_status_text(status);
    if (!dev->endpoint || WIFEXITED(status)) {
        // A coordinator that exits has printed the reason on stderr: a port in
        // use, a full disk.
        if (dev->endpoint || WIFSIGNALED(status))
            ss_cli_fail("the coordinator %s", text);
        fail(dev);
    } else {
        ss_cli_fail("the coordinator %s; starting it again", text);
        start_later(it);
    }
    ss_free(text);
}

// The coordinator need not wait for the lease.
static void tell_ended(struct dev *dev, struct member *it, int status)
{
    char *how = ss_last_words_how(status, it->words);
    const char *argv[12] = {dev->worker_program, "--connect", dev->endpoint,
        "--name", it->name, "--ended", how};
    if (ss_cli_options.keys) {
        argv[7] = "--keys";
        argv[8] = ss_cli_options.keys;
    }
    struct ss_error error;
    if (it->teller.pid == 0 &&
        ss_child_start(&it->teller, argv, &error) != SS_OK)
        ss_cli_fail("%s", error.message);
    ss_free(how);
}

static void tell_where(const struct dev *dev, int status)
{
    if (WIFSIGNALED(status))
        fprintf(stderr,
            "superstep: to see where: gdb -ex run --args %s --app "
            "%s --connect %s%s%s\n",
            dev->worker_program, words.items[0], dev->endpoint,
            app_arg ? " --app-arg " : "", app_arg ? app_arg : "");
}

// Wrong use or application, or refused: another try tells the same.
static bool is_refusal(int status)
{
    enum { WRONG = 2, REFUSED = 3 };
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == WRONG || WEXITSTATUS(status) == REFUSED);
}

static void on_worker_end(struct dev *dev, struct member *it, int status)
{
    if (dev->is_draining)
        return;
    if (it->is_renewed && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        it->is_renewed = false;
        it->start_at_ms = ss_clock_ms();
        return;
    }
    char *text = ss_child_status_text(status);
    if (!dev->is_announced && it->starts == 1) {
        ss_cli_fail("worker %s %s%s", it->name, text,
            WIFSIGNALED(status) ? " before it was ready: where the application "
                                  "is loaded, or its graphs are defined"
                                : "");
        fail(dev);
    } else if (!it->is_ready && !dev->is_tried && is_refusal(status)) {
        ss_cli_fail("worker %s %s: no worker runs until %s is built anew",
            it->name, text, words.items[0]);
        dev->is_unfit = true;
    } else {
        ss_cli_fail("worker %s %s; starting another", it->name, text);
        tell_ended(dev, it, status);
        start_later(it);
    }
    tell_where(dev, status);
    ss_free(text);
}

// ------------------------------------------------------------------ built anew

static void renew_workers(struct dev *dev)
{
    fprintf(
        stderr, "superstep: the workers start again with %s\n", words.items[0]);
    dev->is_stale = dev->is_tried = dev->is_unfit = false;
    dev->is_renewing = true;
    for (size_t i = 0; i < dev->workers_count; i++) {
        struct member *it = &dev->workers[i];
        it->is_ready = false;
        it->is_renewed = it->child.pid != 0;
        it->start_at_ms = it->is_renewed ? 0 : ss_clock_ms();
        ss_child_signal(&it->child, SIGTERM);
    }
}

static void look_at_app(struct dev *dev)
{
    int64_t now = ss_clock_ms();
    bool is_changed = ss_app_watch_changed(&dev->app, now);
    if (is_changed && dev->app.is_in_place)
        fprintf(stderr,
            "superstep: %s was written over, and what writes over a program "
            "that runs may crash it: let the linker, or mv, put the new file "
            "in its place\n",
            words.items[0]);
    if (is_changed && dev->is_announced && !dev->is_stale) {
        fprintf(stderr,
            "superstep: %s was built anew: the workers go on with "
            "it when no run is under way\n",
            words.items[0]);
        dev->is_stale = true;
        dev->quiet_since_ms = 0;
        dev->look_at_ms = now;
    }
    if (dev->is_draining || !dev->is_stale || now < dev->look_at_ms)
        return;
    if (ss_between_runs(dev->endpoint, &dev->quiet_since_ms, now))
        renew_workers(dev);
    else
        dev->look_at_ms = now + SS_BETWEEN_LOOK_MS;
}

// ------------------------------------------------------------------ the loop

static void look_at(struct dev *dev, struct member *it)
{
    char line[SS_CHILD_LINE_SIZE];
    bool is_worker = it != &dev->coordinator;
    while (ss_child_read(&it->child, line))
        if (is_worker)
            on_worker_line(dev, it, line);
        else
            on_coordinator_line(dev, line);
    int status;
    (void)ss_child_ended(&it->teller, &status);
    if (!ss_child_ended(&it->child, &status))
        return;
    if (is_worker)
        on_worker_end(dev, it, status);
    else
        on_coordinator_end(dev, status);
}

// When worker `index` is to be started; 0: not, or not yet.
static int64_t worker_due_ms(const struct dev *dev, size_t index)
{
    bool waits = dev->is_unfit || (index > 0 && !dev->is_tried);
    return waits ? 0 : dev->workers[index].start_at_ms;
}

static void start_due(struct dev *dev)
{
    int64_t now = ss_clock_ms();
    if (dev->is_draining)
        return;
    if (dev->coordinator.start_at_ms && now >= dev->coordinator.start_at_ms)
        start_coordinator(dev);
    for (size_t i = 0; i < dev->workers_count; i++) {
        int64_t due_ms = worker_due_ms(dev, i);
        if (due_ms && now >= due_ms)
            start_worker(dev, &dev->workers[i], i + 1);
    }
}

// True while a process lives or will be started.
static bool goes_on(struct dev *dev)
{
    if (!dev->is_draining)
        return true;
    for (size_t i = 0; i < dev->workers_count; i++)
        if (dev->workers[i].child.pid != 0)
            return true;
    // The workers are gone: nobody needs the coordinator any more.
    if (!dev->is_stopping)
        ss_child_signal(&dev->coordinator.child, SIGTERM);
    dev->is_stopping = true;
    return dev->coordinator.child.pid != 0;
}

// 0: never.
static int64_t sooner(int64_t a, int64_t b)
{
    return !a || (b && b < a) ? b : a;
}

static int wait_ms(const struct dev *dev)
{
    int64_t at = dev->coordinator.start_at_ms;
    for (size_t i = 0; i < dev->workers_count; i++)
        at = sooner(at, worker_due_ms(dev, i));
    at = sooner(at, ss_app_watch_look_at_ms(&dev->app));
    at = sooner(at, dev->is_stale ? dev->look_at_ms : 0);
    return at && !dev->is_draining ? ss_clock_left(at, ss_clock_ms()) : -1;
}

static void wait_for_something(const struct dev *dev, int signals)
{
    struct pollfd fds[SS_DEV_WORKERS_MAX + 3];
    nfds_t count = 0;
    fds[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
    fds[count++] = (struct pollfd){.fd = dev->app.fd, .events = POLLIN};
    fds[count++] =
        (struct pollfd){.fd = dev->coordinator.child.out_fd, .events = POLLIN};
    for (size_t i = 0; i < dev->workers_count; i++)
        fds[count++] = (struct pollfd){
            .fd = dev->workers[i].child.out_fd, .events = POLLIN};
    poll(fds, count, wait_ms(dev));
}

static void loop(struct dev *dev, int signals)
{
    while (goes_on(dev)) {
        wait_for_something(dev, signals);
        for (int signal; (signal = ss_signals_take()) != 0;)
            if (signal != SIGCHLD)
                on_stop(dev);
        look_at(dev, &dev->coordinator);
        for (size_t i = 0; i < dev->workers_count; i++)
            look_at(dev, &dev->workers[i]);
        look_at_app(dev);
        start_due(dev);
    }
}

int ss_cmd_dev(struct ss_client *client)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    (void)client;
    int signals;
    struct ss_error error;
    if (access(words.items[0], R_OK) != 0)
        return ss_cli_fail("%s: %s", words.items[0], strerror(errno));
    if (ss_signals_open(caught, sizeof(caught) / sizeof(caught[0]), &signals,
            &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    struct dev dev = {.workers_count = (size_t)workers_wanted};
    // How many there are is ours to say: a family would hide them from us.
    unsetenv("SUPERSTEP_PROCESSES");
    dev.coordinator_program = ss_child_program("superstep-coordinator");
    dev.worker_program = ss_child_program("superstep-worker");
    dev.workers = ss_zalloc(dev.workers_count, sizeof(*dev.workers));
    dev.coordinator.child.out_fd = dev.coordinator.teller.out_fd = -1;
    for (size_t i = 0; i < dev.workers_count; i++)
        dev.workers[i].child.out_fd = dev.workers[i].teller.out_fd = -1;
    ss_app_watch_open(&dev.app, words.items[0]);
    start_coordinator(&dev);
    loop(&dev, signals);
    ss_app_watch_close(&dev.app);
    ss_signals_close();
    ss_free(dev.coordinator_program);
    ss_free(dev.worker_program);
    ss_free(dev.workers);
    ss_free(dev.endpoint);
    ss_free(dev.store);
    return dev.status;
}
