// thread.h - a thread, as other rooms see it: its journal, how it stands, and
// what happens to it.
#ifndef SS_ENGINE_THREADS_THREAD_H
#define SS_ENGINE_THREADS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/threads/gate.h"
#include "coordinator/engine/threads/rows.h"
#include "coordinator/engine/threads/thread_record.h"
#include "coordinator/engine/threads/waiting.h"

struct engine;
struct seat;
struct ss_journal;
struct ss_checkpoint_entry;
struct ss_row;

enum thread_state { THREAD_COLD, THREAD_LOADING, THREAD_HOT };

// What the rooms above may know of a thread; ss_thread_facts() shows it. It
// lies in front of what threads alone know (thread_impl.h). What people say of
// one is something else (said.h).
struct thread_facts {
    struct engine *engine;
    char *id;
    enum thread_state state;
    bool is_unread; // not to be read yet: a run of it is on probation
    struct ss_journal *journal; // HOT
    struct ss_row *open;        // the row being made in this step
    uint64_t durable;           // rows up to here are
    char *graph;                // last used
    int64_t born_us;            // when it was made; 0: it has no record
    uint64_t worked_on_by;      // number of the worker that had its last task
    struct seat *seat; // the runs room's: who has it, and who waits for it
};

static inline const struct thread_facts *ss_thread_facts(
    const struct thread *thread)
{
    return (const struct thread_facts *)thread;
}

// What the room above does about a thread. The engine is given it when it is
// made.
struct thread_owner {
    // What the runs of a thread that is being made hang on. Gives, until it is
    // gone.
    struct seat *(*made)(void);
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
    // True: no worker serves what it waits for.
    bool (*unserved)(const struct thread *thread);
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

// ------------------------------------------------ use.c

// It is used: it has something to flush at the end of the step.
void ss_thread_dirty(struct thread *thread);

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
// It is hot, and is not about to be deleted.
bool ss_thread_is_open(const struct thread *thread);
// Whose unit or read has that tag; NULL: nobody's (any more).
struct thread *ss_thread_awaits(const struct engine *engine, uint64_t tag);
// The unit in flight has it.
bool ss_thread_awaits_unit(const struct thread *thread, uint64_t tag);
// Rows that a thread asked for. Gives that thread if it can be used now, by
// those who wait for it, else NULL.
struct thread *ss_thread_rows(
    struct engine *engine, const struct ss_event *event);
// What the store said of the unit in flight. `message` may be NULL.
enum unit_end ss_thread_stored(
    struct thread *thread, int status, const char *message);

// All that wait for the thread get this error, and its hot state is dropped.
void ss_thread_break(struct thread *thread, int status, const char *message);
// The words for a checkpoint that cannot be put together. SS_ECORRUPT.
int ss_thread_torn(const struct thread *thread,
    const struct ss_checkpoint_entry *mark, struct ss_error *error);

#endif
