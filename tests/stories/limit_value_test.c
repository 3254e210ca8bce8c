// Limits that hold for each value of a key.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/stories/world_impl.h"

enum { ADOPT_MS = 1000, SILENCE_MS = 3000, SWEEP_MS = 250, MANY = 64 };

#define STATE                                                                  \
    "'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'},"                \
    " {'key': 'customer'}]"

// Node a of graph g has that limit (js text).
static void limited(const char *limit)
{
    char extra[256];
    snprintf(extra, sizeof(extra), "{" STATE ", 'nodes': {'a': {'limit': %s}}}",
        limit);
    world_graph(chart("g", "start>a a>end", extra));
}

#define TWO_EACH "{'name': 'openai', 'tasks_max': 2, 'each': 'customer'}"

static int begun; // runs, each on a thread of its own

static void begin(const char *customer)
{
    char body[256];
    snprintf(body, sizeof(body),
        "{'thread': 't%d', 'graph': 'g', 'run': 'r%d',"
        " 'input': {'x': [], 'customer': %s}}",
        begun, begun, customer);
    begun++;
    world_ask("ann", "run", body);
}

static void begin_some(const char *customer, int count)
{
    for (int i = 0; i < count; i++)
        begin(customer);
    world_run();
}

static void begin_world(const char *limit, uint32_t capacity)
{
    begun = 0;
    limited(limit);
    world_worker("w1", capacity);
    world_hold("a");
}

// Why the first task of run r<n> waits. Borrowed.
static const json_t *wait_of(int n)
{
    char body[64];
    snprintf(body, sizeof(body), "{'run': 'r%d'}", n);
    return json_array_get(
        json_object_get(
            json_object_get(world_get("explain", body), "explain"), "waits"),
        0);
}

static const json_t *listed(void)
{
    const json_t *list = json_object_get(world_get("limits", "{}"), "limits");
    return json_array_get(list, 0);
}

static void values_are(int64_t values, int64_t out, int64_t waiting)
{
    const json_t *limit = listed();
    ck_assert_int_eq(ss_json_int(limit, "values", -1), values);
    ck_assert_int_eq(ss_json_int(limit, "out", -1), out);
    ck_assert_int_eq(ss_json_int(limit, "waiting", -1), waiting);
}

// What is measured of limits, of one at most.
static json_t *measured(void)
{
    return ss_engine_limits(ss_core_engine(world.core), 1);
}

// ------------------------------------------------------------------ values

START_TEST(each_value_of_a_key_has_a_limit_of_its_own)
{
    begin_world(TWO_EACH, 20);
    begin_some("'acme'", 5);
    begin_some("'beta'", 1);
    values_are(2, 3, 3);
    const json_t *wait = wait_of(4);
    ck_assert_str_eq(ss_json_str(wait, "why", "?"), "limit");
    ck_assert_str_eq(ss_json_str(wait, "limit", "?"), "openai");
    ck_assert_str_eq(ss_json_str(wait, "limit_each", "?"), "customer");
    ck_assert_str_eq(ss_json_str(wait, "limit_value", "?"), "acme");
    ck_assert_int_eq(ss_json_int(wait, "limit_max", 0), 2);
    ck_assert_int_eq(ss_json_int(wait, "limit_out", 0), 2);
    const json_t *most =
        json_array_get(json_object_get(listed(), "busiest"), 0);
    ck_assert_str_eq(ss_json_str(most, "value", "?"), "acme");
    ck_assert_int_eq(ss_json_int(most, "waiting", 0), 3);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 6);
}
END_TEST

// One has a place: who comes after many tasks of another waits for one of them.
// It is measured ten times a second, however many limits and members there are.
START_TEST(what_is_measured_of_a_limit_are_its_numbers_alone)
{
    static const char *const keys[] = {
        "tasks_max", "here", "out", "lingering", "held", "waiting", "stopped"};
    enum { KEYS = sizeof(keys) / sizeof(*keys) };
    begin_world(TWO_EACH, 20);
    world_graph(chart(
        "h", "start>b b>end", "{'nodes': {'b': {'limit': {'tasks_max': 3}}}}"));
    world_worker("w2", 1);
    begin_some("'acme'", 5);
    begin_some("'beta'", 1);
    json_t *limits = measured();
    const json_t *one = json_array_get(limits, 0), *shown = listed();
    ck_assert_uint_eq(json_array_size(limits), 1);
    ck_assert_uint_eq(
        json_array_size(json_object_get(world_get("limits", "{}"), "limits")),
        2);
    ck_assert_str_eq(ss_json_str(one, "limit", ""), "openai");
    for (size_t i = 0; i < KEYS; i++)
        ck_assert_int_eq(
            ss_json_int(one, keys[i], -1), ss_json_int(shown, keys[i], -2));
    ck_assert_int_eq(ss_json_int(one, "out", -1), 3);
    ck_assert_int_eq(ss_json_int(one, "stopped", -1), 3);
    ck_assert_uint_eq(json_object_size(one), 1 + KEYS);
    json_decref(limits);
    world_let("a");
    world_run();
}
END_TEST

START_TEST(the_backlog_of_a_value_starves_no_other)
{
    begin_world("{'tasks_max': 9, 'each': 'customer'}", 1);
    begin_some("'acme'", 20);
    begin_some("'beta'", 2);
    begin_some("'gamma'", 2);
    world_let("a");
    world_run();
    size_t count = 0, early = 0;
    const struct attempt_made *made = world_attempts(&count);
    ck_assert_uint_eq(count, 24);
    for (size_t i = 0; i < 7; i++)
        early += strtol(made[i].run + 1, NULL, 10) >= 20;
    ck_assert_uint_eq(early, 4);
}
END_TEST

// Also what is no text, or too long for a name, is a value, and nothing is one.
START_TEST(whatever_stands_under_a_key_is_a_value)
{
    char text[SS_LIMIT_VALUE_SIZE_MAX + 16];
    begin_world("{'tasks_max': 1, 'each': 'customer'}", 20);
    memset(text, 'z', sizeof(text));
    text[0] = text[sizeof(text) - 2] = '\'';
    text[sizeof(text) - 1] = 0;
    const char *const customers[] = {
        "null", "'a\\tb'", "7", "'7'", "{'id': 1}", "{'id': 2}", text, "'#'"};
    size_t count = sizeof(customers) / sizeof(*customers);
    for (size_t i = 0; i < count; i++)
        begin_some(customers[i], 2);
    values_are((int64_t)count - 1, (int64_t)count - 1, (int64_t)count + 1);
    ck_assert_str_eq(ss_json_str(wait_of(1), "limit_value", "?"), "");
    ck_assert_int_eq(ss_json_str(wait_of(3), "limit_value", "?")[0], '#');
    ck_assert_str_eq(ss_json_str(wait_of(5), "limit_value", "?"), "7");
}
END_TEST

START_TEST(a_key_of_the_runs_metadata_counts_as_well)
{
    begin_world("{'tasks_max': 1, 'each': 'meta:tenant'}", 20);
    for (int i = 0; i < 6; i++) {
        char body[256];
        snprintf(body, sizeof(body),
            "{'thread': 't%d', 'graph': 'g', 'input': {'x': []},"
            " 'config': {'metadata': {'tenant': 'tenant%d'}}}",
            i, i % 3);
        world_ask("ann", "run", body);
    }
    world_run();
    values_are(3, 3, 3);
}
END_TEST

START_TEST(tasks_of_several_values_wait_in_one_line_of_an_explanation)
{
    begin_world(TWO_EACH, 20);
    begin_some("'acme'", 4);
    begin_some("'beta'", 3);
    const json_t *waits = json_object_get(world_get("tasks", "{}"), "waits");
    ck_assert_uint_eq(json_array_size(waits), 1);
    const json_t *wait = json_array_get(waits, 0);
    ck_assert_int_eq(ss_json_int(wait, "count", 0), 3);
    ck_assert_str_eq(ss_json_str(wait, "limit_each", "?"), "customer");
    ck_assert_ptr_null(json_object_get(wait, "limit_value"));
    ck_assert_ptr_null(json_object_get(wait, "limit_out"));
}
END_TEST

// ------------------------------------------------------------------ how many

START_TEST(a_value_that_nobody_uses_vanishes)
{
    begin_world(TWO_EACH, 20);
    begin_some("'acme'", 1);
    begin_some("'beta'", 1);
    world_pass(2 * SWEEP_MS);
    values_are(2, 2, 0);
    world_let("a");
    world_run();
    world_pass(2 * SWEEP_MS);
    values_are(0, 0, 0);
}
END_TEST

// Beyond those that may be, tasks of others wait until some have gone.
START_TEST(values_are_bounded)
{
    char customer[32];
    begin_world("{'tasks_max': 1, 'each': 'customer'}", MANY);
    for (int i = 0; i < SS_LIMIT_VALUES_MAX + 3; i++) {
        snprintf(customer, sizeof(customer), "%d", i);
        begin(customer);
    }
    world_run();
    values_are(SS_LIMIT_VALUES_MAX, MANY, SS_LIMIT_VALUES_MAX + 3 - MANY);
    const json_t *wait = wait_of(SS_LIMIT_VALUES_MAX + 2);
    ck_assert_str_eq(ss_json_str(wait, "why", "?"), "limit");
    ck_assert_int_eq(ss_json_int(wait, "limit_values", 0), SS_LIMIT_VALUES_MAX);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), SS_LIMIT_VALUES_MAX);
    world_pass(2 * SWEEP_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), SS_LIMIT_VALUES_MAX + 3);
}
END_TEST

// ------------------------------------------------------------------ changes

START_TEST(an_operator_says_that_a_limit_is_for_each_value)
{
    begin_world("{'name': 'openai', 'tasks_max': 3}", 20);
    begin_some("'acme'", 4);
    begin_some("'beta'", 2);
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    world_get(
        "limit", "{'name': 'openai', 'tasks_max': 3, 'each': 'customer'}");
    world_run();
    values_are(2, 5, 1); // what was out counts for its value
    ck_assert_str_eq(ss_json_str(wait_of(3), "limit_value", "?"), "acme");
    world_get("limit", "{'name': 'openai', 'tasks_max': 2}");
    world_run();
    ck_assert_ptr_null(json_object_get(listed(), "each"));
    ck_assert_int_eq(ss_json_int(listed(), "out", 0), 5);
    const json_t *error = json_object_get(
        world_get("limit", "{'name': 'openai', 'each': 'customer'}"), "error");
    ck_assert_ptr_nonnull(
        strstr(ss_json_str(error, "message", ""), "beside a number"));
}
END_TEST

// Of the least of all and of each, that of all holds.
START_TEST(of_two_that_say_one_name_that_for_all_together_holds)
{
    char extra[256];
    begun = 0;
    snprintf(extra, sizeof(extra), "{" STATE ", 'nodes': {'a': {'limit': %s}}}",
        TWO_EACH);
    world_graph(chart("g", "start>a a>end", extra));
    world_worker("w1", 20);
    world_hold("a");
    begin_some("'acme'", 3);
    begin_some("'beta'", 3);
    ck_assert_uint_eq(world_attempts_of("a"), 4);
    world_upgrade(chart("h", "start>b b>end",
        "{'nodes': {'b': {'limit': {'name': 'openai', 'tasks_max': 5}}}}"));
    world_worker("w2", 20);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 5);
    world_leave("w2");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 5);
    ck_assert_int_eq(ss_json_int(listed(), "values", 0), 2);
}
END_TEST

// ------------------------------------------------------------------ rates

START_TEST(a_rate_may_be_for_each_value)
{
    begin_world("{'begun_max': 2, 'per_ms': 10000, 'each': 'customer'}", 20);
    begin_some("'acme'", 5);
    begin_some("'beta'", 1);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    world_pass(9000);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    world_pass(1100);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 5);
    world_pass(10100);
    world_run();
    world_pass(10500); // it is known how many began until it counts no more
    values_are(0, 0, 0);
    struct ss_job *found = store_scan(&world.store, SS_TABLE_META);
    ck_assert_uint_eq(found->entries_count, 0);
    ss_job_destroy(&found);
}
END_TEST

// ------------------------------------------------------------------ crashes

// Whose value it is follows from what is stored.
START_TEST(behind_a_start_a_value_waits_for_what_was_out_of_it)
{
    world_adopt(ADOPT_MS);
    begin_world("{'tasks_max': 1, 'each': 'customer'}", 20);
    begin_some("'acme'", 1);
    world_crash();
    world_restart();
    begin_some("'acme'", 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(ADOPT_MS);
    world_worker("w2", 20);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert(ss_json_bool(wait_of(1), "limit_looks_back", false));
    world_pass(SILENCE_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

SUITE("limit_value", each_value_of_a_key_has_a_limit_of_its_own,
    what_is_measured_of_a_limit_are_its_numbers_alone,
    the_backlog_of_a_value_starves_no_other,
    whatever_stands_under_a_key_is_a_value,
    a_key_of_the_runs_metadata_counts_as_well,
    tasks_of_several_values_wait_in_one_line_of_an_explanation,
    a_value_that_nobody_uses_vanishes, values_are_bounded,
    an_operator_says_that_a_limit_is_for_each_value,
    of_two_that_say_one_name_that_for_all_together_holds,
    a_rate_may_be_for_each_value,
    behind_a_start_a_value_waits_for_what_was_out_of_it)
