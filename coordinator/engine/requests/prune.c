// prune.c - a thread without its past (spec/engine.md R13.22, keep_latest).
//
//   told again:  for each namespace that stays, its newest checkpoint, in full,
//                with its pending writes (a snapshot row); the thread's facts
//   void:        every row before
//   deleted:     when that is durable (thread.c); after a crash, when the
//   thread
//                is read again
//
// The first two are one unit. A reader sees the thread before it or after it.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/checkpoint.h"
#include "common/model/pending.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"

// A finished call of a graph inside: begun by a root checkpoint that goes.
static bool goes(
    const struct thread *thread, const struct ss_checkpoint_entry *mark)
{
    const struct ss_journal *journal = ss_thread_facts(thread)->journal;
    const struct ss_checkpoint_entry *root = ss_journal_find(journal, "", NULL);
    const char *by =
        ss_json_str(json_object_get(mark->row->metadata, "parents"), "", NULL);
    return strchr(mark->row->ns, ':') && by && root &&
           strcmp(by, root->row->checkpoint_id) != 0 &&
           ss_journal_find(journal, "", by);
}

// In one row all writes are as old: what later ones took back is left out (an
// error before the output, a question before its answer).
static bool stands(const struct ss_pendings *all, const struct ss_pending *one)
{
    const char *channel = one->write.channel;
    bool error = strcmp(channel, SS_NAME_ERROR) == 0 ||
                 strcmp(channel, SS_NAME_ERROR_SOURCE) == 0;
    bool question = strcmp(channel, SS_NAME_INTERRUPT) == 0;
    bool output = ss_name_special(channel) == 0 && !error;
    const struct ss_pending *other = NULL;
    while ((other = ss_pendings_next(all, one->write.task_id, other))) {
        const char *to = other->write.channel;
        bool special =
            ss_name_special(to) != 0 || strcmp(to, SS_NAME_ERROR_SOURCE) == 0;
        if (other->seq > one->seq &&
            ((error && !special) ||
                (output && strcmp(to, SS_NAME_ERROR) == 0) ||
                (question && strcmp(to, SS_NAME_RESUME) == 0)))
            return false;
    }
    return true;
}

static void fill_writes(
    struct ss_row *row, const struct ss_checkpoint_entry *mark)
{
    size_t capacity = 0;
    struct ss_pendings all = {0};
    ss_journal_pending(mark, NULL, &all);
    for (size_t i = 0; i < all.count; i++)
        if (stands(&all, &all.items[i]))
            ss_row_add_write(row, &capacity, &all.items[i].write);
    if (row->writes_count > 0)
        ss_id_copy(row->of, mark->row->checkpoint_id);
    ss_pendings_fini(&all);
}

// Supersteps of the run are told no more: its own checkpoints, but what it was
// given, and the one that it went on from.
static bool loses_steps(const struct thread *thread,
    const struct ss_run_rows *facts, const struct ss_checkpoint_entry *kept)
{
    const struct ss_journal *journal = ss_thread_facts(thread)->journal;
    const json_t *input =
        json_object_get(json_object_get(facts->entry, "request"), "input");
    const char *base = ss_json_str(facts->entry, "base", "");
    size_t count = 0;
    struct ss_checkpoint_entry *const *marks =
        ss_journal_list(journal, "", &count);
    for (size_t i = 0; i < count; i++)
        if (marks[i] != kept && marks[i]->row->source != SS_SOURCE_INPUT &&
            strcmp(marks[i]->row->run, facts->id) == 0)
            return true;
    const struct ss_checkpoint_entry *before =
        base[0] && (!input || json_is_null(input))
            ? ss_journal_find(journal, "", base)
            : NULL;
    return before && before != kept;
}

// How the run was entered, for who explains it later. `kept`: the checkpoint
// that stays, or NULL. Gives.
static json_t *entry_of(const struct thread *thread,
    const struct ss_run_rows *facts, const struct ss_checkpoint_entry *kept)
{
    bool pruned = ss_json_bool(facts->entry, SS_STEPS_PRUNED, false) ||
                  loses_steps(thread, facts, kept);
    json_t *entry = json_copy(facts->entry); // NULL: there is none
    ss_check(facts->end);
    if (entry)
        json_object_set_new(entry, SS_STEPS_PRUNED, json_boolean(pruned));
    return entry;
}

static void tell_run(struct thread *thread, const struct ss_run_rows *facts,
    const struct ss_checkpoint_entry *kept, int64_t used_us)
{
    struct ss_row *row = ss_thread_row_anew(thread, facts->id, "");
    row->wall_us = used_us;
    row->entry = entry_of(thread, facts, kept);
    row->end = json_incref(facts->end);
    ss_thread_seal(thread);
}

// The row that tells `mark` again; the root's says how its run began and ended.
// That it can be put together was seen before.
static void tell_again(struct thread *thread, struct ss_checkpoint_entry *mark)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const struct ss_row *saved = mark->row;
    struct ss_checkpoint *full = ss_journal_fold(its->journal, mark);
    ss_check(full);
    struct ss_row *row = ss_thread_row_anew(thread, saved->run, saved->ns);
    row->kind = SS_ROW_SNAPSHOT;
    ss_id_copy(row->checkpoint_id, saved->checkpoint_id);
    row->source = saved->source;
    row->base_seq = row->seq;
    row->step = saved->step;
    row->wall_us = saved->wall_us;
    row->metadata = json_incref(saved->metadata);
    row->has_checkpoint = true;
    ss_checkpoint_tell(full, NULL, row);
    fill_writes(row, mark);
    const struct ss_run_rows *facts =
        saved->ns[0] || !saved->run[0]
            ? NULL
            : ss_journal_run(its->journal, saved->run);
    if (facts) {
        row->entry = entry_of(thread, facts, mark);
        row->end = json_incref(facts->end);
    } else if (!saved->run[0] && !saved->ns[0]) {
        row->end = json_incref(saved->end); // the key of an update
    }
    ss_checkpoint_unref(full);
    ss_thread_seal(thread);
}

static bool has_unfinished(const struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    uint64_t head = ss_journal_head(its->journal);
    for (uint64_t seq = 1; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        const struct ss_run_rows *facts =
            row && row->entry ? ss_journal_run(its->journal, row->run) : NULL;
        if (facts && !facts->end)
            return true;
    }
    return false;
}

// How many rows go; 0: what is there is what a prune left.
static json_int_t past_rows(const struct thread *thread, uint64_t to)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    json_int_t count = 0;
    bool any = false;
    uint64_t facts_seq;
    (void)ss_journal_facts(its->journal, &facts_seq);
    ss_check(facts_seq <= ss_thread_head(thread));
    for (uint64_t seq = 1; seq <= to; seq++) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        count += row != NULL;
        any = any || (row && seq != facts_seq && row->kind != SS_ROW_SNAPSHOT &&
                         row->kind != SS_ROW_VOID &&
                         (row->kind != SS_ROW_ENTRY || row->has_checkpoint));
    }
    return any ? count : 0;
}

struct marks {
    struct ss_checkpoint_entry **items;
    size_t count, capacity;
};

// The checkpoints that stay. Gives the first of them that cannot be put
// together; NULL: all can.
static const struct ss_checkpoint_entry *kept_marks(
    const struct thread *thread, struct marks *ret_kept)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    size_t spaces = 0;
    const char *const *names = ss_journal_namespaces(its->journal, &spaces);
    for (size_t i = 0; i < spaces; i++) {
        struct ss_checkpoint_entry *mark =
            ss_journal_find(its->journal, names[i], NULL);
        if (goes(thread, mark))
            continue;
        struct ss_checkpoint *full = ss_journal_fold(its->journal, mark);
        if (!full)
            return mark;
        ss_checkpoint_unref(full);
        SS_VEC_PUSH(ret_kept, mark);
    }
    return NULL;
}

// All but `kept`, which is told again, and the newest run.
static void drop_past(struct thread *thread, const struct marks *kept)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    uint64_t head = ss_journal_head(its->journal);
    int64_t used_us = ss_thread_used_us(thread);
    const struct ss_run_rows *run = ss_journal_newest_run(its->journal);
    const struct ss_checkpoint_entry *root =
        ss_journal_find(its->journal, "", NULL);
    for (size_t i = 0; i < kept->count; i++)
        tell_again(thread, kept->items[i]);
    // behind the run that made the checkpoint: it stays the newest one
    if (run && !(root && strcmp(root->row->run, run->id) == 0))
        tell_run(thread, run, root, used_us);
    if (ss_facts(thread))
        ss_facts_tell(thread, ss_facts(thread))->wall_us = used_us;
    ss_thread_drop_past(thread, head);
    ss_thread_put_record(thread, json_object()); // it tells the new end
}

void ss_prune_thread(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    uint64_t head = ss_thread_head(thread);
    if (ss_thread_busy(thread) || has_unfinished(thread)) {
        ss_reply_error(its->engine, request, SS_EBUSY,
            "thread %s is busy: wait for its run, or cancel it", its->id);
        return;
    }
    if (ss_thread_owes_rows(thread)) {
        ss_reply_error(its->engine, request, SS_EAGAIN,
            "thread %s: its last rows are on their way: ask again", its->id);
        return;
    }
    if (ss_thread_spared(thread, request))
        return;
    json_int_t rows = past_rows(thread, head);
    struct marks kept = {0};
    const struct ss_checkpoint_entry *torn =
        rows > 0 ? kept_marks(thread, &kept) : NULL;
    if (rows > 0 && !torn)
        drop_past(thread, &kept);
    SS_VEC_FINI(&kept);
    if (torn)
        ss_reply_torn(thread, request, torn);
    else
        ss_reply_durable(thread, request, json_pack("{s:I}", "rows", rows));
}
