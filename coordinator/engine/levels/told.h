// told.h - what was told of a level before a crash, and of an attempt that is
// out; the rooms above tell it (requests/emit.c).
#ifndef SS_ENGINE_LEVELS_TOLD_H
#define SS_ENGINE_LEVELS_TOLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/journal.h"

struct loop;
struct task;

// Live items of the attempt that is out; told.c keeps them.
struct task_items {
    json_t *kept; // owned: [[mode, value]...], or NULL
    size_t size;  // of those
    uint64_t count;
};

// ------------------------------------------------ told.c

// One event more of that kind was told before a crash, and comes again.
void ss_loop_note_told(struct loop *loop, enum ss_told what);
// The event that comes now is one of those; it is one less then.
bool ss_loop_was_told(struct loop *loop, enum ss_told what);
// The row from which on events of its namespace are of this try of it: earlier
// ones are not told again. *ret_anew: what it tells first it tells anew, as
// nothing of it was saved since.
uint64_t ss_loop_told_from(const struct loop *loop, bool *ret_anew);
// Its state is that of its checkpoint in the rows.
bool ss_loop_is_saved(const struct loop *loop);
// What it did was told before a crash, with the row of its writes.
bool ss_task_was_told(const struct task *task);
const struct task_items *ss_task_items(const struct task *task);
// The attempt that is out sent an item: it counts, and is kept while there is
// room, without a gap.
void ss_task_keep_item(struct task *task, const char *mode, json_t *value);
// They are in a row now, or their attempt is void.
void ss_task_drop_items(struct task *task);

#endif
