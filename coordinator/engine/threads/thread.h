// thread.h - a hot thread: its journal, its rows on their way, its gate.
#ifndef SS_ENGINE_THREADS_THREAD_H
#define SS_ENGINE_THREADS_THREAD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/threads/gate.h"
#include "coordinator/engine/threads/thread_record.h"
#include "coordinator/engine/threads/waiting.h"

struct engine;
struct seat;
struct ss_journal;
struct ss_checkpoint_entry;
struct ss_row;
struct ss_row_write;

enum durability { DURABLE_SYNC, DURABLE_ASYNC, DURABLE_EXIT };

// A command that waits for rows to be durable.
struct gated {
    uint64_t seq;
    uint64_t unit; // and for this unit, which may hold records alone
    struct ss_command command;
};

// Of an event: the row that it rests on, and its number among those of that
// row.
struct event_position {
    uint64_t seq;
    uint32_t index;
};

// Its place among the threads that nobody uses, the longest idle first.
struct idle_item {
    struct thread *prev, *next;
    size_t size;   // bytes of memory, about; 0: it is in use
    bool is_small; // what it has was put into few bytes, if that is worth it
    // Or among those whose runs wait and that are not packed, the one that was
    // used longest ago first.
    struct {
        struct thread *prev, *next;
        bool is_listed;
    } still;
};

// Whoever asks for the thread meanwhile waits.
enum deletion {
    DELETION_NONE,
    DELETION_ASKED, // the next unit deletes every row
    DELETION_OUT,   // that unit is on its way
};

enum thread_state { THREAD_COLD, THREAD_LOADING, THREAD_HOT };

struct thread {
    struct engine *engine;
    char *id;
    enum thread_state state;
    uint64_t load_tag;
    struct ss_journal *journal;
    struct ss_row *open; // the row being made in this step
    size_t open_writes;  // its capacity for writes
    uint64_t issued;     // rows handed to the store
    uint64_t durable;
    uint64_t store_tag;    // of the unit in flight; 0: none
    uint64_t worked_on_by; // number of the worker that had its last task
    uint64_t store_to;
    uint64_t units; // handed to the store
    uint64_t units_durable;
    struct {
        struct ss_command_put *items;
        size_t count, capacity;
    } puts;
    struct {
        struct gated *items;
        size_t count, capacity;
        struct gate_line waiters; // tasks (gate.h)
    } held;
    struct waiting_list waiting;
    struct seat *seat; // the runs room's: who has it, and who waits for it
    bool dirty;        // in engine's list of threads to flush
    bool known;        // has a record
    struct thread_record record;
    int64_t born_us;        // when it was made; 0: it has no record
    uint64_t delete_to;     // void rows to delete when that is durable; 0: none
    enum deletion deletion; // of every row
    bool is_unread;         // not to be read yet: a run of it is on probation
    char *graph;            // last used
    uint64_t last_ticks;
    struct event_position told; // last
    int64_t used_ms;
    struct idle_item idle;
};

// What must be durable before something may leave the process: gate.def.
enum gate {
#define X(name, sync, async, exit) GATE_##name,
#include "coordinator/engine/threads/gate.def"
#undef X
};

// What the room above does about a thread. The engine is given it when it is
// made.
struct thread_owner {
    // It is made, and nothing of it is read: what hangs on it is made too.
    void (*made)(struct thread *thread);
    // A row of that run ("": of none) is about to begin. Records may be put,
    // which go with it.
    void (*row_begins)(struct thread *thread, const char *run);
    // The thread is about to drop what is not durable, but what waits for it;
    // its journal is still there.
    void (*broken)(struct thread *thread, int status, const char *message);
    // True: it is used though nobody asks for it.
    bool (*busy)(const struct thread *thread);
    // Nobody uses it now, and all of it is durable.
    void (*rests)(struct thread *thread);
    // It is used, and waits: may its rows be packed? True: nothing is borrowed
    // from them any more.
    bool (*packs)(struct thread *thread);
    // It is freed: what hangs on it goes too.
    void (*gone)(struct thread *thread);
};

// The store's answer to its unit: what it came to.
enum unit_end {
    UNIT_REFUSED, // the thread is dropped
    UNIT_DURABLE,
    UNIT_DELETED, // that deleted it: it is as if new
};

// With this status what is stored of a thread is another coordinator's to go on
// with.
static inline bool ss_thread_is_anothers(int status)
{
    return status == SS_EFENCED || status == SS_EMOVED;
}

// ------------------------------------------------ thread.c

// The thread, made if need be; nothing of it is read.
struct thread *ss_thread_find(struct engine *engine, const char *id);
// The hot thread; made, and its loading asked for, if need be and if it may.
struct thread *ss_thread_get(struct engine *engine, const char *id);
// A run of it is on probation, or parked: it is not read until the next call.
void ss_thread_leave_unread(struct thread *thread);
void ss_thread_read_after_all(struct thread *thread);
// A task of it goes to the worker of that number.
void ss_thread_sent_to(struct thread *thread, uint64_t worker);
// Its next unit deletes all that is stored of it; whoever asks for it meanwhile
// waits, and finds it as if new.
void ss_thread_delete(struct thread *thread);
void ss_thread_destroy(struct thread **place);
// Whose unit or read has that tag; NULL: nobody's (any more).
struct thread *ss_thread_awaits(struct engine *engine, uint64_t tag);
// Rows that a thread asked for. Gives that thread if it can be used now, by
// those who wait for it, else NULL.
struct thread *ss_thread_rows(
    struct engine *engine, const struct ss_event *event);
// What the store said of the unit in flight. `message` may be NULL.
enum unit_end ss_thread_stored(
    struct thread *thread, int status, const char *message);

// A checkpoint id greater than all that the thread has.
void ss_thread_new_id(
    struct thread *thread, int64_t step, char ret_id[SS_UUID_SIZE]);
// It has one that was made elsewhere.
void ss_thread_has_id(struct thread *thread, const char *id);

// The row that is being made in this step. Writes come before a checkpoint, so
// a row is begun anew where it would not be "what becomes durable together".
struct ss_row *ss_thread_row_for_writes(
    struct thread *thread, const char *run, const char *ns, const char *of);
struct ss_row *ss_thread_row_for_checkpoint(
    struct thread *thread, const char *run, const char *ns);
struct ss_row *ss_thread_row_for_end(struct thread *thread, const char *run);
// What is told now rests on it: the newest row of that run, if it was made now
// and the store has not got it, else a new one.
struct ss_row *ss_thread_row_for_events(
    struct thread *thread, const char *run, const char *ns);
// A new one, whatever is open: for an entry, or for what was told alone.
struct ss_row *ss_thread_row_anew(
    struct thread *thread, const char *run, const char *ns);
// A row that takes rows `from`..`to` back. What was borrowed from the journal
// is gone.
void ss_thread_void(
    struct thread *thread, const char *run, uint64_t from, uint64_t to);
// The row for writes is given a copy of that one.
void ss_thread_add_write(
    struct thread *thread, const struct ss_row_write *write);
// All rows up to that one are void, and go from the store once it knows that.
void ss_thread_drop_past(struct thread *thread, uint64_t to);
// So many events more that rest on row `seq`: where the last of them stands.
struct event_position ss_thread_count_events(
    struct thread *thread, uint64_t seq, uint32_t events);
// Put the open row into the journal. Reads see it from now on.
void ss_thread_seal(struct thread *thread);
// The last row's number, the open one included.
uint64_t ss_thread_head(const struct thread *thread);
// A record that changes in the same unit. Takes `value` (NULL: delete).
void ss_thread_put(struct thread *thread, enum ss_record_table table,
    const char *key, const char *index, json_t *value, bool absent);
// The same of one that is made. Takes what it owns.
void ss_thread_put_take(struct thread *thread, struct ss_command_put put);

// Give a command to the shell when `seq` rows are durable, in order. Takes what
// the command owns.
void ss_thread_release_at(
    struct thread *thread, uint64_t seq, struct ss_command command);
// The same, as `gate` says under `sync`, and behind records that come without a
// row.
void ss_thread_release_all_at(
    struct thread *thread, enum gate gate, struct ss_command command);
// The number of the unit that stores what was put last.
uint64_t ss_thread_unit(const struct thread *thread);
// The row that `gate` waits for under this durability: 0 for none.
uint64_t ss_thread_gate(
    const struct thread *thread, enum gate gate, enum durability durability);
// It has something to flush at the end of the step.
void ss_thread_dirty(struct thread *thread);
// The store has all of it, and nothing is held back.
bool ss_thread_is_quiet(const struct thread *thread);
// All that wait for the thread get this error, and its hot state is dropped.
void ss_thread_break(struct thread *thread, int status, const char *message);
// The words for a checkpoint that cannot be put together. SS_ECORRUPT.
int ss_thread_torn(const struct thread *thread,
    const struct ss_checkpoint_entry *mark, struct ss_error *error);

#endif
