// store_actors.c - which actor does what, and what waits for others.
//
// An actor finishes units in the order in which it got them (a read may be
// overtaken, a unit never). So "all units before this job" are counted: how
// many each actor had been sent, and how many it has finished.
#include "coordinator/store/store_actors.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

// A job that waits for units.
struct waiting {
    struct ss_job *job;
    uint64_t need[SS_STORE_ACTORS_MAX]; // units finished by each
};

struct ss_store_actors {
    size_t count;
    struct ss_store_actor *actors[SS_STORE_ACTORS_MAX];
    uint64_t sent[SS_STORE_ACTORS_MAX]; // units
    uint64_t finished[SS_STORE_ACTORS_MAX];
    SS_VEC(struct waiting) waiting; // each behind those before it
    size_t next;                    // to be asked for a finished job
    bool lays;                      // jobs wait for ss_store_actors_fds()
};

// --- start and stop ---------------------------------------------------------

int ss_store_actors_start(struct ss_store *const *stores, size_t count,
    struct ss_store_actors **ret_actors, struct ss_error *error)
{
    ss_check(count >= 1 && count <= SS_STORE_ACTORS_MAX);
    struct ss_store_actors *actors = ss_zalloc(1, sizeof(*actors));
    int status = SS_OK;
    for (size_t i = 0; i < count; i++) {
        struct ss_store *store = stores[i];
        if (status == SS_OK) {
            status = ss_store_actor_start(store, &actors->actors[i], error);
        }
        if (status == SS_OK) {
            actors->count++;
        } else {
            ss_store_close(&store);
        }
    }
    if (status != SS_OK) {
        ss_store_actors_stop(&actors);
        return status;
    }
    *ret_actors = actors;
    return SS_OK;
}

void ss_store_actors_fence(
    struct ss_store_actors *actors, size_t index, uint64_t epoch)
{
    ss_check(index < actors->count);
    ss_store_actor_fence(actors->actors[index], epoch);
}

// Free the parts of a job that nobody takes any more; the last part frees the
// whole.
static void drop_parts(struct ss_store_actor *actor)
{
    struct ss_job *job;
    while ((job = ss_store_actor_take(actor))) {
        if (job->whole && --job->whole->parts == 0) {
            ss_job_destroy(&job->whole);
        }
        ss_job_destroy(&job);
    }
}

bool ss_store_actors_finish_until(
    struct ss_store_actors *actors, int64_t until_ms)
{
    bool all = true;
    for (size_t i = 0; i < actors->count; i++) {
        all &= ss_store_actor_finish_until(actors->actors[i], until_ms);
    }
    return all;
}

bool ss_store_actors_wait(const struct ss_store_actors *actors,
    int64_t answered_ms, struct ss_store_wait *ret_wait)
{
    bool waits = false;
    for (size_t i = 0; i < actors->count; i++) {
        struct ss_store_wait one;
        if (ss_store_actor_waits(actors->actors[i], answered_ms, &one) &&
            (!waits || one.since_ms < ret_wait->since_ms)) {
            *ret_wait = one;
            waits = true;
        }
    }
    return waits;
}

bool ss_store_actors_pace(const struct ss_store_actors *actors,
    int64_t since_ms, int64_t ret_ms[SS_STORE_PACE])
{
    int64_t slowest_ms = -1;
    for (size_t i = 0; i < actors->count; i++) {
        int64_t ms[SS_STORE_PACE], sum_ms = 0;
        if (!ss_store_actor_pace(actors->actors[i], since_ms, ms)) {
            continue;
        }
        for (size_t k = 0; k < SS_STORE_PACE; k++) {
            sum_ms += ms[k];
        }
        if (sum_ms > slowest_ms) {
            slowest_ms = sum_ms;
            memcpy(ret_ms, ms, sizeof(ms));
        }
    }
    return slowest_ms >= 0;
}

void ss_store_actors_stop(struct ss_store_actors **actors)
{
    struct ss_store_actors *it = *actors;
    if (!it) {
        return;
    }
    *actors = NULL;
    for (size_t i = 0; i < it->count; i++) {
        ss_store_actor_finish(it->actors[i]);
        drop_parts(it->actors[i]);
        ss_store_actor_stop(&it->actors[i]);
    }
    for (size_t i = 0; i < it->waiting.count; i++) {
        ss_job_destroy(&it->waiting.items[i].job);
    }
    SS_VEC_FINI(&it->waiting);
    ss_free(it);
}

// --- parts ------------------------------------------------------------------

static void send(
    struct ss_store_actors *actors, size_t index, struct ss_job *job)
{
    actors->sent[index] += job->type == SS_JOB_APPLY;
    if (actors->lays) {
        ss_store_actor_lay(actors->actors[index], job);
    } else {
        ss_store_actor_submit(actors->actors[index], job);
    }
}

static void send_part(struct ss_store_actors *actors, size_t index,
    struct ss_job *whole, struct ss_job *part)
{
    part->whole = whole;
    whole->parts++;
    send(actors, index, part);
}

static void apply_everywhere(
    struct ss_store_actors *actors, struct ss_job *whole)
{
    for (size_t i = 0; i < actors->count; i++) {
        send_part(actors, i, whole, ss_job_apply(whole->tag, &whole->unit));
    }
}

static void hand_in_parts(struct ss_store_actors *actors, struct ss_job *whole)
{
    for (size_t i = 0; i < actors->count; i++) {
        struct ss_job *part = ss_job_new(SS_JOB_HAND, whole->tag);
        part->member = whole->member;
        part->key = ss_strdup(whole->key);
        for (uint16_t shard = 0; shard < SS_SHARDS; shard++) {
            if (shard % actors->count == i &&
                ss_shards_have(&whole->shards, shard)) {
                ss_shards_add(&part->shards, shard);
            }
        }
        send_part(actors, i, whole, part);
    }
}

// A lost fence is worse than any other status.
static bool is_worse(int status, int than)
{
    return status != SS_OK && than != SS_EFENCED &&
           (than == SS_OK || status == SS_EFENCED);
}

// Takes a part that is done. The whole, if it was the last one; else NULL.
static struct ss_job *join(struct ss_job *part)
{
    struct ss_job *whole = part->whole;
    int status = part->status != SS_OK ? part->status : part->unit.result;
    if (is_worse(status, whole->status)) {
        whole->status = whole->unit.result = status;
        whole->error = part->error;
    }
    ss_job_destroy(&part);
    ss_check(whole->parts > 0);
    return --whole->parts == 0 ? whole : NULL;
}

// --- who does what ----------------------------------------------------------

// The thread that a unit is of, or its records alone are of; NULL: of none.
static const char *thread_of(const struct ss_store_unit *unit)
{
    const struct ss_store_put *put =
        unit->puts_count > 0 ? &unit->puts[0] : NULL;
    if (unit->thread || !put) {
        return unit->thread;
    }
    if (put->table == SS_TABLE_THREADS) {
        return put->key;
    }
    return put->table == SS_TABLE_RUNS || put->table == SS_TABLE_OPEN
               ? put->index
               : NULL;
}

static void go_to_thread(
    struct ss_store_actors *actors, const char *thread, struct ss_job *job)
{
    send(actors, ss_shard_of(thread) % actors->count, job);
}

static void go(struct ss_store_actors *actors, struct ss_job *job)
{
    const char *thread = NULL;
    switch (job->type) {
    case SS_JOB_APPLY:
        thread = thread_of(&job->unit);
        if (thread) {
            go_to_thread(actors, thread, job);
        } else {
            apply_everywhere(actors, job);
        }
        break;
    case SS_JOB_READ:
        go_to_thread(actors, job->thread, job);
        break;
    case SS_JOB_HAND:
        hand_in_parts(actors, job);
        break;
    case SS_JOB_SCAN:
    case SS_JOB_GET:
    case SS_JOB_FIND:
    case SS_JOB_TELL:
    case SS_JOB_END:
    case SS_JOB_RENEW:
    case SS_JOB_LOOK:
    case SS_JOB_CLAIM:
    case SS_JOB_TAKE:
        send(actors, 0, job);
        break;
    }
}

// --- waiting ----------------------------------------------------------------

static bool waits(const struct ss_job *job)
{
    return job->type == SS_JOB_SCAN || job->type == SS_JOB_GET ||
           job->type == SS_JOB_FIND || job->type == SS_JOB_END;
}

static bool may_go(
    const struct ss_store_actors *actors, const struct waiting *waiting)
{
    for (size_t i = 0; i < actors->count; i++) {
        if (actors->finished[i] < waiting->need[i]) {
            return false;
        }
    }
    return true;
}

static void release(struct ss_store_actors *actors)
{
    while (actors->waiting.count > 0 &&
           may_go(actors, &actors->waiting.items[0])) {
        struct ss_job *job = actors->waiting.items[0].job;
        SS_VEC_REMOVE(&actors->waiting, 0);
        go(actors, job);
    }
}

// --- the caller's side ------------------------------------------------------

void ss_store_actors_lay(struct ss_store_actors *actors)
{
    actors->lays = true;
}

void ss_store_actors_submit(struct ss_store_actors *actors, struct ss_job *job)
{
    if (actors->count == 1) {
        send(actors, 0, job);
    } else if (waits(job)) {
        struct waiting waiting = {.job = job};
        memcpy(waiting.need, actors->sent, sizeof(waiting.need));
        SS_VEC_PUSH(&actors->waiting, waiting);
        release(actors);
    } else {
        go(actors, job);
    }
}

// Of any actor, each in its turn.
static struct ss_job *take_one(struct ss_store_actors *actors)
{
    for (size_t i = 0; i < actors->count; i++) {
        size_t index = (actors->next + i) % actors->count;
        struct ss_job *job = ss_store_actor_take(actors->actors[index]);
        if (job) {
            actors->next = (index + 1) % actors->count;
            actors->finished[index] += job->type == SS_JOB_APPLY;
            return job;
        }
    }
    return NULL;
}

struct ss_job *ss_store_actors_take(struct ss_store_actors *actors)
{
    struct ss_job *job = take_one(actors);
    while (job) {
        release(actors);
        if (job->whole) {
            job = join(job);
        }
        if (job) {
            return job;
        }
        job = take_one(actors);
    }
    return NULL;
}

size_t ss_store_actors_fds(
    struct ss_store_actors *actors, int ret_fds[SS_STORE_ACTORS_MAX])
{
    for (size_t i = 0; i < actors->count; i++) {
        ss_store_actor_go(actors->actors[i]);
        ret_fds[i] = ss_store_actor_fd(actors->actors[i]);
    }
    return actors->count;
}

struct ss_store_actor_stats ss_store_actors_stats(
    const struct ss_store_actors *actors)
{
    struct ss_store_actor_stats sum = {0};
    for (size_t i = 0; i < actors->count; i++) {
        struct ss_store_actor_stats one =
            ss_store_actor_stats(actors->actors[i]);
        sum.queued += one.queued;
        sum.commits += one.commits;
        sum.units += one.units;
        if (one.units_max > sum.units_max) {
            sum.units_max = one.units_max;
        }
    }
    return sum;
}
