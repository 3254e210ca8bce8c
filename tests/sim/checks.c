// checks.c - what must hold at every moment, and what the journal must say at
// the end. (That the results are right: customer_checks.c, reference.c.)
#include <string.h>

#include "common/base/check.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/core/journal_io.h"
#include "coordinator/engine/limits.h"
#include "tests/sim/world.h"
#include "tests/support/journal_load.h"

// ------------------------------------------------------------------ the gate

static char *status_of(struct world *world, const char *thread, const char *run)
{
    json_t *record = database_run(world, thread, run);
    char *status = ss_strdup(ss_json_str(record, "status", NULL));
    json_decref(record);
    return status;
}

bool run_is_sync(const char *run)
{
    size_t size = strlen(run);
    return size > 0 && run[size - 1] == 's';
}

struct search {
    const char *checkpoint;
    bool is_found;
    uint64_t head;
};

// The body may tell the id in place of the column (common/wire/row.h).
static bool makes(const struct ss_store_row *row, const char *checkpoint)
{
    uint8_t id[SS_UUID_BYTES];
    const uint8_t *body = row->body;
    if (row->format < SS_ROW_FORMAT_10)
        return strcmp(row->checkpoint_id, checkpoint) == 0;
    return row->body_size > sizeof(id) && (body[0] & 8) &&
           ss_uuid_parse(checkpoint, id) &&
           memcmp(body + 1, id, sizeof(id)) == 0;
}

static int look(void *ctx, const struct ss_store_row *row)
{
    struct search *search = ctx;
    search->head = row->seq;
    if (search->checkpoint && makes(row, search->checkpoint))
        search->is_found = true;
    return SS_OK;
}

static struct search search_thread(
    struct world *world, const char *thread, const char *checkpoint)
{
    struct search search = {.checkpoint = checkpoint};
    struct ss_error error = {0};
    ss_check(ss_store_read(world->database.inner, thread, 1, UINT64_MAX, look,
                 &search, &error) == SS_OK);
    return search;
}

// Until it has found out, a coordinator acts on what the database had
// acknowledged: no longer than its lease, and nothing of it is stored.
static bool acts_on_the_lost(const struct coordinator *it, const char *what)
{
    struct world *world = it->process.world;
    int64_t until_ms =
        world->database.set_back_ms + world->climate.cluster_lease_ms;
    if (!database_is_gone(it))
        return false;
    if (world->now_ms > until_ms)
        violated(world, "%s %s on a database that was set back long ago",
            it->process.name, what);
    return true;
}

// By the database; the owner before must have stopped by then.
void check_owner(
    const struct coordinator *it, const char *thread, const char *what)
{
    struct world *world = it->process.world;
    if (acts_on_the_lost(it, what))
        return;
    if (world->climate.is_shared &&
        world->database.backing->owner(world, ss_shard_of(thread)) !=
            it->process.index)
        violated(world, "%s %s for thread %s, which is of another coordinator",
            it->process.name, what, thread);
}

// Whose thread it is, alive or not.
static const struct customer *customer_of(
    struct world *world, const char *thread)
{
    for (size_t i = 0; i < world->climate.customers; i++)
        if (customer_has_thread(world->customers[i], thread))
            return world->customers[i];
    return NULL;
}

static bool was_released(struct world *world, const char *thread)
{
    const struct customer *customer = customer_of(world, thread);
    return customer && customer_has_released(customer);
}

void check_dispatch(
    const struct coordinator *it, const struct ss_assignment *order)
{
    struct world *world = it->process.world;
    check_owner(it, order->thread, "sends a task out");
    if (!run_is_sync(order->run) || database_is_gone(it))
        return;
    json_t *record = database_run(world, order->thread, order->run);
    const char *status = ss_json_str(record, "status", "not stored");
    if (strcmp(status, "running") != 0 &&
        (strcmp(status, "quarantined") != 0 ||
            !was_released(world, order->thread)))
        violated(world, "%s of run %s is sent out, and the run is %s",
            order->node, order->run, status);
    versions_dispatch(world, order, record);
    json_decref(record);
    if (world_plan(world, order)->keeps != SS_CHECKPOINTER_NONE &&
        !search_thread(world, order->thread, order->checkpoint_id).is_found)
        violated(world,
            "%s of run %s is sent out before its checkpoint is "
            "durable",
            order->node, order->run);
}

bool check_tells_rollback(const json_t *answer)
{
    const json_t *error = json_object_get(answer, "error");
    return strcmp(ss_json_str(answer, "status", ""), "cancelled") == 0 &&
           strstr(ss_json_str(error, "message", ""), "(if_busy: rollback)");
}

void check_reply(const struct coordinator *it, const json_t *reply)
{
    struct world *world = it->process.world;
    const char *run = ss_json_str(reply, "run", NULL);
    const char *said = ss_json_str(reply, "status", NULL);
    if (run && json_object_get(reply, "from") && !database_is_gone(it))
        versions_moved(world, reply);
    if (!run || !said || acts_on_the_lost(it, "answers"))
        return;
    if (check_tells_rollback(reply)) {
        check_gone(world, ss_json_str(reply, "thread", "?"), run, false);
        return;
    }
    char *status = status_of(world, ss_json_str(reply, "thread", "?"), run);
    bool goes_on = strcmp(said, "running") == 0 || strcmp(said, "queued") == 0;
    if (!status || (strcmp(status, said) != 0 && !goes_on))
        violated(world, "run %s is said to be %s, and stored as %s", run, said,
            status ? status : "nothing");
    ss_free(status);
}

// It was accepted, and taken back before anybody could be told; whoever had
// asked for that may have gone since then.
static bool was_taken_back(
    struct world *world, const char *thread, const char *run)
{
    const struct customer *customer = customer_of(world, thread);
    return customer && customer_may_lack(customer, run) &&
           check_gone(world, thread, run, true);
}

void check_event(const struct coordinator *it, const struct customer *customer,
    const json_t *event)
{
    struct world *world = it->process.world;
    if (acts_on_the_lost(it, "tells an event"))
        return;
    const char *run = ss_json_str(event, "run", NULL);
    if (run && json_is_true(json_object_get(event, "accepted"))) {
        const char *thread = ss_json_str(event, "thread", "?");
        char *status = status_of(world, thread, run);
        if (!status && !was_taken_back(world, thread, run))
            violated(world, "run %s is accepted and not stored", run);
        ss_free(status);
    }
    const char *seq = ss_json_str(event, "seq", NULL);
    if (!seq || !customer || !customer_is_sync(customer))
        return;
    uint64_t head = search_thread(world, customer_thread(customer), NULL).head;
    if (strtoull(seq, NULL, 10) > head)
        violated(world,
            "event %s of thread %s leaves before its row is durable", seq,
            customer_thread(customer));
}

// ------------------------------------------------ the journal

struct load {
    struct world *world;
    struct ss_journal *journal;
    uint64_t chain;
};

static int load_row(void *ctx, const struct ss_store_row *row)
{
    struct load *load = ctx;
    struct ss_error error = {0};
    if (journal_load_row(load->journal, row, &load->chain, &error) != SS_OK)
        violated(load->world, "%s", error.message);
    return SS_OK;
}

static struct ss_journal *load_thread(struct world *world, const char *thread)
{
    struct load load = {.world = world, .journal = ss_journal_new()};
    struct ss_error error = {0};
    ss_check(ss_store_read(world->database.inner, thread, 1, UINT64_MAX,
                 load_row, &load, &error) == SS_OK);
    if (ss_journal_check(load.journal, &error) != SS_OK)
        violated(world, "%s", error.message);
    return load.journal;
}

// Writes of one task to one checkpoint stand in one row.
static void check_once(
    struct world *world, const struct ss_row *row, struct ss_map *known)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *write = &row->writes[i];
        if (write->idx < 0 || strcmp(write->task_id, SS_NULL_TASK) == 0)
            continue;
        char *key = ss_format("%s %s %s", row->ns, row->of, write->task_id);
        const struct ss_row *other = ss_map_get(known, key);
        // a resume runs an error handler anew (R6.19)
        bool is_anew = other && strcmp(other->run, row->run) != 0 &&
                       strstr(write->path, SS_NAME_HANDLER_PATH);
        if (other && other != row && !is_anew)
            violated(world,
                "the writes of task %s stand in rows %llu (of run %s) "
                "and %llu (of run %s)",
                write->path, (unsigned long long)other->seq, other->run,
                (unsigned long long)row->seq, row->run);
        ss_map_put(known, key, (void *)row);
        ss_free(key);
    }
}

// What a try of the task around had lost says nothing of the next one.
static void forget_inside(struct ss_map *known, const struct ss_row *row)
{
    for (struct ss_map_entry *e = known->first, *next; e; e = next) {
        next = e->next;
        const struct ss_row *other = e->value;
        if (strcmp(other->run, row->run) == 0 &&
            strlen(other->ns) > strlen(row->ns))
            ss_map_remove(known, e->key);
    }
}

static const json_t *lost_in(const struct ss_row *row, const char *task_id)
{
    for (size_t i = 0; i < row->writes_count; i++)
        if (strcmp(row->writes[i].channel, SS_NAME_LOST) == 0 &&
            strcmp(row->writes[i].task_id, task_id) == 0)
            return ss_value_json(row->writes[i].value);
    return NULL;
}

// However often coordinators change: a task is lost once more than it was
// before, and no more often than a task may be.
static void check_lost(
    struct world *world, const struct ss_row *row, struct ss_map *known)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *write = &row->writes[i];
        if (strcmp(write->channel, SS_NAME_TRIES) == 0)
            forget_inside(known, row);
        if (strcmp(write->channel, SS_NAME_LOST) != 0)
            continue;
        char *key = ss_format(
            "%s %s %s %s", row->run, row->ns, row->of, write->task_id);
        const struct ss_row *before = ss_map_put(known, key, (void *)row);
        const json_t *is = ss_value_json(write->value);
        const json_t *was = before ? lost_in(before, write->task_id) : NULL;
        int64_t count = ss_json_int(is, "lost", 0);
        if (count < 1 || count > SS_REDELIVERIES_MAX ||
            count <= ss_json_int(was, "lost", 0) ||
            ss_json_int(is, "attempts", 0) <= ss_json_int(was, "attempts", 0))
            violated(world,
                "task %s of run %s was lost %lld times in row %llu, "
                "and %lld times before",
                write->path, row->run, (long long)count,
                (unsigned long long)row->seq,
                (long long)ss_json_int(was, "lost", 0));
        ss_free(key);
    }
}

static int64_t version_of(
    const struct ss_checkpoint *checkpoint, const char *key)
{
    const struct ss_slot *slot = ss_map_get(&checkpoint->channels, key);
    return slot ? slot->version : 0;
}

// I1, I4.
static void check_versions(struct world *world,
    const struct ss_checkpoint_entry *mark, const struct ss_checkpoint *is,
    const struct ss_checkpoint *was)
{
    const struct ss_map_entry *e;
    for (e = was ? was->channels.first : NULL; e; e = e->next)
        if (version_of(is, e->key) < version_of(was, e->key))
            violated(world, "checkpoint %s: the version of %s goes back",
                mark->row->checkpoint_id, e->key);
    for (e = is->seen.first; e; e = e->next) {
        const struct ss_map *seen = e->value;
        for (const struct ss_map_entry *s = seen->first; s; s = s->next)
            if (*(const int64_t *)s->value > version_of(is, s->key))
                violated(world,
                    "checkpoint %s: %s has seen a version of %s "
                    "that is not there",
                    mark->row->checkpoint_id, e->key, s->key);
    }
}

// I6, I7. Under `exit` steps are left out.
static void check_parent(
    struct world *world, const struct ss_checkpoint_entry *mark)
{
    const struct ss_checkpoint_entry *parent = mark->parent;
    if (!parent)
        return;
    if (strcmp(parent->row->checkpoint_id, mark->row->checkpoint_id) >= 0)
        violated(world, "checkpoint %s is not after its parent",
            mark->row->checkpoint_id);
    if (mark->row->step <= parent->row->step ||
        (run_is_sync(mark->row->run) &&
            mark->row->step != parent->row->step + 1))
        violated(world, "checkpoint %s is of step %lld, its parent of %lld",
            mark->row->checkpoint_id, (long long)mark->row->step,
            (long long)parent->row->step);
}

static void check_space(
    struct world *world, struct ss_journal *journal, const char *ns)
{
    size_t count = 0;
    struct ss_checkpoint_entry *const *marks =
        ss_journal_list(journal, ns, &count);
    for (size_t i = 0; i < count; i++) {
        struct ss_checkpoint *is = ss_journal_fold(journal, marks[i]);
        struct ss_checkpoint *was =
            marks[i]->parent ? ss_journal_fold(journal, marks[i]->parent)
                             : NULL;
        if (!is)
            violated(world, "checkpoint %s cannot be read",
                marks[i]->row->checkpoint_id);
        check_parent(world, marks[i]);
        check_versions(world, marks[i], is, was);
        if (was)
            versions_kept(world, marks[i], is, was);
        ss_checkpoint_unref(is);
        ss_checkpoint_unref(was);
    }
}

void check_thread(struct world *world, const char *thread)
{
    struct ss_journal *journal = load_thread(world, thread);
    struct ss_map known = {0}, lost = {0};
    struct ss_map entries = {0};
    for (uint64_t seq = 1; seq <= ss_journal_head(journal); seq++) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (row) {
            check_once(world, row, &known);
            check_lost(world, row, &lost);
            versions_row(world, row, &entries);
        }
    }
    size_t count = 0;
    const char *const *spaces = ss_journal_namespaces(journal, &count);
    for (size_t i = 0; i < count; i++)
        check_space(world, journal, spaces[i]);
    ss_map_fini(&known, NULL);
    ss_map_fini(&lost, NULL);
    ss_map_fini(&entries, NULL);
    ss_journal_destroy(&journal);
}

struct rows {
    const char *run;
    size_t count, voids;
};

static int count_row(void *ctx, const struct ss_store_row *row)
{
    struct rows *rows = ctx;
    rows->count += strcmp(row->run, rows->run) == 0;
    rows->voids += row->kind == SS_ROW_VOID;
    return SS_OK;
}

bool check_gone(
    struct world *world, const char *thread, const char *run, bool is_first)
{
    struct ss_journal *journal = load_thread(world, thread);
    struct rows rows = {.run = run};
    struct ss_error error = {0};
    char *status = status_of(world, thread, run);
    if (status)
        violated(
            world, "run %s was taken back, and is stored as %s", run, status);
    for (uint64_t seq = 1; seq <= ss_journal_head(journal); seq++) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (row && strcmp(row->run, run) == 0)
            violated(world, "run %s was taken back, and its row %llu counts",
                run, (unsigned long long)seq);
    }
    ss_journal_destroy(&journal);
    ss_check(ss_store_read(world->database.inner, thread, 1, UINT64_MAX,
                 count_row, &rows, &error) == SS_OK);
    return rows.count > 0 || (is_first && rows.voids > 0);
}

void check_ended(struct world *world, const char *thread)
{
    size_t count = database_open_runs(world, thread, NULL);
    if (count > 0)
        violated(world, "%zu runs of thread %s have not ended", count, thread);
}
