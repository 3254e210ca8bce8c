// says.c - an application whose node says something, and fails where it is told
// to.
#include <superstep/superstep.h>

#include <string.h>

static int says(struct ss_task *task)
{
    ss_log(task, "I was told \"%s\"", ss_input_str(task, "word"));
    if (strcmp(ss_input_str(task, "word"), "fail") == 0)
        return ss_fail_final(task, "told_so", "as I was told");
    return ss_update(task, json_object());
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "word", SS_STR);
    ss_node(graph, "says", says);
    ss_edge(graph, SS_START, "says");
}

SS_APP(SS_GRAPH("says", define))
