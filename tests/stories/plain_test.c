// plain_test.c - a resume value without an id where its question is gone, or
// its task asks no more: who gets it, and how often each body runs, in every
// order of results (docs/decisions/0016).
//
//   every priority of the nodes' results
//     -> one and the same end, and the same number of attempts at each node
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define FRESH  "{'thread': 't', 'graph': 'g', 'input': {'x': []}}"
#define ANSWER "{'thread': 't', 'command': {'resume': 'yes'}}"

enum { NODES_MAX = 8, END_SIZE = 1024 };

// Nodes have names of one letter, so that a word is an order of them; '_' is
// __start__.
static const char *node_of(char letter)
{
    static char name[2];
    name[0] = letter;
    return letter == '_' ? "__start__" : name;
}

// Of the results on their way that of the first of these comes, again and
// again.
static void run_in_order(const char *letters)
{
    bool moved = true;
    world_store_slow(true);
    while (moved) {
        moved = world_run_store();
        for (const char *c = letters; *c && !moved; c++)
            moved = world_run_result(node_of(*c));
        moved = moved || world_run_result(NULL);
    }
    world_store_slow(false);
}

static bool next_order(char *letters)
{
    size_t count = strlen(letters), i = count, j = count;
    while (i > 1 && letters[i - 2] >= letters[i - 1])
        i--;
    if (i < 2)
        return false;
    while (letters[j - 1] <= letters[i - 2])
        j--;
    char kept = letters[i - 2];
    letters[i - 2] = letters[j - 1];
    letters[j - 1] = kept;
    for (size_t a = i - 1, b = count - 1; a < b; a++, b--) {
        kept = letters[a];
        letters[a] = letters[b];
        letters[b] = kept;
    }
    return true;
}

// How the run that has the answer ends: "done ["a"], 1 asked, a1 b2".
static void play(void (*setup)(void), const char *letters, const char *nodes,
    char ret_end[END_SIZE])
{
    size_t before[NODES_MAX] = {0};
    struct ss_buf text;
    world_begin();
    setup();
    world_worker("w1", 8);
    world_get("run", FRESH);
    for (size_t i = 0; nodes[i]; i++)
        before[i] = world_attempts_of(node_of(nodes[i]));
    uint64_t id = world_ask("ann", "run", ANSWER);
    run_in_order(letters);
    json_t *answer = world_answer(id);
    ck_assert_msg(
        answer != NULL, "order %s: no end\n%s", letters, world_told());
    ss_buf_init(&text, END_SIZE);
    char *x = json_dumps(x_of("t"), JSON_COMPACT);
    ss_buf_add_str(&text, status_of(answer));
    ss_buf_add_str(&text, " ");
    ss_buf_add_str(&text, x);
    free(x);
    snprintf(ret_end, END_SIZE, "%s, %zu asked,", ss_buf_str(&text),
        json_array_size(json_object_get(answer, "interrupts")));
    ss_buf_fini(&text);
    for (size_t i = nodes[0] == '_'; nodes[i]; i++) {
        size_t size = strlen(ret_end);
        snprintf(ret_end + size, END_SIZE - size, " %c%zu", nodes[i],
            world_attempts_of(node_of(nodes[i])) - before[i]);
    }
    world_end();
}

// `nodes` sorted by their letters.
static void ends_in_any_order(
    void (*setup)(void), const char *nodes, const char *expected)
{
    char letters[NODES_MAX + 1], end[END_SIZE];
    snprintf(letters, sizeof(letters), "%s", nodes);
    world_end(); // each order has a world of its own
    do {
        play(setup, letters, nodes, end);
        if (strcmp(end, expected) != 0)
            ck_abort_msg("order %s:\n%s\nnot\n%s", letters, end, expected);
    } while (next_order(letters));
    world_begin();
}

// Takes `inner`: name -> graph.
static void graphs(const char *edges, const char *extra, json_t *inner)
{
    json_t *outer = chart("g", edges, extra);
    json_object_set_new(outer, "subgraphs", inner);
    world_graph(outer);
}

// ------------------------------------------------ no question is open

#define STOPS_BEFORE_P "'interrupt_before': ['p']"

// p (a, then b) and q (c, then d) begin together; b comes first in path order.
static void two_graphs(void)
{
    graphs("start>p start>q",
        "{'nodes': {'p': {'subgraph': 'p'}, 'q': {'subgraph': "
        "'q'}}," STOPS_BEFORE_P "}",
        json_pack("{s:o, s:o}", "p", chart("p", "start>a a>b", NULL), "q",
            chart("q", "start>c c>d", NULL)));
}

static void both_ask(void)
{
    two_graphs();
    world_body("b", asks);
    world_body("d", asks);
}

START_TEST(the_first_in_path_order_gets_it_whoever_asked_first)
{
    ends_in_any_order(both_ask, "abcd",
        "interrupted [\"a\",\"b:yes\"], 1 asked, a1 b1 c1 d1");
}
END_TEST

static void the_second_asks(void)
{
    two_graphs();
    world_body("d", asks);
}

// It runs again where it was faster than those before it, and where it was not.
START_TEST(who_does_not_come_first_runs_again_in_every_order)
{
    ends_in_any_order(the_second_asks, "abcd",
        "done [\"a\",\"b\",\"c\",\"d:yes\"], 0 asked, a1 b1 c1 d2");
}
END_TEST

static json_t *sends_one(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'update': {'x': ['s']}, 'goto': ["
              "{'$send': {'node': 't', 'arg': 1}}]}}");
}

static void a_send_inside_asks_too(void)
{
    graphs("start>a start>p start>z",
        "{'nodes': {'p': {'subgraph': 'p'}}," STOPS_BEFORE_P "}",
        json_pack("{s:o}", "p", chart("p", "start>s", "{'nodes': {'t': {}}}")));
    world_body("s", sends_one);
    world_body("t", asks);
    world_body("z", asks);
}

// A task stands where the graph that it is in stands: a send in p before z.
START_TEST(path_order_is_that_of_the_tasks_around)
{
    ends_in_any_order(a_send_inside_asks_too, "astz",
        "interrupted [\"a\",\"s\",\"t:yes\"], 1 asked, a1 s1 t2 z1");
}
END_TEST

// ------------------------------------------------ its question is gone

static json_t *to_b(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("b");
}

// m stores nothing, so all in it begins anew: p, whose router at its start may
// be slow (then b asks), beside another graph.
static void forgotten(bool is_first, const char *inside)
{
    json_t *m =
        is_first ? chart("m", "start>p start>z",
                       "{'nodes': {'p': {'subgraph': 'p'},"
                       " 'z': {'subgraph': 'other'}}, 'checkpointer': false}")
                 : chart("m", "start>a start>p",
                       "{'nodes': {'p': {'subgraph': 'p'},"
                       " 'a': {'subgraph': 'other'}}, 'checkpointer': false}");
    json_object_set_new(m, "subgraphs",
        json_pack("{s:o, s:o}", "other", chart("other", inside, NULL), "p",
            chart("p", "b>end",
                "{'branches': [{'from': '__start__',"
                " 'name': 'which'}]}")));
    graphs("start>m", "{'nodes': {'m': {'subgraph': 'm'}}}",
        json_pack("{s:o}", "m", m));
    world_route("__start__", to_b);
    world_body("b", asks);
}

static void beside_a_later_one(void)
{
    forgotten(true, "start>c c>d");
}

START_TEST(who_comes_first_gets_it_though_others_began_before)
{
    ends_in_any_order(beside_a_later_one, "_bcd",
        "done [\"b:yes\",\"c\",\"d\"], 0 asked, b1 c1 d1");
}
END_TEST

static void beside_an_earlier_one(void)
{
    forgotten(false, "start>c");
}

START_TEST(who_comes_later_runs_again_though_others_ended_before)
{
    ends_in_any_order(
        beside_an_earlier_one, "_bc", "done [\"c\",\"b:yes\"], 0 asked, b2 c1");
}
END_TEST

static void beside_one_that_goes_on(void)
{
    json_t *q = chart("q", "start>m", "{'nodes': {'m': {'subgraph': 'm'}}}");
    json_object_set_new(q, "subgraphs",
        json_pack(
            "{s:o}", "m", chart("m", "start>b", "{'checkpointer': false}")));
    graphs("start>p start>q",
        "{'nodes': {'p': {'subgraph': 'p'}, 'q': {'subgraph': 'q'}}}",
        json_pack("{s:o, s:o}", "p",
            chart("p", "start>a", "{'interrupt_before': ['a']}"), "q", q));
    world_body("b", asks);
}

static void the_first_asks_where_it_was_not_asked(void)
{
    beside_one_that_goes_on();
    world_body("a", asks);
}

// q is planned after p, and m, in which the question was, after q.
START_TEST(who_comes_first_goes_when_all_graphs_that_go_on_are_planned)
{
    ends_in_any_order(the_first_asks_where_it_was_not_asked, "ab",
        "interrupted [\"a:yes\"], 1 asked, a1 b1");
}
END_TEST

START_TEST(who_comes_later_in_a_graph_that_goes_on_runs_again)
{
    ends_in_any_order(beside_one_that_goes_on, "ab",
        "done [\"a\",\"b:yes\"], 0 asked, a1 b2");
}
END_TEST

// ------------------------------------------------ whose question it was asks
// no more

static json_t *asks_once(struct visit *visit)
{
    if (visit->order->given.plain)
        return says("late");
    return visit_ask(visit, "ok?") ? says("never") : NULL;
}

static json_t *fails_once(struct visit *visit)
{
    return world_attempts_of("a") > 1 ? says("a") : fails(visit);
}

static void whose_it_was_asks_no_more(void)
{
    graphs("start>p start>z", "{'nodes': {'p': {'subgraph': 'p'}}}",
        json_pack("{s:o}", "p", chart("p", "start>a a>b", NULL)));
    world_body("a", fails_once);
    world_body("b", asks);
    world_body("z", asks_once);
}

START_TEST(another_gets_it_when_its_own_task_asks_no_more)
{
    ends_in_any_order(whose_it_was_asks_no_more, "abz",
        "done [\"a\",\"b:yes\",\"late\"], 0 asked, a1 b2 z1");
}
END_TEST

SUITE("plain", the_first_in_path_order_gets_it_whoever_asked_first,
    who_does_not_come_first_runs_again_in_every_order,
    path_order_is_that_of_the_tasks_around,
    who_comes_first_gets_it_though_others_began_before,
    who_comes_later_runs_again_though_others_ended_before,
    who_comes_first_goes_when_all_graphs_that_go_on_are_planned,
    who_comes_later_in_a_graph_that_goes_on_runs_again,
    another_gets_it_when_its_own_task_asks_no_more)
