// growth_test.c - what a conversation costs, however long it is, and a
// superstep, however large its graph is.
#include <check.h>
#include <string.h>

#include "common/base/prng.h"
#include "tests/stories/world.h"
#include "tests/suite.h"
#include "tests/unit/engine/growth_lab.h"

// A chat that goes on until its node says nothing; the node's router reads the
// messages too.
static const char chat[] =
    "{'name': 'chat', 'kind': 'state', 'state': ["
    " {'key': 'messages', 'type': 'list', 'reducer': 'add_messages'},"
    " {'key': 'log', 'type': 'list', 'reducer': 'add'}],"
    " 'nodes': [{'name': 'agent'}], 'edges': [['__start__', 'agent']],"
    " 'branches': [{'from': 'agent', 'name': 'more', 'map': ['agent']}]}";

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// What a superstep about there costs: the least of some neighbours, so that no
// whole row and no table that doubles is among it.
static struct cost cost_near(size_t superstep)
{
    struct cost cost = lab.costs[superstep];
    for (size_t i = 1; i < 12; i++) {
        const struct cost *other = &lab.costs[superstep + i];
        cost.row = least(cost.row, other->row);
        cost.order = least(cost.order, other->order);
        cost.allocations = least(cost.allocations, other->allocations);
        cost.allocated = least(cost.allocated, other->allocated);
    }
    return cost;
}

// Where next to nothing is overwritten all rows together are the state: the
// first is whole, and few behind it, ever more seldom.
static void expect_few_whole_rows(void)
{
    size_t all = 0, added = 0;
    for (size_t i = 40; i < LAB_SUPERSTEPS_MAX - 12; i++)
        all += lab.costs[i].row;
    added = (LAB_SUPERSTEPS_MAX - 52) * cost_near(2100).row;
    ck_assert_uint_lt(all, 2 * added);
    ck_assert_uint_ge(lab.wholes, 1);
    ck_assert_uint_le(lab.wholes, 8);
}

static void expect_flat(void)
{
    // Numbers of more digits, and nodes of a tree that is three levels deep.
    enum { DIGITS = 40, NODES = 16, NODES_SIZE = 8192 };
    struct cost early = cost_near(40), late = cost_near(2100);
    ck_assert_uint_gt(early.row, 100);
    ck_assert_uint_gt(early.order, 100);
    ck_assert_uint_le(late.row, early.row + DIGITS);
    ck_assert_uint_le(late.order, early.order + DIGITS);
    ck_assert_uint_le(late.allocations, early.allocations + NODES);
    ck_assert_uint_le(late.allocated, early.allocated + NODES_SIZE);
    expect_few_whole_rows();
}

START_TEST(a_long_conversation_costs_what_a_short_one_does)
{
    lab_begin(js(chat), LAB_SUPERSTEPS_MAX - 1, NULL);
    lab_converse();
    expect_flat();
    ck_assert_uint_eq(lab.lacked, 0);
    json_t *output = json_object_get(lab.answer, "output");
    ck_assert_uint_eq(json_array_size(json_object_get(output, "messages")),
        LAB_SUPERSTEPS_MAX);
    lab_end();
}
END_TEST

START_TEST(what_is_replaced_and_removed_costs_itself)
{
    lab_begin(js(chat), LAB_SUPERSTEPS_MAX - 1, NULL);
    lab.edits_messages = true;
    lab_converse();
    expect_flat();
    lab_end();
}
END_TEST

START_TEST(lists_arrive_whole_whatever_is_lost_repeated_or_late)
{
    size_t lacked = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct ss_prng prng;
        ss_prng_init(&prng, seed);
        lab_begin(js(chat), 120, &prng);
        lab.edits_messages = true;
        lab_converse();
        lacked += lab.lacked;
        lab_end();
    }
    ck_assert_uint_gt(lacked, 0);
}
END_TEST

// What the superstep of one node of a chain of so many costs.
static struct cost chain_cost(size_t nodes)
{
    lab_begin(lab_chain(nodes), 0, NULL);
    lab_ask_run();
    for (size_t i = 0; i < 1000 && lab.costs[31].order == 0; i++)
        lab_go_on();
    struct cost cost = cost_near(15);
    lab_end();
    return cost;
}

START_TEST(a_superstep_of_a_large_graph_costs_what_one_of_a_small_one_does)
{
    struct cost small = chain_cost(40), large = chain_cost(100000);
    ck_assert_uint_gt(small.allocations, 10);
    ck_assert_uint_eq(large.row, small.row);
    ck_assert_uint_eq(large.order, small.order);
    ck_assert_uint_eq(large.allocations, small.allocations);
    ck_assert_uint_le(large.allocated, small.allocated + 256);
}
END_TEST

// A reader passes twice the state: what is overwritten counts against that.
START_TEST(where_a_state_is_overwritten_whole_rows_come_now_and_then)
{
    enum { SIZE = 4096, RUNS = 24, ROWS = 3 };
    char text[SIZE + 1] = "";
    memset(text, 'x', SIZE);
    lab_begin(lab_chain(1), 0, NULL);
    for (unsigned i = 0; i < RUNS; i++)
        lab_use_thread(0, text);
    ck_assert_uint_ge(lab.wholes, RUNS / 2);
    ck_assert_uint_le(lab.wholes, (size_t)RUNS * ROWS / 2);
    lab_end();
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("growth");
    TCase *tcase = tcase_create("growth");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, a_long_conversation_costs_what_a_short_one_does);
    tcase_add_test(tcase, what_is_replaced_and_removed_costs_itself);
    tcase_add_test(tcase, lists_arrive_whole_whatever_is_lost_repeated_or_late);
    tcase_add_test(
        tcase, a_superstep_of_a_large_graph_costs_what_one_of_a_small_one_does);
    tcase_add_test(
        tcase, where_a_state_is_overwritten_whole_rows_come_now_and_then);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
