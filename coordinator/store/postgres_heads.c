// postgres_heads.c - the heads of the threads that this store appended to.
//
// While an epoch is valid nobody else appends to its owner's threads, so heads
// that were committed with it need not be asked for again: each append checks
// the fence, which shows that the epoch is still valid.
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

void ss_pg_heads_forget(struct ss_pg_store *store)
{
    ss_map_fini(&store->heads, ss_free);
    store->heads = (struct ss_map){0};
}

void ss_pg_heads_use(struct ss_pg_store *store, uint64_t epoch)
{
    if (epoch == 0 || epoch != store->heads_epoch) {
        ss_pg_heads_forget(store);
        store->heads_epoch = epoch;
    }
}

bool ss_pg_heads_know(
    const struct ss_pg_store *store, const char *thread, uint64_t seq)
{
    const uint64_t *head = ss_map_get(&store->heads, thread);
    return head && *head == seq;
}

void ss_pg_heads_set(
    struct ss_pg_store *store, const char *thread, uint64_t seq)
{
    if (store->heads_epoch == 0) {
        return;
    }
    uint64_t *head = ss_map_get(&store->heads, thread);
    if (!head) {
        if (store->heads.count >= SS_STORE_HEADS_MAX) {
            ss_pg_heads_forget(store);
        }
        head = ss_zalloc(1, sizeof(*head));
        ss_map_put(&store->heads, thread, head);
    }
    *head = seq;
}
