// Threads that are deleted, or copied to, while others use them; and what a
// unit that the store refused leaves behind.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/stories/world_impl.h"

#include "common/model/value.h"
#include "coordinator/engine/engine.h"

#define T "{'thread': 't'}"
#define RUN(id)                                                                \
    "{'thread': 't', 'run': '" id "', 'graph': 'g', 'input': {'x': []}}"

static void chain(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 9);
    world_run();
}

static size_t history_count(void)
{
    return json_array_size(json_object_get(world_get("history", T), "history"));
}

// The answer to `id` comes with a store that answers at once.
static json_t *finish(uint64_t id)
{
    world_store_slow(false);
    world_run();
    return world_finish(id);
}

START_TEST(a_run_on_a_thread_that_is_being_deleted_waits_for_that)
{
    chain();
    world_get("run", RUN("one"));
    world_store_slow(true);
    uint64_t gone = world_ask("ann", "delete", T);
    uint64_t run = world_ask("ann", "run", RUN("two"));
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1); // nothing of it is durable
    ck_assert_ptr_null(world_answer(gone));
    ck_assert_str_eq(status_of(finish(run)), "done");
    ck_assert_ptr_nonnull(world_answer(gone));
    size_t supersteps = history_count();
    ck_assert_uint_eq(supersteps, 4); // its own
    world_crash();
    world_restart();
    ck_assert_uint_eq(history_count(), supersteps);
}
END_TEST

START_TEST(a_run_that_follows_a_deletion_is_not_deleted_with_it)
{
    chain();
    world_hold("b");
    uint64_t one = world_ask("ann", "run", RUN("one"));
    world_run();
    world_store_slow(true);
    world_let("b");
    world_run(); // its last rows are on their way
    uint64_t gone = world_ask("ann", "delete", T);
    uint64_t two = world_ask("ann", "run", RUN("two"));
    ck_assert_str_eq(status_of(finish(two)), "done");
    ck_assert_str_eq(status_of(world_answer(one)), "done");
    ck_assert_ptr_nonnull(json_object_get(world_answer(gone), "rows"));
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    ck_assert_uint_eq(history_count(), 4);
}
END_TEST

// What the store said of a queue before is told late: the thread is on its way
// out, and nothing begins there until it is gone.
START_TEST(a_run_that_is_found_while_its_thread_is_deleted_waits_for_that)
{
    chain();
    world_get("run", RUN("one"));
    struct ss_event found = {.type = SS_EVENT_RUN_FOUND};
    found.run.record =
        json_pack("{s:s, s:s, s:s, s:s, s:{s:{s:[]}}}", "run", "two", "thread",
            "t", "graph", "g", "status", "queued", "request", "input", "x");
    world_store_slow(true);
    uint64_t gone = world_ask("ann", "delete", T);
    world_step(&found);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_ptr_nonnull(json_object_get(finish(gone), "rows"));
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    json_decref(found.run.record);
}
END_TEST

// Nor is the run lost whose end was refused.
START_TEST(a_deletion_that_was_refused_is_not_done_later)
{
    chain();
    world_hold("b");
    world_ask("ann", "run", RUN("one"));
    world_run();
    world_store_slow(true);
    world_store_says(SS_EREFUSED);
    world_let("b");
    world_run(); // its last rows are on their way, and will be refused
    uint64_t gone = world_ask("ann", "delete", T);
    ck_assert_str_eq(code_of(finish(gone)), "refused");
    ck_assert_uint_gt(history_count(), 0);
    json_t *result = world_finish(world_ask("ann", "attach", "{'run': 'one'}"));
    ck_assert_str_eq(status_of(result), "done");
    ck_assert_uint_eq(history_count(), 4);
}
END_TEST

// An application that names its runs alike on each thread loses none of them.
START_TEST(a_deletion_leaves_a_run_of_the_same_id_elsewhere)
{
    chain();
    world_get("run", RUN("one"));
    world_hold("b");
    world_ask("ann", "run",
        "{'thread': 'u', 'run': 'one', 'graph': 'g', 'input': {'x': []}}");
    world_run();
    world_get("delete", T);
    world_crash();
    world_restart();
    world_run();
    world_let("b");
    json_t *result = world_finish(world_ask("ann", "attach", "{'run': 'one'}"));
    ck_assert_str_eq(status_of(result), "done");
    ck_assert_str_eq(ss_json_str(result, "thread", ""), "u");
}
END_TEST

// Its unit was refused: what is answered from what is durable waits for none.
START_TEST(after_a_refused_unit_who_asks_is_answered)
{
    chain();
    world_get("run", RUN("one"));
    world_hold("b");
    world_store_says(SS_EREFUSED);
    uint64_t two = world_ask("ann", "run", RUN("two"));
    world_run();
    ck_assert_str_eq(code_of(world_finish(two)), "refused");
    json_t *again = world_get("run", RUN("one"));
    ck_assert_ptr_nonnull(again);
    ck_assert_str_eq(status_of(again), "done");
}
END_TEST

static json_t *to_b(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("b");
}

START_TEST(a_copy_into_a_thread_that_is_being_changed_is_refused)
{
    world_graph(chart("g", "start>a a>b b>end",
        "{'branches': [{'from': 'a', 'name': 'which'}]}"));
    world_route("a", to_b);
    world_worker("w1", 9);
    world_get("run", RUN("one"));
    world_hold("a");
    uint64_t change = world_ask("ann", "update",
        "{'thread': 'u', 'graph': 'g', 'supersteps':"
        " [[{'as_node': 'a', 'values': {'x': ['new']}}]]}");
    world_run();
    ck_assert_ptr_null(world_answer(change)); // a worker decides where it goes
    json_t *copy = world_get("copy", "{'thread': 't', 'to': 'u'}");
    ck_assert_str_eq(code_of(copy), "busy");
    world_let("a");
    ck_assert_str_eq(code_of(world_finish(change)), "");
}
END_TEST

static bool copy_is_stored;

static void watch_the_copy(const struct ss_command *command)
{
    copy_is_stored |= command->type == SS_COMMAND_STORE && command->thread &&
                      strcmp(command->thread, "u") == 0;
}

// Stores of two threads may become durable in any order.
START_TEST(a_copy_is_not_made_before_what_it_copies_is_durable)
{
    chain();
    world_hold("b");
    uint64_t one = world_ask("ann", "run", RUN("one"));
    world_run();
    world_store_slow(true);
    world_let("b");
    world_run(); // its last rows are on their way
    copy_is_stored = false;
    world_watch(watch_the_copy);
    uint64_t copy = world_ask("ann", "copy", "{'thread': 't', 'to': 'u'}");
    world_run();
    while (!copy_is_stored && world_run_store())
        ck_assert(!copy_is_stored || world_answer(one));
    ck_assert(copy_is_stored);
    ck_assert_str_eq(status_of(world_answer(one)), "done");
    world_watch(NULL);
    ck_assert_ptr_nonnull(json_object_get(finish(copy), "rows"));
}
END_TEST

// Where the other thread is at hand, nothing else has to be waited for.
START_TEST(a_copy_waits_until_what_it_copies_is_durable)
{
    chain();
    world_hold("b");
    world_ask("ann", "run", RUN("one"));
    world_get("state", "{'thread': 'u', 'graph': 'g'}");
    world_store_slow(true);
    world_let("b");
    world_run(); // its last rows are on their way
    uint64_t copy = world_ask("ann", "copy", "{'thread': 't', 'to': 'u'}");
    world_run();
    ck_assert_ptr_null(world_answer(copy));
    ck_assert_ptr_nonnull(json_object_get(finish(copy), "rows"));
}
END_TEST

SUITE("delete", a_run_on_a_thread_that_is_being_deleted_waits_for_that,
    a_run_that_follows_a_deletion_is_not_deleted_with_it,
    a_run_that_is_found_while_its_thread_is_deleted_waits_for_that,
    a_deletion_that_was_refused_is_not_done_later,
    a_deletion_leaves_a_run_of_the_same_id_elsewhere,
    after_a_refused_unit_who_asks_is_answered,
    a_copy_into_a_thread_that_is_being_changed_is_refused,
    a_copy_is_not_made_before_what_it_copies_is_durable,
    a_copy_waits_until_what_it_copies_is_durable)
