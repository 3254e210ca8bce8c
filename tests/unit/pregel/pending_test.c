// pending_test.c - one reading of a superstep's pending writes (R1.14).
#include "common/pregel/pending.h"

#include <stdio.h>

#include "common/model/writers.h"
#include "tests/suite.h"
#include "tests/unit/pregel/bench.h"

#define TASK  "11111111-1111-1111-1111-111111111111"
#define OTHER "22222222-2222-2222-2222-222222222222"

static struct ss_pendings pending;

static void add(const char *task, int32_t idx, const char *channel,
    const char *value, uint64_t seq)
{
    struct ss_value *it = ss_value_new(js(value));
    ss_pendings_add(&pending, task, "~p", idx, channel, it, true, seq);
    ss_value_unref(it);
}

static void teardown(void)
{
    ss_pendings_fini(&pending);
}

static struct ss_task_facts facts(void)
{
    return ss_pendings_facts(&pending, TASK);
}

START_TEST(a_task_without_writes_has_done_nothing)
{
    add(OTHER, 0, "x", "1", 1);
    ck_assert(!facts().finished && !facts().failed);
    ck_assert_ptr_null(facts().interrupts);
    ck_assert_ptr_null(facts().answers);
    ck_assert_ptr_null(facts().error);
}
END_TEST

START_TEST(only_output_finishes_a_task)
{
    add(TASK, -4, "__resume__", "['yes']", 1);
    ck_assert(!facts().finished);
    add(TASK, -3, "__interrupt__", "[{'value': 'q', 'id': '0'}]", 1);
    ck_assert(!facts().finished);
    add(TASK, 2, "__no_writes__", "null", 2);
    ck_assert(facts().finished);
}
END_TEST

START_TEST(an_error_after_the_output_takes_it_back)
{
    add(TASK, 0, "x", "1", 1);
    add(TASK, -1, "__error__", "{'code': 'node_failed'}", 2);
    ck_assert(!facts().finished && facts().failed);
}
END_TEST

START_TEST(output_after_an_error_is_a_later_success)
{
    add(TASK, -1, "__error__", "{'code': 'node_failed'}", 1);
    add(TASK, 0, "x", "1", 2);
    ck_assert(facts().finished && !facts().failed);
    ck_assert_ptr_nonnull(facts().error); // it is still shown
}
END_TEST

START_TEST(a_handled_error_names_its_node)
{
    add(TASK, -1, "__error__", "{'code': 'node_failed'}", 1);
    add(TASK, 0, "__error_source_node__", "'bad'", 1);
    ck_assert(!facts().finished && facts().failed);
    ck_assert_str_eq(facts().error_source, "bad");
}
END_TEST

START_TEST(output_is_what_is_no_note_of_the_engine)
{
    struct ss_writes writes = {0};
    add(TASK, -4, "__resume__", "['yes']", 1);
    add(TASK, 1, "x", "1", 1);
    add(OTHER, 0, "x", "2", 1);
    add(TASK, 2, "branch:to:b", "null", 1);
    add(TASK, -1, "__error__", "{}", 1);
    ss_pendings_output(&pending, TASK, &writes);
    ck_assert_uint_eq(writes.count, 2);
    ck_assert_str_eq(writes.items[0].channel, "x");
    ck_assert_str_eq(writes.items[1].channel, "branch:to:b");
    ss_writes_fini(&writes);
}
END_TEST

START_TEST(a_question_is_open_until_it_is_answered_or_the_task_finishes)
{
    add(TASK, -3, "__interrupt__", "[{'value': 'q', 'id': 'i0'}]", 1);
    ck_assert(ss_pendings_asks(&pending, TASK));
    bench_json(ss_pendings_questions(&pending), "['i0']");
    add(TASK, -4, "__resume__", "['yes']", 2); // and failed after that
    ck_assert(!ss_pendings_asks(&pending, TASK));
    bench_json(ss_pendings_questions(&pending), "[]");
}
END_TEST

START_TEST(an_answer_before_the_question_leaves_it_open)
{
    add(TASK, -4, "__resume__", "['one']", 2);
    add(TASK, -3, "__interrupt__", "[{'value': 'q2', 'id': 'i1'}]", 2);
    bench_json(ss_pendings_questions(&pending), "['i1']");
    add(TASK, 0, "x", "1", 3);
    bench_json(ss_pendings_questions(&pending), "[]");
}
END_TEST

START_TEST(every_question_of_a_graph_inside_counts)
{
    add(TASK, -3, "__interrupt__",
        "[{'value': 'p', 'id': 'ip'}, {'value': 'q', 'id': 'iq'}]", 1);
    add(OTHER, -3, "__interrupt__", "[{'value': 'r', 'id': 'ir'}]", 1);
    bench_json(ss_pendings_questions(&pending), "['ip', 'iq', 'ir']");
}
END_TEST

START_TEST(writes_of_no_task_are_read_in_their_order)
{
    struct ss_writes writes = {0};
    add(SS_NULL_TASK, 0, "x", "1", 1);
    add(TASK, 0, "x", "2", 1);
    add(SS_NULL_TASK, 1, "branch:to:b", "null", 2);
    ss_pendings_null_writes(&pending, &writes);
    ck_assert_uint_eq(writes.count, 2);
    ck_assert_str_eq(writes.items[0].channel, "x");
    ck_assert_str_eq(writes.items[1].channel, "branch:to:b");
    ss_writes_fini(&writes);
    ss_pendings_drop_write(&pending, SS_NULL_TASK, "x");
    ck_assert_uint_eq(pending.count, 2);
    ss_pendings_drop(&pending, TASK);
    ck_assert_uint_eq(pending.count, 1);
}
END_TEST

START_TEST(a_write_knows_whether_this_run_made_it)
{
    struct ss_value *it = ss_value_null();
    ss_pendings_add(&pending, TASK, "~p", 0, "x", it, false, 1);
    ck_assert(!ss_pendings_ours(&pending, TASK));
    ss_pendings_add(&pending, TASK, "~p", -4, "__resume__", it, true, 2);
    ck_assert(ss_pendings_ours(&pending, TASK));
    ck_assert(!ss_pendings_ours(&pending, OTHER));
    ss_value_unref(it);
}
END_TEST

// Of many tasks, each with several writes, as a wide superstep has them.
enum { MANY = 40 };

static const char *task_of(size_t number, char ret_id[SS_UUID_SIZE])
{
    snprintf(ret_id, SS_UUID_SIZE, "%08zx-0000-0000-0000-000000000000", number);
    return ret_id;
}

static void expect_output(size_t number, size_t count)
{
    char id[SS_UUID_SIZE];
    struct ss_writes writes = {0};
    ss_pendings_output(&pending, task_of(number, id), &writes);
    ck_assert_uint_eq(writes.count, count);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(writes.items[i].channel, i == 0 ? "x" : "y");
    ck_assert(ss_pendings_have(&pending, id) == (count > 0));
    ss_writes_fini(&writes);
}

START_TEST(each_of_many_tasks_has_its_own_writes_whichever_go)
{
    char id[SS_UUID_SIZE];
    for (size_t i = 0; i < MANY; i++)
        add(task_of(i, id), 0, "x", "1", i);
    for (size_t i = 0; i < MANY; i++) // not beside their first
        add(task_of(i, id), 1, "y", "2", MANY + i);
    for (size_t gone = 0; gone < MANY; gone++) {
        ck_assert_uint_eq(pending.count, 2 * (MANY - gone));
        for (size_t i = 0; i < MANY; i++)
            expect_output(i, i < gone ? 0 : 2);
        ss_pendings_drop(&pending, task_of(gone, id));
    }
    ck_assert_uint_eq(pending.count, 0);
}
END_TEST

START_TEST(one_write_of_many_goes_and_the_others_are_found)
{
    char id[SS_UUID_SIZE];
    for (size_t i = 0; i < MANY; i++) {
        add(task_of(i, id), 0, "x", "1", i);
        add(task_of(i, id), 1, "y", "2", i);
    }
    ss_pendings_drop_write(&pending, task_of(7, id), "y");
    ss_pendings_remove(&pending, 0); // the first task's x
    for (size_t i = 1; i < MANY; i++)
        expect_output(i, i == 7 ? 1 : 2);
    add(task_of(7, id), 1, "y", "3", MANY);
    expect_output(7, 2);
    ck_assert_str_eq(pending.items[0].channel, "y");
    ck_assert(ss_pendings_have(&pending, task_of(0, id)));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_task_without_writes_has_done_nothing,
        only_output_finishes_a_task, an_error_after_the_output_takes_it_back,
        output_after_an_error_is_a_later_success,
        a_handled_error_names_its_node, output_is_what_is_no_note_of_the_engine,
        a_question_is_open_until_it_is_answered_or_the_task_finishes,
        an_answer_before_the_question_leaves_it_open,
        every_question_of_a_graph_inside_counts,
        writes_of_no_task_are_read_in_their_order,
        a_write_knows_whether_this_run_made_it,
        each_of_many_tasks_has_its_own_writes_whichever_go,
        one_write_of_many_goes_and_the_others_are_found};
    Suite *suite = suite_create("pending");
    TCase *tcase = tcase_create("pending");
    tcase_add_checked_fixture(tcase, ss_value_setup, teardown);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
