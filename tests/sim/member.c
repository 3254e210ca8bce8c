// member.c - a coordinator among others: the owners' commands carried out, as
// coordinator/cluster.c does it for real processes.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "tests/sim/world.h"

#define TAG_GRAPHS (UINT64_MAX - 1)
#define TAG_OPEN (UINT64_MAX - 2)
#define TAG_PAUSES (UINT64_MAX - 3) // before the runs of what is gained
#define TAG_SEEN (UINT64_MAX - 4)   // with a look
#define TAG_LEAST TAG_SEEN

// ------------------------------------------------------------------ commands

static void submit(struct coordinator *it, size_t link, enum ss_job_type type,
    const struct ss_owners_command *command)
{
    struct ss_job *job = ss_job_new(type, 0);
    job->member = it->self;
    job->member.drains = command->drains;
    job->lease_ms = it->process.world->climate.cluster_lease_ms;
    job->shards = command->shards;
    job->key = command->name[0] ? ss_strdup(command->name) : NULL;
    database_submit(&it->process, link, job);
}

static void read_all(
    struct coordinator *it, enum ss_store_table table, uint64_t tag)
{
    struct ss_job *job = ss_job_new(SS_JOB_SCAN, tag);
    job->table = table;
    database_submit(&it->process, LINK_APPENDS, job);
}

static void gained(
    struct coordinator *it, const struct ss_owners_command *command)
{
    struct ss_event event = {.type = SS_EVENT_SHARDS_GAINED};
    event.shards.shards = &command->shards;
    event.shards.epoch = command->epoch;
    event.shards.unread = true;
    coordinator_feed(it, &event);
    SS_VEC_PUSH(&it->gained, (struct gained){command->shards, command->crashed});
    if (it->process.world->climate.hold > 0)
        read_all(it, SS_TABLE_PAUSES, TAG_PAUSES);
    read_all(it, SS_TABLE_GRAPHS, TAG_GRAPHS);
    read_all(it, SS_TABLE_OPEN, TAG_OPEN);
}

static void lost(
    struct coordinator *it, const struct ss_owners_command *command)
{
    const struct ss_cluster *seen = ss_owners_cluster(it->owners);
    uint16_t to = command->name[0] ? ss_cluster_find(seen, command->name)
                                   : SS_NOBODY;
    struct ss_event event = {.type = SS_EVENT_SHARDS_LOST};
    event.shards.shards = &command->shards;
    event.shards.endpoint = to == SS_NOBODY ? NULL : seen->members[to].endpoint;
    coordinator_feed(it, &event);
}

static void seen(struct coordinator *it)
{
    const struct ss_cluster *cluster = ss_owners_cluster(it->owners);
    const char *endpoints[COORDINATORS_MAX] = {0};
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    json_decref(it->members);
    it->members = json_array();
    for (size_t i = 0; i < cluster->members_count; i++) {
        endpoints[i] = cluster->members[i].endpoint;
        json_array_append_new(it->members, json_string(endpoints[i]));
    }
    event.members.endpoints = endpoints;
    event.members.count = cluster->members_count;
    event.members.owners = cluster->owners;
    coordinator_feed(it, &event);
}

static void carry_out(
    struct coordinator *it, const struct ss_owners_command *command)
{
    static const enum ss_job_type jobs[] = {
        [SS_OWNERS_RENEW] = SS_JOB_RENEW,
        [SS_OWNERS_LOOK] = SS_JOB_LOOK,
        [SS_OWNERS_CLAIM] = SS_JOB_CLAIM,
        [SS_OWNERS_TAKE] = SS_JOB_TAKE,
        [SS_OWNERS_HAND] = SS_JOB_HAND,
        [SS_OWNERS_END] = SS_JOB_END,
    };
    switch (command->type) {
    case SS_OWNERS_RENEW:
    case SS_OWNERS_LOOK:
    case SS_OWNERS_CLAIM:
    case SS_OWNERS_TAKE:
        submit(it, LINK_LEASES, jobs[command->type], command);
        break;
    case SS_OWNERS_HAND:
    case SS_OWNERS_END:
        submit(it, LINK_APPENDS, jobs[command->type], command);
        break;
    case SS_OWNERS_GAINED:
        gained(it, command);
        break;
    case SS_OWNERS_LOST:
        lost(it, command);
        break;
    case SS_OWNERS_SEEN:
        seen(it);
        break;
    case SS_OWNERS_DISPLACED:
        snprintf(it->failure, sizeof(it->failure), "another one took over");
        break;
    case SS_OWNERS_LEFT:
        it->has_left = true;
        break;
    }
}

static void feed(struct coordinator *it, struct ss_owners_event event)
{
    struct ss_owners_commands commands;
    event.now_ms = process_now(&it->process);
    mark_number(it->process.world, 2000 + event.type);
    ss_owners_step(it->owners, &event, &commands);
    it->owners_wake_ms = commands.wake_at_ms;
    for (size_t i = 0; i < commands.count; i++)
        carry_out(it, &commands.items[i]);
}

// ------------------------------------------------------------------ answers

static const struct {
    enum ss_job_type job;
    enum ss_owners_event_type event;
} answers[] = {{SS_JOB_RENEW, SS_OWNERS_RENEWED},
    {SS_JOB_LOOK, SS_OWNERS_LOOKED}, {SS_JOB_CLAIM, SS_OWNERS_CLAIMED},
    {SS_JOB_TAKE, SS_OWNERS_TOOK}, {SS_JOB_HAND, SS_OWNERS_HANDED},
    {SS_JOB_END, SS_OWNERS_ENDED}};

static bool is_answer(enum ss_job_type type)
{
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++)
        if (answers[i].job == type)
            return true;
    return false;
}

// Others hold graphs back, too, and let them go on. One look at a time.
static void see_pauses(struct coordinator *it)
{
    if (it->is_seeing || it->process.world->climate.hold == 0)
        return;
    it->is_seeing = true;
    read_all(it, SS_TABLE_PAUSES, TAG_SEEN);
}

static bool answered(struct coordinator *it, const struct ss_job *job)
{
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        if (answers[i].job != job->type)
            continue;
        struct ss_shards busy = ss_engine_busy(it->engine);
        feed(it, (struct ss_owners_event){.type = answers[i].event,
                     .status = job->status,
                     .cluster = &job->cluster,
                     .busy = &busy});
        if (job->type == SS_JOB_LOOK && job->status == SS_OK)
            see_pauses(it);
        return true;
    }
    return false;
}

static json_t *entry_json(
    struct coordinator *it, const struct ss_job_entry *entry)
{
    json_t *json = NULL;
    if (ss_json_parse(entry->value, entry->value_size, &json, NULL) != SS_OK)
        violated(it->process.world, "record %s is damaged", entry->key);
    return json;
}

// `gain`: it is a run, else a graph.
static void read_entry(struct coordinator *it, const struct ss_job_entry *entry,
    const struct gained *gain)
{
    struct ss_event event = {
        .type = gain ? SS_EVENT_RUN_FOUND : SS_EVENT_GRAPH_KNOWN};
    if (gain && !ss_shards_have(&gain->shards, ss_shard_of(entry->index)))
        return;
    json_t *json = entry_json(it, entry);
    if (gain) {
        event.run.record = json;
        event.run.crashed = gain->crashed;
    } else {
        event.graph.description = json;
    }
    coordinator_feed(it, &event);
    json_decref(json);
}

static void found(struct coordinator *it, const struct ss_job *job)
{
    struct gained gain = it->gained.items[0];
    bool is_runs = job->tag == TAG_OPEN;
    if (is_runs)
        SS_VEC_REMOVE(&it->gained, 0);
    for (size_t i = 0; i < job->entries_count; i++)
        read_entry(it, &job->entries[i], is_runs ? &gain : NULL);
    for (size_t i = 0; i < it->gained.count; i++)
        ss_shards_leave(&gain.shards, &it->gained.items[i].shards);
    struct ss_event event = {.type = SS_EVENT_SHARDS_READ};
    event.shards.shards = &gain.shards;
    if (is_runs)
        coordinator_feed(it, &event);
}

static void pauses_found(struct coordinator *it, const struct ss_job *job)
{
    json_t *list = json_array();
    for (size_t i = 0; i < job->entries_count; i++)
        json_array_append_new(list, entry_json(it, &job->entries[i]));
    coordinator_pauses(it, list);
    json_decref(list);
}

static void take_scan(struct coordinator *it, const struct ss_job *job)
{
    if (job->tag == TAG_SEEN)
        it->is_seeing = false;
    if (job->status != SS_OK && job->tag != TAG_SEEN)
        snprintf(it->failure, sizeof(it->failure), "its store failed");
    else if (job->status == SS_OK && job->tag <= TAG_PAUSES)
        pauses_found(it, job);
    else if (job->status == SS_OK)
        found(it, job);
}

bool member_took(struct coordinator *it, const struct ss_job *job)
{
    if (!it->owners)
        return false;
    if (job->status == SS_EFENCED && !is_answer(job->type))
        feed(it, (struct ss_owners_event){.type = SS_OWNERS_FENCED});
    if (job->type == SS_JOB_SCAN && job->tag >= TAG_LEAST) {
        take_scan(it, job);
        return true;
    }
    return answered(it, job);
}

void member_turn(struct coordinator *it)
{
    if (it->owners && process_now(&it->process) >= it->owners_wake_ms)
        feed(it, (struct ss_owners_event){.type = SS_OWNERS_TICK});
}

void member_drain(struct coordinator *it)
{
    if (it->owners)
        feed(it, (struct ss_owners_event){.type = SS_OWNERS_DRAIN});
}

void member_leave(struct coordinator *it)
{
    feed(it, (struct ss_owners_event){.type = SS_OWNERS_LEAVE});
}

// ------------------------------------------------------------------ life

void member_start(struct coordinator *it)
{
    const char *name = it->process.name;
    it->self = (struct ss_member){.epoch = it->epoch};
    memcpy(it->self.name, name, strlen(name) + 1);
    memcpy(it->self.endpoint, name, strlen(name) + 1);
    it->is_seeing = false;
    it->owners = ss_owners_new(&(struct ss_owners_options){.name = name,
        .lease_ms = it->process.world->climate.cluster_lease_ms});
    feed(it, (struct ss_owners_event){.type = SS_OWNERS_TICK});
}

void member_stop(struct coordinator *it)
{
    ss_owners_destroy(&it->owners);
    SS_VEC_FINI(&it->gained);
}
