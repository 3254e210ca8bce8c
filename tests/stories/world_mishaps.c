// world_mishaps.c - what goes wrong with the store and the coordinator, and how
// the next one begins.
#include <string.h>

#include "common/model/reserved.h"
#include "common/model/value.h"
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
    struct ss_job *found = store_scan(&world.store, SS_TABLE_GRAPHS);
    for (size_t i = 0; i < found->entries_count; i++)
        store_put(&world.store, (struct ss_store_put){.table = found->table,
                                    .key = found->entries[i].key});
    ss_job_destroy(&found);
}

size_t world_damage_cache(json_t *value)
{
    struct ss_job *found = store_scan(&world.store, SS_TABLE_CACHE);
    size_t count = found->entries_count;
    char *text = ss_json_text(value);
    for (size_t i = 0; i < count; i++)
        store_put(&world.store, (struct ss_store_put){.table = found->table,
                                    .key = found->entries[i].key,
                                    .value = text,
                                    .value_size = strlen(text)});
    ss_free(text);
    ss_job_destroy(&found);
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
    (void)store_each_row(&world.store, note_finished);
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

void world_restart(void)
{
    world_restart_after(true);
}

void world_restart_after(bool crash)
{
    world.life++;
    world_store_take(-1);
    world_core_new(crash);
    (void)world_run_store(); // what is paused
    (void)world_run_store(); // of limits
    (void)world_run_store(); // the graphs
    world_workers_hello();
    (void)world_run_store(); // unfinished runs
}
