// attempt_slab.c - attempts that are out, by their numbers.
#include "coordinator/engine/scheduler/attempt_slab.h"

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"

enum { PLACES_FIRST = 64, SHRINKS_BY = 8 };

static struct task **place_of(
    struct task *const *places, uint32_t count, uint64_t number)
{
    return (struct task **)&places[number & (count - 1)];
}

static uint64_t number_of(const struct task *task)
{
    return attempt_of(task)->name.dispatch;
}

// ------------------------------------------------ the size of the array

// False: two that are out would meet in one place; it stays as it is.
static bool resize(struct attempt_slab *slab, uint32_t count)
{
    struct task **places = ss_zalloc(count, sizeof(struct task *));
    ss_check((count & (count - 1)) == 0 && count > slab->count);
    for (struct task *it = slab->first; it; it = attempt_of(it)->out_next) {
        struct task **place = place_of(places, count, number_of(it));
        if (*place) {
            ss_free(places);
            return false;
        }
        *place = it;
    }
    ss_free(slab->places);
    slab->places = places;
    slab->places_count = count;
    slab->shrink_at = count > PLACES_FIRST ? count / SHRINKS_BY : 0;
    return true;
}

// Whose numbers differ in the low bits differ in more of them, too.
static void grow(struct attempt_slab *slab)
{
    uint32_t count =
        slab->places_count ? slab->places_count * 2 : (uint32_t)PLACES_FIRST;
    ss_check(count > slab->places_count);
    bool has_grown = resize(slab, count);
    ss_check(has_grown);
}

static void shrink(struct attempt_slab *slab)
{
    uint32_t count = PLACES_FIRST;
    while (count < slab->count * 4)
        count *= 2;
    for (; count < slab->places_count; count *= 2)
        if (resize(slab, count))
            return;
    slab->shrink_at /= 2;
}

// ------------------------------------------------ in and out

uint64_t ss_attempt_slab_add(struct attempt_slab *slab, struct task *task)
{
    struct attempt *attempt = attempt_of(task);
    ss_check(!attempt->out_next && !attempt->out_prev); // it left its line
    if (slab->count * 2 >= slab->places_count)
        grow(slab);
    struct task **place;
    do
        place = place_of(slab->places, slab->places_count, ++slab->last_number);
    while (*place);
    *place = task;
    attempt->name.dispatch = slab->last_number;
    attempt->out_prev = slab->last;
    attempt->out_next = NULL;
    *(slab->last ? &attempt_of(slab->last)->out_next : &slab->first) = task;
    slab->last = task;
    slab->count++;
    return slab->last_number;
}

struct task *ss_attempt_slab_find(
    const struct attempt_slab *slab, uint64_t number)
{
    if (slab->count == 0)
        return NULL;
    struct task *task = *place_of(slab->places, slab->places_count, number);
    return task && number_of(task) == number ? task : NULL;
}

void ss_attempt_slab_remove(struct attempt_slab *slab, struct task *task)
{
    struct attempt *attempt = attempt_of(task);
    ss_check(ss_attempt_slab_find(slab, attempt->name.dispatch) == task);
    struct task *next = attempt->out_next, *prev = attempt->out_prev;
    *place_of(slab->places, slab->places_count, attempt->name.dispatch) = NULL;
    *(prev ? &attempt_of(prev)->out_next : &slab->first) = next;
    *(next ? &attempt_of(next)->out_prev : &slab->last) = prev;
    attempt->out_next = attempt->out_prev = NULL;
    slab->count--;
    ss_check((slab->count == 0) == (slab->first == NULL));
    if (slab->shrink_at > 0 && slab->count <= slab->shrink_at)
        shrink(slab);
}

size_t ss_attempts_count(const struct engine *engine)
{
    return engine->scheduler->out.count;
}

struct task *ss_attempts_after(
    const struct engine *engine, const struct task *task)
{
    return task ? attempt_of(task)->out_next : engine->scheduler->out.first;
}

void ss_attempt_slab_fini(struct attempt_slab *slab)
{
    ss_check(slab->count == 0 && !slab->first && !slab->last);
    ss_free(slab->places);
    *slab = (struct attempt_slab){0};
}
