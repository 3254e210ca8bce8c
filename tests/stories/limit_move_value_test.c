// Limits over two coordinators: those of each value of a key, whose parts come
// home, and those that an operator sets.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/limit_pair.h"
#include "tests/stories/suite.h"
#include "tests/stories/world_impl.h"

// ------------------------------------------------------------------ values

// All tasks of these have the value [] of the key x.
#define OF_X "{'name': 'openai', 'tasks_max': 1, 'each': 'x'}"

static void nothing_is_stored(void)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_META);
    for (size_t i = 0; i < found->entries_count; i++) {
        ck_assert_ptr_null(strstr(found->entries[i].key, "lack"));
        ck_assert_ptr_null(strstr(found->entries[i].key, "part"));
    }
    ss_job_destroy(&found);
}

START_TEST(a_value_has_its_limit_over_all_coordinators)
{
    pair_halves(OF_X);
    pair_go_round(30, 5);
}
END_TEST

// Where they stood before: what is without use leaves nothing in the store.
START_TEST(parts_of_a_value_that_nobody_uses_come_home)
{
    pair_halves(OF_X);
    pair_begin("one", "t", 1);
    pair_begin("two", "u", 1);
    for (int i = 0; i < 10; i++) {
        pair_both_look(1);
        pair_end_all("one");
        pair_end_all("two");
    }
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    ck_assert_int_eq(
        pair_told("one", "values") + pair_told("two", "values"), 1);
    pair_both_look(60);
    nothing_is_stored();
    ck_assert_int_eq(
        pair_told("one", "values") + pair_told("two", "values"), 0);
    pair_begin("one", "v", 1);
    pair_begin("two", "w", 1);
    pair_both_look(3);
    ck_assert_int_eq(pair_out(), 1);
}
END_TEST

// A member that had never heard of the value has a part of it from another one.
START_TEST(a_part_of_a_value_that_came_to_nobody_comes_home)
{
    pair_halves(OF_X);
    pair_begin("one", "t", 1);
    pair_begin("two", "u", 1);
    pair_both_look(3);
    pair_end_all("one");
    pair_end_all("two");
    pair_both_look(3);
    world_at("one");
    pair_hear(SS_EVENT_SHARDS_LOST, pair_shards(0, HALF));
    pair_see(0, SS_ROW_FORMAT);
    pair_at("two", NULL);
    pair_hear(SS_EVENT_SHARDS_GAINED, pair_shards(0, HALF));
    world_find_limits();
    pair_see(0, SS_ROW_FORMAT);
    pair_hear(SS_EVENT_SHARDS_READ, pair_shards(0, HALF));
    pair_end_all("two");
    pair_both_look(120);
    nothing_is_stored();
    ck_assert_int_eq(pair_told("two", "values"), 0);
}
END_TEST

START_TEST(parts_of_a_value_go_with_the_tasks_of_a_shard)
{
    struct ss_shards some;
    (void)pair_parts_go(
        "{'name': 'openai', 'tasks_max': 6, 'each': 'x'}", &some);
}
END_TEST

// ------------------------------------------------------------------ operators

START_TEST(an_operator_sets_a_limit_for_all_coordinators)
{
    pair_halves("{'name': 'openai', 'tasks_max': 8}");
    world_at("one");
    uint64_t id = world_ask(
        "olga", "limit", "{'name': 'openai', 'tasks_max': 2, 'by': 'olga'}");
    world_run();
    const json_t *set = json_object_get(world_answer(id), "limit");
    ck_assert_int_eq(ss_json_int(set, "tasks_max", 0), 2);
    pair_look("two");
    ck_assert_int_eq(pair_told("two", "tasks_max"), 2);
    pair_begin("one", "t", 9);
    pair_begin("two", "u", 9);
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_out(), 2);
    world_at("one"); // what is owed is no more than that
    world_ask("olga", "limit", "{'name': 'openai', 'tasks_max': 1}");
    pair_both_look(2);
    world_at("two");
    world_ask("olga", "limit", "{'name': 'openai'}");
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_told("one", "tasks_max"), 8);
    ck_assert_int_eq(pair_out(), 8);
}
END_TEST

SUITE("limit_move_value", a_value_has_its_limit_over_all_coordinators,
    parts_of_a_value_that_nobody_uses_come_home,
    a_part_of_a_value_that_came_to_nobody_comes_home,
    parts_of_a_value_go_with_the_tasks_of_a_shard,
    an_operator_sets_a_limit_for_all_coordinators)
