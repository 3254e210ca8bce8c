// postgres_heads.c - the heads of the threads that this store appended to.
//
// While an epoch stands nobody else appends to its owner's threads, so what was
// committed with it need not be asked for again: the fence, which each append
// looks at, says that it is still so.
#include <string.h>

// uthash's own function falls through its switch, which clang refuses.
#define HASH_FUNCTION(key, size, hash) \
    ((hash) = (unsigned)ss_hash64((key), (size)))
#include <uthash.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

struct ss_pg_head {
    char *thread;
    uint64_t seq;
    UT_hash_handle hh;
};

void ss_pg_heads_forget(struct ss_pg_store *store)
{
    struct ss_pg_head *head, *next;
    HASH_ITER(hh, store->heads, head, next)
    {
        HASH_DEL(store->heads, head);
        ss_free(head->thread);
        ss_free(head);
    }
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
    struct ss_pg_head *head = NULL;
    HASH_FIND_STR(store->heads, thread, head);
    return head && head->seq == seq;
}

void ss_pg_heads_set(
    struct ss_pg_store *store, const char *thread, uint64_t seq)
{
    struct ss_pg_head *head = NULL;
    if (store->heads_epoch == 0) {
        return;
    }
    HASH_FIND_STR(store->heads, thread, head);
    if (!head) {
        if (HASH_COUNT(store->heads) >= SS_STORE_HEADS_MAX) {
            ss_pg_heads_forget(store);
        }
        head = ss_zalloc(1, sizeof(*head));
        head->thread = ss_strdup(thread);
        HASH_ADD_KEYPTR(
            hh, store->heads, head->thread, strlen(head->thread), head);
    }
    head->seq = seq;
}
