// effects.c - a chain of nodes, each of which says in a file that it ran, and
// when. Argument: FILE:GATE. Where GATE is locked, the second one waits until
// it is not.
#include <superstep/superstep.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static char file[512], gate[512];

static int say(struct ss_task *task)
{
    char line[512];
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int size = snprintf(line, sizeof(line), "%lld %s %s %s %u\n",
        (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000,
        ss_idempotency_key(task), ss_thread_id(task), ss_node_name(task),
        ss_attempt_number(task));
    int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || write(fd, line, (size_t)size) != size)
        abort();
    close(fd);
    return 0;
}

static int step(struct ss_task *task)
{
    say(task);
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static int held(struct ss_task *task)
{
    say(task);
    int fd = open(gate, O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || flock(fd, LOCK_SH) != 0)
        abort();
    close(fd);
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static void define(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "a", step);
    ss_node(graph, "b", held);
    ss_node(graph, "c", step);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, "a", "b");
    ss_edge(graph, "b", "c");
}

static int build(struct ss_app_builder *app, const char *arg)
{
    const char *colon = arg ? strchr(arg, ':') : NULL;
    if (!colon)
        return ss_app_error(app, "the argument is FILE:GATE");
    snprintf(file, sizeof(file), "%.*s", (int)(colon - arg), arg);
    snprintf(gate, sizeof(gate), "%s", colon + 1);
    return ss_app_graph(app, "effects", define, NULL);
}

SS_APP_BUILD("1", build)
