// world_pair.c - two coordinators on one store, of which one is looked at.
#include <check.h>
#include <string.h>

#include "common/model/journal.h"
#include "common/model/value.h"
#include "tests/stories/world_impl.h"

static void swap(void *a, void *b, size_t size)
{
    unsigned char kept[sizeof(struct seat)];
    ck_assert_uint_le(size, sizeof(kept));
    memcpy(kept, a, size);
    memcpy(a, b, size);
    memcpy(b, kept, size);
}

void world_at(const char *coordinator)
{
    if (world.at_two == (strcmp(coordinator, "two") == 0))
        return;
    world.at_two = !world.at_two;
    struct seat *other = &world.other;
    swap(&world.core, &other->core, sizeof(world.core));
    swap(&world.life, &other->life, sizeof(world.life));
    swap(&world.wake_at_ms, &other->wake_at_ms, sizeof(world.wake_at_ms));
    swap(&world.parcels, &other->parcels, sizeof(world.parcels));
    swap(&world.jobs, &other->jobs, sizeof(world.jobs));
    tell("(at coordinator %s)", coordinator);
}

static void see_members(void)
{
    static const char *const endpoints[] = {"tcp://one", "tcp://two"};
    static const uint16_t owners[SS_SHARDS]; // all the first one's
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.endpoints = endpoints;
    event.members.count = 2;
    event.members.owners = owners;
    event.members.row_format = SS_ROW_FORMAT;
    world_step(&event);
}

void world_pair(void)
{
    ss_core_destroy(&world.core);
    world.is_pair = true;
    world_core_new(false);
    see_members();
    world_gained_some(SS_SHARDS);
    world_at("two");
    world.life = 1;
    world_core_new(false);
    see_members();
    world_at("one");
    world_forget();
}

void world_lost(bool known)
{
    struct ss_shards all;
    ss_shards_fill(&all);
    struct ss_event event = {.type = SS_EVENT_SHARDS_LOST};
    event.shards.shards = &all;
    if (known)
        event.shards.endpoint = world.at_two ? "tcp://one" : "tcp://two";
    world_step(&event);
}

static void gained(enum ss_event_type type, uint16_t count, bool unread)
{
    struct ss_shards some = {{0}};
    for (uint16_t i = 0; i < count; i++)
        ss_shards_add(&some, i);
    struct ss_event event = {.type = type};
    event.shards.shards = &some;
    event.shards.epoch = 10 + world.life;
    event.shards.unread = unread;
    world_step(&event);
}

void world_gained_some(uint16_t count)
{
    gained(SS_EVENT_SHARDS_GAINED, count, false);
}

void world_gained(void)
{
    world_gained_unread();
    world_found(false);
}

void world_gained_unread(void)
{
    gained(SS_EVENT_SHARDS_GAINED, SS_SHARDS, true);
}

static json_t *parse(const struct ss_job_entry *entry)
{
    json_t *json = NULL;
    ck_assert_int_eq(
        ss_json_parse(entry->value, entry->value_size, &json, NULL), SS_OK);
    return json;
}

static void find_graphs(void)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_GRAPHS);
    for (size_t i = 0; i < found->entries_count; i++) {
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        json_t *description = parse(&found->entries[i]);
        event.graph.description = description;
        event.graph.key = found->entries[i].key;
        world_step(&event);
        json_decref(description);
    }
    ss_job_destroy(&found);
}

void world_find_pauses(void)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_PAUSES);
    struct ss_event event = {.type = SS_EVENT_PAUSES};
    json_t **records = ss_zalloc(found->entries_count + 1, sizeof(*records));
    for (size_t i = 0; i < found->entries_count; i++)
        records[i] = parse(&found->entries[i]);
    event.pauses.records = records;
    event.pauses.count = found->entries_count;
    world_step(&event);
    for (size_t i = 0; i < found->entries_count; i++)
        json_decref(records[i]);
    ss_free(records);
    ss_job_destroy(&found);
}

void world_find_limits(void)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_META);
    struct ss_event event = {.type = SS_EVENT_LIMITS};
    json_t **records = ss_zalloc(found->entries_count + 1, sizeof(*records));
    size_t count = 0;
    for (size_t i = 0; i < found->entries_count; i++)
        if (found->entries[i].index)
            records[count++] = parse(&found->entries[i]);
    event.limits.records = records;
    event.limits.count = count;
    world_step(&event);
    while (count > 0)
        json_decref(records[--count]);
    ss_free(records);
    ss_job_destroy(&found);
}

static void find_runs(bool crashed)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_OPEN);
    for (size_t i = found->entries_count; i-- > 0;) { // in no order
        struct ss_event event = {.type = SS_EVENT_RUN_FOUND};
        json_t *record = parse(&found->entries[i]);
        event.run.record = record;
        event.run.crashed = crashed;
        world_step(&event);
        json_decref(record);
    }
    ss_job_destroy(&found);
}

void world_found(bool crashed)
{
    world_find_pauses();
    world_find_limits();
    find_graphs();
    find_runs(crashed);
    gained(SS_EVENT_SHARDS_READ, SS_SHARDS, false);
}

void world_drains(void)
{
    world_step(&(struct ss_event){.type = SS_EVENT_DRAIN});
}

bool world_is_quiet(void)
{
    return ss_core_is_quiet(world.core);
}
