// growth.c - what does a superstep cost in a large graph, and in a long
// conversation? In this process, in memory, so that nothing else is measured.
//
//     bench-growth [SUPERSTEPS] [--json]
//
// One node of 10 and of 100,000 runs round and round. A conversation gets a
// message in each superstep from a node that does not read it: who reads all of
// it pays for all of it.
#include <superstep/local.h>
#include <superstep/superstep.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"

enum { SUPERSTEPS = 5000, SUPERSTEPS_MAX = 100000, LARGE = 100000, WARM = 100 };

static bool is_json;
static struct {
    size_t wanted, count;
    int64_t ns[SUPERSTEPS_MAX + 1];
} times;

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-growth: %s: %s\n", what, why);
    exit(1);
}

static void note_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (times.count < times.wanted)
        times.ns[times.count++] =
            (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// --- the graphs --------------------------------------------------------------

static int tick(struct ss_task *task)
{
    (void)task;
    note_time();
    return 0;
}

static int say(struct ss_task *task)
{
    note_time();
    return ss_update(
        task, json_pack("{s:[[s, s]]}", "messages", "ai", "a word"));
}

static int again(struct ss_route *route)
{
    return ss_route_to(route, times.count < times.wanted ? "it" : SS_END);
}

static void define_round(struct ss_graph_def *graph, size_t nodes)
{
    char name[16];
    ss_key(graph, "name", SS_STR);
    ss_node(graph, "it", tick);
    ss_edge(graph, SS_START, "it");
    ss_branch(graph, "it", again);
    for (size_t i = 1; i < nodes; i++) {
        snprintf(name, sizeof(name), "n%zu", i);
        ss_node(graph, name, tick);
    }
}

static void define_small(struct ss_graph_def *graph)
{
    define_round(graph, 10);
}

static void define_large(struct ss_graph_def *graph)
{
    define_round(graph, LARGE);
}

static void define_chat(struct ss_graph_def *graph)
{
    static const char *const name[] = {"name", NULL};
    ss_key(graph, "name", SS_STR);
    ss_key(graph, "messages", SS_LIST, .reducer = SS_ADD_MESSAGES);
    ss_node(graph, "it", say, .reads = name);
    ss_edge(graph, SS_START, "it");
    ss_branch(graph, "it", again, .reads = name);
}

static const struct ss_app_graph graphs[] = {{"small", define_small},
    {"large", define_large}, {"chat", define_chat}, {NULL, NULL}};
static const struct ss_app app = {
    SS_ABI_VERSION, (uint32_t)sizeof(struct ss_app), NULL, graphs, NULL};

// --- figures -----------------------------------------------------------------

static void run(const char *graph)
{
    struct ss_local_error error;
    struct ss_local *local;
    json_t *answer = NULL;
    const struct ss_local_options options = {.app = &app, .store = "memory:"};
    times.count = 0;
    if (ss_local_open(&options, &local, &error) != 0 ||
        ss_local_ask(local, "run",
            json_pack("{s:s, s:s, s:{s:s}, s:I}", "graph", graph, "thread",
                "bench", "input", "name", "bench", "recursion_limit",
                (json_int_t)times.wanted + 10),
            NULL, &answer, &error) != 0)
        complain(graph, error.message);
    json_decref(answer);
    ss_local_close(&local);
    if (times.count < times.wanted)
        complain(graph, "the run ended before its time");
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

// The median of the supersteps from..to.
static void report(const char *what, size_t from, size_t to)
{
    int64_t *each = ss_zalloc(to - from, sizeof(*each));
    for (size_t i = from; i < to; i++)
        each[i - from] = times.ns[i + 1] - times.ns[i];
    qsort(each, to - from, sizeof(*each), compare);
    size_t middle = (to - from) / 2;
    static const char *const forms[] = {
        "%-44s %10.1f us\n", "{\"what\": \"%s\", \"median_us\": %.3f}\n"};
    printf(forms[is_json], what, (double)each[middle] / 1e3);
    fflush(stdout);
    ss_free(each);
}

int main(int argc, char **argv)
{
    times.wanted = SUPERSTEPS;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            is_json = true;
        else
            times.wanted = strtoul(argv[i], NULL, 10);
    }
    if (times.wanted < 10 * WARM || times.wanted > SUPERSTEPS_MAX)
        complain("usage", "bench-growth [1000 to 100000 supersteps] [--json]");
    if (!is_json)
        printf("median of a superstep, one process, memory\n");
    run("small");
    report("one node of 10", WARM, times.wanted - 1);
    run("large");
    report("one node of 100,000", WARM, times.wanted - 1);
    run("chat");
    report("a conversation, its first messages", WARM, 3 * WARM);
    report("the same, its last", times.wanted - 2 * WARM - 1, times.wanted - 1);
    return 0;
}
