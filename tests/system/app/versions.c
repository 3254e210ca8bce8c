// versions.c - an application in two versions; the second has one node more in
// `letter`, and one key less in `shelf`.
#include <superstep/superstep.h>

static int write(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static void letter(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "draft", write);
    ss_edge(graph, SS_START, "draft");
#ifdef SECOND
    ss_node(graph, "sign", write);
    ss_edge(graph, "draft", "sign");
#endif
}

static int put(struct ss_task *task)
{
#ifdef SECOND
    return ss_update(task, json_pack("{s:i}", "count", 1));
#else
    return ss_update(
        task, json_pack("{s:i, s:s}", "count", 1, "extra", "keep me"));
#endif
}

static void shelf(struct ss_graph_def *graph)
{
    ss_key(graph, "count", SS_INT, .reducer = SS_ADD);
#ifndef SECOND
    ss_key(graph, "extra", SS_STR);
#endif
    ss_node(graph, "put", put);
    ss_edge(graph, SS_START, "put");
}

SS_APP(SS_GRAPH("letter", letter) SS_GRAPH("shelf", shelf))
