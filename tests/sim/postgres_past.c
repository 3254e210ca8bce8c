// postgres_past.c - what the database was: transactions that stay open see it
// still, and a copy of what one of them sees takes the place of what is there.
#include "tests/sim/postgres.h"

#ifdef SS_HAVE_POSTGRES

#include <unistd.h>

#include "common/base/check.h"

static const char *const tables[] = {"journal", "runs", "open_runs", "threads",
    "graphs", "cache", "meta", "pauses", "fences", "members", "shards",
    "format"};

static void run(PGconn *conn, char *sql)
{
    PGresult *result = PQexec(conn, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK &&
        PQresultStatus(result) != PGRES_TUPLES_OK)
        ss_check_failed(PQerrorMessage(conn), __FILE__, __LINE__);
    PQclear(result);
    ss_free(sql);
}

void past_open(struct pg *pg)
{
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        pg->snapshots[i] = PQconnectdb(pg->direct);
        ss_check(PQstatus(pg->snapshots[i]) == CONNECTION_OK);
    }
}

static void forget(struct pg *pg, size_t slot)
{
    if (pg->taken[slot] > 0)
        run(pg->snapshots[slot], ss_strdup("COMMIT"));
    pg->taken[slot] = 0;
}

void past_forget(struct pg *pg)
{
    for (size_t i = 0; i < SNAPSHOTS; i++)
        forget(pg, i);
}

static void take(struct pg *pg, size_t slot)
{
    forget(pg, slot);
    run(pg->snapshots[slot],
        ss_strdup("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"));
    pg->taken[slot] = pg->commits;
}

void past_remember(struct pg *pg, struct world *world)
{
    if (world->climate.set_back == 0)
        return;
    pg->commits++;
    take(pg, pg->commits % SNAPSHOTS_LATE);
    if (draw(world, 12) == 0)
        take(pg, SNAPSHOTS_LATE + draw(world, SNAPSHOTS - SNAPSHOTS_LATE));
}

// Of those that are not the latest.
static size_t count_old(const struct pg *pg)
{
    size_t count = 0;
    for (size_t i = 0; i < SNAPSHOTS; i++)
        count += pg->taken[i] > 0 && pg->taken[i] < pg->commits;
    return count;
}

bool past_is_there(const struct pg *pg)
{
    return count_old(pg) > 0;
}

static size_t choose(const struct pg *pg, struct world *world)
{
    size_t nth = draw(world, count_old(pg));
    for (size_t i = 0; i < SNAPSHOTS; i++)
        if (pg->taken[i] > 0 && pg->taken[i] < pg->commits && nth-- == 0)
            return i;
    ss_unreachable();
}

static void restore(struct pg *pg, const char *table)
{
    int pid = (int)getpid();
    run(pg->observer,
        ss_format("DELETE FROM world_%d.%s; INSERT INTO world_%d.%s SELECT *"
                  " FROM sim_%d.%s; DROP TABLE sim_%d.%s",
            pid, table, pid, table, pid, table, pid, table));
}

void past_restore(struct pg *pg, struct world *world)
{
    enum { COUNT = sizeof(tables) / sizeof(*tables) };
    int pid = (int)getpid();
    size_t slot = choose(pg, world);
    tell(world, "(the database is as it was %llu commits ago)",
        (unsigned long long)(pg->commits - pg->taken[slot]));
    for (size_t i = 0; i < COUNT; i++)
        run(pg->snapshots[slot],
            ss_format("CREATE TABLE sim_%d.%s AS SELECT * FROM world_%d.%s",
                pid, tables[i], pid, tables[i]));
    past_forget(pg);
    for (size_t i = 0; i < COUNT; i++)
        restore(pg, tables[i]);
    run(pg->observer,
        ss_format("UPDATE world_%d.format SET generation = '%llu'", pid,
            (unsigned long long)world->database.generation));
    pg->commits++;
    take(pg, 0);
}

#endif
