// chores_move.c - a customer takes its thread elsewhere: export, delete,
// import.
#include "tests/sim/chores.h"

static const char *last_id(const json_t *saved)
{
    return ss_json_str(
        json_array_get(saved, json_array_size(saved) - 1), "id", NULL);
}

static json_t *ask_saved(struct customer *it, const json_t *so_far)
{
    static const int limits[] = {2, 7, 50};
    json_t *body = chore_ask_thread(it);
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
    static const struct step nothing[] = {
        {"checkpoints", NULL, NULL}, CHORE_END};
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
    chore_must_be_equal(it, it->chore.before, it->chore.body, "what is saved");
    return true;
}

// In pieces; whole where the database may be set back to between two of them,
// while the customer crashes, and nobody knows that the rest is missing.
static json_t *ask_import(struct customer *it)
{
    size_t count = json_array_size(it->chore.before);
    bool is_whole =
        it->chore.number % 2 != 0 || it->process.world->climate.set_back > 0;
    size_t piece = is_whole ? count : 1 + it->chore.number % 5;
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
    if (it->said[0]) // as whoever saved it has them beside
        json_object_set_new(body, "facts",
            json_pack("{s:{s:s}}", "metadata", SAID_KEY, it->said));
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
    chore_change_thread(it);
    customer_come_back(it, 1);
    return NULL;
}

const struct step chore_move_back[] = {{"checkpoints", ask_export, hear_export},
    {"delete", chore_ask_drop, chore_hear_drop},
    {"import", ask_import, hear_import}, {"checkpoints", ask_again, hear_again},
    CHORE_END};
const struct step chore_move_on[] = {{"checkpoints", ask_export, hear_export},
    {NULL, turn_away, NULL}, {"import", ask_import, hear_import},
    {"checkpoints", ask_again, hear_again}, CHORE_END};
