// handoff.c - what it costs a worker to hand small bodies to its threads.
//
//     bench-handoff [TASKS] [--json]
//
// Lists of orders for one node that does next to nothing, as the worker's loop
// takes them from a message: started, handed over, and each next list when all
// outcomes of the last one are there. Beside it, in turns, the same bodies by
// the plain way: a queue, a signal for each order, a wake-up of the loop for
// each outcome. Processor time a task, of all threads together.
#include <superstep/superstep.h>

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "worker/execute.h"
#include "worker/host.h"

enum { TASKS = 20000, THREADS = 64, ROUNDS = 7 };

static struct ss_application *application;
static bool is_json;

static int count_up(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:i}", "n", 1));
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "n", SS_ANY);
    ss_node(graph, "up", count_up);
    ss_edge(graph, SS_START, "up");
}

static struct ss_assignment *order(size_t number)
{
    struct ss_assignment *made = ss_assignment_new();
    made->attempt = (struct ss_attempt){1, number + 1};
    made->app_graph = "g";
    made->graph = "g";
    made->node = "up";
    made->thread = "t";
    made->run = "r";
    made->input = ss_value_null();
    return made;
}

// ------------------------------------------------------------------ ours

static struct ss_host *host;

static size_t take(void)
{
    struct ss_host_reports reports;
    if (!ss_host_take(host, &reports))
        return 0;
    size_t count = reports.outcomes_count;
    ss_host_reports_fini(&reports);
    return count;
}

static void list_by_host(size_t count)
{
    for (size_t i = 0; i < count; i++)
        ss_host_start(host, order(i), INT64_MAX);
    ss_host_go(host, false);
    for (size_t ended = 0; ended < count; ended += take()) {
        struct pollfd fd = {.fd = ss_host_fd(host), .events = POLLIN};
        int64_t now_ms = ss_clock_ms();
        int64_t wake_ms = ss_host_watch(host, now_ms);
        ss_check(poll(&fd, 1, ss_clock_left(wake_ms, now_ms)) >= 0);
    }
}

// ------------------------------------------------------------------ plain

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct ss_assignment *waiting[THREADS];
static size_t waiting_count;
static struct ss_outcome *ended[THREADS];
static size_t ended_count;
static int fds[2];

static void *plain_thread(void *ctx)
{
    (void)ctx;
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (waiting_count == 0)
            pthread_cond_wait(&work, &mutex);
        struct ss_assignment *mine = waiting[--waiting_count];
        pthread_mutex_unlock(&mutex);
        struct ss_outcome *outcome = ss_execute(application, mine, NULL);
        ss_assignment_destroy(&mine);
        pthread_mutex_lock(&mutex);
        ended[ended_count++] = outcome;
        pthread_mutex_unlock(&mutex);
        ss_check(write(fds[1], "", 1) == 1);
    }
    return NULL;
}

static size_t take_plain(void)
{
    char bytes[THREADS];
    struct pollfd fd = {.fd = fds[0], .events = POLLIN};
    ss_check(poll(&fd, 1, -1) >= 0);
    ss_check(read(fds[0], bytes, sizeof(bytes)) > 0);
    pthread_mutex_lock(&mutex);
    size_t count = ended_count;
    for (size_t i = 0; i < count; i++)
        ss_outcome_destroy(&ended[i]);
    ended_count = 0;
    pthread_mutex_unlock(&mutex);
    return count;
}

static void list_by_signals(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pthread_mutex_lock(&mutex);
        waiting[waiting_count++] = order(i);
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&mutex);
    }
    for (size_t done = 0; done < count;)
        done += take_plain();
}

// ------------------------------------------------------------------ figures

static double processor_us(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e6 + (double)spent.tv_nsec / 1e3;
}

static double measure(void (*list)(size_t), size_t tasks, size_t size)
{
    double from = processor_us();
    for (size_t i = 0; i < tasks; i += size)
        list(size);
    return (processor_us() - from) / (double)tasks;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void compare_both(size_t tasks, size_t size)
{
    double ours[ROUNDS], plain[ROUNDS];
    list_by_host(size);
    list_by_signals(size);
    for (int i = 0; i < ROUNDS; i++) {
        ours[i] = measure(list_by_host, tasks / ROUNDS, size);
        plain[i] = measure(list_by_signals, tasks / ROUNDS, size);
    }
    qsort(ours, ROUNDS, sizeof(*ours), compare);
    qsort(plain, ROUNDS, sizeof(*plain), compare);
    static const char *const forms[] = {
        "%-16zu %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f %8.2f\n",
        "{\"orders\": %zu, \"least\": %.3f, \"median\": %.3f, \"most\": %.3f, "
        "\"plain_least\": %.3f, \"plain_median\": %.3f, \"plain_most\": %.3f, "
        "\"ratio\": %.3f}\n"};
    printf(forms[is_json], size, ours[0], ours[ROUNDS / 2], ours[ROUNDS - 1],
        plain[0], plain[ROUNDS / 2], plain[ROUNDS - 1],
        ours[ROUNDS / 2] / plain[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
    is_json = argc > 1 && strcmp(argv[argc - 1], "--json") == 0;
    size_t tasks = argc > 1 + is_json ? strtoul(argv[1], NULL, 10) : TASKS;
    struct ss_app_graph graphs[] = {{"g", define}, {NULL, NULL}};
    struct ss_app app = {SS_ABI_VERSION, sizeof(app), NULL, graphs, NULL};
    struct ss_error error;
    pthread_t thread;
    if (tasks < THREADS * ROUNDS) {
        fprintf(stderr, "usage: bench-handoff [%d or more tasks] [--json]\n",
            THREADS * ROUNDS);
        return 2;
    }
    ss_value_setup();
    ss_check(ss_application_new(&app, NULL, &application, &error) == SS_OK);
    ss_check(ss_host_new(&(struct ss_host_options){.application = application,
                             .threads = THREADS},
                 &host, &error) == SS_OK);
    ss_check(pipe(fds) == 0);
    for (int i = 0; i < THREADS; i++)
        ss_check(pthread_create(&thread, NULL, plain_thread, NULL) == 0);
    if (!is_json)
        printf("processor time a task, us: least, median, most of %d rounds\n"
               "%-16s %26s %26s\n",
            ROUNDS, "orders a list", "superstep", "a signal an order");
    for (size_t size = 1; size <= THREADS; size *= 8)
        compare_both(tasks, size);
    return 0;
}
