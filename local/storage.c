// storage.c - the store, in the caller's thread: a job is done when it is
// submitted, and taken back when the core has time for it.
#include "local/storage.h"

#include "common/base/mem.h"
#include "coordinator/store/store_actor.h"

struct ss_storage {
    struct ss_store *store; // the actor closes it
    struct ss_store_actor *actor;
};

int ss_storage_open(
    const char *url, struct ss_storage **ret_storage, struct ss_error *error)
{
    struct ss_store *store;
    struct ss_store_actor *actor;
    int status = ss_store_open(url, &store, error);
    if (status != SS_OK)
        return status;
    ss_store_actor_start_inline(store, &actor);
    struct ss_storage *storage = ss_zalloc(1, sizeof(*storage));
    storage->store = store;
    storage->actor = actor;
    *ret_storage = storage;
    return SS_OK;
}

void ss_storage_close(struct ss_storage **storage)
{
    struct ss_storage *old = *storage;
    if (!old)
        return;
    *storage = NULL;
    ss_store_actor_stop(&old->actor);
    ss_free(old);
}

bool ss_storage_keeps_rows(const struct ss_storage *storage)
{
    return ss_store_keeps_rows(storage->store);
}

// ------------------------------------------------------------------ start

// This process takes all threads: not beside coordinators that share the
// database.
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
    if (ss_store_is_shared(storage->store))
        return fence_take(storage, ret_epoch, error);
    return ss_store_alone_epoch(storage->store, 0, ret_epoch, error);
}

// ------------------------------------------------------------------ jobs

bool ss_storage_knows(struct ss_storage *storage, const char *thread)
{
    struct ss_error error = {.status = SS_OK};
    bool known = true;
    int status = ss_store_known(storage->store, &thread, 1, &known, &error);
    return status != SS_OK || known;
}

int ss_storage_apply(struct ss_storage *storage, struct ss_store_unit *unit,
    struct ss_error *error)
{
    return ss_store_actor_apply(storage->actor, unit, error);
}

void ss_storage_submit(struct ss_storage *storage, struct ss_job *job)
{
    ss_store_actor_submit(storage->actor, job);
}

struct ss_job *ss_storage_take(struct ss_storage *storage)
{
    return ss_store_actor_take(storage->actor);
}
