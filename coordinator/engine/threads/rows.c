// rows.c - the row that a thread makes in this step, what is in it, and what
// goes with it.
//
// Each row is appended to the journal in memory when the next one begins, or at
// the end of the step (thread.c).
#include "coordinator/engine/threads/rows.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/model/journal.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

uint64_t ss_thread_head(const struct thread *thread)
{
    uint64_t head = ss_journal_head(thread->facts.journal);
    return thread->facts.open ? head + 1 : head;
}

void ss_thread_new_id(
    struct thread *thread, int64_t step, char ret_id[SS_UUID_SIZE])
{
    uint64_t ticks = ss_uuid6_ticks(thread->facts.engine->wall_us);
    if (ticks <= thread->last_ticks)
        ticks = thread->last_ticks + 1;
    thread->last_ticks = ticks;
    ss_uuid6(ticks, step,
        ss_prng_next(ss_engine_prng(thread->facts.engine)) & 0xffffffffffffu,
        ret_id);
}

void ss_thread_has_id(struct thread *thread, const char *id)
{
    uint64_t ticks = ss_uuid6_read(id);
    if (ticks > thread->last_ticks)
        thread->last_ticks = ticks;
}

void ss_thread_goes_on(struct thread *to, const struct thread *from)
{
    ss_check(to != from && !to->facts.open);
    to->last_ticks = from->last_ticks;
    ss_free(to->facts.graph);
    to->facts.graph = ss_strdup(from->facts.graph);
}

static enum ss_row_kind kind_of(const struct ss_row *row)
{
    if (row->kind == SS_ROW_SNAPSHOT)
        return SS_ROW_SNAPSHOT;
    if (row->void_seq)
        return SS_ROW_VOID;
    if (row->entry)
        return SS_ROW_ENTRY;
    if (row->end)
        return SS_ROW_END;
    return row->has_checkpoint ? SS_ROW_CHECKPOINT : SS_ROW_WRITES;
}

// What is not said again of it, as a row before says it, so that both stay or
// go together. What a prune writes stays when all before it goes.
static void rest_on_others(const struct thread *thread, struct ss_row *row)
{
    if (thread->facts.engine->row_format < SS_ROW_FORMAT_10)
        return;
    const struct ss_row *before =
        ss_journal_row(thread->facts.journal, row->seq - 1);
    row->sources.keeps_run = before && row->run[0] && !row->entry &&
                             row->kind != SS_ROW_SNAPSHOT &&
                             ss_id_same(before->run, row->run);
    if (row->sources.keeps_run)
        ss_row_rest_on(row, before->seq);
    if (row->parent_seq > 0)
        ss_row_rest_on(row, row->parent_seq);
}

void ss_thread_seal(struct thread *thread)
{
    struct ss_error error;
    struct ss_row *row = thread->facts.open;
    if (!row)
        return;
    ss_error_none(&error);
    ss_check(row->seq == ss_journal_head(thread->facts.journal) + 1);
    row->kind = kind_of(row);
    rest_on_others(thread, row);
    thread->facts.open = NULL;
    thread->open_writes = 0;
    int status = ss_journal_append(thread->facts.journal, row, &error);
    if (status != SS_OK)
        ss_check_failed(error.message, __FILE__, __LINE__);
}

struct ss_row *ss_thread_row_anew(
    struct thread *thread, const char *run, const char *ns)
{
    ss_check(
        thread->facts.state == THREAD_HOT && thread->deletion == DELETION_NONE);
    ss_thread_seal(thread);
    ss_thread_dirty(thread);
    thread->facts.engine->threads->owner->row_begins(thread, run);
    struct ss_row *row = ss_row_new();
    row->seq = ss_journal_head(thread->facts.journal) + 1;
    ss_id_copy(row->run, run);
    row->ns = ss_arena_text(&row->memory, ns);
    row->wall_us = thread->facts.engine->wall_us;
    row->life.is_kept = thread->facts.engine->options.keeps_rows;
    thread->facts.open = row;
    thread->open_writes = 0;
    return row;
}

static bool same_loop(const struct ss_row *row, const char *run, const char *ns)
{
    return row && !row->end && strcmp(row->run, run) == 0 &&
           ss_text_same(row->ns, ns);
}

struct ss_row *ss_thread_row_for_writes(struct thread *thread, const char *run,
    const char *ns, const char of[SS_UUID_SIZE])
{
    struct ss_row *row = thread->facts.open;
    if (!same_loop(row, run, ns) || row->has_checkpoint ||
        (row->of[0] && !ss_id_same(row->of, of)))
        row = ss_thread_row_anew(thread, run, ns);
    ss_id_put(row->of, of);
    return row;
}

struct ss_row *ss_thread_row_for_checkpoint(
    struct thread *thread, const char *run, const char *ns)
{
    struct ss_row *row = thread->facts.open;
    if (!same_loop(row, run, ns) || row->has_checkpoint)
        row = ss_thread_row_anew(thread, run, ns);
    return row;
}

void ss_thread_void(
    struct thread *thread, const char *run, uint64_t from, uint64_t to)
{
    ss_check(from > 0 && from <= to && to <= ss_thread_head(thread));
    struct ss_row *row = ss_thread_row_anew(thread, run, "");
    row->void_from = from;
    row->void_seq = to;
    ss_thread_seal(thread);
}

struct ss_row *ss_thread_row_for_end(struct thread *thread, const char *run)
{
    struct ss_row *row = thread->facts.open;
    return same_loop(row, run, "") ? row : ss_thread_row_anew(thread, run, "");
}

struct ss_row *ss_thread_row_for_events(
    struct thread *thread, const char run[SS_UUID_SIZE], const char *ns)
{
    struct ss_row *row = thread->facts.open;
    if (row && ss_id_same(row->run, run))
        return row;
    uint64_t head = ss_journal_head(thread->facts.journal);
    if (!row && head > thread->issued) {
        row = (struct ss_row *)ss_journal_row(thread->facts.journal, head);
        if (row && !row->void_seq &&
            row->wall_us == thread->facts.engine->wall_us &&
            ss_id_same(row->run, run))
            return row;
    }
    return ss_thread_row_anew(thread, run, ns);
}

void ss_thread_add_write(
    struct thread *thread, const struct ss_row_write *write)
{
    ss_check(thread->facts.open && !thread->facts.open->has_checkpoint);
    ss_row_add_write(thread->facts.open, &thread->open_writes, write);
}

void ss_thread_add_row(struct thread *thread, struct ss_row *row)
{
    ss_check(!thread->facts.open);
    thread->facts.open = row;
    ss_thread_seal(thread);
}

void ss_thread_drop_past(struct thread *thread, uint64_t to)
{
    ss_check(thread->deletion == DELETION_NONE);
    ss_thread_void(thread, "", 1, to);
    thread->delete_to = to;
    thread->told.seq = 0;
}

struct event_position ss_thread_count_events(
    struct thread *thread, uint64_t seq, uint32_t events)
{
    ss_check(events > 0);
    if (seq != thread->told.seq)
        thread->told = (struct event_position){.seq = seq};
    thread->told.index += events;
    return thread->told;
}

void ss_thread_put_take(struct thread *thread, struct ss_command_put put)
{
    enum { USUAL = 2 }; // of a run and its thread
    thread->puts.items = ss_vec_grow(thread->puts.items, &thread->puts.capacity,
        USUAL, sizeof(*thread->puts.items));
    SS_VEC_PUSH(&thread->puts, put);
    ss_thread_dirty(thread);
}

void ss_thread_put(struct thread *thread, enum ss_record_table table,
    const char *key, const char *index, json_t *value, bool absent)
{
    struct ss_command_put put = ss_put_of(table, key, index, value);
    put.absent = absent;
    ss_thread_put_take(thread, put);
}

bool ss_thread_is_quiet(const struct thread *thread)
{
    return thread->store_tag == 0 && thread->held.count == 0 &&
           thread->puts.count == 0 &&
           (!thread->facts.journal ||
               ss_journal_head(thread->facts.journal) == thread->issued);
}

bool ss_thread_owes_rows(const struct thread *thread)
{
    return ss_thread_head(thread) > thread->issued;
}

bool ss_thread_has_past(const struct thread *thread)
{
    return thread->delete_to > 0;
}
