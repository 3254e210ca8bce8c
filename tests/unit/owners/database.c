// database.c - the database that one coordinator's owners ask.
#include "tests/unit/owners/database.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"

struct ss_owners *owners;
struct ss_owners_commands said;
int64_t now_ms;
struct ss_member members[4];
struct ss_cluster db;

void member(size_t index, const char *name, int64_t left_ms)
{
    memset(&members[index], 0, sizeof(members[index]));
    snprintf(members[index].name, sizeof(members[index].name), "%s", name);
    snprintf(members[index].endpoint, sizeof(members[index].endpoint),
        "tcp://%s", name);
    members[index].left_ms = left_ms;
    if (db.members_count <= index)
        db.members_count = index + 1;
}

// The database gives from..to to members[index] (SS_NOBODY: to none).
void give(uint16_t from, uint16_t to, uint16_t index)
{
    for (uint16_t i = from; i < to; i++)
        db.owners[i] = index;
    db.epoch++;
}

void step(struct ss_owners_event event)
{
    event.now_ms = now_ms;
    ss_owners_step(owners, &event, &said);
}

void say(enum ss_owners_event_type type, int status)
{
    step((struct ss_owners_event){.type = type, .status = status});
}

void tick(int64_t ms)
{
    now_ms += ms;
    say(SS_OWNERS_TICK, SS_OK);
}

// The lease was renewed without a command: asked for at `sent_ms`.
void kept(int status, int64_t sent_ms)
{
    step((struct ss_owners_event){.type = SS_OWNERS_RENEWED,
        .status = status,
        .kept = true,
        .sent_ms = sent_ms});
}

void looked(void)
{
    step((struct ss_owners_event){.type = SS_OWNERS_LOOKED, .cluster = &db});
}

const struct ss_owners_command *find(enum ss_owners_command_type type)
{
    for (size_t i = 0; i < said.count; i++)
        if (said.items[i].type == type)
            return &said.items[i];
    return NULL;
}

const struct ss_owners_command *must(enum ss_owners_command_type type)
{
    const struct ss_owners_command *it = find(type);
    ck_assert_msg(it != NULL, "nothing of type %d was said", (int)type);
    return it;
}

size_t count_of(enum ss_owners_command_type type)
{
    return ss_shards_count(&must(type)->shards);
}

size_t active(void)
{
    struct ss_shards shards = ss_owners_active(owners);
    return ss_shards_count(&shards);
}

void set_up(void)
{
    now_ms = 1000;
    memset(&db, 0, sizeof(db));
    db.members = members;
    db.epoch = 7;
    give(0, SS_SHARDS, SS_NOBODY);
    member(0, "ada", LEASE_MS);
    owners = ss_owners_new(
        &(struct ss_owners_options){.name = "ada", .lease_ms = LEASE_MS});
}

void tear_down(void)
{
    ss_owners_destroy(&owners);
    ck_assert_ptr_null(owners);
}

// With a lease, and a look on its way.
void begin(void)
{
    tick(0);
    must(SS_OWNERS_RENEW);
    say(SS_OWNERS_RENEWED, SS_OK);
    must(SS_OWNERS_LOOK);
}

// Time passes, and leases are renewed, until it looks.
void pass(void)
{
    for (int i = 0; i < 100 && !find(SS_OWNERS_LOOK); i++) {
        if (find(SS_OWNERS_RENEW))
            say(SS_OWNERS_RENEWED, SS_OK);
        else
            tick(said.wake_at_ms - now_ms);
    }
    must(SS_OWNERS_LOOK);
    if (find(SS_OWNERS_RENEW))
        say(SS_OWNERS_RENEWED, SS_OK);
}

void look(void)
{
    pass();
    looked();
}

// It owns from..to.
void begin_with(uint16_t from, uint16_t to)
{
    give(from, to, 0);
    begin();
    looked();
}
