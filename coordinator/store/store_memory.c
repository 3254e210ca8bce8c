// store_memory.c - a store that ends with the process.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/json_late.h"
#include "coordinator/job/row_copy.h"
#include "coordinator/store/store_impl.h"

// A row that is kept as it is, or the columns of one.
struct stored_row {
    struct ss_row *kept;
    struct ss_store_row *row; // NULL: it is kept
    void *memory;
};

// Rows of a thread: without gaps, the first one has the smallest number.
struct thread {
    SS_VEC(struct stored_row) rows;
};

// In one block with its texts, but for a value that is made late.
struct entry {
    const char *key;
    const char *index;
    const void *value;
    struct ss_json_late *late; // becomes `made` when it is read
    char *made;
    size_t value_size;
    int64_t expires_us;
    int64_t at_us;
    const char *status;
};

struct table {
    SS_VEC(struct entry *) entries; // by ascending key
    // The same, if they have times: the newest last, so that one more of a
    // great many costs nothing.
    SS_VEC(struct entry *) by_time;
};

struct memory_store {
    struct ss_store base;
    struct ss_map threads; // thread -> struct thread *
    struct table tables[SS_TABLE_COUNT];
};

// --- rows -------------------------------------------------------------------

static uint64_t seq_of(const struct stored_row *stored)
{
    return stored->kept ? stored->kept->seq : stored->row->seq;
}

static struct stored_row stored_of(const struct ss_store_row *row)
{
    struct stored_row stored = {0};
    if (row->kept) {
        stored.kept = ss_row_ref(row->kept);
        return stored;
    }
    stored.row = ss_alloc(sizeof(*stored.row));
    *stored.row = ss_store_row_copy(row, &stored.memory);
    return stored;
}

// As the store was given it. The texts are borrowed.
static struct ss_store_row row_of(
    const struct stored_row *stored, const char *thread)
{
    if (!stored->kept) {
        return *stored->row;
    }
    return (struct ss_store_row){.thread = thread,
        .seq = stored->kept->seq,
        .kind = (int32_t)stored->kept->kind,
        .run = "",
        .ns = "",
        .checkpoint_id = "",
        .parent_id = "",
        .source = "",
        .kept = stored->kept};
}

static void stored_fini(struct stored_row *stored)
{
    if (stored->row) {
        ss_store_row_fini(stored->row, stored->memory);
    }
    ss_free(stored->row);
    ss_row_destroy(&stored->kept);
}

static uint64_t thread_head(const struct thread *thread)
{
    if (!thread || thread->rows.count == 0) {
        return 0;
    }
    return seq_of(&thread->rows.items[thread->rows.count - 1]);
}

// Position of the first row with a number of `seq` or greater.
static size_t row_position(const struct thread *thread, uint64_t seq)
{
    if (!thread || thread->rows.count == 0) {
        return 0;
    }
    uint64_t first = seq_of(&thread->rows.items[0]);
    if (seq <= first) {
        return 0;
    }
    return seq - first < thread->rows.count ? (size_t)(seq - first)
                                            : thread->rows.count;
}

static void thread_cut(struct thread *thread, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        stored_fini(&thread->rows.items[i]);
    }
    thread->rows.count -= count;
    if (count > 0 && thread->rows.count > 0) {
        memmove(thread->rows.items, thread->rows.items + count,
            thread->rows.count * sizeof(*thread->rows.items));
    }
}

static void thread_free(void *value)
{
    struct thread *thread = value;
    thread_cut(thread, thread->rows.count);
    SS_VEC_FINI(&thread->rows);
    ss_free(thread);
}

// `thread`: the unit's; NULL: it has no rows yet.
static void rows_apply(struct memory_store *store, struct thread *thread,
    const struct ss_store_unit *unit)
{
    if (thread && unit->delete_thread) {
        thread_free(ss_map_remove(&store->threads, unit->thread));
        thread = NULL;
    } else if (thread && unit->delete_to > 0) {
        thread_cut(thread, row_position(thread, unit->delete_to + 1));
    }
    if (!thread && unit->rows_count > 0) {
        thread = ss_zalloc(1, sizeof(*thread));
        ss_map_put(&store->threads, unit->thread, thread);
    }
    for (size_t i = 0; i < unit->rows_count; i++) {
        SS_VEC_PUSH(&thread->rows, stored_of(&unit->rows[i]));
    }
}

// --- entries ----------------------------------------------------------------

// Position of the first entry with a key of `key` or greater.
static size_t entry_position(const struct table *table, const char *key)
{
    size_t low = 0;
    size_t high = table->entries.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(table->entries.items[middle]->key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct entry *entry_at(
    const struct table *table, size_t at, const char *key)
{
    if (at < table->entries.count &&
        strcmp(table->entries.items[at]->key, key) == 0) {
        return table->entries.items[at];
    }
    return NULL;
}

// How many entries are not before that place, from the newest on: these come
// first in the list, and the last of them is the one that is found there.
static size_t time_count(
    const struct table *table, int64_t at_us, const char *key)
{
    size_t low = 0;
    size_t high = table->by_time.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct entry *entry = table->by_time.items[middle];
        if (ss_find_order(entry->at_us, entry->key, at_us, key) < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void time_insert(struct table *table, struct entry *entry)
{
    size_t at = time_count(table, entry->at_us, entry->key);
    SS_VEC_PUSH(&table->by_time, entry);
    struct entry **place = table->by_time.items + at;
    memmove(place + 1, place, (table->by_time.count - 1 - at) * sizeof(*place));
    *place = entry;
}

static void time_remove(struct table *table, const struct entry *entry)
{
    size_t at = time_count(table, entry->at_us, entry->key);
    ss_check(at > 0 && table->by_time.items[at - 1] == entry);
    SS_VEC_REMOVE(&table->by_time, at - 1);
}

// `size` bytes, or NULL, at *to, which moves on.
static const char *lay(char **to, const void *bytes, size_t size)
{
    char *at = *to;
    if (!bytes) {
        return NULL;
    }
    memcpy(at, bytes, size);
    *to += size;
    return at;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static struct entry *entry_new(const struct ss_store_put *put)
{
    size_t key = text_size(put->key), index = text_size(put->index);
    size_t status = text_size(put->status);
    struct entry *entry =
        ss_alloc(sizeof(*entry) + key + index + status + put->value_size);
    char *to = (char *)(entry + 1);
    *entry = (struct entry){.key = lay(&to, put->key, key),
        .index = lay(&to, put->index, index),
        .status = lay(&to, put->status, status),
        .value = lay(&to, put->value, put->value_size),
        .value_size = put->value_size,
        .late = ss_json_late_ref(put->late),
        .expires_us = put->expires_us,
        .at_us = put->at_us};
    return entry;
}

static void entry_free(struct entry *entry)
{
    if (!entry) {
        return;
    }
    ss_json_late_unref(entry->late);
    ss_free(entry->made);
    ss_free(entry);
}

// Its value is there to be read.
static void entry_open(struct entry *entry)
{
    if (!entry->late) {
        return;
    }
    entry->value = entry->made = ss_json_late_text(entry->late);
    entry->value_size = strlen(entry->made);
    ss_json_late_unref(entry->late);
    entry->late = NULL;
}

static void entry_insert(struct table *table, size_t at, struct entry *entry)
{
    SS_VEC_PUSH(&table->entries, entry);
    struct entry **place = table->entries.items + at;
    memmove(place + 1, place, (table->entries.count - 1 - at) * sizeof(*place));
    *place = entry;
}

static void put_apply(
    struct memory_store *store, const struct ss_store_put *put)
{
    struct table *table = &store->tables[put->table];
    size_t at = entry_position(table, put->key);
    struct entry *entry = entry_at(table, at, put->key);
    bool has_times = ss_store_table_has_times(put->table);
    if (!put->value && !put->late) {
        bool is_meant =
            entry && (!put->index || (entry->index && strcmp(entry->index,
                                                          put->index) == 0));
        if (is_meant && has_times) {
            time_remove(table, entry);
        }
        if (is_meant) {
            entry_free(entry);
            SS_VEC_REMOVE(&table->entries, at);
        }
        return;
    }
    if (entry && has_times) {
        time_remove(table, entry);
    }
    struct entry *newer = entry_new(put);
    if (entry) {
        table->entries.items[at] = newer;
    } else {
        entry_insert(table, at, newer);
    }
    if (has_times) {
        time_insert(table, newer);
    }
    entry_free(entry);
}

// --- what a unit asks -------------------------------------------------------

struct unit_view {
    struct memory_store *store;
    const struct thread *thread; // the unit's; NULL: it has no rows yet
};

static int view_head(
    void *ctx, const char *name, uint64_t *ret_head, struct ss_error *error)
{
    (void)name;
    (void)error;
    const struct unit_view *unit = ctx;
    *ret_head = thread_head(unit->thread);
    return SS_OK;
}

static int view_row_same(void *ctx, const struct ss_store_row *row,
    bool *ret_same, struct ss_error *error)
{
    (void)error;
    const struct unit_view *unit = ctx;
    const struct thread *thread = unit->thread;
    size_t at = row_position(thread, row->seq);
    *ret_same = false;
    if (thread && at < thread->rows.count) {
        struct ss_store_row there =
            row_of(&thread->rows.items[at], row->thread);
        *ret_same = ss_store_row_same(&there, row);
    }
    return SS_OK;
}

static int view_hash(void *ctx, enum ss_store_table which, const char *key,
    bool *ret_there, uint64_t *ret_hash, struct ss_error *error)
{
    (void)error;
    const struct unit_view *unit = ctx;
    const struct table *table = &unit->store->tables[which];
    struct entry *entry = entry_at(table, entry_position(table, key), key);
    *ret_there = entry != NULL;
    if (entry) {
        entry_open(entry);
    }
    *ret_hash = entry ? ss_hash64(entry->value, entry->value_size) : 0;
    return SS_OK;
}

// --- the store --------------------------------------------------------------

static int memory_apply(
    struct ss_store *base, struct ss_store_batch *batch, struct ss_error *error)
{
    struct memory_store *store = (struct memory_store *)base;
    struct unit_view looked = {.store = store};
    const struct ss_store_view view = {
        .head = view_head,
        .row_same = view_row_same,
        .hash = view_hash,
        .ctx = &looked,
    };
    for (size_t i = 0; i < batch->units_count; i++) {
        struct ss_store_unit *unit = &batch->units[i];
        struct thread *thread =
            unit->thread ? ss_map_get(&store->threads, unit->thread) : NULL;
        bool repeat = false;
        looked.thread = thread;
        int status = ss_store_unit_check(&view, unit, &repeat, error);
        ss_check(status == SS_OK);
        if (unit->result != SS_OK || repeat) {
            continue;
        }
        if (unit->thread) {
            rows_apply(store, thread, unit);
        }
        for (size_t p = 0; p < unit->puts_count; p++) {
            put_apply(store, &unit->puts[p]);
        }
    }
    return SS_OK;
}

static int memory_read(struct ss_store *base, const char *name,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error)
{
    (void)error;
    struct memory_store *store = (struct memory_store *)base;
    const struct thread *thread = ss_map_get(&store->threads, name);
    size_t count = thread ? thread->rows.count : 0;
    int status = SS_OK;
    for (size_t i = row_position(thread, range[0]);
         i < count && status == SS_OK; i++) {
        struct ss_store_row stored = row_of(&thread->rows.items[i], name);
        if (stored.seq > range[1]) {
            break;
        }
        status = row(ctx, &stored);
    }
    return status;
}

static int entry_call(
    struct entry *entry, const char *index, ss_store_entry_fn *call, void *ctx)
{
    entry_open(entry);
    return call(ctx, entry->key, index, entry->value, entry->value_size,
        entry->expires_us);
}

static bool is_busy(const struct memory_store *store, const char *thread)
{
    const struct table *open = &store->tables[SS_TABLE_OPEN];
    for (size_t i = 0; i < open->entries.count; i++) {
        const char *of = open->entries.items[i]->index;
        if (of && strcmp(of, thread) == 0) {
            return true;
        }
    }
    return false;
}

static bool entry_fits(
    const struct entry *entry, const struct ss_entry_query *query)
{
    if (query->after && strcmp(entry->key, query->after) <= 0) {
        return false;
    }
    return !query->index ||
           (entry->index && strcmp(entry->index, query->index) == 0);
}

static int memory_scan(struct ss_store *base,
    const struct ss_entry_query *query, ss_store_entry_fn *call, void *ctx,
    struct ss_error *error)
{
    (void)error;
    struct memory_store *store = (struct memory_store *)base;
    const struct table *table = &store->tables[query->table];
    size_t left = query->limit;
    int status = SS_OK;
    size_t i = query->after ? entry_position(table, query->after) : 0;
    for (; i < table->entries.count && left > 0 && status == SS_OK; i++) {
        struct entry *entry = table->entries.items[i];
        if (entry_fits(entry, query)) {
            bool busy =
                query->table == SS_TABLE_THREADS && is_busy(store, entry->key);
            left--;
            status = entry_call(
                entry, busy ? SS_STORE_BUSY : entry->index, call, ctx);
        }
    }
    return status;
}

static bool is_text(const char *wanted, const char *text)
{
    return !wanted || (text && strcmp(wanted, text) == 0);
}

static int memory_search(struct ss_store *base,
    const struct ss_store_search *search, ss_store_found_fn *call, void *ctx,
    struct ss_error *error)
{
    (void)error;
    struct memory_store *store = (struct memory_store *)base;
    const struct table *table = &store->tables[search->table];
    int status = SS_OK;
    size_t i = time_count(table, search->at_us, search->after);
    while (i-- > 0 && status == SS_OK) {
        struct entry *entry = table->by_time.items[i];
        entry_open(entry);
        bool busy =
            search->table == SS_TABLE_THREADS && is_busy(store, entry->key);
        const struct ss_store_found found = {.key = entry->key,
            .index = busy ? SS_STORE_BUSY : entry->index,
            .value = entry->value,
            .size = entry->value_size,
            .at_us = entry->at_us};
        if (entry->at_us < search->since_us) {
            break;
        }
        bool is_behind = entry->at_us < search->at_us ||
                         strcmp(entry->key, search->after) > 0;
        if (is_behind && is_text(search->index, found.index) &&
            is_text(search->status, entry->status)) {
            status = call(ctx, &found);
        }
    }
    return status;
}

static int memory_known(struct ss_store *base, const char *const *threads,
    size_t count, bool *ret_known, struct ss_error *error)
{
    (void)error;
    struct memory_store *store = (struct memory_store *)base;
    const struct table *table = &store->tables[SS_TABLE_THREADS];
    for (size_t i = 0; i < count; i++) {
        const char *name = threads[i];
        ret_known[i] =
            thread_head(ss_map_get(&store->threads, name)) > 0 ||
            entry_at(table, entry_position(table, name), name) != NULL;
    }
    return SS_OK;
}

static int memory_get(struct ss_store *base, enum ss_store_table which,
    const char *key, ss_store_entry_fn *call, void *ctx, struct ss_error *error)
{
    struct memory_store *store = (struct memory_store *)base;
    const struct table *table = &store->tables[which];
    struct entry *entry = entry_at(table, entry_position(table, key), key);
    if (!entry) {
        return ss_error_set(error, SS_ENOTFOUND, "store: there is no %s", key);
    }
    return entry_call(entry, entry->index, call, ctx);
}

static void memory_close(struct ss_store *base)
{
    struct memory_store *store = (struct memory_store *)base;
    ss_map_fini(&store->threads, thread_free);
    for (size_t t = 0; t < SS_TABLE_COUNT; t++) {
        struct table *table = &store->tables[t];
        for (size_t i = 0; i < table->entries.count; i++) {
            entry_free(table->entries.items[i]);
        }
        SS_VEC_FINI(&table->entries);
        SS_VEC_FINI(&table->by_time);
    }
    ss_free(store);
}

int ss_store_memory_open(
    const char *rest, struct ss_store **ret_store, struct ss_error *error)
{
    static const struct ss_store_ops ops = {
        .apply = memory_apply,
        .read = memory_read,
        .known = memory_known,
        .scan = memory_scan,
        .get = memory_get,
        .search = memory_search,
        .close = memory_close,
    };
    if (*rest) {
        return ss_error_set(
            error, SS_EINVAL, "store: memory: takes no name (\"%s\")", rest);
    }
    struct memory_store *store = ss_zalloc(1, sizeof(*store));
    store->base.ops = &ops;
    store->base.name = ss_strdup("memory");
    store->base.keeps_rows = true;
    *ret_store = &store->base;
    return SS_OK;
}
