// found.c - what the store has for shards that were gained: the core asks for
// pauses and limits, then graphs, then unfinished runs, and feeds them to the
// engine in that order.
//
// A record that cannot be read is reported, and the rest go on. A coordinator
// that is alone with its store does not start with such a record: only an
// operator can mend it.
#include "coordinator/core/core_impl.h"

// The engine's tags begin with 1.
#define TAG_GRAPHS (UINT64_MAX - 1)
#define TAG_OPEN   (UINT64_MAX - 2)
#define TAG_PAUSES (UINT64_MAX - 3) // before the runs of what is gained
#define TAG_SEEN   (UINT64_MAX - 4) // what is paused, with a look
#define TAG_LIMITS (UINT64_MAX - 5) // of limits, before these runs, and
#define TAG_LOOKED (UINT64_MAX - 6) // with a look
#define TAG_LEAST  TAG_LOOKED

static void found_read(
    struct ss_core *core, enum ss_store_table table, uint64_t tag)
{
    struct ss_job *job = ss_job_new(SS_JOB_SCAN, tag);
    job->table = table;
    if (table == SS_TABLE_META)
        job->index = ss_strdup(SS_RECORD_LIMIT_INDEX);
    ss_core_out_submit(core, SS_CORE_APPENDS, job);
}

// First the graphs that only another coordinator has heard of, the pauses (no
// task of these may be sent) and where parts of limits are.
void ss_core_found_ask(struct ss_core *core)
{
    found_read(core, SS_TABLE_PAUSES, TAG_PAUSES);
    found_read(core, SS_TABLE_META, TAG_LIMITS);
    found_read(core, SS_TABLE_GRAPHS, TAG_GRAPHS);
    found_read(core, SS_TABLE_OPEN, TAG_OPEN);
}

// Other coordinators pause and unpause, and move parts of limits, too. The
// question goes by the lane that appends, so that the answer is not older than
// what this one did; one at a time, as an answer may be late.
void ss_core_found_look(struct ss_core *core)
{
    if (core->cluster.is_seeing)
        return;
    core->cluster.is_seeing = true;
    found_read(core, SS_TABLE_PAUSES, TAG_SEEN);
    found_read(core, SS_TABLE_META, TAG_LOOKED);
}

// ------------------------------------------------ answers

// NULL: the record cannot be read. `called`: what it is, with its key behind
// it.
static json_t *found_parse(
    struct ss_core *core, const struct ss_job_entry *entry, const char *called)
{
    json_t *json = NULL;
    if (ss_json_parse(entry->value, entry->value_size, &json, NULL) == SS_OK)
        return json;
    if (!core->options.is_shared) {
        ss_error_set(&core->failure, SS_ECORRUPT, "%s %s", called, entry->key);
        return NULL;
    }
    char *why = ss_format("%s %s cannot be read", called, entry->key);
    ss_core_damage_note(core, why, why);
    ss_free(why);
    return NULL;
}

// Records that the engine is told together, of pauses or of limits.
static void found_records(struct ss_core *core, const struct ss_job *job)
{
    bool is_limits = job->table == SS_TABLE_META;
    struct ss_event event = {
        .type = is_limits ? SS_EVENT_LIMITS : SS_EVENT_PAUSES};
    json_t **records = ss_zalloc(job->entries_count + 1, sizeof(*records));
    size_t count = 0;
    for (size_t i = 0; i < job->entries_count; i++) {
        records[count] = found_parse(core, &job->entries[i],
            is_limits ? "the record of the limit" : "the record of the pause");
        count += records[count] != NULL;
    }
    if (is_limits) {
        event.limits.records = records;
        event.limits.count = count;
    } else {
        event.pauses.records = records;
        event.pauses.count = count;
    }
    ss_core_feed(core, &event);
    while (count > 0)
        json_decref(records[--count]);
    ss_free(records);
}

static void found_graphs(struct ss_core *core, const struct ss_job *job)
{
    for (size_t i = 0; i < job->entries_count; i++) {
        const struct ss_job_entry *entry = &job->entries[i];
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        event.graph.description =
            found_parse(core, entry, "the description of graph");
        event.graph.key = entry->key;
        if (event.graph.description)
            ss_core_feed(core, &event);
        json_decref(event.graph.description);
    }
}

// Feed a run, if it is of a shard that was gained. False: it is not.
static bool found_run(struct ss_core *core, const struct ss_job_entry *entry,
    const struct ss_gain *gain)
{
    struct ss_event event = {.type = SS_EVENT_RUN_FOUND};
    if (core->options.is_shared &&
        (!entry->index ||
            !ss_shards_have(&gain->shards, ss_shard_of(entry->index))))
        return false;
    event.run.record = found_parse(core, entry, "the record of run");
    event.run.crashed = gain->crashed;
    if (event.run.record)
        ss_core_feed(core, &event);
    json_decref(event.run.record);
    return true;
}

// A coordinator that is alone looks at all records before the first run goes
// on: it does not start with a damaged one, and must not count that end as a
// crash of the other runs.
static bool found_are_whole(struct ss_core *core, const struct ss_job *job)
{
    for (size_t i = 0; i < job->entries_count && !core->options.is_shared; i++)
        json_decref(found_parse(core, &job->entries[i], "the record of run"));
    return core->failure.status == SS_OK;
}

static void found_runs(struct ss_core *core, const struct ss_job *job)
{
    if (!found_are_whole(core, job))
        return;
    struct ss_gains *gains = &core->cluster.gains;
    size_t count = 0;
    for (size_t i = 0; i < job->entries_count; i++)
        count += found_run(core, &job->entries[i], ss_gains_next(gains));
    struct ss_shards known = ss_gains_read(gains);
    struct ss_event event = {.type = SS_EVENT_SHARDS_READ};
    event.shards.shards = &known;
    event.shards.has_open = job->entries_count > 0;
    ss_core_feed(core, &event);
    if (!core->options.is_shared && count > 0)
        ss_core_say(core, SS_CORE_INFO, "%zu unfinished run%s on", count,
            count == 1 ? " goes" : "s go");
}

// A look into the store that failed ends this coordinator: runs that the look
// would have found would never go on.
static bool found_failed(struct ss_core *core, const struct ss_job *job)
{
    if (job->status == SS_OK)
        return false;
    ss_error_set(&core->failure, job->status, "%s%s",
        core->options.is_shared ? "the store failed: " : "",
        job->error.message);
    return true;
}

static void found_take(struct ss_core *core, const struct ss_job *job)
{
    if (job->tag == TAG_SEEN || job->tag == TAG_LOOKED) {
        core->cluster.is_seeing = job->tag == TAG_SEEN; // the other one comes
        if (job->status == SS_OK) // otherwise with the next look
            found_records(core, job);
        return;
    }
    if (found_failed(core, job))
        return;
    if (job->tag == TAG_GRAPHS)
        found_graphs(core, job);
    else if (job->tag == TAG_PAUSES || job->tag == TAG_LIMITS)
        found_records(core, job);
    else
        found_runs(core, job);
}

bool ss_core_found_took(struct ss_core *core, const struct ss_job *job)
{
    if (job->type != SS_JOB_SCAN || job->tag < TAG_LEAST)
        return false;
    found_take(core, job);
    return true;
}
