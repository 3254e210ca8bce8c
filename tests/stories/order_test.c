// The model test: small graphs and write sets, enumerated completely. The order
// in which results come, and how long the store takes, never changes a
// checkpoint.
//
//   every choice of what a, b and c write (WRITES each)
//     x every order of their results (6) x the store at once, or as late as can
//     be; or all of them in one message
//     -> one and the same list of checkpoints: values, versions, versions seen,
//        updated channels, ids, pending writes; and one and the same answer
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/suite.h"

// What a node may do. x: a list that grows, n: a sum, v: one value a superstep,
// e: any value, for one superstep.
static const char *const acts[] = {
    "null",
    "{'x': ['%s']}",
    "{'n': 1}",
    "{'v': '%s'}",
    "{'x': ['%s', '%s'], 'n': 2, 'e': '%s'}",
    "{'x': {'__overwrite__': ['%s!']}}",
    "{'$command': {'update': {'x': ['%s']}, 'goto': 'd'}}",
    ("{'$command': {'goto': [{'$send': {'node': 't', 'arg': '%s'}},"
     " {'$send': {'node': 't', 'arg': '%s2'}}]}}"),
};

enum { ACTS = sizeof(acts) / sizeof(acts[0]), NODES = 3 };

// Instruments that slow everything down tenfold look at the first half.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SLOW true
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SLOW true
#endif
#ifndef IS_SLOW
#define IS_SLOW (getenv("CK_TIMEOUT_MULTIPLIER") != NULL) // valgrind
#endif

static int acts_tried(void)
{
    return IS_SLOW ? ACTS / 2 : ACTS;
}

static size_t chosen[NODES]; // what a, b and c do

static json_t *does(struct visit *visit)
{
    const char *name = visit->order->node;
    struct ss_buf text;
    ss_buf_init(&text, 1024);
    for (const char *from = acts[chosen[name[0] - 'a']]; *from; from++) {
        if (*from == '%')
            ss_buf_add_str(&text, name), from++;
        else
            ss_buf_add(&text, from, 1);
    }
    json_t *returned = js(ss_buf_str(&text));
    ss_buf_fini(&text);
    return returned;
}

static json_t *says_its_argument(struct visit *visit)
{
    return json_pack("{s:[o]}", "x",
        json_is_string(visit->input) ? json_incref(visit->input)
                                     : json_string("t"));
}

static const int orders[][NODES] = {
    {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
enum { ORDERS = sizeof(orders) / sizeof(orders[0]) };

// The store when it is asked, or only when nothing else can happen; or when it
// is asked, and results come together.
enum pace { PROMPT, LATE, TOGETHER, PACES };
static const char *const paces[] = {"prompt", "late", "all at once"};

static bool run_together(const int *order)
{
    char names[NODES][2];
    const char *nodes[NODES];
    for (int i = 0; i < NODES; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%c", 'a' + order[i]);
        nodes[i] = names[i];
    }
    return world_run_results("w1", nodes, NODES);
}

// Results in that order (and any others as they come).
static void run_in_order(const int *order, enum pace pace)
{
    bool moved = true, is_late = pace == LATE;
    world_store_slow(true);
    while (moved) {
        moved = pace == TOGETHER && (world_run_store() || run_together(order));
        for (int i = 0; i < NODES && !moved; i++) {
            char name[] = {(char)('a' + order[i]), '\0'};
            moved = (is_late || !world_run_store()) && world_run_result(name);
        }
        moved = moved || world_run_result(NULL) || world_run_store();
    }
    world_store_slow(false);
}

static char *outcome(const char *edges, const char *extra, const char *request,
    const int *order, enum pace pace)
{
    world_begin();
    world_graph(chart("g", edges, extra));
    world_body("a", does);
    world_body("b", does);
    world_body("c", does);
    world_body("t", says_its_argument);
    world_worker("w1", 8);
    world_run();
    uint64_t id = world_ask("ann", "run", request);
    run_in_order(order, pace);
    json_t *saved = world_get("checkpoints", "{'thread': 't'}");
    json_t *answer = world_answer(id);
    ck_assert_msg(answer != NULL, "not answered\n%s", world_told());
    json_t *both = json_pack("{s:O, s:O, s:O*, s:O*}", "saved", saved, "status",
        json_object_get(answer, "status"), "output",
        json_object_get(answer, "output"), "error",
        json_object_get(answer, "error"));
    char *text = ss_json_canonical(both);
    json_decref(both);
    world_end();
    return text;
}

static void same_in_all_orders(
    const char *edges, const char *extra, const char *request)
{
    char *first = outcome(edges, extra, request, orders[0], PROMPT);
    for (int o = 0; o < ORDERS; o++) {
        for (int pace = 0; pace < PACES; pace++) {
            char *again =
                outcome(edges, extra, request, orders[o], (enum pace)pace);
            if (strcmp(first, again) != 0)
                ck_abort_msg("%zu %zu %zu, order %d, %s:\n%s\n%s", chosen[0],
                    chosen[1], chosen[2], o, paces[pace], first, again);
            ss_free(again);
        }
    }
    ss_free(first);
}

#define KEYS                                                                   \
    "'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'},"                \
    " {'key': 'n', 'type': 'int', 'reducer': 'add'}, {'key': 'v'},"            \
    " {'key': 'e', 'channel': 'AnyValue'}], 'nodes': {'t': {}, 'd': {}}"
#define RUN(more)                                                              \
    "{'thread': 't', 'graph': 'g', 'input': {'x': ['in']}" more "}"

static void enumerate(
    const char *edges, const char *extra, const char *request, size_t part)
{
    size_t tried = (size_t)acts_tried();
    chosen[0] = part;
    for (chosen[1] = 0; chosen[1] < tried; chosen[1]++)
        for (chosen[2] = 0; chosen[2] < tried; chosen[2]++)
            same_in_all_orders(edges, extra, request);
}

// a, b and c in one superstep, then d where nobody went there before.
START_TEST(three_at_once)
{
    enumerate("start>a start>b start>c a>d b>d d>end", "{" KEYS "}", RUN(""),
        (size_t)_i);
}
END_TEST

START_TEST(three_at_once_and_a_join)
{
    enumerate("start>a start>b start>c a+b+c>d", "{" KEYS "}",
        RUN(", 'durability': 'async'"), (size_t)_i);
}
END_TEST

START_TEST(three_at_once_and_a_deferred_node)
{
    enumerate("start>a start>b start>c a>d c>d",
        "{'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'},"
        " {'key': 'n', 'type': 'int', 'reducer': 'add'}, {'key': 'v'},"
        " {'key': 'e', 'channel': 'AnyValue'}],"
        " 'nodes': {'t': {}, 'd': {'defer': true}}}",
        RUN(""), (size_t)_i);
}
END_TEST

// One of them asks, one fails: the others' writes wait as they are.
static json_t *asks_a_b_c(struct visit *visit)
{
    return visit_ask(visit, "ok?") ? does(visit) : NULL;
}

static char *beside(const int *order, enum pace pace, body_fn *body)
{
    world_begin();
    world_graph(chart("g", "start>a start>b start>c a+b+c>d", "{" KEYS "}"));
    world_body("a", does);
    world_body("b", body);
    world_body("c", does);
    world_body("t", says_its_argument);
    world_worker("w1", 8);
    world_run();
    world_ask("ann", "run", RUN(""));
    run_in_order(order, pace);
    world_get("run", "{'thread': 't', 'command': {'resume': 'yes'}}");
    char *text = ss_json_canonical(world_get("checkpoints", "{'thread': 't'}"));
    world_end();
    return text;
}

static void same_beside_in_all_orders(body_fn *body)
{
    char *first = beside(orders[0], PROMPT, body);
    for (int o = 0; o < PACES * ORDERS; o++) {
        char *again = beside(orders[o / PACES], (enum pace)(o % PACES), body);
        ck_assert_str_eq(first, again);
        ss_free(again);
    }
    ss_free(first);
}

static void same_beside(body_fn *body)
{
    size_t tried = (size_t)acts_tried();
    chosen[1] = 1;
    for (chosen[0] = 0; chosen[0] < tried; chosen[0]++)
        for (chosen[2] = 0; chosen[2] < tried; chosen[2]++)
            same_beside_in_all_orders(body);
}

START_TEST(beside_a_question)
{
    same_beside(asks_a_b_c);
}
END_TEST

START_TEST(beside_a_failure)
{
    same_beside(fails);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("order");
    TCase *tcase = tcase_create("order");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, three_at_once, 0, acts_tried());
    tcase_add_loop_test(tcase, three_at_once_and_a_join, 0, acts_tried());
    tcase_add_loop_test(
        tcase, three_at_once_and_a_deferred_node, 0, acts_tried());
    tcase_add_test(tcase, beside_a_question);
    tcase_add_test(tcase, beside_a_failure);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
