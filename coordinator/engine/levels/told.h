// told.h - what was told of a level before a crash, and of an attempt that is
// out; the rooms above tell it (requests/emit.c).
#ifndef SS_ENGINE_LEVELS_TOLD_H
#define SS_ENGINE_LEVELS_TOLD_H

#include <jansson.h>
#include <stdbool.h>

#include "common/model/journal.h"

struct loop;
struct task;

// ------------------------------------------------ told.c

// One event more of that kind was told before a crash, and comes again.
void ss_loop_note_told(struct loop *loop, enum ss_told what);
// The event that comes now is one of those; it is one less then.
bool ss_loop_was_told(struct loop *loop, enum ss_told what);
// The attempt that is out sent an item: it counts, and is kept while there is
// room, without a gap.
void ss_task_keep_item(struct task *task, const char *mode, json_t *value);
// They are in a row now, or their attempt is void.
void ss_task_drop_items(struct task *task);

#endif
