// versions.c - an application in two versions; the second has one node more.
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

SS_APP(SS_GRAPH("letter", letter))
