// world_pair.c - two coordinators on one store, of which one is looked at.
#include <check.h>
#include <string.h>

#include "common/model/journal.h"
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
    world_core_new();
    see_members();
    world_gained_some(SS_SHARDS);
    world_at("two");
    world.life = 1;
    world_core_new();
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

void world_found(bool crashed)
{
    world_find_pauses();
    world_find_graphs();
    world_find_runs(crashed);
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
