// channel_kind.h - the table of functions that each kind of channel fills.
#ifndef SS_MODEL_CHANNEL_KIND_H
#define SS_MODEL_CHANNEL_KIND_H

#include "common/model/channel.h"
#include "common/model/reserved.h"

struct ss_channel_kind_table {
    // `channel` is empty but for its spec; stored may be NULL.
    int (*restore)(struct ss_channel *channel, struct ss_value *stored,
        struct ss_error *error);
    int (*update)(struct ss_channel *channel,
        const struct ss_channel_write *writes, size_t count, bool *ret_changed,
        struct ss_error *error);
    bool (*available)(const struct ss_channel *channel); // NULL: has a value
    bool (*consume)(struct ss_channel *channel);         // NULL: never
    bool (*finish)(struct ss_channel *channel);          // NULL: never
    bool passes; // without a write its value lasts for one superstep
    // NULL: the value itself. Gives.
    struct ss_value *(*store)(const struct ss_channel *channel);
};

extern const struct ss_channel_kind_table ss_channel_last_value;
extern const struct ss_channel_kind_table ss_channel_last_value_after_finish;
extern const struct ss_channel_kind_table ss_channel_any_value;
extern const struct ss_channel_kind_table ss_channel_ephemeral;
extern const struct ss_channel_kind_table ss_channel_untracked;
extern const struct ss_channel_kind_table ss_channel_barrier;
extern const struct ss_channel_kind_table ss_channel_barrier_after_finish;
extern const struct ss_channel_kind_table ss_channel_topic;
extern const struct ss_channel_kind_table ss_channel_reducer;

// Hold `value` (taken; NULL: nothing) in place of what was held.
void ss_channel_put(struct ss_channel *channel, struct ss_value *value);
// The kinds that begin with their zero, if they have one: the table's restore.
int ss_channel_restore_or_zero(struct ss_channel *channel,
    struct ss_value *stored, struct ss_error *error);
// SS_ECORRUPT that names the channel and says what was expected.
int ss_channel_damaged(const struct ss_channel *channel, const char *expected,
    struct ss_error *error);
// A pair [value, finished] as the AfterFinish kinds store it. Gives.
struct ss_value *ss_channel_pair(json_t *value, bool finished);
// Its reading: borrowed value, or SS_ECORRUPT.
int ss_channel_unpair(struct ss_channel *channel, struct ss_value *stored,
    json_t **ret_value, struct ss_error *error);

#endif
