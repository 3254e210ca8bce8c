// thread.c - a hot thread: loading, rows on their way to the store.
//
//   COLD --request--> LOADING --ROWS--> HOT --refused, fenced--> COLD (dropped)
//
// Rows are appended to the journal in memory at once and handed to the store in
// units: one in flight for each thread; what comes meanwhile forms the next.
// What rests on a row that is not durable yet is held back (gate.c).
#include <inttypes.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/json_late.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

// ------------------------------------------------ loading

// A tag under which the store will answer it. Gives.
static uint64_t await_tag(struct thread *thread)
{
    uint64_t tag = ss_engine_tag(thread->facts.engine);
    void *old =
        ss_map_put_number(&thread->facts.engine->threads->awaited, tag, thread);
    ss_check(!old);
    return tag;
}

static void await_no_more(struct thread *thread)
{
    struct ss_map *awaited = &thread->facts.engine->threads->awaited;
    if (thread->store_tag && !thread->facts.engine->options.store)
        ss_map_remove_number(awaited, thread->store_tag);
    if (thread->facts.state == THREAD_LOADING)
        ss_map_remove_number(awaited, thread->load_tag);
}

struct thread *ss_thread_awaits(const struct engine *engine, uint64_t tag)
{
    return ss_map_get_number(&engine->threads->awaited, tag);
}

bool ss_thread_awaits_unit(const struct thread *thread, uint64_t tag)
{
    return thread->store_tag == tag;
}

bool ss_thread_is_open(const struct thread *thread)
{
    return thread->facts.state == THREAD_HOT &&
           thread->deletion == DELETION_NONE;
}

struct thread *ss_thread_find(struct engine *engine, const char *id)
{
    struct thread *thread = ss_map_get(&engine->threads->by_id, id);
    ss_check(ss_shard_owned(engine, id)); // else it would stay, and grow stale
    if (!thread) {
        thread = ss_zalloc(1, sizeof(*thread));
        thread->facts.engine = engine;
        thread->facts.id = ss_strdup(id);
        ss_map_put(&engine->threads->by_id, id, thread);
        thread->facts.seat = engine->threads->owner->made();
    }
    ss_thread_dirty(thread); // whoever asks uses it
    return thread;
}

static bool take_rows(struct thread *thread, const struct ss_event *event);

// Most threads that are asked for are new ones, of runs that begin.
static bool is_new(const struct engine *engine, const char *id)
{
    ss_check(!engine->options.is_new || engine->options.store);
    return engine->options.is_new &&
           engine->options.is_new(engine->options.store_ctx, id);
}

struct thread *ss_thread_get(struct engine *engine, const char *id)
{
    struct thread *thread = ss_thread_find(engine, id);
    if (thread->facts.state == THREAD_COLD && !thread->facts.is_unread &&
        ss_is_read(engine, id)) {
        ss_thread_move(thread, THREAD_LOADING);
        if (is_new(engine, id)) {
            take_rows(thread, &(struct ss_event){.type = SS_EVENT_ROWS});
            return thread;
        }
        thread->load_tag = await_tag(thread);
        ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_READ,
                                      .tag = thread->load_tag,
                                      .thread = ss_strdup(id),
                                      .from = 1,
                                      .to = UINT64_MAX});
    }
    return thread;
}

void ss_thread_leave_unread(struct thread *thread)
{
    thread->facts.is_unread = true;
}

void ss_thread_read_after_all(struct thread *thread)
{
    thread->facts.is_unread = false;
    ss_thread_get(thread->facts.engine, thread->facts.id);
}

void ss_thread_sent_to(struct thread *thread, uint64_t worker)
{
    ss_check(worker > 0);
    thread->facts.worked_on_by = worker;
}

static void drop_puts(struct thread *thread)
{
    for (size_t i = 0; i < thread->puts.count; i++)
        ss_put_fini(&thread->puts.items[i]);
    thread->puts.count = 0;
}

void ss_thread_destroy(struct thread **place)
{
    struct thread *thread = *place;
    if (!thread)
        return;
    *place = NULL;
    ss_idle_leave(thread);
    ss_still_leave(thread);
    await_no_more(thread);
    ss_gate_drop(thread);
    drop_puts(thread);
    ss_waiting_drop(thread, false);
    thread->facts.engine->threads->owner->gone(thread);
    ss_check(!thread->held.waiters.first);
    SS_VEC_FINI(&thread->held);
    SS_VEC_FINI(&thread->puts);
    SS_VEC_FINI(&thread->waiting);
    ss_row_destroy(&thread->facts.open);
    ss_journal_destroy(&thread->facts.journal);
    ss_free(thread->facts.graph);
    ss_free(thread->record.text);
    ss_json_late_unref(thread->record.late);
    ss_free(thread->record.others);
    ss_free(thread->facts.id);
    ss_free(thread);
}

static uint64_t newest_ticks(const struct ss_journal *journal)
{
    uint64_t newest = 0;
    size_t spaces = 0;
    const char *const *names = ss_journal_namespaces(journal, &spaces);
    for (size_t i = 0; i < spaces; i++) {
        const struct ss_checkpoint_entry *mark =
            ss_journal_find(journal, names[i], NULL);
        uint64_t ticks = mark ? ss_uuid6_read(mark->row->checkpoint_id) : 0;
        if (ticks > newest)
            newest = ticks;
    }
    return newest;
}

// What is stored, and not the way to it.
static bool is_damage(int status)
{
    return status == SS_ECORRUPT || status == SS_EFORMAT ||
           status == SS_EVERSION;
}

// Rows that contradict each other are told as soon as they are here, not when
// somebody comes to need what they make. Who asks for that is refused; the rest
// of the thread can be read.
static void check_rows(struct thread *thread)
{
    struct ss_error error;
    ss_error_none(&error);
    if (ss_journal_check(thread->facts.journal, &error) == SS_OK)
        return;
    ss_error_wrap(&error, "thread %s", thread->facts.id);
    ss_engine_damaged(
        thread->facts.engine, "thread", thread->facts.id, error.message);
}

// Up to which row those in front are void: they go, as a prune was cut short,
// or the thread's first run was taken back. 0: none goes. What a row behind
// them repeats stays until both go.
static uint64_t void_to(struct ss_row *const *rows, size_t count)
{
    uint64_t first = count > 0 ? rows[0]->seq : 0, to = 0;
    for (size_t i = 0; i < count; i++)
        if (rows[i]->void_seq >= first && rows[i]->void_from <= first)
            to = rows[i]->void_seq;
    for (size_t i = 0; i < count; i++)
        if (rows[i]->seq > to && rows[i]->named_from > 0 &&
            rows[i]->named_from <= to)
            return 0;
    return to;
}

static bool take_rows(struct thread *thread, const struct ss_event *event)
{
    struct ss_error error;
    int status = event->rows.status;
    ss_error_none(&error);
    await_no_more(thread);
    ss_thread_dirty(thread);
    if (status != SS_OK)
        ss_error_set(&error, status, "thread %s: cannot be read: %s",
            thread->facts.id, event->rows.message ? event->rows.message : "");
    thread->facts.journal = ss_journal_new();
    thread->delete_to = void_to(event->rows.rows, event->rows.rows_count);
    for (size_t i = 0; i < event->rows.rows_count; i++) {
        struct ss_row *row = event->rows.rows[i];
        if (status == SS_OK)
            status = ss_journal_append(thread->facts.journal, row, &error);
        if (status != SS_OK)
            ss_row_destroy(&row);
    }
    if (status != SS_OK) {
        if (is_damage(status))
            ss_engine_damaged(thread->facts.engine, "thread", thread->facts.id,
                error.message);
        ss_thread_break(thread, status, error.message);
        return false;
    }
    check_rows(thread);
    ss_thread_move(thread, THREAD_HOT);
    thread->issued = thread->facts.durable =
        ss_journal_head(thread->facts.journal);
    thread->known = thread->facts.durable > 0;
    ss_thread_record_found(thread, event->rows.record);
    thread->last_ticks = newest_ticks(thread->facts.journal);
    ss_thread_graph_from_rows(thread);
    return true;
}

struct thread *ss_thread_rows(
    struct engine *engine, const struct ss_event *event)
{
    struct thread *thread = ss_thread_awaits(engine, event->rows.tag);
    if (thread && thread->facts.state == THREAD_LOADING)
        return take_rows(thread, event) ? thread : NULL;
    for (size_t i = 0; i < event->rows.rows_count; i++)
        ss_row_destroy(&event->rows.rows[i]);
    return NULL;
}

int ss_thread_torn(const struct thread *thread,
    const struct ss_checkpoint_entry *mark, struct ss_error *error)
{
    int status = ss_error_set(error, SS_ECORRUPT,
        "thread %s: checkpoint %s "
        "(row %" PRIu64 ") cannot be read: its rows contradict each other",
        thread->facts.id, mark->row->checkpoint_id, mark->row->seq);
    ss_engine_damaged(
        thread->facts.engine, "thread", thread->facts.id, error->message);
    return status;
}

// ------------------------------------------------ the store

static void store_answers(struct thread *thread)
{
    if (thread->store_tag == 0)
        return;
    thread->store_tag = 0;
    ss_check(thread->facts.engine->threads->stores_out > 0);
    thread->facts.engine->threads->stores_out--;
    ss_engine_ready_moved(thread->facts.engine);
}

void ss_thread_delete(struct thread *thread)
{
    ss_check(thread->deletion == DELETION_NONE);
    ss_thread_put(
        thread, SS_RECORD_THREAD, thread->facts.id, NULL, NULL, false);
    thread->deletion = DELETION_ASKED;
}

// This unit deletes all rows: it is as if new from here on.
static void begin_anew(struct thread *thread, struct ss_command *command)
{
    ss_check(thread->deletion == DELETION_ASKED && !thread->facts.open);
    command->delete_thread = true;
    command->delete_to = thread->delete_to = 0;
    command->rows_count = 0;
    thread->deletion = DELETION_OUT;
    thread->store_to++; // what waits for the deletion
    ss_journal_destroy(&thread->facts.journal);
    thread->facts.journal = ss_journal_new();
    thread->known = false;
    // Its next life begins later, also while a wall clock that was set back
    // stands: by that time what is left of this life is known.
    ss_step_pass_us(thread->facts.engine);
    ss_thread_record_found(thread, NULL);
    ss_free(thread->facts.graph);
    thread->facts.graph = NULL;
    thread->issued = 0;
}

// What the store lacks of the thread. The rows, so many as it has, are put into
// `rows`; the command has no puts yet.
static struct ss_command unit_of(struct thread *thread, struct ss_row **rows)
{
    uint64_t head = ss_journal_head(thread->facts.journal);
    struct ss_command command = {.type = SS_COMMAND_STORE,
        .thread = thread->facts.id,
        .row_format = thread->facts.engine->row_format,
        .rows = rows,
        .rows_count = (size_t)(head - thread->issued)};
    for (size_t i = 0; i < command.rows_count; i++)
        rows[i] = (struct ss_row *)ss_journal_row(
            thread->facts.journal, thread->issued + 1 + i);
    for (size_t i = 0; i < command.rows_count; i++)
        ss_check(rows[i]); // none is void before it was stored
    if (thread->delete_to && head == thread->issued &&
        thread->facts.durable == head) {
        command.delete_to = thread->delete_to; // by itself, behind its void row
        thread->delete_to = 0;
    }
    if (thread->facts.engine->row_format >= SS_ROW_FORMAT_5)
        command.born_us = thread->facts.born_us;
    thread->issued = thread->store_to = head;
    thread->units++;
    thread->facts.engine->threads->stores_out++;
    if (thread->deletion == DELETION_ASKED)
        begin_anew(thread, &command);
    return command;
}

// The store has it when this returns: nothing of it need be kept for it.
static void keep_unit(struct thread *thread, size_t rows_count)
{
    struct threads *threads = thread->facts.engine->threads;
    threads->unit.count = 0;
    for (size_t i = 0; i < rows_count; i++)
        SS_VEC_PUSH(&threads->unit, NULL);
    struct ss_command command = unit_of(thread, threads->unit.items);
    command.tag = thread->store_tag = ss_engine_tag(thread->facts.engine);
    command.puts = thread->puts.items;
    command.puts_count = thread->puts.count;
    ss_engine_store(thread->facts.engine, thread, &command);
    drop_puts(thread);
}

static void send_unit(struct thread *thread, size_t rows_count)
{
    struct ss_command command =
        unit_of(thread, ss_zalloc(rows_count + 1, sizeof(struct ss_row *)));
    command.tag = thread->store_tag = await_tag(thread);
    command.thread = ss_strdup(thread->facts.id);
    command.puts = thread->puts.items;
    command.puts_count = thread->puts.count;
    thread->puts.items = NULL;
    thread->puts.count = thread->puts.capacity = 0;
    ss_engine_command(thread->facts.engine, command);
}

void ss_thread_flush(struct thread *thread)
{
    if (thread->facts.state != THREAD_HOT)
        return;
    ss_thread_seal(thread);
    uint64_t head = ss_journal_head(thread->facts.journal);
    if (thread->store_tag != 0 ||
        (head == thread->issued && thread->puts.count == 0 &&
            !thread->delete_to))
        return;
    size_t rows_count = (size_t)(head - thread->issued);
    if (thread->facts.engine->options.store)
        keep_unit(thread, rows_count);
    else
        send_unit(thread, rows_count);
}

enum unit_end ss_thread_stored(
    struct thread *thread, int status, const char *message)
{
    ss_check(thread->store_tag != 0);
    await_no_more(thread);
    store_answers(thread);
    if (status != SS_OK) {
        ss_thread_break(
            thread, status, message ? message : ss_status_text(status));
        return UNIT_REFUSED;
    }
    thread->facts.durable = thread->store_to;
    thread->units_durable = thread->units;
    ss_engine_ready_moved(
        thread->facts.engine); // dispatches may pass their gate
    ss_gate_open(thread);
    if (thread->deletion != DELETION_OUT)
        return UNIT_DURABLE;
    thread->facts.durable = 0; // it is as if new
    thread->deletion = DELETION_NONE;
    return UNIT_DELETED;
}

void ss_thread_break(struct thread *thread, int status, const char *message)
{
    struct engine *engine = thread->facts.engine;
    ss_check(status != SS_OK);
    ss_still_leave(thread);
    ss_engine_narrate(
        engine, "thread %s is dropped: %s", thread->facts.id, message);
    engine->threads->owner->broken(thread, status, message);
    ss_gate_refuse(thread, status, message);
    ss_waiting_refuse(thread, status, message);
    ss_gate_drop(thread);
    drop_puts(thread);
    ss_waiting_drop(thread, !ss_thread_is_anothers(status));
    ss_row_destroy(&thread->facts.open);
    ss_journal_destroy(&thread->facts.journal);
    await_no_more(thread);
    ss_thread_move(thread, THREAD_COLD);
    store_answers(thread);
    thread->units_durable = thread->units; // none is on its way any more
    thread->delete_to = 0;
    thread->deletion = DELETION_NONE;
}
