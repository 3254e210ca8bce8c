// paces.h - what bodies of a node took when they last ran.
//
// A node has a place, by a hash of it, so that two nodes may share one: that
// wakes a thread too few or too many, no more. Whoever shares the paces between
// threads has a mutex for them; ss_paces_place() needs none.
#ifndef SS_WORKER_PACES_H
#define SS_WORKER_PACES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/model/task.h"

enum { SS_PACES = 1024 };

struct ss_paces {
    uint32_t us[SS_PACES]; // UINT32_MAX: nobody knows
};

// Nobody knows any yet.
void ss_paces_init(struct ss_paces *paces);
// The place of the order's node.
unsigned ss_paces_place(const struct ss_assignment *order);
// Would a body there be over before a thread is woken for it? Not, if nobody
// knows.
bool ss_paces_is_quick(const struct ss_paces *paces, unsigned place);
// Slow at once, quick again by and by: a node that waits for somebody each
// tenth time does so the next time, too.
void ss_paces_learn(struct ss_paces *paces, unsigned place, int64_t took_us);

#endif
