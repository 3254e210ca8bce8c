// delta_test.c - what moved as a part of a row, a machine made of rows again,
// and what reducers of the application fold (spec/engine.md 1, 4, R7.13,
// R9.12).
#include <stdlib.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"
#include "tests/unit/pregel/bench.h"

#define A "~__pregel_pull, a"
#define B "~__pregel_pull, b"

#define RAW(channels)                                                          \
    "{'name': 'g', 'kind': 'raw', 'channels': ["                               \
    " {'name': 'i', 'kind': 'EphemeralValue'}" channels "],"                   \
    " 'nodes': [{'name': 'a', 'subscribe_only': 'i', 'writes': []},"           \
    "           {'name': 'b', 'subscribe_only': 'i', 'writes': []}],"          \
    " 'input': 'i', 'output': 'i'}"
#define LIST                                                                   \
    ", {'name': 'list', 'kind': 'BinaryOperatorAggregate', 'type': 'list',"    \
    "   'reducer': 'add'}"
#define LAST ", {'name': 'last', 'kind': 'LastValue'}"
#define SUM                                                                    \
    ", {'name': 'sum', 'kind': 'BinaryOperatorAggregate', 'type': 'int',"      \
    "   'custom': 'sum'}"

static struct bench *bench;

static void raw(const char *description)
{
    bench = bench_begin(js(description));
}

// The channels of the last row: "last=1 list+['y'] i-".
static void row_says(const char *expected)
{
    struct ss_buf said;
    const struct ss_row_checkpoint *part = bench_row();
    ss_buf_init(&said, 4096);
    for (size_t i = 0; i < part->channels_count; i++) {
        const struct ss_row_channel *channel = &part->channels[i];
        char *value = channel->value
                          ? ss_json_canonical(ss_value_json(channel->value))
                          : ss_strdup("");
        ss_buf_addf(&said, "%s%s%s%s", i ? " " : "", channel->name,
            channel->op == SS_DELTA_SET      ? "="
            : channel->op == SS_DELTA_APPEND ? "+"
            : channel->op == SS_DELTA_CLEAR  ? "-"
                                             : "~",
            value);
        ss_free(value);
    }
    ck_assert_str_eq(ss_buf_str(&said), expected);
    ss_buf_fini(&said);
}

START_TEST(a_row_tells_what_moved_and_a_whole_one_all)
{
    raw(RAW(LAST LIST));
    ck_assert_int_eq(
        APPLY({A, "a", "i", "[['last', 1], ['list', ['x']]]"}), SS_OK);
    bench_save(false);
    row_says("last=1 list=[\"x\"]");
    ck_assert_int_eq(APPLY({A, "a", "i", "[['last', 2]]"}), SS_OK);
    bench_save(false);
    row_says("last=2");
    bench_save(false); // nothing
    row_says("");
    bench_save(true);
    row_says("last=2 list=[\"x\"]");
}
END_TEST

START_TEST(of_a_list_that_grew_a_row_tells_what_was_added)
{
    raw(RAW(LIST));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['list', ['x', 'y']]]"}), SS_OK);
    bench_save(false);
    ck_assert_int_eq(APPLY({A, "a", "i", "[['list', ['z']]]"}), SS_OK);
    bench_save(false);
    row_says("list+[\"z\"]");
    bench_reload(NULL);
    bench_values("{'list': ['x', 'y', 'z']}");
}
END_TEST

START_TEST(what_was_consumed_is_told_as_cleared)
{
    raw(RAW(""));
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['i', 1]]"}), SS_OK);
    bench_save(false);
    row_says("i=1");
    ck_assert_int_eq(APPLY({A, "a", "i", NULL}), SS_OK);
    bench_save(false);
    row_says("i-");
    bench_reload(NULL);
    bench_values("{}");
    bench_versions("{'i': 2}");
}
END_TEST

START_TEST(a_machine_made_of_rows_goes_on_as_the_one_that_made_them)
{
    raw(RAW(LAST LIST));
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['i', 1]]"}), SS_OK);
    bench_save(false);
    bench_plans(true, "a, b");
    ck_assert_int_eq(APPLY({A, "a", "i", "[['last', 1], ['i', 2]]"},
                         {B, "b", "i", "[['list', ['x']]]"}),
        SS_OK);
    bench_save(false);
    for (int again = 0; again < 2; again++) {
        bench_values("{'last': 1, 'i': 2, 'list': ['x']}");
        bench_versions("{'last': 2, 'i': 2, 'list': 2}");
        bench_seen("{'__input__': {}, 'a': {'i': 1}, 'b': {'i': 1}}");
        bench_updated("['i', 'last', 'list']");
        bench_plans(true, "a, b");
        bench_reload(NULL);
    }
    ck_assert(ss_machine_has_versions(bench->machine));
}
END_TEST

START_TEST(without_a_checkpoint_a_machine_is_empty)
{
    raw(RAW(LAST));
    ck_assert(!ss_machine_has_versions(bench->machine));
    ck_assert_uint_eq(ss_machine_size(bench->machine), 0);
    bench_values("{}");
    bench_plans(true, "");
}
END_TEST

// A version of the graph that lacks a channel keeps it for the one that has it.
START_TEST(what_a_graph_lacks_is_told_again_in_whole_rows)
{
    raw(RAW(LAST LIST));
    ck_assert_int_eq(
        APPLY({A, "a", "i", "[['last', 1], ['list', ['x']]]"}), SS_OK);
    bench_save(false);
    bench_reload(js(RAW(LAST)));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['last', 2]]"}), SS_OK);
    bench_versions("{'last': 2}"); // above that of the one it does not know
    bench_save(true);
    row_says("last=2 list=[\"x\"]");
    bench_reload(js(RAW(LAST LIST)));
    bench_values("{'last': 2, 'list': ['x']}");
}
END_TEST

START_TEST(a_send_is_stored_without_what_is_never_stored)
{
    raw(RAW(", {'name': 'secret', 'kind': 'UntrackedValue'}" LAST));
    json_t *send = js("{'node': 'a', 'arg': {'secret': 1, 'last': 2}}");
    json_t *kept = ss_delta_tracked(bench->graph, send);
    bench_json(kept, "{'node': 'a', 'arg': {'last': 2}}");
    bench_json(send, "{'node': 'a', 'arg': {'secret': 1, 'last': 2}}");
    send = js("{'node': 'a', 'arg': {'last': 2}}");
    kept = ss_delta_tracked(bench->graph, send);
    ck_assert_ptr_eq(kept, send); // as it is
    json_decref(kept);
    json_decref(send);
}
END_TEST

// ------------------------------------------------ folds of the application

START_TEST(the_application_folds_writes_in_the_order_of_paths)
{
    raw(RAW(LAST SUM));
    struct ss_writes left = {0}, right = {0};
    size_t count = 0;
    ss_writes_add(&left, "sum", ss_value_new(json_integer(1)));
    ss_writes_add(&left, "last", ss_value_new(json_integer(7)));
    ss_writes_add(&right, "sum", ss_value_new(json_integer(2)));
    const struct ss_update_task tasks[] = {
        {.path = B, .name = "b", .writes = &right},
        {.path = A, .name = "a", .writes = &left}};
    struct ss_channel_fold *folds = ss_folds(bench->machine, tasks, 2, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(folds[0].name, "sum");
    bench_json(folds[0].writes, "[1, 2]");
    ss_free(folds);
    ck_assert_ptr_null(ss_folds(bench->machine, tasks, 0, &count));
    ck_assert_uint_eq(count, 0);
    ss_writes_fini(&left);
    ss_writes_fini(&right);
}
END_TEST

START_TEST(a_fold_becomes_the_value_and_a_view_does_without)
{
    raw(RAW(SUM));
    struct ss_value *three = ss_value_new(json_integer(3));
    const struct ss_fold_value fold = {"sum", three};
    bench->folds = &fold;
    bench->folds_count = 1;
    ck_assert_int_eq(APPLY({A, "a", "i", "[['sum', 1], ['sum', 2]]"}), SS_OK);
    bench_values("{'sum': 3}");
    bench_updated("['sum']");
    bench->folds_count = 0;
    bench->is_view = true;
    ck_assert_int_eq(APPLY({A, "a", "i", "[['sum', 1]]"}), SS_OK);
    ck_assert(bench->not_folded);
    bench_values("{'sum': 3}");
    bench_updated("[]");
    ss_value_unref(three);
}
END_TEST

// ------------------------------------------------ what nodes have seen

START_TEST(a_breakpoint_that_is_passed_holds_until_something_moves)
{
    raw(RAW(LAST));
    ck_assert(!ss_break_moved(bench->machine));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['last', 1]]"}), SS_OK);
    ck_assert(ss_break_moved(bench->machine));
    ss_break_pass(bench->machine);
    ck_assert(!ss_break_moved(bench->machine));
    bench_seen("{'a': {}, '__interrupt__': {'last': 1}}");
    bench_save(false);
    bench_reload(NULL); // it is looked for, then
    ck_assert(!ss_break_moved(bench->machine));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['last', 2]]"}), SS_OK);
    ck_assert(ss_break_moved(bench->machine));
}
END_TEST

START_TEST(whose_turn_it_was_says_the_newest_version_seen)
{
    const struct ss_node *node = NULL;
    raw(RAW(LAST));
    ck_assert(!ss_seen_newest(bench->machine, &node)); // nobody saw any
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['i', 1]]"}), SS_OK);
    ck_assert(!ss_seen_newest(bench->machine, &node)); // nor did the input
    ck_assert_int_eq(APPLY({A, "a", "i", "[['i', 2]]"}), SS_OK);
    ck_assert(ss_seen_newest(bench->machine, &node));
    ck_assert_str_eq(node->name, "a");
    ck_assert_int_eq(APPLY({A, "a", "i", NULL}, {B, "b", "i", NULL}), SS_OK);
    ck_assert(ss_seen_newest(bench->machine, &node));
    ck_assert_ptr_null(node); // both
}
END_TEST

#define TWO                                                                    \
    "{'name': 'g', 'kind': 'raw', 'channels': ["                               \
    " {'name': 'i', 'kind': 'LastValue'}" LAST "],"                            \
    " 'nodes': [{'name': 'a', 'subscribe': ['i', 'last'], 'writes': []},"      \
    "           {'name': 'gone', 'subscribe': ['i', 'last'],"                  \
    "            'writes': []}], 'input': 'i', 'output': 'i'}"

// Another version of the graph has neither the node nor one of the triggers.
START_TEST(what_a_node_saw_stays_where_the_graph_lacks_it)
{
    const char *seen = "{'__input__': {}, 'a': {'i': 1, 'last': 2},"
                       " 'gone': {'i': 1, 'last': 2}}";
    raw(TWO);
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['i', 1]]"}), SS_OK);
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['last', 1]]"}), SS_OK);
    ck_assert_int_eq(APPLY({A, "a", "i last", NULL},
                         {"~__pregel_pull, gone", "gone", "i last", NULL}),
        SS_OK);
    bench_seen(seen);
    bench_save(false);
    bench_reload(NULL);
    bench_seen(seen);
    bench_plans(true, "");
    bench_reload(js(RAW(LAST)));
    bench_seen(seen);
    bench_save(true);
    bench_reload(js(TWO));
    bench_seen(seen);
    bench_plans(true, "");
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['last', 2]]"}), SS_OK);
    bench_plans(true, "a, gone");
}
END_TEST

START_TEST(only_the_keys_that_an_update_moved_are_shown)
{
    const char *last[] = {"last"}, *list[] = {"list"};
    const struct ss_keys one = {.items = (char **)last, .count = 1};
    const struct ss_keys other = {.items = (char **)list, .count = 1};
    raw(RAW(LAST LIST));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['last', 1]]"}), SS_OK);
    ck_assert(ss_update_moved(bench->machine, &one));
    ck_assert(!ss_update_moved(bench->machine, &other));
    struct ss_value *output = ss_machine_output(bench->machine, &one);
    bench_json(json_incref(ss_value_json(output)), "{'last': 1}");
    ss_value_unref(output);
}
END_TEST

// Rows live on when the machine that told them is gone.
START_TEST(a_row_owns_the_names_that_the_graph_lacks)
{
    raw(RAW(LAST));
    ss_seen_set(bench->machine, "old", "gone", 3);
    for (int whole = 0; whole <= 1; whole++) {
        const struct ss_map_entry *old = bench->machine->strangers.first;
        bench_save(whole);
        const struct ss_row_checkpoint *part = bench_row();
        const struct ss_row_seen *seen = &part->seen[part->seen_count - 1];
        ck_assert_str_eq(seen->node, "old");
        ck_assert_str_eq(seen->channel, "gone");
        ck_assert_ptr_ne(seen->node, old->key);
        ck_assert_int_eq(seen->version, 3);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_row_tells_what_moved_and_a_whole_one_all,
        of_a_list_that_grew_a_row_tells_what_was_added,
        what_was_consumed_is_told_as_cleared,
        a_machine_made_of_rows_goes_on_as_the_one_that_made_them,
        without_a_checkpoint_a_machine_is_empty,
        what_a_graph_lacks_is_told_again_in_whole_rows,
        a_send_is_stored_without_what_is_never_stored,
        the_application_folds_writes_in_the_order_of_paths,
        a_fold_becomes_the_value_and_a_view_does_without,
        a_breakpoint_that_is_passed_holds_until_something_moves,
        whose_turn_it_was_says_the_newest_version_seen,
        what_a_node_saw_stays_where_the_graph_lacks_it,
        a_row_owns_the_names_that_the_graph_lacks,
        only_the_keys_that_an_update_moved_are_shown};
    return bench_suite("delta", tests, sizeof(tests) / sizeof(tests[0]));
}
