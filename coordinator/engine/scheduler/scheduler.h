// scheduler.h - who runs what is ready: workers and their attempts, as those
// above see them.
#ifndef SS_ENGINE_SCHEDULER_H
#define SS_ENGINE_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/engine/levels/loop.h"

struct census;
struct engine;
struct ss_event;
struct ss_shards;

// Supersteps tell it of tasks that go, which leave their lines and workers.
extern const struct sink ss_scheduler_sink;

// Which ready tasks are meant.
enum line_kind { LINES_ALL, LINES_OF_UPDATES };

// What must come before a task goes on. The first that holds.
enum task_wait {
    WAIT_NOTHING, // it has ended, or a graph inside goes on for it
    WAIT_PLANNED, // its turn to begin
    WAIT_CACHE,   // whether there is a result
    WAIT_PAUSE,   // its graph is held back
    WAIT_ROWS,    // those that it rests on are not durable yet
    WAIT_LIMIT,   // as many of its run are out as may be
    WAIT_SHARED,  // as many of its limit are, in all runs
    WAIT_SERVER,  // nobody serves its graph
    WAIT_LABEL,   // nobody who does offers what its node asks for
    WAIT_STORE,   // it owes too many answers
    WAIT_EARLIER, // an attempt before this one may still be begun or go on
    WAIT_ROOM,    // a worker that has room
    WAIT_OUTCOME, // it is out
    WAIT_BACKOFF, // the time of its next try
    WAIT_ANSWER,  // it asked
};

// ------------------------------------------------ scheduler.c

void ss_scheduler_init(struct engine *engine);
// When every thread is freed.
void ss_scheduler_fini(struct engine *engine);

// ------------------------------------------------ schedule_verify.c

// After all of them.
void ss_workers_verify(const struct engine *engine, struct census *census);
void ss_dispatches_verify(const struct engine *engine);

// ------------------------------------------------ ready_queue.c

void ss_lines_verify(const struct engine *engine, struct census *census);
// The ready task behind `task` (NULL: the first), in no order that counts.
const struct task *ss_ready_queue_after(
    const struct engine *engine, const struct task *task, enum line_kind kind);

// ------------------------------------------------ takeover.c

void ss_offers_verify(const struct engine *engine, struct census *census);
// A run was found: from now on workers have a little time to offer. Where the
// store is shared they are asked.
void ss_takeover_found(struct engine *engine, bool goes_on);
// Ask all workers what they have of shards that were gained.
void ss_seek_gained(
    struct engine *engine, const struct ss_shards *shards, uint64_t epoch);
// What a worker has of owners before us (OFFERS).
void ss_worker_offers(struct engine *engine, const struct ss_event *event);
// Forget offers whose time is over.
void ss_claimed_expire(struct engine *engine);

// ------------------------------------------------ schedule.c

// What workers say (HELLO, BEAT, BYE, LACKS, DONE, LIVE), and that they are all
// told who the members are.
void ss_worker_hello(struct engine *engine, const struct ss_event *event);
void ss_worker_bye(struct engine *engine, const struct ss_event *event);
void ss_worker_lacks(struct engine *engine, const struct ss_event *event);
void ss_worker_done(struct engine *engine, const struct ss_event *event);
void ss_worker_live(struct engine *engine, const struct ss_event *event);
void ss_workers_members(struct engine *engine);
// We came `late_ms` later than we had asked for: no lease ends by that.
void ss_workers_excuse(struct engine *engine, int64_t late_ms);
// Those whose lease has ended are lost, with their attempts.
void ss_workers_expire(struct engine *engine);
// What has become ready joins its line, in that order.
void ss_schedule_ready(struct engine *engine);
// Of updates that wait for a worker of a version that nobody serves any more,
// while another one is served, one is planned anew with that. False: there is
// none.
bool ss_schedule_updates_follow(struct engine *engine);
// At the end of a step: send what can be sent.
void ss_dispatch(struct engine *engine);

// ------------------------------------------------ wait.c

enum task_wait ss_task_waits_for(const struct task *task);
// The same, as people are told it: SERVER and LABEL before LIMIT and SHARED.
enum task_wait ss_task_waits_told(const struct task *task);

// ------------------------------------------------ limit_reckon.c

// Other graphs are served.
void ss_limits_reckon(struct engine *engine);
// ------------------------------------------------ limit_shards.c

// Shards are about to be lost.
void ss_limits_let_go(struct engine *engine, const struct ss_shards *shards);
// Shards were gained, read or lost.
void ss_limits_shards(struct engine *engine, const struct ss_event *event);

// ------------------------------------------------ limit_record.c

// True: it was all records of limits, or the answer to a change of ours.
bool ss_limit_records(struct engine *engine, const struct ss_event *event);

// ------------------------------------------------ placement.c

// The labels that its node asks for: "gpu, large". Gives.
char *ss_placement_labels(const struct task *task);

// ------------------------------------------------ list_cache.c

// Forget what has not been sent for as long as idle threads are kept.
void ss_list_cache_expire(struct engine *engine);

// ------------------------------------------------ beat.c

// A worker is alive (BEAT).
void ss_worker_beat(struct engine *engine, const struct ss_event *event);
// Tasks whose attempt of before can begin no more are sent anew.
void ss_vouched_expire(struct engine *engine);

#endif
