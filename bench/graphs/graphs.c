// graphs.c - small graphs of bodies that do next to nothing.
//
// The application's argument, if it has one, is a file that `mark` writes a
// line to whenever it runs.
#include "bench/graphs/graphs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TURN_LETTERS = 400, WORKERS = 5 };

json_t *bench_letters(size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    static _Thread_local uint64_t state;
    char text[2048];
    if (state == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        state = (uint64_t)now.tv_nsec * UINT64_C(0x9e3779b97f4a7c15) + 1;
    }
    size = size < sizeof(text) ? size : sizeof(text);
    for (size_t i = 0; i < size; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text[i] = letters[state >> 58];
    }
    return json_stringn(text, size);
}

// --- a chain of three --------------------------------------------------------

static int count_up(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:I}", "counter",
                               (json_int_t)ss_input_int(task, "counter") + 1));
}

static void chain(struct ss_graph_def *graph)
{
    ss_key(graph, "counter", SS_INT);
    ss_node(graph, "a", count_up);
    ss_node(graph, "b", count_up);
    ss_node(graph, "c", count_up);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, "a", "b");
    ss_edge(graph, "b", "c");
    ss_edge(graph, "c", SS_END);
}

// --- a fan-out of five, a join -----------------------------------------------

static int add_own(struct ss_task *task)
{
    return ss_update(
        task, json_pack("{s:[i]}", "results", ss_node_name(task)[1] - '0'));
}

static int count_results(struct ss_task *task)
{
    size_t count = json_array_size(ss_input_get(task, "results"));
    return ss_update(task, json_pack("{s:I}", "count", (json_int_t)count));
}

static void fanout(struct ss_graph_def *graph)
{
    static const char *const names[] = {"w1", "w2", "w3", "w4", "w5", NULL};
    ss_key(graph, "results", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "count", SS_INT);
    ss_node(graph, "sum", count_results);
    for (size_t i = 0; i < WORKERS; i++) {
        ss_node(graph, names[i], add_own);
        ss_edge(graph, SS_START, names[i]);
    }
    ss_join(graph, "sum", names);
}

// --- one node, round and round -----------------------------------------------

static int count_down(struct ss_task *task)
{
    return ss_update(task,
        json_pack("{s:I}", "left", (json_int_t)ss_input_int(task, "left") - 1));
}

static int while_left(struct ss_route *route)
{
    json_t *left = json_object_get(ss_state(route), "left");
    return ss_route_to(route, json_integer_value(left) > 0 ? "it" : SS_END);
}

static void round_of(struct ss_graph_def *graph, ss_node_fn *body)
{
    ss_key(graph, "left", SS_INT);
    ss_node(graph, "it", body);
    ss_edge(graph, SS_START, "it");
    ss_branch(graph, "it", while_left);
}

static void loop(struct ss_graph_def *graph)
{
    round_of(graph, count_down);
}

static int marks = -1;

static int mark(struct ss_task *task)
{
    struct timespec now;
    char line[32];
    clock_gettime(CLOCK_MONOTONIC, &now);
    int size = snprintf(line, sizeof(line), "%" PRId64 "\n",
        (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
    if (marks < 0 || write(marks, line, (size_t)size) != size)
        return ss_fail_final(task, NULL, "there is no file to mark in");
    return count_down(task);
}

static void marked(struct ss_graph_def *graph)
{
    round_of(graph, mark);
}

// --- sends -------------------------------------------------------------------

static int send_all(struct ss_route *route)
{
    json_int_t count =
        json_integer_value(json_object_get(ss_state(route), "wanted"));
    for (json_int_t i = 0; i < count; i++)
        ss_route_send(route, "one", json_pack("{s:I}", "i", i));
    return 0;
}

static int count_one(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:i}", "done", 1));
}

static void sends(struct ss_graph_def *graph)
{
    ss_key(graph, "wanted", SS_INT);
    ss_key(graph, "done", SS_INT, .reducer = SS_ADD);
    ss_node(graph, "one", count_one);
    ss_branch(graph, SS_START, send_all);
}

// --- a conversation ----------------------------------------------------------

// Looks at the last message only, and says as much as was said to it.
static int say(struct ss_task *task)
{
    json_t *messages = ss_input_get(task, "messages");
    json_t *last = json_array_get(messages, json_array_size(messages) - 1);
    size_t size = json_string_length(json_object_get(last, "content"));
    return ss_update(task, json_pack("{s:[{s:s, s:o}]}", "messages", "type",
                               "ai", "content", bench_letters(size)));
}

static void turns(struct ss_graph_def *graph)
{
    ss_key(graph, "messages", SS_LIST, .reducer = SS_ADD_MESSAGES);
    ss_node(graph, "say", say);
    ss_edge(graph, SS_START, "say");
}

// --- all of them -------------------------------------------------------------

static json_t *number(const char *key, size_t size)
{
    return json_pack("{s:I}", key, (json_int_t)size);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

json_t *bench_input(const char *graph, size_t size)
{
    if (strcmp(graph, "chain") == 0)
        return number("counter", 0);
    if (strcmp(graph, "fanout") == 0)
        return json_pack("{s:[]}", "results");
    if (strcmp(graph, "loop") == 0 || strcmp(graph, "marked") == 0)
        return number("left", size);
    if (strcmp(graph, "sends") == 0)
        return number("wanted", size);
    if (strcmp(graph, "turns") == 0)
        return json_pack("{s:[{s:s, s:o}]}", "messages", "type", "human",
            "content", bench_letters(TURN_LETTERS));
    if (begins(graph, "sequential"))
        return json_pack("{s:[]}", "messages");
    if (strcmp(graph, "jokes") == 0)
        return bench_subjects(size);
    if (begins(graph, "react"))
        return json_pack(
            "{s:[{s:s, s:s}]}", "messages", "type", "human", "content", "hi?");
    if (strcmp(graph, "wide_300") == 0)
        return bench_wide_input(5, 5);
    if (strcmp(graph, "wide_600") == 0)
        return bench_wide_input(3, 5);
    return strcmp(graph, "wide_1200") == 0 ? bench_wide_input(3, 3) : NULL;
}

static const struct ss_app_graph graphs[] = {
    SS_GRAPH("chain", chain) SS_GRAPH("fanout", fanout) SS_GRAPH("loop", loop)
        SS_GRAPH("marked", marked) SS_GRAPH("sends", sends) SS_GRAPH(
            "turns", turns) SS_GRAPH("sequential_10", bench_sequential_10)
            SS_GRAPH("sequential_1000", bench_sequential_1000) SS_GRAPH(
                "jokes", bench_jokes) SS_GRAPH("react_10", bench_react_10)
                SS_GRAPH("react_100", bench_react_100) SS_GRAPH("wide_300",
                    bench_wide_300) SS_GRAPH("wide_600", bench_wide_600)
                    SS_GRAPH("wide_1200", bench_wide_1200){NULL, NULL}};

static int open_marks(struct ss_app_builder *app, const char *arg)
{
    if (arg)
        marks = open(arg, O_WRONLY | O_APPEND | O_CREAT, 0600);
    return arg && marks < 0 ? ss_app_error(app, "%s: no such file", arg) : 0;
}

SS_APP_EXPORT const struct ss_app ss_app_descriptor = {
    SS_ABI_VERSION, (uint32_t)sizeof(struct ss_app), NULL, graphs, open_marks};
