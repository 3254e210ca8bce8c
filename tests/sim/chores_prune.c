// chores_prune.c - a customer lets threads forget their past: its own, or all
// that are listed.
#include "tests/sim/chores.h"

#include <stdio.h>
#include <string.h>

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
    {"threads", ask_list, hear_list}, {"prune", ask_retain, hear_retain},
    CHORE_LOOK_AGAIN, CHORE_END};
