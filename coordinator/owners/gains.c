// gains.c - which shards are known after a look for their runs.
#include "coordinator/owners/gains.h"

#include "common/base/check.h"

void ss_gains_fini(struct ss_gains *gains)
{
    SS_VEC_FINI(&gains->all);
}

void ss_gains_add(
    struct ss_gains *gains, const struct ss_shards *shards, bool crashed)
{
    SS_VEC_PUSH(&gains->all, (struct ss_gain){*shards, crashed});
}

const struct ss_gain *ss_gains_next(const struct ss_gains *gains)
{
    ss_check(gains->all.count > 0);
    return &gains->all.items[0];
}

void ss_gains_leave(const struct ss_gains *gains, struct ss_shards *shards)
{
    for (size_t i = 0; i < gains->all.count; i++)
        ss_shards_leave(shards, &gains->all.items[i].shards);
}

struct ss_shards ss_gains_read(struct ss_gains *gains)
{
    struct ss_shards known = ss_gains_next(gains)->shards;
    SS_VEC_REMOVE(&gains->all, 0);
    // Shards that were lost and gained again since then are read once more.
    ss_gains_leave(gains, &known);
    return known;
}
