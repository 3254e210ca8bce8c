// app.c - an application whose tasks wait, as calls to slow services do.
//
//     start -- each nap --> nap (n tasks of `ms`) --> wake
//
// The result is a function of the input alone, however the run went. VERSION is
// given by the build: an application of another version has another graph.
#include <poll.h>
#include <superstep/superstep.h>

#ifndef VERSION
#define VERSION "1"
#endif

static int begin(struct ss_task *task)
{
    (void)task;
    return 0;
}

static int each_nap(struct ss_route *route)
{
    json_int_t count = json_integer_value(ss_input(route, "count"));
    json_int_t ms = json_integer_value(ss_input(route, "ms"));
    for (json_int_t i = 0; i < count; i++)
        ss_send(route, "nap", json_pack("{s:I,s:I}", "number", i, "ms", ms));
    return 0;
}

static int nap(struct ss_task *task)
{
    json_int_t number = json_integer_value(ss_input(task, "number"));
    json_int_t ms = json_integer_value(ss_input(task, "ms"));
    poll(NULL, 0, (int)ms);
    return ss_update(task, json_pack("{s:I}", "sum", number * number));
}

static int wake(struct ss_task *task)
{
    json_int_t sum = json_integer_value(ss_input(task, "sum"));
    return ss_update(task, json_pack("{s:I}", "result", sum));
}

static void naps(struct ss_graph_def *graph)
{
    ss_key(graph, "count", SS_INT);
    ss_key(graph, "ms", SS_INT);
    ss_key(graph, "number", SS_INT);
    ss_key(graph, "sum", SS_INT, .reducer = SS_ADD);
    ss_key(graph, "result", SS_INT);
    ss_node(graph, "begin", begin);
    ss_node(graph, "nap", nap);
    ss_node(graph, "wake", wake);
    ss_edge(graph, SS_START, "begin");
    ss_branch(graph, "begin", each_nap, .map = "[\"nap\"]");
    ss_edge(graph, "nap", "wake");
    ss_edge(graph, "wake", SS_END);
}

SS_APP_VERSION(VERSION, SS_GRAPH("naps", naps))
