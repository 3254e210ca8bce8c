// Idempotency keys: the same update, the same copy, asked for again.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define UPDATE(key)                                                            \
    "{'thread': 't', 'supersteps': [[{'values': {'x': ['u']},"                 \
    " 'as_node': 'c'}]]" key "}"

static size_t history_count(const char *thread)
{
    char body[64];
    snprintf(body, sizeof(body), "{'thread': '%s'}", thread);
    return json_array_size(
        json_object_get(world_get("history", body), "history"));
}

static void run_chain(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_worker("w1", 2);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
}

START_TEST(an_update_with_a_key_happens_once)
{
    run_chain();
    size_t before = history_count("t");
    json_t *first = world_get("update", UPDATE(", 'key': 'k1'"));
    ck_assert_ptr_nonnull(json_object_get(first, "config"));
    ck_assert(json_equal(first, world_get("update", UPDATE(", 'key': 'k1'"))));
    ck_assert_uint_eq(history_count("t"), before + 1);
    world_crash();
    world_restart();
    ck_assert(json_equal(first, world_get("update", UPDATE(", 'key': 'k1'"))));
    ck_assert_uint_eq(history_count("t"), before + 1);
    json_t *second = world_get("update", UPDATE(", 'key': 'k2'"));
    ck_assert(!json_equal(first, second));
    world_get("update", UPDATE(""));
    world_get("update", UPDATE(""));
    ck_assert_uint_eq(history_count("t"), before + 4);
    ck_assert(json_equal(first, world_get("update", UPDATE(", 'key': 'k1'"))));
}
END_TEST

START_TEST(the_newest_key_outlives_a_prune)
{
    run_chain();
    json_t *first = world_get("update", UPDATE(", 'key': 'k1'"));
    world_run();
    world_get("prune", "{'thread': 't'}");
    world_run();
    world_crash();
    world_restart();
    ck_assert(json_equal(first, world_get("update", UPDATE(", 'key': 'k1'"))));
    ck_assert_uint_eq(history_count("t"), 1);
}
END_TEST

START_TEST(a_copy_with_a_key_happens_once)
{
    run_chain();
    world_get("update", UPDATE(", 'key': 'k1'"));
    const char *copy = "{'thread': 't', 'to': 'u', 'key': 'c1'}";
    json_t *first = world_get("copy", copy);
    ck_assert_ptr_nonnull(json_object_get(first, "rows"));
    ck_assert(json_equal(first, world_get("copy", copy)));
    world_crash();
    world_restart();
    ck_assert(json_equal(first, world_get("copy", copy)));
    ck_assert_uint_eq(history_count("u"), history_count("t"));
    ck_assert_str_eq(code_of(world_get("copy", "{'thread': 't', 'to': 'u'}")),
        "already_exists");
    // what was answered on the original was not answered on the copy
    size_t before = history_count("u");
    world_get("update", "{'thread': 'u', 'key': 'k1', 'supersteps':"
                        " [[{'values': {'x': ['u']}, 'as_node': 'c'}]]}");
    ck_assert_uint_eq(history_count("u"), before + 1);
}
END_TEST

// Its answer was lost, so its client asks again, and both wait for the rows.
START_TEST(asked_for_twice_while_its_thread_is_read_it_happens_once)
{
    const char *const asked[][2] = {{"update", UPDATE(", 'key': 'k1'")},
        {"copy", "{'thread': 't', 'to': 'u', 'key': 'c1'}"}};
    run_chain();
    for (size_t i = 0; i < 2; i++) {
        size_t before = history_count("t");
        world_crash();
        world_restart();
        uint64_t one = world_ask("ann", asked[i][0], asked[i][1]);
        uint64_t two = world_ask("ann", asked[i][0], asked[i][1]);
        json_t *first = world_finish(one);
        ck_assert_str_eq(code_of(first), "");
        ck_assert(json_equal(first, world_finish(two)));
        ck_assert_uint_eq(history_count("t"), before + (i == 0));
    }
}
END_TEST

START_TEST(a_key_that_is_none_is_refused)
{
    run_chain();
    ck_assert_str_eq(code_of(world_get("update", UPDATE(", 'key': ''"))),
        "invalid_argument");
    ck_assert_str_eq(
        code_of(world_get("update", UPDATE(", 'key': 7"))), "invalid_argument");
    ck_assert_str_eq(
        code_of(world_get("copy", "{'thread': 't', 'to': 'u', 'key': []}")),
        "invalid_argument");
}
END_TEST

START_TEST(a_key_of_255_bytes_is_taken_and_a_longer_one_refused)
{
    char key[SS_KEY_SIZE_MAX + 2], body[512];
    run_chain();
    memset(key, 'k', sizeof(key));
    for (size_t size = SS_KEY_SIZE_MAX; size <= SS_KEY_SIZE_MAX + 1; size++) {
        key[size] = '\0';
        snprintf(body, sizeof(body),
            "{'thread': 't', 'key': '%s', 'supersteps'"
            ": [[{'values': {'x': ['u']}, 'as_node': 'c'}]]}",
            key);
        ck_assert_str_eq(code_of(world_get("update", body)),
            size <= SS_KEY_SIZE_MAX ? "" : "invalid_argument");
        key[size] = 'k';
    }
}
END_TEST

SUITE("key", an_update_with_a_key_happens_once, the_newest_key_outlives_a_prune,
    a_copy_with_a_key_happens_once,
    asked_for_twice_while_its_thread_is_read_it_happens_once,
    a_key_that_is_none_is_refused,
    a_key_of_255_bytes_is_taken_and_a_longer_one_refused)
