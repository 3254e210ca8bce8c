#include "coordinator/engine/scheduler/attempt_slab.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "tests/stories/suite.h"

enum { MANY = 5000 };

static struct attempt_slab slab;
static struct attempt attempts[MANY]; // a task lies behind each: nobody looks

static uint64_t add(size_t i)
{
    return ss_attempt_slab_add(&slab, task_of(&attempts[i]));
}

static void take_out(size_t i)
{
    ss_attempt_slab_remove(&slab, task_of(&attempts[i]));
}

static bool is_found(size_t i, uint64_t number)
{
    return ss_attempt_slab_find(&slab, number) == task_of(&attempts[i]);
}

static void begin(void)
{
    slab = (struct attempt_slab){0};
    memset(attempts, 0, sizeof(attempts));
}

START_TEST(a_number_leads_to_its_task_until_that_is_over)
{
    begin();
    ck_assert_ptr_null(ss_attempt_slab_find(&slab, 0));
    ck_assert_ptr_null(ss_attempt_slab_find(&slab, 1));
    ck_assert_uint_eq(add(0), 1);
    ck_assert_uint_eq(add(1), 2);
    ck_assert(is_found(0, 1) && is_found(1, 2));
    ck_assert_ptr_null(ss_attempt_slab_find(&slab, 0));
    ck_assert_ptr_null(ss_attempt_slab_find(&slab, 3));
    take_out(0);
    ck_assert_ptr_null(ss_attempt_slab_find(&slab, 1));
    ck_assert(is_found(1, 2));
    take_out(1);
    ss_attempt_slab_fini(&slab);
}
END_TEST

START_TEST(a_number_that_is_over_finds_nobody_in_its_place)
{
    begin();
    uint64_t first = add(0), number = 0;
    take_out(0);
    for (uint64_t i = 0; i < slab.places_count; i++) {
        number = add(1);
        ck_assert_ptr_null(ss_attempt_slab_find(&slab, first));
        if (i + 1 < slab.places_count)
            take_out(1);
    }
    ck_assert_uint_eq(number, first + slab.places_count); // in the same place
    ck_assert(is_found(1, number));
    ck_assert_ptr_null(ss_attempt_slab_find(&slab, number + slab.places_count));
    take_out(1);
    ss_attempt_slab_fini(&slab);
}
END_TEST

START_TEST(a_number_whose_place_is_taken_is_passed_over)
{
    begin();
    uint64_t stays = add(0), last = stays;
    for (int i = 0; i < 1000; i++) {
        uint64_t number = add(1);
        ck_assert_uint_gt(number, last);
        ck_assert_uint_ne((number - stays) % slab.places_count, 0);
        ck_assert(is_found(0, stays) && is_found(1, number));
        take_out(1);
        last = number;
    }
    ck_assert_uint_gt(last, 1000 + stays);
    take_out(0);
    ss_attempt_slab_fini(&slab);
}
END_TEST

// As many as half its places, and an eighth at least once most have gone.
START_TEST(memory_is_given_back)
{
    begin();
    for (size_t i = 0; i < MANY; i++)
        add(i);
    ck_assert_uint_eq(slab.places_count, 16384);
    for (size_t i = MANY; i > 100; i--)
        take_out(i - 1);
    ck_assert_uint_le(slab.places_count, 1024);
    for (size_t i = 100; i > 1; i--)
        take_out(i - 1);
    ck_assert_uint_eq(slab.places_count, 64);
    ck_assert(is_found(0, 1));
    take_out(0);
    ss_attempt_slab_fini(&slab);
    ck_assert_ptr_null(slab.places);
}
END_TEST

// Numbers 1 and 8193 do in any smaller array.
START_TEST(two_that_would_meet_keep_the_array_until_one_has_gone)
{
    begin();
    for (size_t i = 0; i < MANY; i++)
        add(i);
    for (size_t i = MANY / 2; i < MANY; i++)
        take_out(i);
    while (slab.last_number < 8192) {
        add(MANY - 1);
        take_out(MANY - 1);
    }
    ck_assert_uint_eq(add(MANY - 1), 8193);
    for (size_t i = 1; i < MANY / 2; i++)
        take_out(i);
    ck_assert_uint_eq(slab.count, 2);
    ck_assert_uint_eq(slab.places_count, 16384);
    ck_assert(is_found(0, 1) && is_found(MANY - 1, 8193));
    take_out(0);
    ck_assert_uint_eq(slab.places_count, 64);
    ck_assert(is_found(MANY - 1, 8193));
    take_out(MANY - 1);
    ss_attempt_slab_fini(&slab);
}
END_TEST

static void stand_in_order(size_t count)
{
    uint64_t last = 0;
    size_t seen = 0;
    for (const struct task *it = slab.first; it;
         it = attempt_of(it)->out_next, seen++) {
        ck_assert_uint_gt(attempt_of(it)->name.dispatch, last);
        last = attempt_of(it)->name.dispatch;
        ck_assert(ss_attempt_slab_find(&slab, last) == it);
    }
    ck_assert_uint_eq(seen, count);
    ck_assert_uint_eq(slab.count, count);
}

static struct {
    bool is_out;
    uint64_t number; // the last one
} known[MANY];

static void turn(size_t i)
{
    if (known[i].is_out)
        take_out(i);
    else
        known[i].number = add(i);
    known[i].is_out = !known[i].is_out;
    ck_assert(is_found(i, known[i].number) == known[i].is_out);
    ck_assert(ss_attempt_slab_find(&slab, known[i].number) ==
              (known[i].is_out ? task_of(&attempts[i]) : NULL));
}

static size_t count_out(void)
{
    size_t count = 0;
    for (size_t i = 0; i < MANY; i++)
        count += known[i].is_out;
    return count;
}

START_TEST(whatever_comes_and_goes_each_is_found_and_nobody_else)
{
    struct ss_prng prng;
    begin();
    memset(known, 0, sizeof(known));
    ss_prng_init(&prng, 45);
    for (int round = 0; round < 10; round++) {
        size_t most = round % 2 ? 20 : MANY; // it grows, and shrinks
        for (size_t i = 0; i < MANY; i++)
            if (known[i].is_out && i % 500 != 0)
                turn(i);
        for (int times = 0; times < 10000; times++) {
            turn((size_t)ss_prng_below(&prng, most));
            ck_assert_uint_le(slab.count * 2, slab.places_count);
        }
        stand_in_order(count_out());
    }
    for (size_t i = 0; i < MANY; i++)
        if (known[i].is_out)
            turn(i);
    ss_attempt_slab_fini(&slab);
}
END_TEST

SUITE("attempt_slab", a_number_leads_to_its_task_until_that_is_over,
    a_number_that_is_over_finds_nobody_in_its_place,
    a_number_whose_place_is_taken_is_passed_over, memory_is_given_back,
    two_that_would_meet_keep_the_array_until_one_has_gone,
    whatever_comes_and_goes_each_is_found_and_nobody_else)
