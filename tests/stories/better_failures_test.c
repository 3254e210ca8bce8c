// better_failures_test.c - failures where we do better than the reference
// (docs/decisions/0008): what failed wrote nothing and runs again, and no
// thread is poisoned.
#include "tests/stories/here.h"

static bool is_broken; // what fails in the graphs below does so now
static int bodies;     // how often the body before a router ran

// ------------------------------------------------------------------ graphs

static int say(struct ss_task *task)
{
    bodies++;
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static int choose(struct ss_route *route)
{
    if (is_broken)
        return ss_route_fail(route, "lost", "the map is upside down");
    return ss_route_to(route, "second");
}

static void routed(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "first", say);
    ss_node(graph, "second", say);
    ss_edge(graph, SS_START, "first");
    ss_branch(graph, "first", choose);
}

static int handle(struct ss_task *task)
{
    return ss_update(
        task, json_pack("{s:[s+]}", "log", "handled ",
                  json_string_value(json_object_get(ss_error(task), "node"))));
}

static void handled(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "first", say, .on_error = handle);
    ss_node(graph, "second", say);
    ss_edge(graph, SS_START, "first");
    ss_edge(graph, "first", "second");
    ss_branch(graph, "first", choose);
}

static int write_one(struct ss_task *task)
{
    if (ss_node_name(task)[0] == 'b' && !is_broken)
        return 0;
    return ss_update(task, json_pack("{s:s}", "one", ss_node_name(task)));
}

static void conflict(struct ss_graph_def *graph)
{
    ss_key(graph, "one", SS_STR);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "a", write_one);
    ss_node(graph, "b", write_one);
    ss_node(graph, "c", say);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, SS_START, "b");
    ss_edge(graph, SS_START, "c");
}

static int add_text(struct ss_task *task)
{
    return ss_update(task, is_broken ? json_pack("{s:s}", "n", "many")
                                     : json_pack("{s:i}", "n", 3));
}

static void refused(struct ss_graph_def *graph)
{
    ss_key(graph, "n", SS_INT, .reducer = SS_ADD);
    ss_node(graph, "adds", add_text);
    ss_edge(graph, SS_START, "adds");
}

static int fail_now(struct ss_task *task)
{
    return ss_fail_final(task, "bad", "it is broken");
}

static int be_late(struct ss_task *task)
{
    while (ss_deadline_ms(task) >= 0)
        continue;
    return ss_update(task, json_pack("{s:[s]}", "log", "too late"));
}

static void late_handler(struct ss_graph_def *graph)
{
    ss_defaults(graph, .timeout_ms = 1, .on_error = be_late);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "fails", fail_now);
    ss_edge(graph, SS_START, "fails");
}

static int ask_and_fail(struct ss_task *task)
{
    json_t *answer;
    int status = ss_interrupt(task, json_string("sure?"), &answer);
    return status != 0 ? status : fail_now(task);
}

static void asks(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "asks", ask_and_fail);
    ss_edge(graph, SS_START, "asks");
}

const struct ss_app_graph here_graphs[] = {{"routed", routed},
    {"handled", handled}, {"conflict", conflict}, {"refused", refused},
    {"late_handler", late_handler}, {"asks", asks}, {NULL, NULL}};

// ------------------------------------------------------------------ tests

// R6.6, graph.md 10.2-1: the reference takes the node for finished and ends
// without routing.
START_TEST(a_node_whose_router_failed_runs_again_and_is_routed)
{
    is_broken = true;
    here_failed(here_run("routed", "{'log': []}"), "node_failed",
        "the map is upside down");
    json_t *state = here_state("routed");
    here_is(state, "next", "['first']");
    here_is(state, "values.log", "[]");
    here_is(state, "tasks.0.result", "null");
    is_broken = false;
    bodies = 0;
    here_restart();
    json_t *answer = here_go_on("routed");
    here_is(answer, "output.log", "['first', 'second']");
    ck_assert_int_eq(bodies, 2);
}
END_TEST

// graph.md 10.2-8: there the failed node's writes and edges count besides.
START_TEST(a_handler_stands_in_for_all_that_its_node_wrote)
{
    is_broken = true;
    json_t *answer = here_run("handled", "{'log': []}");
    here_is(answer, "status", "'done'");
    here_is(answer, "output.log", "['handled first']");
}
END_TEST

// graph.md 10.2-2: there every resume fails again, and so does reading state.
START_TEST(a_conflict_fails_its_writers_and_they_run_again)
{
    is_broken = true;
    bodies = 0;
    here_failed(
        here_run("conflict", "{'log': []}"), "invalid_update", "\"one\"");
    here_restart();
    json_t *state = here_state("conflict");
    here_is(state, "next", "['a', 'b']");
    here_is(state, "tasks.0.error.code", "'invalid_update'");
    here_is(state, "tasks.1.error.code", "'invalid_update'");
    here_is(state, "tasks.2.error", "null");
    here_is(state, "tasks.2.result.log", "['c']");
    is_broken = false;
    json_t *answer = here_go_on("conflict");
    here_is(answer, "output", "{'log': ['c'], 'one': 'a'}");
    ck_assert_int_eq(bodies, 1); // c had finished
}
END_TEST

START_TEST(what_a_reducer_refuses_fails_its_writer_and_it_runs_again)
{
    is_broken = true;
    here_failed(here_run("refused", "{'n': 1}"), "invalid_argument", "\"n\"");
    here_is(here_state("refused"), "values.n", "1");
    is_broken = false;
    here_is(here_go_on("refused"), "output.n", "4");
}
END_TEST

// graph.md 10.2-8: there a handler has no timeout.
START_TEST(a_handler_has_a_timeout_too)
{
    json_t *answer = here_run("late_handler", "{'log': []}");
    here_failed(answer, "node_timeout", "__default_error_handler__");
    here_is(here_state("late_handler"), "values.log", "[]");
}
END_TEST

// graph.md 10.2-8: there the second compile of it fails.
START_TEST(a_graph_with_a_default_handler_compiles_again)
{
    static const char body[] =
        "{'description': {'name': 'again', 'kind': 'state', 'state': [],"
        " 'nodes': [{'name': 'a'}], 'edges': [['__start__', 'a']],"
        " 'defaults': {'error_handler': true}}}";
    json_t *first = here_ask("compile", body);
    json_t *second = here_ask("compile", body);
    ck_assert_str_eq(here_text(first), here_text(second));
}
END_TEST

// R10.7: there it shows {"asks": null} as if the node had written nothing.
START_TEST(a_task_that_failed_after_its_answer_shows_no_update)
{
    json_t *events;
    here_run("asks", "{'log': []}");
    here_failed(
        here_follow("{'graph': 'asks', 'thread': 'asks',"
                    " 'command': {'resume': 'yes'}, 'stream': ['updates']}",
            &events),
        "node_failed", "it is broken");
    here_is(events, "", "[]");
}
END_TEST

HERE_SUITE("better_failures",
    a_node_whose_router_failed_runs_again_and_is_routed,
    a_handler_stands_in_for_all_that_its_node_wrote,
    a_conflict_fails_its_writers_and_they_run_again,
    what_a_reducer_refuses_fails_its_writer_and_it_runs_again,
    a_handler_has_a_timeout_too, a_graph_with_a_default_handler_compiles_again,
    a_task_that_failed_after_its_answer_shows_no_update)
