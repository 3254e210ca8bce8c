// checkpoint.c - checkpoints of a level as rows of its thread, and what is
// pending beside them.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ saving

// Persist now? (R5.23)
static bool checkpoint_is_due(const struct loop *loop)
{
    return loop->facts.persists &&
           (!loop->facts.run ||
               run_of(loop)->options.durability != DURABLE_EXIT);
}

static const char *run_id_of(const struct loop *loop)
{
    return loop->facts.run ? run_of(loop)->id : "";
}

// A fork's list is null, but that of a fork saved at an exit (R1.2).
static bool tells_updated(const struct loop *loop)
{
    return loop->facts.checkpoint.source != SS_SOURCE_FORK ||
           !checkpoint_is_due(loop);
}

// Not all members read rows that name what they repeat; and where rows never
// become bytes there is nothing to gain.
static bool names_repeats(const struct loop *loop)
{
    return loop->facts.engine->row_format >= SS_ROW_FORMAT_8 &&
           !loop->facts.engine->options.keeps_rows;
}

// The row of the last saved checkpoint; NULL: there is none, or rows do not
// name what they repeat.
static struct ss_checkpoint_entry *mark_before(
    const struct loop *loop, const struct ss_row *row)
{
    return row->parent_seq && names_repeats(loop)
               ? ss_journal_find(ss_thread_facts(loop->facts.thread)->journal,
                     row->ns, row->parent_id)
               : NULL;
}

static void name_row(struct ss_row *row, const struct ss_row *from)
{
    for (size_t i = 0; i < from->writes_count; i++)
        if (from->writes[i].idx >= 0)
            ss_row_add_source(row, from, i, true);
}

// What tasks of the superstep wrote that ended earlier is in what it makes.
static void name_writes(
    struct ss_row *row, const struct ss_checkpoint_entry *before)
{
    ss_check(before->row && before->row->seq < row->seq);
    const struct ss_row *writes;
    for (size_t i = 0; (writes = ss_journal_pending_row(before, i)); i++)
        name_row(row, writes);
}

// A channel that is told in full may be much like what it was.
static void name_channels(
    struct ss_row *row, const struct ss_checkpoint_entry *before)
{
    ss_check(row->has_checkpoint && before->row->has_checkpoint);
    const struct ss_row_checkpoint *now = &row->checkpoint;
    const struct ss_row_checkpoint *was = &before->row->checkpoint;
    for (size_t i = 0, j = 0;
         i < now->channels_count && j < was->channels_count;) {
        int order = strcmp(now->channels[i].name, was->channels[j].name);
        if (order == 0 && now->channels[i].op == SS_DELTA_SET &&
            was->channels[j].op == SS_DELTA_SET)
            ss_row_add_source(
                row, before->row, before->row->writes_count + j, false);
        i += order <= 0;
        j += order >= 0;
    }
}

// What `__start__` writes is the input, which the checkpoint before has.
static void name_input(const struct loop *loop, struct ss_row *row)
{
    if (loop->facts.checkpoint.source != SS_SOURCE_INPUT ||
        !names_repeats(loop))
        return;
    const struct ss_row *from = ss_journal_row(
        ss_thread_facts(loop->facts.thread)->journal, loop->lineage.saved_seq);
    for (size_t i = 0; from && i < from->checkpoint.channels_count; i++)
        if (strcmp(from->checkpoint.channels[i].name, SS_NAME_START) == 0)
            ss_row_add_source(row, from, from->writes_count + i, true);
}

// The row of the current checkpoint, as a child of the last saved one.
static void write_row(struct loop *loop)
{
    struct loop_checkpoint *at = &loop->facts.checkpoint;
    struct ss_row *row = ss_lineage_row(&loop->lineage, loop->facts.thread,
        run_id_of(loop), loop->facts.ns, ss_machine_size(loop->machine));
    memcpy(row->checkpoint_id, at->id, sizeof(row->checkpoint_id));
    row->source = at->source;
    row->step = at->step;
    row->wall_us = loop->saved.wall_us;
    row->metadata = json_incref(at->metadata);
    row->has_checkpoint = true;
    size_t size = ss_delta_fill(loop->machine, row,
        &(struct ss_delta_form){.whole = row->base_seq == row->seq,
            .edits = loop->facts.engine->row_format >= SS_ROW_FORMAT_2,
            .updated = tells_updated(loop)});
    const struct ss_checkpoint_entry *before = mark_before(loop, row);
    if (before) {
        name_writes(row, before);
        name_channels(row, before);
    }
    size -= row->sources.size < size ? row->sources.size : size;
    ss_lineage_grow(&loop->lineage, row, size);
    ss_delta_drop(loop->machine);
    loop->saved.dirty = false;
}

// Metadata of a new checkpoint: the run's own, the parents, and, of a nested
// loop, who began it (the journal's rule: it goes on only with that).
static json_t *make_metadata(const struct loop *loop)
{
    json_t *of_run = loop->facts.run ? run_of(loop)->options.meta : NULL;
    if (of_run && !loop->facts.parent)
        return json_incref(of_run); // with no parents; its checkpoints share it
    json_t *metadata = of_run ? json_copy(of_run) : json_object();
    json_object_set_new(metadata, "parents",
        loop->facts.checkpoint_map ? json_copy(loop->facts.checkpoint_map)
                                   : json_object());
    json_t *parents = json_object_get(metadata, "parents");
    json_object_del(parents, loop->facts.ns); // our own is not a parent
    if (loop->parent_task)
        json_object_set_new(metadata, "__loop__",
            json_pack("{s:s, s:I}", "task", loop->parent_task->facts.planned.id,
                "stop", (json_int_t)loop->stop));
    else if (!loop->facts.run &&
             json_object_get(loop->facts.checkpoint.metadata, "__loop__"))
        json_object_set(metadata, "__loop__", // an update goes on with it
            json_object_get(loop->facts.checkpoint.metadata, "__loop__"));
    return metadata;
}

void ss_loop_save(struct loop *loop, enum ss_source source)
{
    ss_check(source != SS_SOURCE_NONE);
    struct loop_checkpoint *at = &loop->facts.checkpoint;
    struct loop_checkpoint next = {.source = source,
        .step = loop->facts.step,
        .metadata = make_metadata(loop)};
    // under `exit` the parents in between are never saved (R5.28)
    ss_id_put(next.parent_id, checkpoint_is_due(loop) || !loop->saved.dirty
                                  ? loop->lineage.saved_id
                                  : at->id);
    ss_thread_new_id(loop->facts.thread, loop->facts.step, next.id);
    json_decref(at->metadata);
    *at = next;
    ss_free(loop->saved.told);
    loop->saved = (struct save_state){.wall_us = loop->facts.engine->wall_us,
        .dirty = true,
        // what a fork knows as updated is not in its row
        .unsaved_state = source == SS_SOURCE_FORK};
    loop->facts.engine->levels->saved += source == SS_SOURCE_LOOP;
    if (checkpoint_is_due(loop))
        write_row(loop);
    loop->facts.step++;
}

// ------------------------------------------------ pending writes

void ss_loop_drop_pending(struct loop *loop)
{
    struct ss_pendings *spare = &loop->facts.engine->levels->spare;
    if (spare->capacity > 0) {
        ss_pendings_fini(&loop->pending);
    } else if (ss_pendings_clear(&loop->pending)) {
        *spare = loop->pending;
        loop->pending = (struct ss_pendings){0};
    }
}

static struct ss_pendings *pending_of(struct loop *loop)
{
    struct ss_pendings *spare = &loop->facts.engine->levels->spare;
    if (loop->pending.capacity == 0 && spare->capacity > 0) {
        ss_check(spare->count == 0);
        ss_pendings_fini(&loop->pending);
        loop->pending = *spare;
        *spare = (struct ss_pendings){0};
    }
    return &loop->pending;
}

// A write in the open row.
static void row_write(struct loop *loop, const struct ss_row_write *write)
{
    struct thread *thread = loop->facts.thread;
    ss_check(write->path && write->channel);
    struct ss_row *row = ss_thread_row_for_writes(
        thread, run_id_of(loop), loop->facts.ns, loop->facts.checkpoint.id);
    if (row->writes_count == 0)
        name_input(loop, row);
    ss_thread_add_write(thread, write);
}

// The resume value without an id, that the journal holds, was taken.
static void row_taken(struct loop *loop)
{
    row_write(loop, &(struct ss_row_write){.task_id = SS_NULL_TASK,
                        .path = (char *)"",
                        .idx = ss_name_special(SS_NAME_RESUME),
                        .channel = (char *)SS_NAME_RESUME});
}

// Untracked, and not written by an update or left by an exit (R5.30-4).
static bool is_unstored(const struct loop *loop, const char *channel)
{
    if (!loop->facts.graph->has_untracked)
        return false;
    size_t c = ss_graph_channel(loop->facts.graph, channel);
    return loop->facts.run &&
           run_of(loop)->options.durability != DURABLE_EXIT && c != SS_NONE &&
           loop->facts.graph->channels[c].kind == SS_CHANNEL_UNTRACKED;
}

// What an update writes, and what an exit leaves pending, is stored as it is;
// else a send goes without what is untracked.
static void store_pending(struct loop *loop, const struct ss_row_write *write)
{
    struct ss_row_write form = *write;
    struct ss_value *tracked = NULL;
    if (is_unstored(loop, write->channel))
        return;
    if (loop->facts.graph->has_untracked && loop->facts.run &&
        run_of(loop)->options.durability != DURABLE_EXIT &&
        ss_graph_channel(loop->facts.graph, write->channel) ==
            loop->facts.graph->tasks_channel)
        form.value = tracked = ss_value_new(
            ss_delta_tracked(loop->facts.graph, ss_value_json(write->value)));
    row_write(loop, &form);
    ss_value_unref(tracked);
}

void ss_loop_put_writes(struct loop *loop, const char *task_id,
    const char *path, const struct ss_writes *writes,
    const struct ss_writes *output)
{
    size_t count = writes->count + (output ? output->count : 0);
    if (count == 0)
        return;
    struct ss_pendings *pending = pending_of(loop);
    bool is_null = strcmp(task_id, SS_NULL_TASK) == 0;
    bool is_due = checkpoint_is_due(loop);
    struct ss_row_write next = {.path = (char *)path};
    ss_id_copy(next.task_id, task_id);
    uint64_t call = ss_thread_head(loop->facts.thread) + ++loop->put_calls;
    int32_t place = 0;
    for (size_t i = 0; is_null && i < pending->count; i++) {
        // R5.30-3: regular ones of the null task keep their places
        const struct ss_pending *p = &pending->items[i];
        if (ss_pending_is_null(p) && p->write.idx >= place)
            place = p->write.idx + 1;
    }
    if (!is_null)
        ss_pendings_drop(pending, task_id);
    for (size_t i = 0; i < count; i++) {
        const struct ss_write *write = i < writes->count
                                           ? &writes->items[i]
                                           : &output->items[i - writes->count];
        int32_t idx = ss_name_special(write->channel);
        if (is_null && idx < 0)
            ss_pendings_drop_write(pending, task_id, write->channel);
        next.idx = idx < 0 ? idx : place;
        next.channel = (char *)write->channel;
        next.value = write->value;
        ss_pendings_add(pending, &next, true, call);
        if (is_due)
            store_pending(loop, &next);
        // what is not stored takes no place in the journal (R5.30-4)
        if (is_due && is_unstored(loop, write->channel))
            continue;
        if (idx >= 0 || !is_null)
            place++;
    }
}

void ss_loop_put_lost(struct loop *loop, const struct task *task, json_t *lost)
{
    struct ss_row_write write = {.path = (char *)task->facts.planned.path,
        .idx = ss_name_special(SS_NAME_LOST),
        .channel = (char *)SS_NAME_LOST,
        .value = ss_value_new(lost)};
    ss_id_copy(write.task_id, task->facts.planned.id);
    uint64_t call = ss_thread_head(loop->facts.thread) + ++loop->put_calls;
    ss_pendings_drop_write(&loop->pending, write.task_id, SS_NAME_LOST);
    ss_pendings_add(&loop->pending, &write, true, call);
    if (checkpoint_is_due(loop))
        store_pending(loop, &write);
    ss_value_unref(write.value);
}

void ss_loop_save_at_exit(struct loop *loop)
{
    if (loop->saved.dirty)
        write_row(loop);
    for (size_t i = 0; i < loop->pending.count; i++) {
        struct ss_pending *p = &loop->pending.items[i];
        if (!p->of_this_run || p->is_left ||
            ss_name_of_attempts(p->write.channel))
            continue;
        store_pending(loop, &p->write);
        p->is_left = true;
    }
    // an earlier run left the resume value without an id there, and this one
    // took it
    if (loop->saved.answer_taken)
        row_taken(loop);
}

void ss_loop_drop_resume_value(struct loop *root, const struct loop *taker)
{
    bool stored = false;
    struct ss_row *row = ss_thread_facts(root->facts.thread)->open;
    for (size_t i = root->pending.count; i-- > 0;) {
        const struct ss_pending *p = &root->pending.items[i];
        if (ss_pending_is_null(p) &&
            strcmp(p->write.channel, SS_NAME_RESUME) == 0) {
            ss_pendings_remove(&root->pending, i);
            stored = true;
        }
    }
    if (stored && root->facts.run &&
        run_of(root)->options.durability == DURABLE_EXIT)
        root->saved.answer_taken = true; // told by its exit
    if (!stored || !checkpoint_is_due(root))
        return;
    if (row && row->writes_count > 0 && strcmp(row->ns, taker->facts.ns) == 0)
        // taken and given in one row
        ss_id_copy(row->answer_of, root->facts.checkpoint.id);
    else
        row_taken(root);
}

char *ss_task_child_ns(const struct task *task)
{
    if (task->facts.planned.node->subgraph->checkpointer !=
        SS_CHECKPOINTER_KEEP)
        return ss_strdup(task->facts.planned.ns);
    // R12.4b: task ids are cut off, counters stay
    char *own = ss_strdup(task->facts.planned.ns), *to = own;
    for (const char *from = task->facts.planned.ns; *from;) {
        if (*from == ':')
            from += strcspn(from, "|");
        else
            *to++ = *from++;
    }
    *to = '\0';
    return own;
}
