// items.c - what bodies show while they run, and what a customer is shown of
// it.
//
// An item has no number of its own but its attempt and its place there, and it
// may be lost with its attempt; then the customer is told that what the attempt
// showed is void. So at the end of a run each task has been shown by one
// attempt at most, whatever died in between, and no item twice.
#include <string.h>

#include "common/model/value.h"
#include "tests/sim/customer.h"

enum { ITEMS_MAX = 3 };

// ------------------------------------------------------------------ a body

void items_plan(
    struct worker *it, const struct ss_assignment *order, int64_t takes_ms)
{
    struct world *world = it->process.world;
    if (!order->want_custom || order->kind != SS_ORDER_NODE)
        return;
    for (uint64_t count = draw(world, ITEMS_MAX + 1); count > 0; count--) {
        struct errand errand = {
            .at_ms = world->now_ms + (int64_t)draw(world, (uint64_t)takes_ms),
            .kind = ERRAND_SHOW,
            .who = &it->process,
            .life = it->process.life,
            .what = order->attempt.dispatch};
        errand.load = (void *)(uintptr_t)order->attempt.epoch;
        agenda_add(&world->agenda, errand);
    }
}

// ------------------------------------------------------------------ a customer

void items_forget(struct customer *it)
{
    json_decref(it->items);
    it->items = json_object();
}

// What it has seen, for whoever tells it the rest. Gives.
json_t *items_seen(const struct customer *it)
{
    json_t *seen = json_object(), *shown;
    const char *attempt;
    json_object_foreach (it->items, attempt, shown)
        if (!json_object_get(shown, "void"))
            json_object_set(seen, attempt, json_object_get(shown, "count"));
    return seen;
}

static void note_void(struct customer *it, const char *attempt)
{
    json_t *shown = json_object_get(it->items, attempt);
    if (shown)
        json_object_set_new(shown, "void", json_true());
}

// True: this is not a durable event.
bool items_show(struct customer *it, const json_t *item)
{
    struct world *world = it->process.world;
    const char *attempt = ss_json_str(item, "attempt", NULL);
    const char *mode = ss_json_str(item, "mode", "");
    if (!attempt)
        return false;
    if (strcmp(mode, "restarted") == 0) {
        note_void(it, attempt);
        return true;
    }
    json_t *shown = json_object_get(it->items, attempt);
    int64_t count = ss_json_int(shown, "count", 0);
    int64_t number = ss_json_int(item, "item", 0);
    if (json_object_get(shown, "void"))
        violated(world,
            "run %s: item %lld of attempt %s is shown, which was said "
            "to be void",
            it->run, (long long)number, attempt);
    if (number != count + 1)
        violated(world, "run %s: item %lld of attempt %s comes after %lld",
            it->run, (long long)number, attempt, (long long)count);
    json_object_set_new(it->items, attempt,
        json_pack("{s:I, s:O}", "count", (json_int_t)number, "task",
            json_object_get(item, "data")));
    world->report.items++;
    return true;
}

void items_end(struct customer *it)
{
    json_t *tasks = json_object(), *shown;
    const char *attempt;
    json_object_foreach (it->items, attempt, shown) {
        const char *task = ss_json_str(shown, "task", "?");
        const char *other = ss_json_str(tasks, task, NULL);
        if (json_object_get(shown, "void"))
            continue;
        if (other)
            violated(it->process.world,
                "run %s is at its end, and task %s was "
                "shown by attempt %s and by %s, neither of them void",
                it->run, task, other, attempt);
        json_object_set_new(tasks, task, json_string(attempt));
    }
    json_decref(tasks);
}
