// superstep.c - what one superstep costs: a graph of one node that does nothing
// but say when it ran, round and round.
//
//     bench-superstep [SUPERSTEPS] [--store URL] [--json]
//
// --store: through processes on that store alone. --json: one line of JSON.
//
// Through processes (a coordinator, a worker, this client) and in one process,
// on SQLite and in memory. A superstep is the time from one run of the body to
// the next: plan, dispatch, outcome, update, checkpoint, and, on SQLite, a
// commit that is on the disk.
#include <superstep/client.h>
#include <superstep/local.h>
#include <superstep/superstep.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "worker/shell.h"

#define COORDINATOR SS_TEST_BIN_DIR "/superstep-coordinator"

static bool is_json;

enum { SUPERSTEPS = 3000, SUPERSTEPS_MAX = 1000000, LINE_SIZE = 512 };
enum { WAIT_MS = 20000, NOT_MEASURED = 100 };

// When the body ran, shared with the worker's process.
struct times {
    size_t wanted, count;
    int64_t ns[SUPERSTEPS_MAX];
};
static struct times *times;

// What this process started: it ends with it, also where something is wrong.
static pid_t started[2];
static size_t started_count;

static void stop_all(void)
{
    while (started_count > 0) {
        pid_t pid = started[--started_count];
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
}

static char folder[] = "/tmp/bench-superstep.XXXXXX";
static pid_t owner; // of the folder; 0: it is not there

static int remove_folder(void)
{
    char *const argv[] = {"/bin/rm", "-rf", folder, NULL};
    int how = -1;
    if (owner != getpid())
        return 0;
    pid_t child = fork();
    if (child == 0) {
        execv(argv[0], argv);
        _exit(127);
    }
    if (child > 0)
        (void)waitpid(child, &how, 0);
    return how;
}

_Noreturn static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-superstep: %s: %s\n", what, why);
    stop_all();
    if (remove_folder() != 0)
        fprintf(stderr, "bench-superstep: %s is left\n", folder);
    exit(1);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// --- the graph ---------------------------------------------------------------

static int tick(struct ss_task *task)
{
    struct timespec now;
    (void)task;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (times->count < times->wanted)
        times->ns[times->count++] =
            (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    return 0;
}

static int again(struct ss_route *route)
{
    return ss_route_to(route, times->count < times->wanted ? "tick" : SS_END);
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "name", SS_STR);
    ss_node(graph, "tick", tick);
    ss_edge(graph, SS_START, "tick");
    ss_branch(graph, "tick", again);
}

static const struct ss_app_graph graphs[] = {{"round", define}, {NULL, NULL}};
static const struct ss_app app = {
    SS_ABI_VERSION, (uint32_t)sizeof(struct ss_app), NULL, graphs, NULL};

static json_t *request(void)
{
    return json_pack("{s:s, s:s, s:{s:s}, s:I}", "graph", "round", "thread",
        "bench", "input", "name", "bench", "recursion_limit",
        (json_int_t)times->wanted + 10);
}

// --- processes ---------------------------------------------------------------

static pid_t fork_one(void)
{
    pid_t pid = fork();
    if (pid < 0)
        complain("fork", "refused");
    if (pid > 0)
        started[started_count++] = pid;
    else
        started_count = 0; // they are its parent's
    return pid;
}

static void start_coordinator(const char *store, char endpoint[LINE_SIZE])
{
    int files[2];
    if (pipe(files) != 0)
        complain("pipe", "refused");
    if (fork_one() == 0) {
        dup2(files[1], STDOUT_FILENO);
        close(files[0]);
        execl(COORDINATOR, COORDINATOR, "--listen", "tcp://127.0.0.1:*",
            "--store", store, (char *)NULL);
        _exit(127);
    }
    close(files[1]);
    char line[LINE_SIZE] = "";
    size_t size = 0;
    struct pollfd ready = {.fd = files[0], .events = POLLIN};
    while (!strchr(line, '\n') && size < sizeof(line) - 1) {
        ssize_t got = poll(&ready, 1, WAIT_MS) == 1
                          ? read(files[0], line + size, sizeof(line) - 1 - size)
                          : 0;
        if (got <= 0)
            complain(COORDINATOR, "does not start");
        size += (size_t)got;
    }
    close(files[0]);
    const char *begin = strstr(line, "tcp://");
    if (!begin)
        complain(COORDINATOR, line);
    snprintf(endpoint, LINE_SIZE, "%.*s", (int)strcspn(begin, ", \n"), begin);
}

static void keep_quiet(void *ctx, const char *line)
{
    (void)ctx;
    (void)line;
}

static void start_worker(const char *endpoint)
{
    if (fork_one() != 0)
        return;
    struct ss_error error;
    const struct ss_worker_options options = {.app = &app,
        .endpoint = endpoint,
        .capacity = 1,
        .on_ready = keep_quiet};
    _exit(ss_worker_run(&options, &error) == SS_OK ? 0 : 1);
}

// The worker announces its graph a moment after the client can ask for it.
static void wait_for_graph(struct ss_client *client)
{
    struct ss_client_error error;
    json_t *known = NULL;
    size_t count = 0;
    int64_t until_ms = now_ms() + WAIT_MS;
    while (count == 0) {
        if (now_ms() > until_ms)
            complain("worker", "does not start");
        if (ss_client_graphs(client, &known, &error) != 0)
            complain("graphs", error.message);
        count = json_array_size(known);
        json_decref(known);
    }
}

static void run_processes(const char *store)
{
    char endpoint[LINE_SIZE];
    struct ss_client_error error;
    struct ss_client *client;
    json_t *answer;
    start_coordinator(store, endpoint);
    start_worker(endpoint);
    const struct ss_client_options options = {.endpoints = endpoint};
    if (ss_client_open(&options, &client, &error) != 0)
        complain(endpoint, error.message);
    wait_for_graph(client);
    if (ss_client_ask(client, "run", request(), NULL, &answer, &error) != 0)
        complain("run", error.message);
    json_decref(answer);
    ss_client_close(&client);
    stop_all();
}

static void run_here(const char *store)
{
    struct ss_local_error error;
    struct ss_local *local;
    json_t *answer = NULL;
    const struct ss_local_options options = {.app = &app, .store = store};
    if (ss_local_open(&options, &local, &error) != 0 ||
        ss_local_ask(local, "run", request(), NULL, &answer, &error) != 0)
        complain("local", error.message);
    json_decref(answer);
    ss_local_close(&local);
}

// --- figures -----------------------------------------------------------------

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void report(const char *what)
{
    if (times->count < times->wanted)
        complain(what, "the run ended before its time");
    size_t count = times->count - NOT_MEASURED - 1;
    const int64_t *ns = times->ns + NOT_MEASURED;
    int64_t *each = ss_zalloc(count, sizeof(*each));
    for (size_t i = 0; i < count; i++)
        each[i] = ns[i + 1] - ns[i];
    qsort(each, count, sizeof(*each), compare);
    double all = (double)(ns[count] - ns[0]);
    size_t middle = count / 2, late = count * 99 / 100;
    static const char *const forms[] = {"%-36s %10.1f %10.1f %12.0f\n",
        "{\"what\": \"%s\", \"median_us\": %.1f, \"p99_us\": %.1f, "
        "\"per_second\": %.0f}\n"};
    printf(forms[is_json], what, (double)each[middle] / 1e3,
        (double)each[late] / 1e3, 1e9 * (double)count / all);
    fflush(stdout);
    ss_free(each);
}

// In a process of its own: ZeroMQ must be new to the one that forks a worker.
static void measure(
    const char *what, void (*run)(const char *store), const char *store)
{
    times->count = 0;
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        run(store);
        exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0)
        complain(what, "failed");
    report(what);
}

static void share_times(void)
{
    int file = open("times", O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 || ftruncate(file, sizeof(*times)) != 0)
        complain("times", "cannot be made");
    times =
        mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (times == MAP_FAILED)
        complain("times", "cannot be mapped");
    close(file);
}

static void measure_all(void)
{
    if (!is_json) {
        printf("%zu supersteps of one empty node\n", times->wanted);
        printf("%-36s %10s %10s %12s\n", "", "median us", "p99 us",
            "supersteps/s");
    }
    measure("processes, SQLite (synchronous)", run_processes, "sqlite:a.db");
    measure("processes, memory", run_processes, "memory:");
    measure("one process, SQLite (synchronous)", run_here, "sqlite:b.db");
    measure("one process, memory", run_here, "memory:");
}

int main(int argc, char **argv)
{
    size_t wanted = SUPERSTEPS;
    const char *store = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            is_json = true;
        else if (strcmp(argv[i], "--store") == 0 && i + 1 < argc)
            store = argv[++i];
        else
            wanted = strtoul(argv[i], NULL, 10);
    }
    if (wanted < 3 * NOT_MEASURED || wanted > SUPERSTEPS_MAX)
        complain("usage",
            "bench-superstep [300 to 1000000 supersteps] [--store URL] "
            "[--json]");
    if (!mkdtemp(folder))
        complain(folder, "cannot be made");
    owner = getpid();
    if (chdir(folder) != 0)
        complain(folder, "cannot be entered");
    share_times();
    times->wanted = wanted;
    if (store)
        measure("processes", run_processes, store);
    else
        measure_all();
    return remove_folder() == 0 ? 0 : 1;
}
