// hello.c - two nodes, one state key with a reducer.
#include <superstep/superstep.h>

static int greet(struct ss_task *task)
{
    const char *name = ss_input_str(task, "name");
    if (!name)
        return ss_fail_final(
            task, "no_name", "give me a name: {\"name\": \"Ada\"}");
    return ss_set_text(task, "log", "hello %s", name);
}

static int shout(struct ss_task *task)
{
    return ss_set_str(task, "log", "HELLO");
}

static void hello(struct ss_graph_def *graph)
{
    ss_key(graph, "name", SS_STR);
    ss_key(graph, "log", SS_LIST, .reducer = SS_APPEND);

    ss_node(graph, "greet", greet);
    ss_node(graph, "shout", shout, .retry.attempts_max = 3, .timeout_ms = 5000);

    ss_edge(graph, SS_START, "greet");
    ss_edge(graph, "greet", "shout");
    ss_edge(graph, "shout", SS_END);
}

SS_APP(SS_GRAPH("hello", hello))
