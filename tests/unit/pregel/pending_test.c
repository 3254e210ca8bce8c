// pending_test.c - one reading of a superstep's pending writes (R1.14).
#include "common/pregel/pending.h"

#include "common/model/writers.h"
#include "tests/suite.h"
#include "tests/unit/pregel/bench.h"

#define TASK  "11111111-1111-1111-1111-111111111111"
#define OTHER "22222222-2222-2222-2222-222222222222"

static struct ss_pendings pending;

static void add_of(bool of_this_run, const char *task, int32_t idx,
    const char *channel, const char *value, uint64_t seq)
{
    struct ss_row_write write = {.path = (char *)"~p",
        .idx = idx,
        .channel = (char *)channel,
        .value = ss_value_new(js(value))};
    ss_id_copy(write.task_id, task);
    ss_pendings_add(&pending, &write, of_this_run, seq);
    ss_value_unref(write.value);
}

static void add(const char *task, int32_t idx, const char *channel,
    const char *value, uint64_t seq)
{
    add_of(true, task, idx, channel, value, seq);
}

static void teardown(void)
{
    ss_pendings_fini(&pending);
}

static struct ss_pending_facts facts(void)
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
}
END_TEST

START_TEST(a_write_knows_whether_this_run_made_it)
{
    add_of(false, TASK, 0, "x", "null", 1);
    ck_assert(!ss_pendings_ours(&pending, TASK));
    add(TASK, -4, "__resume__", "null", 2);
    ck_assert(ss_pendings_ours(&pending, TASK));
    ck_assert(!ss_pendings_ours(&pending, OTHER));
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
        a_write_knows_whether_this_run_made_it};
    Suite *suite = suite_create("pending");
    TCase *tcase = tcase_create("pending");
    tcase_add_checked_fixture(tcase, ss_value_setup, teardown);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
