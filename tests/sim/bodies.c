// bodies.c - which bodies have begun, and what was durable when they did.
//
// Under `sync` no body of a task begins when a row holds its writes already, or
// when a later superstep stands: whatever slept, died, came late or came twice.
// A task that failed begins again, and so does one that asked, or whose worker
// was lost before its row was durable.
#include <stdio.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/model/reserved.h"
#include "coordinator/core/journal_io.h"
#include "tests/sim/world.h"

// A task, known by its checkpoint and its id.
struct life {
    uint32_t begun;
    uint64_t row;           // that holds its writes; 0: none does
    char run[SS_UUID_SIZE]; // which that row is of
};

struct ledger {         // of a thread
    uint64_t head;      // the last row that was looked at
    uint64_t head_hash; // of its body
    bool is_the_same;   // that row stands, or one behind it where it was pruned
    bool has_met_head;  // while it is read on
    uint64_t generation; // of the database
    uint64_t kept;       // results that were taken from the cache
    struct ss_map lives;
    struct ss_map passed; // checkpoints that a later superstep stands behind
    struct ss_map left;   // runs, each with a version that it moved away from
    SS_VEC(struct ss_row *) rows; // that were looked at: later ones repeat them
};

static void forget(struct ledger *it)
{
    ss_map_fini(&it->lives, ss_free);
    ss_map_fini(&it->passed, NULL);
    ss_map_fini(&it->left, NULL);
    for (size_t i = 0; i < it->rows.count; i++)
        ss_row_destroy(&it->rows.items[i]);
    SS_VEC_FINI(&it->rows);
    it->head = 0;
}

static void free_ledger(void *ledger)
{
    forget(ledger);
    ss_free(ledger);
}

void bodies_fini(struct world *world)
{
    ss_map_fini(&world->ledgers, free_ledger);
}

static struct life *life_of(
    struct ledger *it, const char *checkpoint, const char *task_id)
{
    char key[2 * SS_UUID_SIZE];
    snprintf(key, sizeof(key), "%s %s", checkpoint, task_id);
    struct life *life = ss_map_get(&it->lives, key);
    if (!life) {
        life = ss_zalloc(1, sizeof(*life));
        ss_map_put(&it->lives, key, life);
    }
    return life;
}

static void note_write(struct ledger *it, const struct ss_row *row,
    const struct ss_row_write *write)
{
    bool fails = strcmp(write->channel, SS_NAME_ERROR) == 0;
    if (strcmp(write->task_id, SS_NULL_TASK) == 0 || (write->idx < 0 && !fails))
        return;
    struct life *life = life_of(it, row->of, write->task_id);
    // nobody ran it: what an earlier task with the same input wrote was kept
    it->kept += !fails && life->row == 0 && life->begun == 0;
    life->row = fails ? 0 : row->seq;
    memcpy(life->run, row->run, sizeof(life->run));
}

static void left_key(
    char ret_key[2 * SS_UUID_SIZE], const char *run, const char *version)
{
    snprintf(ret_key, 2 * SS_UUID_SIZE, "%s %s", run, version);
}

static void note_move(struct ledger *it, const struct ss_row *row)
{
    const char *from = ss_json_str(row->entry, "moved_from", NULL);
    char key[2 * SS_UUID_SIZE];
    if (!from)
        return;
    left_key(key, row->run, from);
    ss_map_put(&it->left, key, it);
}

// A run that moved to a version which has no such node any more goes on without
// the task; a worker may hear of that when the body has begun.
static bool is_dropped(struct ledger *it, const struct life *life,
    const struct ss_assignment *order)
{
    char key[2 * SS_UUID_SIZE];
    left_key(key, order->run, order->version);
    return life->row == 0 && ss_map_get(&it->left, key);
}

static const struct ss_row *find_row(void *ctx, uint64_t seq)
{
    const struct ledger *it = ctx;
    for (size_t i = it->rows.count; i > 0; i--)
        if (it->rows.items[i - 1]->seq == seq)
            return it->rows.items[i - 1];
    return NULL;
}

static int note_row(void *ctx, const struct ss_store_row *stored)
{
    struct ledger *it = ctx;
    struct ss_row *row = NULL;
    const struct ss_row_finder earlier = {find_row, it};
    struct ss_error error = {0};
    uint64_t hash = ss_hash64(stored->body, stored->body_size);
    bool is_head = stored->seq == it->head;
    if (is_head) {
        it->is_the_same = hash == it->head_hash;
        it->has_met_head = true;
        return SS_OK;
    }
    // The head was pruned: what is behind it is of the same thread.
    it->is_the_same = it->is_the_same || !it->has_met_head;
    if (!it->is_the_same)
        return SS_OK;
    it->head = stored->seq;
    it->head_hash = hash;
    if (ss_journal_io_decode(stored, &earlier, &row, &error) != SS_OK)
        return SS_ECORRUPT;
    SS_VEC_PUSH(&it->rows, row);
    for (size_t i = 0; i < row->writes_count; i++)
        note_write(it, row, &row->writes[i]);
    note_move(it, row);
    if (row->parent_id[0] && row->source == SS_SOURCE_LOOP)
        ss_map_put(&it->passed, row->parent_id, it);
    return SS_OK;
}

static void read_on(struct world *world, struct ledger *it, const char *thread)
{
    struct ss_error error = {0};
    it->has_met_head = false;
    if (ss_store_read(world->database.inner, thread, it->head, UINT64_MAX,
            note_row, it, &error) != SS_OK)
        violated(world, "thread %s cannot be read: %s", thread, error.message);
}

// What is durable now. A thread that was deleted, and made again, has other
// rows under the same numbers.
static struct ledger *look(struct world *world, const char *thread)
{
    struct ledger *it = ss_map_get(&world->ledgers, thread);
    if (!it) {
        it = ss_zalloc(1, sizeof(*it));
        ss_map_put(&world->ledgers, thread, it);
    }
    if (it->generation != world->database.generation)
        forget(it); // its rows may be of a future that was lost
    it->generation = world->database.generation;
    it->is_the_same = it->head == 0;
    read_on(world, it, thread);
    if (!it->is_the_same) {
        forget(it);
        it->is_the_same = true;
        read_on(world, it, thread);
    }
    return it;
}

void bodies_end(struct world *world, const char *thread)
{
    const struct ledger *it = look(world, thread);
    if (it->generation == 1) // else the bodies of its rows are forgotten
        world->report.cached += it->kept;
}

void bodies_begin(struct world *world, const struct ss_assignment *order)
{
    if (order->kind == SS_ORDER_FOLD)
        return;
    struct ledger *ledger = look(world, order->thread);
    struct life *life = life_of(ledger, order->checkpoint_id, order->task_id);
    world->report.bodies++;
    world->report.bodies_again += life->begun++ > 0;
    if (!run_is_sync(order->run))
        return;
    // a resume runs an error handler anew (R6.19)
    bool is_anew = strcmp(life->run, order->run) != 0 &&
                   strstr(order->path, SS_NAME_HANDLER_PATH);
    bool is_passed = ss_map_get(&ledger->passed, order->checkpoint_id) &&
                     !is_dropped(ledger, life, order);
    if ((life->row == 0 || is_anew) && !is_passed)
        return;
    violated(world, "%s of run %s, superstep %lld, begins: %s", order->node,
        order->run, (long long)order->step,
        is_passed ? "a later superstep is durable" : "a row holds its writes");
}
