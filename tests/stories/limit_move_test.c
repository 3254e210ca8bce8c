// Parts of a limit that change hands between two coordinators.
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

enum { ADOPT_MS = 1000 };

// ------------------------------------------------------------------ who lacks

START_TEST(who_has_no_part_of_a_limit_of_one_gets_it_when_it_is_free)
{
    pair_halves("{'name': 'openai', 'tasks_max': 1}");
    int64_t one = pair_told("one", "here");
    ck_assert_int_eq(one + pair_told("two", "here"), 1);
    const char *without = one ? "two" : "one";
    pair_begin(without, "t", 2);
    ck_assert_int_eq(pair_out(), 0);
    pair_both_look(3);
    ck_assert_int_eq(pair_told(without, "here"), 1);
    ck_assert_int_eq(pair_told(without, "out"), 1);
    ck_assert_int_eq(pair_out(), 1);
}
END_TEST

// While both have tasks neither waits for ever, and one is out at most.
START_TEST(the_only_part_of_a_limit_goes_round)
{
    pair_halves("{'name': 'openai', 'tasks_max': 1}");
    pair_go_round(30, 5);
}
END_TEST

// A limit of one whose part is in that half at first. `rank` goes in front.
static void name_in(char ret_name[16], char rank, int from)
{
    for (int i = 0;; i++) {
        char place[32];
        snprintf(ret_name, 16, "%c%d", rank, i);
        snprintf(place, sizeof(place), "0 %s", ret_name);
        int shard = ss_shard_of(place);
        if (shard >= from && shard < from + HALF)
            return;
    }
}

// Each member has the only part of one of two limits, and tasks that need both.
// They go to one, then to the other: nobody waits for what the other one keeps
// while it waits.
static void both_in_turn(int first, int second)
{
    char one[16], other[16], limits[160];
    name_in(one, 'a', first);
    name_in(other, 'b', second);
    snprintf(limits, sizeof(limits),
        "[{'name': '%s', 'tasks_max': 1}, {'name': '%s', 'tasks_max': 1}]", one,
        other);
    pair_halves(limits);
    pair_go_round(60, 6);
}

START_TEST(two_limits_of_one_whose_parts_are_apart_come_together)
{
    both_in_turn(0, HALF);
}
END_TEST

START_TEST(two_limits_come_together_the_other_way_round)
{
    both_in_turn(HALF, 0);
}
END_TEST

START_TEST(two_limits_of_one_that_are_together_go_round_together)
{
    both_in_turn(HALF, HALF);
}
END_TEST

START_TEST(who_has_more_than_a_fair_share_gives_what_becomes_free)
{
    pair_halves("{'name': 'openai', 'tasks_max': 8}");
    pair_begin("one", "t", 20);
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_told("one", "out"), 8); // nobody else wanted any
    pair_begin("two", "u", 20);
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_out(), 8);
    ck_assert_int_eq(pair_told("two", "out"), 0);
    pair_end_all("one");
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_told("one", "out"), 4);
    ck_assert_int_eq(pair_told("two", "out"), 4);
}
END_TEST

START_TEST(who_lacks_no_more_says_so)
{
    pair_halves("{'name': 'openai', 'tasks_max': 2}");
    pair_begin("one", "t", 2);
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_out(), 2);
    pair_end_all("one");
    pair_both_look(LOOKS);
    struct ss_job *found = store_scan(&world.store, SS_TABLE_META);
    for (size_t i = 0; i < found->entries_count; i++)
        ck_assert_ptr_null(strstr(found->entries[i].key, "lack"));
    ss_job_destroy(&found);
}
END_TEST

// The older one counts parts by their shards alone.
// How many there were.
static int forget_lacks(void)
{
    int count = 0;
    struct ss_job *found = store_scan(&world.store, SS_TABLE_META);
    for (size_t i = 0; i < found->entries_count; i++) {
        const char *key = found->entries[i].key;
        if (!strstr(key, "lack"))
            continue;
        store_put(&world.store,
            (struct ss_store_put){.table = SS_TABLE_META, .key = (char *)key});
        count++;
    }
    ss_job_destroy(&found);
    return count;
}

// Its shards went to the other one and came back between two looks: the other
// one took what it had said for that of a member before itself. It waited for
// ever.
START_TEST(who_lacks_says_so_again_where_that_was_taken_away)
{
    pair_halves("{'name': 'openai', 'tasks_max': 1}");
    bool is_first = pair_told("one", "here") == 0;
    const char *without = is_first ? "one" : "two";
    const char *with = is_first ? "two" : "one";
    pair_begin(with, is_first ? "u" : "t", 1);
    pair_begin(without, is_first ? "t" : "u", 1);
    pair_look(without); // it says that it lacks one
    ck_assert_int_eq(forget_lacks(), 1);
    pair_end_all(with);
    pair_both_look(4);
    ck_assert_int_eq(pair_told(without, "out"), 1);
}
END_TEST

START_TEST(beside_an_older_coordinator_no_part_moves)
{
    pair_halves("{'name': 'openai', 'tasks_max': 1}");
    const char *without = pair_told("one", "here") ? "two" : "one";
    world_at("one");
    pair_see(HALF, SS_ROW_FORMAT_6);
    world_at("two");
    pair_see(HALF, SS_ROW_FORMAT_6);
    pair_begin(without, "t", 2);
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_out(), 0);
    uint64_t id =
        world_ask("ann", "limit", "{'name': 'openai', 'tasks_max': 9}");
    world_run();
    ck_assert_ptr_nonnull(strstr(
        ss_json_str(json_object_get(world_answer(id), "error"), "message", ""),
        "older version"));
}
END_TEST

// In any time of the rate as many as it says, by both, and by each in turn.
START_TEST(a_rate_of_one_goes_round)
{
    int64_t at_one = 0, last = 0;
    pair_halves("{'name': 'mail', 'begun_max': 1, 'per_ms': 1000}");
    world_let("a");
    pair_begin("one", "t", 20);
    pair_begin("two", "u", 20);
    for (int i = 0; i < 150; i++) { // 200 ms each
        size_t before = world_attempts_of("a");
        pair_look("one");
        at_one += (int64_t)(world_attempts_of("a") - before);
        pair_look("two");
        size_t began = world_attempts_of("a") - before;
        ck_assert_uint_le(began, 1);
        ck_assert(began == 0 || last == 0 || world.now_ms - last >= 800);
        last = began > 0 ? world.now_ms : last;
    }
    int64_t all = (int64_t)world_attempts_of("a");
    ck_assert_int_ge(all, 12);
    ck_assert_int_ge(at_one, all / 3);
    ck_assert_int_le(at_one, 2 * all / 3 + 1);
}
END_TEST

// ------------------------------------------------------------------ hand-over

// All that are out are of threads that go: as many parts go with them, so the
// one that gave them sends no others until these have ended.
START_TEST(parts_go_with_the_tasks_of_a_shard)
{
    struct ss_shards some;
    int64_t gone = pair_parts_go("{'name': 'openai', 'tasks_max': 6}", &some);
    pair_at("two", NULL);
    pair_hear(SS_EVENT_SHARDS_GAINED, some);
    world_find_limits();
    pair_see(HALF / 2, SS_ROW_FORMAT);
    pair_hear(SS_EVENT_SHARDS_READ, some);
    ck_assert_int_eq(pair_told("one", "here") + pair_told("two", "here"), 6);
    ck_assert_int_ge(pair_told("two", "here"), gone);
}
END_TEST

// What goes are shards in which nothing is under way: all that are out are of
// threads that stay, so as many parts stay with them.
START_TEST(parts_stay_with_the_tasks_of_shards_that_stay)
{
    pair_halves("{'name': 'openai', 'tasks_max': 40}");
    world_at("one");
    pair_begin_within(0, HALF / 2, "t", 60);
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_told("one", "out"), 40);
    world_at("one");
    struct ss_shards some = pair_shards(HALF / 2, HALF / 2);
    pair_hear(SS_EVENT_SHARDS_LOST, some);
    pair_see(HALF / 2, SS_ROW_FORMAT);
    pair_at("two", NULL);
    pair_hear(SS_EVENT_SHARDS_GAINED, some);
    world_find_limits();
    pair_see(HALF / 2, SS_ROW_FORMAT);
    pair_hear(SS_EVENT_SHARDS_READ, some);
    pair_begin("two", "u", 20);
    ck_assert_int_eq(pair_out(), 40);
    ck_assert_int_eq(pair_told("one", "here"), 40);
    ck_assert_int_eq(pair_told("two", "here"), 0);
    pair_end_all("one"); // and then they are shared as before
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_out(), 40);
    ck_assert_int_ge(pair_told("two", "out"), 15);
}
END_TEST

static struct ss_offer offers[8];
static size_t offers_count;

// What is out of the second half, as its worker will offer it.
static void note_second(const struct ss_command *command)
{
    if (command->type != SS_COMMAND_DISPATCH ||
        ss_shard_of(command->order->thread) < HALF)
        return;
    const struct ss_assignment *order = command->order;
    struct ss_offer *offer = &offers[offers_count++];
    *offer = (struct ss_offer){.attempt = order->attempt,
        .thread = ss_strdup(order->thread),
        .run = ss_strdup(order->run),
        .digest = order->digest};
    memcpy(offer->task_id, order->task_id, sizeof(offer->task_id));
}

// Of four that were out when their owner died two are offered, and then go on
// to another owner, with the parts by which they are out: the other two may be
// out still, and no others go in their place.
START_TEST(what_nobody_has_claimed_is_held_when_what_was_claimed_goes)
{
    world_adopt(ADOPT_MS);
    world_pair();
    world_graph(chart("g", "start>a a>end",
        "{'nodes': {'a': {'limit': {'name': 'openai', 'tasks_max': 4}}}}"));
    pair_at("one", "w1");
    world_hold("a");
    world_watch(note_second);
    pair_begin_within(0, HALF, "t", 2);
    pair_begin_within(HALF, SS_SHARDS, "u", 2);
    world_watch(NULL);
    ck_assert_uint_eq(offers_count, 2);
    world_crash();
    pair_at("two", NULL);
    world_gained();
    world_run();
    world_offer(offers, offers_count);
    world_worker("w1", 99);
    world_run();
    ck_assert_int_eq(pair_told("two", "out"), 2);
    ck_assert_int_eq(pair_told("two", "held"), 2);
    pair_hear(SS_EVENT_SHARDS_LOST, pair_shards(HALF, HALF));
    ck_assert_int_eq(pair_told("two", "out"), 0);
    size_t before = world_attempts_of("a");
    pair_begin_within(0, HALF, "v", 4);
    world_pass(ADOPT_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), before);
    world_pass(LEASE_MS);
    world_run();
    ck_assert_uint_ge(world_attempts_of("a"), before + 1);
    for (size_t i = 0; i < offers_count; i++)
        ss_offer_fini(&offers[i]);
}
END_TEST

// Both coordinators die. Two tasks are out, of threads in the second half; the
// limit's parts are all in the first. Who claims the first half finds no run in
// it: the two may be out still, and no others go in their place.
START_TEST(parts_are_held_where_only_others_have_unfinished_runs)
{
    char limit[64], name[16];
    name_in(name, 'x', 0);
    snprintf(limit, sizeof(limit), "{'name': '%s', 'tasks_max': 1}", name);
    char extra[128];
    snprintf(extra, sizeof(extra), "{'nodes': {'a': {'limit': %s}}}", limit);
    world_adopt(ADOPT_MS);
    world_pair();
    world_graph(chart("g", "start>a a>end", extra));
    pair_at("one", "w1");
    world_hold("a");
    pair_begin_within(HALF, SS_SHARDS, "u", 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_crash();
    pair_at("two", NULL);
    pair_hear(SS_EVENT_SHARDS_GAINED, pair_shards(0, HALF));
    world_find_limits();
    pair_has_open = pair_is_any_open();
    pair_hear(SS_EVENT_SHARDS_READ, pair_shards(0, HALF));
    pair_has_open = false;
    world_worker("w1", 99);
    pair_begin_within(0, HALF, "v", 1);
    world_pass(ADOPT_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(LEASE_MS);
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

// The part of what is out went to another owner, as at a takeover by halves:
// that one holds it, and gives it to who says that a task of it is out there.
START_TEST(a_part_that_is_held_comes_to_who_has_its_task_out)
{
    char limit[64], name[16];
    name_in(name, 'x', HALF);
    snprintf(limit, sizeof(limit), "{'name': '%s', 'tasks_max': 1}", name);
    world_adopt(ADOPT_MS);
    world_pair();
    char extra[128];
    snprintf(extra, sizeof(extra), "{'nodes': {'a': {'limit': %s}}}", limit);
    world_graph(chart("g", "start>a a>end", extra));
    pair_at("one", "w1");
    world_hold("a");
    pair_begin_within(0, HALF, "u", 1);
    pair_see(
        HALF, SS_ROW_FORMAT_6); // nothing moves: the part goes with its shard
    pair_hear(SS_EVENT_SHARDS_LOST, pair_shards(HALF, HALF));
    pair_see(HALF, SS_ROW_FORMAT);
    ck_assert_int_eq(pair_told("one", "out"), 1);
    ck_assert_int_eq(pair_told("one", "here"), 0);
    pair_at("two", "w1");
    pair_hear(SS_EVENT_SHARDS_GAINED, pair_shards(HALF, HALF));
    world_find_limits();
    pair_has_open = pair_is_any_open();
    pair_hear(SS_EVENT_SHARDS_READ, pair_shards(HALF, HALF));
    pair_has_open = false;
    pair_see(HALF, SS_ROW_FORMAT);
    pair_begin("two", "v", 2);
    pair_both_look(4);
    ck_assert_int_eq(pair_told("one", "here"), 1);
    pair_at("two", NULL);
    for (int i = 0; i < LEASE_MS; i += 500) {
        world_pass(500);
        pair_both_look(1);
    }
    ck_assert_int_eq(pair_out(), 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    pair_end_all("one");
    pair_both_look(4);
    ck_assert_int_eq(pair_told("two", "out"), 1);
}
END_TEST

SUITE("limit_move", who_has_no_part_of_a_limit_of_one_gets_it_when_it_is_free,
    the_only_part_of_a_limit_goes_round,
    two_limits_of_one_whose_parts_are_apart_come_together,
    two_limits_come_together_the_other_way_round,
    two_limits_of_one_that_are_together_go_round_together,
    parts_are_held_where_only_others_have_unfinished_runs,
    a_part_that_is_held_comes_to_who_has_its_task_out,
    who_has_more_than_a_fair_share_gives_what_becomes_free,
    who_lacks_no_more_says_so, a_rate_of_one_goes_round,
    who_lacks_says_so_again_where_that_was_taken_away,
    beside_an_older_coordinator_no_part_moves,
    parts_go_with_the_tasks_of_a_shard,
    parts_stay_with_the_tasks_of_shards_that_stay,
    what_nobody_has_claimed_is_held_when_what_was_claimed_goes)
