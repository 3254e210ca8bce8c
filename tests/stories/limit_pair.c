#include "tests/stories/limit_pair.h"

#include <stdio.h>
#include <string.h>

#include "common/model/journal.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/stories/world_impl.h"

struct ss_shards pair_shards(int first, int count)
{
    struct ss_shards some = {{0}};
    for (int i = first; i < first + count; i++)
        ss_shards_add(&some, (uint16_t)i);
    return some;
}

void pair_see(int first, int32_t format)
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

bool pair_has_open;

bool pair_is_any_open(void)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_OPEN);
    bool is_any = found->entries_count > 0;
    ss_job_destroy(&found);
    return is_any;
}

void pair_hear(enum ss_event_type type, struct ss_shards shards)
{
    struct ss_event event = {.type = type};
    event.shards.has_open = pair_has_open;
    event.shards.shards = &shards;
    event.shards.epoch = 50;
    event.shards.unread = true;
    event.shards.endpoint = "tcp://two";
    world_step(&event);
    world_run();
}

void pair_at(const char *coordinator, const char *worker)
{
    world_at(coordinator);
    if (worker)
        world_worker(worker, 99);
}

void pair_look(const char *coordinator)
{
    world_at(coordinator);
    world_find_limits();
    world_run();
    world_pass(100);
}

void pair_both_look(int times)
{
    for (int i = 0; i < times; i++) {
        pair_look("one");
        pair_look("two");
    }
}

void pair_halves(const char *limit)
{
    char extra[128];
    snprintf(extra, sizeof(extra), "{'nodes': {'a': {'limit': %s}}}", limit);
    world_pair();
    world_graph(chart("g", "start>a a>end", extra));
    pair_at("one", "w1");
    world_hold("a");
    pair_hear(SS_EVENT_SHARDS_LOST, pair_shards(HALF, HALF));
    pair_see(HALF, SS_ROW_FORMAT);
    pair_at("two", "w1");
    pair_hear(SS_EVENT_SHARDS_GAINED, pair_shards(HALF, HALF));
    world_find_limits();
    pair_hear(SS_EVENT_SHARDS_READ, pair_shards(HALF, HALF));
    pair_see(HALF, SS_ROW_FORMAT);
}

void pair_begin_within(int from, int end, const char *name, int count)
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

void pair_begin(const char *coordinator, const char *name, int count)
{
    int from = strcmp(coordinator, "two") == 0 ? HALF : 0;
    world_at(coordinator);
    pair_begin_within(from, from + HALF, name, count);
}

int64_t pair_told(const char *coordinator, const char *key)
{
    world_at(coordinator);
    uint64_t id = world_ask("eve", "limits", "{}");
    world_run();
    const json_t *list = json_object_get(world_answer(id), "limits");
    return ss_json_int(json_array_get(list, 0), key, 0);
}

int64_t pair_out(void)
{
    return pair_told("one", "out") + pair_told("two", "out");
}

void pair_end_all(const char *coordinator)
{
    int64_t left = pair_told(coordinator, "out");
    world_let("a");
    for (; left > 0; left--)
        ck_assert(world_run_result("a"));
    world_hold("a");
    world_run();
}

void pair_go_round(int times, int least)
{
    int64_t turns[2] = {0};
    pair_begin("one", "t", 40);
    pair_begin("two", "u", 40);
    for (int i = 0; i < times; i++) {
        pair_both_look(1);
        ck_assert_int_le(pair_out(), 1);
        bool is_second = pair_told("two", "out") > 0;
        turns[is_second] += pair_out();
        pair_end_all(is_second ? "two" : "one");
        ck_assert_int_le(pair_out(), 1);
    }
    ck_assert_int_ge(turns[0], least);
    ck_assert_int_ge(turns[1], least);
}

int64_t pair_parts_go(const char *limit, struct ss_shards *ret_gone)
{
    enum { OUT = 6 };
    pair_halves(limit);
    pair_begin("one", "t", 30);
    pair_both_look(LOOKS);
    ck_assert_int_eq(pair_told("one", "out"), OUT);
    world_at("one");
    *ret_gone = pair_shards(HALF / 2, HALF / 2);
    size_t before = world_attempts_of("a");
    pair_hear(SS_EVENT_SHARDS_LOST, *ret_gone);
    pair_see(HALF / 2, SS_ROW_FORMAT);
    int64_t gone = OUT - pair_told("one", "out");
    ck_assert_int_gt(gone, 0);
    ck_assert_uint_eq(world_attempts_of("a"), before);
    ck_assert_int_le(pair_told("one", "here"), OUT - gone);
    return gone;
}
