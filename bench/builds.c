// builds.c - what a superstep costs where many threads are at work at once, by
// builds of before and after.
//
//     bench-builds [THREADS [RUNS [STORE [COORDINATOR...]]]]
//
// A coordinator, a worker and this client, a process each. Each thread has RUNS
// runs, one after the other, through a chain of twenty nodes that add one to a
// number. STORE: memory, sqlite or postgres (a private server with fsync on),
// or all. Given several coordinators, they take turns, a line for each; the
// figures are medians of the rounds.
//
// Beside the rate stands the processor time that a superstep took of each
// process: on a machine that does other things as well the rate says little,
// and the times still compare.
#include <superstep/client.h>
#include <superstep/superstep.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "tests/support/postgres_server.h"
#include "worker/shell.h"

enum { NODES = 20, ROUNDS = 5, BUILDS_MAX = 4, STORES = 3, THREADS_MAX = 1000 };
enum { THREADS = 256, RUNS = 4, RUNS_MAX = 10000, URL_SIZE = 300 };

static struct {
    size_t threads, runs;
    const char *coordinators[BUILDS_MAX];
    size_t coordinators_count;
} wanted = {THREADS, RUNS, {SS_TEST_BIN_DIR "/superstep-coordinator"}, 1};

// Of one turn. Times in seconds.
enum figure { RATE, COORDINATOR, WORKER, CLIENT, SERVER, FIGURES };

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-builds: %s: %s\n", what, why);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds_of(const struct rusage *usage)
{
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

// --- the graph ---------------------------------------------------------------

static int add(struct ss_task *task)
{
    json_int_t n = json_integer_value(json_object_get(ss_input(task), "n"));
    return ss_update(task, json_pack("{s:I}", "n", n + 1));
}

static void define(struct ss_graph_def *graph)
{
    char name[16], before[16] = "";
    ss_key(graph, "n", SS_INT);
    for (int i = 0; i < NODES; i++) {
        (void)snprintf(name, sizeof(name), "n%02d", i);
        ss_node(graph, name, add);
        ss_edge(graph, i > 0 ? before : SS_START, name);
        memcpy(before, name, sizeof(before));
    }
}

static const struct ss_app_graph graphs[] = {{"chain", define}, {NULL, NULL}};
static const struct ss_app app = {
    SS_ABI_VERSION, (uint32_t)sizeof(struct ss_app), NULL, graphs, NULL};

// --- processes ---------------------------------------------------------------

// A port that nobody has.
static int free_port(void)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0)
        complain("port", "none is free");
    (void)close(fd);
    return ntohs(address.sin_port);
}

static pid_t fork_one(void)
{
    pid_t pid = fork();
    if (pid < 0)
        complain("fork", "refused");
    return pid;
}

static pid_t start_coordinator(
    const char *program, const char *endpoint, const char *store)
{
    pid_t pid = fork_one();
    if (pid == 0) {
        (void)dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        execl(program, program, "--listen", endpoint, "--store", store,
            (char *)NULL);
        _exit(127);
    }
    return pid;
}

static void keep_quiet(void *ctx, const char *line)
{
    (void)ctx;
    (void)line;
}

static pid_t start_worker(const char *endpoint)
{
    pid_t pid = fork_one();
    if (pid == 0) {
        struct ss_error error;
        const struct ss_worker_options options = {.app = &app,
            .endpoint = endpoint,
            .capacity = 64,
            .on_ready = keep_quiet};
        _exit(ss_worker_run(&options, &error) == SS_OK ? 0 : 1);
    }
    return pid;
}

// End it; the processor time that it took.
static double stop(pid_t pid)
{
    struct rusage before, after;
    (void)getrusage(RUSAGE_CHILDREN, &before);
    (void)kill(pid, SIGTERM);
    if (waitpid(pid, NULL, 0) != pid)
        complain("waitpid", "no such process");
    (void)getrusage(RUSAGE_CHILDREN, &after);
    return seconds_of(&after) - seconds_of(&before);
}

// --- a turn ------------------------------------------------------------------

struct thread {
    struct ss_client_call *call; // NULL: its last run has ended
    size_t left;
};

static struct ss_client_call *run_start(struct ss_client *client, size_t index)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "t%zu", index);
    return ss_client_start(client, "run",
        json_pack("{s:s, s:s, s:{s:i}}", "graph", "chain", "thread", name,
            "input", "n", 0),
        NULL);
}

// The next run of the thread, if this one has ended. Is there one under way?
static bool thread_goes_on(
    struct ss_client *client, struct thread *thread, size_t index)
{
    struct ss_client_error error;
    json_t *answer = NULL;
    if (!thread->call || !ss_client_call_is_done(thread->call))
        return thread->call != NULL;
    if (ss_client_call_finish(&thread->call, &answer, &error) != 0)
        complain("run", error.message);
    const char *status = json_string_value(json_object_get(answer, "status"));
    if (!status || strcmp(status, "done") != 0)
        complain("run", status ? status : "has no status");
    json_decref(answer);
    if (--thread->left > 0)
        thread->call = run_start(client, index);
    return thread->call != NULL;
}

static void wait_for_graph(struct ss_client *client)
{
    struct ss_client_error error;
    json_t *known = NULL;
    size_t count = 0;
    double until = seconds() + 20;
    while (count == 0) {
        if (seconds() > until)
            complain("worker", "does not start");
        if (ss_client_graphs(client, &known, &error) != 0)
            complain("graphs", error.message);
        count = json_array_size(known);
        json_decref(known);
    }
}

static double supersteps(void)
{
    return (double)(wanted.threads * wanted.runs * NODES);
}

// Supersteps a second.
static double builds_run(struct ss_client *client)
{
    struct thread *threads = ss_zalloc(wanted.threads, sizeof(*threads));
    double begin = seconds();
    for (size_t i = 0; i < wanted.threads; i++)
        threads[i] = (struct thread){run_start(client, i), wanted.runs};
    for (size_t open = wanted.threads; open > 0;) {
        ss_client_wait(client, -1, -1);
        open = 0;
        for (size_t i = 0; i < wanted.threads; i++)
            open += thread_goes_on(client, &threads[i], i);
    }
    ss_free(threads);
    return supersteps() / (seconds() - begin);
}

static void take_turn(
    const char *program, const char *store, double turn[FIGURES])
{
    char endpoint[64];
    struct ss_client_error error;
    struct ss_client *client = NULL;
    struct rusage usage;
    (void)snprintf(
        endpoint, sizeof(endpoint), "tcp://127.0.0.1:%d", free_port());
    pid_t coordinator = start_coordinator(program, endpoint, store);
    pid_t worker = start_worker(endpoint);
    const struct ss_client_options options = {
        .endpoints = endpoint, .connect_ms = 20000};
    if (ss_client_open(&options, &client, &error) != 0)
        complain(endpoint, error.message);
    wait_for_graph(client);
    turn[RATE] = builds_run(client);
    ss_client_close(&client);
    turn[WORKER] = stop(worker);
    turn[COORDINATOR] = stop(coordinator);
    (void)getrusage(RUSAGE_SELF, &usage);
    turn[CLIENT] = seconds_of(&usage);
}

// --- stores ------------------------------------------------------------------

struct place {
    const char *name;
    char folder[40];
    struct postgres_server *server;
};

static void place_url(const struct place *place, int number, char url[URL_SIZE])
{
    if (place->server)
        (void)snprintf(url, URL_SIZE, "%s&schema=builds_%d",
            postgres_server_url(place->server), number);
    else if (strcmp(place->name, "sqlite") == 0)
        (void)snprintf(url, URL_SIZE, "sqlite:%s/%d.db", place->folder, number);
    else
        (void)snprintf(url, URL_SIZE, "memory:");
}

static bool place_open(struct place *place)
{
    (void)snprintf(
        place->folder, sizeof(place->folder), "/tmp/bench-builds.XXXXXX");
    if (!mkdtemp(place->folder))
        complain(place->folder, "cannot be made");
    if (strcmp(place->name, "postgres") != 0)
        return true;
    if (!postgres_server_missing())
        place->server = postgres_server_start(true);
    if (!place->server)
        printf("postgres: skipped\n");
    return place->server != NULL;
}

static void place_close(struct place *place)
{
    postgres_server_stop(&place->server);
    char *command = ss_format("rm -rf %s", place->folder);
    if (system(command) != 0)
        complain(place->folder, "is left");
    ss_free(command);
}

// --- figures -----------------------------------------------------------------

// What the server's processes have taken, by its group.
static double server_seconds(const struct place *place)
{
    double sum = 0;
    char *command, text[64] = "";
    if (!place->server)
        return 0;
    command = ss_format("p=$(head -1 '%s/postmaster.pid');"
                        " cat /proc/$p/stat $(grep -ls \"^PPid:.$p$\""
                        " /proc/[0-9]*/status | sed 's/us$//') |"
                        " sed 's/.*) //' | awk '{t += $12 + $13 + $14 + $15}"
                        " END {print t}'",
        postgres_server_data(place->server));
    FILE *pipe = popen(command, "r");
    if (pipe && fgets(text, sizeof(text), pipe))
        sum = strtod(text, NULL) / (double)sysconf(_SC_CLK_TCK);
    if (pipe)
        (void)pclose(pipe);
    ss_free(command);
    return sum;
}

static int by_size(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

static void report(
    const char *store, size_t build, double figures[ROUNDS][FIGURES])
{
    double middle[FIGURES];
    for (size_t f = 0; f < FIGURES; f++) {
        double values[ROUNDS];
        for (size_t round = 0; round < ROUNDS; round++)
            values[round] = figures[round][f];
        qsort(values, ROUNDS, sizeof(*values), by_size);
        middle[f] = values[ROUNDS / 2];
        if (f != RATE)
            middle[f] *= 1e6 / supersteps();
    }
    printf("%-10s %5zu %9.0f %11.1f %9.1f %9.1f %9.1f\n", store, build + 1,
        middle[RATE], middle[COORDINATOR], middle[WORKER], middle[CLIENT],
        middle[SERVER]);
    (void)fflush(stdout);
}

// In a process of its own: ZeroMQ must be new to the one that forks a worker.
static void turn_of(const struct place *place, const char *program,
    const char *url, double turn[FIGURES])
{
    int ends[2];
    double before = server_seconds(place);
    const size_t size = FIGURES * sizeof(*turn);
    if (pipe(ends) != 0)
        complain("pipe", "refused");
    pid_t pid = fork_one();
    if (pid == 0) {
        take_turn(program, url, turn);
        _exit(write(ends[1], turn, size) == (ssize_t)size ? 0 : 1);
    }
    (void)close(ends[1]);
    if (read(ends[0], turn, size) != (ssize_t)size)
        complain(url, "the turn failed");
    (void)close(ends[0]);
    (void)waitpid(pid, NULL, 0);
    turn[SERVER] = server_seconds(place) - before;
}

static void measure(const char *store)
{
    struct place place = {.name = store};
    double figures[BUILDS_MAX][ROUNDS][FIGURES];
    char url[URL_SIZE];
    int number = 0;
    bool is_open = place_open(&place);
    for (size_t round = 0; is_open && round < ROUNDS; round++)
        for (size_t build = 0; build < wanted.coordinators_count; build++) {
            place_url(&place, number++, url);
            turn_of(
                &place, wanted.coordinators[build], url, figures[build][round]);
        }
    for (size_t build = 0; is_open && build < wanted.coordinators_count;
         build++)
        report(store, build, figures[build]);
    place_close(&place);
}

int main(int argc, char **argv)
{
    static const char *const stores[STORES] = {"memory", "sqlite", "postgres"};
    const char *store = argc > 3 ? argv[3] : "all";
    wanted.threads = argc > 1 ? strtoul(argv[1], NULL, 10) : THREADS;
    wanted.runs = argc > 2 ? strtoul(argv[2], NULL, 10) : RUNS;
    for (int i = 4; i < argc && i < 4 + BUILDS_MAX; i++) {
        wanted.coordinators[i - 4] = argv[i];
        wanted.coordinators_count = (size_t)i - 3;
    }
    if (wanted.threads < 1 || wanted.threads > THREADS_MAX || wanted.runs < 1 ||
        wanted.runs > RUNS_MAX || argc > 4 + BUILDS_MAX)
        complain("usage", "bench-builds [THREADS [RUNS [STORE [COORDINATOR"
                          "...]]]], 1 to 1000 threads");
    printf("%zu threads, %zu runs of %d supersteps each; processor time in us"
           " a superstep\n",
        wanted.threads, wanted.runs, NODES);
    printf("%-10s %5s %9s %11s %9s %9s %9s\n", "store", "build", "a second",
        "coordinator", "worker", "client", "server");
    for (int i = 0; i < STORES; i++)
        if (strcmp(store, "all") == 0 || strcmp(store, stores[i]) == 0)
            measure(stores[i]);
    return 0;
}
