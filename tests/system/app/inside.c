// inside.c - a graph with a graph inside that keeps its state.
#include <superstep/superstep.h>

static int step(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static void inner(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_checkpointer(graph, true);
    ss_node(graph, "deep", step);
    ss_edge(graph, SS_START, "deep");
}

static void define(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_subgraph(graph, "inner", inner, NULL);
    ss_node(graph, "inner", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "inner");
}

static int build(struct ss_app_builder *app, const char *arg)
{
    (void)arg;
    return ss_app_graph(app, "inside", define, NULL);
}

SS_APP_BUILD("1", build)
