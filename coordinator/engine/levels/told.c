// told.c - what was told already (requests/emit.c tells it).
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/told.h"
#include "coordinator/engine/limits.h"

void ss_loop_note_told(struct loop *loop, enum ss_told what)
{
    loop->checkpoint.told[what]++;
}

bool ss_loop_was_told(struct loop *loop, enum ss_told what)
{
    if (loop->checkpoint.told[what] == 0)
        return false;
    loop->checkpoint.told[what]--;
    return true;
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
