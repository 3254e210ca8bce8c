// attempt_slab.h - attempts that are out, by their numbers.
//
// The low bits of an attempt's number are its place in one array of pointers
// whose size is a power of two. Numbers are given in rising order and never
// twice; one whose place is taken by an attempt that stays long is passed over.
// So what stands in a place has a number of its own there, and a number that is
// over finds nothing, whoever has its place now.
//
//   number   5 (stays)  ...  67  68  70  71   of 64 places: 69 would
//   place    5          ...   3   4   6   7   stand where 5 does
//
// The array has at least twice as many places as attempts are out, and is made
// smaller when an eighth of it would do, unless two that are out would meet in
// one place: then it is tried again when half of them are left.
#ifndef SS_ENGINE_SCHEDULER_ATTEMPT_SLAB_H
#define SS_ENGINE_SCHEDULER_ATTEMPT_SLAB_H

#include <stddef.h>
#include <stdint.h>

struct task;

// Zero bytes are an empty one.
struct attempt_slab {
    struct task **places;
    uint64_t last_number; // that was given
    uint32_t places_count;
    uint32_t count;            // tasks that are out
    uint32_t shrink_at;        // so few, and a smaller array is tried
    struct task *first, *last; // in the order in which they came
};

// The task is out from now on: its attempt's number, never 0.
uint64_t ss_attempt_slab_add(struct attempt_slab *slab, struct task *task);
// The task that is out under that number; NULL: none is.
struct task *ss_attempt_slab_find(
    const struct attempt_slab *slab, uint64_t number);
// It is out, and is not from now on.
void ss_attempt_slab_remove(struct attempt_slab *slab, struct task *task);
// When none is out.
void ss_attempt_slab_fini(struct attempt_slab *slab);

#endif
