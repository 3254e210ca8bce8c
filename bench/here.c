// here.c - what a run costs in one process, all of it: the request and the
// answer as json_t, entry, supersteps, rows, end.
//
//     bench-here GRAPH [--size N] [--runs N] [--store URL] [--exit] [--stream]
//
// GRAPH is one of bench/graphs. Each run is a new thread; some runs go before
// that are not counted. One line of JSON: the seconds of all runs together, how
// many they were, and the median run's own: on a machine that does other things
// as well, that one is nearest the truth. --exit: durability "exit", one
// checkpoint at the end.
// --stream: what each node updated is looked at as it comes.
#include <superstep/local.h>

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/graphs/graphs.h"
#include "common/base/mem.h"

enum { WARM_PART = 10, THREAD_SIZE = 32 };

struct wanted {
    const char *graph, *store;
    size_t size, runs;
    int exits, streams;
};

static size_t events;

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-here: %s: %s\n", what, why);
    exit(1);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void count_event(void *ctx, const json_t *item)
{
    (void)ctx;
    events += json_object_get(item, "mode") != NULL;
}

static void run_once(
    struct ss_local *local, const struct wanted *wanted, size_t number)
{
    static const struct ss_local_listener listener = {count_event, NULL};
    struct ss_local_error error;
    char thread[THREAD_SIZE];
    json_t *answer = NULL;
    (void)snprintf(thread, sizeof(thread), "bench-%zu", number);
    json_t *request = json_pack("{s:s, s:s, s:o, s:I}", "graph", wanted->graph,
        "thread", thread, "input", bench_input(wanted->graph, wanted->size),
        "recursion_limit", (json_int_t)1000000000);
    if (wanted->exits)
        json_object_set_new(request, "durability", json_string("exit"));
    if (wanted->streams)
        json_object_set_new(request, "stream", json_pack("[s]", "updates"));
    if (ss_local_ask(local, "run", request, wanted->streams ? &listener : NULL,
            &answer, &error) != 0)
        complain(wanted->graph, error.message);
    const char *status = json_string_value(json_object_get(answer, "status"));
    if (!status || strcmp(status, "done") != 0)
        complain(wanted->graph, status ? status : "has no status");
    json_decref(answer);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void measure(const struct wanted *wanted)
{
    struct ss_local_error error;
    struct ss_local *local;
    const struct ss_local_options options = {
        .app = &ss_app_descriptor, .store = wanted->store, .seed = 1};
    if (ss_local_open(&options, &local, &error) != 0)
        complain(wanted->store, error.message);
    size_t warm = wanted->runs / WARM_PART;
    for (size_t i = 0; i < warm; i++)
        run_once(local, wanted, i);
    events = 0;
    double *each = ss_zalloc(wanted->runs, sizeof(*each));
    double begin = now_s(), before = begin;
    for (size_t i = 0; i < wanted->runs; i++) {
        run_once(local, wanted, warm + i);
        each[i] = now_s() - before;
        before += each[i];
    }
    qsort(each, wanted->runs, sizeof(*each), compare);
    printf("{\"graph\": \"%s\", \"size\": %zu, \"runs\": %zu, \"seconds\": "
           "%.9f, \"median\": %.9f, \"events\": %zu}\n",
        wanted->graph, wanted->size, wanted->runs, before - begin,
        each[wanted->runs / 2], events);
    ss_free(each);
    ss_local_close(&local);
}

int main(int argc, char **argv)
{
    struct wanted wanted = {.store = "memory:", .runs = 1};
    const struct option options[] = {{"size", required_argument, NULL, 's'},
        {"runs", required_argument, NULL, 'r'},
        {"store", required_argument, NULL, 'u'},
        {"exit", no_argument, &wanted.exits, 1},
        {"stream", no_argument, &wanted.streams, 1}, {NULL, 0, NULL, 0}};
    for (int got; (got = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (got == 's')
            wanted.size = strtoul(optarg, NULL, 10);
        else if (got == 'r')
            wanted.runs = strtoul(optarg, NULL, 10);
        else if (got == 'u')
            wanted.store = optarg;
        else if (got != 0)
            return 2;
    }
    if (optind + 1 != argc || wanted.runs == 0)
        complain("usage", "bench-here GRAPH [--size N] [--runs N] ...");
    wanted.graph = argv[optind];
    json_t *input = bench_input(wanted.graph, wanted.size);
    if (!input)
        complain(wanted.graph, "there is no such graph");
    json_decref(input);
    measure(&wanted);
    return 0;
}
