// rows.h - the rows of a thread that are being made, and the records that go
// with them.
#ifndef SS_ENGINE_THREADS_ROWS_H
#define SS_ENGINE_THREADS_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "coordinator/engine/engine.h"

struct ss_row;
struct ss_row_write;
struct thread;

// Of an event: the row that it rests on, and its number among those of that
// row.
struct event_position {
    uint64_t seq;
    uint32_t index;
};

// ------------------------------------------------ rows.c

// A checkpoint id greater than all that the thread has.
void ss_thread_new_id(
    struct thread *thread, int64_t step, char ret_id[SS_UUID_SIZE]);
// It has one that was made elsewhere.
void ss_thread_has_id(struct thread *thread, const char *id);

// It has the rows of that one, and goes on where those end.
void ss_thread_goes_on(struct thread *to, const struct thread *from);

// The row that is being made in this step. Writes come before a checkpoint, so
// a row is begun anew where it would not be "what becomes durable together".
struct ss_row *ss_thread_row_for_writes(struct thread *thread, const char *run,
    const char *ns, const char of[SS_UUID_SIZE]);
struct ss_row *ss_thread_row_for_checkpoint(
    struct thread *thread, const char *run, const char *ns);
struct ss_row *ss_thread_row_for_end(struct thread *thread, const char *run);
// What is told now rests on it: the newest row of that run, if it was made now
// and the store has not got it, else a new one.
struct ss_row *ss_thread_row_for_events(
    struct thread *thread, const char run[SS_UUID_SIZE], const char *ns);
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
// One that was made elsewhere is the next. Takes `row`.
void ss_thread_add_row(struct thread *thread, struct ss_row *row);
// All rows up to that one are void, and go from the store once it knows that.
void ss_thread_drop_past(struct thread *thread, uint64_t to);
// So many events more that rest on row `seq`: where the last of them stands.
struct event_position ss_thread_count_events(
    struct thread *thread, uint64_t seq, uint32_t events);
// Put the open row into the journal. Reads see it from now on.
void ss_thread_seal(struct thread *thread);
// The last row's number, the open one included.
uint64_t ss_thread_head(const struct thread *thread);
// Rows of it have yet to be handed to the store.
bool ss_thread_owes_rows(const struct thread *thread);
// The store may still have what was dropped last.
bool ss_thread_has_past(const struct thread *thread);
// The store has all of it, and nothing is held back.
bool ss_thread_is_quiet(const struct thread *thread);
// A record that changes in the same unit. Takes `value` (NULL: delete).
void ss_thread_put(struct thread *thread, enum ss_record_table table,
    const char *key, const char *index, json_t *value, bool absent);
// The same of one that is made. Takes what it owns.
void ss_thread_put_take(struct thread *thread, struct ss_command_put put);

#endif
