// saved.h - a checkpoint as JSON, both ways.
#ifndef SS_ENGINE_REQUESTS_SAVED_H
#define SS_ENGINE_REQUESTS_SAVED_H

#include <jansson.h>

#include "common/base/status.h"

struct ss_checkpoint;
struct ss_checkpoint_entry;
struct ss_row_write;
struct thread;

// All that can be said of a saved checkpoint by itself: its form, its ids, its
// names, its versions. SS_EINVAL names the part.
int ss_saved_check(const json_t *saved, struct ss_error *error) SS_MUST_USE;
// One that was checked, in full. Gives a reference.
struct ss_checkpoint *ss_saved_read(const json_t *saved);
// All that is saved of a checkpoint. Gives; NULL: its rows contradict each
// other.
json_t *ss_saved_json(struct thread *thread, struct ss_checkpoint_entry *mark);
// One pending write. Gives.
json_t *ss_write_json(const struct ss_row_write *write);

#endif
