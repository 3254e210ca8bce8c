// move.h - a state machine as data: the states, and from which each is entered.
//
//     #define FROM(state) (1U << DOOR_##state)
//     static const struct ss_move_state states[] = {
//         [DOOR_OPEN] = {"open", FROM(SHUT)},
//         [DOOR_SHUT] = {"shut", FROM(OPEN) | FROM(SHUT)},
//     };
//     static const struct ss_move_table moves = SS_MOVE_TABLE("door", states);
//
//     ss_move(&moves, door->state, DOOR_SHUT);
//     door->state = DOOR_SHUT;
//
// The table is the drawing; every way that it lacks is a bug of ours (check.h).
#ifndef SS_BASE_MOVE_H
#define SS_BASE_MOVE_H

#include <stddef.h>
#include <stdint.h>

struct ss_move_state {
    const char *name;
    uint32_t from; // a bit for each state that may come before
};

struct ss_move_table {
    const char *of; // what has them
    const struct ss_move_state *items;
    size_t count;
};

#define SS_MOVE_TABLE(of, items)                                               \
    {                                                                          \
        of, items, sizeof(items) / sizeof(*(items))                            \
    }

// Stops the process if the table lacks the way from `from` to `to`.
void ss_move(const struct ss_move_table *table, unsigned from, unsigned to);

#endif
