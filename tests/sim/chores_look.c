// chores_look.c - a customer looks at its thread before and behind a chore, and
// leaves it alone.
#include "tests/sim/chores.h"

#include <string.h>

// ------------------------------------------------ asking

json_t *chore_ask_thread(struct customer *it)
{
    return json_pack("{s:s}", "thread", it->thread);
}

json_t *chore_ask_other(struct customer *it)
{
    return json_pack("{s:s}", "thread", it->chore.other);
}

// Some ask to spare what was used lately; what they are told then is checked.
json_t *chore_ask_perhaps(struct customer *it)
{
    struct world *world = it->process.world;
    json_t *body = chore_ask_thread(it);
    if (it->chore.number % 4 == 0)
        json_object_set_new(
            body, "idle_ms", json_integer((json_int_t)draw(world, 5000) + 1));
    return body;
}

bool chore_was_spared(struct customer *it, const json_t *answer)
{
    const char *why = ss_json_str(answer, "spared", NULL);
    if (why && it->chore.number % 4 != 0)
        violated(it->process.world,
            "thread %s is spared (%s), and nobody asked "
            "for that",
            it->thread, why);
    return why != NULL;
}

// ------------------------------------------------ looking

// Of one that has finished, what it had asked, and how a run before had ended
// there, is of the past, which a prune forgets.
static json_t *essence_of_task(const json_t *task)
{
    json_t *result = json_object_get(task, "result");
    json_t *shown =
        json_is_object(result) ? plan_shown(result) : json_incref(result);
    json_t *it = json_pack("{s:O, s:O, s:O, s:o}", "id",
        json_object_get(task, "id"), "name", json_object_get(task, "name"),
        "path", json_object_get(task, "path"), "result", shown);
    if (json_is_null(result)) {
        json_object_set(it, "error", json_object_get(task, "error"));
        json_object_set(it, "interrupts", json_object_get(task, "interrupts"));
    }
    return it;
}

// The nodes that come next, but those that one version has alone: which version
// is shown, says the one that is the newest when it is asked. Gives.
static json_t *next_of(const json_t *answer)
{
    const json_t *state = json_object_get(answer, "state");
    json_t *next = json_array(), *name;
    size_t i;
    json_array_foreach (json_object_get(state, "next"), i, name)
        if (!plan_is_extra(json_string_value(name)))
            json_array_append(next, name);
    return next;
}

// What must be the same before and behind: all that a run that goes on begins
// with. Gives.
static json_t *essence(const json_t *answer)
{
    const json_t *state = json_object_get(answer, "state");
    json_t *tasks = json_array(), *task;
    size_t i;
    json_array_foreach (json_object_get(state, "tasks"), i, task)
        if (!plan_is_extra(ss_json_str(task, "name", "")))
            json_array_append_new(tasks, essence_of_task(task));
    return json_pack("{s:o, s:o, s:o}", "values",
        plan_shown(json_object_get(state, "values")), "next", next_of(answer),
        "tasks", tasks);
}

void chore_must_be_equal(
    struct customer *it, const json_t *was, const json_t *is, const char *what)
{
    if (json_equal(was, is))
        return;
    char *before = ss_json_text(was), *behind = ss_json_text(is);
    violated(it->process.world,
        "%s of thread %s was, before %s,\n  %s\nand is\n"
        "  %s",
        what, it->thread, it->waits_for, before, behind);
}

bool chore_hear_before(struct customer *it, json_t *answer)
{
    json_decref(it->chore.before);
    it->chore.before = essence(answer);
    it->chore.looked_ms = it->process.world->now_ms;
    return true;
}

bool chore_hear_behind(struct customer *it, json_t *answer)
{
    json_t *is = essence(answer);
    chore_must_be_equal(it, it->chore.before, is, "the state");
    json_decref(is);
    return true;
}

static bool hear_nothing(struct customer *it, json_t *answer)
{
    const json_t *values =
        json_object_get(json_object_get(answer, "state"), "values");
    if (json_object_size(values) > 0)
        violated(it->process.world, "thread %s was deleted, and has values",
            it->thread);
    return true;
}

// A thread at rest, and another checkpoint than before.
bool chore_hear_values(struct customer *it, json_t *answer)
{
    const json_t *state = json_object_get(answer, "state");
    if (json_array_size(it->words) == 0)
        return hear_nothing(it, answer);
    customer_check(it, json_object_get(state, "values"), "the state");
    json_t *next = next_of(answer);
    if (json_array_size(next) != 0)
        violated(it->process.world,
            "thread %s is at its end and has more to do", it->thread);
    json_decref(next);
    return true;
}

// What runs have said of it, over whatever became of them and their thread. (In
// a database that was set back nobody can tell.)
static bool hear_said(struct customer *it, json_t *answer)
{
    const json_t *thread = json_object_get(answer, "thread");
    const json_t *metadata =
        json_object_get(json_object_get(thread, "facts"), "metadata");
    const char *said = ss_json_str(metadata, SAID_KEY, "");
    struct world *world = it->process.world;
    if (world->climate.set_back == 0 && strcmp(said, it->said) != 0 &&
        (!it->may_say[0] || strcmp(said, it->may_say) != 0))
        violated(world,
            "a run said \"%s\" of thread %s last, and \"%s\" stands there",
            it->said, it->thread, said);
    return true;
}

static bool hear_content(struct customer *it, json_t *answer)
{
    chore_hear_values(it, answer);
    tell(it->process.world, "%s is content", it->process.name);
    it->is_content = true;
    return true;
}

// ------------------------------------------------ rest

json_t *chore_rest(struct customer *it)
{
    struct world *world = it->process.world;
    customer_come_back(it, 1 + (int64_t)draw(world, world->climate.rest_ms));
    return NULL;
}

const struct step chore_rest_and_look[] = {
    CHORE_LOOK, {NULL, chore_rest, NULL}, CHORE_LOOK_AGAIN, CHORE_END};
const struct step chore_last_look[] = {{"thread", chore_ask_thread, hear_said},
    {"state", chore_ask_thread, hear_content}, CHORE_END};
