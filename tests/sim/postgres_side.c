// postgres_side.c - a store's connection, statement by statement: each request
// and each answer takes its time on its line, and what waits for a lock is set
// aside until its holder goes on.
//
// One process of the server runs at a time. Whoever has to wait for a lock says
// so when it has looked for a deadlock (log_lock_waits), and is stopped as a
// process is. So of those that one commit lets go on none runs before the seed
// says so, and where some wait in a circle it is always the last one of them
// that is told.
#include "tests/sim/postgres.h"

#ifdef SS_HAVE_POSTGRES

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/check.h"

enum {
    AWAY_MS_MAX = 15000, // a server that does not answer
    GHOST_MS_MAX = 8000, // a client that is gone without a word
    HELD_MS_MAX = 8000,
    SLOW_TIMES = 60,
};

// ------------------------------------------------------------------ lines

static struct line *line_numbered(struct pg *pg, uint64_t number)
{
    for (size_t i = 0; i < pg->lines.count; i++)
        if (pg->lines.items[i]->number == number)
            return pg->lines.items[i];
    return NULL;
}

static struct line *line_of(const struct side *side)
{
    for (size_t i = 0; i < side->pg->lines.count; i++)
        if (side->pg->lines.items[i]->side == side)
            return side->pg->lines.items[i];
    return NULL;
}

static void stand_still(struct line *line)
{
    line->state = LINE_WAITS;
    line->is_stopped = true;
    ss_check(kill(line->pid, SIGSTOP) == 0);
}

// Only what stands still is there for certain: a process that was told to end,
// or has lost its client, may be gone at any time.
static void move(struct line *line)
{
    if (line->is_stopped && line->server >= 0)
        ss_check(kill(line->pid, SIGCONT) == 0);
    line->is_stopped = false;
}

// One that waits for a lock does not hear that its client is gone.
static void terminate(struct pg *pg, struct line *line)
{
    if (line->state == LINE_WAITS && line->server >= 0)
        pg_ask(pg, "SELECT pg_terminate_backend(%d)", line->pid);
    move(line);
}

void sides_abandon(struct pg *pg)
{
    for (size_t i = 0; i < pg->lines.count; i++)
        move(pg->lines.items[i]);
}

static void end_line(struct pg *pg, struct line *line)
{
    terminate(pg, line);
    for (size_t i = 0; i < pg->lines.count; i++)
        if (pg->lines.items[i] == line)
            SS_VEC_REMOVE(&pg->lines, i);
    line_free(line);
}

static void settle(struct pg *pg, struct world *world);

// Those that its store has closed: what they had begun is rolled back.
static void sweep(struct side *side)
{
    struct line *line = line_of(side);
    if (line && line_is_left(line)) {
        end_line(side->pg, line);
        settle(side->pg, side->world);
    }
}

static void go_on_at(struct side *side, int64_t at_ms, bool times_out);

// Both ends hear it at once.
static void cut(struct line *line, struct world *world)
{
    struct side *side = line->side;
    line_cut(line);
    line_leave(line);
    line->state = LINE_IDLE;
    if (side)
        go_on_at(side, world->now_ms, false);
}

void lines_cut(struct pg *pg, struct side *side)
{
    for (size_t i = pg->lines.count; i-- > 0;) {
        struct line *line = pg->lines.items[i];
        if (side && line->side != side)
            continue;
        terminate(pg, line);
        struct side *whose = line->side;
        if (whose)
            cut(line, whose->world);
        else
            end_line(pg, line);
    }
}

// ------------------------------------------------------------------ time

static int64_t takes_ms(struct world *world)
{
    int64_t ms = 1 + (int64_t)draw(world, world->climate.commit_ms / 4 + 1);
    if (!strikes(world, world->climate.commit_slow / 4))
        return ms;
    note_fault(world, FAULT_COMMIT_SLOW);
    return ms * SLOW_TIMES;
}

static void go_on_at(struct side *side, int64_t at_ms, bool times_out)
{
    struct world *world = side->world;
    agenda_add(&world->agenda,
        (struct errand){.at_ms = at_ms,
            .kind = times_out ? ERRAND_TIMEOUT : ERRAND_ANSWER,
            .who = side->boot ? NULL : side->process,
            .life = side->process->life,
            .what =
                (side->turn * COORDINATORS_MAX + side->process->index) * LINKS +
                side->which});
}

static void send_off(struct world *world, const struct line *line)
{
    agenda_add(&world->agenda,
        (struct errand){.at_ms = world->now_ms + takes_ms(world),
            .kind = ERRAND_REQUEST,
            .what = line->number});
}

// What asks the server for its time, or may go on and do so, is told ours.
static void set_clock(
    struct pg *pg, struct world *world, const struct line *line)
{
    bool matters =
        pg->clock_ms < 0 || memmem(line->up.data, line->up.size, ".now()", 6);
    for (size_t i = 0; i < pg->lines.count && !matters; i++)
        matters = pg->lines.items[i]->state == LINE_WAITS;
    if (!matters || pg->clock_ms == world->now_ms)
        return;
    pg->clock_ms = world->now_ms;
    pg_ask(pg, "SELECT setval('sim_%d.clock', %lld)", (int)getpid(),
        (long long)world_us(world));
}

// The commits of this process of the server (0: of none) fail.
static void set_trouble(struct pg *pg, int pid)
{
    if (pg->trouble == pid)
        return;
    pg->trouble = pid;
    pg_ask(pg, "SELECT setval('sim_%d.trouble', %d)", (int)getpid(), pid);
}

// ------------------------------------------------------------------ the server

// While all stand still this is exact: what is granted is granted to a process
// that stands still, too.
static bool is_locked(struct pg *pg, const struct line *line)
{
    return pg_ask(pg, "SELECT cardinality(pg_blocking_pids(%d)) > 0",
               line->pid)[0] == 't';
}

// Who commits rows is the owner of their threads, and its fence stands.
static void judge(struct pg *pg, struct world *world, const struct line *line)
{
    const char *name = world->coordinators[line->coordinator].process.name;
    for (size_t i = 0; i < line->wrote.count; i++) {
        const char *thread = line->wrote.items[i];
        char *should =
            ss_format("%s %llu", name, (unsigned long long)line->epoch);
        const char *is = pg_ask(pg,
            "SELECT owner || ' ' || coalesce((SELECT epoch::text FROM"
            " world_%d.fences WHERE coordinator = '%s' AND actor = 0), 'none')"
            " FROM world_%d.shards WHERE shard = %u",
            (int)getpid(), name, (int)getpid(), ss_shard_of(thread));
        if (strcmp(is, should) != 0)
            violated(world,
                "rows of thread %s are committed by %s, and its "
                "owner is %s",
                thread, should, is);
        ss_free(should);
    }
    if (line->wrote.count > 0)
        past_remember(pg, world);
}

// A client that is gone: what it had begun is rolled back at once, or when the
// server finds out.
static void end_ghost(struct pg *pg, struct world *world, struct line *line)
{
    tell(world, "(the last words of c%zu's former life are done)",
        line->coordinator + 1);
    if (!line->in_transaction || draw(world, 2)) {
        end_line(pg, line);
        return;
    }
    line->state = LINE_IDLE;
    agenda_add(&world->agenda,
        (struct errand){
            .at_ms = world->now_ms + 1 + (int64_t)draw(world, GHOST_MS_MAX),
            .kind = ERRAND_REQUEST,
            .what = line->number});
}

// The coordinator that is to get shards leaves just then.
static void leave_early(struct world *world, const struct side *side)
{
    struct coordinator *to =
        side->to < COORDINATORS_MAX ? &world->coordinators[side->to] : NULL;
    if (!to || side->job != SS_JOB_HAND || !to->process.is_alive ||
        to->process.paused_to_ms > world->now_ms || to->leave_ms > 0)
        return;
    tell(world, "%s is asked to leave", to->process.name);
    agenda_add(&world->agenda, (struct errand){.at_ms = world->now_ms,
                                   .kind = ERRAND_LEAVE,
                                   .who = &to->process,
                                   .life = to->process.life});
}

// In the middle of a transaction its process may stand still: one that appends
// for longer than its lease, so that others take over from it.
static void hold(struct world *world, struct side *side)
{
    const struct climate *climate = &world->climate;
    struct process *process = side->process;
    bool is_worst = side->job == SS_JOB_APPLY || side->job == SS_JOB_HAND;
    if (side->boot || process->paused_to_ms > world->now_ms ||
        !strikes(world, climate->pause * (is_worst ? 20 : 4)))
        return;
    int64_t least_ms =
        side->job == SS_JOB_APPLY ? climate->cluster_lease_ms : LEASE_MS / 2;
    note_fault(world, FAULT_HELD);
    process->paused_to_ms =
        world->now_ms + least_ms + (int64_t)draw(world, HELD_MS_MAX);
    tell(world, "%s stands still within a transaction for %lld ms",
        process->name, (long long)(process->paused_to_ms - world->now_ms));
    leave_early(world, side);
}

static bool is_change(const struct side *side)
{
    return side->which == LINK_APPENDS;
}

static uint32_t chance_of_cut(const struct side *side)
{
    const struct climate *climate = &side->world->climate;
    return side->boot        ? 0
           : is_change(side) ? climate->commit_unsure / 2
                             : climate->read_failed / 8;
}

static void cut_off(struct world *world, struct line *line, const char *when)
{
    struct side *side = line->side;
    note_fault(world, FAULT_CUT_OFF);
    tell(
        world, "%s is cut off from the database %s", side->process->name, when);
    if (draw(world, 4) == 0)
        side->refused_to_ms = world->now_ms + (int64_t)draw(world, AWAY_MS_MAX);
    cut(line, world);
}

static void answered(struct pg *pg, struct world *world, struct line *line)
{
    struct side *side = line->side;
    judge(pg, world, line);
    if (!side) {
        end_ghost(pg, world, line);
    } else if (strikes(world, chance_of_cut(side))) {
        cut_off(world, line, "before its answer");
    } else {
        line->state = LINE_ANSWERS;
        if (line->in_transaction)
            hold(world, side);
        go_on_at(side, world->now_ms + takes_ms(world), false);
    }
}

// Until it has answered, or waits for a lock.
static void attend(struct pg *pg, struct world *world, struct line *line)
{
    if (line_listen(line))
        answered(pg, world, line);
    else
        stand_still(line);
}

// Of those that need not wait any more, one; NULL: all have to.
static struct line *draw_next(struct pg *pg, struct world *world)
{
    struct line *next = NULL;
    uint64_t count = 0;
    for (size_t i = 0; i < pg->lines.count; i++) {
        struct line *line = pg->lines.items[i];
        if (line->state != LINE_WAITS || is_locked(pg, line))
            continue;
        if (++count == 1 || draw(world, count) == 0)
            next = line;
    }
    return next;
}

// Who waited for a lock may have it now.
static void settle(struct pg *pg, struct world *world)
{
    struct line *line;
    while ((line = draw_next(pg, world))) {
        line->is_blocked = false;
        move(line);
        attend(pg, world, line);
    }
}

void line_errand(struct world *world, uint64_t number)
{
    struct pg *pg = world->database.pg;
    struct line *line = line_numbered(pg, number);
    struct side *side = line ? line->side : NULL;
    if (!line)
        return;
    if (line->state == LINE_IDLE && !side) { // a ghost's transaction
        end_line(pg, line);
        settle(pg, world);
    }
    if (line_numbered(pg, number) != line || line->state != LINE_ASKS)
        return;
    if (side && strikes(world, chance_of_cut(side))) {
        cut_off(world, line, "before it asks");
    } else {
        if (side)
            line->epoch = world->coordinators[line->coordinator].epoch;
        set_clock(pg, world, line);
        set_trouble(pg, side && side->fails ? line->pid : 0);
        line_forward(line);
        attend(pg, world, line);
        if (line_numbered(pg, number) == line && line->state == LINE_WAITS)
            note_fault(world, FAULT_LOCKED);
    }
    settle(pg, world);
}

// ------------------------------------------------ the store's

static PGconn *refused(void)
{
    return PQconnectdb("host=/nowhere port=1");
}

static struct line *dial(struct side *side, PGconn *conn)
{
    struct pg *pg = side->pg;
    int client = accept(pg->subscriber, NULL, NULL);
    ss_check(client >= 0);
    struct line *line = line_new(client, PQsocket(conn));
    line->number = ++pg->lines_made;
    line->side = side;
    line->coordinator = side->process->index;
    ss_check(line_reach(line, pg->socket));
    SS_VEC_PUSH(&pg->lines, line);
    return line;
}

// A connection beside the store's own goes past the lines: it ends those that
// hold a fence, at once.
static PGconn *side_connect(
    void *ctx, const char *const *keys, const char *const *values)
{
    struct side *side = ctx;
    sweep(side);
    if (side->store->conn)
        return PQconnectdb(side->pg->direct);
    if (side->is_dead || side->world->now_ms < side->refused_to_ms)
        return refused();
    for (struct line *old; (old = line_of(side));)
        end_line(side->pg, old);
    PGconn *conn = PQconnectStartParams(keys, values, 1);
    ss_check(PQstatus(conn) != CONNECTION_BAD);
    struct line *line = dial(side, conn);
    PostgresPollingStatusType how = PGRES_POLLING_WRITING;
    while (how != PGRES_POLLING_OK && how != PGRES_POLLING_FAILED) {
        if (how == PGRES_POLLING_READING)
            line_shuttle(line);
        how = PQconnectPoll(conn);
    }
    ss_check(how == PGRES_POLLING_OK);
    line->pid = PQbackendPID(conn);
    return conn;
}

static bool has_come(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    return poll(&ready, 1, 0) > 0;
}

// Those that were told to end are gone, before anything else is seen.
static void reap(struct side *side)
{
    struct pg *pg = side->pg;
    if (side->ended.count == 0)
        return;
    for (size_t p = 0; p < side->ended.count; p++)
        for (size_t i = pg->lines.count; i-- > 0;) {
            struct line *line = pg->lines.items[i];
            if (line->pid != side->ended.items[p] || line->server < 0)
                continue;
            move(line);
            line_listen_out(line);
            note_fault(side->world, FAULT_ENDED);
            if (!line->side)
                end_line(pg, line);
            else if (line->state == LINE_IDLE)
                (void)line_answer(line);
            else if (line->state != LINE_ANSWERS) // its last one arrives still
                cut(line, side->world);
        }
    side->ended.count = 0;
    settle(pg, side->world);
}

// Those for whom it waits will be ended next, as the store says whose.
static void note_blockers(struct side *side, const struct line *line)
{
    const char *which = side->store->cut == SS_PG_CUT_ALL
                            ? ""
                            : " WHERE EXISTS (SELECT FROM pg_stat_activity AS a"
                              " WHERE a.pid = b AND a.state LIKE 'idle in"
                              " transaction%')";
    const char *list = pg_ask(side->pg,
        "SELECT array_to_string(ARRAY(SELECT b FROM"
        " unnest(pg_blocking_pids(%d)) AS b%s), ' ')",
        line->pid, which);
    char *end = NULL;
    for (long pid; (pid = strtol(list, &end, 10)) > 0; list = end)
        SS_VEC_PUSH(&side->ended, (int)pid);
}

static int pause_of(struct side *side, int ms)
{
    go_on_at(side, side->world->now_ms + ms, true);
    fiber_pause();
    return 0;
}

static int side_wait(void *ctx, int fd, short events, int timeout_ms)
{
    struct side *side = ctx;
    reap(side);
    sweep(side);
    struct line *line = line_of(side);
    if (fd < 0)
        return side->is_dead ? 0 : pause_of(side, timeout_ms);
    if (!line || line->client < 0)
        return 1; // the end of it is what libpq finds
    bool is_whole = line_collect(line);
    if (has_come(fd) || (events & POLLOUT) ||
        (line->state == LINE_IDLE && line_answer(line)))
        return 1;
    if (line->state == LINE_IDLE) {
        ss_check(is_whole);
        line->state = LINE_ASKS;
        send_off(side->world, line);
    }
    if (timeout_ms >= 0)
        go_on_at(side, side->world->now_ms + timeout_ms, true);
    side->times_out = false;
    fiber_pause();
    if (side->times_out && line_of(side) == line && line->state == LINE_WAITS)
        note_blockers(side, line);
    return !side->times_out;
}

// ------------------------------------------------------------------ life

struct side *side_new(struct pg *pg, struct process *process, size_t which)
{
    struct side *side = ss_zalloc(1, sizeof(*side));
    struct ss_error error = {0};
    *side = (struct side){.pg = pg,
        .world = process->world,
        .process = process,
        .which = which,
        .generation = process->world->database.generation};
    side->outside = (struct ss_pg_outside){
        .connect = side_connect, .wait = side_wait, .ctx = side};
    side->outside.now = ss_format("sim_%d.now()", (int)getpid());
    char *rest = ss_format("///postgres?host=%s&port=5432&user=postgres"
                           "&schema=world_%d",
        pg->folder, (int)getpid());
    ss_check(ss_pg_new(rest, &side->store, &error) == SS_OK);
    ss_free(rest);
    side->store->outside = &side->outside;
    return side;
}

void side_free(struct side *side)
{
    struct ss_store *store = &side->store->base;
    ss_check(!side->fiber);
    ss_store_close(&store);
    struct line *line = line_of(side);
    if (line)
        end_line(side->pg, line);
    ss_free((char *)side->outside.now);
    SS_VEC_FINI(&side->ended);
    ss_free(side);
}

void side_run(struct side *side)
{
    if (fiber_go_on(side->fiber))
        side_ended(side);
}

static void go_on(struct side *side, bool times_out)
{
    struct line *line = line_of(side);
    if (line && line->state == LINE_ANSWERS && times_out)
        return; // it will be there in a moment
    side->turn++;
    side->times_out = times_out;
    if (line && line->state == LINE_ANSWERS) {
        line->state = LINE_IDLE;
        (void)line_answer(line);
    }
    side_run(side);
}

void side_errand(struct world *world, const struct errand *errand)
{
    size_t which = errand->what % LINKS;
    size_t index = errand->what / LINKS % COORDINATORS_MAX;
    struct coordinator *it = &world->coordinators[index];
    struct side *side = it->links[which].side;
    if (side && side->fiber && errand->life == it->process.life &&
        errand->what / LINKS / COORDINATORS_MAX == side->turn)
        go_on(side, errand->kind == ERRAND_TIMEOUT);
}

// What was on its way arrives, or is lost; who vanished without a word leaves a
// transaction behind.
static void leave_line(struct side *side, struct line *line)
{
    struct world *world = side->world;
    bool is_lost = line->state == LINE_ASKS
                       ? draw(world, 1000) >= world->climate.commit_lands
                       : line->state != LINE_WAITS &&
                             (!line->in_transaction || draw(world, 2));
    line->side = NULL;
    line_leave(line);
    if (is_lost) {
        end_line(side->pg, line);
        settle(side->pg, world);
    } else if (line->state == LINE_ANSWERS || line->state == LINE_IDLE) {
        line->state = LINE_IDLE;
        agenda_add(&world->agenda,
            (struct errand){
                .at_ms = world->now_ms + 1 + (int64_t)draw(world, GHOST_MS_MAX),
                .kind = ERRAND_REQUEST,
                .what = line->number});
    }
}

void side_die(struct side *side)
{
    struct line *line = line_of(side);
    side->is_dead = true;
    side->store->reconnect_ms = 0;
    if (line)
        leave_line(side, line);
}

void side_finish(struct side *side)
{
    ss_check(side->is_dead);
    while (side->fiber)
        side_run(side);
}

#endif
