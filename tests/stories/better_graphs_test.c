// better_graphs_test.c - values, graphs and graphs in graphs where we do better
// than the reference (docs/decisions/0009).
#include "tests/stories/here.h"

#include <stdio.h>

static json_t *given;  // what a body gave away, and still holds
static json_t *routed; // what a router saw

// ------------------------------------------------------------------ graphs

static int overwrite_both(struct ss_task *task)
{
    json_t *list = json_pack("[i]", 1), *text = json_string("plain");
    return ss_update(task, json_pack("{s:o, s:o}", "list", ss_overwrite(list),
                               "text", ss_overwrite(text)));
}

static void overwrites(struct ss_graph_def *graph)
{
    ss_key(graph, "list", SS_ANY, .reducer = SS_ADD);
    ss_key(graph, "text", SS_STR);
    ss_node(graph, "a", overwrite_both);
    ss_edge(graph, SS_START, "a");
}

static int talk(struct ss_task *task)
{
    return ss_update(task, json_copy(ss_context(task)));
}

static int note(struct ss_route *route)
{
    json_decref(routed);
    routed = json_deep_copy(json_object_get(ss_state(route), "messages"));
    return ss_route_to(route, SS_END);
}

static void messages(struct ss_graph_def *graph)
{
    ss_key(graph, "messages", SS_LIST, .reducer = SS_ADD_MESSAGES);
    ss_node(graph, "talks", talk);
    ss_edge(graph, SS_START, "talks");
    ss_branch(graph, "talks", note);
}

static int give(struct ss_task *task)
{
    given = json_pack("[s]", "as given");
    return ss_update(task, json_pack("{s:O}", "log", given));
}

static int change_given(struct ss_task *task)
{
    json_array_append_new(given, json_string("behind the back"));
    return ss_update(task, json_pack("{s:[s]}", "log", "b"));
}

static void shares(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "a", give);
    ss_node(graph, "b", change_given);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, "a", "b");
}

static int note_word(struct ss_task *task)
{
    return ss_update(
        task, json_pack("{s:[O]}", "seen", ss_input_get(task, "word")));
}

// Remembers all words that it was ever given.
static void memory(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_checkpointer(graph, true);
    ss_input_keys(graph, SS_ALL("word"));
    ss_key(graph, "word", SS_STR);
    ss_key(graph, "seen", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "note", note_word);
    ss_edge(graph, SS_START, "note");
}

// Never stored itself; the graph inside remembers.
static void forgetful(struct ss_graph_def *graph, void *ctx)
{
    ss_checkpointer(graph, false);
    ss_subgraph(graph, "memory", memory, ctx);
    ss_key(graph, "word", SS_STR);
    ss_key(graph, "seen", SS_LIST);
    ss_node(graph, "deep", NULL, .subgraph = "memory");
    ss_edge(graph, SS_START, "deep");
}

static int say_nothing(struct ss_task *task)
{
    return ss_update(task, json_object());
}

// Calls it twice, with no row of its own in between.
static void forgetful_twice(struct ss_graph_def *graph, void *ctx)
{
    forgetful(graph, ctx);
    ss_node(graph, "beside", say_nothing);
    ss_edge(graph, SS_START, "beside");
    ss_edge(graph, "beside", "deep");
}

static void keeps(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "memory", memory, NULL);
    ss_key(graph, "word", SS_STR);
    ss_key(graph, "seen", SS_LIST);
    ss_node(graph, "sub", NULL, .subgraph = "memory");
    ss_edge(graph, SS_START, "sub");
}

static void deep(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "forgetful", forgetful, NULL);
    ss_key(graph, "word", SS_STR);
    ss_key(graph, "seen", SS_LIST);
    ss_node(graph, "mid", NULL, .subgraph = "forgetful");
    ss_edge(graph, SS_START, "mid");
}

static void twice(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "forgetful_twice", forgetful_twice, NULL);
    ss_key(graph, "word", SS_STR);
    ss_key(graph, "seen", SS_LIST);
    ss_node(graph, "mid", NULL, .subgraph = "forgetful_twice");
    ss_edge(graph, SS_START, "mid");
}

const struct ss_app_graph here_graphs[] = {{"overwrites", overwrites},
    {"messages", messages}, {"shares", shares}, {"keeps", keeps},
    {"deep", deep}, {"twice", twice}, {NULL, NULL}};

// ------------------------------------------------------------------ values

// graph.md 10.2-6: there the wrapper itself is stored.
START_TEST(an_overwrite_as_first_write_stores_its_value)
{
    json_t *answer = here_run("overwrites", "{'text': 'before'}");
    here_is(answer, "output", "{'list': [1], 'text': 'plain'}");
    answer = here_run("overwrites", "{'text': {'__overwrite__': 'x'}}");
    here_is(answer, "output", "{'list': [1], 'text': 'plain'}");
}
END_TEST

static json_t *say(const char *context)
{
    char body[600];
    snprintf(body, sizeof(body),
        "{'graph': 'messages', 'thread': 'messages', 'input': {'messages': []},"
        " 'context': {'messages': %s}}",
        context);
    return here_at(here_ask("run", body), "output.messages");
}

#define GONE           "{'type': 'remove', 'id': '__remove_all__', 'content': ''}"
#define SAYS(id, text) "{'role': 'user', 'id': '" id "', 'content': '" text "'}"

// graph.md 10.2-9: there what follows the marker is neither merged nor checked.
START_TEST(what_follows_the_removal_of_all_is_merged)
{
    json_t *said = say("[" SAYS("1", "old") "]");
    ck_assert_uint_eq(json_array_size(said), 1);
    said = say("[" GONE ", " SAYS("2", "first") ", " SAYS(
        "2", "again") ", " SAYS("3", "gone") ", {'type': 'remove', 'id': '3',"
                                             " 'content': ''}]");
    ck_assert_uint_eq(json_array_size(said), 1);
    here_is(said, "0.id", "'2'");
    here_is(said, "0.content", "'again'");
}
END_TEST

// graph.md 10.2-9: there the router sees an id that is never stored.
START_TEST(a_message_without_id_has_one_for_router_and_state)
{
    json_t *said = say("[{'role': 'user', 'content': 'hi'}]");
    ck_assert_ptr_nonnull(json_string_value(here_at(said, "0.id")));
    ck_assert_str_eq(
        here_text(here_at(said, "0.id")), here_text(here_at(routed, "0.id")));
    here_is(here_state("messages"), "values.messages.0.id",
        here_text(here_at(said, "0.id")));
    json_decref(routed);
    routed = NULL;
}
END_TEST

// graph.md 10.2-14: there a list that a node goes on changing changes the
// state.
START_TEST(what_a_body_gave_is_its_own_no_more)
{
    json_t *answer = here_run("shares", "{'log': []}");
    here_is(answer, "output.log", "['as given', 'b']");
    here_is(here_state("shares"), "values.log", "['as given', 'b']");
    json_decref(given);
}
END_TEST

// ------------------------------------------------------------------ names

static void refuse(const char *more, const char *words)
{
    char body[600];
    snprintf(body, sizeof(body),
        "{'description': {'name': 'odd', 'kind': 'state',"
        " 'edges': [['__start__', 'a']], %s}}",
        more);
    here_refused("compile", body, "invalid_argument", words);
}

// graph.md 10.2-12: there these compile, and harm the run.
START_TEST(names_that_are_the_engines_are_refused)
{
    refuse("'nodes': [{'name': 'a'}], 'state': [{'key': '__start__'}]",
        "\"__start__\"");
    refuse("'nodes': [{'name': 'a'}], 'state': [{'key': 'branch:to:a'}]",
        "\"branch:to:a\"");
    refuse("'nodes': [{'name': 'a'}, {'name': 'b'}],"
           " 'state': [{'key': 'join:a+b:a'}]",
        "\"join:a+b:a\"");
    refuse("'nodes': [{'name': 'a'}, {'name': ''}], 'state': []", "name");
    refuse("'nodes': [{'name': 'a'}, {'name': '__pregel_tasks'}],"
           " 'state': []",
        "\"__pregel_tasks\"");
}
END_TEST

START_TEST(breakpoints_are_checked_whatever_stands_beside_them)
{
    refuse("'nodes': [{'name': 'a'}], 'state': [], 'interrupt_after': '*',"
           " 'interrupt_before': ['nobody']",
        "\"nobody\"");
    refuse("'nodes': [{'name': 'a'}], 'state': [], 'interrupt_after': '*',"
           " 'interrupt_before': ['__start__']",
        "\"__start__\"");
}
END_TEST

// ------------------------------------------------------------------ inside

// R12.6, issue 4 point 8: there the second word never reaches the graph inside,
// as its run goes on with what the first one had begun.
START_TEST(a_graph_inside_goes_on_only_with_what_its_own_task_began)
{
    here_is(here_run("keeps", "{'word': 'one'}"), "output.seen", "['one']");
    json_t *answer = here_ask("run",
        "{'graph': 'keeps', 'thread': 'keeps', 'input': {'word': 'two'},"
        " 'interrupt_before': ['sub']}");
    here_is(answer, "status", "'interrupted'");
    answer = here_go_on("keeps");
    here_is(answer, "output.seen", "['one', 'two']");
}
END_TEST

// R12.1: there a graph inside one that is not saved is not saved either.
START_TEST(a_graph_that_remembers_does_so_inside_one_that_forgets)
{
    here_is(here_run("deep", "{'word': 'one'}"), "output.seen", "['one']");
    here_restart();
    here_is(
        here_run("deep", "{'word': 'two'}"), "output.seen", "['one', 'two']");
}
END_TEST

// R12.4b: its last checkpoint is of this very step, and the graph around it,
// which stores none, has closed no row since.
START_TEST(a_graph_that_remembers_knows_of_its_last_call_in_the_same_step)
{
    static const char *const modes[] = {"async", "exit"};
    for (size_t i = 0; i < 2; i++) {
        char body[200];
        snprintf(body, sizeof(body),
            "{'graph': 'twice', 'thread': 't%zu', 'input': {'word': 'w'},"
            " 'durability': '%s'}",
            i, modes[i]);
        here_is(here_ask("run", body), "output.seen", "['w', 'w']");
    }
}
END_TEST

// 5.8: there `sync` crashes where nothing is saved.
START_TEST(a_graph_that_is_not_saved_runs_under_every_durability)
{
    static const char *const modes[] = {"sync", "async", "exit"};
    for (size_t i = 0; i < 3; i++) {
        char body[200];
        snprintf(body, sizeof(body),
            "{'graph': 'deep', 'thread': 't%zu', 'input': {'word': 'w'},"
            " 'durability': '%s'}",
            i, modes[i]);
        here_is(here_ask("run", body), "output.seen", "['w']");
    }
}
END_TEST

// R5.13, R12.13: there the fork under `exit`, which nothing saves, hides the
// checkpoint that is gone back to, and the graph inside knows what came after
// it.
START_TEST(going_back_a_graph_inside_knows_what_it_knew_then)
{
    static const char *const modes[] = {"sync", "async", "exit"};
    here_run("keeps", "{'word': 'one'}");
    const char *first = here_checkpoint("keeps", 2);
    for (size_t i = 0; i < 3; i++) {
        char body[300];
        snprintf(body, sizeof(body),
            "{'graph': 'keeps', 'thread': 'keeps', 'checkpoint_id': '%s',"
            " 'durability': '%s'}",
            first, modes[i]);
        json_t *answer = here_ask("run", body);
        here_is(answer, "status", "'done'");
        here_is(answer, "output.seen", "['one']");
    }
}
END_TEST

HERE_SUITE("better_graphs", an_overwrite_as_first_write_stores_its_value,
    what_follows_the_removal_of_all_is_merged,
    a_message_without_id_has_one_for_router_and_state,
    what_a_body_gave_is_its_own_no_more, names_that_are_the_engines_are_refused,
    breakpoints_are_checked_whatever_stands_beside_them,
    a_graph_inside_goes_on_only_with_what_its_own_task_began,
    a_graph_that_remembers_does_so_inside_one_that_forgets,
    a_graph_that_remembers_knows_of_its_last_call_in_the_same_step,
    a_graph_that_is_not_saved_runs_under_every_durability,
    going_back_a_graph_inside_knows_what_it_knew_then)
