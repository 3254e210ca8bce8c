// A run whose rows a prune took: its name is its own for as long as its record
// is kept, and what the record says is answered.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(run)                                                               \
    "{'graph': 'g', 'thread': 't', 'run': '" run "', 'input': {'x': []}}"
#define OF(run) "{'thread': 't', 'run': '" run "'}"

static void two_nodes(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_body("a", fails_at_will);
    world_worker("w1", 9);
    world_run();
}

// The oldest coordinator reads that.
static void oldest_reads(int32_t format)
{
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.row_format = format;
    world_event(&event);
}

static void prune(void)
{
    json_t *answer = world_get("prune", "{'thread': 't'}");
    ck_assert_int_gt(json_integer_value(json_object_get(answer, "rows")), 0);
    world_run();
}

// Of the runs "old" and "new" the rows of "new" stay.
static void prune_between(void)
{
    world_get("run", RUN("old"));
    world_get("run", RUN("new"));
    prune();
}

static void is_told_from_its_record(const json_t *answer, const char *status)
{
    ck_assert_str_eq(
        code_of(answer), strcmp(status, "failed") == 0 ? "not_found" : "");
    ck_assert_str_eq(status_of(answer), status);
    ck_assert_str_eq(ss_json_str(answer, "run", ""), "old");
    ck_assert_str_eq(ss_json_str(answer, "thread", ""), "t");
    ck_assert(json_is_null(json_object_get(answer, "output")));
    ck_assert(ss_json_bool(answer, "pruned", false));
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "warnings")), 1);
}

START_TEST(the_same_name_after_a_prune_is_that_run)
{
    two_nodes();
    prune_between();
    size_t ran = world_attempts_of("a");
    for (int i = 0; i < 2; i++) {
        is_told_from_its_record(world_get("run", RUN("old")), "done");
        is_told_from_its_record(world_get("attach", OF("old")), "done");
        is_told_from_its_record(world_get("attach", "{'run': 'old'}"), "done");
        ck_assert(!ss_json_bool(world_get("run", RUN("new")), "pruned", false));
        world_crash();
        world_restart();
        world_run();
    }
    ck_assert_uint_eq(world_attempts_of("a"), ran);
}
END_TEST

// Else a client is told that all is gone, and after a crash nothing is.
START_TEST(it_is_told_of_when_its_prune_is_durable)
{
    two_nodes();
    world_get("run", RUN("old"));
    world_get("run", RUN("new"));
    world_store_take(0);
    world_store_reads_on(true);
    world_ask("ann", "prune", "{'thread': 't'}");
    uint64_t attached = world_ask("bob", "attach", OF("old"));
    uint64_t explained = world_ask("bob", "explain", OF("old"));
    world_run();
    ck_assert_ptr_null(world_answer(attached));
    ck_assert_ptr_null(world_answer(explained));
    world_crash();
    world_store_take(-1);
    world_restart();
    world_run();
    const json_t *whole = world_get("attach", OF("old"));
    ck_assert(!ss_json_bool(whole, "pruned", false));
    ck_assert(!json_is_null(json_object_get(whole, "output")));
}
END_TEST

START_TEST(it_is_whole_when_its_prune_was_refused)
{
    two_nodes();
    world_get("run", RUN("old"));
    world_get("run", RUN("new"));
    world_store_slow(true);
    world_ask("ann", "prune", "{'thread': 't'}");
    uint64_t attached = world_ask("bob", "attach", OF("old"));
    world_store_says(SS_EREFUSED);
    world_run_store(); // the prune
    world_run_store(); // the look at the record
    world_store_slow(false);
    const json_t *whole = world_finish(attached);
    ck_assert(!ss_json_bool(whole, "pruned", false));
    ck_assert(!json_is_null(json_object_get(whole, "output")));
}
END_TEST

START_TEST(it_is_explained_and_cancelled_as_one_that_has_ended)
{
    two_nodes();
    prune_between();
    ck_assert_str_eq(status_of(world_get("cancel", OF("old"))), "done");
    json_t *told = json_object_get(world_get("explain", OF("old")), "explain");
    ck_assert_str_eq(ss_json_str(told, "status", ""), "done");
    ck_assert_str_eq(ss_json_str(told, "graph", ""), "g");
    ck_assert(ss_json_bool(told, "pruned", false));
    ck_assert(ss_json_bool(told, "steps_pruned", false));
    ck_assert_ptr_nonnull(json_object_get(told, "ended_at"));
    ck_assert_ptr_nonnull(json_object_get(told, "created_at"));
}
END_TEST

START_TEST(one_that_failed_has_failed_after_a_prune)
{
    two_nodes();
    will_fail = true;
    world_get("run", RUN("old"));
    will_fail = false;
    world_get("run", RUN("new"));
    prune();
    is_told_from_its_record(world_get("run", RUN("old")), "failed");
}
END_TEST

START_TEST(a_mode_that_is_none_is_refused_before_the_record_is_told)
{
    two_nodes();
    prune_between();
    ck_assert_str_eq(code_of(world_get("attach",
                         "{'thread': 't', 'run': 'old', 'stream': ['no']}")),
        "invalid_argument");
}
END_TEST

START_TEST(another_name_is_another_run_on_a_thread_that_was_pruned)
{
    two_nodes();
    prune_between();
    const char *const ops[] = {"attach", "cancel", "explain"};
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(code_of(world_get(ops[i], OF("next"))), "not_found");
    size_t ran = world_attempts_of("a");
    world_hold("a");
    uint64_t one = world_ask("ann", "run", RUN("next"));
    uint64_t two = world_ask("ann", "run", RUN("next"));
    world_run();
    world_let("a");
    ck_assert_str_eq(status_of(world_finish(one)), "done");
    ck_assert_str_eq(status_of(world_finish(two)), "done");
    ck_assert_uint_eq(world_attempts_of("a"), ran + 1);
}
END_TEST

START_TEST(a_record_of_before_is_told_too)
{
    two_nodes();
    oldest_reads(SS_ROW_FORMAT_4);
    prune_between();
    size_t ran = world_attempts_of("a");
    is_told_from_its_record(world_get("run", RUN("old")), "done");
    oldest_reads(SS_ROW_FORMAT_5);
    is_told_from_its_record(world_get("run", RUN("old")), "done");
    ck_assert_uint_eq(world_attempts_of("a"), ran);
}
END_TEST

// Under its name alone stands a run of another thread.
START_TEST(a_record_of_another_thread_is_not_told)
{
    two_nodes();
    oldest_reads(SS_ROW_FORMAT_4);
    world_get(
        "run", "{'graph': 'g', 'thread': 'u', 'run': 'x', 'input': {'x': []}}");
    oldest_reads(SS_ROW_FORMAT_5);
    prune_between();
    ck_assert_str_eq(code_of(world_get("attach", OF("x"))), "not_found");
    json_t *answer = world_get("run", RUN("x"));
    ck_assert_str_eq(status_of(answer), "done");
    ck_assert(!ss_json_bool(answer, "pruned", false));
}
END_TEST

// Its client died, and no run of that name ever began.
START_TEST(a_name_that_was_only_claimed_begins_its_run)
{
    two_nodes();
    oldest_reads(SS_ROW_FORMAT_4);
    prune_between();
    world_store_slow(true);
    world_ask("ann", "run", RUN("c"));
    world_run();
    for (int i = 0; i < 4; i++) // two looks here, the claim's look, the claim
        ck_assert(world_run_store());
    world_store_slow(false);
    world_crash();
    world_restart();
    world_run();
    oldest_reads(SS_ROW_FORMAT_4);
    ck_assert_str_eq(status_of(world_get("run", RUN("c"))), "done");
}
END_TEST

START_TEST(a_thread_that_was_deleted_knows_no_name_of_before)
{
    two_nodes();
    prune_between();
    world_get("delete", "{'thread': 't'}");
    world_pass(1000);
    world_get("run", RUN("one"));
    world_get("run", RUN("two"));
    prune();
    json_t *answer = world_get("run", RUN("old"));
    ck_assert_str_eq(status_of(answer), "done");
    ck_assert(!ss_json_bool(answer, "pruned", false));
}
END_TEST

SUITE("outlived", the_same_name_after_a_prune_is_that_run,
    it_is_told_of_when_its_prune_is_durable,
    it_is_whole_when_its_prune_was_refused,
    it_is_explained_and_cancelled_as_one_that_has_ended,
    one_that_failed_has_failed_after_a_prune,
    a_mode_that_is_none_is_refused_before_the_record_is_told,
    another_name_is_another_run_on_a_thread_that_was_pruned,
    a_record_of_before_is_told_too, a_record_of_another_thread_is_not_told,
    a_name_that_was_only_claimed_begins_its_run,
    a_thread_that_was_deleted_knows_no_name_of_before)
