// resume_value.h - whose the resume value without an id is (resume_value.c).
#ifndef SS_ENGINE_LEVELS_RESUME_VALUE_H
#define SS_ENGINE_LEVELS_RESUME_VALUE_H

#include <stddef.h>

struct loop;
struct run;
struct ss_value;
struct task;

// The loop's tasks begin: who goes first with the resume value without an id.
void ss_resume_value_line(const struct loop *loop, struct task *const *sorted);
// The task is gone.
void ss_resume_value_forget(struct task *task);
// Its holder ended without it.
void ss_resume_value_released(struct run *run, struct task *task);
// The task's body goes to a worker, when its turn with the answer has come.
void ss_task_start_body(struct task *task);
// Who waits begins; those who asked meanwhile get it, or are told that there is
// none.
void ss_resume_value_settle(struct run *run);
// Nobody else is given what was there before. Borrows `value`; NULL: none.
void ss_resume_value_put(struct run *run, struct ss_value *value);
// As many tasks of it are held.
void ss_resume_value_verify(const struct run *run, size_t held);

#endif
