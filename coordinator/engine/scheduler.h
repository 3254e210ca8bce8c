// scheduler.h - who runs what is ready: workers, their attempts, lines, placement.
#ifndef SS_ENGINE_SCHEDULER_H
#define SS_ENGINE_SCHEDULER_H

#include "coordinator/engine/state.h"

// ------------------------------------------------ schedule.c

// Names of attempts. Zero bytes are none.
struct attempts {
    struct ss_attempt *items;
    size_t count, capacity;
};

// The task that is out under this name; NULL: it is no more.
struct task *ss_attempt_find(struct engine *engine, struct ss_attempt attempt);
// They are over without an outcome. Frees the list.
void ss_attempts_lose(
    struct worker *worker, struct attempts *lost, const char *why);
void ss_worker_refuse(struct engine *engine, const char *peer, int status,
    const char *text);

// worker_state.c: nobody else changes its state.
void ss_worker_move(struct worker *worker, enum worker_state to);
// It is given nothing more.
static inline bool ss_worker_leaves(const struct worker *worker)
{
    return worker->state != WORKER_SERVES;
}

// The graph whose workers serve it. Borrowed.
const struct ss_graph *ss_task_root_graph(const struct task *task);
// What workers say (HELLO, BEAT, BYE, LACKS, DONE, LIVE), and who else is told of
// new members.
void ss_worker_hello(struct engine *engine, const struct ss_event *event);
void ss_worker_bye(struct engine *engine, const struct ss_event *event);
void ss_worker_lacks(struct engine *engine, const struct ss_event *event);
void ss_worker_done(struct engine *engine, const struct ss_event *event);
void ss_worker_live(struct engine *engine, const struct ss_event *event);
void ss_workers_members(struct engine *engine, const struct ss_event *event);
// The word of who the members are may have been lost: each lease the worker
// hears it again, with a beat.
void ss_members_remind(struct worker *worker);
// We came `late_ms` later than we had asked for: no lease ends by that.
void ss_workers_excuse(struct engine *engine, int64_t late_ms);
// Those whose lease has ended are lost, with their attempts.
void ss_workers_expire(struct engine *engine);
void ss_worker_free(struct worker *worker);
// Supersteps tell it of tasks that go, which leave their lines and workers, and the
// levels of sends that they ignored.
extern const struct sink ss_scheduler_sink;
// What has become ready joins its line, in that order.
void ss_schedule_ready(struct engine *engine);
// Of updates that wait for a worker of a version that nobody serves any more,
// while another one is served, one is planned anew with that. False: there is none.
bool ss_schedule_updates_follow(struct engine *engine);
// Its next attempt is at that worker: not sent yet.
void ss_attempt_begin(struct task *task, struct worker *worker);
// At the end of a step: send what can be sent.
void ss_dispatch(struct engine *engine);
// As the request `workers` shows them. Gives.
json_t *ss_workers_json(struct engine *engine);

// ------------------------------------------------ fair.c

// A task is ready; it is no more (nothing, if it was not).
void ss_fair_add(struct task *task);
void ss_fair_remove(struct task *task);
enum line_kind { LINES_ALL, LINES_OF_UPDATES };
// The ready task behind `task` (NULL: the first), in no order that counts.
const struct task *ss_fair_after(const struct engine *engine,
    const struct task *task, enum line_kind kind);
// A dispatch begins: each ready task is given once by the calls that follow, in
// the order in which they should be served. NULL: that was all.
void ss_fair_begin(struct engine *engine);
struct task *ss_fair_next(struct engine *engine);
// Its line had its turn.
void ss_fair_served(struct task *task);

// ------------------------------------------------ wait.c

// What must come before a task goes on. The first that holds.
enum task_wait {
    WAIT_NOTHING, // it has ended, or a graph inside goes on for it
    WAIT_PLANNED, // its turn to begin
    WAIT_CACHE,   // whether there is a result
    WAIT_PAUSE,   // its graph is held back
    WAIT_ROWS,    // those that it rests on are not durable yet
    WAIT_LIMIT,   // as many of its run are out as may be
    WAIT_SERVER,  // nobody serves its graph
    WAIT_LABEL,   // nobody who does offers what its node asks for
    WAIT_STORE,   // it owes too many answers
    WAIT_EARLIER, // an attempt before this one may still be begun or go on
    WAIT_ROOM,    // a worker that has room
    WAIT_OUTCOME, // it is out
    WAIT_BACKOFF, // the time of its next try
    WAIT_ANSWER,  // it asked
};
enum task_wait ss_task_waits_for(const struct task *task);

// ------------------------------------------------ place.c

// It owes so many answers that no new tasks are sent.
bool ss_store_is_slow(const struct engine *engine);
// The worker that should have it; NULL: it must wait.
struct worker *ss_place(const struct task *task);
// Workers may serve its graph, but none of them offers what its node asks for.
bool ss_place_lacks_labels(const struct task *task);
// "gpu, large". Gives.
char *ss_place_labels(const struct task *task);
void ss_worker_labels(struct worker *worker, const struct ss_event *event);

// ------------------------------------------------ hold.c

// Lists of `order` go as edits of what the task's worker holds. `anew`: it said
// that it does not.
void ss_hold_order(struct task *task, struct ss_order *order, bool anew);
// Forget what has not been sent for as long as idle threads are kept.
void ss_holdings_expire(struct engine *engine);
void ss_holdings_fini(struct worker *worker);

// ------------------------------------------------ adopt.c

// It is ready: a worker of an owner before us may have it.
void ss_adopt_wait(struct task *task);
void ss_adopt_forget(struct task *task);
bool ss_adopt_waits(const struct task *task);
// Runs were found: from now on workers have a little time to offer.
void ss_adopt_begin(struct engine *engine);
// Ask all workers what they have of shards that were gained, or one of all ours.
void ss_seek_gained(
    struct engine *engine, const struct ss_shards *shards, uint64_t epoch);
void ss_seek_all(struct worker *worker);
void ss_offers_take(
    struct worker *worker, const struct ss_offer *offers, size_t count);
void ss_worker_offers(struct engine *engine, const struct ss_event *event);
// The worker is gone.
void ss_offers_drop(struct worker *worker);
void ss_offers_expire(struct engine *engine);
// Offers and ready tasks find each other.
void ss_adopt(struct engine *engine);
void ss_offers_fini(struct engine *engine);

// ------------------------------------------------ beat.c

// So long a worker may begin what it was given, from the last beat that we heard
// before we gave it. 0: for ever.
int64_t ss_begin_ms(const struct engine *engine);
void ss_worker_beat(struct engine *engine, const struct ss_event *event);
// An attempt of the task is over, and its worker has not said so: until it can
// begin it no more the task is not sent anew.
void ss_vouched(const struct task *task);
bool ss_vouched_waits(const struct task *task);
int64_t ss_begins_until(const struct task *task);
void ss_vouched_expire(struct engine *engine);
// Its thread has moved: its result is the new owner's, and is not settled here.
void ss_attempt_let_go(struct worker *worker, struct ss_attempt attempt);
bool ss_attempt_was_let_go(
    const struct worker *worker, struct ss_attempt attempt);

// ------------------------------------------------ leave.c

// The request `drain`.
void ss_worker_drain_request(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
// Tell it again, if it was sent away and has not heard it.
void ss_worker_remind(const struct worker *worker);

#endif
