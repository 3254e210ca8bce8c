// queue.h - whose turn it is on a thread (queue.c).
#ifndef SS_ENGINE_RUNS_QUEUE_H
#define SS_ENGINE_RUNS_QUEUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/ids.h"
#include "common/base/status.h"

struct engine;
struct run;
struct ss_request;
struct thread;

// What a request wants if its thread is busy.
enum if_busy {
    IF_BUSY_REJECT,
    IF_BUSY_ENQUEUE,
    IF_BUSY_INTERRUPT,
    IF_BUSY_ROLLBACK,
};

enum { SS_BUSY_TEXT_SIZE = SS_UUID_SIZE + 16 };

// The run that is under way on it; NULL: none.
struct run *ss_thread_run(const struct thread *thread);
// No run may begin on it, nobody may write to it.
bool ss_thread_busy(const struct thread *thread);
// "run X", "an update": for messages.
void ss_thread_busy_with(
    const struct thread *thread, char ret_text[SS_BUSY_TEXT_SIZE]);
int ss_queue_strategy(const struct ss_request *request, enum if_busy *ret,
    struct ss_error *error) SS_MUST_USE;
// End those before `run` as the strategy says, or see that there is room behind
// them. SS_ELIMIT: there is none.
int ss_queue_make_way(
    struct run *run, enum if_busy if_busy, struct ss_error *error) SS_MUST_USE;
// It waits for its turn, behind those who do. Takes `run`.
void ss_queue_join(struct run *run);
// At the end of this step, see whether the next one may begin.
void ss_queue_later(struct thread *thread);
// Runs wait for their turn on it.
bool ss_queue_waits(const struct thread *thread);
// The record of one of those, borrowed, and how many are before it; NULL: it
// does not wait.
const json_t *ss_queue_record(
    const struct thread *thread, const char *run, size_t *ret_before);
// True: some began, or ended.
bool ss_queue_turns(struct engine *engine);

#endif
