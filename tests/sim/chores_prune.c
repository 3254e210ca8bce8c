// chores_prune.c - a customer lets threads forget their past: its own, or all
// that are listed.
#include "tests/sim/chores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/find.h"

// ------------------------------------------------ prune

static json_t *ask_prune(struct customer *it)
{
    // it forgets the keys of what is older: asked again, it begins anew
    customer_forget_asks(it);
    return chore_ask_perhaps(it);
}

static bool hear_prune(struct customer *it, json_t *answer)
{
    (void)chore_was_spared(it, answer);
    return true;
}

const struct step chore_prune[] = {
    CHORE_LOOK, {"prune", ask_prune, hear_prune}, CHORE_LOOK_AGAIN, CHORE_END};

// ------------------------------------------------ retain

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

// ------------------------------------------------ the newest first

// What a list by time says is behind what it said before: a time and a name.
static void take_newest(struct customer *it, const json_t *thread)
{
    struct world *world = it->process.world;
    const char *name = ss_json_str(thread, "thread", "");
    int64_t at_us =
        ss_json_int(thread, "updated_us", ss_json_int(thread, "created_us", 0));
    char *place = ss_find_place(at_us, name);
    const char *before = it->chore.place;
    const char *before_name = strchr(before, '/');
    if (*before && ss_find_order(strtoll(before, NULL, 10), before_name + 1,
                       at_us, name) >= 0)
        violated(
            world, "the newest threads: %s comes behind %s", place, before);
    snprintf(it->chore.place, sizeof(it->chore.place), "%s", place);
    it->chore.found += strcmp(name, it->thread) == 0;
    ss_free(place);
}

static json_t *ask_newest(struct customer *it)
{
    const char *place = it->chore.place;
    return json_pack("{s:s, s:I, s:s*}", "order", "newest", "limit",
        (json_int_t)page_of(it), "after", place[0] ? place : NULL);
}

static bool hear_newest(struct customer *it, json_t *answer)
{
    const char *next = ss_json_str(answer, "next", NULL);
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(answer, "threads"), i, item)
        take_newest(it, item);
    if (next && strcmp(next, it->chore.place) != 0 &&
        json_array_size(json_object_get(answer, "threads")) == page_of(it))
        violated(it->process.world,
            "the newest threads end with %s, and go on behind %s",
            it->chore.place, next);
    if (next)
        snprintf(it->chore.place, sizeof(it->chore.place), "%s", next);
    return !next;
}

static json_t *ask_own(struct customer *it)
{
    return json_pack("{s:s, s:s, s:i}", "order", "newest", "prefix", it->thread,
        "limit", 50);
}

// When its thread was changed last; 0: it is not there.
static int64_t changed_us(const struct customer *it, const json_t *answer)
{
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(answer, "threads"), i, item)
        if (strcmp(ss_json_str(item, "thread", ""), it->thread) == 0)
            return ss_json_int(item, "updated_us", 1);
    return 0;
}

static bool hear_own(struct customer *it, json_t *answer)
{
    it->chore.changed_us = changed_us(it, answer);
    it->chore.found = 0;
    it->chore.place[0] = '\0';
    return true;
}

// One that did not change while all were listed is told once; one that did may
// have been told before, or moved to where the list had been.
static bool hear_own_again(struct customer *it, json_t *answer)
{
    int64_t is_us = changed_us(it, answer);
    if (is_us != it->chore.changed_us)
        return true;
    if (it->chore.found != (is_us > 0))
        violated(it->process.world,
            "thread %s did not change, and is told %zu times among the newest",
            it->thread, it->chore.found);
    return true;
}

// ------------------------------------------------ retain

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
    customer_forget_asks(it);
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

static const struct step look_only[3] = {
    {"threads", ask_list, hear_list}, CHORE_LOOK_AGAIN, CHORE_END};
const struct step chore_retain[] = {CHORE_LOOK, {NULL, chore_rest, NULL},
    {"threads", ask_own, hear_own}, {"threads", ask_newest, hear_newest},
    {"threads", ask_own, hear_own_again}, {"threads", ask_list, hear_list},
    {"prune", ask_retain, hear_retain}, CHORE_LOOK_AGAIN, CHORE_END};
