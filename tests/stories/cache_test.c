// cache_test.c - results that are kept, and cleared piece by piece.
#include <stdio.h>

#include "tests/stories/here.h"

enum { ENTRIES = 250 }; // more than two pages (SS_CACHE_PAGE_MAX)

static int bodies; // how often the body behind the sends ran

static int doubled(struct ss_task *task)
{
    json_int_t n = json_integer_value(json_object_get(ss_input(task), "n"));
    return ss_update(task, json_pack("{s:I}", "twice", 2 * n));
}

static void numbers(struct ss_graph_def *graph)
{
    ss_key(graph, "n", SS_INT);
    ss_key(graph, "twice", SS_INT);
    ss_node(graph, "double", doubled, .cache = true);
    ss_edge(graph, SS_START, "double");
}

static int counted(struct ss_task *task)
{
    bodies++;
    return ss_update(task, json_pack("{s:[s]}", "log", "ran"));
}

static int to_three_alike(struct ss_route *route)
{
    for (int i = 0; i < 3; i++)
        ss_route_send(route, "counted", json_pack("{s:i}", "n", 1));
    return 0;
}

static void alike(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "counted", counted, .cache = true);
    ss_branch(graph, SS_START, to_three_alike);
}

const struct ss_app_graph here_graphs[] = {
    {"numbers", numbers}, {"alike", alike}, {NULL, NULL}};

START_TEST(all_entries_are_cleared_however_many_there_are)
{
    for (int i = 0; i < ENTRIES; i++) {
        char input[32];
        snprintf(input, sizeof(input), "{'n': %d}", i);
        here_run("numbers", input);
    }
    here_is(here_ask("clear_cache", "{'expired': true}"), "entries", "0");
    here_is(here_ask("clear_cache", "{'graph': 'other'}"), "entries", "0");
    here_is(here_ask("clear_cache", "{'graph': 'numbers'}"), "entries", "250");
    here_is(here_ask("clear_cache", "{}"), "entries", "0");
}
END_TEST

START_TEST(tasks_that_are_alike_are_all_given_what_is_kept)
{
    json_t *events;
    bodies = 0;
    here_run("alike", "{}");
    ck_assert_int_eq(bodies, 3); // nothing was kept when they began
    json_t *answer = here_follow("{'graph': 'alike', 'thread': 'another',"
                                 " 'input': {}, 'stream': ['updates']}",
        &events);
    here_is(answer, "output.log", "['ran', 'ran', 'ran']");
    ck_assert_int_eq(bodies, 3);
    ck_assert_uint_eq(json_array_size(events), 3);
    for (size_t i = 0; i < json_array_size(events); i++)
        here_is(
            json_array_get(events, i), "data.__metadata__", "{'cached': true}");
}
END_TEST

HERE_SUITE("cache", all_entries_are_cleared_however_many_there_are,
    tasks_that_are_alike_are_all_given_what_is_kept)
