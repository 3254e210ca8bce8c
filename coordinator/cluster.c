// cluster.c - a coordinator among others: the owners' commands carried out.
//
// Leases and looks go to a store connection of their own, so that they do not
// wait behind appends; hand-overs go to the one that appends, and so behind
// them. What is gained is read (graphs, unfinished runs) and fed to the engine.
#include <string.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "coordinator/owners/gains.h"
#include "coordinator/shell_impl.h"

// Tags of what this file reads through the engine's store; the engine's begin
// with 1.
#define TAG_GRAPHS (UINT64_MAX - 1)
#define TAG_OPEN   (UINT64_MAX - 2)
#define TAG_PAUSES (UINT64_MAX - 3) // before the runs of what is gained
#define TAG_SEEN   (UINT64_MAX - 4) // what is paused, with a look
#define TAG_LEAST  TAG_SEEN

struct ss_shell_cluster {
    struct ss_owners *owners;
    struct ss_store_actor *actor; // for leases
    struct ss_member self;
    int64_t lease_ms;
    int64_t wake_at_ms;
    struct ss_gains gains; // their runs are being read
    bool is_seeing; // what is paused, with a look
    bool is_leaving;
    size_t unhanded; // shards of one that leaves, not known to be let go
    bool has_left;
};

// ------------------------------------------------ open and close

// "tcp://0.0.0.0:7433" is not a place where others could go: then the host's is.
static char *place_of(const char *listen)
{
    static const char *const all[] = {"tcp://0.0.0.0:", "tcp://*:",
        "tcp://[::]:"};
    char host[256] = "";
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        size_t size = strlen(all[i]);
        if (strncmp(listen, all[i], size) == 0 &&
            gethostname(host, sizeof(host) - 1) == 0)
            return ss_format("tcp://%s:%s", host, listen + size);
    }
    return ss_strdup(listen);
}

int ss_cluster_names(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    shell->place = options->advertise
                       ? ss_strdup(options->advertise)
                       : place_of(ss_link_endpoint(shell->link));
    shell->name = ss_strdup(options->name ? options->name : shell->place);
    if (strlen(shell->name) > SS_MEMBER_NAME_MAX || !shell->name[0])
        return ss_error_set(error, SS_EINVAL,
            "--name: a coordinator's name has 1 to %d bytes",
            SS_MEMBER_NAME_MAX);
    if (strlen(shell->place) > SS_ENDPOINT_SIZE_MAX)
        return ss_error_set(error, SS_EINVAL,
            "--advertise: an endpoint has at most %d bytes",
            SS_ENDPOINT_SIZE_MAX);
    return SS_OK;
}

static struct ss_member self_of(const struct ss_coordinator *shell)
{
    struct ss_member self = {
        .epoch = shell->epoch, .row_format = SS_ROW_FORMAT};
    memcpy(self.name, shell->name, strlen(shell->name) + 1);
    memcpy(self.endpoint, shell->place, strlen(shell->place) + 1);
    return self;
}

int ss_cluster_open(struct ss_coordinator *shell,
    const struct ss_coordinator_options *options, struct ss_error *error)
{
    struct ss_store *store = NULL;
    struct ss_shell_cluster *cluster = ss_zalloc(1, sizeof(*cluster));
    shell->cluster = cluster;
    cluster->lease_ms = options->cluster_lease_ms > 0
                            ? options->cluster_lease_ms
                            : ss_coordinator_initial.cluster_lease_ms;
    cluster->wake_at_ms = 0; // at once
    cluster->self = self_of(shell);
    int status = ss_store_open(options->store, &store, error);
    if (status == SS_OK)
        status = ss_store_actor_start(store, &cluster->actor, error);
    if (status != SS_OK) {
        ss_store_close(&store);
        return status;
    }
    struct ss_owners_options owners = {
        .name = shell->name, .lease_ms = cluster->lease_ms};
    cluster->owners = ss_owners_new(&owners);
    return SS_OK;
}

void ss_cluster_close(struct ss_coordinator *shell)
{
    struct ss_shell_cluster *cluster = shell->cluster;
    if (!cluster)
        return;
    ss_store_actor_stop(&cluster->actor);
    ss_owners_destroy(&cluster->owners);
    ss_gains_fini(&cluster->gains);
    ss_free(cluster);
    shell->cluster = NULL;
}

// ------------------------------------------------ commands

static struct ss_job *job_of(struct ss_coordinator *shell,
    enum ss_job_type type, const struct ss_owners_command *command)
{
    struct ss_shell_cluster *cluster = shell->cluster;
    struct ss_job *job = ss_job_new(type, 0);
    job->member = cluster->self;
    job->member.drains = command->drains;
    job->lease_ms = cluster->lease_ms;
    job->shards = command->shards;
    job->key = command->name[0] ? ss_strdup(command->name) : NULL;
    return job;
}

static void submit(struct ss_coordinator *shell, enum ss_job_type type,
    const struct ss_owners_command *command)
{
    ss_store_actor_submit(
        shell->cluster->actor, job_of(shell, type, command));
}

static void submit_behind_appends(struct ss_coordinator *shell,
    enum ss_job_type type, const struct ss_owners_command *command)
{
    ss_store_actors_submit(shell->actors, job_of(shell, type, command));
}

static void read_all(struct ss_coordinator *shell, enum ss_store_table table,
    uint64_t tag)
{
    struct ss_job *job = ss_job_new(SS_JOB_SCAN, tag);
    job->table = table;
    ss_store_actors_submit(shell->actors, job);
}

static void gained(
    struct ss_coordinator *shell, const struct ss_owners_command *command)
{
    struct ss_event event = {.type = SS_EVENT_SHARDS_GAINED};
    event.shards.shards = &command->shards;
    event.shards.epoch = command->epoch;
    event.shards.unread = true;
    ss_shell_feed(shell, &event);
    ss_gains_add(
        &shell->cluster->gains, &command->shards, command->crashed);
    // Graphs that only another coordinator has heard of, and what no task is to
    // be sent of, first.
    read_all(shell, SS_TABLE_PAUSES, TAG_PAUSES);
    read_all(shell, SS_TABLE_GRAPHS, TAG_GRAPHS);
    read_all(shell, SS_TABLE_OPEN, TAG_OPEN);
    ss_log_say(SS_LOG_INFO, "%zu shards gained%s",
        ss_shards_count(&command->shards),
        command->crashed ? ", of a coordinator that ended without a word" : "");
}

static void tell_let_go(size_t count, const char *to)
{
    if (count > 0)
        ss_log_say(SS_LOG_INFO, "%zu shards let go%s%s", count,
            *to ? ", to " : "", to);
}

// The last word on shards is that of the database: only then they are told of.
static void let_go(struct ss_coordinator *shell, const struct ss_job *job)
{
    struct ss_shell_cluster *cluster = shell->cluster;
    size_t count = job->type == SS_JOB_HAND ? ss_shards_count(&job->shards)
                                            : cluster->unhanded;
    if (!cluster->is_leaving || job->status != SS_OK ||
        (job->type != SS_JOB_HAND && job->type != SS_JOB_END))
        return;
    count = count < cluster->unhanded ? count : cluster->unhanded;
    cluster->unhanded -= count;
    tell_let_go(count, job->type == SS_JOB_HAND && job->key ? job->key : "");
}

static void lost(
    struct ss_coordinator *shell, const struct ss_owners_command *command)
{
    const struct ss_cluster *seen = ss_owners_cluster(shell->cluster->owners);
    uint16_t to = command->name[0] ? ss_cluster_find(seen, command->name)
                                   : SS_NOBODY;
    struct ss_event event = {.type = SS_EVENT_SHARDS_LOST};
    event.shards.shards = &command->shards;
    event.shards.endpoint =
        to == SS_NOBODY ? NULL : seen->members[to].endpoint;
    ss_shell_feed(shell, &event);
    if (shell->cluster->is_leaving)
        shell->cluster->unhanded += ss_shards_count(&command->shards);
    else
        tell_let_go(ss_shards_count(&command->shards), command->name);
}

static void seen(struct ss_coordinator *shell)
{
    const struct ss_cluster *cluster =
        ss_owners_cluster(shell->cluster->owners);
    const char **endpoints =
        ss_zalloc(cluster->members_count + 1, sizeof(*endpoints));
    for (size_t i = 0; i < cluster->members_count; i++)
        endpoints[i] = cluster->members[i].endpoint;
    ss_shell_members(shell, endpoints, cluster->members_count, cluster->owners,
        ss_cluster_row_format(cluster));
    ss_free(endpoints);
}

static void displaced(struct ss_coordinator *shell)
{
    ss_error_set(&shell->failure, SS_EFENCED,
        "another coordinator has taken over from %s (or has the same name,"
        " or --advertise): nothing of it is written any more; start it again",
        shell->name);
}

static void perform(
    struct ss_coordinator *shell, const struct ss_owners_command *command)
{
    switch (command->type) {
    case SS_OWNERS_RENEW:
        submit(shell, SS_JOB_RENEW, command);
        break;
    case SS_OWNERS_LOOK:
        submit(shell, SS_JOB_LOOK, command);
        break;
    case SS_OWNERS_CLAIM:
        submit(shell, SS_JOB_CLAIM, command);
        break;
    case SS_OWNERS_TAKE:
        submit(shell, SS_JOB_TAKE, command);
        break;
    case SS_OWNERS_HAND:
        submit_behind_appends(shell, SS_JOB_HAND, command);
        break;
    case SS_OWNERS_END:
        submit_behind_appends(shell, SS_JOB_END, command);
        break;
    case SS_OWNERS_GAINED:
        gained(shell, command);
        break;
    case SS_OWNERS_LOST:
        lost(shell, command);
        break;
    case SS_OWNERS_SEEN:
        seen(shell);
        break;
    case SS_OWNERS_DISPLACED:
        displaced(shell);
        break;
    case SS_OWNERS_LEFT:
        shell->cluster->has_left = true;
        break;
    }
}

static void feed(struct ss_coordinator *shell, struct ss_owners_event event)
{
    struct ss_shell_cluster *cluster = shell->cluster;
    struct ss_owners_commands commands = {.wake_at_ms = INT64_MAX};
    event.now_ms = ss_clock_ms();
    ss_owners_step(cluster->owners, &event, &commands);
    cluster->wake_at_ms = commands.wake_at_ms;
    for (size_t i = 0; i < commands.count; i++)
        perform(shell, &commands.items[i]);
}

// ------------------------------------------------ answers

static bool answer_type(
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

// Others pause and unpause, too: asked of the store that appends go to, so that
// it is no older than what this one did. One at a time: it may be behind.
static void see_pauses(struct ss_coordinator *shell)
{
    if (shell->cluster->is_seeing)
        return;
    shell->cluster->is_seeing = true;
    read_all(shell, SS_TABLE_PAUSES, TAG_SEEN);
}

static bool answered(struct ss_coordinator *shell, const struct ss_job *job)
{
    struct ss_owners_event event = {
        .status = job->status, .cluster = &job->cluster};
    if (!answer_type(job->type, &event.type))
        return false;
    struct ss_shards busy = ss_engine_busy(shell->engine);
    event.busy = &busy;
    if (job->status != SS_OK && job->status != SS_EBUSY)
        ss_log_say(SS_LOG_WARNING, "%s", job->error.message);
    let_go(shell, job);
    feed(shell, event);
    if (job->type == SS_JOB_LOOK && job->status == SS_OK)
        see_pauses(shell);
    return true;
}

static void note_record(
    struct ss_coordinator *shell, const char *called, const char *key)
{
    char *why = ss_format("%s %s cannot be read", called, key);
    ss_damage_note(shell, why, why);
    ss_free(why);
}

static void pauses_read(struct ss_coordinator *shell, const struct ss_job *job)
{
    struct ss_event event = {.type = SS_EVENT_PAUSES};
    json_t **records = ss_zalloc(job->entries_count + 1, sizeof(*records));
    size_t count = 0;
    for (size_t i = 0; i < job->entries_count; i++) {
        const struct ss_job_entry *entry = &job->entries[i];
        if (ss_json_parse(entry->value, entry->value_size, &records[count],
                NULL) == SS_OK)
            count++;
        else
            note_record(shell, "the record of the pause", entry->key);
    }
    event.pauses.records = records;
    event.pauses.count = count;
    ss_shell_feed(shell, &event);
    while (count > 0)
        json_decref(records[--count]);
    ss_free(records);
}

static void graphs_read(struct ss_coordinator *shell, const struct ss_job *job)
{
    for (size_t i = 0; i < job->entries_count; i++) {
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        const struct ss_job_entry *entry = &job->entries[i];
        if (ss_json_parse(entry->value, entry->value_size,
                &event.graph.description, NULL) != SS_OK) {
            note_record(shell, "the description of graph", entry->key);
            continue;
        }
        event.graph.key = entry->key;
        ss_shell_feed(shell, &event);
        json_decref(event.graph.description);
    }
}

// A run, if it is of a shard that was gained.
static void run_read(struct ss_coordinator *shell,
    const struct ss_job_entry *entry, const struct ss_gain *gain)
{
    struct ss_event event = {.type = SS_EVENT_RUN_FOUND};
    if (!entry->index ||
        !ss_shards_have(&gain->shards, ss_shard_of(entry->index)))
        return;
    if (ss_json_parse(entry->value, entry->value_size, &event.run.record,
            NULL) != SS_OK) {
        note_record(shell, "the record of run", entry->key);
        return;
    }
    event.run.crashed = gain->crashed;
    ss_shell_feed(shell, &event);
    json_decref(event.run.record);
}

static void open_read(struct ss_coordinator *shell, const struct ss_job *job)
{
    struct ss_gains *gains = &shell->cluster->gains;
    for (size_t i = 0; i < job->entries_count; i++)
        run_read(shell, &job->entries[i], ss_gains_next(gains));
    struct ss_shards known = ss_gains_read(gains);
    struct ss_event event = {.type = SS_EVENT_SHARDS_READ};
    event.shards.shards = &known;
    ss_shell_feed(shell, &event);
}

// A look into the store that failed: what it would have found would never go
// on, so this coordinator does not, either.
static bool read_failed(
    struct ss_coordinator *shell, const struct ss_job *job)
{
    if (job->status == SS_OK)
        return false;
    ss_error_set(&shell->failure, job->status, "the store failed: %s",
        job->error.message);
    return true;
}

static void take_scan(struct ss_coordinator *shell, const struct ss_job *job)
{
    if (job->tag == TAG_SEEN) {
        shell->cluster->is_seeing = false;
        if (job->status == SS_OK) // else with the next look
            pauses_read(shell, job);
        return;
    }
    if (read_failed(shell, job))
        return;
    if (job->tag == TAG_GRAPHS)
        graphs_read(shell, job);
    else if (job->tag == TAG_PAUSES)
        pauses_read(shell, job);
    else
        open_read(shell, job);
}

bool ss_cluster_took(struct ss_coordinator *shell, const struct ss_job *job)
{
    if (!shell->cluster)
        return false;
    enum ss_owners_event_type of;
    if (job->status == SS_EFENCED && !answer_type(job->type, &of))
        feed(shell, (struct ss_owners_event){.type = SS_OWNERS_FENCED});
    if (job->type == SS_JOB_SCAN && job->tag >= TAG_LEAST) {
        take_scan(shell, job);
        return true;
    }
    return answered(shell, job);
}

// ------------------------------------------------ the loop's

int ss_cluster_fd(const struct ss_coordinator *shell)
{
    return shell->cluster ? ss_store_actor_fd(shell->cluster->actor) : -1;
}

int64_t ss_cluster_wake_at_ms(const struct ss_coordinator *shell)
{
    return shell->cluster ? shell->cluster->wake_at_ms : INT64_MAX;
}

void ss_cluster_look(struct ss_coordinator *shell)
{
    if (shell->cluster && ss_clock_ms() >= shell->cluster->wake_at_ms)
        feed(shell, (struct ss_owners_event){.type = SS_OWNERS_TICK});
}

void ss_cluster_turn(struct ss_coordinator *shell)
{
    struct ss_shell_cluster *cluster = shell->cluster;
    struct ss_job *job;
    if (!cluster)
        return;
    // The lease first: when it has run out while we slept, nothing else of
    // what has come in meanwhile is for us.
    ss_cluster_look(shell);
    while ((job = ss_store_actor_take(cluster->actor))) {
        (void)answered(shell, job);
        ss_job_destroy(&job);
    }
}

bool ss_cluster_is_settled(const struct ss_coordinator *shell)
{
    const struct ss_shell_cluster *cluster = shell->cluster;
    if (!cluster)
        return true;
    const struct ss_cluster *seen = ss_owners_cluster(cluster->owners);
    struct ss_shards free = ss_cluster_shards(seen, SS_NOBODY);
    return ss_cluster_find(seen, shell->name) != SS_NOBODY &&
           ss_shards_count(&free) == 0 && cluster->gains.all.count == 0;
}

bool ss_cluster_is_member(const struct ss_coordinator *shell)
{
    const struct ss_shell_cluster *cluster = shell->cluster;
    return !cluster || ss_cluster_find(ss_owners_cluster(cluster->owners),
                           shell->name) != SS_NOBODY;
}

void ss_cluster_drain(struct ss_coordinator *shell)
{
    if (shell->cluster)
        feed(shell, (struct ss_owners_event){.type = SS_OWNERS_DRAIN});
}

void ss_cluster_leave(struct ss_coordinator *shell)
{
    if (!shell->cluster)
        return;
    shell->cluster->is_leaving = true;
    feed(shell, (struct ss_owners_event){.type = SS_OWNERS_LEAVE});
}

bool ss_cluster_waits(
    const struct ss_coordinator *shell, struct ss_store_wait *ret_wait)
{
    return shell->cluster &&
           ss_store_actor_waits(shell->cluster->actor, ret_wait);
}

size_t ss_cluster_unhanded(const struct ss_coordinator *shell)
{
    return shell->cluster ? shell->cluster->unhanded : 0;
}

bool ss_cluster_finish_until(struct ss_coordinator *shell, int64_t until_ms)
{
    return !shell->cluster ||
           ss_store_actor_finish_until(shell->cluster->actor, until_ms);
}

bool ss_cluster_has_left(const struct ss_coordinator *shell)
{
    return !shell->cluster || shell->cluster->has_left;
}
