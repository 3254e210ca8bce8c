// rounds.c - three nodes side by side, three times, and then a question. Each
// node writes its name and the round, so the log says how often its writes
// count; where the input has a "trace", each body appends the same to that
// file, so it says which ran.
#include <superstep/superstep.h>

#include <stdio.h>

static void trace(struct ss_task *task, int round)
{
    const char *path = ss_input_str(task, "trace");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s%d\n", ss_node_name(task), round);
    fclose(file);
}

static int log_round(struct ss_task *task)
{
    int round = (int)ss_input_int(task, "round");
    trace(task, round);
    ss_emit(task,
        json_pack("{s:s, s:i}", "node", ss_node_name(task), "round", round));
    return ss_update(
        task, json_pack("{s:[o]}", "log",
                  json_sprintf("%s%d", ss_node_name(task), round)));
}

static int turn(struct ss_task *task)
{
    int round = (int)ss_input_int(task, "round");
    trace(task, round);
    return ss_update(task, json_pack("{s:i, s:[o]}", "round", round + 1, "log",
                               json_sprintf("turn%d", round)));
}

static int again(struct ss_route *route)
{
    if (json_integer_value(json_object_get(ss_state(route), "round")) >= 3)
        return ss_route_to(route, "ask");
    ss_route_to(route, "a");
    ss_route_to(route, "b");
    return ss_route_to(route, "c");
}

static int ask(struct ss_task *task)
{
    json_t *answer = NULL;
    int status = ss_interrupt(task, json_string("Go on?"), &answer);
    if (status != 0)
        return status;
    return ss_update(task, json_pack("{s:[O]}", "log", answer));
}

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "round", SS_INT);
    ss_key(graph, "trace", SS_STR);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "a", log_round);
    ss_node(graph, "b", log_round);
    ss_node(graph, "c", log_round);
    ss_node(graph, "turn", turn);
    ss_node(graph, "ask", ask);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, SS_START, "b");
    ss_edge(graph, SS_START, "c");
    ss_join(graph, "turn", SS_ALL("a", "b", "c"));
    ss_branch(graph, "turn", again, .map = "[\"a\", \"b\", \"c\", \"ask\"]");
}

SS_APP(SS_GRAPH("rounds", define))
