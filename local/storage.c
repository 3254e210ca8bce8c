// storage.c - the store, in the caller's thread: a job is done when it is
// submitted, and its answer is taken when the engine has time for it.
#include "local/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/store/store_actor.h"
#include "coordinator/core/store_codec.h"

// A command that never became a job: it is answered with why.
struct refusal {
    uint64_t tag;
    struct ss_error error;
};

struct ss_storage {
    struct ss_store *store; // the actor closes it
    struct ss_store_actor *actor;
    struct ss_store_codec *codec;
    SS_VEC(struct refusal) refusals;
    struct refusal refused; // the one that `event` tells of
    struct ss_job *job;     // that `event` was made of
    struct ss_event event;
};

static const char epoch_key[] = "epoch";

int ss_storage_open(
    const char *url, struct ss_storage **ret_storage, struct ss_error *error)
{
    struct ss_store *store;
    struct ss_store_actor *actor;
    int status = ss_store_open(url, &store, error);
    if (status != SS_OK)
        return status;
    status = ss_store_actor_start_inline(store, &actor, error);
    if (status != SS_OK) {
        ss_store_close(&store);
        return status;
    }
    struct ss_storage *storage = ss_zalloc(1, sizeof(*storage));
    storage->store = store;
    storage->actor = actor;
    storage->codec = ss_store_codec_new();
    storage->event.type = SS_EVENT_TICK;
    *ret_storage = storage;
    return SS_OK;
}

static void drop_answer(struct ss_storage *storage)
{
    ss_store_codec_event_fini(&storage->event);
    ss_job_destroy(&storage->job);
}

void ss_storage_close(struct ss_storage **storage)
{
    struct ss_storage *old = *storage;
    if (!old)
        return;
    *storage = NULL;
    drop_answer(old);
    ss_store_actor_stop(&old->actor);
    ss_store_codec_destroy(&old->codec);
    SS_VEC_FINI(&old->refusals);
    ss_free(old);
}

// ------------------------------------------------------------------ start

static int read_number(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    (void)key;
    (void)index;
    (void)expires_us;
    char *text = ss_memdup(value, size);
    *(uint64_t *)ctx = strtoull(text, NULL, 10);
    ss_free(text);
    return 0;
}

// One process for all threads: not beside coordinators that share them.
static int fence_take(
    struct ss_storage *storage, uint64_t *ret_epoch, struct ss_error *error)
{
    struct ss_cluster cluster = {0};
    size_t living = 0;
    int status = ss_store_cluster_read(storage->store, &cluster, error);
    for (size_t i = 0; i < cluster.members_count; i++)
        living += cluster.members[i].left_ms > 0;
    ss_cluster_fini(&cluster);
    if (status == SS_OK && living > 0)
        return ss_error_set(error, SS_EBUSY,
            "%s: %zu coordinators use it. Stop them first, or name another"
            " schema with ?schema=NAME",
            ss_store_name(storage->store), living);
    if (status == SS_OK)
        status =
            ss_store_fence_take(storage->store, "local", 0, ret_epoch, error);
    if (status == SS_OK)
        ss_store_actor_fence(storage->actor, *ret_epoch);
    return status;
}

int ss_storage_epoch(
    struct ss_storage *storage, uint64_t *ret_epoch, struct ss_error *error)
{
    uint64_t epoch = 0;
    if (ss_store_is_shared(storage->store))
        return fence_take(storage, ret_epoch, error);
    int status = ss_store_get(
        storage->store, SS_TABLE_META, epoch_key, read_number, &epoch, error);
    if (status != SS_OK && status != SS_ENOTFOUND)
        return status;
    char text[24];
    int size = snprintf(text, sizeof(text), "%" PRIu64, ++epoch);
    struct ss_store_put put = {.table = SS_TABLE_META,
        .key = epoch_key,
        .value = text,
        .value_size = (size_t)size};
    struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    status = ss_store_apply(storage->store, &batch, error);
    if (status == SS_OK && unit.result != SS_OK)
        status = ss_error_set(
            error, unit.result, "the store does not take a new epoch");
    if (status == SS_OK)
        *ret_epoch = epoch;
    return status;
}

static int collect(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    (void)key;
    (void)index;
    (void)expires_us;
    json_t *json;
    struct ss_error error;
    int status = ss_json_parse(value, size, &json, &error);
    if (status == SS_OK)
        json_array_append_new(ctx, json);
    return status;
}

static int each(struct ss_storage *storage, enum ss_store_table table,
    ss_storage_record_fn *found, void *ctx, struct ss_error *error)
{
    json_t *values = json_array();
    int status = ss_store_scan(
        storage->store, table, NULL, NULL, 0, collect, values, error);
    for (size_t i = 0; status == SS_OK && i < json_array_size(values); i++)
        found(ctx, json_array_get(values, i));
    json_decref(values);
    return status;
}

int ss_storage_each_graph(struct ss_storage *storage,
    ss_storage_record_fn *found, void *ctx, struct ss_error *error)
{
    return each(storage, SS_TABLE_GRAPHS, found, ctx, error);
}

int ss_storage_each_open(struct ss_storage *storage,
    ss_storage_record_fn *found, void *ctx, struct ss_error *error)
{
    return each(storage, SS_TABLE_OPEN, found, ctx, error);
}

int ss_storage_pauses(struct ss_storage *storage, ss_storage_record_fn *found,
    void *ctx, struct ss_error *error)
{
    json_t *list = json_array();
    int status = ss_store_scan(storage->store, SS_TABLE_PAUSES, NULL, NULL, 0,
        collect, list, error);
    if (status == SS_OK)
        found(ctx, list);
    json_decref(list);
    return status;
}

// ------------------------------------------------------------------ jobs

void ss_storage_submit(
    struct ss_storage *storage, const struct ss_command *command)
{
    struct ss_job *job;
    struct refusal refusal = {.tag = command->tag};
    int status =
        ss_store_codec_job(storage->codec, command, &job, &refusal.error);
    if (status == SS_OK)
        ss_store_actor_submit(storage->actor, job);
    else
        SS_VEC_PUSH(&storage->refusals, refusal);
}

// Only a STORE can fail to become a job.
static void refused_event(struct ss_storage *storage)
{
    storage->refused = storage->refusals.items[0];
    SS_VEC_REMOVE(&storage->refusals, 0);
    storage->event = (struct ss_event){.type = SS_EVENT_STORED};
    storage->event.stored.tag = storage->refused.tag;
    storage->event.stored.status = storage->refused.error.status;
    storage->event.stored.message = storage->refused.error.message;
}

bool ss_storage_next(struct ss_storage *storage, struct ss_event *ret_event)
{
    drop_answer(storage);
    storage->job = ss_store_actor_take(storage->actor);
    if (storage->job)
        ss_store_codec_event(storage->codec, storage->job, &storage->event);
    else if (storage->refusals.count > 0)
        refused_event(storage);
    else
        return false;
    *ret_event = storage->event;
    return true;
}
