// trouble.c - an application whose runs wait: for a label that nobody offers,
// and for their next try; one that ends its workers, and one that keeps their
// threads.
#include <superstep/superstep.h>

#include <signal.h>
#include <unistd.h>

static int fine(struct ss_task *task)
{
    return ss_update(task, json_object());
}

static int busy(struct ss_task *task)
{
    return ss_fail(task, "busy", "503");
}

static int crash(struct ss_task *task)
{
    (void)task;
    kill(getpid(), SIGKILL);
    return 0;
}

static int deaf(struct ss_task *task)
{
    (void)task;
    for (;;) // whatever it is told
        pause();
}

static void define_gpu(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_ANY);
    ss_node(graph, "train", fine, .labels = SS_ALL("gpu"));
    ss_edge(graph, SS_START, "train");
}

static void define_busy(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_ANY);
    ss_node(graph, "fetch", busy,
        .retry = {.attempts_max = 9,
            .initial_interval_ms = 1,
            .backoff_factor = 200,
            .max_interval_ms = 3600000,
            .retry_on = SS_ALL("busy")});
    ss_edge(graph, SS_START, "fetch");
}

static void define_crash(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_ANY);
    ss_node(graph, "crash", crash);
    ss_edge(graph, SS_START, "crash");
}

static void define_deaf(struct ss_graph_def *graph)
{
    ss_key(graph, "x", SS_ANY);
    ss_node(graph, "deaf", deaf, .timeout_ms = 100);
    ss_edge(graph, SS_START, "deaf");
}

SS_APP(SS_GRAPH("gpu", define_gpu) SS_GRAPH("busy", define_busy)
        SS_GRAPH("crash", define_crash) SS_GRAPH("deaf", define_deaf))
