// big.c - an application whose node writes as many bytes as its input says.
#include <superstep/superstep.h>

static int big(struct ss_task *task)
{
    int size = (int)ss_input_int(task, "size");
    json_t *value = json_sprintf("%0*d", size, 0);
    return ss_update(task, json_pack("{s:o}", "text", value));
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "size", SS_INT);
    ss_key(graph, "text", SS_STR);
    ss_node(graph, "big", big);
    ss_edge(graph, SS_START, "big");
    ss_output_keys(graph, SS_ALL("size"));
}

SS_APP(SS_GRAPH("big", define))
