// shadow.h - the dense machine (dense/dense.h) beside each machine, in the
// builds of the tests: it is given what the machine is given, and what both say
// is compared. A difference is a bug of ours, and ends the process with both
// sides in the message.
//
// Compared: what a load makes; the tasks of a plan with ids, paths, order and
// inputs; of an update its status, the channel at fault, what it moved and
// updated, what was seen; what is known as updated; the parts of rows. Not
// compared is what SS_SHADOW_UNTOLD says.
#ifndef SS_PREGEL_SHADOW_H
#define SS_PREGEL_SHADOW_H

#include <stdbool.h>
#include <stddef.h>

struct ss_checkpoint;
struct ss_delta_form;
struct ss_machine;
struct ss_planned_task;
struct ss_planned_tasks;
struct ss_row_checkpoint;
struct ss_superstep;
struct ss_update;

// What is not compared, as bits. It may only shrink.
enum ss_shadow_untold {
    SS_SHADOW_MESSAGES = 1 << 1,   // the texts of errors
    SS_SHADOW_NAMESPACES = 1 << 2, // of tasks, and fresh reads
    SS_SHADOW_RESTORE = 1 << 3,    // pending writes: not in there yet
    SS_SHADOW_UNTOLD =
        SS_SHADOW_MESSAGES | SS_SHADOW_NAMESPACES | SS_SHADOW_RESTORE,
};

#ifdef SS_SHADOW

// New machines have none: who counts what a machine costs says so first.
void ss_shadow_rest(bool rests);
void ss_shadow_begin(struct ss_machine *machine);
// Also where the machine's state is from nowhere: it is no longer followed.
void ss_shadow_end(struct ss_machine *machine);
void ss_shadow_load(struct ss_machine *machine,
    const struct ss_checkpoint *checkpoint, int status);
void ss_shadow_plan(struct ss_machine *machine, const struct ss_superstep *at,
    bool execute, const struct ss_planned_tasks *tasks);
void ss_shadow_handler(const struct ss_machine *machine,
    const struct ss_superstep *at, const struct ss_planned_task *failed,
    const struct ss_planned_task *task);
void ss_shadow_update(
    struct ss_machine *machine, const struct ss_update *update, int status);
void ss_shadow_updated_set(struct ss_machine *machine, bool add);
void ss_shadow_updated_forget(struct ss_machine *machine);
void ss_shadow_break_moved(struct ss_machine *machine, bool moved);
void ss_shadow_break_pass(struct ss_machine *machine);
void ss_shadow_delta(struct ss_machine *machine,
    const struct ss_delta_form *form, const struct ss_row_checkpoint *part,
    size_t size);
void ss_shadow_delta_drop(struct ss_machine *machine);

#else

#define ss_shadow_rest(rests)                        ((void)(rests))
#define ss_shadow_begin(machine)                     ((void)(machine))
#define ss_shadow_end(machine)                       ((void)(machine))
#define ss_shadow_load(machine, checkpoint, status)  ((void)(machine))
#define ss_shadow_plan(machine, at, execute, tasks)  ((void)(machine))
#define ss_shadow_handler(machine, at, failed, task) ((void)(machine))
#define ss_shadow_update(machine, update, status)    ((void)(machine))
#define ss_shadow_updated_set(machine, add)          ((void)(machine))
#define ss_shadow_updated_forget(machine)            ((void)(machine))
#define ss_shadow_break_moved(machine, moved)        ((void)(machine))
#define ss_shadow_break_pass(machine)                ((void)(machine))
#define ss_shadow_delta(machine, form, part, size)   ((void)(machine))
#define ss_shadow_delta_drop(machine)                ((void)(machine))

#endif

#endif
