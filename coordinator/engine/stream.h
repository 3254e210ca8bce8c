// stream.h - streams, as the requests room sees them: what listeners are shown
// (stream.c), on which row it rests and how it is sent (told.c), and who they are
// (audience.c, listen.c). Those below are heard by watch.h.
#ifndef SS_ENGINE_STREAM_H
#define SS_ENGINE_STREAM_H

#include "coordinator/engine/state.h"
#include "coordinator/engine/watch.h"

struct listener;

// ------------------------------------------------ audience.c

// What those who listen make of what levels and runs tell.
extern const struct watch ss_audience_watch;

// ------------------------------------------------ stream.c (spec 10)

void ss_stream_values(struct loop *loop, const json_t *interrupts);
void ss_stream_task_start(struct task *task);
void ss_stream_task_output(struct task *task, bool cached);
void ss_stream_checkpoint(struct loop *loop);
void ss_stream_breakpoint(struct loop *loop);
void ss_stream_live(
    struct task *task, enum ss_live_kind kind, json_t *value);
void ss_stream_messages(struct task *task);
void ss_stream_message_inputs(struct task *task);
void ss_stream_progress(struct loop *loop, const struct task *task);
// Writes restricted to some channels, folded to a map (R9.6). Gives.
json_t *ss_writes_result(
    const struct ss_keys *keys, const struct ss_writes *writes);
// What stands beside a message of that task (R10.13). Gives.
json_t *ss_message_metadata(const struct task *task);

// ------------------------------------------------ told.c

// Bits of the modes in a list of names, or in one name; NULL: none. Where a name
// is none, `error` is set (SS_EINVAL).
unsigned ss_stream_modes(const json_t *modes, struct ss_error *error);
unsigned ss_stream_mode(const char *name); // 0: none
// "a:1|b:2" as a list. Gives.
json_t *ss_ns_json(const char *ns);
// `inner`: of a graph inside.
bool ss_listens(const struct listener *listener, unsigned mode, bool inner);
// What is told from here to the end is `what`: rows can tell it again by that
// word, if they hold all of it.
void ss_told_begin(
    struct loop *loop, enum ss_told what, const struct task *task);
void ss_told_end(struct loop *loop);
// Somebody listens, or the row must keep it. Else pass NULL for its data.
bool ss_told_wants(const struct loop *loop, unsigned mode);
// The next event of the row that it rests on. Takes `data`.
void ss_told_event(struct loop *loop, enum stream_mode mode, json_t *data);
// The same, and its wrapping in `debug` behind it (R10.11). Takes `payload`.
void ss_told_wrapped(struct loop *loop, enum stream_mode mode,
    const char *type, int64_t step, json_t *payload);
// How far the run is: to those who listen now, in no row. Takes `data`.
void ss_told_progress(struct loop *loop, json_t *data);
// An item of a running attempt. `value`: what is kept of it. Takes `data`.
void ss_told_live(
    struct task *task, enum stream_mode mode, json_t *value, json_t *data);
void ss_told_items(struct task *task);     // its attempt has ended: they stay
void ss_told_restarted(struct task *task); // its attempt is void
// After a crash: what this loop told before is not told again.
void ss_told_recall(struct loop *loop);
// Values of this loop are among what its run has told in rows.
bool ss_told_values_before(const struct loop *loop);
// Events as clients get them: a numbered one; an item; all items of an attempt, as
// its row keeps them; "forget what this attempt has shown". Take `data`. Give.
json_t *ss_told_json(enum stream_mode mode, const char *ns, json_t *data,
    uint64_t seq, uint32_t index);
json_t *ss_item_json(const char *mode, const char *ns, json_t *data,
    const char *attempt, uint64_t item);
json_t *ss_items_json(const struct task *task);
json_t *ss_restarted_json(const char *ns, const char *attempt);

// ------------------------------------------------ listen.c

// `peer` listens to the run from now on; SS_EINVAL: it wants a mode that is none.
int ss_run_listen(struct run *run, const char *peer, uint64_t id,
    const json_t *body, struct ss_error *error) SS_MUST_USE;
// `peer` asks for a run that is under way: it listens, is told that it is
// accepted, and what it has missed since `after`.
void ss_run_attach(struct engine *engine, struct run *run, const char *peer,
    uint64_t id, const json_t *body);
// A run is asked for once more: true if there is one of this id, which serves
// the request, from its beginning. `run_id` may be NULL.
bool ss_run_serve_repeated(struct thread *thread, const char *peer,
    uint64_t id, const char *run_id, const json_t *body);
// `attach` on a loaded thread: the running one, or how it ended.
void ss_run_ask_again(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
// `id`: one request of that peer; 0: the peer itself is gone.
void ss_client_gone(struct engine *engine, const char *peer, uint64_t id);

#endif
