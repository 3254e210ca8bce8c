// world_mishaps.c - what goes wrong with the store and the coordinator, and how
// the next one begins.
#include <string.h>

#include "common/model/reserved.h"
#include "coordinator/core/store_codec.h"
#include "tests/stories/world_impl.h"

// ------------------------------------------------------------------ the store

void world_store_take(int64_t rows)
{
    world.store.rows_left = rows;
    world.store.stopped = rows == 0;
}

void world_store_reads_on(bool on)
{
    world.store.reads_on = on;
}

bool world_store_stopped(void)
{
    return world.store.stopped;
}

void world_store_says(int status)
{
    world.store.next_status = status;
}

void world_read_says(int status)
{
    world.store.next_read = status;
}

void world_lose_graphs(void)
{
    store_drop_graphs(&world.store);
}

size_t world_damage_cache(json_t *value)
{
    size_t count = 0;
    for (size_t i = 0; i < world.store.records.count; i++) {
        struct stored_record *record = &world.store.records.items[i];
        if (record->table != SS_RECORD_CACHE)
            continue;
        json_decref(record->value);
        record->value = json_incref(value);
        count++;
    }
    json_decref(value);
    return count;
}

void world_store_slow(bool on)
{
    world.slow = on;
}

// ---------------------------------------------------------- the coordinator

static void note_finished(const struct ss_row *row)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *write = &row->writes[i];
        char *key = ss_format("%s %s", row->run, write->task_id);
        if (ss_name_special(write->channel) == 0 &&
            strcmp(write->channel, SS_NAME_ERROR_SOURCE) != 0)
            ss_map_put(&world.finished, key, &world);
        if (strcmp(write->channel, SS_NAME_ERROR) == 0)
            ss_map_remove(&world.finished, key);
        ss_free(key);
    }
}

static void forget_coordinator(void)
{
    world_drop_jobs();
    ss_map_fini(&world.finished, NULL);
    world.finished = (struct ss_map){0};
    for (size_t t = 0; t < world.store.threads.count; t++) {
        const struct stored_thread *thread = world.store.threads.items[t];
        for (size_t i = 0; i < thread->rows.count; i++)
            note_finished(thread->rows.items[i]);
    }
    tell("(the coordinator crashes)");
}

void world_crash(void)
{
    ss_core_destroy(&world.core);
    forget_coordinator();
}

void world_die(void)
{
    world.core = NULL;
    world.in_engine = false;
    forget_coordinator();
}

bool world_is_in_engine(void)
{
    return world.in_engine;
}

bool world_was_finished(const char *run, const char *task_id)
{
    char *key = ss_format("%s %s", run, task_id);
    bool was = ss_map_get(&world.finished, key) != NULL;
    ss_free(key);
    return was;
}

void world_find_graphs(void)
{
    for (size_t i = 0; i < world.store.records.count; i++) {
        const struct stored_record *record = &world.store.records.items[i];
        struct ss_event event = {.type = SS_EVENT_GRAPH_KNOWN};
        event.graph.description = record->value;
        if (record->table == SS_RECORD_GRAPH)
            world_step(&event);
    }
}

void world_find_pauses(void)
{
    struct ss_event event = {.type = SS_EVENT_PAUSES};
    json_t **records =
        ss_zalloc(world.store.records.count + 1, sizeof(*records));
    for (size_t i = 0; i < world.store.records.count; i++) {
        const struct stored_record *record = &world.store.records.items[i];
        if (record->table == SS_RECORD_PAUSE)
            records[event.pauses.count++] = record->value;
    }
    event.pauses.records = records;
    world_step(&event);
    ss_free(records);
}

void world_find_runs(bool crashed)
{
    for (size_t i = world.store.records.count; i-- > 0;) { // in no order
        const struct stored_record *record = &world.store.records.items[i];
        struct ss_event event = {.type = SS_EVENT_RUN_FOUND};
        event.run.record = record->value;
        event.run.crashed = crashed;
        if (record->table == SS_RECORD_RUN &&
            ss_store_codec_run_is_open(record->value))
            world_step(&event);
    }
}

void world_restart(void)
{
    world_restart_after(true);
}

void world_restart_after(bool crash)
{
    world.life++;
    world_store_take(-1);
    world_core_new();
    world_find_pauses();
    world_find_graphs();
    world_workers_hello();
    world_find_runs(crash);
    struct ss_shards all;
    ss_shards_fill(&all);
    struct ss_event event = {.type = SS_EVENT_SHARDS_READ};
    event.shards.shards = &all;
    world_step(&event);
}
