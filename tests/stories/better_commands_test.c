// better_commands_test.c - commands and updates where we do better than the
// reference (docs/decisions/0006): an empty command, one on a fresh thread,
// what a stored one shows and what keeps it, targets that are not nodes.
#include "tests/stories/here.h"

#include <superstep/superstep.h>

// ------------------------------------------------------------------ graphs

static int say(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:[s]}", "log", ss_node_name(task)));
}

static int ask(struct ss_task *task)
{
    json_t *answer;
    int status = ss_interrupt(task, json_string("sure?"), &answer);
    if (status != 0)
        return status;
    return ss_update(task, json_pack("{s:[O]}", "log", answer));
}

// START -> first; "second" and "asks" run when somebody goes there.
static void log_graph(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "first", say);
    ss_node(graph, "second", say);
    ss_node(graph, "asks", ask);
    ss_edge(graph, SS_START, "first");
}

// The same, but only "log" is asked for.
static void asked_graph(struct ss_graph_def *graph)
{
    log_graph(graph);
    ss_key(graph, "kept", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "word", SS_STR);
    ss_input_keys(graph, (const char *[]){"log", NULL});
}

static int go_astray(struct ss_task *task)
{
    ss_send_to(task, "nobody", json_null());
    return ss_goto(task, "secnd");
}

static int choose_nobody(struct ss_route *route)
{
    return ss_route_to(route, "frist");
}

static void astray(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "first", go_astray);
    ss_node(graph, "second", say);
    ss_edge(graph, SS_START, "first");
    ss_edge(graph, SS_START, "second");
    ss_branch(graph, "second", choose_nobody);
}

static void strict_goto(struct ss_graph_def *graph)
{
    ss_strict(graph);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "first", go_astray);
    ss_node(graph, "second", say);
    ss_edge(graph, SS_START, "first");
}

static void strict_route(struct ss_graph_def *graph)
{
    ss_strict(graph);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "first", say);
    ss_edge(graph, SS_START, "first");
    ss_branch(graph, "first", choose_nobody);
}

static void strict_log(struct ss_graph_def *graph)
{
    ss_strict(graph);
    log_graph(graph);
}

static int misspell(struct ss_task *task)
{
    ss_set_str(task, "wrod", "x");
    return ss_update(task, json_pack("{s:[s], s:i}", "log", "here", "far", 1));
}

// It says what nobody asks of it, in a command, too.
static int misspell_and_go(struct ss_task *task)
{
    ss_update(task, json_pack("{s:i}", "logg", 1));
    return ss_goto(task, "second");
}

static void misspelt(struct ss_graph_def *graph)
{
    asked_graph(graph);
    ss_node(graph, "wrong", misspell);
    ss_node(graph, "wrong_goto", misspell_and_go);
    ss_edge(graph, SS_START, "wrong");
    ss_edge(graph, SS_START, "wrong_goto");
}

static void strict_misspelt(struct ss_graph_def *graph)
{
    ss_strict(graph);
    misspelt(graph);
}

static void inner_graph(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "inside", SS_INT);
    ss_node(graph, "first", say);
    ss_edge(graph, SS_START, "first");
}

static int on(struct ss_route *route)
{
    return ss_route_to(route, SS_END);
}

// What the graph inside has beside the outer's keys is not a mistake of
// anybody.
static void strict_outer(struct ss_graph_def *graph)
{
    ss_strict(graph);
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_subgraph(graph, "inner", inner_graph, NULL);
    ss_node(graph, "sub", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "sub");
    ss_branch(graph, "sub", on);
}

const struct ss_app_graph here_graphs[] = {{"log", log_graph},
    {"asked", asked_graph}, {"astray", astray}, {"strict_goto", strict_goto},
    {"strict_route", strict_route}, {"strict_log", strict_log},
    {"misspelt", misspelt}, {"strict_misspelt", strict_misspelt},
    {"strict_outer", strict_outer}, {NULL, NULL}};

// ------------------------------------------------------------------ tests

// R5.7c, graph.md 10.2-5: the reference dies of an internal error.
START_TEST(an_empty_command_is_refused_as_empty_input)
{
    here_failed(here_command("log", "{}"), "empty_input", "thread log is new");
    here_run("log", "{'log': []}");
    here_refused("run", "{'graph': 'log', 'thread': 'log', 'command': {}}",
        "empty_input", "the command is empty");
    here_is(here_state("log"), "values.log", "['first']");
}
END_TEST

// R5.12, graph.md 10.2-5: the reference applies the update twice.
START_TEST(a_command_on_a_fresh_thread_counts_once)
{
    json_t *answer =
        here_command("log", "{'update': {'log': ['hi']}, 'goto': 'second'}");
    here_is(answer, "status", "'done'");
    here_is(answer, "output.log", "['hi', 'first', 'second']");
    ck_assert_uint_eq(json_array_size(here_history("log")), 3);
}
END_TEST

// R5.12: __start__ takes keys of the input alone, a command may write any.
START_TEST(a_command_on_a_fresh_thread_updates_what_is_no_input)
{
    json_t *answer = here_command("asked",
        "{'update': {'log': ['hi'], "
        "'kept': ['k'], 'word': 'w', 'wrod': 1}, 'goto': 'second'}");
    here_is(answer, "status", "'done'");
    here_is(answer, "output.log", "['hi', 'first', 'second']");
    here_is(answer, "output.kept", "['k']");
    here_is(answer, "output.word", "'w'");
    const char *warnings = here_text(here_at(answer, "warnings"));
    ck_assert_ptr_nonnull(strstr(warnings, "has no key \\\"wrod\\\""));
    here_is(here_state("asked"), "values.kept", "['k']");
}
END_TEST

// The same where an update made the first checkpoint, and wrote nothing.
START_TEST(a_command_behind_an_empty_update_updates_what_is_no_input)
{
    here_update("asked", "{'values': {}, 'as_node': 'second'}");
    json_t *answer =
        here_command("asked", "{'update': {'log': ['hi'], 'kept': ['k']}}");
    here_is(answer, "output.log", "['hi', 'first']");
    here_is(answer, "output.kept", "['k']");
    here_is(here_state("asked"), "values.kept", "['k']");
    json_t *history =
        here_history("asked"); // the update's checkpoint is as it was
    json_t *first = json_array_get(history, json_array_size(history) - 1);
    here_is(first, "metadata.source", "'update'");
    here_is(first, "values.kept", "[]");
}
END_TEST

// R9.4: the reference shows nothing next and no task.
START_TEST(state_shows_the_task_that_a_command_added_to_a_finished_thread)
{
    here_run("log", "{'log': []}");
    json_t *answer = here_command("log", "{'goto': 'asks'}");
    here_is(answer, "status", "'interrupted'");
    json_t *state = here_state("log");
    here_is(state, "next", "['asks']");
    here_is(state, "tasks.0.name", "'asks'");
    here_is(state, "tasks.0.interrupts.0.value", "'sure?'");
    here_is(state, "interrupts.0.value", "'sure?'");
    answer = here_command("log", "{'resume': 'yes'}");
    here_is(answer, "output.log", "['first', 'yes']");
}
END_TEST

// R9.14b, graph.md 10.2-15: three of the five ways to go on lose it there.
START_TEST(an_update_keeps_what_a_command_wrote_to_a_finished_thread)
{
    static const char *const updates[] = {
        "{'values': {'log': ['u']}, 'as_node': 'second'}",
        "{'values': {'log': ['u']}, 'as_node': '__input__'}",
        "{'values': null, 'as_node': '__copy__'}",
        "{'values': null, 'as_node': '__end__'}"};
    static const char *const expected[] = {"['first', 'w', 'u']",
        "['first', 'w']", "['first', 'w']", "['first', 'w']"};
    for (size_t i = 0; i < 4; i++) {
        here_run("log", "{'log': []}");
        here_command("log", "{'update': {'log': ['w']}}");
        here_is(here_state("log"), "values.log", "['first', 'w']");
        here_update("log", updates[i]);
        here_is(here_state("log"), "values.log", expected[i]);
        if (i == 1) // the input that is to be gone on with
            here_is(here_go_on("log"), "output.log",
                "['first', 'w', 'u', 'first']");
        here_ask("delete", "{'thread': 'log'}");
    }
}
END_TEST

START_TEST(new_input_keeps_what_a_command_wrote_to_a_finished_thread)
{
    here_run("log", "{'log': []}");
    here_command("log", "{'update': {'log': ['w']}}");
    json_t *answer = here_run("log", "{'log': ['in']}");
    here_is(answer, "output.log", "['first', 'w', 'in', 'first']");
}
END_TEST

START_TEST(targets_that_are_no_nodes_are_ignored_with_a_warning)
{
    json_t *answer = here_run("astray", "{'log': []}");
    here_is(answer, "status", "'done'");
    here_is(answer, "output.log", "['second']");
    const char *warnings = here_text(here_at(answer, "warnings"));
    ck_assert_ptr_nonnull(strstr(warnings, "secnd"));
    ck_assert_ptr_nonnull(strstr(warnings, "frist"));
    ck_assert_ptr_nonnull(strstr(warnings, "nobody"));
    here_run("log", "{'log': []}");
    answer = here_command("log", "{'goto': 'thrid'}");
    here_is(answer, "status", "'done'");
    warnings = here_text(here_at(answer, "warnings"));
    ck_assert_ptr_nonnull(strstr(warnings, "thrid"));
}
END_TEST

START_TEST(a_command_on_a_fresh_thread_is_no_key_of_an_input)
{
    json_t *answer = here_command("log", "{'goto': 'secnod'}");
    const char *warnings = here_text(here_at(answer, "warnings"));
    ck_assert_ptr_nonnull(strstr(warnings, "secnod"));
    ck_assert_ptr_null(strstr(warnings, "of the input"));
}
END_TEST

START_TEST(a_key_of_the_input_that_is_none_is_named)
{
    json_t *answer = here_run("log", "{'log': [], 'lgo': ['x']}");
    const char *warnings = here_text(here_at(answer, "warnings"));
    ck_assert_str_eq(warnings,
        "[\"\\\"lgo\\\" of the input is not a channel of graph log and was "
        "ignored. Did you mean \\\"log\\\"?\"]");
    answer = here_run("log", "{'far': 1, 'away': 2}");
    warnings = here_text(here_at(answer, "warnings"));
    ck_assert_ptr_nonnull(
        strstr(warnings, "\\\"far\\\" of the input is not a channel"));
    ck_assert_ptr_nonnull(strstr(warnings, "ignored, as others were."));
}
END_TEST

START_TEST(a_misspelt_key_of_an_update_is_named)
{
    json_t *answer = here_run("misspelt", "{'log': []}");
    here_is(answer, "status", "'done'");
    here_is(answer, "output.log", "['first', 'here', 'second']");
    const char *warnings = here_text(here_at(answer, "warnings"));
    ck_assert_ptr_nonnull(strstr(warnings,
        "\"node \\\"wrong\\\": \\\"wrod\\\" of its update is not a key of "
        "graph misspelt, and was ignored. Did you mean \\\"word\\\"?\""));
    ck_assert_ptr_nonnull(strstr(warnings, "\\\"far\\\" of its update"));
    ck_assert_ptr_nonnull(strstr(warnings,
        "node \\\"wrong_goto\\\": \\\"logg\\\" of its update is not a key of "
        "graph misspelt, and was ignored. Did you mean \\\"log\\\"?"));
}
END_TEST

START_TEST(a_strict_graph_refuses_a_misspelt_key_of_its_own_updates_alone)
{
    here_failed(here_run("strict_misspelt", "{'log': []}"), "invalid_update",
        "of graph strict_misspelt. Did you mean");
    json_t *answer = here_run("strict_outer", "{'log': []}");
    here_is(answer, "status", "'done'");
    ck_assert_uint_eq(json_array_size(here_at(answer, "warnings")), 0);
}
END_TEST

START_TEST(a_strict_graph_refuses_targets_that_are_no_nodes)
{
    here_failed(
        here_run("strict_goto", "{'log': []}"), "unknown_route", "\"nobody\"");
    here_failed(here_run("strict_route", "{'log': []}"), "unknown_route",
        "Did you mean \"first\"?");
    here_run("strict_log", "{'log': []}");
    here_refused("run",
        "{'graph': 'strict_log', 'thread': 'strict_log',"
        " 'command': {'goto': 'secnd'}}",
        "unknown_route", "Did you mean \"second\"?");
    here_is(here_state("strict_log"), "values.log", "['first']");
    ck_assert_uint_eq(json_array_size(here_history("strict_log")), 3);
}
END_TEST

HERE_SUITE("better_commands", an_empty_command_is_refused_as_empty_input,
    a_command_on_a_fresh_thread_counts_once,
    a_command_on_a_fresh_thread_updates_what_is_no_input,
    a_command_behind_an_empty_update_updates_what_is_no_input,
    state_shows_the_task_that_a_command_added_to_a_finished_thread,
    an_update_keeps_what_a_command_wrote_to_a_finished_thread,
    new_input_keeps_what_a_command_wrote_to_a_finished_thread,
    targets_that_are_no_nodes_are_ignored_with_a_warning,
    a_command_on_a_fresh_thread_is_no_key_of_an_input,
    a_key_of_the_input_that_is_none_is_named,
    a_misspelt_key_of_an_update_is_named,
    a_strict_graph_refuses_a_misspelt_key_of_its_own_updates_alone,
    a_strict_graph_refuses_targets_that_are_no_nodes)
