// Limits that several runs, graphs and coordinators share.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

enum { ADOPT_MS = 1000, LEASE_MS = 3000 };

#define OF(max) "{'name': 'openai', 'tasks_max': " #max "}"

// A graph of one node, which has that limit (js text).
static json_t *limited(const char *graph, const char *node, const char *limit)
{
    char edges[64], extra[160];
    snprintf(edges, sizeof(edges), "start>%s %s>end", node, node);
    snprintf(
        extra, sizeof(extra), "{'nodes': {'%s': {'limit': %s}}}", node, limit);
    return chart(graph, edges, extra);
}

static uint64_t begin(const char *graph, int thread)
{
    char body[128];
    snprintf(body, sizeof(body),
        "{'thread': '%s%d', 'graph': '%s', 'run': '%s%d',"
        " 'input': {'x': []}}",
        graph, thread, graph, graph, thread);
    return world_ask("ann", "run", body);
}

static void begin_all(const char *graph, int count)
{
    for (int i = 0; i < count; i++)
        begin(graph, i);
    world_run();
}

// Why the run's first task waits. Borrowed.
static const json_t *wait_of(const char *run)
{
    char body[64];
    snprintf(body, sizeof(body), "{'run': '%s'}", run);
    uint64_t id = world_ask("eve", "explain", body);
    world_run();
    const json_t *explained = json_object_get(world_answer(id), "explain");
    return json_array_get(json_object_get(explained, "waits"), 0);
}

static void waits_for(const char *run, int most, int here, int out)
{
    const json_t *wait = wait_of(run);
    ck_assert_str_eq(ss_json_str(wait, "why", "?"), "limit");
    ck_assert_str_eq(ss_json_str(wait, "limit", "?"), "openai");
    ck_assert_int_eq(ss_json_int(wait, "limit_max", 0), most);
    ck_assert_int_eq(ss_json_int(wait, "limit_here", -1), here);
    ck_assert_int_eq(ss_json_int(wait, "limit_out", -1), out);
}

static void waits_for_also(const char *run, const char *limit)
{
    const json_t *wait = wait_of(run);
    ck_assert_str_eq(ss_json_str(wait, "why", "?"), "limit");
    ck_assert_str_eq(ss_json_str(wait, "limit", "?"), limit);
}

START_TEST(nodes_of_several_graphs_share_a_limit_over_all_runs)
{
    world_graph(limited("g", "a", OF(3)));
    world_graph(limited("h", "b", OF(3)));
    world_worker("w1", 20);
    world_hold("a");
    world_hold("b");
    begin_all("g", 6);
    begin_all("h", 3);
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    waits_for("h1", 3, 3, 3);
    world_let("b");
    world_let("a");
    world_run(); // from the first that ends on they take turns
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    ck_assert_uint_eq(count, 9);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(made[i].node[0], "aaaababab"[i]);
}
END_TEST

START_TEST(what_waits_for_a_limit_holds_up_nobody)
{
    world_graph(chart("g", "start>a start>b a>end b>end",
        "{'nodes': {'a': {'limit': " OF(1) "}}}"));
    world_worker("w1", 2);
    world_hold("a");
    begin_all("g", 4);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 4);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 4);
}
END_TEST

// Their lines take turns as one: h waits for one task of g, not for two.
START_TEST(a_graph_with_limits_has_no_more_turns_than_another)
{
    world_graph(chart("g", "start>a start>b start>c a>end b>end c>end",
        "{'nodes': {'a': {'limit': {'tasks_max': 9}},"
        " 'b': {'limit': {'tasks_max': 9}}}}"));
    world_graph(chart("h", "start>d d>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    begin_all("g", 2);
    begin_all("h", 3);
    world_let("a");
    world_run();
    size_t count = 0, of_h = 0;
    const struct attempt_made *made = world_attempts(&count);
    ck_assert_uint_eq(count, 9);
    for (size_t i = 1; i < 7; i++) {
        of_h += made[i].node[0] == 'd';
        ck_assert_uint_ge(of_h, i / 2);
    }
    ck_assert_uint_eq(of_h, 3);
}
END_TEST

START_TEST(a_limit_of_a_graph_is_of_all_its_nodes_together)
{
    world_graph(chart("g", "start>a start>b start>c a>end b>end c>end",
        "{'limit': {'tasks_max': 2},"
        " 'nodes': {'c': {'limit': {'tasks_max': 1}}}}"));
    world_worker("w1", 20);
    world_hold("a");
    world_hold("b");
    world_hold("c");
    begin_all("g", 3);
    size_t of_c = world_attempts_of("c");
    ck_assert_uint_le(of_c, 1); // its own limit holds beside that
    ck_assert_uint_eq(
        world_attempts_of("a") + world_attempts_of("b") + of_c, 2);
}
END_TEST

static int64_t out_of(const char *name)
{
    uint64_t id = world_ask("eve", "limits", "{}");
    world_run();
    size_t i;
    json_t *limit;
    json_array_foreach (json_object_get(world_answer(id), "limits"), i, limit)
        if (strcmp(ss_json_str(limit, "limit", ""), name) == 0)
            return ss_json_int(limit, "out", -1);
    return -1;
}

// A body of the node that is out returns.
static void end_one(const char *node)
{
    world_let(node);
    ck_assert(world_run_result(node));
    world_hold(node);
    world_run();
}

// Three tasks at once, two for each value of x; an operator says that of the
// whole graph there are four, then two.
START_TEST(a_task_is_held_by_all_its_limits_at_once)
{
    world_graph(limited("g", "a",
        "[{'tasks_max': 3}, {'name': 'by x', 'tasks_max': 2, 'each': 'x'}]"));
    world_worker("w1", 20);
    world_hold("a");
    begin_all("g", 4); // of one value
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    const json_t *wait = wait_of("g3");
    ck_assert_str_eq(ss_json_str(wait, "limit", "?"), "by x");
    ck_assert_str_eq(json_string_value(json_array_get(
                         json_object_get(wait, "limits_also"), 0)),
        "g/a");
    for (int i = 0; i < 3; i++) {
        char body[128];
        snprintf(body, sizeof(body),
            "{'thread': 'u%d', 'graph': 'g', 'input': {'x': [%d]}}", i, i);
        world_ask("ann", "run", body);
    }
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    ck_assert_int_eq(out_of("g/a"), 3);
    ck_assert_int_eq(out_of("by x"), 3);
    world_ask("ann", "limit", "{'name': 'g', 'tasks_max': 2}");
    world_run();
    ck_assert_int_eq(out_of("g"), 3); // they were out before
    end_one("a");
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    ck_assert_int_eq(out_of("g"), 2);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 7);
    ck_assert_int_eq(out_of("g"), 0);
}
END_TEST

// A task of a falls under one of them, one of b under the other, one of c under
// both.
static void two_limits_of_one(void)
{
    world_graph(limited("g", "a", "{'name': 'one', 'tasks_max': 1}"));
    world_graph(limited("h", "b", "{'name': 'two', 'tasks_max': 1}"));
    world_graph(limited("i", "c",
        "[{'name': 'one', 'tasks_max': 1}, {'name': 'two', 'tasks_max': 1}]"));
    world_worker("w1", 20);
}

// Of a and b tasks come again and again, and a task of c needs both limits at
// once.
START_TEST(who_needs_two_limits_is_not_passed_over_for_ever)
{
    two_limits_of_one();
    world_hold("a");
    world_hold("b");
    world_hold("c");
    begin_all("g", 20);
    begin_all("h", 20);
    begin_all("i", 1);
    for (int i = 0; i < 8 && world_attempts_of("c") == 0; i++) {
        end_one(i % 2 ? "a" : "b");
    }
    ck_assert_uint_eq(world_attempts_of("c"), 1);
    ck_assert_uint_le(world_attempts_of("a") + world_attempts_of("b"), 5);
}
END_TEST

// It keeps its place in one while it waits for the other: when it goes, those
// that come next have that place at once.
START_TEST(what_a_cancelled_task_kept_of_a_limit_is_free)
{
    two_limits_of_one();
    world_hold("b");
    begin_all("h", 1);
    begin_all("i", 1);
    begin_all("g", 1);
    ck_assert_uint_eq(world_attempts_of("a"), 0);
    waits_for_also("g0", "one");
    world_ask("ann", "cancel", "{'run': 'i0'}");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("c"), 0);
}
END_TEST

START_TEST(of_two_numbers_the_least_holds_while_somebody_serves_it)
{
    world_graph(limited("g", "a", OF(3)));
    world_worker("w1", 20);
    world_upgrade(limited("h", "b", OF(1)));
    world_worker("w2", 20);
    world_hold("a");
    world_hold("b");
    begin_all("h", 2);
    begin_all("g", 1);
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    waits_for("g0", 1, 1, 1);
    world_leave("w2"); // with b out: nobody knows whether that goes on
    world_run();
    begin("g", 1);
    begin("g", 2);
    begin("g", 3);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    world_pass(LEASE_MS);
    world_pass(1);
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    waits_for("g3", 3, 3, 3);
}
END_TEST

START_TEST(who_failed_was_lost_or_cancelled_counts_no_more)
{
    world_graph(limited("g", "a", OF(1)));
    world_worker("w1", 20);
    world_hold("a");
    begin_all("g", 2);
    world_silence("w1");
    world_worker("w2", 20);
    world_pass(60000);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    world_ask("ann", "cancel", "{'run': 'g0'}");
    world_ask("ann", "cancel", "{'run': 'g1'}");
    begin("g", 2);
    world_run();
    world_pass(ADOPT_MS);
    ck_assert_uint_eq(world_attempts_of("a"), 3);
}
END_TEST

// The limit passes; that nobody serves it does not.
START_TEST(who_waits_for_a_limit_and_for_a_worker_is_told_of_the_worker)
{
    world_graph(limited("g", "a", OF(1)));
    world_worker("w1", 20);
    world_graph(limited("h", "b", OF(1)));
    world_worker("w2", 20); // it alone serves h
    world_leave("w2");
    world_hold("a");
    begin_all("g", 1);
    begin_all("h", 1);
    ck_assert_str_eq(ss_json_str(wait_of("h0"), "why", "?"), "no_worker");
}
END_TEST

// A link that broke leaves the place taken for a lease, unless it is known that
// nobody is there.
START_TEST(a_process_that_ended_gives_its_places_back_at_once)
{
    world_graph(limited("g", "a", OF(1)));
    world_worker("w1", 20);
    world_hold("a");
    begin_all("g", 2);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_leave("w1");
    world_worker("w2", 20);
    world_run();
    world_pass(LEASE_MS / 4);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_ended("w1", "signal 9");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

// What is stopped goes on until it hears of that.
START_TEST(a_body_that_was_cancelled_counts_until_it_has_ended)
{
    world_graph(limited("g", "a", OF(1)));
    world_worker("w1", 20);
    world_hold("a");
    begin_all("g", 2);
    world_ask("ann", "cancel", "{'run': 'g0'}");
    world_run();
    world_pass(LEASE_MS / 2);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_int_eq(ss_json_int(wait_of("g1"), "limit_lingering", 0), 1);
    world_let("a");
    world_hold("a"); // the next one
    world_run();
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

// ------------------------------------------------------------------ rates

enum { PER_MS = 10000, GRAIN_MS = 50 };

#define RATE "{'name': 'mail', 'begun_max': 3, 'per_ms': 10000}"

// So many began, and none of those that wait does before `ms` have passed.
static void begun_for(size_t count, int64_t ms)
{
    ck_assert_uint_eq(world_attempts_of("a"), count);
    world_pass(ms);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), count);
}

START_TEST(no_more_begin_in_a_time_than_a_rate_says)
{
    world_graph(limited("g", "a", RATE));
    world_worker("w1", 20);
    begin_all("g", 2);
    begun_for(2, PER_MS / 2);
    for (int i = 2; i < 8; i++)
        begin("g", i);
    world_run();
    begun_for(3, PER_MS / 2 - GRAIN_MS); // those that ended count, too
    world_pass(2 * GRAIN_MS);
    begun_for(5, PER_MS / 2 - 2 * GRAIN_MS);
    world_pass(2 * GRAIN_MS);
    begun_for(6, PER_MS / 2 - 2 * GRAIN_MS);
    world_pass(4 * GRAIN_MS);
    ck_assert_uint_eq(world_attempts_of("a"), 8);
}
END_TEST

START_TEST(a_rate_whose_time_is_changed_forgets_nothing_that_began)
{
    world_graph(limited("g", "a", RATE));
    world_worker("w1", 20);
    begin_all("g", 8);
    begun_for(3, PER_MS / 2);
    world_ask(
        "olga", "limit", "{'name': 'mail', 'begun_max': 3, 'per_ms': 9000}");
    world_run();
    begun_for(3, 9000 - GRAIN_MS);
    world_pass(2 * GRAIN_MS);
    ck_assert_uint_eq(world_attempts_of("a"), 6);
    world_ask("olga", "limit", "{'name': 'mail'}");
    world_run();
    begun_for(6, PER_MS - GRAIN_MS);
}
END_TEST

START_TEST(what_is_out_by_a_number_counts_where_that_becomes_a_rate)
{
    world_graph(limited("g", "a", "{'name': 'mail', 'tasks_max': 3}"));
    world_worker("w1", 20);
    world_hold("a");
    begin_all("g", 8);
    world_ask(
        "olga", "limit", "{'name': 'mail', 'begun_max': 3, 'per_ms': 9000}");
    world_run();
    world_let("a");
    world_run();
    begun_for(3, 9000 - GRAIN_MS);
    world_pass(2 * GRAIN_MS);
    ck_assert_uint_eq(world_attempts_of("a"), 6);
}
END_TEST

START_TEST(of_two_rates_the_slower_one_holds)
{
    world_graph(limited("g", "a",
        "{'name': 'mail', 'begun_max': 9,"
        " 'per_ms': 10}"));
    world_graph(limited("h", "a",
        "{'name': 'mail', 'begun_max': 6,"
        " 'per_ms': 10}"));
    world_worker("w1", 20);
    begin_all("g", 12);
    ck_assert_uint_eq(world_attempts_of("a"), 6);
}
END_TEST

START_TEST(a_wall_clock_that_is_set_grants_no_rate)
{
    world_graph(limited("g", "a", RATE));
    world_worker("w1", 20);
    begin_all("g", 5);
    world_set_clock(3600000);
    begun_for(3, PER_MS / 2);
    world_set_clock(-7200000);
    begun_for(3, PER_MS / 2 - GRAIN_MS);
    world_pass(2 * GRAIN_MS);
    ck_assert_uint_eq(world_attempts_of("a"), 5);
}
END_TEST

// Nobody knows what had begun before.
START_TEST(behind_a_start_a_rate_begins_after_its_time)
{
    world_adopt(ADOPT_MS);
    world_graph(limited("g", "a", RATE));
    world_worker("w1", 20);
    begin_all("g", 3);
    world_crash();
    world_restart();
    world_run();
    begin("g", 5);
    world_run();
    begun_for(3, PER_MS - GRAIN_MS);
    ck_assert(ss_json_bool(wait_of("g5"), "limit_looks_back", false));
    world_pass(2 * GRAIN_MS);
    ck_assert_uint_eq(world_attempts_of("a"), 4);
}
END_TEST

START_TEST(behind_a_start_a_rate_that_stood_idle_begins_at_once)
{
    world_adopt(ADOPT_MS);
    world_graph(limited("g", "a", RATE));
    world_worker("w1", 20);
    begin_all("g", 3);
    world_pass(PER_MS + GRAIN_MS);
    world_run();
    world_crash();
    world_restart();
    world_run();
    begin("g", 5);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 4);
}
END_TEST

START_TEST(a_task_of_a_rate_says_so)
{
    world_graph(limited("g", "a", RATE));
    world_worker("w1", 20);
    begin_all("g", 4);
    const json_t *wait = wait_of("g3");
    ck_assert_str_eq(ss_json_str(wait, "limit", "?"), "mail");
    ck_assert_int_eq(ss_json_int(wait, "limit_per_ms", 0), PER_MS);
    ck_assert_int_eq(ss_json_int(wait, "limit_begun", 0), 3);
    world_ask(
        "olga", "limit", "{'name': 'mail', 'begun_max': 9, 'per_ms': 10000}");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 4);
}
END_TEST

// ------------------------------------------------------------------ crashes

static struct ss_offer sent;
static struct ss_attempt adopted; // the name that what was sent has now

static void watch(const struct ss_command *command)
{
    if (command->type == SS_COMMAND_ADOPT)
        adopted = command->attempt;
    if (command->type != SS_COMMAND_DISPATCH)
        return;
    const struct ss_assignment *order = command->order;
    ss_offer_fini(&sent);
    sent = (struct ss_offer){.attempt = order->attempt,
        .thread = ss_strdup(order->thread),
        .run = ss_strdup(order->run),
        .digest = order->digest};
    memcpy(sent.task_id, order->task_id, sizeof(sent.task_id));
}

// Run g0 is out when the coordinator crashes.
static void crash(void)
{
    world_watch(watch);
    world_adopt(ADOPT_MS);
    world_graph(limited("g", "a", OF(1)));
    world_worker("w1", 20);
    world_hold("a");
    begin_all("g", 1);
    world_crash();
    world_watch(NULL);
}

START_TEST(nothing_of_a_limit_is_sent_while_what_was_out_may_be_offered)
{
    crash();
    world_restart();
    begin("g", 1);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    waits_for("g1", 1, 1, 0);
    ck_assert(ss_json_bool(wait_of("g1"), "limit_looks_back", false));
    world_offer(&sent, 1);
    world_worker("w1", 20);
    world_run();
    waits_for("g1", 1, 1, 1); // it goes on, and counts
    world_pass(LEASE_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ss_offer_fini(&sent);
}
END_TEST

// Its place is another's now: it is let go, and sent anew in its turn.
START_TEST(what_is_offered_late_is_taken_if_the_limit_has_room)
{
    crash();
    world_restart();
    begin("g", 1);
    world_run();
    world_pass(ADOPT_MS); // its worker may be late, and is not lost before this
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(LEASE_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    bool first_waits =
        strcmp(ss_json_str(wait_of("g0"), "why", ""), "limit") == 0;
    world_offer(&sent, 1);
    world_worker("w1", 20);
    world_run();
    waits_for(first_waits ? "g0" : "g1", 1, 1, 1);
    ss_offer_fini(&sent);
}
END_TEST

// Its owner before us may have had its result already, and given its place to
// another one, which is out still.
START_TEST(what_is_offered_with_its_result_leaves_the_place_of_another_alone)
{
    crash();
    world_restart();
    begin("g", 1);
    world_run();
    sent.ended = true;
    world_watch(watch);
    world_offer(&sent, 1);
    world_worker("w1", 20);
    world_run();
    world_watch(NULL);
    world_rename("a", adopted);
    world_let("a");
    world_run();
    ck_assert_ptr_nonnull(strstr(world_told(), "the run ends: done"));
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    waits_for("g1", 1, 1, 0);
    world_pass(LEASE_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    ss_offer_fini(&sent);
}
END_TEST

// ------------------------------------------------------------------ a cluster

static size_t attempts_at(const char *coordinator, int first, int count)
{
    size_t before = world_attempts_of("a");
    world_at(coordinator);
    for (int i = 0; i < count; i++)
        begin("g", first + i);
    world_run();
    return world_attempts_of("a") - before;
}

// Parts are where their shards are.
START_TEST(two_coordinators_have_parts_of_a_limit)
{
    world_pair();
    world_graph(limited("g", "a", OF(20)));
    world_worker("w1", 99);
    world_at("two");
    world_worker("w1", 99);
    world_hold("a");
    ck_assert_uint_eq(attempts_at("two", 0, 30), 0); // it has no shard
    world_at("one");
    size_t one = attempts_at("one", 100, 60);
    ck_assert_uint_eq(one, 20);
}
END_TEST

SUITE("limit", nodes_of_several_graphs_share_a_limit_over_all_runs,
    what_waits_for_a_limit_holds_up_nobody,
    a_graph_with_limits_has_no_more_turns_than_another,
    a_limit_of_a_graph_is_of_all_its_nodes_together,
    a_task_is_held_by_all_its_limits_at_once,
    who_needs_two_limits_is_not_passed_over_for_ever,
    what_a_cancelled_task_kept_of_a_limit_is_free,
    of_two_numbers_the_least_holds_while_somebody_serves_it,
    who_failed_was_lost_or_cancelled_counts_no_more,
    who_waits_for_a_limit_and_for_a_worker_is_told_of_the_worker,
    a_process_that_ended_gives_its_places_back_at_once,
    a_body_that_was_cancelled_counts_until_it_has_ended,
    no_more_begin_in_a_time_than_a_rate_says,
    a_wall_clock_that_is_set_grants_no_rate,
    a_rate_whose_time_is_changed_forgets_nothing_that_began,
    what_is_out_by_a_number_counts_where_that_becomes_a_rate,
    of_two_rates_the_slower_one_holds,
    behind_a_start_a_rate_begins_after_its_time,
    behind_a_start_a_rate_that_stood_idle_begins_at_once,
    a_task_of_a_rate_says_so,
    nothing_of_a_limit_is_sent_while_what_was_out_may_be_offered,
    what_is_offered_late_is_taken_if_the_limit_has_room,
    what_is_offered_with_its_result_leaves_the_place_of_another_alone,
    two_coordinators_have_parts_of_a_limit)
