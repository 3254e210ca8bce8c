// store.c - the callers' side of every store: which kind, and is it well
// formed.
#include "coordinator/store/store.h"

#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/limits.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_impl.h"

const char *ss_store_table_name(enum ss_store_table table)
{
    static const char *const names[SS_TABLE_COUNT] = {
        [SS_TABLE_RUNS] = "runs",
        [SS_TABLE_THREADS] = "threads",
        [SS_TABLE_GRAPHS] = "graphs",
        [SS_TABLE_CACHE] = "cache",
        [SS_TABLE_META] = "meta",
        [SS_TABLE_OPEN] = "open_runs",
        [SS_TABLE_PAUSES] = "pauses",
    };
    return names[table];
}

bool ss_store_table_has_times(enum ss_store_table table)
{
    return table == SS_TABLE_RUNS || table == SS_TABLE_OPEN ||
           table == SS_TABLE_THREADS;
}

static int postgres_open(
    const char *rest, struct ss_store **ret_store, struct ss_error *error)
{
#ifdef SS_HAVE_POSTGRES
    return ss_store_postgres_open(rest, ret_store, error);
#else
    (void)rest;
    (void)ret_store;
    return ss_error_set(error, SS_EINVAL,
        "store: this program was built without PostgreSQL. Install libpq's"
        " headers (libpq-dev, 14 or later) and build it again");
#endif
}

typedef int open_fn(
    const char *rest, struct ss_store **ret_store, struct ss_error *error);

static const struct kind {
    const char *prefix;
    open_fn *open;
    open_fn *open_reader; // NULL: there is none
} kinds[] = {
    {"memory:", ss_store_memory_open, NULL},
    {"sqlite:", ss_store_sqlite_open, ss_store_sqlite_open_reader},
    {"postgres:", postgres_open, postgres_open},
    {"postgresql:", postgres_open, postgres_open},
};

// "postgres://..." names a kind; "data:1.db" could be a file, but then a
// misspelled kind would go unnoticed.
static bool names_kind(const char *url)
{
    size_t size = strspn(url, "abcdefghijklmnopqrstuvwxyz");
    return size > 0 && url[size] == ':';
}

// "memory" alone would be a file of that name, and whoever writes it wants
// none.
static int refuse_bare_kind(const char *url, struct ss_error *error)
{
    static const struct {
        const char *name, *meant;
    } bare[] = {{"memory", "memory:"}, {":memory:", "memory:"},
        {"sqlite", "sqlite:FILE"},
        {"postgres", "postgres://USER@HOST/DATABASE"},
        {"postgresql", "postgres://USER@HOST/DATABASE"}};
    for (size_t i = 0; i < sizeof(bare) / sizeof(bare[0]); i++) {
        if (strcmp(url, bare[i].name) == 0) {
            return ss_error_set(error, SS_EINVAL,
                "store: \"%s\" is not a file here but the name of a kind of"
                " store. Write %s; a file of that name is sqlite:%s",
                url, bare[i].meant, url);
        }
    }
    return SS_OK;
}

// "host=db dbname=superstep" is how libpq's programs are told of a database,
// and would be a file here. One that is there is used.
static int refuse_conninfo(const char *url, struct ss_error *error)
{
    static const char *const keys[] = {
        "host", "hostaddr", "port", "dbname", "user", "password", "service"};
    size_t size = strcspn(url, "= ");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (url[size] == '=' && strlen(keys[i]) == size &&
            strncmp(url, keys[i], size) == 0 && access(url, F_OK) != 0) {
            // The rest may hold a password.
            return ss_error_set(error, SS_EINVAL,
                "store: \"%s=...\" would be a file here. For PostgreSQL write"
                " postgres://USER@HOST/DATABASE, else sqlite:FILE",
                keys[i]);
        }
    }
    return SS_OK;
}

// "sqlite://data.db" is meant as other programs' URLs are, and would be a file
// of the root folder. One that is there is used.
static int refuse_slashes(const char *url, struct ss_error *error)
{
    static const char start[] = "sqlite://";
    const char *name = url + sizeof(start) - 1;
    if (strncmp(url, start, sizeof(start) - 1) != 0 || *name == '/' ||
        access(name - 2, F_OK) == 0) {
        return SS_OK;
    }
    return ss_error_set(error, SS_EINVAL,
        "store: %s would be the file /%s. For one in this folder write"
        " sqlite:%s, else sqlite:/%s",
        url, name, name, name);
}

// NULL: none of that name.
static const struct kind *kind_of(const char *url)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(url, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

int ss_store_open_reader(
    const char *url, struct ss_store **ret_store, struct ss_error *error)
{
    const struct kind *kind = kind_of(url);
    *ret_store = NULL;
    if (!kind) {
        return ss_store_sqlite_open_reader(url, ret_store, error);
    }
    return kind->open_reader
               ? kind->open_reader(url + strlen(kind->prefix), ret_store, error)
               : SS_OK;
}

int ss_store_open(
    const char *url, struct ss_store **ret_store, struct ss_error *error)
{
    const struct kind *kind = kind_of(url);
    int status = refuse_slashes(url, error);
    if (status != SS_OK) {
        return status;
    }
    if (kind) {
        return kind->open(url + strlen(kind->prefix), ret_store, error);
    }
    if (names_kind(url)) {
        // The rest of the URL may hold a password.
        return ss_error_set(error, SS_EINVAL,
            "store: no store is called"
            " \"%.*s\"; there are memory:, sqlite:FILE and postgres://",
            (int)(strcspn(url, ":") + 1), url);
    }
    status = refuse_bare_kind(url, error);
    if (status == SS_OK) {
        status = refuse_conninfo(url, error);
    }
    return status == SS_OK ? ss_store_sqlite_open(url, ret_store, error)
                           : status;
}

int ss_store_open_patient(const char *url, ss_store_trouble_fn *trouble,
    void *ctx, struct ss_store **ret_store, struct ss_error *error)
{
#ifdef SS_HAVE_POSTGRES
    if (ss_store_url_is_shared(url)) {
        return ss_store_postgres_open_patient(
            strchr(url, ':') + 1, trouble, ctx, ret_store, error);
    }
#endif
    (void)trouble;
    (void)ctx;
    return ss_store_open(url, ret_store, error); // none of them can be away
}

bool ss_store_url_is_shared(const char *url)
{
    return strncmp(url, "postgres:", 9) == 0 ||
           strncmp(url, "postgresql:", 11) == 0;
}

void ss_store_listen(
    struct ss_store *store, ss_store_trouble_fn *trouble, void *ctx)
{
    store->trouble = trouble;
    store->trouble_ctx = ctx;
}

void ss_store_trouble(const struct ss_store *store, const char *why)
{
    if (store->trouble) {
        store->trouble(store->trouble_ctx, why);
    }
}

void ss_store_close(struct ss_store **store)
{
    if (!*store) {
        return;
    }
    ss_free((*store)->name);
    (*store)->ops->close(*store);
    *store = NULL;
}

const char *ss_store_name(const struct ss_store *store)
{
    return store->name;
}

bool ss_store_keeps_rows(const struct ss_store *store)
{
    return store->keeps_rows;
}

static void row_shape(const struct ss_store_unit *unit, size_t index)
{
    const struct ss_store_row *row = &unit->rows[index];
    ss_check(row->thread && strcmp(row->thread, unit->thread) == 0);
    ss_check(row->seq == unit->rows[0].seq + index);
    ss_check(row->seq > 0 && row->seq <= INT64_MAX);
    ss_check(row->run && row->ns && row->source);
    ss_check(row->checkpoint_id && row->parent_id);
    ss_check(row->body || row->body_size == 0);
    ss_check(!row->kept || (row->kept->seq == row->seq && !row->body));
}

// Checks of what a caller can only get wrong by mistake.
static void unit_shape(const struct ss_store_unit *unit)
{
    ss_check(unit->thread || (unit->rows_count == 0 && !unit->delete_thread &&
                                 unit->delete_to == 0));
    ss_check(unit->rows_count == 0 || unit->delete_to < unit->rows[0].seq);
    for (size_t i = 0; i < unit->rows_count; i++) {
        row_shape(unit, i);
    }
    for (size_t i = 0; i < unit->puts_count; i++) {
        ss_check(unit->puts[i].key && unit->puts[i].key[0]);
        ss_check(unit->puts[i].table < SS_TABLE_COUNT);
    }
}

// Checks of what outside data can make too large.
static int unit_limits(
    const struct ss_store_unit *unit, size_t index, struct ss_error *error)
{
    if (unit->thread && strlen(unit->thread) > SS_THREAD_SIZE_MAX) {
        return ss_error_set(error, SS_ELIMIT,
            "store: unit %zu: a thread's"
            " name has at most %d bytes",
            index, SS_THREAD_SIZE_MAX);
    }
    for (size_t i = 0; i < unit->rows_count; i++) {
        if (unit->rows[i].body_size > SS_STORE_BODY_SIZE_MAX) {
            return ss_error_set(error, SS_ELIMIT,
                "store: thread %s: a row of"
                " %zu bytes; at most %zu",
                unit->thread, unit->rows[i].body_size, SS_STORE_BODY_SIZE_MAX);
        }
    }
    for (size_t i = 0; i < unit->puts_count; i++) {
        if (unit->puts[i].value_size > SS_STORE_BODY_SIZE_MAX) {
            return ss_error_set(error, SS_ELIMIT,
                "store: key %s: a value of"
                " %zu bytes; at most %zu",
                unit->puts[i].key, unit->puts[i].value_size,
                SS_STORE_BODY_SIZE_MAX);
        }
    }
    return SS_OK;
}

int ss_store_apply(struct ss_store *store, struct ss_store_batch *batch,
    struct ss_error *error)
{
    for (size_t i = 0; i < batch->units_count; i++) {
        unit_shape(&batch->units[i]);
        int status = unit_limits(&batch->units[i], i, error);
        if (status != SS_OK) {
            return status;
        }
    }
    return store->ops->apply(store, batch, error);
}

bool ss_store_begin(
    struct ss_store *store, const struct ss_store_batch *batch, int *ret_fd)
{
    ss_check(batch->units_count == 1);
    if (!store->ops->begin) {
        return false;
    }
    unit_shape(batch->units);
    return unit_limits(batch->units, 0, NULL) == SS_OK &&
           store->ops->begin(store, batch, ret_fd);
}

enum ss_store_begun ss_store_begun(struct ss_store *store, bool waits)
{
    return store->ops->begun(store, waits);
}

int ss_store_read(struct ss_store *store, const char *thread, uint64_t from,
    uint64_t to, ss_store_row_fn *row, void *ctx, struct ss_error *error)
{
    const uint64_t range[2] = {
        from > INT64_MAX ? INT64_MAX : from,
        to > INT64_MAX ? INT64_MAX : to,
    };
    return store->ops->read(store, thread, range, row, ctx, error);
}

int ss_store_known(struct ss_store *store, const char *const *threads,
    size_t count, bool *ret_known, struct ss_error *error)
{
    for (size_t i = 0; i < count; i++) {
        ret_known[i] = !store->ops->known;
    }
    return store->ops->known && count > 0
               ? store->ops->known(store, threads, count, ret_known, error)
               : SS_OK;
}

int ss_store_scan(struct ss_store *store, enum ss_store_table table,
    const char *index, const char *after, size_t limit,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error)
{
    ss_check(table < SS_TABLE_COUNT);
    const struct ss_entry_query query = {
        .table = table,
        .index = index,
        .after = after,
        .limit = limit > 0 ? limit : SIZE_MAX,
    };
    return store->ops->scan(store, &query, entry, ctx, error);
}

int ss_store_get(struct ss_store *store, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    ss_check(table < SS_TABLE_COUNT);
    return store->ops->get(store, table, key, entry, ctx, error);
}

int ss_store_search(struct ss_store *store,
    const struct ss_store_search *search, ss_store_found_fn *found, void *ctx,
    struct ss_error *error)
{
    ss_check(ss_store_table_has_times(search->table) && search->after);
    ss_check(!search->status || search->table == SS_TABLE_RUNS);
    return store->ops->search(store, search, found, ctx, error);
}

int ss_store_tell(
    struct ss_store *store, bool *ret_more, struct ss_error *error)
{
    *ret_more = false;
    return store->ops->tell ? store->ops->tell(store, ret_more, error) : SS_OK;
}

static int no_fences(const struct ss_store *store, struct ss_error *error)
{
    return ss_error_set(error, SS_EINVAL,
        "store: %s belongs to one process and has no fences", store->name);
}

int ss_store_fence_take(struct ss_store *store, const char *coordinator,
    int actor, uint64_t *ret_epoch, struct ss_error *error)
{
    if (!store->ops->fence_take) {
        return no_fences(store, error);
    }
    return store->ops->fence_take(store, coordinator, actor, ret_epoch, error);
}

int ss_store_fence_break(
    struct ss_store *store, const char *coordinator, struct ss_error *error)
{
    if (!store->ops->fence_break) {
        return no_fences(store, error);
    }
    return store->ops->fence_break(store, coordinator, error);
}

// --- members and shards -----------------------------------------------------

bool ss_store_is_shared(const struct ss_store *store)
{
    return store->ops->cluster != NULL;
}

static int not_shared(const struct ss_store *store, struct ss_error *error)
{
    return ss_error_set(error, SS_EINVAL,
        "store: %s belongs to one process and has no members", store->name);
}

int ss_store_lease_renew(struct ss_store *store, const struct ss_member *self,
    int64_t lease_ms, struct ss_error *error)
{
    const struct ss_store_cluster_ops *ops = store->ops->cluster;
    ss_check(self->name[0] && lease_ms > 0);
    return ops ? ops->renew(store, self, lease_ms, error)
               : not_shared(store, error);
}

int ss_store_lease_end(struct ss_store *store, const struct ss_member *self,
    struct ss_error *error)
{
    const struct ss_store_cluster_ops *ops = store->ops->cluster;
    return ops ? ops->end(store, self, error)
               : ss_store_alone_end(store, error);
}

int ss_store_cluster_read(struct ss_store *store,
    struct ss_cluster *ret_cluster, struct ss_error *error)
{
    const struct ss_store_cluster_ops *ops = store->ops->cluster;
    return ops ? ops->read(store, ret_cluster, error)
               : not_shared(store, error);
}

int ss_store_shards_claim(struct ss_store *store, const struct ss_member *self,
    const struct ss_shards *wanted, struct ss_shards *ret_got,
    struct ss_error *error)
{
    const struct ss_store_cluster_ops *ops = store->ops->cluster;
    return ops ? ops->claim(store, self, wanted, ret_got, error)
               : not_shared(store, error);
}

int ss_store_shards_take(struct ss_store *store, const struct ss_member *self,
    const char *dead, struct ss_shards *ret_got, struct ss_error *error)
{
    const struct ss_store_cluster_ops *ops = store->ops->cluster;
    ss_check(strcmp(self->name, dead) != 0);
    return ops ? ops->take(store, self, dead, ret_got, error)
               : not_shared(store, error);
}

int ss_store_shards_hand(struct ss_store *store, const struct ss_member *self,
    const struct ss_shards *shards, const char *to, struct ss_error *error)
{
    const struct ss_store_cluster_ops *ops = store->ops->cluster;
    return ops ? ops->hand(store, self, shards, to, error)
               : not_shared(store, error);
}
