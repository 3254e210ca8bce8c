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
//   retain:  look -> its thread, all threads the newest first, its thread
//            -> the list of threads, page by page -> prune each of its own
//            -> look again                      as after a prune
//
// A step that may be asked for twice is done once: what keeps a key is given
// one, the others may be repeated.
#include "tests/sim/chores.h"

#include <stdio.h>
#include <string.h>

#include "common/model/reserved.h"

// ------------------------------------------------ the chores

// Under a database that is set back a thread keeps its name: where another one
// had begun, nobody can tell.
static const struct step *steps_of(struct customer *it, enum chore chore)
{
    struct world *world = it->process.world;
    bool stays = world->climate.set_back > 0;
    switch (chore) {
    case CHORE_PRUNE:
        return chore_prune;
    case CHORE_UPDATE:
        return chore_update;
    case CHORE_FORK:
        return chore_fork;
    case CHORE_COPY:
        if (stays)
            return NULL;
        return draw(world, 2) ? chore_copy : chore_copy_and_drop;
    case CHORE_DELETE:
        return chore_delete;
    case CHORE_MOVE:
        return stays || draw(world, 2) ? chore_move_back : chore_move_on;
    case CHORE_REST:
        return chore_rest_and_look;
    case CHORE_RETAIN:
        return chore_retain;
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
    begin_chore(it, chore_last_look, AFTER_INPUT, "the last look");
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
        chore_name_other(it);
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

// ------------------------------------------------ the steps

bool customer_has_nothing(const struct customer *it)
{
    return it->step && it->step->op &&
           (strcmp(it->step->op, "state") == 0 ||
               strcmp(it->step->op, "thread") == 0) &&
           json_array_size(it->words) == 0;
}

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
