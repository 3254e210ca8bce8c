// customer_chores.c - what a customer does to its thread between runs: it
// prunes, updates, copies and deletes it, takes it elsewhere, or leaves it
// alone.
//
//   a chore is a row of steps; each is asked for until it is answered, over
//   crashes of everybody:
//
//   prune:   look -> prune -> look again        what both see is the same
//   move:    save -> delete -> import -> save   and so is what both save
//   update:  update -> a run that goes on       what the reference says
//   retain:  look -> the list of threads, page by page -> prune each of its own
//            -> look again                      as after a prune
//
// A step that may be asked for twice is done once: what keeps a key is given
// one, the others may be repeated.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/model/cluster.h"
#include "common/model/reserved.h"
#include "tests/sim/customer.h"

// A part of a chore.
struct step {
    const char *op; // NULL: it asks nothing, and comes back by itself
    json_t *(*ask)(struct customer *it);               // gives
    bool (*hear)(struct customer *it, json_t *answer); // false: ask on
};

#define END                                                                    \
    {                                                                          \
        NULL, NULL, NULL                                                       \
    }

// ------------------------------------------------------------------ asking

static json_t *ask_thread(struct customer *it)
{
    return json_pack("{s:s}", "thread", it->thread);
}

static json_t *ask_other(struct customer *it)
{
    return json_pack("{s:s}", "thread", it->chore.other);
}

// Some ask to spare what was used lately; what they are told then is checked.
static json_t *ask_perhaps(struct customer *it)
{
    struct world *world = it->process.world;
    json_t *body = ask_thread(it);
    if (it->chore.number % 4 == 0)
        json_object_set_new(
            body, "idle_ms", json_integer((json_int_t)draw(world, 5000) + 1));
    return body;
}

static bool was_spared(struct customer *it, const json_t *answer)
{
    const char *why = ss_json_str(answer, "spared", NULL);
    if (why && it->chore.number % 4 != 0)
        violated(it->process.world,
            "thread %s is spared (%s), and nobody asked "
            "for that",
            it->thread, why);
    return why != NULL;
}

// ------------------------------------------------------------------ looking

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

static void must_be_equal(
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

static bool hear_before(struct customer *it, json_t *answer)
{
    json_decref(it->chore.before);
    it->chore.before = essence(answer);
    it->chore.looked_ms = it->process.world->now_ms;
    return true;
}

static bool hear_behind(struct customer *it, json_t *answer)
{
    json_t *is = essence(answer);
    must_be_equal(it, it->chore.before, is, "the state");
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
static bool hear_values(struct customer *it, json_t *answer)
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

static bool hear_content(struct customer *it, json_t *answer)
{
    hear_values(it, answer);
    tell(it->process.world, "%s is content", it->process.name);
    it->is_content = true;
    return true;
}

bool customer_has_nothing(const struct customer *it)
{
    return it->step && it->step->op && strcmp(it->step->op, "state") == 0 &&
           json_array_size(it->words) == 0;
}

// ------------------------------------------------------------------ prune

static json_t *ask_prune(struct customer *it)
{
    // it forgets the keys of what is older: who asks it again begins anew
    network_forget_asks(it->process.world, &it->process);
    return ask_perhaps(it);
}

static bool hear_prune(struct customer *it, json_t *answer)
{
    (void)was_spared(it, answer);
    return true;
}

// ------------------------------------------------------------------ update

static json_t *ask_update(struct customer *it)
{
    char key[16];
    snprintf(key, sizeof(key), "k%" PRIu32, it->chore.number);
    return json_pack("{s:s, s:O, s:s, s:s}", "thread", it->thread, "supersteps",
        it->chore.body, "key", key, "graph", it->plan->name);
}

// Some ask once more with the same key, and are told the same.
static bool is_heard(struct customer *it, json_t *answer)
{
    json_t *before = it->chore.answer;
    it->chore.answer = json_incref(answer);
    if (!before)
        return it->chore.number % 3 != 0;
    if (!json_equal(before, answer)) {
        char *was = ss_json_text(before), *is = ss_json_text(answer);
        violated(it->process.world,
            "who asked again with a key (%s of thread %s) "
            "is told %s, and was told %s",
            it->waits_for, it->thread, is, was);
    }
    json_decref(before);
    return true;
}

static bool hear_update(struct customer *it, json_t *answer)
{
    const json_t *config = json_object_get(answer, "config");
    if (!json_object_get(config, "checkpoint_id"))
        violated(it->process.world,
            "an update of thread %s is not answered with "
            "its checkpoint",
            it->thread);
    return is_heard(it, answer);
}

// ------------------------------------------------------------------ copy

// Where it stands, and with the same coordinator: a name is tried until one
// fits.
static void name_other(struct customer *it)
{
    uint16_t shard = ss_shard_of(it->thread);
    uint32_t tried = 0;
    do
        snprintf(it->chore.other, sizeof(it->chore.other),
            "t%zu-%" PRIu32 "-%" PRIu32, it->process.index + 1,
            it->chore.number, tried++);
    while (ss_shard_of(it->chore.other) != shard);
}

static json_t *ask_copy(struct customer *it)
{
    char key[16];
    snprintf(key, sizeof(key), "k%" PRIu32, it->chore.number);
    return json_pack("{s:s, s:s, s:s}", "thread", it->thread, "to",
        it->chore.other, "key", key);
}

// It goes on there; the thread that it leaves is the other one.
static void change_thread(struct customer *it)
{
    char left[CUSTOMER_THREAD_SIZE];
    memcpy(left, it->thread, sizeof(left));
    memcpy(it->thread, it->chore.other, sizeof(left));
    memcpy(it->chore.other, left, sizeof(left));
    json_array_append_new(it->threads, json_string(it->thread));
}

static bool hear_copy(struct customer *it, json_t *answer)
{
    if (ss_json_int(answer, "rows", 0) <= 0)
        violated(
            it->process.world, "a copy of thread %s has no rows", it->thread);
    if (!is_heard(it, answer))
        return false;
    change_thread(it);
    return true;
}

// ------------------------------------------------------------------ delete

static json_t *ask_delete(struct customer *it)
{
    network_forget_asks(it->process.world, &it->process);
    return ask_perhaps(it);
}

// It lives again, and its runs may have names that were given there before.
// (Not where they may stand there again.)
static bool hear_delete(struct customer *it, json_t *answer)
{
    struct world *world = it->process.world;
    if (was_spared(it, answer))
        return true;
    if (world->climate.set_back == 0 && it->chore.number % 2 == 0)
        it->names = 0;
    json_array_clear(it->words);
    json_array_clear(it->gone);
    customer_run_words(it);
    return true;
}

// What is taken elsewhere is gone here before it is there.
static json_t *ask_drop(struct customer *it)
{
    network_forget_asks(it->process.world, &it->process);
    return ask_thread(it);
}

static json_t *ask_drop_other(struct customer *it)
{
    network_forget_asks(it->process.world, &it->process);
    return ask_other(it);
}

static bool hear_drop(struct customer *it, json_t *answer)
{

    if (json_object_get(answer, "spared"))
        violated(it->process.world, "a thread is spared, and nobody asked for "
                                    "that");
    return true;
}

// ------------------------------------------------------------------ move

static const char *last_id(const json_t *saved)
{
    return ss_json_str(
        json_array_get(saved, json_array_size(saved) - 1), "id", NULL);
}

static json_t *ask_saved(struct customer *it, const json_t *so_far)
{
    static const int limits[] = {2, 7, 50};
    json_t *body = ask_thread(it);
    if (last_id(so_far))
        json_object_set_new(body, "after", json_string(last_id(so_far)));
    json_object_set_new(
        body, "limit", json_integer(limits[it->chore.number % 3]));
    return body;
}

static json_t *ask_export(struct customer *it)
{
    return ask_saved(it, it->chore.before);
}

// What was cancelled under `exit` may have left nothing to move.
static bool hear_export(struct customer *it, json_t *answer)
{
    static const struct step nothing[] = {{"checkpoints", NULL, NULL}, END};
    json_array_extend(it->chore.before, json_object_get(answer, "checkpoints"));
    if (json_is_true(json_object_get(answer, "more")))
        return false;
    if (json_array_size(it->chore.before) == 0)
        it->step = nothing;
    return true;
}

static json_t *ask_again(struct customer *it)
{
    return ask_saved(it, it->chore.body);
}

static bool hear_again(struct customer *it, json_t *answer)
{
    json_array_extend(it->chore.body, json_object_get(answer, "checkpoints"));
    if (json_is_true(json_object_get(answer, "more")))
        return false;
    must_be_equal(it, it->chore.before, it->chore.body, "what is saved");
    return true;
}

// In pieces.
static json_t *ask_import(struct customer *it)
{
    size_t count = json_array_size(it->chore.before);
    size_t piece = it->chore.number % 2 ? count : 1 + it->chore.number % 5;
    json_t *part = json_array();
    size_t end = it->chore.given + piece;
    for (size_t i = it->chore.given; i < end && i < count; i++)
        json_array_append(part, json_array_get(it->chore.before, i));
    json_t *body = json_pack("{s:s, s:s, s:o}", "thread", it->thread, "graph",
        it->plan->name, "checkpoints", part);
    if (it->chore.given > 0)
        json_object_set_new(body, "after",
            json_string(ss_json_str(
                json_array_get(it->chore.before, it->chore.given - 1), "id",
                "?")));
    if (end < count)
        json_object_set_new(body, "more", json_true());
    it->chore.asked = end < count ? end : count;
    return body;
}

static bool hear_import(struct customer *it, json_t *answer)
{
    (void)answer;
    it->chore.given = it->chore.asked;
    return it->chore.given == json_array_size(it->chore.before);
}

static json_t *turn_away(struct customer *it)
{
    change_thread(it);
    customer_come_back(it, 1);
    return NULL;
}

// ------------------------------------------------------------------ rest

static json_t *rest(struct customer *it)
{
    struct world *world = it->process.world;
    customer_come_back(it, 1 + (int64_t)draw(world, world->climate.rest_ms));
    return NULL;
}

// ------------------------------------------------------------------ retain

// As the command does it, and of what is listed only what is its own: whoever
// pruned another one's thread would have to know what that one has not heard
// yet.
enum { PAGE_MAX = 3, IDLE_MAX_MS = 8000 };

static size_t page_of(const struct customer *it)
{
    return 1 + it->chore.number % PAGE_MAX;
}

static json_t *ask_list(struct customer *it)
{
    const char *last = it->chore.other;
    return json_pack("{s:I, s:s*}", "limit", (json_int_t)page_of(it), "after",
        last[0] ? last : NULL);
}

static void take_listed(struct customer *it, const char *thread)
{
    if (strcmp(thread, it->chore.other) <= 0)
        violated(it->process.world, "the list of threads has %s behind %s",
            thread, it->chore.other);
    snprintf(it->chore.other, sizeof(it->chore.other), "%s", thread);
    if (customer_has_thread(it, thread))
        json_array_append_new(it->chore.body, json_string(thread));
}

static bool is_listed(const struct customer *it)
{
    size_t i;
    json_t *name;
    json_array_foreach (it->chore.body, i, name)
        if (strcmp(json_string_value(name), it->thread) == 0)
            return true;
    return false;
}

static const struct step look_only[3];

static bool hear_list(struct customer *it, json_t *answer)
{
    struct world *world = it->process.world;
    const json_t *page = json_object_get(answer, "threads");
    size_t i;
    json_t *item;
    json_array_foreach (page, i, item)
        take_listed(it, ss_json_str(item, "thread", ""));
    if (json_array_size(page) > 0)
        return false;
    if (!is_listed(it) && json_array_size(it->words) > 0)
        violated(world, "thread %s is not in the list of threads", it->thread);
    it->chore.idle_ms = 1 + (int64_t)draw(world, IDLE_MAX_MS);
    if (json_array_size(it->chore.body) == 0)
        it->step = look_only;
    return true;
}

static const char *retained(const struct customer *it)
{
    return json_string_value(json_array_get(it->chore.body, it->chore.given));
}

static json_t *ask_retain(struct customer *it)
{
    network_forget_asks(it->process.world, &it->process);
    it->chore.asked_ms = it->process.world->now_ms;
    return json_pack("{s:s, s:I, s:b}", "thread", retained(it), "idle_ms",
        (json_int_t)it->chore.idle_ms, "keep_waiting", 0);
}

// Where all wall clocks are the same: a thread was not used between the look
// and the question, and it was used when it was given something last.
static void check_spared(struct customer *it, const char *spared)
{
    struct world *world = it->process.world;
    int64_t unused_ms = it->chore.asked_ms - it->chore.looked_ms;
    if (strcmp(retained(it), it->thread) != 0 || world->climate.clock > 0)
        return;
    if (!spared && world->now_ms - it->moved_ms < it->chore.idle_ms)
        violated(world,
            "thread %s was used in the last %lld ms, and is pruned "
            "as if it had not been",
            it->thread, (long long)it->chore.idle_ms);
    if (spared && unused_ms >= it->chore.idle_ms)
        violated(world,
            "thread %s is spared (%s), and was not used for %lld ms",
            it->thread, spared, (long long)unused_ms);
}

static bool hear_retain(struct customer *it, json_t *answer)
{
    const char *spared = ss_json_str(answer, "spared", NULL);
    if (spared && strcmp(spared, "used") != 0)
        violated(it->process.world,
            "thread %s is spared (%s), and nobody asked "
            "for that",
            retained(it), spared);
    check_spared(it, spared);
    return ++it->chore.given == json_array_size(it->chore.body);
}

// ------------------------------------------------------------------ the chores

#define LOOK                                                                   \
    {                                                                          \
        "state", ask_thread, hear_before                                       \
    }
#define LOOK_AGAIN                                                             \
    {                                                                          \
        "state", ask_thread, hear_behind                                       \
    }

static const struct step prune[] = {
    LOOK, {"prune", ask_prune, hear_prune}, LOOK_AGAIN, END};
static const struct step update[] = {{"update", ask_update, hear_update}, END};
static const struct step fork[] = {{"update", ask_update, hear_update},
    {"state", ask_thread, hear_values}, END};
static const struct step copy[] = {LOOK, {"copy", ask_copy, hear_copy},
    LOOK_AGAIN, {"state", ask_other, hear_behind}, END};
static const struct step copy_and_drop[] = {LOOK, {"copy", ask_copy, hear_copy},
    {"delete", ask_drop_other, hear_drop}, LOOK_AGAIN, END};
static const struct step delete[] = {{"delete", ask_delete, hear_delete},
    {"state", ask_thread, hear_values}, END};
static const struct step move_back[] = {
    {"checkpoints", ask_export, hear_export}, {"delete", ask_drop, hear_drop},
    {"import", ask_import, hear_import}, {"checkpoints", ask_again, hear_again},
    END};
static const struct step move_on[] = {{"checkpoints", ask_export, hear_export},
    {NULL, turn_away, NULL}, {"import", ask_import, hear_import},
    {"checkpoints", ask_again, hear_again}, END};
static const struct step rest_and_look[] = {
    LOOK, {NULL, rest, NULL}, LOOK_AGAIN, END};
static const struct step retain[] = {LOOK, {NULL, rest, NULL},
    {"threads", ask_list, hear_list}, {"prune", ask_retain, hear_retain},
    LOOK_AGAIN, END};
static const struct step look_only[3] = {
    {"threads", ask_list, hear_list}, LOOK_AGAIN, END};
static const struct step last_look[] = {
    {"state", ask_thread, hear_content}, END};

// Under a database that is set back a thread keeps its name: where another one
// had begun, who is to know.
static const struct step *steps_of(struct customer *it, enum chore chore)
{
    struct world *world = it->process.world;
    bool stays = world->climate.set_back > 0;
    switch (chore) {
    case CHORE_PRUNE:
        return prune;
    case CHORE_UPDATE:
        return update;
    case CHORE_FORK:
        return fork;
    case CHORE_COPY:
        if (stays)
            return NULL;
        return draw(world, 2) ? copy : copy_and_drop;
    case CHORE_DELETE:
        return delete;
    case CHORE_MOVE:
        return stays || draw(world, 2) ? move_back : move_on;
    case CHORE_REST:
        return rest_and_look;
    case CHORE_RETAIN:
        return retain;
    case CHORE_COUNT:
        break;
    }
    return NULL;
}

static bool may_be_done(
    const struct customer *it, enum chore chore, enum after after)
{
    static const bool between[] = {
#define X(name, text, between) between,
#include "tests/sim/chores.def"
#undef X
    };
    if (chore == CHORE_UPDATE && plan_count_writers(it->plan, false) == 0)
        return false;
    return after == AFTER_INPUT ? json_array_size(it->words) > 0
                                : between[chore];
}

// CHORE_COUNT: nothing.
static enum chore draw_chore(struct customer *it, enum after after)
{
    struct world *world = it->process.world;
    const struct climate *climate = &world->climate;
    uint64_t all = climate->chore_none;
    for (size_t i = 0; i < CHORE_COUNT; i++)
        all += climate->chores[i];
    uint64_t at = draw(world, all);
    for (enum chore chore = 0; chore < CHORE_COUNT; chore++) {
        if (at < climate->chores[chore])
            return may_be_done(it, chore, after) ? chore : CHORE_COUNT;
        at -= climate->chores[chore];
    }
    return CHORE_COUNT;
}

static void begin_chore(struct customer *it, const struct step *steps,
    enum after after, const char *what)
{
    json_decref(it->body);
    it->body = NULL;
    it->step = steps;
    it->after = after;
    it->chore.number++;
    it->chore.given = it->chore.asked = 0;
    json_decref(it->chore.answer);
    it->chore.answer = NULL;
    json_decref(it->chore.before);
    it->chore.before = json_array();
    snprintf(it->waits_for, sizeof(it->waits_for), "%s", what);
    customer_come_back(it, 1);
}

void customer_look_last(struct customer *it)
{
    begin_chore(it, last_look, AFTER_INPUT, "the last look");
}

void customer_drop_chore(struct customer *it)
{
    it->step = NULL;
    json_decref(it->chore.before);
    json_decref(it->chore.body);
    json_decref(it->chore.answer);
    it->chore.before = it->chore.body = it->chore.answer = NULL;
}

bool customer_does_something(struct customer *it, enum after after)
{
    static const char *const names[] = {
#define X(name, text, between) text,
#include "tests/sim/chores.def"
#undef X
    };
    struct world *world = it->process.world;
    enum chore chore = draw_chore(it, after);
    const struct step *steps = steps_of(it, chore);
    if (!steps)
        return false;
    begin_chore(it, steps, after, names[chore]);
    world->report.chores[chore]++;
    tell(
        world, "%s: thread %s: %s", it->process.name, it->thread, names[chore]);
    it->chore.other[0] = '\0';
    if (chore == CHORE_COPY || chore == CHORE_MOVE)
        name_other(it);
    json_decref(it->chore.body);
    it->chore.body = json_array();
    if (chore == CHORE_FORK)
        json_array_append_new(it->chore.body,
            json_pack("[{s:n, s:s}]", "values", "as_node", SS_NAME_COPY));
    else if (chore == CHORE_UPDATE) {
        customer_begin_update(it, it->chore.body);
        it->after = AFTER_UPDATE;
    }
    return true;
}

// ------------------------------------------------------------------ the steps

static bool has_ended(const struct customer *it)
{
    return !it->step->op && !it->step->ask;
}

static void next_step(struct customer *it)
{
    it->process.world->advanced_ms = it->process.world->now_ms;
    it->step++;
    customer_come_back(it, 1);
}

static void end_chore(struct customer *it)
{
    json_t *open = it->open;
    it->step = NULL;
    it->open = NULL;
    switch (it->after) {
    case AFTER_INPUT:
        customer_next_input(it);
        break;
    case AFTER_QUESTION:
        customer_answer(it, open);
        break;
    case AFTER_FAILURE:
        customer_go_on(it, "to go on after a failure");
        break;
    case AFTER_UPDATE:
        customer_end_update(it);
        break;
    }
    json_decref(open);
}

void customer_ask_step(struct customer *it)
{
    if (has_ended(it)) {
        end_chore(it);
    } else if (it->step->op) {
        customer_ask_for(it, it->step->op, it->step->ask(it));
    } else {
        it->step++->ask(it);
    }
}

void customer_on_step(struct customer *it, json_t *answer)
{
    if (it->step->hear(it, answer)) {
        if (!it->is_content)
            next_step(it);
    } else {
        customer_come_back(it, 1);
    }
}
