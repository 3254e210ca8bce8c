// database_memory.c - the database as a model: under all connections lies one
// real memory store; leases, shards and fences are as
// coordinator/store/postgres_cluster.c has them.
#include <string.h>

#include "common/base/check.h"
#include "common/model/value.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/store.h"
#include "coordinator/store/store_impl.h"
#include "tests/sim/world.h"

// A connection.
struct session {
    struct ss_store base;
    struct world *world;
    size_t self;         // whose
    uint64_t generation; // of the database that it is connected to
    int fail_status;     // of the next commit; SS_OK: it goes well
    bool fail_after;     // all of it is there, it only says that it failed
};

static struct database *database_of(struct ss_store *base)
{
    return &((struct session *)base)->world->database;
}

// ------------------------------------------------------------------ fences

static void raise_epoch(struct world *world)
{
    struct database *database = &world->database;
    uint64_t now = (uint64_t)world_us(world);
    database->cluster.epoch++;
    if (database->cluster.epoch < now)
        database->cluster.epoch = now;
}

static int fence_take(struct ss_store *base, const char *coordinator, int actor,
    uint64_t *ret_epoch, struct ss_error *error)
{
    struct session *session = (struct session *)base;
    struct database *database = database_of(base);
    (void)coordinator;
    (void)actor;
    (void)error;
    raise_epoch(session->world);
    database->cluster.fences[session->self].epoch = database->cluster.epoch;
    *ret_epoch = database->cluster.epoch;
    return SS_OK;
}

// The connection was lost with what was there; whoever makes it again finds
// another database (coordinator/store/postgres_connect.c).
static bool is_gone(const struct session *session)
{
    return session->generation != session->world->database.generation;
}

static int gone(struct ss_error *error)
{
    return ss_error_set(
        error, SS_EFENCED, "it is not the database that it was");
}

static bool stands(struct session *session, uint64_t epoch)
{
    if (is_gone(session))
        return false;
    const struct fence *fence =
        &session->world->database.cluster.fences[session->self];
    return epoch != 0 && fence->epoch == epoch;
}

// ------------------------------------------------------------------ appending

static void check_units(
    struct session *session, const struct ss_store_batch *batch)
{
    struct world *world = session->world;
    for (size_t i = 0; i < batch->units_count; i++) {
        const char *thread = batch->units[i].thread;
        if (thread && world->database.cluster.owners[ss_shard_of(thread)] !=
                          session->self)
            violated(world,
                "c%zu appends to thread %s, which is of another "
                "coordinator",
                session->self + 1, thread);
    }
}

static void remember(struct database *database, const struct climate *climate,
    const struct ss_store_unit *unit)
{
    if (climate->set_back == 0 || unit->result != SS_OK)
        return;
    struct moment moment = {ss_job_apply(0, unit), database->cluster};
    SS_VEC_PUSH(&database->past, moment);
}

static int apply(
    struct ss_store *base, struct ss_store_batch *batch, struct ss_error *error)
{
    struct session *session = (struct session *)base;
    struct world *world = session->world;
    int fails = session->fail_status;
    session->fail_status = SS_OK;
    if (fails != SS_OK && !session->fail_after)
        return ss_error_set(error, fails, "the commit failed");
    if (is_gone(session) ||
        (world->climate.is_shared && !stands(session, batch->epoch))) {
        for (size_t i = 0; i < batch->units_count; i++)
            batch->units[i].result = SS_EFENCED;
        note_fault(world, FAULT_FENCED);
        return SS_OK;
    }
    if (world->climate.is_shared)
        check_units(session, batch);
    int status = ss_store_apply(world->database.inner, batch, error);
    ss_check(status == SS_OK);
    for (size_t i = 0; i < batch->units_count; i++)
        remember(&world->database, &world->climate, &batch->units[i]);
    return fails == SS_OK
               ? SS_OK
               : ss_error_set(error, fails, "the connection was lost");
}

// ------------------------------------------------------------------ leases

// Endpoint and name are the same: "c1".
static size_t number_of(const char *name)
{
    return (size_t)(name[1] - '1');
}

static int begin_as(struct session *session, const struct ss_member *self,
    struct ss_error *error)
{
    if (!stands(session, self->epoch))
        return ss_error_set(error, SS_EFENCED, "another one took over");
    return SS_OK;
}

static int renew(struct ss_store *base, const struct ss_member *self,
    int64_t lease_ms, struct ss_error *error)
{
    struct session *session = (struct session *)base;
    int status = begin_as(session, self, error);
    if (status == SS_OK)
        database_of(base)->cluster.leases[session->self] =
            (struct lease){.is_member = true,
                .drains = self->drains,
                .epoch = self->epoch,
                .row_format = self->row_format,
                .end_ms = session->world->now_ms + lease_ms};
    return status;
}

static void move_shards(struct cluster *cluster, size_t from, uint16_t to,
    struct ss_shards *ret_moved)
{
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (cluster->owners[i] == from) {
            cluster->owners[i] = to;
            if (ret_moved)
                ss_shards_add(ret_moved, i);
        }
}

static int end_lease(
    struct ss_store *base, const struct ss_member *self, struct ss_error *error)
{
    struct session *session = (struct session *)base;
    int status = begin_as(session, self, error);
    if (status != SS_OK)
        return status;
    database_of(base)->cluster.leases[session->self] = (struct lease){0};
    move_shards(&database_of(base)->cluster, session->self, SS_NOBODY, NULL);
    return SS_OK;
}

static int look(
    struct ss_store *base, struct ss_cluster *ret, struct ss_error *error)
{
    struct database *database = database_of(base);
    struct world *world = ((struct session *)base)->world;
    uint16_t places[COORDINATORS_MAX];
    if (is_gone((struct session *)base))
        return gone(error);
    *ret = (struct ss_cluster){
        .members = ss_zalloc(COORDINATORS_MAX, sizeof(*ret->members)),
        .epoch = database->cluster.epoch};
    for (size_t i = 0; i < COORDINATORS_MAX; i++) {
        const struct lease *lease = &database->cluster.leases[i];
        places[i] = SS_NOBODY;
        if (!lease->is_member)
            continue;
        places[i] = (uint16_t)ret->members_count;
        struct ss_member *member = &ret->members[ret->members_count++];
        const char *name = world->coordinators[i].process.name;
        memcpy(member->name, name, strlen(name) + 1);
        memcpy(member->endpoint, name, strlen(name) + 1);
        member->epoch = lease->epoch;
        member->left_ms = lease->end_ms - world->now_ms;
        member->drains = lease->drains;
        member->row_format = lease->row_format;
    }
    for (size_t i = 0; i < SS_SHARDS; i++)
        ret->owners[i] = database->cluster.owners[i] == SS_NOBODY
                             ? SS_NOBODY
                             : places[database->cluster.owners[i]];
    return SS_OK;
}

static int lease_lives(struct session *session, const struct ss_member *self,
    struct ss_error *error)
{
    const struct lease *lease =
        &session->world->database.cluster.leases[session->self];
    if (lease->is_member && lease->epoch == self->epoch &&
        lease->end_ms > session->world->now_ms)
        return SS_OK;
    return ss_error_set(error, SS_EAGAIN, "the lease has ended");
}

static int claim(struct ss_store *base, const struct ss_member *self,
    const struct ss_shards *wanted, struct ss_shards *ret_got,
    struct ss_error *error)
{
    struct session *session = (struct session *)base;
    struct database *database = database_of(base);
    struct ss_shards got = {{0}};
    int status = begin_as(session, self, error);
    if (status == SS_OK)
        status = lease_lives(session, self, error);
    if (status != SS_OK)
        return status;
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(wanted, i) &&
            database->cluster.owners[i] == SS_NOBODY) {
            database->cluster.owners[i] = (uint16_t)session->self;
            ss_shards_add(&got, i);
        }
    raise_epoch(session->world);
    *ret_got = got;
    return SS_OK;
}

static int take(struct ss_store *base, const struct ss_member *self,
    const char *dead, struct ss_shards *ret_got, struct ss_error *error)
{
    struct session *session = (struct session *)base;
    struct world *world = session->world;
    size_t other = number_of(dead);
    struct lease *lease = &world->database.cluster.leases[other];
    struct ss_shards got = {{0}};
    int status = begin_as(session, self, error);
    if (status == SS_OK)
        status = lease_lives(session, self, error);
    if (status != SS_OK)
        return status;
    if (!lease->is_member || lease->end_ms > world->now_ms)
        return ss_error_set(error, SS_EBUSY, "its lease has not ended");
    world->database.cluster.fences[other].epoch = 0;
    *lease = (struct lease){0};
    move_shards(&world->database.cluster, other, (uint16_t)session->self, &got);
    raise_epoch(world);
    note_fault(world, FAULT_TAKEOVER);
    tell(world, "c%zu takes over from %s: %zu shards", session->self + 1, dead,
        ss_shards_count(&got));
    *ret_got = got;
    return SS_OK;
}

static int hand(struct ss_store *base, const struct ss_member *self,
    const struct ss_shards *shards, const char *to, struct ss_error *error)
{
    struct session *session = (struct session *)base;
    struct database *database = database_of(base);
    int status = begin_as(session, self, error);
    if (status != SS_OK)
        return status;
    uint16_t owner = SS_NOBODY;
    if (to && database->cluster.leases[number_of(to)].is_member)
        owner = (uint16_t)number_of(to);
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(shards, i) &&
            database->cluster.owners[i] == session->self)
            database->cluster.owners[i] = owner;
    raise_epoch(session->world);
    tell(session->world, "c%zu hands %zu shards to %s", session->self + 1,
        ss_shards_count(shards), to ? to : "nobody");
    return SS_OK;
}

// ------------------------------------------------------------------ sessions

static int read_rows(struct ss_store *base, const char *thread,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error)
{
    if (is_gone((struct session *)base))
        return gone(error);
    return ss_store_read(
        database_of(base)->inner, thread, range[0], range[1], row, ctx, error);
}

static int scan(struct ss_store *base, const struct ss_entry_query *query,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error)
{
    size_t limit = query->limit == SIZE_MAX ? 0 : query->limit;
    if (is_gone((struct session *)base))
        return gone(error);
    return ss_store_scan(database_of(base)->inner, query->table, query->index,
        query->after, limit, entry, ctx, error);
}

static int get(struct ss_store *base, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    if (is_gone((struct session *)base))
        return gone(error);
    return ss_store_get(
        database_of(base)->inner, table, key, entry, ctx, error);
}

static int search_in(struct ss_store *base,
    const struct ss_store_search *search, ss_store_found_fn *found, void *ctx,
    struct ss_error *error)
{
    if (is_gone((struct session *)base))
        return gone(error);
    return ss_store_search(database_of(base)->inner, search, found, ctx, error);
}

static void close_session(struct ss_store *base)
{
    ss_free(base);
}

static struct ss_store *connect_to(struct world *world, size_t coordinator)
{
    static const struct ss_store_cluster_ops cluster = {.renew = renew,
        .end = end_lease,
        .read = look,
        .claim = claim,
        .take = take,
        .hand = hand};
    static const struct ss_store_ops ops = {.apply = apply,
        .read = read_rows,
        .scan = scan,
        .get = get,
        .search = search_in,
        .fence_take = fence_take,
        .cluster = &cluster,
        .close = close_session};
    struct session *session = ss_zalloc(1, sizeof(*session));
    session->base.ops = &ops;
    session->base.name = ss_strdup("the database");
    session->world = world;
    session->self = coordinator;
    session->generation = world->database.generation;
    return &session->base;
}

static struct ss_store *open_inner(void)
{
    struct ss_store *inner = NULL;
    struct ss_error error = {0};
    if (ss_store_open("memory:", &inner, &error) != SS_OK)
        ss_check_failed(error.message, __FILE__, __LINE__);
    return inner;
}

static void open_memory(struct world *world)
{
    struct database *database = &world->database;
    database->inner = open_inner();
    database->generation = 1;
    for (size_t i = 0; i < SS_SHARDS; i++)
        database->cluster.owners[i] = SS_NOBODY;
}

static void forget_from(struct database *database, size_t count)
{
    for (size_t i = count; i < database->past.count; i++)
        ss_job_destroy(&database->past.items[i].job);
    database->past.count = count;
}

static void close_memory(struct world *world)
{
    forget_from(&world->database, 0);
    SS_VEC_FINI(&world->database.past);
    ss_store_close(&world->database.inner);
}

// ------------------------------------------------------------------ the past

// A standby lags by little, a backup by whatever there was.
static size_t draw_loss(struct world *world)
{
    size_t count = world->database.past.count;
    size_t lost = 1 + (size_t)draw(world, draw(world, 2) ? 6 : count);
    return lost < count ? lost : count;
}

static void set_back(struct world *world)
{
    struct database *database = &world->database;
    struct ss_error error = {0};
    size_t kept = database->past.count - draw_loss(world);
    forget_from(database, kept);
    ss_store_close(&database->inner);
    database->inner = open_inner();
    for (size_t i = 0; i < kept; i++) {
        struct ss_store_unit unit = database->past.items[i].job->unit;
        struct ss_store_batch batch = {.units = &unit, .units_count = 1};
        ss_check(ss_store_apply(database->inner, &batch, &error) == SS_OK &&
                 unit.result == SS_OK);
    }
    database->cluster =
        kept > 0 ? database->past.items[kept - 1].cluster : (struct cluster){0};
    for (size_t i = 0; i < SS_SHARDS && kept == 0; i++)
        database->cluster.owners[i] = SS_NOBODY;
    database->generation++;
    database->set_back_ms = world->now_ms;
}

static bool may_go_back(const struct world *world)
{
    return world->database.past.count > 0;
}

static bool is_gone_of(const struct coordinator *it)
{
    return is_gone((const struct session *)it->links[LINK_APPENDS].store);
}

// ------------------------------------------------------------------ commits

// What befalls the next commit.
static void draw_commit(struct world *world, struct session *session)
{
    const struct climate *climate = &world->climate;
    session->fail_after = true;
    if (strikes(world, climate->commit_failed)) {
        session->fail_status = SS_EIO;
        session->fail_after = false;
        note_fault(world, FAULT_COMMIT_FAILED);
    } else if (strikes(world, climate->commit_lied)) {
        session->fail_status = SS_EIO;
        note_fault(world, FAULT_COMMIT_LIED);
    } else if (strikes(world, climate->commit_unsure)) {
        session->fail_status = SS_EAGAIN;
        session->fail_after = draw(world, 4) != 0;
        note_fault(world, FAULT_COMMIT_UNSURE);
    }
}

static bool may_fail(const struct ss_job *job)
{
    return job->type != SS_JOB_APPLY && job->type != SS_JOB_HAND &&
           job->type != SS_JOB_END && job->type != SS_JOB_SCAN &&
           job->type != SS_JOB_TELL;
}

// One that only looked finds nothing; one that changed something had its
// effect.
static void fail_read(struct world *world, struct ss_job *job)
{
    if (!may_fail(job) || job->status != SS_OK ||
        !strikes(world, world->climate.read_failed))
        return;
    note_fault(world, FAULT_READ_FAILED);
    job->status = ss_error_set(&job->error, SS_EIO, "the connection was lost");
}

static void commit(struct process *process, size_t which)
{
    struct world *world = process->world;
    struct store_link *link = &world->coordinators[process->index].links[which];
    struct ss_jobs_stats stats = {0};
    if (link->running->type == SS_JOB_APPLY)
        draw_commit(world, (struct session *)link->store);
    struct ss_job *done = ss_jobs_run_some(link->store,
        world->coordinators[process->index].epoch, &link->running, &stats);
    fail_read(world, done);
    *jobs_end(&link->done) = done;
    agenda_add(&world->agenda, (struct errand){.at_ms = world->now_ms,
                                   .kind = ERRAND_HEARD,
                                   .who = process,
                                   .life = process->life,
                                   .what = which});
}

// ------------------------------------------------------------------ crashes

// The commit that was on its way when its coordinator died.
struct ghost {
    struct ss_store *store;
    struct ss_job *jobs;
    uint64_t epoch;
};

void database_ghost_drop(void *load)
{
    struct ghost *ghost = load;
    jobs_free(&ghost->jobs);
    ss_store_close(&ghost->store);
    ss_free(ghost);
}

static void ghost_lands(struct world *world, void *load)
{
    struct ghost *ghost = load;
    struct ss_jobs_stats stats = {0};
    struct ss_job *done =
        ss_jobs_run_some(ghost->store, ghost->epoch, &ghost->jobs, &stats);
    tell(world, "(the last commit of a dead coordinator %s)",
        done->status == SS_EFENCED ? "is refused" : "is there");
    jobs_free(&done);
    database_ghost_drop(ghost);
}

static void lose_link(struct process *process, size_t which)
{
    struct world *world = process->world;
    struct store_link *link = &world->coordinators[process->index].links[which];
    bool lands = link->running && !link->done &&
                 link->running->type == SS_JOB_APPLY &&
                 draw(world, 1000) < world->climate.commit_lands;
    jobs_free(&link->done);
    jobs_free(&link->queue);
    if (lands) {
        struct ghost *ghost = ss_zalloc(1, sizeof(*ghost));
        *ghost = (struct ghost){link->store, link->running,
            world->coordinators[process->index].epoch};
        // a database of its own has it before another process opens it
        if (world->climate.is_shared)
            agenda_add(&world->agenda,
                (struct errand){
                    .at_ms = world->now_ms + 1 + (int64_t)draw(world, 4000),
                    .kind = ERRAND_GHOST,
                    .load = ghost});
        else
            ghost_lands(world, ghost);
    } else {
        jobs_free(&link->running);
        ss_store_close(&link->store);
    }
    *link = (struct store_link){0};
}

static void lose(struct process *process)
{
    for (size_t i = 0; i < LINKS; i++)
        lose_link(process, i);
}

// ------------------------------------------------------------------ life

static void start(struct coordinator *it)
{
    struct world *world = it->process.world;
    struct ss_error error = {0};
    for (size_t i = 0; i < LINKS; i++)
        it->links[i].store = connect_to(world, it->process.index);
    struct ss_store *store = it->links[LINK_APPENDS].store;
    int status = world->climate.is_shared
                     ? ss_store_fence_take(
                           store, it->process.name, 0, &it->epoch, &error)
                     : ss_store_alone_epoch(
                           store, coordinator_wall_us(it), &it->epoch, &error);
    if (status != SS_OK)
        ss_check_failed(error.message, __FILE__, __LINE__);
    coordinator_live(it);
}

static void arrive(struct world *world, const struct errand *errand)
{
    ghost_lands(world, errand->load);
}

static uint16_t owner(struct world *world, uint16_t shard)
{
    return world->database.cluster.owners[shard];
}

const struct backing *backing_memory(void)
{
    static const struct backing backing = {.open = open_memory,
        .close = close_memory,
        .start = start,
        .commit = commit,
        .lose = lose,
        .arrive = arrive,
        .may_go_back = may_go_back,
        .set_back = set_back,
        .is_gone = is_gone_of,
        .owner = owner};
    return &backing;
}
