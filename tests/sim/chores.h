// chores.h - what a customer does to its thread between runs, as the files of
// the chores share it: each chore is a row of steps, ended by CHORE_END.
#ifndef SS_TESTS_SIM_CHORES_H
#define SS_TESTS_SIM_CHORES_H

#include "tests/sim/customer.h"

// A part of a chore.
struct step {
    const char *op; // NULL: it asks nothing, and comes back by itself
    json_t *(*ask)(struct customer *it);               // gives
    bool (*hear)(struct customer *it, json_t *answer); // false: ask on
};

#define CHORE_END                                                              \
    {                                                                          \
        NULL, NULL, NULL                                                       \
    }
// The thread before something was done to it, and behind that: the same.
#define CHORE_LOOK                                                             \
    {                                                                          \
        "state", chore_ask_thread, chore_hear_before                           \
    }
#define CHORE_LOOK_AGAIN                                                       \
    {                                                                          \
        "state", chore_ask_thread, chore_hear_behind                           \
    }

// ------------------------------------------------ chores_look.c

json_t *chore_ask_thread(struct customer *it);
json_t *chore_ask_other(struct customer *it);
// The thread, and perhaps that it be spared if it was used lately.
json_t *chore_ask_perhaps(struct customer *it);
// It was spared, as it had asked for.
bool chore_was_spared(struct customer *it, const json_t *answer);
bool chore_hear_before(struct customer *it, json_t *answer);
bool chore_hear_behind(struct customer *it, json_t *answer);
// A thread at rest has the values of the reference.
bool chore_hear_values(struct customer *it, json_t *answer);
void chore_must_be_equal(
    struct customer *it, const json_t *was, const json_t *is, const char *what);
// Leave the thread alone for a while.
json_t *chore_rest(struct customer *it);
extern const struct step chore_rest_and_look[], chore_last_look[];

// ------------------------------------------------ chores_change.c

extern const struct step chore_update[], chore_fork[], chore_copy[],
    chore_copy_and_drop[], chore_delete[];
// A name for a copy, of the same coordinator.
void chore_name_other(struct customer *it);
// The customer goes on with the other thread, and leaves this one.
void chore_change_thread(struct customer *it);
json_t *chore_ask_drop(struct customer *it);
bool chore_hear_drop(struct customer *it, json_t *answer);

// ------------------------------------------------ chores_move.c

extern const struct step chore_move_back[], chore_move_on[];

// ------------------------------------------------ chores_prune.c

extern const struct step chore_prune[], chore_retain[];

#endif
