// emit.h - on which row it rests what listeners are told, and how it is sent
// (emit.c).
#ifndef SS_ENGINE_REQUESTS_EMIT_H
#define SS_ENGINE_REQUESTS_EMIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/model/journal.h"
#include "coordinator/engine/levels/run.h"

struct subscriber;
struct loop;
struct ss_error;
struct task;

// Bits of the modes in a list of names, or in one name; NULL: none. Where a
// name is none, `error` is set (SS_EINVAL).
unsigned ss_stream_modes(const json_t *list, struct ss_error *error);
unsigned ss_stream_mode(const char *name); // 0: none
// `inner`: of a graph inside.
bool ss_subscribes(
    const struct subscriber *subscriber, unsigned mode, bool inner);
// What is told from here to the end is `what`: rows can tell it again by that
// word, if they hold all of it.
void ss_emit_begin(
    struct loop *loop, enum ss_told what, const struct task *task);
void ss_emit_end(struct loop *loop);
// Somebody listens, or the row must keep it. Else pass NULL for its data.
bool ss_emit_wants(const struct loop *loop, unsigned mode);
// The next event of the row that it rests on. Takes `data`.
void ss_emit_event(struct loop *loop, enum stream_mode mode, json_t *data);
// The same, and its wrapping in `debug` behind it (R10.11). Takes `payload`.
void ss_emit_wrapped(struct loop *loop, enum stream_mode mode, const char *type,
    int64_t step, json_t *payload);
// How far the run is: to those who listen now, in no row. Takes `data`.
void ss_emit_progress(struct loop *loop, json_t *data);
// An item of a running attempt. `value`: what is kept of it. Takes `data`.
void ss_emit_live(
    struct task *task, enum stream_mode mode, json_t *value, json_t *data);
void ss_emit_items(struct task *task);     // its attempt has ended: they stay
void ss_emit_restarted(struct task *task); // its attempt is void
// After a crash: what this loop told before is not told again.
void ss_emit_recall(struct loop *loop);
// Values of this loop are among what its run has told in rows.
bool ss_emit_values_before(const struct loop *loop);
// Events as clients get them: a numbered one; an item; all items of an attempt,
// as its row keeps them; "forget what this attempt has shown". Take `data`.
// Give.
json_t *ss_emit_json(enum stream_mode mode, const char *ns, json_t *data,
    uint64_t seq, uint32_t index);
json_t *ss_item_json(const char *mode, const char *ns, json_t *data,
    const char *attempt, uint64_t item);
json_t *ss_items_json(const struct task *task);
json_t *ss_restarted_json(const char *ns, const char *attempt);

#endif
