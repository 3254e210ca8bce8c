// scores.cpp - the same header from C++: typed values, a router, a retry.
#include <superstep/superstep.h>

#include <algorithm>
#include <exception>
#include <string>

namespace {

// A body is called from C: no exception may leave it.
template <int (*body)(ss_task *)> int guarded(ss_task *task)
{
    try {
        return body(task);
    } catch (const std::exception &error) {
        return ss_fail(task, "exception", "%s", error.what());
    }
}

int count(ss_task *task)
{
    const char *given = ss_input_str(task, "text");
    if (!given)
        return ss_fail_final(task, "no_text", "give me a text: {\"text\": …}");
    const std::string text = given;
    ss_set_int(task, "letters", static_cast<int64_t>(text.size()));
    return ss_set_float(task, "share",
        text.empty()
            ? 0.0
            : static_cast<double>(std::count(text.begin(), text.end(), 'e')) /
                  static_cast<double>(text.size()));
}

int choose(ss_route *route)
{
    return ss_route_to(
        route, ss_state_float(route, "share") > 0.1 ? "praise" : SS_END);
}

int praise(ss_task *task)
{
    const std::string text = ss_input_str(task, "text");
    return ss_set_text(task, "verdict", "%s has many an e", text.c_str());
}

void scores(ss_graph_def *graph)
{
    ss_key(graph, "text", SS_STR);
    ss_key(graph, "letters", SS_INT);
    ss_key(graph, "share", SS_FLOAT);
    ss_key(graph, "verdict", SS_STR);

    ss_node(graph, "count", guarded<count>,
        .retry = {.attempts_max = 3, .retry_on = SS_ALL("exception")});
    ss_node(graph, "praise", guarded<praise>, .timeout_ms = 5000);

    ss_edge(graph, SS_START, "count");
    ss_branch(graph, "count", choose);
    ss_edge(graph, "praise", SS_END);
}

} // namespace

SS_APP(SS_GRAPH("scores", scores))
