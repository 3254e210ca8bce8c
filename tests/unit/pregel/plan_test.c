// plan_test.c - what runs next, and under which names (spec/engine.md 3 and
// 16).
#include <stdio.h>

#include "common/base/buf.h"
#include "common/model/reserved.h"
#include "common/pregel/pregel_impl.h"
#include "tests/unit/pregel/bench.h"

#define CHECKPOINT "1f1e5e9d-b535-6873-8001-73470c2398e7"

static void diamond(void)
{
    bench_begin(chart("g", "start>A A>B A>C B+C>D D>end", NULL));
}

// The machine stands at the checkpoint of section 16, about to make `step`.
static struct bench *at_step(struct bench *bench, int64_t step)
{
    bench->at.checkpoint_id = CHECKPOINT;
    bench->at.step = step;
    return bench;
}

static const struct ss_planned_task *only_task(const struct bench *bench)
{
    ck_assert_uint_eq(bench->tasks.count, 1);
    return &bench->tasks.items[0];
}

// ------------------------------------------------------------------ ids (16)

START_TEST(a_pulled_task_has_the_id_of_the_vector)
{
    struct bench *bench = at_step(
        bench_begin(chart("g", "start>A A>B A>C B+C>D A>D D>end", NULL)), 3);
    ck_assert_int_eq(
        APPLY({"~x", "B", NULL, "[['branch:to:D', null]]"}), SS_OK);
    bench_plans(true, "D");
    const struct ss_planned_task *task = only_task(bench);
    ck_assert_str_eq(task->id, "ad05cef3-3723-7f5e-0b12-4d91420ee3db");
    ck_assert_str_eq(task->ns, "D:ad05cef3-3723-7f5e-0b12-4d91420ee3db");
    ck_assert_str_eq(task->path, "~__pregel_pull, D");
    bench_json(
        ss_task_triggers(bench->graph, task), "['branch:to:D', 'join:B+C:D']");
}
END_TEST

START_TEST(each_question_of_a_task_has_the_id_of_the_vector)
{
    static const char *const ids[] = {"f7a509b30dd030f9ddbba3b3a326707f",
        "039dcdd88cbe4d5d6b9882795e123b79", "c810332522d94baf90e0f1be0e2e86d8"};
    char id[SS_HEX128_SIZE];
    diamond();
    for (size_t k = 0; k < 3; k++) {
        ss_interrupt_id("D:ad05cef3-3723-7f5e-0b12-4d91420ee3db", k, id);
        ck_assert_str_eq(id, ids[k]);
    }
}
END_TEST

START_TEST(a_sent_task_has_the_id_of_the_vector)
{
    struct bench *bench =
        at_step(bench_begin(chart("g", "start>a", "{'nodes': {'t': {}}}")), 2);
    char id[SS_HEX128_SIZE];
    ck_assert_int_eq(APPLY({"~a", "a", "start",
                         "[['__pregel_tasks', {'$send': {'node': 't',"
                         " 'arg': 0}}],"
                         " ['__pregel_tasks', {'$send': {'node': 't',"
                         " 'arg': 1}}]]"}),
        SS_OK);
    bench_plans(true, "send t, send t");
    const struct ss_planned_task *task = &bench->tasks.items[1];
    ck_assert_str_eq(task->id, "97c66190-32eb-abcb-8ead-f180e61b60f5");
    ck_assert_str_eq(task->path, "~__pregel_push, 0000000001, 0000000000");
    ss_interrupt_id(task->ns, 0, id);
    ck_assert_str_eq(id, "15cd8bfc49ece740b0a913f0e5b33ca2");
    ck_assert_int_eq(json_integer_value(ss_value_json(task->input)), 1);
    bench_json(ss_task_triggers(bench->graph, task), "['__pregel_push']");
}
END_TEST

START_TEST(a_task_inside_has_the_id_of_the_vector)
{
    struct bench *bench = at_step(bench_begin(chart("g", "start>s1", NULL)), 0);
    bench->at.ns = "sub:ad05cef3-3723-7f5e-0b12-4d91420ee3db";
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:s1', null]]"}), SS_OK);
    bench_plans(true, "s1");
    ck_assert_str_eq(
        only_task(bench)->id, "60bb13e1-1deb-4d33-6827-bbfab4af903f");
    ck_assert_str_eq(only_task(bench)->ns,
        "sub:ad05cef3-3723-7f5e-0b12-4d91420ee3db|s1:"
        "60bb13e1-1deb-4d33-6827-bbfab4af903f");
}
END_TEST

START_TEST(an_error_handler_has_the_id_of_the_vector)
{
    struct bench *bench =
        at_step(bench_begin(chart("g", "start>bad",
                    "{'nodes': {'bad': {'error_handler': true}}}")),
            1);
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:bad', null]]"}), SS_OK);
    bench_plans(true, "bad");
    struct ss_planned_task *failed = &bench->tasks.items[0], handler;
    snprintf(failed->id, sizeof(failed->id), "%s",
        "ad05cef3-3723-7f5e-0b12-4d91420ee3db");
    ss_plan_handler(bench->machine, &bench->at, failed, &handler);
    ck_assert_str_eq(handler.id, "b9e958ef-2f49-96e4-67f5-cefdf81241c7");
    ck_assert_str_eq(
        handler.path, "~__pregel_pull, bad, node_error_handler, 0000000000");
    ck_assert_ptr_eq(handler.input, failed->input);
    ss_planned_task_fini(&handler);
}
END_TEST

START_TEST(paths_are_written_as_in_the_vectors)
{
    struct ss_arena memory = {0};
    ck_assert_str_eq(
        ss_path_push(&memory, 3), "~__pregel_push, 0000000003, 0000000000");
    ck_assert_str_eq(ss_path_update(&memory, 1), "~__interrupt__, 0000000001");
    ss_arena_fini(&memory);
}
END_TEST

START_TEST(the_same_checkpoint_gives_the_same_ids_a_fork_others)
{
    struct bench *bench = at_step(bench_begin(chart("g", "start>a", NULL)), 5);
    char first[SS_UUID_SIZE];
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:a', null]]"}), SS_OK);
    bench_plans(true, "a");
    memcpy(first, only_task(bench)->id, sizeof(first));
    bench_plans(false, "a");
    ck_assert_str_eq(only_task(bench)->id, first);
    bench->at.step++;
    bench_plans(true, "a");
    ck_assert_str_ne(only_task(bench)->id, first);
    bench->at.step--;
    bench->at.checkpoint_id = "f" CHECKPOINT;
    bench_plans(true, "a");
    ck_assert_str_ne(only_task(bench)->id, first);
}
END_TEST

// B is planned first, and what its ids hash is kept for the next one of it.
START_TEST(a_task_has_the_same_id_beside_those_of_other_nodes)
{
    struct bench *bench =
        at_step(bench_begin(chart("g", "start>B start>D", NULL)), 3);
    char alone[SS_UUID_SIZE];
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:D', null]]"}), SS_OK);
    bench_plans(true, "D");
    memcpy(alone, only_task(bench)->id, sizeof(alone));
    ck_assert_int_eq(APPLY({"~x", "x", NULL,
                         "[['branch:to:B', null], ['branch:to:D', null]]"}),
        SS_OK);
    bench_plans(true, "B, D");
    ck_assert_str_eq(bench->tasks.items[1].id, alone);
}
END_TEST

// ------------------------------------------------------------------ who

START_TEST(in_execution_candidates_come_in_the_order_of_names)
{
    bench_begin(chart("g",
        "start>zeta start>Beta start>alpha start>10 "
        "start>9",
        NULL));
    ck_assert_int_eq(APPLY({"~x", "x", NULL,
                         "[['branch:to:zeta', null], ['branch:to:Beta', null],"
                         " ['branch:to:alpha', null], ['branch:to:10', null],"
                         " ['branch:to:9', null]]"}),
        SS_OK);
    bench_plans(true, "10, 9, Beta, alpha, zeta");
    bench_plans(false, "zeta, Beta, alpha, 10, 9"); // as they were declared
}
END_TEST

START_TEST(a_node_is_planned_once_however_many_of_its_triggers_fired)
{
    bench_begin(chart("g", "start>a start>b start>c a>d b>d a+b>d", NULL));
    ck_assert_int_eq(APPLY({"~x", "x", NULL,
                         "[['branch:to:d', null], ['branch:to:d', null],"
                         " ['join:a+b:d', 'a'], ['join:a+b:d', 'b']]"}),
        SS_OK);
    bench_plans(true, "d");
}
END_TEST

START_TEST(more_than_a_few_candidates_are_sorted_too)
{
    struct ss_buf edges, writes;
    char name[32];
    ss_buf_init(&edges, 4096);
    ss_buf_init(&writes, 8192);
    for (int i = 99; i >= 0; i--) {
        ss_buf_addf(&edges, "start>n%02d ", i);
        ss_buf_addf(
            &writes, "%c['branch:to:n%02d', null]", i < 99 ? ',' : '[', i);
    }
    ss_buf_add_str(&writes, "]");
    struct bench *bench = bench_begin(chart("g", ss_buf_str(&edges), NULL));
    ck_assert_int_eq(APPLY({"~x", "x", NULL, ss_buf_str(&writes)}), SS_OK);
    ss_buf_fini(&edges);
    ss_buf_fini(&writes);
    bench_plans(true, NULL);
    ck_assert_uint_eq(bench->tasks.count, 100);
    for (size_t i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "n%02zu", i);
        ck_assert_str_eq(bench->tasks.items[i].node->name, name);
    }
}
END_TEST

START_TEST(before_anything_was_written_nobody_is_planned)
{
    diamond();
    bench_plans(true, "");
    bench_plans(false, "");
}
END_TEST

START_TEST(only_nodes_of_updated_channels_are_looked_at)
{
    struct bench *bench = bench_begin(chart("g", "start>A A>B A>C", NULL));
    ck_assert_int_eq(APPLY({"~x", "x", NULL,
                         "[['branch:to:B', null], ['branch:to:C', null]]"}),
        SS_OK);
    index_set_clear(&bench->machine->updated);
    index_set_add(&bench->machine->updated,
        ss_graph_channel(bench->graph, "branch:to:B"));
    bench_plans(true, "B");
    ss_updated_forget(bench->machine); // null: all are looked at
    bench_plans(true, "B, C");
}
END_TEST

START_TEST(without_an_entry_any_trigger_that_is_there_fires)
{
    struct bench *bench = bench_begin(chart("g", "start>a", NULL));
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:a', null]]"}), SS_OK);
    bench_plans(true, "a");
    ss_seen_set(
        bench->machine, "a", NULL, 0); // an empty entry: versions are compared
    bench_plans(true, "a");
    ss_seen_set(bench->machine, "a", "branch:to:a", 1);
    bench_plans(true, "");
}
END_TEST

START_TEST(sends_come_first_and_an_unknown_target_is_left_out)
{
    struct bench *bench =
        bench_begin(chart("g", "start>a", "{'nodes': {'t': {}}}"));
    ck_assert_int_eq(APPLY({"~x", "x", NULL,
                         "[['branch:to:a', null],"
                         " ['__pregel_tasks', {'$send': {'node': 'nobody',"
                         " 'arg': 0}}],"
                         " ['__pregel_tasks', {'$send': {'node': 't',"
                         " 'arg': 1}}]]"}),
        SS_OK);
    bench_plans(true, "send t, a");
    ck_assert_uint_eq(bench->tasks.ignored.count, 1);
    ck_assert_str_eq(bench->tasks.ignored.items[0], "nobody");
}
END_TEST

START_TEST(a_node_reads_what_is_there_also_nothing)
{
    struct bench *bench = bench_begin(
        chart("g", "start>a", "{'state': [{'key': 'v'}, {'key': 'w'}]}"));
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:a', null]]"}), SS_OK);
    bench_plans(true, "a");
    bench_json(json_incref(ss_value_json(only_task(bench)->input)), "{}");
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:a', null], ['w', 2]]"}), SS_OK);
    bench_plans(true, "a");
    bench_json(json_incref(ss_value_json(only_task(bench)->input)), "{'w': 2}");
}
END_TEST

START_TEST(a_raw_node_gets_one_value_or_a_map_of_what_it_reads)
{
    struct bench *bench =
        bench_begin(js("{'name': 'g', 'kind': 'raw', 'channels':"
                       " [{'name': 'i', 'kind': 'LastValue'},"
                       "  {'name': 'j', 'kind': 'LastValue'}], 'nodes':"
                       " [{'name': 'a', 'subscribe_only': 'i', 'writes': []},"
                       "  {'name': 'b', 'subscribe': ['i'], 'read': ['j'],"
                       "   'writes': []}], 'input': 'i', 'output': 'j'}"));
    ck_assert_int_eq(APPLY({"~x", "x", NULL, "[['i', 1]]"}), SS_OK);
    bench_plans(true, "a, b");
    bench_json(json_incref(ss_value_json(bench->tasks.items[0].input)), "1");
    bench_json(
        json_incref(ss_value_json(bench->tasks.items[1].input)), "{'i': 1}");
    ck_assert_int_eq(APPLY({"~x", "x", NULL, "[['j', 2]]"}), SS_OK);
    bench_plans(true, ""); // read, but not subscribed to
}
END_TEST

START_TEST(who_reads_the_same_is_given_the_same)
{
    struct bench *bench = bench_begin(chart(
        "g", "start>a start>b", "{'state': [{'key': 'v'}, {'key': 'w'}]}"));
    ck_assert_int_eq(APPLY({"~x", "x", NULL,
                         "[['branch:to:a', null],"
                         " ['branch:to:b', null], ['v', 1], ['w', 2]]"}),
        SS_OK);
    bench_plans(true, "a, b");
    struct ss_value *input = bench->tasks.items[0].input;
    bench_json(json_incref(ss_value_json(input)), "{'v': 1, 'w': 2}");
    ck_assert_ptr_eq(bench->tasks.items[1].input, input);
}
END_TEST

START_TEST(who_reads_as_many_others_is_not)
{
    struct bench *bench =
        bench_begin(js("{'name': 'g', 'kind': 'raw', 'channels':"
                       " [{'name': 'i', 'kind': 'LastValue'},"
                       "  {'name': 'j', 'kind': 'LastValue'},"
                       "  {'name': 'k', 'kind': 'LastValue'}], 'nodes':"
                       " [{'name': 'a', 'subscribe': ['i'], 'read': ['j'],"
                       "   'writes': []},"
                       "  {'name': 'b', 'subscribe': ['i'], 'read': ['k'],"
                       "   'writes': []}], 'input': 'i', 'output': 'j'}"));
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['i', 1], ['j', 2], ['k', 3]]"}), SS_OK);
    bench_plans(true, "a, b");
    bench_json(json_incref(ss_value_json(bench->tasks.items[0].input)),
        "{'i': 1, 'j': 2}");
    bench_json(json_incref(ss_value_json(bench->tasks.items[1].input)),
        "{'i': 1, 'k': 3}");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_pulled_task_has_the_id_of_the_vector,
        each_question_of_a_task_has_the_id_of_the_vector,
        a_sent_task_has_the_id_of_the_vector,
        a_task_inside_has_the_id_of_the_vector,
        an_error_handler_has_the_id_of_the_vector,
        paths_are_written_as_in_the_vectors,
        the_same_checkpoint_gives_the_same_ids_a_fork_others,
        a_task_has_the_same_id_beside_those_of_other_nodes,
        in_execution_candidates_come_in_the_order_of_names,
        a_node_is_planned_once_however_many_of_its_triggers_fired,
        more_than_a_few_candidates_are_sorted_too,
        before_anything_was_written_nobody_is_planned,
        only_nodes_of_updated_channels_are_looked_at,
        without_an_entry_any_trigger_that_is_there_fires,
        sends_come_first_and_an_unknown_target_is_left_out,
        a_node_reads_what_is_there_also_nothing,
        a_raw_node_gets_one_value_or_a_map_of_what_it_reads,
        who_reads_the_same_is_given_the_same, who_reads_as_many_others_is_not};
    return bench_suite("plan", tests, sizeof(tests) / sizeof(tests[0]));
}
