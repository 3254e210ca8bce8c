// chores_change.c - a customer updates, copies and deletes its thread.
#include "tests/sim/chores.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/model/cluster.h"

// ------------------------------------------------ update

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

const struct step chore_update[] = {
    {"update", ask_update, hear_update}, CHORE_END};
const struct step chore_fork[] = {{"update", ask_update, hear_update},
    {"state", chore_ask_thread, chore_hear_values}, CHORE_END};

// ------------------------------------------------ copy

// Where it stands, and with the same coordinator: a name is tried until one
// fits.
void chore_name_other(struct customer *it)
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
void chore_change_thread(struct customer *it)
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
    chore_change_thread(it);
    return true;
}

// ------------------------------------------------ delete

static json_t *ask_delete(struct customer *it)
{
    customer_forget_asks(it);
    return chore_ask_perhaps(it);
}

// It lives again, and its runs may have names that were given there before.
// (Not where they may stand there again.)
static bool hear_delete(struct customer *it, json_t *answer)
{
    struct world *world = it->process.world;
    if (chore_was_spared(it, answer))
        return true;
    customer_forget_said(it);
    if (world->climate.set_back == 0 && it->chore.number % 2 == 0)
        it->names = 0;
    json_array_clear(it->words);
    json_array_clear(it->gone);
    customer_run_words(it);
    return true;
}

// What is taken elsewhere is gone here before it is there.
json_t *chore_ask_drop(struct customer *it)
{
    customer_forget_asks(it);
    return chore_ask_thread(it);
}

static json_t *ask_drop_other(struct customer *it)
{
    customer_forget_asks(it);
    return chore_ask_other(it);
}

bool chore_hear_drop(struct customer *it, json_t *answer)
{
    if (json_object_get(answer, "spared"))
        violated(it->process.world, "a thread is spared, and nobody asked for "
                                    "that");
    return true;
}

const struct step chore_copy[] = {CHORE_LOOK, {"copy", ask_copy, hear_copy},
    CHORE_LOOK_AGAIN, {"state", chore_ask_other, chore_hear_behind}, CHORE_END};
const struct step chore_copy_and_drop[] = {CHORE_LOOK,
    {"copy", ask_copy, hear_copy}, {"delete", ask_drop_other, chore_hear_drop},
    CHORE_LOOK_AGAIN, CHORE_END};
const struct step chore_delete[] = {{"delete", ask_delete, hear_delete},
    {"state", chore_ask_thread, chore_hear_values}, CHORE_END};
