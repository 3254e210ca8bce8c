// versions.c - two versions of each graph, side by side: which of them is
// rolled out, who serves what, how runs move, and what must hold then.
//
// The versions plan alike, so what a thread comes to is the same on each, and
// whenever it moves. What tells them apart: each has a counter that the other
// lacks (plan.h), the second a node more; and what a body writes says which one
// it ran as.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "tests/sim/world.h"

enum {
    OPERATOR_MS = 3000, // looks after the runs that are left, within
    ROLL_MS = 5000,     // in which the workers are exchanged, one by one
    SETTLED_MS = 6000,  // then all coordinators know who serves what
};

// ------------------------------------------------ rolling out

static const struct plan *plan_named(
    const struct world *world, const char *name)
{
    for (size_t i = 0; i < world->climate.graphs; i++)
        if (strcmp(world->plans[i]->name, name) == 0)
            return world->plans[i];
    return NULL;
}

size_t version_find(struct world *world, const char *graph, const char *version)
{
    const struct plan *plan = plan_named(world, graph);
    for (size_t i = 0; plan && i < VERSIONS; i++)
        if (strcmp(plan->versions[i].graph->version, version) == 0)
            return i;
    violated(world, "graph %s has no version %s", graph, version);
}

// Workers go and come back with the other version, forward as well as back; one
// that is away has it when it starts.
void versions_roll(struct world *world)
{
    size_t which = (size_t)draw(world, world->climate.graphs);
    world->deployed[which] = (world->deployed[which] + 1) % VERSIONS;
    world->report.rolled++;
    tell(world, "version %zu of graph %s is rolled out",
        world->deployed[which] + 1, world->plans[which]->name);
    for (size_t i = 0; i < world->climate.workers; i++) {
        struct process *worker = &world->workers[i].process;
        agenda_add(&world->agenda,
            (struct errand){
                .at_ms = world->now_ms + 1 + (int64_t)draw(world, ROLL_MS),
                .kind = ERRAND_ROLL,
                .who = worker,
                .life = worker->life});
    }
}

void versions_change(struct world *world)
{
    world->changed_ms = world->now_ms;
}

bool versions_are_current(const struct world *world, const struct worker *it)
{
    for (size_t i = 0; i < world->climate.graphs; i++)
        if (it->versions[i] != world->deployed[i])
            return false;
    return true;
}

// ------------------------------------------------ moving runs

static const struct ss_graph *deployed_of(
    const struct world *world, const char *name)
{
    const struct plan *plan = plan_named(world, name);
    for (size_t i = 0; plan && i < world->climate.graphs; i++)
        if (world->plans[i] == plan)
            return plan->versions[world->deployed[i]].graph;
    return NULL;
}

// What was asked of each run: bits of versions.
static unsigned *asked_of(struct world *world, const char *run)
{
    unsigned *bits = ss_map_get(&world->moves, run);
    if (!bits) {
        bits = ss_zalloc(1, sizeof(*bits));
        ss_map_put(&world->moves, run, bits);
    }
    return bits;
}

static void mind_run(struct world *world, const json_t *record)
{
    const char *run = ss_json_str(record, "run", "?");
    const char *thread = ss_json_str(record, "thread", "?");
    const char *graph = ss_json_str(record, "graph", "?");
    const struct ss_graph *to = deployed_of(world, graph);
    if (!to || strcmp(ss_json_str(record, "version", ""), to->version) == 0)
        return;
    for (size_t i = 0; i < world->climate.customers; i++) {
        struct customer *customer = world->customers[i];
        if (strcmp(customer_thread(customer), thread) != 0 ||
            !customer_process(customer)->is_alive)
            continue;
        tell(world, "the operator moves run %s", run);
        *asked_of(world, run) |= 1u << version_find(world, graph, to->version);
        customer_ask_aside(customer, "migrate",
            json_pack("{s:s, s:s, s:s}", "run", run, "thread", thread, "to",
                to->version));
    }
}

// In a storm many are left as they are: they wait until their version is back.
void versions_operate(struct world *world)
{
    json_t *records = database_list(world, SS_TABLE_OPEN), *record;
    size_t i;
    json_array_foreach (records, i, record)
        if (!world->is_stormy || draw(world, 3) == 0)
            mind_run(world, record);
    json_decref(records);
    versions_plan(world);
}

void versions_plan(struct world *world)
{
    if (world->climate.roll > 0)
        agenda_add(&world->agenda,
            (struct errand){
                .at_ms = world->now_ms + 1 + (int64_t)draw(world, OPERATOR_MS),
                .kind = ERRAND_OPERATE});
}

void versions_fini(struct world *world)
{
    ss_map_fini(&world->results, ss_free);
    ss_map_fini(&world->moves, ss_free);
}

// ------------------------------------------------------------------ checks

static bool is_asked_for_both(const struct world *world, const char *run)
{
    const unsigned *bits = ss_map_get(&world->moves, run);
    return !bits || (*bits & (*bits - 1)) != 0;
}

// A client that is told that a run has moved may rely on it.
void versions_moved(struct world *world, const json_t *reply)
{
    const char *run = ss_json_str(reply, "run", "?");
    const char *to = ss_json_str(reply, "to", "?");
    if (strcmp(ss_json_str(reply, "from", to), to) == 0)
        return;
    json_t *record =
        database_run(world, ss_json_str(reply, "thread", "?"), run);
    const char *is = ss_json_str(record, "version", to);
    world->report.migrated++;
    if (strcmp(is, to) != 0 && !is_asked_for_both(world, run))
        violated(world,
            "run %s is said to have moved to version %s, and stands "
            "as of %s",
            run, to, is);
    json_decref(record);
}

// A run goes on as the version that it is stored with.
void versions_dispatch(struct world *world, const struct ss_assignment *order,
    const json_t *record)
{
    const char *is = ss_json_str(record, "version", order->version);
    if (strcmp(is, order->version) != 0)
        violated(world,
            "%s of run %s is sent out as of version %s, and the run "
            "stands as of %s",
            order->node, order->run, order->version, is);
}

const struct ss_graph *versions_serve(
    const struct worker *it, const struct ss_assignment *order)
{
    struct world *world = it->process.world;
    for (size_t i = 0; i < world->climate.graphs; i++) {
        const struct ss_graph *graph =
            world->plans[i]->versions[it->versions[i]].graph;
        if (strcmp(graph->name, order->app_graph) != 0)
            continue;
        if (strcmp(graph->version, order->version) != 0)
            violated(world, "%s is given %s of version %s, and serves %s",
                it->process.name, order->node, order->version, graph->version);
        return graph;
    }
    violated(world, "an order is of no graph: %s", order->app_graph);
}

// ------------------------------------------------ the journal

// What a body wrote, and what later tasks were given of it.
struct result {
    char task_id[SS_UUID_SIZE];
    int64_t wall_us;
};

// No longer than it is kept, by the wall clock. (Where all have the same. A row
// of a run under `exit` is made when the run ends, and says nothing of when its
// task was given the result.)
static void check_age(struct world *world, const struct ss_row *row,
    const struct ss_row_write *write, const char *graph, const json_t *stamp)
{
    const struct plan *plan = plan_named(world, graph);
    ss_check(plan);
    if (!run_is_sync(row->run))
        return;
    char *text = ss_json_text(stamp);
    char *key = ss_format("%s %s", graph, text);
    struct result *first = ss_map_get(&world->results, key);
    int64_t kept_us = (int64_t)plan->cached_ms * 1000;
    if (!first) {
        first = ss_zalloc(1, sizeof(*first));
        first->wall_us = row->wall_us;
        memcpy(first->task_id, write->task_id, sizeof(first->task_id));
        ss_map_put(&world->results, key, first);
    }
    ss_free(key);
    ss_free(text);
    int64_t age_us = row->wall_us > first->wall_us
                         ? row->wall_us - first->wall_us
                         : first->wall_us - row->wall_us;
    if (strcmp(first->task_id, write->task_id) != 0 && kept_us > 0 &&
        world->climate.clock == 0 && age_us > kept_us)
        violated(world,
            "row %llu of run %s holds a result that was kept for "
            "%lld ms, and is %lld ms old",
            (unsigned long long)row->seq, row->run, (long long)kept_us / 1000,
            (long long)age_us / 1000);
    if (row->wall_us < first->wall_us)
        first->wall_us = row->wall_us;
}

static void check_stamp(struct world *world, const struct ss_row *row,
    const struct ss_row_write *write, const json_t *entry)
{
    const json_t *stamps = ss_value_json(write->value), *stamp;
    const char *graph = ss_json_str(entry, "graph", "?");
    size_t stands =
        version_find(world, graph, ss_json_str(entry, "version", "?"));
    const char *node;
    json_object_foreach ((json_t *)stamps, node, stamp) {
        size_t is = plan_stamped(stamp);
        if (is != stands)
            violated(world,
                "row %llu: node %s of run %s wrote as version %zu, "
                "and the run is of version %zu",
                (unsigned long long)row->seq, node, row->run, is + 1,
                stands + 1);
        check_age(world, row, write, graph, stamp);
    }
}

static bool all_are_current(const struct world *world)
{
    for (size_t i = 0; i < world->climate.workers; i++)
        if (!world->workers[i].process.is_alive ||
            !versions_are_current(world, &world->workers[i]))
            return false;
    return true;
}

// In fair weather all workers serve what is rolled out, and nobody the other
// version, be it newer: a new run takes what is served. (Where the time that it
// was asked for is that of the world.)
static void check_new(struct world *world, const char *run, const json_t *entry)
{
    const struct ss_graph *served =
        deployed_of(world, ss_json_str(entry, "graph", ""));
    const char *is = ss_json_str(entry, "version", "?");
    int64_t asked_us = ss_json_int(entry, "created_us", 0);
    if (!served || world->climate.clock > 0 || !all_are_current(world) ||
        json_object_get(entry, "moved_from") ||
        asked_us < world_us(world) -
                       (world->now_ms - world->changed_ms - SETTLED_MS) * 1000)
        return;
    world->report.chosen++;
    if (strcmp(is, served->version) != 0)
        violated(world,
            "run %s was begun as of version %s, which nobody serves", run, is);
}

void versions_row(
    struct world *world, const struct ss_row *row, struct ss_map *entries)
{
    if (row->entry) {
        ss_map_put(entries, row->run, row->entry);
        check_new(world, row->run, row->entry);
    }
    const json_t *entry = ss_map_get(entries, row->run); // NULL: it was pruned
    if (row->checkpoint.whole) // a prune tells again what was written before
        return;
    for (size_t i = 0; entry && i < row->writes_count && row->ns[0] == 0; i++)
        if (strcmp(row->writes[i].channel, "v") == 0 &&
            strcmp(row->writes[i].task_id, SS_NULL_TASK) != 0)
            check_stamp(world, row, &row->writes[i], entry);
}

static json_int_t counted(
    const struct ss_checkpoint *checkpoint, const char *name)
{
    const struct ss_slot *slot = ss_map_get(&checkpoint->channels, name);
    return slot && slot->value ? json_integer_value(ss_value_json(slot->value))
                               : 0;
}

void versions_kept(struct world *world, const struct ss_checkpoint_entry *mark,
    const struct ss_checkpoint *is, const struct ss_checkpoint *was)
{
    static const char *const counters[VERSIONS] = {"e", "d"};
    for (size_t i = 0; i < VERSIONS; i++)
        if (counted(is, counters[i]) < counted(was, counters[i]))
            violated(world, "checkpoint %s of run %s lost what stood in %s",
                mark->row->checkpoint_id, mark->row->run, counters[i]);
}
