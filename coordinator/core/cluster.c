// cluster.c - a coordinator among others, or alone: the owners' commands
// carried out.
//
// Leases and looks have a lane of their own, so that they do not wait behind
// appends; hand-overs take the lane of the appends, and so come behind them.
// Shards that are gained are read (found.c) and fed to the engine.
//
// A coordinator alone with its store is a cluster of one: the same owners ask a
// table in memory (table.c), hold a lease for ever, and gain all shards in the
// first turn. Its engine has them from the start and keeps them to the end, so
// that it hears of none; and a stop leaves a word in the store.

#include "coordinator/core/core_impl.h"

void ss_core_cluster_open(struct ss_core *core)
{
    const struct ss_core_options *options = &core->options;
    struct ss_core_cluster *cluster = &core->cluster;
    cluster->wake_at_ms = options->is_steered ? INT64_MAX : 0; // at once
    ss_core_table_init(
        &cluster->table, &options->self, options->is_after_crash);
    if (!options->is_steered)
        cluster->owners = ss_owners_new(
            &(struct ss_owners_options){.name = options->self.name,
                .lease_ms = options->is_shared ? options->cluster_lease_ms
                                               : SS_OWNERS_FOR_EVER,
                .expected = options->members});
}

void ss_core_cluster_fini(struct ss_core *core)
{
    ss_owners_destroy(&core->cluster.owners);
    ss_core_table_fini(&core->cluster.table);
    ss_gains_fini(&core->cluster.gains);
}

// ------------------------------------------------ commands

static void cluster_submit(struct ss_core *core, enum ss_core_lane lane,
    enum ss_job_type type, const struct ss_owners_command *command)
{
    struct ss_job *job = ss_job_new(type, 0);
    job->member = core->options.self;
    job->member.drains = command->drains;
    job->lease.ms = core->options.cluster_lease_ms;
    job->shards = command->shards;
    job->key = command->name[0] ? ss_strdup(command->name) : NULL;
    if (core->options.is_shared || type == SS_JOB_END)
        ss_core_out_submit(core, lane, job);
    else
        ss_core_table_submit(&core->cluster.table, job);
}

static void cluster_gained(
    struct ss_core *core, const struct ss_owners_command *command)
{
    struct ss_event event = {.type = SS_EVENT_SHARDS_GAINED};
    event.shards.shards = &command->shards;
    event.shards.epoch = command->epoch;
    event.shards.unread = true;
    ss_core_feed(core, &event);
    ss_core_say(core, SS_CORE_INFO, "%zu shards gained%s",
        ss_shards_count(&command->shards),
        command->crashed ? ", of a coordinator that ended without a word" : "");
}

static void cluster_tell_let_go(
    struct ss_core *core, size_t count, const char *to)
{
    if (count > 0)
        ss_core_say(core, SS_CORE_INFO, "%zu shards let go%s%s", count,
            *to ? ", to " : "", to);
}

// The database decides about shards last: only then workers and clients are
// told.
static void cluster_let_go(struct ss_core *core, const struct ss_job *job)
{
    struct ss_core_cluster *cluster = &core->cluster;
    size_t count = job->type == SS_JOB_HAND ? ss_shards_count(&job->shards)
                                            : cluster->unhanded;
    if (!cluster->is_leaving || job->status != SS_OK ||
        (job->type != SS_JOB_HAND && job->type != SS_JOB_END))
        return;
    count = count < cluster->unhanded ? count : cluster->unhanded;
    cluster->unhanded -= count;
    cluster_tell_let_go(
        core, count, job->type == SS_JOB_HAND && job->key ? job->key : "");
}

static void cluster_lost(
    struct ss_core *core, const struct ss_owners_command *command)
{
    const struct ss_cluster *seen = ss_owners_cluster(core->cluster.owners);
    uint16_t to =
        command->name[0] ? ss_cluster_find(seen, command->name) : SS_NOBODY;
    struct ss_event event = {.type = SS_EVENT_SHARDS_LOST};
    event.shards.shards = &command->shards;
    event.shards.endpoint = to == SS_NOBODY ? NULL : seen->members[to].endpoint;
    ss_core_feed(core, &event);
    if (core->cluster.is_leaving)
        core->cluster.unhanded += ss_shards_count(&command->shards);
    else
        cluster_tell_let_go(
            core, ss_shards_count(&command->shards), command->name);
}

// Once a change: who comes to a store that others use, or whose others go.
static void say_members(
    struct ss_core *core, const json_t *before, const json_t *now)
{
    struct ss_buf names;
    size_t count = json_array_size(now);
    if (json_equal(before, now) || (count < 2 && json_array_size(before) < 2))
        return;
    ss_buf_init(&names, SIZE_MAX);
    for (size_t i = 0; i < count; i++)
        ss_buf_addf(&names, "%s%s", i ? ", " : "",
            json_string_value(json_array_get(now, i)));
    ss_core_say(core, SS_CORE_INFO, "%zu coordinator%s this store: %.*s", count,
        count == 1 ? " uses" : "s use", (int)names.size, names.data);
    ss_buf_fini(&names);
}

// Tell the engine, workers and clients which coordinators there are.
static void cluster_members(struct ss_core *core, const struct ss_cluster *seen,
    const char *const *endpoints)
{
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    size_t count = seen->members_count;
    event.members.endpoints = endpoints;
    event.members.count = count;
    event.members.owners = seen->owners;
    event.members.row_format = ss_cluster_row_format(seen);
    json_t *before = core->members;
    core->members = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(core->members, json_string(endpoints[i]));
    say_members(core, before, core->members);
    json_decref(before);
    ss_core_feed(core, &event);
}

static void cluster_seen(struct ss_core *core)
{
    const struct ss_cluster *cluster = ss_owners_cluster(core->cluster.owners);
    const char **endpoints =
        ss_zalloc(cluster->members_count + 1, sizeof(*endpoints));
    for (size_t i = 0; i < cluster->members_count; i++)
        endpoints[i] = cluster->members[i].endpoint;
    cluster_members(core, cluster, endpoints);
    ss_free(endpoints);
}

// What there is to tell of shards and members.
static void cluster_tell(
    struct ss_core *core, const struct ss_owners_command *command)
{
    if (!core->options.is_shared)
        return; // its engine has all of them, from the start to the end
    if (command->type == SS_OWNERS_GAINED)
        cluster_gained(core, command);
    else if (command->type == SS_OWNERS_LOST)
        cluster_lost(core, command);
    else
        cluster_seen(core);
}

static void cluster_displaced(struct ss_core *core)
{
    ss_error_set(&core->failure, SS_EFENCED,
        "another coordinator has taken over from %s (or has the same name,"
        " or --advertise): nothing of it is written any more; start it again",
        core->options.self.name);
}

static void cluster_perform(
    struct ss_core *core, const struct ss_owners_command *command)
{
    switch (command->type) {
    case SS_OWNERS_RENEW:
        cluster_submit(core, SS_CORE_LEASES, SS_JOB_RENEW, command);
        break;
    case SS_OWNERS_LOOK:
        cluster_submit(core, SS_CORE_LEASES, SS_JOB_LOOK, command);
        break;
    case SS_OWNERS_CLAIM:
        cluster_submit(core, SS_CORE_LEASES, SS_JOB_CLAIM, command);
        break;
    case SS_OWNERS_TAKE:
        cluster_submit(core, SS_CORE_LEASES, SS_JOB_TAKE, command);
        break;
    case SS_OWNERS_HAND:
        cluster_submit(core, SS_CORE_APPENDS, SS_JOB_HAND, command);
        break;
    case SS_OWNERS_END:
        cluster_submit(core, SS_CORE_APPENDS, SS_JOB_END, command);
        break;
    case SS_OWNERS_GAINED:
        cluster_tell(core, command);
        ss_gains_add(&core->cluster.gains, &command->shards, command->crashed);
        ss_core_found_ask(core);
        break;
    case SS_OWNERS_LOST:
    case SS_OWNERS_SEEN:
        cluster_tell(core, command);
        break;
    case SS_OWNERS_DISPLACED:
        cluster_displaced(core);
        break;
    case SS_OWNERS_LEFT:
        core->cluster.has_left = true;
        break;
    }
}

static void cluster_feed(struct ss_core *core, struct ss_owners_event event)
{
    struct ss_core_cluster *cluster = &core->cluster;
    struct ss_owners_commands commands = {.wake_at_ms = INT64_MAX};
    event.now_ms = core->now_ms;
    ss_owners_step(cluster->owners, &event, &commands);
    cluster->wake_at_ms = commands.wake_at_ms;
    for (size_t i = 0; i < commands.count; i++)
        cluster_perform(core, &commands.items[i]);
}

// ------------------------------------------------ answers

static bool cluster_answer_type(
    enum ss_job_type type, enum ss_owners_event_type *ret_type)
{
    static const struct {
        enum ss_job_type job;
        enum ss_owners_event_type event;
    } answers[] = {
        {SS_JOB_RENEW, SS_OWNERS_RENEWED},
        {SS_JOB_LOOK, SS_OWNERS_LOOKED},
        {SS_JOB_CLAIM, SS_OWNERS_CLAIMED},
        {SS_JOB_TAKE, SS_OWNERS_TOOK},
        {SS_JOB_HAND, SS_OWNERS_HANDED},
        {SS_JOB_END, SS_OWNERS_ENDED},
    };
    for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
        if (answers[i].job == type) {
            *ret_type = answers[i].event;
            return true;
        }
    }
    return false;
}

static bool cluster_answered(struct ss_core *core, const struct ss_job *job)
{
    struct ss_owners_event event = {.status = job->status,
        .kept = job->lease.kept,
        .sent_ms = job->begun_us / 1000,
        .cluster = job->cluster};
    if (!cluster_answer_type(job->type, &event.type))
        return false;
    struct ss_shards busy = ss_engine_busy(core->engine);
    event.busy = &busy;
    if (job->status != SS_OK && job->status != SS_EBUSY)
        ss_core_say(core, SS_CORE_WARNING, "%s", job->error.message);
    cluster_let_go(core, job);
    cluster_feed(core, event);
    if (core->options.is_shared && job->type == SS_JOB_LOOK &&
        job->status == SS_OK)
        ss_core_found_look(core);
    return true;
}

// What a table in memory was asked is answered at once.
static void cluster_answer(struct ss_core *core)
{
    struct ss_job *job;
    while ((job = ss_core_table_take(&core->cluster.table))) {
        (void)cluster_answered(core, job);
        ss_job_destroy(&job);
    }
}

bool ss_core_cluster_took(struct ss_core *core, const struct ss_job *job)
{
    enum ss_owners_event_type of;
    if (core->cluster.owners && job->status == SS_EFENCED &&
        !cluster_answer_type(job->type, &of))
        cluster_feed(core, (struct ss_owners_event){.type = SS_OWNERS_FENCED});
    return ss_core_found_took(core, job) || cluster_answered(core, job);
}

// ------------------------------------------------ the turn's

static void cluster_happens(
    struct ss_core *core, enum ss_owners_event_type type)
{
    if (!core->cluster.owners)
        return;
    cluster_feed(core, (struct ss_owners_event){.type = type});
    cluster_answer(core);
}

void ss_core_cluster_look(struct ss_core *core)
{
    if (core->now_ms >= core->cluster.wake_at_ms)
        cluster_happens(core, SS_OWNERS_TICK);
}

void ss_core_cluster_drain(struct ss_core *core)
{
    cluster_happens(core, SS_OWNERS_DRAIN);
}

void ss_core_cluster_leave(struct ss_core *core)
{
    core->cluster.is_leaving = true;
    cluster_happens(core, SS_OWNERS_LEAVE);
}

// ------------------------------------------------ looks

bool ss_core_is_settled(const struct ss_core *core)
{
    const struct ss_core_cluster *cluster = &core->cluster;
    if (!cluster->owners)
        return false;
    const struct ss_cluster *seen = ss_owners_cluster(cluster->owners);
    struct ss_shards free = ss_cluster_shards(seen, SS_NOBODY);
    return ss_cluster_find(seen, core->options.self.name) != SS_NOBODY &&
           ss_shards_count(&free) == 0 && cluster->gains.all.count == 0;
}

// What the database named last is no lease: nobody names anything while it is
// away.
const char *ss_core_trouble(const struct ss_core *core)
{
    const struct ss_core_cluster *cluster = &core->cluster;
    if (!cluster->owners)
        return NULL;
    if (core->now_ms >= ss_owners_lease_end_ms(cluster->owners))
        return "it has no lease, and owns no thread";
    struct ss_shards known = ss_owners_active(cluster->owners);
    if (ss_shards_count(&known) == 0)
        return "it owns no thread yet";
    ss_gains_leave(&cluster->gains, &known);
    return ss_shards_count(&known) > 0 ? NULL
                                       : "it has not read its threads yet";
}

bool ss_core_has_left(const struct ss_core *core)
{
    return core->cluster.has_left;
}

size_t ss_core_unhanded(const struct ss_core *core)
{
    return core->cluster.unhanded;
}
