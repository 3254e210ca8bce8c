// crash.c - an application whose node ends its process, on every attempt.
#include <superstep/superstep.h>

#include <signal.h>
#include <unistd.h>

static int crash(struct ss_task *task)
{
    (void)task;
    kill(getpid(), SIGKILL);
    return 0;
}

static int fine(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:[s]}", "log", "fine"));
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "crash", crash);
    ss_edge(graph, SS_START, "crash");
}

static void define_fine(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "fine", fine);
    ss_edge(graph, SS_START, "fine");
}

SS_APP(SS_GRAPH("crash", define) SS_GRAPH("fine", define_fine))
