// app.c - an application whose tasks wait, as calls to slow services do.
//
//     start -- each nap --> nap (n tasks of `ms`) --> wake
//
// The result is a function of the input alone, however the run went. VERSION is
// given by the build: an application of another version has another graph. Each
// nap that begins is a line in the volume that all workers share; while a file
// "hold" is there, none ends.
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <superstep/superstep.h>
#include <unistd.h>

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
    json_int_t count, ms;
    if (json_unpack(ss_state(route), "{s:I,s:I}", "count", &count, "ms", &ms))
        return ss_route_fail(route, "input", "count and ms are whole numbers");
    for (json_int_t i = 0; i < count; i++)
        ss_route_send(
            route, "nap", json_pack("{s:I,s:I}", "number", i, "ms", ms));
    return 0;
}

static bool say(const char *thread, json_int_t number)
{
    char line[256];
    int size = snprintf(line, sizeof(line), "%s %d\n", thread, (int)number);
    int fd = open("/data/naps", O_WRONLY | O_APPEND | O_CREAT, 0644);
    bool is_said = fd >= 0 && write(fd, line, (size_t)size) == size;
    if (fd >= 0)
        close(fd);
    return is_said;
}

static int nap(struct ss_task *task)
{
    json_int_t number = ss_input_int(task, "number");
    if (!say(ss_thread_id(task), number))
        return ss_fail(task, "io", "/data/naps cannot be written");
    do
        poll(NULL, 0, (int)ss_input_int(task, "ms"));
    while (access("/data/hold", F_OK) == 0);
    return ss_update(task, json_pack("{s:I}", "sum", number * number));
}

static int wake(struct ss_task *task)
{
    int64_t sum = ss_input_int(task, "sum");
    return ss_update(task, json_pack("{s:I}", "result", (json_int_t)sum));
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
