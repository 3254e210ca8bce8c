// store_impl.h - what a store implements, and what all of them share.
//
// An implementation embeds `struct ss_store` as its first member. The callers'
// side (store.c) has checked the shape of what arrives here.
#ifndef SS_STORE_STORE_IMPL_H
#define SS_STORE_STORE_IMPL_H

#include "common/model/finding.h"
#include "coordinator/store/store.h"

struct ss_entry_query {
    enum ss_store_table table;
    const char *index; // or NULL
    const char *after; // or NULL
    size_t limit;      // never 0; SIZE_MAX for all
};

// As store.h has them.
struct ss_store_cluster_ops {
    int (*renew)(struct ss_store *store, const struct ss_member *self,
        int64_t lease_ms, struct ss_error *error);
    int (*end)(struct ss_store *store, const struct ss_member *self,
        struct ss_error *error);
    int (*read)(struct ss_store *store, struct ss_cluster *ret_cluster,
        struct ss_error *error);
    int (*claim)(struct ss_store *store, const struct ss_member *self,
        const struct ss_shards *wanted, struct ss_shards *ret_got,
        struct ss_error *error);
    int (*take)(struct ss_store *store, const struct ss_member *self,
        const char *dead, struct ss_shards *ret_got, struct ss_error *error);
    int (*hand)(struct ss_store *store, const struct ss_member *self,
        const struct ss_shards *shards, const char *to, struct ss_error *error);
};

struct ss_store_ops {
    int (*apply)(struct ss_store *store, struct ss_store_batch *batch,
        struct ss_error *error);
    // NULL, both: an apply always waits.
    bool (*begin)(struct ss_store *store, const struct ss_store_batch *batch,
        int *ret_fd);
    enum ss_store_begun (*begun)(struct ss_store *store, bool waits);
    int (*read)(struct ss_store *store, const char *thread,
        const uint64_t range[2], ss_store_row_fn *row, void *ctx,
        struct ss_error *error);
    // `ret_known` is all false. NULL: it costs next to nothing to read a thread
    // that is not there.
    int (*known)(struct ss_store *store, const char *const *threads,
        size_t count, bool *ret_known, struct ss_error *error);
    int (*scan)(struct ss_store *store, const struct ss_entry_query *query,
        ss_store_entry_fn *entry, void *ctx, struct ss_error *error);
    int (*get)(struct ss_store *store, enum ss_store_table table,
        const char *key, ss_store_entry_fn *entry, void *ctx,
        struct ss_error *error);
    int (*search)(struct ss_store *store, const struct ss_store_search *search,
        ss_store_found_fn *found, void *ctx, struct ss_error *error);
    // NULL: each entry has its time.
    int (*tell)(struct ss_store *store, bool *ret_more, struct ss_error *error);
    // NULL: the store has no fences.
    int (*fence_take)(struct ss_store *store, const char *coordinator,
        int actor, uint64_t *ret_epoch, struct ss_error *error);
    int (*fence_break)(struct ss_store *store, const char *coordinator,
        struct ss_error *error);
    // NULL: one process owns it.
    const struct ss_store_cluster_ops *cluster;
    void (*close)(struct ss_store *store); // frees the store itself
};

struct ss_store {
    const struct ss_store_ops *ops;
    char *name; // owned; freed by ss_store_close()
    bool keeps_rows;
    ss_store_trouble_fn *trouble; // or NULL
    void *trouble_ctx;
};

// What a database calls the table.
const char *ss_store_table_name(enum ss_store_table table);

// Whether entries of the table have times.
bool ss_store_table_has_times(enum ss_store_table table);

// Tell the listener that a call failed, and is tried again.
void ss_store_trouble(const struct ss_store *store, const char *why);

// Openers of each kind; `rest` is the URL behind "kind:".
int ss_store_memory_open(const char *rest, struct ss_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
int ss_store_sqlite_open(const char *rest, struct ss_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
// Beside the one that has the file.
int ss_store_sqlite_open_reader(const char *rest, struct ss_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
// Only in a program that is built with libpq.
int ss_store_postgres_open(const char *rest, struct ss_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
int ss_store_postgres_open_patient(const char *rest,
    ss_store_trouble_fn *trouble, void *ctx, struct ss_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
// inspect.h, what stands behind "postgres:".
void ss_store_postgres_inspect(
    const char *rest, ss_finding_fn *found, void *ctx);

// Questions of a unit before it may change anything. A status is about the
// system, never about the content; an absent thing is a result.
struct ss_store_view {
    // The thread is known to end in front of row `first`. NULL, false: ask for
    // its head.
    bool (*follows)(void *ctx, const char *thread, uint64_t first);
    // 0: the thread has no rows.
    int (*head)(void *ctx, const char *thread, uint64_t *ret_head,
        struct ss_error *error);
    // *ret_same: that very row is stored at its place.
    int (*row_same)(void *ctx, const struct ss_store_row *row, bool *ret_same,
        struct ss_error *error);
    // ss_hash64 of the value that is stored under the key.
    int (*hash)(void *ctx, enum ss_store_table table, const char *key,
        bool *ret_there, uint64_t *ret_hash, struct ss_error *error);
    void *ctx;
};

// The one implementation of store.h's conditions. Sets unit->result to SS_OK or
// SS_EREFUSED; *ret_repeat: everything is stored already, there is nothing to
// do.
int ss_store_unit_check(const struct ss_store_view *view,
    struct ss_store_unit *unit, bool *ret_repeat,
    struct ss_error *error) SS_MUST_USE;
// True if the stored row is the one that is appended.
bool ss_store_row_same(
    const struct ss_store_row *stands, const struct ss_store_row *row);

#endif
