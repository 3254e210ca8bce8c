// crowd.c - many runs at once, asked of a coordinator.
//
//     bench-crowd GRAPH --connect ENDPOINT [--size N] [--runs N] [--at-once N]
//         [--first N] [--exit] [--stream] [--detach] [--turns]
//
// GRAPH is one of bench/graphs, on a worker that is there already. Keeps
// --at-once runs under way until --runs are done, each on a thread of its own,
// from thread number --first. --detach: each is done when it is durable.
// --turns: the runs are one after the other on one thread, and the answer is
// to hold nothing. One line of JSON: the seconds of all of it, from when to
// when by the machine's clock, and of each run.
#include <superstep/client.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/graphs/graphs.h"
#include "common/base/mem.h"

enum { THREAD_SIZE = 32, PATIENCE_S = 20, AT_ONCE_MAX = 1000 };

struct wanted {
    const char *graph, *endpoint;
    size_t size, runs, at_once, first;
    int exits, streams, detaches, turns;
};

struct slot {
    struct ss_client_call *call; // NULL: it is free
    size_t run;
    double begin;
};

static size_t events;

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-crowd: %s: %s\n", what, why);
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

// The worker announces its graphs a moment after the client can ask.
static void wait_for_graphs(struct ss_client *client)
{
    struct ss_client_error error;
    json_t *known = NULL;
    double end = now_s() + PATIENCE_S;
    for (size_t count = 0; count == 0; json_decref(known)) {
        if (now_s() > end)
            complain("worker", "does not come");
        if (ss_client_graphs(client, &known, &error) != 0)
            complain("graphs", error.message);
        count = json_array_size(known);
    }
}

static json_t *request_of(const struct wanted *wanted, size_t number)
{
    char thread[THREAD_SIZE];
    (void)snprintf(thread, sizeof(thread), "bench-%zu",
        wanted->first + (wanted->turns ? 0 : number));
    json_t *request = json_pack("{s:s, s:s, s:o, s:I}", "graph", wanted->graph,
        "thread", thread, "input", bench_input(wanted->graph, wanted->size),
        "recursion_limit", (json_int_t)1000000000);
    if (wanted->exits)
        json_object_set_new(request, "durability", json_string("exit"));
    if (wanted->streams)
        json_object_set_new(request, "stream", json_pack("[s]", "updates"));
    if (wanted->detaches)
        json_object_set_new(request, "detach", json_true());
    if (wanted->turns)
        json_object_set_new(request, "output_keys", json_array());
    return request;
}

static void start(struct ss_client *client, const struct wanted *wanted,
    struct slot *slot, size_t number)
{
    const struct ss_client_ask options = {
        .on_item = wanted->streams ? count_event : NULL};
    json_t *request = request_of(wanted, number);
    slot->run = number;
    slot->begin = now_s();
    slot->call = ss_client_start(client, "run", request, &options);
}

static void finish(
    const struct wanted *wanted, struct slot *slot, double *seconds)
{
    struct ss_client_error error;
    json_t *answer = NULL;
    if (ss_client_call_finish(&slot->call, &answer, &error) != 0)
        complain(wanted->graph, error.message);
    seconds[slot->run] = now_s() - slot->begin;
    const char *status = json_string_value(json_object_get(answer, "status"));
    if (!wanted->detaches && (!status || strcmp(status, "done") != 0))
        complain(wanted->graph, status ? status : "has no status");
    json_decref(answer);
}

// All runs; how long each took, in seconds[].
static void run_all(
    struct ss_client *client, const struct wanted *wanted, double *seconds)
{
    struct slot *slots = ss_zalloc(wanted->at_once, sizeof(*slots));
    size_t begun = 0, done = 0;
    while (done < wanted->runs) {
        for (size_t i = 0; i < wanted->at_once; i++) {
            if (slots[i].call && ss_client_call_is_done(slots[i].call)) {
                finish(wanted, &slots[i], seconds);
                done++;
            }
            if (!slots[i].call && begun < wanted->runs)
                start(client, wanted, &slots[i], begun++);
        }
        if (done < wanted->runs)
            (void)ss_client_wait(client, -1, -1);
    }
    ss_free(slots);
}

static void measure(const struct wanted *wanted)
{
    struct ss_client_error error;
    struct ss_client *client;
    const struct ss_client_options options = {.endpoints = wanted->endpoint};
    double *seconds = ss_zalloc(wanted->runs, sizeof(*seconds));
    if (ss_client_open(&options, &client, &error) != 0)
        complain("connect", error.message);
    wait_for_graphs(client);
    double begin = now_s();
    run_all(client, wanted, seconds);
    double end = now_s();
    printf("{\"graph\": \"%s\", \"size\": %zu, \"runs\": %zu, \"seconds\": "
           "%.9f, \"begin\": %.9f, \"end\": %.9f, \"events\": %zu, "
           "\"each\": [",
        wanted->graph, wanted->size, wanted->runs, end - begin, begin, end,
        events);
    for (size_t i = 0; i < wanted->runs; i++)
        printf("%s%.9f", i > 0 ? ", " : "", seconds[i]);
    printf("]}\n");
    ss_client_close(&client);
    ss_free(seconds);
}

static size_t *number_of(struct wanted *wanted, int option)
{
    switch (option) {
    case 's':
        return &wanted->size;
    case 'r':
        return &wanted->runs;
    case 'a':
        return &wanted->at_once;
    default:
        return &wanted->first;
    }
}

int main(int argc, char **argv)
{
    struct wanted wanted = {.runs = 1, .at_once = 1};
    const struct option options[] = {{"size", required_argument, NULL, 's'},
        {"runs", required_argument, NULL, 'r'},
        {"at-once", required_argument, NULL, 'a'},
        {"first", required_argument, NULL, 'f'},
        {"connect", required_argument, NULL, 'c'},
        {"exit", no_argument, &wanted.exits, 1},
        {"stream", no_argument, &wanted.streams, 1},
        {"detach", no_argument, &wanted.detaches, 1},
        {"turns", no_argument, &wanted.turns, 1}, {NULL, 0, NULL, 0}};
    for (int got; (got = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (got == '?')
            return 2;
        if (got == 'c')
            wanted.endpoint = optarg;
        else if (got != 0)
            *number_of(&wanted, got) = strtoul(optarg, NULL, 10);
    }
    if (optind + 1 != argc || wanted.runs == 0 || wanted.at_once == 0 ||
        wanted.at_once > AT_ONCE_MAX)
        complain("usage", "bench-crowd GRAPH --connect ENDPOINT ...");
    wanted.graph = argv[optind];
    json_t *input = bench_input(wanted.graph, wanted.size);
    if (!input)
        complain(wanted.graph, "there is no such graph");
    json_decref(input);
    measure(&wanted);
    return 0;
}
