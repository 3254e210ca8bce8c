// deed.c - what nodes and routers do, as functions of what they read.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/sim/plan.h"

static uint64_t hash_of(const json_t *json)
{
    char *text = ss_json_canonical(json);
    uint64_t hash = ss_hash64(text, strlen(text));
    ss_free(text);
    return hash;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t both[2] = {a, b};
    return ss_hash64(both, sizeof(both));
}

// How much was done so far: inside a graph its words say it.
static json_int_t done_so_far(const struct plan *plan, const json_t *state)
{
    if (plan->is_inner)
        return (json_int_t)json_array_size(json_object_get(state, "y"));
    return json_integer_value(json_object_get(state, "n"));
}

static bool is_busy(const struct plan *plan, const json_t *state)
{
    return done_so_far(plan, state) % 64 < (json_int_t)plan->busy;
}

// One of the bits, or none if there is none.
static unsigned one_of(unsigned bits, uint64_t hash)
{
    unsigned count = 0;
    for (unsigned b = bits; b; b &= b - 1)
        count++;
    if (count == 0)
        return 0;
    for (uint64_t skip = hash % count; skip > 0; skip--)
        bits &= bits - 1;
    return bits & ~(bits - 1);
}

static json_t *draw_sends(
    const struct role *role, const json_t *input, uint64_t hash)
{
    json_t *sends = json_array();
    for (uint32_t i = 0; i < role->sends; i++)
        json_array_append_new(sends,
            json_pack("{s:O*, s:i, s:I}", "n", json_object_get(input, "n"), "i",
                (int)i, "h", (json_int_t)(hash & 0xffff)));
    return sends;
}

struct deed plan_deed(const struct plan *plan, const struct role *role,
    json_t *input, const json_t *answers)
{
    struct deed deed = {0};
    uint64_t hash = hash_of(input);
    char word[32];
    if (role->is_extra) {
        deed.update = json_object();
        return deed;
    }
    for (uint32_t i = 0; i < role->questions; i++) {
        json_t *answer = json_array_get(answers, i);
        if (!answer) {
            snprintf(deed.question, sizeof(deed.question), "%s%u %04x?",
                role->name, (unsigned)i, (unsigned)(hash & 0xffff));
            return deed;
        }
        hash = mixed(hash, hash_of(answer));
    }
    snprintf(
        word, sizeof(word), "%s:%06x", role->name, (unsigned)(hash & 0xffffff));
    deed.update = json_pack("{s:[s], s:{s:I}}", plan->is_inner ? "y" : "x",
        word, "m", role->name, (json_int_t)(hash & 0xfff));
    if (!plan->is_inner)
        json_object_set_new(deed.update, "n", json_integer(1));
    if (plan->folds)
        json_object_set_new(deed.update, "f", json_string(word));
    if (role->sends_to >= 0 && is_busy(plan, input))
        deed.sends = draw_sends(role, input, hash);
    deed.gotos = one_of(role->gotos, hash >> 24);
    return deed;
}

void deed_fini(struct deed *deed)
{
    json_decref(deed->update);
    json_decref(deed->sends);
}

// ------------------------------------------------------------------ versions

static const char *const own_counters[VERSIONS] = {"e", "d"};

void plan_stamp(const struct plan *plan, const struct role *role,
    size_t version, uint64_t number, json_t *update)
{
    if (plan->is_inner)
        return;
    json_t *stamp = json_sprintf("%u %" PRIu64, (unsigned)version + 1, number);
    json_object_set_new(update, own_counters[version], json_integer(1));
    json_object_set_new(update, "v", json_pack("{s:o}", role->name, stamp));
}

size_t plan_stamped(const json_t *stamp)
{
    unsigned long version =
        json_is_string(stamp) ? strtoul(json_string_value(stamp), NULL, 10) : 0;
    return version < 1 || version > VERSIONS ? VERSIONS : version - 1;
}

json_t *plan_shown(const json_t *values)
{
    json_t *shown = json_copy((json_t *)values);
    json_object_del(shown, "v");
    for (size_t i = 0; i < VERSIONS; i++)
        json_object_del(shown, own_counters[i]);
    return shown;
}

unsigned plan_route(
    const struct plan *plan, const struct role *role, json_t *state)
{
    uint64_t hash = hash_of(state);
    if (role->back >= 0 && is_busy(plan, state) && hash % 4 != 0)
        return 1u << role->back;
    unsigned first = one_of(role->routes, hash >> 8);
    unsigned second = one_of(role->routes, hash >> 16);
    return hash & (1u << 30) ? first | second : first;
}

json_t *plan_fold(const json_t *value, const json_t *write)
{
    uint64_t hash = mixed(value ? hash_of(value) : 0, hash_of(write));
    return json_sprintf("%08x", (unsigned)(hash & 0xffffffff));
}

json_t *plan_answer(const char *question)
{
    return json_sprintf("yes %s", question);
}
