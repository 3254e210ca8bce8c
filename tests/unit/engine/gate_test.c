// gate_test.c - what must be durable before something leaves: the table, and
// what it does.
#include <stdlib.h>

#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/thread_impl.h"
#include "tests/stories/suite.h"

// X(what, sync, async, exit) as gate.def says it, told once more.
static const struct {
    enum gate gate;
    bool waits[3];
} expected[] = {
    {GATE_DISPATCH, {true, false, false}},
    {GATE_VALUES, {true, false, false}},
    {GATE_UPDATES, {true, false, false}},
    {GATE_TASKS, {true, false, false}},
    {GATE_CHECKPOINTS, {true, false, false}},
    {GATE_DEBUG, {true, false, false}},
    {GATE_LIVE, {false, false, false}},
    {GATE_PROGRESS, {false, false, false}},
    {GATE_ACCEPTED, {true, true, true}},
    {GATE_REPLY, {true, true, true}},
    {GATE_READ, {true, true, true}},
    {GATE_SETTLED, {true, true, true}},
};

static struct engine engine;
static struct thread thread;

static void rows(uint64_t count)
{
    struct ss_error error;
    thread.facts.engine = &engine;
    thread.facts.journal = ss_journal_new();
    for (uint64_t seq = 1; seq <= count; seq++) {
        struct ss_row *row = ss_row_new();
        row->seq = seq;
        row->kind = SS_ROW_END;
        row->ns = ss_arena_text(&row->memory, "");
        row->end = json_object();
        if (ss_journal_append(thread.facts.journal, row, &error) != SS_OK)
            ck_abort_msg("%s", error.message);
    }
}

START_TEST(each_thing_waits_for_the_head_or_for_nothing)
{
    rows(5);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        for (int d = 0; d < 3; d++)
            ck_assert_uint_eq(
                ss_thread_gate(&thread, expected[i].gate, (enum durability)d),
                expected[i].waits[d] ? 5 : 0);
    ss_journal_destroy(&thread.facts.journal);
}
END_TEST

START_TEST(async_runs_ahead_of_the_journal_by_so_many_rows_at_most)
{
    rows(SS_ASYNC_BACKLOG_MAX + 10);
    ck_assert_uint_eq(
        ss_thread_gate(&thread, GATE_DISPATCH, DURABLE_ASYNC), 10);
    ck_assert_uint_eq(ss_thread_gate(&thread, GATE_DISPATCH, DURABLE_EXIT), 0);
    ss_journal_destroy(&thread.facts.journal);
}
END_TEST

static json_t *again(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("a");
}

// A store that says nothing stops even an async run, in the end.
START_TEST(a_store_that_hangs_bounds_the_backlog)
{
    world_graph(chart(
        "g", "start>a", "{'branches': [{'from': 'a', 'name': 'again'}]}"));
    world_route("a", again);
    world_worker("w1", 1);
    world_run();
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'durability':"
        " 'async', 'recursion_limit': 2000}");
    world_run_store(); // the thread is read
    while (world_run_result(NULL))
        continue;
    size_t attempts = world_attempts_of("a");
    ck_assert_uint_ge(attempts, SS_ASYNC_BACKLOG_MAX - 2);
    ck_assert_uint_le(attempts, SS_ASYNC_BACKLOG_MAX + 2);
    ck_assert_uint_eq(world_rows(), 0);
}
END_TEST

SUITE("gate", each_thing_waits_for_the_head_or_for_nothing,
    async_runs_ahead_of_the_journal_by_so_many_rows_at_most,
    a_store_that_hangs_bounds_the_backlog)
