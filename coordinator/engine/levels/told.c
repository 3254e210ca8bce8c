// told.c - what was told already (requests/emit.c tells it).
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/told.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/threads/thread.h"

enum { TOLD_COUNT = SS_TOLD_ITEMS + 1 };

void ss_loop_note_told(struct loop *loop, enum ss_told what)
{
    ss_check(what >= SS_TOLD_RAW && what <= SS_TOLD_ITEMS);
    if (!loop->saved.told)
        loop->saved.told = ss_zalloc(TOLD_COUNT, sizeof(uint32_t));
    loop->saved.told[what]++;
}

bool ss_loop_was_told(struct loop *loop, enum ss_told what)
{
    ss_check(what >= SS_TOLD_RAW && what <= SS_TOLD_ITEMS);
    if (!loop->saved.told || loop->saved.told[what] == 0)
        return false;
    loop->saved.told[what]--;
    return true;
}

// ------------------------------------------------ before a crash

uint64_t ss_loop_told_from(const struct loop *loop, bool *ret_anew)
{
    const struct run *run = loop->facts.run;
    const struct ss_checkpoint_entry *mark =
        loop->facts.persists
            ? ss_journal_find(ss_thread_facts(loop->facts.thread)->journal,
                  loop->facts.ns, NULL)
            : NULL;
    uint64_t from = run->facts.entry_seq;
    if (loop->facts.parent && loop->facts.parent->lineage.saved_seq > from)
        from = loop->facts.parent->lineage.saved_seq;
    bool own = mark && strcmp(mark->row->run, run->facts.id) == 0 &&
               mark->row->seq >= from;
    from = own ? mark->row->seq : from;
    ss_check(from > 0);
    if (from <= loop->entered.tried_seq) // a try before told its own
        from = loop->entered.tried_seq + 1;
    *ret_anew = !own || loop->entered.tried_seq;
    return from;
}

bool ss_loop_is_saved(const struct loop *loop)
{
    return loop->facts.persists && !loop->saved.unsaved_state &&
           loop->lineage.saved_seq &&
           ss_id_same(loop->facts.checkpoint.id, loop->lineage.saved_id);
}

bool ss_task_was_told(const struct task *task)
{
    const struct loop *loop = task->facts.loop;
    return task->restored && run_of(loop)->recovering &&
           ss_pendings_ours(&loop->pending, task->facts.planned.id);
}

// ------------------------------------------------ items

const struct task_items *ss_task_items(const struct task *task)
{
    return &task->items;
}

static bool has_room(const struct task_items *items, size_t size)
{
    return json_array_size(items->kept) < SS_ITEMS_KEPT_MAX &&
           items->size + size <= SS_ITEMS_SIZE_MAX &&
           items->count == json_array_size(items->kept);
}

void ss_task_keep_item(struct task *task, const char *mode, json_t *value)
{
    struct task_items *items = &task->items;
    char *text = ss_json_text(value);
    size_t size = strlen(text);
    ss_free(text);
    if (!items->kept)
        items->kept = json_array();
    ss_check(items->count >= json_array_size(items->kept));
    if (has_room(items, size)) {
        items->size += size;
        json_array_append_new(items->kept, json_pack("[s, O]", mode, value));
    }
    items->count++;
}

void ss_task_drop_items(struct task *task)
{
    json_decref(task->items.kept);
    task->items = (struct task_items){0};
}
