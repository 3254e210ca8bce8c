// import_row.c - a saved checkpoint as rows: the checkpoint, and its pending
// writes behind it.
//
// Of one row all writes are as old. What takes back something else (an output
// its task's earlier error) or rests on it (a question's answer) is therefore a
// second row: errors and writes of the null task, then the others.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/checkpoint.h"
#include "common/model/pending.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/engine/requests/import.h"
#include "coordinator/engine/requests/saved.h"
#include "coordinator/engine/threads/thread.h"

// Whole at the latest after so many: what a reader has to pass.
enum { CHAIN_MAX = 64 };

// ------------------------------------------------ the checkpoint

// The parent that a delta can stand on; NULL: the row has to be whole.
static struct ss_checkpoint_entry *base_of(
    const struct thread *thread, const json_t *saved)
{
    const char *parent = ss_json_str(saved, "parent_id", NULL);
    const char *id = ss_json_str(saved, "id", "");
    if (!parent || strcmp(parent, id) >= 0)
        return NULL;
    return ss_journal_find(
        ss_thread_facts(thread)->journal, ss_json_str(saved, "ns", ""), parent);
}

static bool is_far(const struct ss_checkpoint_entry *mark)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        if (!mark || mark->whole)
            return false;
        mark = mark->parent;
    }
    return true;
}

static json_t *metadata_of(const json_t *saved, const char *graph)
{
    json_t *metadata = json_copy(json_object_get(saved, "metadata"));
    json_object_del(metadata, "source");
    json_object_del(metadata, "step");
    if (graph && !ss_json_str(saved, "ns", "")[0])
        json_object_set_new(
            metadata, "__loop__", json_pack("{s:s}", "graph", graph));
    return metadata;
}

void ss_saved_append(
    struct thread *thread, const json_t *saved, const char *graph)
{
    const char *parent = ss_json_str(saved, "parent_id", "");
    ss_thread_seal(thread); // it may be the parent
    struct ss_checkpoint_entry *mark = base_of(thread, saved);
    struct ss_checkpoint *full = ss_saved_read(saved);
    struct ss_checkpoint *base =
        mark && !is_far(mark)
            ? ss_journal_fold(ss_thread_facts(thread)->journal, mark)
            : NULL;
    if (base && !ss_checkpoint_keeps(full, base)) {
        ss_checkpoint_unref(base);
        base = NULL;
    }
    struct ss_row *row =
        ss_thread_row_anew(thread, "", ss_json_str(saved, "ns", ""));
    ss_id_copy(row->checkpoint_id, ss_json_str(saved, "id", ""));
    ss_id_copy(row->parent_id, parent);
    ss_source_by_name(ss_json_str(saved, "source", ""), &row->source);
    ss_check(row->source != SS_SOURCE_NONE); // saved.c looked
    row->parent_seq = mark ? mark->row->seq : 0;
    row->base_seq = base ? mark->base_seq : row->seq;
    row->step = ss_json_int(saved, "step", 0);
    ss_time_read(ss_json_str(saved, "created_at", ""), &row->wall_us);
    row->metadata = metadata_of(saved, graph);
    row->has_checkpoint = true;
    ss_checkpoint_tell(full, base, row);
    ss_checkpoint_unref(full);
    ss_checkpoint_unref(base);
    ss_thread_has_id(thread, row->checkpoint_id);
    ss_thread_seal(thread);
}

// ------------------------------------------------ its pending writes

static bool is_null_task(const char *task_id)
{
    return strcmp(task_id, SS_NULL_TASK) == 0;
}

static bool is_first(const json_t *write)
{
    const char *channel = ss_json_str(write, "channel", "");
    return is_null_task(ss_json_str(write, "task_id", "")) ||
           strcmp(channel, SS_NAME_ERROR) == 0 ||
           strcmp(channel, SS_NAME_ERROR_SOURCE) == 0;
}

static bool is_known(const struct ss_pendings *known, const json_t *write)
{
    const struct ss_pending *p = NULL;
    const char *task_id = ss_json_str(write, "task_id", "");
    while ((p = ss_pendings_next(known, task_id, p)) != NULL)
        if (p->write.idx == ss_json_int(write, "idx", 0))
            return true;
    return false;
}

// The resume value without an id that waits there, or NULL.
static json_t *plain_answer(const struct ss_pendings *pending)
{
    const struct ss_pending *p = NULL;
    while ((p = ss_pendings_next(pending, SS_NULL_TASK, p)) != NULL)
        if (strcmp(p->write.channel, SS_NAME_RESUME) == 0)
            return ss_value_json(p->write.value);
    return NULL;
}

// The root's checkpoint, where that value would be. NULL: it is not there.
static const struct ss_checkpoint_entry *root_of(
    const struct thread *thread, const struct ss_checkpoint_entry *mark)
{
    const json_t *parents = json_object_get(mark->row->metadata, "parents");
    return !mark->row->ns[0] ? mark
                             : ss_journal_find(ss_thread_facts(thread)->journal,
                                   "", ss_json_str(parents, "", ""));
}

// The last of the answers that a task was given; NULL: the write has none.
static const json_t *last_answer(const json_t *write)
{
    const json_t *answers = json_object_get(write, "value");
    size_t count = json_array_size(answers);
    return strcmp(ss_json_str(write, "channel", ""), SS_NAME_RESUME) == 0
               ? json_array_get(answers, count - 1)
               : NULL;
}

static void append_some(struct thread *thread,
    const struct ss_checkpoint_entry *mark, const json_t *writes, bool first)
{
    const struct ss_checkpoint_entry *root = root_of(thread, mark);
    struct ss_pendings known = {0}, waiting = {0};
    struct ss_row *row = NULL;
    bool is_read = false;
    size_t i, capacity = 0;
    json_t *write;
    if (json_array_size(writes) > 0)
        ss_journal_pending(mark, NULL, &known);
    json_array_foreach ((json_t *)writes, i, write) {
        if (is_first(write) != first || is_known(&known, write))
            continue;
        if (!row)
            row = ss_thread_row_for_writes(
                thread, "", mark->row->ns, mark->row->checkpoint_id);
        struct ss_value *value =
            ss_value_new(json_incref(json_object_get(write, "value")));
        struct ss_row_write to = {
            .path = (char *)ss_json_str(write, "path", ""),
            .idx = (int32_t)ss_json_int(write, "idx", 0),
            .channel = (char *)ss_json_str(write, "channel", ""),
            .value = value};
        ss_id_copy(to.task_id, ss_json_str(write, "task_id", ""));
        ss_row_add_write(row, &capacity, &to);
        ss_value_unref(value);
        const json_t *answer = first || !root ? NULL : last_answer(write);
        if (!answer)
            continue;
        // A task's last answer is the plain one: it was taken, and is not given
        // again (docs/decisions/0007).
        if (!is_read)
            ss_journal_pending(root, NULL, &waiting);
        is_read = true;
        const json_t *plain = plain_answer(&waiting);
        if (plain && json_equal(plain, answer))
            ss_id_copy(row->answer_of, root->row->checkpoint_id);
    }
    ss_pendings_fini(&known);
    ss_pendings_fini(&waiting);
    ss_thread_seal(thread);
}

void ss_saved_append_writes(struct thread *thread, const json_t *saved)
{
    const json_t *writes = json_object_get(saved, "pending_writes");
    const struct ss_checkpoint_entry *mark =
        ss_journal_find(ss_thread_facts(thread)->journal,
            ss_json_str(saved, "ns", ""), ss_json_str(saved, "id", ""));
    append_some(thread, mark, writes, true);
    append_some(thread, mark, writes, false);
}
