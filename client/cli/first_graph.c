// first_graph.c - waiting for the first worker of a cluster that has started.
#include "client/cli/first_graph.h"

#include <jansson.h>

#include "client/cli/cli.h"
#include "common/app/clock.h"

enum {
    WAIT_MS = 10000, // a worker that starts with the cluster is there by then
    LOOK_MS = 200,
    ANSWER_MS = 2000
};

// How many graphs are known; -1: nobody says.
static int count_graphs(struct ss_client *client)
{
    const struct ss_client_ask soon = {.timeout_ms = ANSWER_MS};
    json_t *answer = NULL;
    if (ss_client_ask(client, "graphs", NULL, &soon, &answer, NULL) != 0)
        return -1;
    const json_t *graphs = json_object_get(answer, "graphs");
    int count = json_is_array(graphs) ? (int)json_array_size(graphs) : -1;
    json_decref(answer);
    return count;
}

enum ss_first_graph ss_first_graph_await(struct ss_client *client, int stop_fd)
{
    int64_t end_ms = ss_clock_ms() + WAIT_MS;
    int count = count_graphs(client);
    if (count != 0)
        return count > 0 ? SS_FIRST_GRAPH_KNOWN : SS_FIRST_GRAPH_NONE;
    ss_cli_note("no graph is known yet; waiting up to %d s for a first worker",
        WAIT_MS / 1000);
    while (count == 0 && ss_clock_ms() < end_ms) {
        if (ss_client_wait(client, stop_fd, LOOK_MS))
            return SS_FIRST_GRAPH_STOPPED;
        count = count_graphs(client);
    }
    return count > 0 ? SS_FIRST_GRAPH_CAME : SS_FIRST_GRAPH_NONE;
}
