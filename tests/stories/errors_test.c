// errors_test.c - bad input: each error of spec/engine.md 1.8 (R1.13) and
// spec/graph.md 1.4 is provoked, and gives its stable code and a message that
// names the culprit. What a description may not say (graph.md 1.2, 1.3) is in
// tests/unit/model/refused_test.c and raw_test.c; here are some of each, by
// request.
//
// What cannot occur here, and why:
//   resume, get_state, history, update without a checkpointer; a delta channel
//     without a saver; durability without one; clear_cache without a cache: a
//     coordinator always has a store, and the local runner too
//   checkpointer present but no thread id: a run makes one up (other requests
//     need one: below)
//   both durability and the deprecated boolean: there is no boolean
//   invalid checkpointer object: it is true, false or nothing (below)
//   timeout on a synchronous node: every body may have one
//   step_timeout: there is none, nodes have timeouts and a run can be cancelled
//   EmptyChannelError (empty_channel): readers pass empty channels over
//   NodeCancelledError: a body cannot raise a cancellation; its attempt is
//     cancelled from outside (tests/stories/people_test.c)
//   GraphInterrupt, GraphDrained: no errors, the run's status says them
//   worker_lost: nobody is lost here (tests/stories/workers_test.c)
//   unknown serialisation tag: tests/unit/wire/row_test.c
#include "tests/stories/here.h"

#include <stdio.h>

// ------------------------------------------------------------------ bodies

static int say(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static int write_one(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:s}", "one", ss_node_name(task)));
}

static int overwrite(struct ss_task *task)
{
    return ss_update(
        task, json_pack("{s:o}", "log", ss_overwrite(json_array())));
}

static int return_number(struct ss_task *task)
{
    return ss_return(task, json_integer(5));
}

static int to_parent(struct ss_task *task)
{
    return ss_parent(task, NULL, "elsewhere");
}

static int fail_well(struct ss_task *task)
{
    return ss_fail_final(task, "no_fuel", "the tank %d is empty", 7);
}

static int be_late(struct ss_task *task)
{
    while (ss_deadline_ms(task) >= 0)
        continue;
    return 0;
}

static int ask(struct ss_task *task)
{
    json_t *answer;
    int status = ss_interrupt(task, json_string("sure?"), &answer);
    return status ? status : say(task);
}

static int ask_number(struct ss_task *task)
{
    json_t *answer;
    int status = ss_interrupt_schema(task, json_string("how many?"),
        json_pack("{s:s}", "type", "integer"), true, &answer);
    return status ? status : say(task);
}

static int route_null(struct ss_route *route)
{
    return ss_route_return(route, json_null());
}

static int route_start(struct ss_route *route)
{
    return ss_route_to(route, SS_START);
}

static int route_number(struct ss_route *route)
{
    return ss_route_return(route, json_pack("{s:i}", "x", 1));
}

static int route_send_end(struct ss_route *route)
{
    return ss_route_send(route, SS_END, json_null());
}

static int route_lost(struct ss_route *route)
{
    return ss_route_to(route, "left");
}

// ------------------------------------------------------------------ graphs

// START -> each of the nodes, all with this body.
static void plain(
    struct ss_graph_def *graph, const char *const *nodes, ss_node_fn *body)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "one", SS_STR);
    for (; *nodes; nodes++) {
        ss_node(graph, *nodes, body);
        ss_edge(graph, SS_START, *nodes);
    }
}

static void log_graph(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("first", "second"), say);
}

static void conflict(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a", "b"), write_one);
}

static void ephemeral(struct ss_graph_def *graph)
{
    ss_key(graph, "one", SS_STR, .kind = SS_KIND_EPHEMERAL);
    ss_node(graph, "a", write_one);
    ss_node(graph, "b", write_one);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, SS_START, "b");
}

static void untracked(struct ss_graph_def *graph)
{
    ss_key(graph, "one", SS_STR, .kind = SS_KIND_UNTRACKED);
    ss_node(graph, "a", write_one);
    ss_node(graph, "b", write_one);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, SS_START, "b");
}

static void barrier(struct ss_graph_def *graph)
{
    ss_key(graph, "one", SS_ANY, .kind = SS_KIND_BARRIER,
        .names = SS_ALL("x", "y"));
    ss_node(graph, "a", write_one);
    ss_edge(graph, SS_START, "a");
}

static void overwrites(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a", "b"), overwrite);
}

static void number(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("counts"), return_number);
}

static void parent(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("leaves"), to_parent);
}

static void fails(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("drives"), fail_well);
}

static void asks(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a", "b"), ask);
}

static void typed(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a"), ask_number);
}

static void late(struct ss_graph_def *graph)
{
    ss_defaults(graph, .timeout_ms = 1);
    plain(graph, SS_ALL("waits"), be_late);
}

static void loops(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("again"), say);
    ss_edge(graph, "again", "again");
}

static void to_null(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a"), say);
    ss_branch(graph, "a", route_null, .name = "fork");
}

static void to_start(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a"), say);
    ss_branch(graph, "a", route_start, .name = "fork");
}

static void to_number(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a"), say);
    ss_branch(graph, "a", route_number, .name = "fork");
}

static void to_end(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a"), say);
    ss_branch(graph, "a", route_send_end, .name = "fork");
}

static void unmapped(struct ss_graph_def *graph)
{
    plain(graph, SS_ALL("a"), say);
    ss_branch(graph, "a", route_lost, .name = "fork",
        .map = "{\"lefft\": \"a\", \"right\": \"__end__\"}");
}

static void kept(struct ss_graph_def *graph)
{
    ss_checkpointer(graph, true);
    log_graph(graph);
}

static void inner(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    log_graph(graph);
}

static void outer(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", inner, NULL);
    ss_key(graph, "log", SS_LIST);
    ss_node(graph, "sub", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "sub");
}

static void raw(struct ss_graph_def *graph, const char *writes)
{
    ss_describe(graph, "kind", json_string("raw"));
    ss_describe(graph, "channels",
        json_pack("[{s:s}, {s:s}]", "name", "a", "name", "b"));
    ss_describe(graph, "nodes",
        json_pack("[{s:s, s:[s], s:[s]}]", "name", "n", "subscribe", "a",
            "writes", writes));
    ss_describe(graph, "input", json_pack("[s]", "a"));
    ss_describe(graph, "output", json_pack("[s]", "b"));
    ss_bind_node(graph, "n", return_number, NULL);
}

static void raw_list(struct ss_graph_def *graph)
{
    raw(graph, "b");
}

static void raw_tasks(struct ss_graph_def *graph)
{
    raw(graph, "__pregel_tasks");
}

const struct ss_app_graph here_graphs[] = {{"log", log_graph},
    {"conflict", conflict}, {"ephemeral", ephemeral}, {"untracked", untracked},
    {"barrier", barrier}, {"overwrites", overwrites}, {"number", number},
    {"parent", parent}, {"fails", fails}, {"asks", asks}, {"typed", typed},
    {"late", late}, {"loops", loops}, {"to_null", to_null},
    {"to_start", to_start}, {"to_number", to_number}, {"to_end", to_end},
    {"unmapped", unmapped}, {"kept", kept}, {"outer", outer},
    {"raw_list", raw_list}, {"raw_tasks", raw_tasks}, {NULL, NULL}};

// ------------------------------------------------------------------ runs

struct failure {
    const char *graph, *input, *code, *words;
};

START_TEST(what_a_graph_does_wrong_fails_its_run)
{
    static const struct failure all[] = {
        // channels
        {"conflict", "{'log': []}", "invalid_update",
            "superstep 1 (a, b): channel \"one\""},
        {"ephemeral", "{}", "invalid_update",
            "superstep 1 (a, b): channel \"one\""},
        {"untracked", "{}", "invalid_update",
            "superstep 1 (a, b): channel \"one\""},
        {"barrier", "{}", "invalid_update", "\"one\""},
        {"overwrites", "{'log': []}", "invalid_update", "\"log\""},
        {"raw_tasks", "{'a': 1}", "invalid_update", "\"__pregel_tasks\""},
        // what nodes return
        {"number", "{}", "invalid_update", "node \"counts\""},
        {"log", "'hi'", "invalid_update", "\"__start__\""},
        {"log", "[1]", "invalid_update", "\"__start__\""},
        {"parent", "{}", "no_parent", "outermost"},
        {"fails", "{}", "node_failed", "the tank 7 is empty"},
        {"late", "{}", "node_timeout", "node \"waits\""},
        // routers
        {"to_null", "{}", "invalid_argument", "branch \"fork\" of \"a\""},
        {"to_start", "{}", "invalid_argument", "\"__start__\""},
        {"to_number", "{}", "invalid_argument", "answered a map"},
        {"to_end", "{}", "invalid_update", "branch \"fork\" of \"a\""},
        {"unmapped", "{}", "unknown_route", "Did you mean \"lefft\"?"},
        // input
        {"log", "null", "empty_input", "__start__"},
        {"raw_list", "{}", "empty_input", "channel a"},
        {"raw_list", "{'nobody': 1}", "empty_input", "channel a"},
        {"raw_list", "[1]", "invalid_argument", "a map"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        here_failed(
            here_run(all[i].graph, all[i].input), all[i].code, all[i].words);
        char body[80];
        snprintf(body, sizeof(body), "{'thread': '%s'}", all[i].graph);
        here_ask("delete", body);
    }
}
END_TEST

START_TEST(the_limit_of_supersteps_is_named)
{
    json_t *answer =
        here_ask("run", "{'graph': 'loops', 'thread': 'loops', 'input': {},"
                        " 'recursion_limit': 3}");
    here_failed(answer, "recursion_limit", "limit of 3 supersteps");
}
END_TEST

// ------------------------------------------------------------------ requests

struct refusal {
    const char *op, *body, *code, *words;
};

static void refuse_all(const struct refusal *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        here_refused(all[i].op, all[i].body, all[i].code, all[i].words);
}

#define REFUSE(...)                                                            \
    do {                                                                       \
        static const struct refusal all[] = {__VA_ARGS__};                     \
        refuse_all(all, sizeof(all) / sizeof(*all));                           \
    } while (0)
#define LOG "'graph': 'log', 'thread': 'log'"

START_TEST(a_run_that_cannot_be_is_refused)
{
    REFUSE({"run", "{}", "not_found", "which graph"},
        {"run", "{'graph': 'lg', 'input': {}}", "not_found",
            "Did you mean \"log\"?"},
        {"run", "{" LOG ", 'input': {}, 'recursion_limit': 0}",
            "invalid_argument", "recursion_limit: 0"},
        {"run", "{" LOG ", 'input': {}, 'output_keys': ['nope']}",
            "invalid_argument", "\"nope\""},
        {"run", "{" LOG ", 'input': {}, 'output_keys': ['lgo']}",
            "invalid_argument",
            "graph log has no key \"lgo\". Did you mean \"log\"?"},
        {"run", "{" LOG ", 'input': {}, 'durability': 'often'}",
            "invalid_argument", "\"often\""},
        {"run", "{" LOG ", 'input': {}, 'stream': ['waves']}",
            "invalid_argument", "\"waves\""},
        {"run", "{" LOG ", 'input': {}, 'interrupt_before': 'first'}",
            "invalid_argument", "interrupt_before"},
        {"run", "{" LOG ", 'input': {}, 'interrupt_after': [1]}",
            "invalid_argument", "\"interrupt_after\" wants a list of texts"},
        {"run", "{" LOG ", 'inptu': {}}", "invalid_argument", "\"inptu\""},
        {"run", "{" LOG ", 'input': {}, 'command': {'goto': 'first'}}",
            "invalid_argument", "not both"},
        {"run", "{" LOG ", 'command': 'go'}", "invalid_argument", "command"},
        {"run", "{'graph': 'log', 'thread': '', 'input': {}}",
            "invalid_argument", "thread"},
        {"run", "{'graph': 'kept', 'thread': 'kept', 'input': {}}",
            "invalid_state", "graph kept"},
        {"dance", "{}", "invalid_argument", "\"dance\""},
        {"state", "{}", "invalid_argument", "which thread"},
        {"attach", "{'run': 'r0'}", "not_found", "r0"});
}
END_TEST

START_TEST(a_command_that_cannot_be_is_refused)
{
    here_run("log", "{'log': []}");
    REFUSE({"run", "{" LOG ", 'command': {}}", "empty_input", "empty"},
        {"run", "{" LOG ", 'command': {'goto': 5}}", "invalid_argument",
            "goto"},
        {"run", "{" LOG ", 'command': {'goto': [{'x': 1}]}}",
            "invalid_argument", "goto"},
        {"run", "{" LOG ", 'command': {'graph': '__parent__', 'goto': 'a'}}",
            "invalid_update", "parent"});
    here_is(here_state("log"), "values.log", "['first', 'second']");
}
END_TEST

START_TEST(an_answer_that_fits_no_question_is_refused)
{
    here_run("asks", "{}");
    REFUSE(
        {"run", "{'graph': 'asks', 'thread': 'asks', 'command': {'resume': 1}}",
            "invalid_state", "2 questions are open"},
        {"run",
            "{'graph': 'asks', 'thread': 'asks', 'strict_resume': true,"
            " 'command': {'resume': 1}}",
            "ambiguous_resume", "2 questions are open"},
        {"run",
            "{'graph': 'asks', 'thread': 'asks', 'strict_resume': true,"
            " 'command': {'resume': {}}}",
            "empty_resume", "open question"},
        {"run",
            "{'graph': 'asks', 'thread': 'asks', 'strict_resume': true,"
            " 'command': {'resume': {'00000000000000000000000000000000': 1}}}",
            "unknown_interrupt", "00000000000000000000000000000000"});
    here_is(here_state("asks"), "next", "['a', 'b']");
    here_run("typed", "{}");
    here_failed(here_command("typed", "{'resume': 'many'}"), "invalid_answer",
        "integer");
}
END_TEST

#define UPDATE(supersteps) "{" LOG ", 'supersteps': " supersteps "}"

START_TEST(an_update_that_cannot_be_is_refused)
{
    here_run("log", "{'log': []}");
    here_run("raw_list", "{'a': 1}");
    here_run("outer", "{'log': []}");
    REFUSE({"update", UPDATE("[]"), "invalid_argument", "supersteps"},
        {"update", UPDATE("[[{'values': {}}], []]"), "invalid_argument",
            "number 1"},
        {"update",
            UPDATE("[[{'values': null, 'as_node': '__end__'},"
                   " {'values': {}, 'as_node': 'first'}]]"),
            "invalid_update", "__end__"},
        {"update",
            UPDATE("[[{'values': {}, 'as_node': 'first'},"
                   " {'values': {}, 'as_node': '__input__'}]]"),
            "invalid_update", "__input__"},
        {"update",
            UPDATE("[[{'values': {}, 'as_node': 'first'},"
                   " {'values': null, 'as_node': '__copy__'}]]"),
            "invalid_update", "__copy__"},
        {"update",
            UPDATE("[[{'values': {}, 'as_node': 'first'}, {'values': {}}]]"),
            "invalid_update", "as_node"},
        {"update", UPDATE("[[{'values': {'log': ['x']}}]]"), "invalid_update",
            "ambiguous"},
        {"update", UPDATE("[[{'values': {}, 'as_node': 'frist'}]]"),
            "invalid_update", "\"frist\""},
        {"update", UPDATE("[[{'values': {}, 'as_node': '__end__'}]]"),
            "invalid_update", "\"__end__\""},
        {"update", UPDATE("[[{'values': 5, 'as_node': 'first'}]]"),
            "invalid_update", "node \"first\""},
        {"update", UPDATE("[[{'values': null, 'as_node': '__input__'}]]"),
            "invalid_update", "__input__"},
        {"update",
            "{'graph': 'raw_list', 'thread': 'raw_list', 'supersteps':"
            " [[{'values': {'nobody': 1}, 'as_node': '__input__'}]]}",
            "invalid_update", "raw_list"},
        {"update",
            "{'graph': 'log', 'thread': 'new', 'supersteps':"
            " [[{'values': null, 'as_node': '__copy__'}]]}",
            "invalid_update", "__copy__"},
        {"update", UPDATE("[[{'values': ['x'], 'as_node': '__copy__'}]]"),
            "invalid_update", "item 0"},
        {"update",
            "{'graph': 'outer', 'thread': 'outer', 'checkpoint_ns': 'sbu:1',"
            " 'supersteps': [[{'values': {}, 'as_node': 'first'}]]}",
            "invalid_argument", "\"sbu"},
        {"update",
            "{'graph': 'kept', 'thread': 'kept', 'supersteps':"
            " [[{'values': {}, 'as_node': 'first'}]]}",
            "invalid_state", "kept"},
        {"state", "{'graph': 'kept', 'thread': 'kept'}", "invalid_state",
            "kept"},
        {"history", "{'graph': 'kept', 'thread': 'kept'}", "invalid_state",
            "kept"});
    ck_assert_uint_eq(json_array_size(here_history("log")), 3);
    here_is(here_ask("state", "{'thread': 'outer', 'graph': 'outer',"
                              " 'checkpoint_ns': 'sbu:1'}"),
        "state.values", "{}");
}
END_TEST

// ------------------------------------------------------------------ graphs

#define COMPILE(more)                                                          \
    "{'description': {'name': 'g', 'kind': 'state', 'state': []," more "}}"
#define A "'nodes': [{'name': 'a'}], 'edges': [['__start__', 'a']]"

START_TEST(a_graph_that_cannot_be_is_refused)
{
    REFUSE({"compile", "{}", "invalid_argument", "description"},
        {"compile",
            COMPILE("'nodes': [{'name': 'a'}, {'name': 'a'}],"
                    " 'edges': [['__start__', 'a']]"),
            "invalid_argument", "\"a\""},
        {"compile", COMPILE("'nodes': [{'name': '__end__'}], 'edges': []"),
            "invalid_argument", "\"__end__\""},
        {"compile", COMPILE("'nodes': [{'name': 'a|b'}], 'edges': []"),
            "invalid_argument", "a|b"},
        {"compile", COMPILE("'nodes': [{'name': 'configurable'}], 'edges': []"),
            "invalid_argument", "\"configurable\""},
        {"compile",
            COMPILE("'nodes': [{'name': 'a'}],"
                    " 'edges': [['__start__', 'a'], ['__end__', 'a']]"),
            "invalid_argument", "__end__"},
        {"compile",
            COMPILE("'nodes': [{'name': 'a'}],"
                    " 'edges': [['__start__', 'a'], ['a', '__start__']]"),
            "invalid_argument", "__start__"},
        {"compile",
            COMPILE("'nodes': [{'name': 'publish'}],"
                    " 'edges': [['__start__', 'publsh']]"),
            "invalid_argument", "Did you mean \"publish\"?"},
        {"compile", COMPILE("'nodes': [{'name': 'a'}], 'edges': []"),
            "invalid_argument", "__start__"},
        {"compile", COMPILE(A ", 'interrupt_before': ['b']"),
            "invalid_argument", "\"b\""},
        {"compile", COMPILE(A ", 'checkpointer': 5"), "invalid_argument",
            "checkpointer"},
        {"compile",
            COMPILE("'nodes': [{'name': 'a', 'timeout_ms': 0}],"
                    " 'edges': [['__start__', 'a']]"),
            "invalid_argument", "timeout_ms"},
        {"compile",
            COMPILE("'nodes': [{'name': 'a', 'idle_timeout_ms': 5,"
                    " 'refresh_on': 'moon'}], 'edges': [['__start__', 'a']]"),
            "invalid_argument", "moon"},
        {"compile",
            COMPILE("'nodes': [{'name': 'a', 'retry': [{'max_attempts': 3,"
                    " 'retry_on': 5}]}], 'edges': [['__start__', 'a']]"),
            "invalid_argument", "retry_on"},
        {"compile",
            COMPILE(A ", 'branches': [{'from': 'a', 'name': 'fork',"
                      " 'map': {'x': 'nobody'}}]"),
            "invalid_argument", "nobody"});
}
END_TEST

HERE_SUITE("errors", what_a_graph_does_wrong_fails_its_run,
    the_limit_of_supersteps_is_named, a_run_that_cannot_be_is_refused,
    a_command_that_cannot_be_is_refused,
    an_answer_that_fits_no_question_is_refused,
    an_update_that_cannot_be_is_refused, a_graph_that_cannot_be_is_refused)
