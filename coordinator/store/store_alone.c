// store_alone.c - the trivial table of owners: a store that one process owns
// gives epochs itself, and keeps a note of a coordinator that stopped as asked.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store.h"
#include "coordinator/store/store_impl.h"

struct alone_epoch {
    uint64_t number;
    uint64_t hash; // of what is stored, for the precondition
    bool is_there;
};

static int alone_read_epoch(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    struct alone_epoch *epoch = ctx;
    json_t *json = NULL;
    (void)key;
    (void)index;
    (void)expires_us;
    if (ss_json_parse(value, size, &json, NULL) != SS_OK ||
        !json_is_integer(json)) {
        json_decref(json);
        return SS_ECORRUPT;
    }
    epoch->number = (uint64_t)json_integer_value(json);
    epoch->hash = ss_hash64(value, size);
    epoch->is_there = true;
    json_decref(json);
    return SS_OK;
}

static int alone_find(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    (void)key;
    (void)index;
    (void)value;
    (void)size;
    (void)expires_us;
    *(bool *)ctx = true;
    return SS_OK;
}

int ss_store_alone_epoch(struct ss_store *store, int64_t wall_us,
    uint64_t *ret_epoch, struct ss_error *error)
{
    struct alone_epoch epoch = {0};
    int status = ss_store_get(store, SS_TABLE_META, SS_STORE_EPOCH_KEY,
        alone_read_epoch, &epoch, error);
    if (status == SS_ECORRUPT)
        return ss_error_set(error, SS_ECORRUPT, "%s: the epoch is not a number",
            ss_store_name(store));
    if (status != SS_OK && status != SS_ENOTFOUND)
        return status;
    uint64_t number = epoch.number + 1;
    if (wall_us > 0 && number < (uint64_t)wall_us)
        number = (uint64_t)wall_us;
    json_t *next = json_integer((json_int_t)number);
    char *text = ss_json_text(next);
    const struct ss_store_put put = {.table = SS_TABLE_META,
        .key = SS_STORE_EPOCH_KEY,
        .value = text,
        .value_size = strlen(text),
        .when = epoch.is_there ? SS_WHEN_SAME : SS_WHEN_ABSENT,
        .expected = epoch.hash};
    struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    status = ss_store_apply(store, &batch, error);
    if (status == SS_OK && unit.result != SS_OK)
        status = ss_error_set(error, unit.result,
            "%s: another coordinator took the same epoch",
            ss_store_name(store));
    if (status == SS_OK)
        *ret_epoch = number;
    json_decref(next);
    ss_free(text);
    return status;
}

// Keep the note durably; NULL: delete it.
static int alone_note(
    struct ss_store *store, const char *note, struct ss_error *error)
{
    const struct ss_store_put put = {.table = SS_TABLE_META,
        .key = SS_STORE_STOPPED_KEY,
        .value = note,
        .value_size = note ? strlen(note) : 0};
    struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    int status = ss_store_apply(store, &batch, error);
    return status == SS_OK ? unit.result : status;
}

int ss_store_alone_begin(
    struct ss_store *store, bool *ret_was_stopped, struct ss_error *error)
{
    *ret_was_stopped = false;
    int status = ss_store_get(store, SS_TABLE_META, SS_STORE_STOPPED_KEY,
        alone_find, ret_was_stopped, error);
    if (status == SS_OK) // before any run is read
        status = alone_note(store, NULL, error);
    return status == SS_ENOTFOUND ? SS_OK : status;
}

// Without it each run that it leaves is taken for one that ended it.
int ss_store_alone_end(struct ss_store *store, struct ss_error *error)
{
    int status = SS_EAGAIN;
    for (int i = 0; i < SS_STORE_LAST_TRIES_MAX && status == SS_EAGAIN; i++) {
        status = alone_note(store, "true", error);
        if (status == SS_EAGAIN)
            ss_store_trouble(store, error->message);
    }
    return status;
}
