// database.c - the store behind a connection: jobs queue up, what is there goes
// into one commit, a commit takes time, and sometimes it does not end well.
#include <string.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/store_faulty.h"
#include "tests/sim/world.h"

enum { SLOW_TIMES = 60 };

void database_open(struct world *world)
{
    static const struct ss_faulty_plan calm;
    struct ss_error error = {0};
    struct database *database = &world->database;
    if (ss_store_open("memory:", &database->inner, &error) != SS_OK)
        ss_check_failed(error.message, __FILE__, __LINE__);
    database->store = ss_store_faulty_new(database->inner, &calm);
}

void database_close(struct world *world)
{
    ss_store_close(&world->database.store);
}

// ------------------------------------------------------------------ jobs

static struct store_link *link_of(struct process *process)
{
    return &process->world->coordinator.link;
}

static void begin(struct process *process)
{
    struct world *world = process->world;
    struct store_link *link = link_of(process);
    int64_t takes_ms = 1 + (int64_t)draw(world, world->climate.commit_ms);
    if (strikes(world, world->climate.commit_slow)) {
        note_fault(world, FAULT_COMMIT_SLOW);
        takes_ms *= SLOW_TIMES;
    }
    link->is_busy = true;
    agenda_add(&world->agenda, (struct errand){.at_ms = world->now_ms + takes_ms,
                                   .kind = ERRAND_COMMIT,
                                   .who = process,
                                   .life = process->life});
}

void database_submit(struct process *process, struct ss_job *job)
{
    struct store_link *link = link_of(process);
    struct ss_job **end = &link->queue;
    while (*end)
        end = &(*end)->next;
    *end = job;
    job->next = NULL;
    if (!link->is_busy)
        begin(process);
}

// What befalls the next commit.
static struct ss_faulty_plan draw_commit(struct world *world)
{
    const struct climate *climate = &world->climate;
    struct ss_faulty_plan plan = {0};
    if (strikes(world, climate->commit_failed)) {
        plan = (struct ss_faulty_plan){.fail_at = 1, .fail_status = SS_EIO};
        note_fault(world, FAULT_COMMIT_FAILED);
    } else if (strikes(world, climate->commit_lied)) {
        plan = (struct ss_faulty_plan){
            .fail_at = 1, .fail_status = SS_EIO, .fail_after = true};
        note_fault(world, FAULT_COMMIT_LIED);
    } else if (strikes(world, climate->commit_unsure)) {
        plan = (struct ss_faulty_plan){.fail_at = 1,
            .fail_status = SS_EAGAIN,
            .fail_after = draw(world, 4) != 0};
        note_fault(world, FAULT_COMMIT_UNSURE);
    }
    return plan;
}

static void fail_read(struct world *world, struct ss_job *job)
{
    if (job->type == SS_JOB_APPLY || job->status != SS_OK ||
        !strikes(world, world->climate.read_failed))
        return;
    note_fault(world, FAULT_READ_FAILED);
    job->status = ss_error_set(&job->error, SS_EIO, "the read failed");
}

struct ss_job *database_finish(struct process *process)
{
    struct world *world = process->world;
    struct store_link *link = link_of(process);
    struct ss_jobs_stats stats = {0};
    struct ss_faulty_plan plan = {0};
    if (link->queue->type == SS_JOB_APPLY)
        plan = draw_commit(world);
    ss_store_faulty_set(world->database.store, &plan);
    struct ss_job *done =
        ss_jobs_run_some(
        world->database.store, 0, &link->queue, &stats);
    ss_store_faulty_set(world->database.store, &(struct ss_faulty_plan){0});
    fail_read(world, done);
    link->is_busy = false;
    if (link->queue)
        begin(process);
    return done;
}

void database_lose(struct process *process)
{
    struct world *world = process->world;
    struct store_link *link = link_of(process);
    bool lands = link->is_busy && link->queue &&
                 link->queue->type == SS_JOB_APPLY &&
                 draw(world, 1000) < world->climate.commit_lands;
    if (lands) {
        struct ss_jobs_stats stats = {0};
        struct ss_job *done =
            ss_jobs_run_some(
                world->database.inner, 0, &link->queue, &stats);
        tell(world, "(its last commit is there, nobody was told)");
        while (done) {
            struct ss_job *next = done->next;
            ss_job_destroy(&done);
            done = next;
        }
    }
    while (link->queue) {
        struct ss_job *next = link->queue->next;
        ss_job_destroy(&link->queue);
        link->queue = next;
    }
    link->is_busy = false;
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

json_t *database_record(
    struct world *world, enum ss_store_table table, const char *key)
{
    json_t *value = NULL;
    int status = ss_store_get(
        world->database.inner, table, key, take_json, &value, NULL);
    return status == SS_OK ? value : NULL;
}
