// database_postgres.c - the database as a real PostgreSQL, which this program
// has started: each coordinator's stores are the real ones, and their
// statements meet in an order that the seed decides (postgres_side.c).
//
// Two schemas for each process of the simulator: the store's own tables, and
// `sim_PID` with a clock that is set to the simulated time, and a trigger that
// tells which threads' rows a transaction commits.
#include "tests/sim/postgres.h"

#ifdef SS_HAVE_POSTGRES

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/check.h"
#include "coordinator/store/job_run.h"

struct boot {
    struct coordinator *it;
    int status;
    struct ss_error error;
};

// ------------------------------------------------------------------ asking

const char *pg_ask(struct pg *pg, const char *format, ...)
{
    static char answer[256];
    char sql[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(sql, sizeof(sql), format, args);
    va_end(args);
    PGresult *result = PQexec(pg->observer, sql);
    ExecStatusType how = PQresultStatus(result);
    if (how != PGRES_TUPLES_OK && how != PGRES_COMMAND_OK)
        ss_check_failed(PQerrorMessage(pg->observer), __FILE__, __LINE__);
    snprintf(answer, sizeof(answer), "%s",
        PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return answer;
}

// ------------------------------------------------------------------ the server

static const char own_schema[] =
    "CREATE SCHEMA sim_%d;"
    "CREATE SEQUENCE sim_%d.clock;"
    "CREATE SEQUENCE sim_%d.trouble MINVALUE 0;"
    "CREATE FUNCTION sim_%d.now() RETURNS timestamptz VOLATILE LANGUAGE sql AS"
    " $$SELECT timestamptz 'epoch' + last_value * interval '1 microsecond' FROM"
    " sim_%d.clock$$;"
    "CREATE FUNCTION sim_%d.commits() RETURNS trigger LANGUAGE plpgsql AS $$"
    " BEGIN IF (SELECT last_value FROM sim_%d.trouble) = pg_backend_pid() THEN"
    " RAISE EXCEPTION USING ERRCODE = '58030', MESSAGE = 'could not write';"
    " END IF; RAISE NOTICE 'wrote %%', coalesce(NEW.thread, OLD.thread);"
    " RETURN NULL; END $$;"
    "CREATE CONSTRAINT TRIGGER commits AFTER INSERT OR DELETE ON"
    " world_%d.journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE"
    " FUNCTION sim_%d.commits()";

// Nobody but a coordinator touches a table, at a time of his own.
static const char unvacuumed[] =
    "DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT c.oid FROM pg_class c JOIN"
    " pg_namespace n ON n.oid = relnamespace WHERE nspname = 'world_%d' AND"
    " relkind = 'r' LOOP EXECUTE format('ALTER TABLE %%s SET"
    " (autovacuum_enabled = off, toast.autovacuum_enabled = off)', t);"
    " END LOOP; END $$";

static int make_listener(const struct pg *pg)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s/.s.PGSQL.5432",
        pg->folder);
    ss_check(
        mkdir(pg->folder, 0700) == 0 && fd >= 0 &&
        bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
        listen(fd, 16) == 0);
    return fd;
}

static struct ss_store *open_reader(const struct pg *pg)
{
    struct ss_error error = {0};
    struct ss_store *store = NULL;
    char *url = ss_format("%s&schema=world_%d", pg->direct, (int)getpid());
    if (ss_store_open(url, &store, &error) != SS_OK)
        ss_check_failed(error.message, __FILE__, __LINE__);
    ss_free(url);
    return store;
}

// Sessions tell at once that they wait for a lock, behind the look whether that
// is for ever.
static const char session_options[] =
    "-c deadlock_timeout=1ms -c log_lock_waits=on -c client_min_messages=log";

static struct pg *pg_open(const char *server)
{
    int pid = (int)getpid();
    struct pg *pg = ss_zalloc(1, sizeof(*pg));
    ss_check(setenv("PGOPTIONS", session_options, 1) == 0);
    pg->folder = ss_format("%s/sim-%d", server, pid);
    pg->socket = ss_format("%s/.s.PGSQL.5432", server);
    pg->direct = ss_format(
        "postgresql:///postgres?host=%s&port=5432&user=postgres", server);
    pg->subscriber = make_listener(pg);
    pg->reader = open_reader(pg);
    pg->observer = PQconnectdb(pg->direct);
    ss_check(PQstatus(pg->observer) == CONNECTION_OK);
    pg_ask(pg, own_schema, pid, pid, pid, pid, pid, pid, pid, pid, pid);
    pg_ask(pg, unvacuumed, pid);
    pg_ask(pg, "SET session_replication_role = replica"); // no trigger for us
    pg_ask(pg, "SET client_min_messages = error");
    past_open(pg);
    return pg;
}

// As if nobody had ever been there.
static void clear(struct pg *pg)
{
    int p = (int)getpid();
    pg_ask(pg,
        "TRUNCATE world_%d.journal, world_%d.runs, world_%d.open_runs,"
        " world_%d.threads, world_%d.graphs, world_%d.cache, world_%d.meta,"
        " world_%d.pauses, world_%d.fences, world_%d.members, world_%d.shards",
        p, p, p, p, p, p, p, p, p, p, p);
    pg_ask(pg,
        "INSERT INTO world_%d.shards SELECT n, '' FROM generate_series(0, %d)"
        " AS n",
        p, SS_SHARDS - 1);
    pg_ask(pg, "UPDATE world_%d.format SET epoch = 0, generation = '1'", p);
    pg_ask(pg, "SELECT setval('sim_%d.trouble', 0)", p);
    pg->clock_ms = -1;
    pg->trouble = 0;
    pg->commits = 0;
}

static void open_postgres(struct world *world)
{
    static struct pg *pg; // stays, for the next seed of this process
    static int whose;
    if (!pg || whose != (int)getpid())
        pg = pg_open(world->options->folder);
    whose = (int)getpid();
    clear(pg);
    world->database.pg = pg;
    world->database.inner = pg->reader;
    world->database.generation = 1;
}

// ------------------------------------------------------------------ life

static void lose_postgres(struct process *process)
{
    struct coordinator *it = &process->world->coordinators[process->index];
    for (size_t i = 0; i < LINKS; i++)
        if (it->links[i].side)
            side_die(it->links[i].side);
    for (size_t i = 0; i < LINKS; i++) {
        struct store_link *link = &it->links[i];
        if (!link->side)
            continue;
        side_finish(link->side);
        jobs_free(&link->queue);
        jobs_free(&link->running);
        jobs_free(&link->done);
        ss_free(link->side->boot);
        side_free(link->side);
        *link = (struct store_link){0};
    }
}

static void close_postgres(struct world *world)
{
    struct pg *pg = world->database.pg;
    for (size_t i = 0; i < world->climate.coordinators; i++)
        lose_postgres(&world->coordinators[i].process);
    lines_cut(pg, NULL);
    past_forget(pg);
}

static void run_boot(void *ctx)
{
    struct boot *boot = ctx;
    struct coordinator *it = boot->it;
    struct ss_store *store = it->links[LINK_APPENDS].store;
    boot->status = ss_pg_connect((struct ss_pg_store *)store, &boot->error);
    if (boot->status == SS_OK)
        boot->status = ss_store_fence_take(
            store, it->process.name, 0, &it->epoch, &boot->error);
    store = it->links[LINK_LEASES].store;
    if (boot->status == SS_OK)
        boot->status = ss_pg_connect((struct ss_pg_store *)store, &boot->error);
}

// It cannot be reached before it has its epoch. One fiber serves both:
// whichever of them waits goes on with it.
static void start_postgres(struct coordinator *it)
{
    struct process *process = &it->process;
    struct boot *boot = ss_zalloc(1, sizeof(*boot));
    struct fiber *fiber = fiber_new(run_boot, boot);
    boot->it = it;
    process->is_alive = false;
    for (size_t i = 0; i < LINKS; i++) {
        struct side *side = side_new(process->world->database.pg, process, i);
        side->boot = boot;
        side->fiber = fiber;
        it->links[i] =
            (struct store_link){.store = &side->store->base, .side = side};
    }
    side_run(it->links[LINK_APPENDS].side);
}

static void end_boot(struct coordinator *it)
{
    struct process *process = &it->process;
    struct side *side = it->links[LINK_APPENDS].side;
    struct boot boot = *side->boot;
    fiber_free(&side->fiber);
    ss_free(side->boot);
    for (size_t i = 0; i < LINKS; i++) {
        it->links[i].side->boot = NULL;
        it->links[i].side->fiber = NULL;
    }
    if (side->is_dead)
        return;
    process->is_alive = boot.status == SS_OK;
    if (process->is_alive) {
        coordinator_live(it);
        return;
    }
    tell(process->world, "%s does not start: %s", process->name,
        boot.error.message);
    if (strstr(boot.error.message, "deadlock"))
        violated(process->world, "%s does not start: %s", process->name,
            boot.error.message);
    lose_postgres(process);
    process_again(process);
}

// ------------------------------------------------------------------ jobs

static void run_jobs(void *ctx)
{
    struct side *side = ctx;
    struct coordinator *it = &side->world->coordinators[side->process->index];
    struct ss_jobs_stats stats = {0};
    side->done = ss_jobs_run_some(
        &side->store->base, it->epoch, &it->links[side->which].running, &stats);
}

static void commit_postgres(struct process *process, size_t which)
{
    struct world *world = process->world;
    struct store_link *link = &world->coordinators[process->index].links[which];
    struct side *side = link->side;
    side->job = link->running->type;
    side->to = link->running->key && side->job == SS_JOB_HAND
                   ? (size_t)(link->running->key[1] - '1')
                   : SS_NOBODY;
    side->fails = link->running->type == SS_JOB_APPLY &&
                  strikes(world, world->climate.commit_failed);
    if (side->fails)
        note_fault(world, FAULT_COMMIT_FAILED);
    side->fiber = fiber_new(run_jobs, side);
    side_run(side);
}

// Who owns shards can be taken over from: else nobody would ever serve them.
static void check_owners(struct world *world)
{
    int pid = (int)getpid();
    const char *lost = pg_ask(world->database.pg,
        "SELECT owner FROM world_%d.shards WHERE owner <> '' AND owner NOT IN"
        " (SELECT name FROM world_%d.members) LIMIT 1",
        pid, pid);
    if (*lost)
        violated(world, "shards are of %s, which is not a member", lost);
}

static void note_done(struct side *side, const struct ss_job *job)
{
    struct world *world = side->world;
    bool is_of_shards = job->type == SS_JOB_TAKE || job->type == SS_JOB_HAND ||
                        job->type == SS_JOB_CLAIM || job->type == SS_JOB_END;
    if (job->type == SS_JOB_APPLY && job->unit.result == SS_EFENCED)
        note_fault(world, FAULT_FENCED);
    if (job->type == SS_JOB_TAKE && job->status == SS_OK) {
        note_fault(world, FAULT_TAKEOVER);
        tell(world, "%s takes over from %s: %zu shards", side->process->name,
            job->key, ss_shards_count(&job->shards));
    }
    if (is_of_shards)
        check_owners(world);
}

void side_ended(struct side *side)
{
    struct world *world = side->world;
    struct process *process = side->process;
    struct coordinator *it = &world->coordinators[process->index];
    if (side->boot) {
        end_boot(it);
        return;
    }
    fiber_free(&side->fiber);
    if (side->is_dead) {
        jobs_free(&side->done);
        return;
    }
    note_done(side, side->done);
    *jobs_end(&it->links[side->which].done) = side->done;
    side->done = NULL;
    agenda_add(&world->agenda, (struct errand){.at_ms = world->now_ms,
                                   .kind = ERRAND_HEARD,
                                   .who = process,
                                   .life = process->life,
                                   .what = side->which});
}

static void arrive_postgres(struct world *world, const struct errand *errand)
{
    if (errand->kind == ERRAND_REQUEST)
        line_errand(world, errand->what);
    else
        side_errand(world, errand);
}

// ------------------------------------------------------------------ the past

static bool may_go_back(const struct world *world)
{
    return past_is_there(world->database.pg);
}

static void set_back_postgres(struct world *world)
{
    struct database *database = &world->database;
    database->generation++;
    database->set_back_ms = world->now_ms;
    lines_cut(database->pg, NULL);
    past_restore(database->pg, world);
}

static bool is_gone_postgres(const struct coordinator *it)
{
    return it->links[LINK_APPENDS].side->generation !=
           it->process.world->database.generation;
}

static uint16_t owner_postgres(struct world *world, uint16_t shard)
{
    const char *name = pg_ask(world->database.pg,
        "SELECT owner FROM world_%d.shards WHERE shard = %u", (int)getpid(),
        shard);
    return *name ? (uint16_t)(name[1] - '1') : SS_NOBODY;
}

static void abandon_postgres(struct world *world)
{
    sides_abandon(world->database.pg);
}

const struct backing *backing_postgres(void)
{
    static const struct backing backing = {.open = open_postgres,
        .close = close_postgres,
        .start = start_postgres,
        .commit = commit_postgres,
        .lose = lose_postgres,
        .arrive = arrive_postgres,
        .may_go_back = may_go_back,
        .set_back = set_back_postgres,
        .is_gone = is_gone_postgres,
        .owner = owner_postgres,
        .abandon = abandon_postgres};
    return &backing;
}

#else

#include "tests/sim/world.h"

const struct backing *backing_postgres(void)
{
    return NULL;
}

#endif
