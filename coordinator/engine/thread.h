// thread.h - a hot thread: its journal, its rows on their way, its gate.
#ifndef SS_ENGINE_THREAD_H
#define SS_ENGINE_THREAD_H

#include "coordinator/engine/state.h"

// What must be durable before something may leave the process: gate.def.
enum gate {
#define X(name, sync, async, exit) GATE_##name,
#include "coordinator/engine/threads/gate.def"
#undef X
};

// What the room above does about a thread. The engine is given it when it is made.
struct thread_owner {
    // A row of that run ("": of none) is about to begin. Records may be put, which
    // go with it.
    void (*row_begins)(struct thread *thread, const char *run);
    // The thread is about to drop what is not durable, but what waits for it; its
    // journal is still there.
    void (*broken)(struct thread *thread, int status, const char *message);
    // True: it is used though nobody asks for it.
    bool (*busy)(const struct thread *thread);
    // Nobody uses it now, and all of it is durable.
    void (*rests)(struct thread *thread);
    // It is freed: what hangs on it goes too.
    void (*gone)(struct thread *thread);
};

// thread_state.c: nobody else changes its state.
void ss_thread_move(struct thread *thread, enum thread_state to);
// The thread, made if need be; nothing of it is read.
struct thread *ss_thread_find(struct engine *engine, const char *id);
// The hot thread; made, and its loading asked for, if need be and if it may.
struct thread *ss_thread_get(struct engine *engine, const char *id);
void ss_thread_destroy(struct thread **thread);
// Whose unit or read has that tag; NULL: nobody's (any more).
struct thread *ss_thread_awaits(struct engine *engine, uint64_t tag);
// Rows that a thread asked for. Gives that thread if it can be used now, by those
// who wait for it, else NULL.
struct thread *ss_thread_rows(
    struct engine *engine, const struct ss_event *event);
// The store's answer to its unit: what it came to.
enum unit_end {
    UNIT_REFUSED, // the thread is dropped
    UNIT_DURABLE,
    UNIT_DELETED, // that deleted it: it is as if new
};
enum unit_end ss_thread_stored(
    struct thread *thread, const struct ss_event *event);

// A checkpoint id greater than all that the thread has.
void ss_thread_new_id(
    struct thread *thread, int64_t step, char ret_id[SS_UUID_SIZE]);

// The row that is being made in this step. Writes come before a checkpoint, so
// a row is begun anew where it would not be "what becomes durable together".
struct ss_row *ss_thread_row_for_writes(struct thread *thread,
    const char *run, const char *ns, const char *of);
struct ss_row *ss_thread_row_for_checkpoint(
    struct thread *thread, const char *run, const char *ns);
struct ss_row *ss_thread_row_for_entry(struct thread *thread, const char *run);
struct ss_row *ss_thread_row_for_end(struct thread *thread, const char *run);
// One that holds nothing but what was told.
struct ss_row *ss_thread_row_for_events(
    struct thread *thread, const char *run, const char *ns);
// A row that takes rows `from`..`to` back. What was borrowed from the journal is
// gone.
void ss_thread_void(
    struct thread *thread, const char *run, uint64_t from, uint64_t to);
// Put the open row into the journal. Reads see it from now on.
void ss_thread_seal(struct thread *thread);
// The last row's number, the open one included.
uint64_t ss_thread_head(const struct thread *thread);
// A record that changes in the same unit. Takes `value` (NULL: delete).
void ss_thread_put(struct thread *thread, enum ss_record_table table,
    const char *key, const char *index, json_t *value, bool absent);

// Give a command to the shell when `seq` rows are durable, in order. Takes what
// the command owns.
void ss_thread_hold(
    struct thread *thread, uint64_t seq, struct ss_command command);
// The same, as `gate` says under `sync`, and behind records that come without a
// row.
void ss_thread_hold_all(
    struct thread *thread, enum gate gate, struct ss_command command);
// The number of the unit that stores what was put last.
uint64_t ss_thread_unit(const struct thread *thread);
// The row that `gate` waits for under this durability: 0 for none.
uint64_t ss_thread_gate(
    const struct thread *thread, enum gate gate, enum durability durability);
// At the end of a step: rows to the store, one unit in flight (a thread).
void ss_thread_flush(struct thread *thread);
void ss_thread_dirty(struct thread *thread);
// The store has all of it, and nothing is held back.
bool ss_thread_is_quiet(const struct thread *thread);
// All that wait for the thread get this error, and its hot state is dropped.
void ss_thread_break(struct thread *thread, int status, const char *message);
// With this status what is stored of a thread is another coordinator's to go on
// with.
static inline bool ss_thread_is_anothers(int status)
{
    return status == SS_EFENCED || status == SS_EMOVED;
}
// The words for a checkpoint that cannot be put together. SS_ECORRUPT.
int ss_thread_torn(const struct thread *thread, const struct ss_mark *mark,
    struct ss_error *error);

// ------------------------------------------------ waiting.c

void ss_waiting_fini(struct waiting *waiting);
// One more request. Borrows all.
void ss_waiting_add(struct thread *thread, const char *op, const char *peer,
    uint64_t id, json_t *body);
// A run was found, which is to be recovered ("recover") or taken back when the
// thread has been read.
void ss_waiting_add_run(
    struct thread *thread, const char *run, const char *op);
// The first run that was found and waits. Borrowed; NULL: none does.
const char *ss_waiting_run(const struct thread *thread);
// That run does (NULL: none does).
bool ss_waiting_has_run(const struct thread *thread, const char *run);
// It waits no more for what `op` says. False: it did not; else *ret is the
// caller's (ss_waiting_fini).
bool ss_waiting_take_run(struct thread *thread, const char *run,
    const char *op, struct waiting *ret);
// All who ask get this error; they are dropped then.
void ss_waiting_refuse(struct thread *thread, int status, const char *message);
// `but_runs`: runs that were found stay, nobody would find them again.
void ss_waiting_drop(struct thread *thread, bool but_runs);

// ------------------------------------------------ idle.c

// At the end of a step: it may be idle now.
void ss_thread_rest(struct thread *thread);
// Somebody uses it, or it goes: out of the list of those that nobody uses.
void ss_idle_leave(struct thread *thread);
// The same of all that were used: each is flushed, then it may be idle.
void ss_threads_flush(struct engine *engine);
// Forget threads that nobody has used for a while, and the longest idle ones
// where there are too many. True: it was time to look for the former.
bool ss_threads_evict(struct engine *engine);

#endif
