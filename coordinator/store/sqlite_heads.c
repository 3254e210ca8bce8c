// sqlite_heads.c - the heads of threads that were written to lately: a unit of
// one of them need not ask the file where the thread ends.
//
// One process owns the file, so what it wrote last is what stands there, as
// long as nobody else changes the database (somebody with a shell): SQLite says
// whether one did since our last commit, when a transaction begins. Nothing is
// known then, nor behind a batch that failed. A head that does not fit a unit
// is asked for again (store_check.c refuses by what the file says).
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_sqlite.h"

_Static_assert((SS_STORE_HEADS & (SS_STORE_HEADS - 1)) == 0, "a mask finds it");

static struct ss_sqlite_head *place_of(
    struct ss_sqlite_store *store, const char *thread, uint64_t *ret_hash)
{
    *ret_hash = ss_hash64(thread, strlen(thread));
    return &store->heads.items[*ret_hash & (SS_STORE_HEADS - 1)];
}

static unsigned version_now(const struct ss_sqlite_store *store)
{
    unsigned version = 0;
    int code = sqlite3_file_control(
        store->db, "main", SQLITE_FCNTL_DATA_VERSION, &version);
    ss_check(code == SQLITE_OK);
    return version;
}

void ss_sqlite_heads_forget(struct ss_sqlite_store *store)
{
    ss_free(store->heads.items);
    store->heads.items = NULL;
}

void ss_sqlite_heads_begun(struct ss_sqlite_store *store)
{
    if (store->heads.items && store->heads.version != version_now(store)) {
        ss_sqlite_heads_forget(store);
    }
}

void ss_sqlite_heads_committed(struct ss_sqlite_store *store)
{
    store->heads.version = version_now(store);
}

bool ss_sqlite_head_fits(
    struct ss_sqlite_store *store, const char *thread, uint64_t first)
{
    uint64_t hash = 0;
    if (!store->heads.items) {
        return false;
    }
    const struct ss_sqlite_head *place = place_of(store, thread, &hash);
    return place->head > 0 && place->hash == hash && place->head + 1 == first;
}

void ss_sqlite_head_moved(
    struct ss_sqlite_store *store, const char *thread, uint64_t head)
{
    uint64_t hash = 0;
    if (!store->heads.items) {
        store->heads.items =
            ss_zalloc(SS_STORE_HEADS, sizeof(*store->heads.items));
    }
    struct ss_sqlite_head *place = place_of(store, thread, &hash);
    place->hash = hash;
    place->head = head;
}
