// gains.h - shards that were gained, and whose runs are being read.
//
// Several gains may be under way, each with a look for its runs; the looks are
// answered in the order in which they were asked for. A shard that was lost and
// gained again meanwhile is not known by the first of its looks: another owner
// may have accepted runs in between.
#ifndef SS_OWNERS_GAINS_H
#define SS_OWNERS_GAINS_H

#include <stdbool.h>

#include "common/base/mem.h"
#include "common/model/cluster.h"

struct ss_gain {
    struct ss_shards shards;
    bool crashed; // the owner before ended without a hand-over
};

struct ss_gains {
    SS_VEC(struct ss_gain) all; // the one whose look is answered next first
};

void ss_gains_fini(struct ss_gains *gains);
void ss_gains_add(
    struct ss_gains *gains, const struct ss_shards *shards, bool crashed);
// The gain whose look is answered now; there is one. Borrowed.
const struct ss_gain *ss_gains_next(const struct ss_gains *gains);
// Takes from `shards` those that are not known yet.
void ss_gains_leave(const struct ss_gains *gains, struct ss_shards *shards);
// Everything that this look found was fed: the shards whose runs are all known
// now.
struct ss_shards ss_gains_read(struct ss_gains *gains);

#endif
