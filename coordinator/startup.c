// startup.c - what a coordinator reads before it begins.
#include <string.h>

#include "common/app/log.h"
#include "coordinator/shell_impl.h"

#define EPOCH_KEY "epoch"
// There while nobody has the store and whoever had it ended as asked.
#define STOPPED_KEY "stopped"

enum kind { GRAPHS, RUNS, PAUSES, KINDS_COUNT };

static const struct {
    enum ss_store_table table;
    const char *called; // with the key behind it
} kinds[KINDS_COUNT] = {
    [GRAPHS] = {SS_TABLE_GRAPHS, "the description of graph"},
    [RUNS] = {SS_TABLE_OPEN, "the record of run"},
    [PAUSES] = {SS_TABLE_PAUSES, "the record of the pause"},
};

struct ss_startup {
    bool crashed;
    SS_VEC(json_t *) records[KINDS_COUNT];
    SS_VEC(char *) graphs; // the keys of those
};

// ------------------------------------------------ the epoch

struct epoch {
    uint64_t number;
    uint64_t hash; // of what is stored, for the precondition
    bool is_there;
};

static int read_epoch(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    struct epoch *epoch = ctx;
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

static int found(void *ctx, const char *key, const char *index,
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

void ss_startup_stopped(struct ss_store_actors *actors)
{
    static const char text[] = "true";
    const struct ss_store_put put = {.table = SS_TABLE_META,
        .key = STOPPED_KEY,
        .value = text,
        .value_size = sizeof(text) - 1};
    const struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    ss_store_actors_submit(actors, ss_job_apply(0, &unit));
}

int ss_startup_epoch(struct ss_store *store, int64_t wall_us,
    uint64_t *ret_epoch, struct ss_error *error)
{
    struct epoch epoch = {0};
    int status = ss_store_get(
        store, SS_TABLE_META, EPOCH_KEY, read_epoch, &epoch, error);
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
        .key = EPOCH_KEY,
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

// ------------------------------------------------ graphs, runs and pauses

struct reading {
    struct ss_startup *startup;
    enum kind kind;
    struct ss_error *error;
};

static int take(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    struct reading *reading = ctx;
    json_t *json = NULL;
    (void)index;
    (void)expires_us;
    int status = ss_json_parse(value, size, &json, reading->error);
    if (status != SS_OK)
        return ss_error_set(reading->error, SS_ECORRUPT, "%s %s",
            kinds[reading->kind].called, key);
    SS_VEC_PUSH(&reading->startup->records[reading->kind], json);
    if (reading->kind == GRAPHS)
        SS_VEC_PUSH(&reading->startup->graphs, ss_strdup(key));
    return SS_OK;
}

// Durably, before anything of its runs is read.
static int forget_stop(struct ss_store *store, struct ss_error *error)
{
    const struct ss_store_put put = {
        .table = SS_TABLE_META, .key = STOPPED_KEY};
    struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    int status = ss_store_apply(store, &batch, error);
    return status == SS_OK ? unit.result : status;
}

int ss_startup_read(struct ss_store *store, struct ss_startup **ret_boot,
    struct ss_error *error)
{
    struct ss_startup *startup = ss_zalloc(1, sizeof(*startup));
    bool was_stopped = false;
    int status = ss_store_get(
        store, SS_TABLE_META, STOPPED_KEY, found, &was_stopped, error);
    startup->crashed = !was_stopped;
    if (status == SS_OK)
        status = forget_stop(store, error);
    if (status == SS_ENOTFOUND)
        status = SS_OK;
    for (enum kind kind = 0; status == SS_OK && kind < KINDS_COUNT; kind++) {
        struct reading reading = {startup, kind, error};
        status = ss_store_scan(
            store, kinds[kind].table, NULL, NULL, 0, take, &reading, error);
    }
    if (status != SS_OK)
        ss_startup_destroy(&startup);
    else
        *ret_boot = startup;
    return status;
}

void ss_startup_feed(struct ss_startup *startup, struct ss_coordinator *shell)
{
    struct ss_event pauses = {.type = SS_EVENT_PAUSES};
    pauses.pauses.records = startup->records[PAUSES].items;
    pauses.pauses.count = startup->records[PAUSES].count;
    ss_shell_feed(shell, &pauses);
    for (size_t i = 0; i < startup->records[GRAPHS].count; i++) {
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        event.graph.description = startup->records[GRAPHS].items[i];
        event.graph.key = startup->graphs.items[i];
        ss_shell_feed(shell, &event);
    }
    size_t runs = startup->records[RUNS].count;
    for (size_t i = 0; i < runs; i++) {
        struct ss_event event = {.type = SS_EVENT_RUN_FOUND};
        event.run.record = startup->records[RUNS].items[i];
        event.run.crashed = startup->crashed;
        ss_shell_feed(shell, &event);
    }
    struct ss_shards all;
    ss_shards_fill(&all);
    struct ss_event read = {.type = SS_EVENT_SHARDS_READ};
    read.shards.shards = &all;
    ss_shell_feed(shell, &read);
    if (runs > 0)
        ss_log_say(SS_LOG_INFO, "%zu unfinished runs go on", runs);
}

void ss_startup_destroy(struct ss_startup **startup)
{
    struct ss_startup *it = *startup;
    if (!it)
        return;
    for (enum kind kind = 0; kind < KINDS_COUNT; kind++) {
        for (size_t i = 0; i < it->records[kind].count; i++)
            json_decref(it->records[kind].items[i]);
        SS_VEC_FINI(&it->records[kind]);
    }
    for (size_t i = 0; i < it->graphs.count; i++)
        ss_free(it->graphs.items[i]);
    SS_VEC_FINI(&it->graphs);
    ss_free(it);
    *startup = NULL;
}
