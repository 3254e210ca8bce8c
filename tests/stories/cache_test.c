// cache_test.c - results that are kept, and cleared piece by piece.
#include <stdio.h>

#include "tests/stories/here.h"

enum { ENTRIES = 250 }; // more than two pages (SS_CACHE_PAGE_MAX)

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

const struct ss_app_graph here_graphs[] = {
    {"numbers", numbers}, {NULL, NULL}};

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

HERE_SUITE("cache", all_entries_are_cleared_however_many_there_are)
