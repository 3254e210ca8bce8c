// pauses.c - people hold graphs back: all of them, one, or one version of it;
// and let them go on.
//
//   goes on --`pause`, told when its record is there--> held --`unpause`-->
//   goes on
//
// What is judged is what each coordinator knows: what it was told when it
// began, gained shards or looked, and what it has said itself. While the record
// of that stands in the database, that coordinator gives nobody a new attempt
// of it.
#include <string.h>

#include "common/model/value.h"
#include "tests/sim/world.h"

enum {
    PERSON_MS = 2500, // somebody comes by, within
    HOLD_OF = 6, // and holds something back, with a chance of hold / HOLD_OF
    KEEP_OF = 3, // what is held goes on at one of so many visits
};

#define KEY_ALL "all"

// As the store calls its record. Gives.
static char *key_of(const char *graph, const char *version)
{
    if (!graph)
        return ss_strdup(KEY_ALL);
    return ss_format(
        "graph:%s%s%s", graph, version ? "@" : "", version ? version : "");
}

static char *key_of_record(const json_t *record)
{
    return key_of(ss_json_str(record, "graph", NULL),
        ss_json_str(record, "version", NULL));
}

static int64_t since_of(const json_t *record)
{
    return ss_json_int(record, "since_us", -1);
}

// Since when its record stands; -1: there is none.
static int64_t stands_since(struct world *world, const char *key)
{
    json_t *record = database_entry(world, SS_TABLE_PAUSES, key);
    int64_t since = since_of(record);
    json_decref(record);
    return since;
}

// ------------------------------------------------------------------ people

// Whoever is there asks for it; it is asked again at a later visit where it was
// lost.
static void ask(struct world *world, const char *op, json_t *body)
{
    size_t first = (size_t)draw(world, world->climate.customers);
    for (size_t i = 0; i < world->climate.customers; i++) {
        struct customer *customer =
            world->customers[(first + i) % world->climate.customers];
        if (customer_process(customer)->is_alive) {
            customer_ask_aside(customer, op, body);
            return;
        }
    }
    json_decref(body);
}

static void let_go_on(struct world *world, const json_t *record)
{
    char *key = key_of_record(record);
    const char *graph = ss_json_str(record, "graph", NULL);
    const char *version = ss_json_str(record, "version", NULL);
    tell(world, "somebody lets %s go on", key);
    ss_map_put(&world->let_go, key, world);
    ask(world, "unpause",
        graph ? json_pack("{s:s, s:s*}", "graph", graph, "version", version)
              : json_pack("{s:b}", "all", 1));
    ss_free(key);
}

static void hold_back(struct world *world)
{
    size_t which = (size_t)draw(world, world->climate.graphs);
    const struct plan *plan = world->plans[which];
    json_t *body = json_pack("{s:s}", "by", "olga");
    uint64_t scope = draw(world, 6);
    if (scope == 0)
        json_object_set_new(body, "all", json_true());
    else
        json_object_set_new(body, "graph", json_string(plan->name));
    if (scope > 3) {
        size_t version = draw(world, 4) ? world->deployed[which]
                                        : (size_t)draw(world, VERSIONS);
        json_object_set_new(body, "version",
            json_string(plan->versions[version].graph->version));
    }
    tell(world, "somebody holds %s back",
        scope == 0 ? "everything" : plan->name);
    ask(world, "pause", body);
}

void pauses_operate(struct world *world)
{
    json_t *records = database_list(world, SS_TABLE_PAUSES), *record;
    size_t i;
    json_array_foreach (records, i, record)
        if (!world->is_stormy || draw(world, KEEP_OF) == 0)
            let_go_on(world, record);
    json_decref(records);
    if (world->is_stormy && draw(world, HOLD_OF) < world->climate.hold)
        hold_back(world);
    pauses_plan(world);
}

void pauses_plan(struct world *world)
{
    if (world->climate.hold > 0)
        agenda_add(&world->agenda,
            (struct errand){
                .at_ms = world->now_ms + 1 + (int64_t)draw(world, PERSON_MS),
                .kind = ERRAND_HOLD});
}

// ------------------------------------------------ what it knows

static void know(struct coordinator *it, const json_t *record)
{
    char *key = key_of_record(record);
    int64_t *since = ss_zalloc(1, sizeof(*since));
    *since = since_of(record);
    ss_free(ss_map_put(&it->held, key, since));
    ss_free(key);
}

void pauses_forget(struct coordinator *it)
{
    ss_map_fini(&it->held, ss_free);
    ss_map_fini(&it->asked, ss_free);
    it->given = 0;
}

void pauses_told(struct coordinator *it, const struct ss_event *event)
{
    ss_map_fini(&it->held, ss_free);
    for (size_t i = 0; i < event->pauses.count; i++)
        know(it, event->pauses.records[i]);
}

// The answer does not say what goes on: the request did. One that is asked
// twice, since nobody heard an answer, is answered each time: a request stays
// known. Gives.
static char *name_of(const char *peer, uint64_t id)
{
    return ss_format("%s %llu", peer, (unsigned long long)id);
}

void pauses_asked(struct coordinator *it, const struct ss_event *event)
{
    if (strcmp(event->request.op, "unpause") != 0)
        return;
    char *name = name_of(event->peer, event->request.id);
    ss_free(ss_map_put(&it->asked, name, key_of_record(event->request.body)));
    ss_free(name);
}

static void unlearn(struct coordinator *it, const struct ss_command *command)
{
    char *name = name_of(command->peer, command->id);
    const char *key = ss_map_get(&it->asked, name);
    if (key)
        ss_free(ss_map_remove(&it->held, key));
    ss_free(name);
}

// ------------------------------------------------------------------ checks

static void must_be_stored(struct coordinator *it, const json_t *record)
{
    struct world *world = it->process.world;
    char *key = key_of_record(record);
    if (stands_since(world, key) < 0 && !ss_map_get(&world->let_go, key))
        violated(world, "%s is said to be paused, and no record says so", key);
    ss_free(key);
}

void pauses_reply(struct coordinator *it, const struct ss_command *command)
{
    const char *status = ss_json_str(command->json, "status", "");
    const json_t *record = json_object_get(command->json, "pause");
    if (database_is_gone(it))
        return;
    if (strcmp(status, "paused") == 0) {
        must_be_stored(it, record);
        know(it, record);
        it->process.world->report.held++;
    } else if (strcmp(status, "unpaused") == 0) {
        unlearn(it, command);
    }
}

// Takes `key`.
static void must_not_hold(
    const struct coordinator *it, const struct ss_assignment *order, char *key)
{
    struct world *world = it->process.world;
    const int64_t *since = ss_map_get(&it->held, key);
    if (since && *since == stands_since(world, key))
        violated(world,
            "%s of run %s is sent out, and %s is paused, as %s "
            "knows",
            order->node, order->run, key, it->process.name);
    ss_free(key);
}

// False: it was a worker's before, who asks for the same order once more.
static bool is_new(struct coordinator *it, const struct ss_attempt *attempt)
{
    bool is = attempt->dispatch > it->given;
    if (is)
        it->given = attempt->dispatch;
    return is;
}

void pauses_adopt(struct coordinator *it, const struct ss_attempt *attempt)
{
    (void)is_new(it, attempt);
}

// Updates are not held back.
void pauses_dispatch(struct coordinator *it, const struct ss_assignment *order)
{
    if (!is_new(it, &order->attempt) || it->held.count == 0 ||
        order->run[0] == '\0' || database_is_gone(it))
        return;
    must_not_hold(it, order, key_of(NULL, NULL));
    must_not_hold(it, order, key_of(order->app_graph, NULL));
    must_not_hold(it, order, key_of(order->app_graph, order->version));
}
