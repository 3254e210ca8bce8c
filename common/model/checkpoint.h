// checkpoint.h - a checkpoint in full, and the one way from it to a row's part;
// the way back is fold.c.
#ifndef SS_MODEL_CHECKPOINT_H
#define SS_MODEL_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/model/journal.h"

// An empty one. Gives a reference.
struct ss_checkpoint *ss_checkpoint_new(void);
// A copy of channels and seen versions alone. Gives a reference.
struct ss_checkpoint *ss_checkpoint_copy(const struct ss_checkpoint *from);
// The channel's place, and what a node has seen; made where there is none yet.
// Borrowed.
struct ss_slot *ss_checkpoint_slot(
    struct ss_checkpoint *checkpoint, const char *name);
struct ss_map *ss_checkpoint_seen(
    struct ss_checkpoint *checkpoint, const char *node);
void ss_checkpoint_saw(
    struct ss_map *seen, const char *channel, int64_t version);
void ss_checkpoint_forget_updated(struct ss_checkpoint *checkpoint);

// Fill the empty checkpoint part of a row: all of `full`, or what it has
// otherwise than `base`.
void ss_checkpoint_tell(const struct ss_checkpoint *full,
    const struct ss_checkpoint *base, struct ss_row *row);
// Nothing of `base` is gone in `full`: a delta can only add.
bool ss_checkpoint_keeps(
    const struct ss_checkpoint *full, const struct ss_checkpoint *base);

#endif
