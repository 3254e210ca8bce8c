// Parts of a limit that change hands between two coordinators.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/stories/world_impl.h"

enum { HALF = SS_SHARDS / 2, LOOKS = 12, ADOPT_MS = 1000 };

// ------------------------------------------------------------------ a cluster

static struct ss_shards shards_from(int first, int count)
{
    struct ss_shards some = {{0}};
    for (int i = first; i < first + count; i++)
        ss_shards_add(&some, (uint16_t)i);
    return some;
}

// The first `first` shards are the first coordinator's.
static void see(int first, int32_t format)
{
    static const char *const endpoints[] = {"tcp://one", "tcp://two"};
    uint16_t owners[SS_SHARDS];
    for (int i = 0; i < SS_SHARDS; i++)
        owners[i] = i >= first;
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.endpoints = endpoints;
    event.members.count = 2;
    event.members.owners = owners;
    event.members.row_format = format;
    world_step(&event);
}

static bool has_open; // in a shard of anybody, by what the core has read

static bool is_any_open(void)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_OPEN);
    bool is_any = found->entries_count > 0;
    ss_job_destroy(&found);
    return is_any;
}

static void hear(enum ss_event_type type, struct ss_shards shards)
{
    struct ss_event event = {.type = type};
    event.shards.has_open = has_open;
    event.shards.shards = &shards;
    event.shards.epoch = 50;
    event.shards.unread = true;
    event.shards.endpoint = "tcp://two";
    world_step(&event);
    world_run();
}

static void at(const char *coordinator, const char *worker)
{
    world_at(coordinator);
    if (worker)
        world_worker(worker, 99);
}

// Both look at what is stored, one after the other, and some time passes.
static void look(const char *coordinator)
{
    world_at(coordinator);
    world_find_limits();
    world_run();
    world_pass(100);
}

static void both_look(int times)
{
    for (int i = 0; i < times; i++) {
        look("one");
        look("two");
    }
}

// Node a of g has a limit of so many, and its parts are by halves.
static void halves(const char *limit)
{
    char extra[128];
    snprintf(extra, sizeof(extra), "{'nodes': {'a': {'limit': %s}}}", limit);
    world_pair();
    world_graph(chart("g", "start>a a>end", extra));
    at("one", "w1");
    world_hold("a");
    hear(SS_EVENT_SHARDS_LOST, shards_from(HALF, HALF));
    see(HALF, SS_ROW_FORMAT);
    at("two", "w1");
    hear(SS_EVENT_SHARDS_GAINED, shards_from(HALF, HALF));
    world_find_limits();
    hear(SS_EVENT_SHARDS_READ, shards_from(HALF, HALF));
    see(HALF, SS_ROW_FORMAT);
}

// `count` runs on threads of shards `from`.. below `end`, with such names.
static void begin_within(int from, int end, const char *name, int count)
{
    for (int i = 0, done = 0; done < count; i++) {
        char thread[32], body[160];
        snprintf(thread, sizeof(thread), "%s%d", name, i);
        if (ss_shard_of(thread) < from || ss_shard_of(thread) >= end)
            continue;
        snprintf(body, sizeof(body),
            "{'thread': '%s', 'graph': 'g', 'run': '%s', 'input': {'x': []}}",
            thread, thread);
        world_ask("ann", "run", body);
        done++;
    }
    world_run();
}

// The same on threads of one half.
static void begin(const char *coordinator, const char *name, int count)
{
    int from = strcmp(coordinator, "two") == 0 ? HALF : 0;
    world_at(coordinator);
    begin_within(from, from + HALF, name, count);
}

static int64_t told_of(const char *coordinator, const char *key)
{
    world_at(coordinator);
    uint64_t id = world_ask("eve", "limits", "{}");
    world_run();
    const json_t *list = json_object_get(world_answer(id), "limits");
    return ss_json_int(json_array_get(list, 0), key, 0);
}

static int64_t out(void)
{
    return told_of("one", "out") + told_of("two", "out");
}

// What is out at one of them ends.
static void end_all(const char *coordinator)
{
    int64_t left = told_of(coordinator, "out");
    world_let("a");
    for (; left > 0; left--)
        ck_assert(world_run_result("a"));
    world_hold("a");
    world_run();
}

// ------------------------------------------------------------------ who lacks

START_TEST(who_has_no_part_of_a_limit_of_one_gets_it_when_it_is_free)
{
    halves("{'name': 'openai', 'tasks_max': 1}");
    int64_t one = told_of("one", "here");
    ck_assert_int_eq(one + told_of("two", "here"), 1);
    const char *without = one ? "two" : "one";
    begin(without, "t", 2);
    ck_assert_int_eq(out(), 0);
    both_look(3);
    ck_assert_int_eq(told_of(without, "here"), 1);
    ck_assert_int_eq(told_of(without, "out"), 1);
    ck_assert_int_eq(out(), 1);
}
END_TEST

// While both have tasks neither waits for ever, and one is out at most.
START_TEST(the_only_part_of_a_limit_goes_round)
{
    int64_t turns[2] = {0};
    halves("{'name': 'openai', 'tasks_max': 1}");
    begin("one", "t", 40);
    begin("two", "u", 40);
    for (int i = 0; i < 30; i++) {
        both_look(1);
        ck_assert_int_le(out(), 1);
        bool is_second = told_of("two", "out") > 0;
        turns[is_second] += out();
        end_all(is_second ? "two" : "one");
        ck_assert_int_le(out(), 1);
    }
    ck_assert_int_ge(turns[0], 5);
    ck_assert_int_ge(turns[1], 5);
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
    int64_t turns[2] = {0};
    char one[16], other[16], limits[160];
    name_in(one, 'a', first);
    name_in(other, 'b', second);
    snprintf(limits, sizeof(limits),
        "[{'name': '%s', 'tasks_max': 1}, {'name': '%s', 'tasks_max': 1}]", one,
        other);
    halves(limits);
    begin("one", "t", 40);
    begin("two", "u", 40);
    for (int i = 0; i < 60; i++) {
        both_look(1);
        ck_assert_int_le(out(), 1);
        bool is_second = told_of("two", "out") > 0;
        turns[is_second] += out();
        end_all(is_second ? "two" : "one");
        ck_assert_int_le(out(), 1);
    }
    ck_assert_int_ge(turns[0], 6);
    ck_assert_int_ge(turns[1], 6);
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
    halves("{'name': 'openai', 'tasks_max': 8}");
    begin("one", "t", 20);
    both_look(LOOKS);
    ck_assert_int_eq(told_of("one", "out"), 8); // nobody else wanted any
    begin("two", "u", 20);
    both_look(LOOKS);
    ck_assert_int_eq(out(), 8);
    ck_assert_int_eq(told_of("two", "out"), 0);
    end_all("one");
    both_look(LOOKS);
    ck_assert_int_eq(told_of("one", "out"), 4);
    ck_assert_int_eq(told_of("two", "out"), 4);
}
END_TEST

START_TEST(who_lacks_no_more_says_so)
{
    halves("{'name': 'openai', 'tasks_max': 2}");
    begin("one", "t", 2);
    both_look(LOOKS);
    ck_assert_int_eq(out(), 2);
    end_all("one");
    both_look(LOOKS);
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
    halves("{'name': 'openai', 'tasks_max': 1}");
    bool is_first = told_of("one", "here") == 0;
    const char *without = is_first ? "one" : "two";
    const char *with = is_first ? "two" : "one";
    begin(with, is_first ? "u" : "t", 1);
    begin(without, is_first ? "t" : "u", 1);
    look(without); // it says that it lacks one
    ck_assert_int_eq(forget_lacks(), 1);
    end_all(with);
    both_look(4);
    ck_assert_int_eq(told_of(without, "out"), 1);
}
END_TEST

START_TEST(beside_an_older_coordinator_no_part_moves)
{
    halves("{'name': 'openai', 'tasks_max': 1}");
    const char *without = told_of("one", "here") ? "two" : "one";
    world_at("one");
    see(HALF, SS_ROW_FORMAT_6);
    world_at("two");
    see(HALF, SS_ROW_FORMAT_6);
    begin(without, "t", 2);
    both_look(LOOKS);
    ck_assert_int_eq(out(), 0);
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
    halves("{'name': 'mail', 'begun_max': 1, 'per_ms': 1000}");
    world_let("a");
    begin("one", "t", 20);
    begin("two", "u", 20);
    for (int i = 0; i < 150; i++) { // 200 ms each
        size_t before = world_attempts_of("a");
        look("one");
        at_one += (int64_t)(world_attempts_of("a") - before);
        look("two");
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
    halves("{'name': 'openai', 'tasks_max': 6}");
    begin("one", "t", 30);
    both_look(LOOKS);
    ck_assert_int_eq(told_of("one", "out"), 6);
    world_at("one");
    struct ss_shards some = shards_from(HALF / 2, HALF / 2);
    size_t before = world_attempts_of("a");
    hear(SS_EVENT_SHARDS_LOST, some);
    see(HALF / 2, SS_ROW_FORMAT);
    int64_t stay = told_of("one", "out");
    int64_t gone = 6 - stay;
    ck_assert_int_gt(gone, 0);
    ck_assert_uint_eq(world_attempts_of("a"), before);
    ck_assert_int_le(told_of("one", "here"), 6 - gone);
    at("two", NULL);
    hear(SS_EVENT_SHARDS_GAINED, some);
    world_find_limits();
    see(HALF / 2, SS_ROW_FORMAT);
    hear(SS_EVENT_SHARDS_READ, some);
    ck_assert_int_eq(told_of("one", "here") + told_of("two", "here"), 6);
    ck_assert_int_ge(told_of("two", "here"), gone);
}
END_TEST

// What goes are shards in which nothing is under way: all that are out are of
// threads that stay, so as many parts stay with them.
START_TEST(parts_stay_with_the_tasks_of_shards_that_stay)
{
    halves("{'name': 'openai', 'tasks_max': 40}");
    world_at("one");
    begin_within(0, HALF / 2, "t", 60);
    both_look(LOOKS);
    ck_assert_int_eq(told_of("one", "out"), 40);
    world_at("one");
    struct ss_shards some = shards_from(HALF / 2, HALF / 2);
    hear(SS_EVENT_SHARDS_LOST, some);
    see(HALF / 2, SS_ROW_FORMAT);
    at("two", NULL);
    hear(SS_EVENT_SHARDS_GAINED, some);
    world_find_limits();
    see(HALF / 2, SS_ROW_FORMAT);
    hear(SS_EVENT_SHARDS_READ, some);
    begin("two", "u", 20);
    ck_assert_int_eq(out(), 40);
    ck_assert_int_eq(told_of("one", "here"), 40);
    ck_assert_int_eq(told_of("two", "here"), 0);
    end_all("one"); // and then they are shared as before
    both_look(LOOKS);
    ck_assert_int_eq(out(), 40);
    ck_assert_int_ge(told_of("two", "out"), 15);
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
    at("one", "w1");
    world_hold("a");
    world_watch(note_second);
    begin_within(0, HALF, "t", 2);
    begin_within(HALF, SS_SHARDS, "u", 2);
    world_watch(NULL);
    ck_assert_uint_eq(offers_count, 2);
    world_crash();
    at("two", NULL);
    world_gained();
    world_run();
    world_offer(offers, offers_count);
    world_worker("w1", 99);
    world_run();
    ck_assert_int_eq(told_of("two", "out"), 2);
    ck_assert_int_eq(told_of("two", "held"), 2);
    hear(SS_EVENT_SHARDS_LOST, shards_from(HALF, HALF));
    ck_assert_int_eq(told_of("two", "out"), 0);
    size_t before = world_attempts_of("a");
    begin_within(0, HALF, "v", 4);
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
    at("one", "w1");
    world_hold("a");
    begin_within(HALF, SS_SHARDS, "u", 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_crash();
    at("two", NULL);
    hear(SS_EVENT_SHARDS_GAINED, shards_from(0, HALF));
    world_find_limits();
    has_open = is_any_open();
    hear(SS_EVENT_SHARDS_READ, shards_from(0, HALF));
    has_open = false;
    world_worker("w1", 99);
    begin_within(0, HALF, "v", 1);
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
    at("one", "w1");
    world_hold("a");
    begin_within(0, HALF, "u", 1);
    see(HALF, SS_ROW_FORMAT_6); // nothing moves: the part goes with its shard
    hear(SS_EVENT_SHARDS_LOST, shards_from(HALF, HALF));
    see(HALF, SS_ROW_FORMAT);
    ck_assert_int_eq(told_of("one", "out"), 1);
    ck_assert_int_eq(told_of("one", "here"), 0);
    at("two", "w1");
    hear(SS_EVENT_SHARDS_GAINED, shards_from(HALF, HALF));
    world_find_limits();
    has_open = is_any_open();
    hear(SS_EVENT_SHARDS_READ, shards_from(HALF, HALF));
    has_open = false;
    see(HALF, SS_ROW_FORMAT);
    begin("two", "v", 2);
    both_look(4);
    ck_assert_int_eq(told_of("one", "here"), 1);
    at("two", NULL);
    for (int i = 0; i < LEASE_MS; i += 500) {
        world_pass(500);
        both_look(1);
    }
    ck_assert_int_eq(out(), 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    end_all("one");
    both_look(4);
    ck_assert_int_eq(told_of("two", "out"), 1);
}
END_TEST

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
    int64_t turns[2] = {0};
    halves(OF_X);
    begin("one", "t", 40);
    begin("two", "u", 40);
    for (int i = 0; i < 30; i++) {
        both_look(1);
        ck_assert_int_le(out(), 1);
        bool is_second = told_of("two", "out") > 0;
        turns[is_second] += out();
        end_all(is_second ? "two" : "one");
        ck_assert_int_le(out(), 1);
    }
    ck_assert_int_ge(turns[0], 5);
    ck_assert_int_ge(turns[1], 5);
}
END_TEST

// Where they stood before: what is without use leaves nothing in the store.
START_TEST(parts_of_a_value_that_nobody_uses_come_home)
{
    halves(OF_X);
    begin("one", "t", 1);
    begin("two", "u", 1);
    for (int i = 0; i < 10; i++) {
        both_look(1);
        end_all("one");
        end_all("two");
    }
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    ck_assert_int_eq(told_of("one", "values") + told_of("two", "values"), 1);
    both_look(60);
    nothing_is_stored();
    ck_assert_int_eq(told_of("one", "values") + told_of("two", "values"), 0);
    begin("one", "v", 1);
    begin("two", "w", 1);
    both_look(3);
    ck_assert_int_eq(out(), 1);
}
END_TEST

// A member that had never heard of the value has a part of it from another one.
START_TEST(a_part_of_a_value_that_came_to_nobody_comes_home)
{
    halves(OF_X);
    begin("one", "t", 1);
    begin("two", "u", 1);
    both_look(3);
    end_all("one");
    end_all("two");
    both_look(3);
    world_at("one");
    hear(SS_EVENT_SHARDS_LOST, shards_from(0, HALF));
    see(0, SS_ROW_FORMAT);
    at("two", NULL);
    hear(SS_EVENT_SHARDS_GAINED, shards_from(0, HALF));
    world_find_limits();
    see(0, SS_ROW_FORMAT);
    hear(SS_EVENT_SHARDS_READ, shards_from(0, HALF));
    end_all("two");
    both_look(120);
    nothing_is_stored();
    ck_assert_int_eq(told_of("two", "values"), 0);
}
END_TEST

START_TEST(parts_of_a_value_go_with_the_tasks_of_a_shard)
{
    halves("{'name': 'openai', 'tasks_max': 6, 'each': 'x'}");
    begin("one", "t", 30);
    both_look(LOOKS);
    ck_assert_int_eq(told_of("one", "out"), 6);
    world_at("one");
    struct ss_shards some = shards_from(HALF / 2, HALF / 2);
    size_t before = world_attempts_of("a");
    hear(SS_EVENT_SHARDS_LOST, some);
    see(HALF / 2, SS_ROW_FORMAT);
    int64_t gone = 6 - told_of("one", "out");
    ck_assert_int_gt(gone, 0);
    ck_assert_uint_eq(world_attempts_of("a"), before);
    ck_assert_int_le(told_of("one", "here"), 6 - gone);
}
END_TEST

// ------------------------------------------------------------------ operators

START_TEST(an_operator_sets_a_limit_for_all_coordinators)
{
    halves("{'name': 'openai', 'tasks_max': 8}");
    world_at("one");
    uint64_t id = world_ask(
        "olga", "limit", "{'name': 'openai', 'tasks_max': 2, 'by': 'olga'}");
    world_run();
    const json_t *set = json_object_get(world_answer(id), "limit");
    ck_assert_int_eq(ss_json_int(set, "tasks_max", 0), 2);
    look("two");
    ck_assert_int_eq(told_of("two", "tasks_max"), 2);
    begin("one", "t", 9);
    begin("two", "u", 9);
    both_look(LOOKS);
    ck_assert_int_eq(out(), 2);
    world_at("one"); // what is owed is no more than that
    world_ask("olga", "limit", "{'name': 'openai', 'tasks_max': 1}");
    both_look(2);
    world_at("two");
    world_ask("olga", "limit", "{'name': 'openai'}");
    both_look(LOOKS);
    ck_assert_int_eq(told_of("one", "tasks_max"), 8);
    ck_assert_int_eq(out(), 8);
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
    what_nobody_has_claimed_is_held_when_what_was_claimed_goes,
    a_value_has_its_limit_over_all_coordinators,
    parts_of_a_value_that_nobody_uses_come_home,
    a_part_of_a_value_that_came_to_nobody_comes_home,
    parts_of_a_value_go_with_the_tasks_of_a_shard,
    an_operator_sets_a_limit_for_all_coordinators)
