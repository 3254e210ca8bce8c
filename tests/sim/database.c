// database.c - what stands behind a coordinator's connections: jobs queue up,
// what is there goes into one commit, and a commit takes time. How it ends is
// decided by what is behind (struct backing).
#include <string.h>

#include "common/base/check.h"
#include "common/model/run_key.h"
#include "common/model/value.h"
#include "tests/sim/world.h"

enum { SLOW_TIMES = 60 };

// ------------------------------------------------------------------ life

void database_open(struct world *world)
{
    static const struct backing *(*const all[])(void) = {
        [STORE_MEMORY] = backing_memory,
        [STORE_SQLITE] = backing_sqlite,
        [STORE_POSTGRES] = backing_postgres};
    world->database.backing = all[world->options->store]();
    world->database.backing->open(world);
}

bool database_is_gone(const struct coordinator *it)
{
    return it->process.world->database.backing->is_gone(it);
}

// ------------------------------------------------------------------ jobs

static struct store_link *link_of(struct process *process, size_t link)
{
    return &process->world->coordinators[process->index].links[link];
}

static void begin(struct process *process, size_t which)
{
    struct world *world = process->world;
    struct store_link *link = link_of(process, which);
    int64_t takes_ms = 1 + (int64_t)draw(world, world->climate.commit_ms);
    if (strikes(world, world->climate.commit_slow)) {
        note_fault(world, FAULT_COMMIT_SLOW);
        takes_ms *= SLOW_TIMES;
    }
    link->is_busy = true;
    if (!link->running) { // what is there now shares commits; the rest waits
        link->running = link->queue;
        link->queue = NULL;
    }
    agenda_add(
        &world->agenda, (struct errand){.at_ms = world->now_ms + takes_ms,
                            .kind = ERRAND_COMMIT,
                            .who = process,
                            .life = process->life,
                            .what = which});
}

struct ss_job **jobs_end(struct ss_job **list)
{
    while (*list)
        list = &(*list)->next;
    return list;
}

void jobs_free(struct ss_job **list)
{
    while (*list) {
        struct ss_job *next = (*list)->next;
        ss_job_destroy(list);
        *list = next;
    }
}

void database_submit(struct process *process, size_t which, struct ss_job *job)
{
    struct store_link *link = link_of(process, which);
    *jobs_end(&link->queue) = job;
    job->next = NULL;
    if (!link->is_busy)
        begin(process, which);
}

struct ss_job *database_heard(struct process *process, size_t which)
{
    struct store_link *link = link_of(process, which);
    struct ss_job *done = link->done;
    link->done = NULL;
    link->is_busy = false;
    if (link->running || link->queue)
        begin(process, which);
    return done;
}

// ------------------------------------------------------------------ looking

static int take_json(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    (void)key;
    (void)index;
    (void)expires_us;
    return ss_json_parse(value, size, ctx, NULL);
}

struct count {
    const char *thread;
    size_t all, queued;
};

static int count_run(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    struct count *count = ctx;
    json_t *record = NULL;
    (void)key;
    (void)expires_us;
    if (strcmp(index, count->thread) != 0)
        return SS_OK;
    int status = ss_json_parse(value, size, &record, NULL);
    count->all++;
    count->queued += status == SS_OK &&
                     strcmp(ss_json_str(record, "status", ""), "queued") == 0;
    json_decref(record);
    return status;
}

size_t database_open_runs(
    struct world *world, const char *thread, size_t *ret_queued)
{
    struct count count = {.thread = thread};
    struct ss_error error = {0};
    ss_check(ss_store_scan(world->database.inner, SS_TABLE_OPEN, NULL, NULL, 0,
                 count_run, &count, &error) == SS_OK);
    if (ret_queued)
        *ret_queued = count.queued;
    return count.all;
}

json_t *database_entry(
    struct world *world, enum ss_store_table table, const char *key)
{
    json_t *value = NULL;
    int status = ss_store_get(
        world->database.inner, table, key, take_json, &value, NULL);
    return status == SS_OK ? value : NULL;
}

static int list_json(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    json_t *json = NULL;
    int status = take_json(&json, key, index, value, size, expires_us);
    if (status == SS_OK)
        json_array_append_new(ctx, json);
    return status;
}

json_t *database_list(struct world *world, enum ss_store_table table)
{
    json_t *list = json_array();
    struct ss_error error = {0};
    ss_check(ss_store_scan(world->database.inner, table, NULL, NULL, 0,
                 list_json, list, &error) == SS_OK);
    return list;
}

json_t *database_run(struct world *world, const char *thread, const char *run)
{
    char *key = ss_run_key(run, thread);
    json_t *value = database_entry(world, SS_TABLE_OPEN, key);
    if (!value)
        value = database_entry(world, SS_TABLE_RUNS, key);
    ss_free(key);
    return value;
}
