// channel.h - versioned state: ten kinds behind one small table (spec 2).
//
// Pure: a channel knows its value, never its version. "Missing" (nothing held)
// is NULL here and different from a stored null.
#ifndef SS_MODEL_CHANNEL_H
#define SS_MODEL_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/value.h"

// Small on purpose: a loop has one for each channel of its graph.
struct ss_channel {
    const struct ss_channel_spec *spec; // borrowed from the graph
    struct ss_value
        *value;    // held value; a Topic's list; a barrier's seen names
    bool finished; // the AfterFinish kinds
};

// One write as a channel sees it. `owner` names the write for made-up message
// ids: they are a function of it and the position (spec/graph.md 3, 3).
struct ss_channel_write {
    struct ss_value *value; // borrowed
    // Borrowed: the task id; for writes of no task a text that no other write
    // on the thread has (made-up ids of messages are derived from it). NULL:
    // ids are made from the contents.
    const char *owner;
};

// A channel without value, or restored from its stored form (borrowed; NULL:
// missing). Undamaged forms of other kinds are read where the spec says so
// (R2.2, R2.4); a damaged one is SS_ECORRUPT and names the channel.
int ss_channel_restore(struct ss_channel *channel,
    const struct ss_channel_spec *spec, struct ss_value *stored,
    struct ss_error *error) SS_MUST_USE;
void ss_channel_fini(struct ss_channel *channel);
// A copy that shares the value.
void ss_channel_copy(struct ss_channel *channel, const struct ss_channel *from);

// The end of a superstep may change the channel though no task writes to it:
// its value lasts for one step, or waits for the finish. False: ticks and
// finishes do nothing.
bool ss_channel_self_changing(const struct ss_channel *channel);

// Apply the writes of one superstep, in order; no writes: the step's tick. True
// in *ret_changed means: a new version. Errors SS_EUPDATE, SS_EINVAL (a reducer
// that cannot take the value), each naming the channel; then nothing changed. A
// channel with a custom reducer is not updated here: ss_channel_set().
int ss_channel_update(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count, bool *ret_changed,
    struct ss_error *error) SS_MUST_USE;
// The result of a fold that a worker made (custom reducers). Borrows. A list
// shares the items that are as they were in the one that was held.
void ss_channel_set(struct ss_channel *channel, struct ss_value *value);
// The value, borrowed, or NULL if it is not available.
struct ss_value *ss_channel_get(struct ss_channel *channel);
bool ss_channel_available(const struct ss_channel *channel);
bool ss_channel_consume(struct ss_channel *channel);
bool ss_channel_finish(struct ss_channel *channel);
// The stored form. Gives, or NULL: nothing to store. `live`: also of an
// untracked channel (for a router's read), never for the journal.
struct ss_value *ss_channel_store(const struct ss_channel *channel, bool live);

// True if `json` is an Overwrite in one of its three forms (R1.7 objects);
// *ret_value is its value, borrowed.
bool ss_overwrite_is(const json_t *json, json_t **ret_value);
// The same of a value, which is decoded only if it may be one.
bool ss_value_overwrites(struct ss_value *value, json_t **ret_value);

// What is left to do for a custom reducer, R2.2 and R2.4 applied: the value is
// `base`, folded with `count` writes from `from` on. With count 0 it is `base`
// alone, and no worker is needed.
struct ss_fold {
    struct ss_value *base; // owned reference; NULL: nothing is held
    const struct ss_channel_write *from;
    size_t count;
};

// Borrows; count > 0. Gives ret_fold->base. SS_EUPDATE: two Overwrites.
int ss_channel_fold(struct ss_channel *channel,
    const struct ss_channel_write *writes, size_t count,
    struct ss_fold *ret_fold, struct ss_error *error) SS_MUST_USE;

#endif
