// store_actor.h - a blocking store on a thread of its own.
//
// The coordinator's loop submits jobs and never waits; the actor drains all
// that has queued up into one commit (group commit over runs falls out of it).
// A batch that the store refuses as a whole for its content is halved until the
// guilty unit stands alone; one in doubt (SS_EAGAIN) is appended again a few
// times. Answers come back in order for each thread; a descriptor becomes
// readable when there are some.
//
// Everything that crosses is owned by the job: deep copies, no shared values.
#ifndef SS_STORE_STORE_ACTOR_H
#define SS_STORE_STORE_ACTOR_H

#include "coordinator/store/store.h"

// A few words, and the beginning of a thread's name.
enum { SS_STORE_WHAT_SIZE = 160 };
enum {
    // A failure that is older, with nothing under way since, says nothing of
    // the store now.
    SS_STORE_STALE_MS = 10000,
};

struct ss_store_actor;

// Takes `store` (closed by the actor's thread at the end). Gives.
int ss_store_actor_start(struct ss_store *store,
    struct ss_store_actor **ret_actor, struct ss_error *error) SS_MUST_USE;
// From now on units are appended with this epoch of the store's fence.
void ss_store_actor_fence(struct ss_store_actor *actor, uint64_t epoch);
// Finish the queued jobs, and accept no more; done jobs can still be taken.
void ss_store_actor_finish(struct ss_store_actor *actor);
// The same until `until_ms` (CLOCK_MONOTONIC) at the latest. False: its store
// has not answered by then. Nothing stops a thread that waits for a disk or a
// server, but the end of the process: no more may be asked of this actor.
bool ss_store_actor_finish_until(
    struct ss_store_actor *actor, int64_t until_ms) SS_MUST_USE;
// Finish what is queued, stop, close the store.
void ss_store_actor_stop(struct ss_store_actor **actor);
// Queue a job. Takes.
void ss_store_actor_submit(struct ss_store_actor *actor, struct ss_job *job);
// The same, but a first job waits for a second one or for ss_store_actor_go(),
// which must come before the caller waits. One unit alone is then sent by the
// caller itself, where the store can do that: that spares it two wake-ups.
void ss_store_actor_lay(struct ss_store_actor *actor, struct ss_job *job);
void ss_store_actor_go(struct ss_store_actor *actor);
// The next finished job, or NULL. Gives. Never blocks.
struct ss_job *ss_store_actor_take(struct ss_store_actor *actor);
// Readable while finished jobs wait. It may be another one after each of these
// calls.
int ss_store_actor_fd(const struct ss_store_actor *actor);

// Jobs queued and not taken yet; commits made; units in the largest commit.
struct ss_store_actor_stats {
    size_t queued;
    uint64_t commits, units, units_max;
};
struct ss_store_actor_stats ss_store_actor_stats(
    const struct ss_store_actor *actor);

// A call that a store has not answered yet, or that it could not carry out.
struct ss_store_wait {
    int64_t since_ms;              // CLOCK_MONOTONIC
    char what[SS_STORE_WHAT_SIZE]; // "to write thread t"
    char why[SS_ERROR_SIZE];       // as the store says; "": it says nothing
    // When it could not carry the call out; 0: a call is under way.
    int64_t failed_ms;
};
// False: no call is under way, and the last one was answered. What the store
// said before `answered_ms` (it answered others then) is past: a call that was
// made since waits since it was made.
bool ss_store_actor_waits(const struct ss_store_actor *actor,
    int64_t answered_ms, struct ss_store_wait *ret_wait);
// When a call was answered last, CLOCK_MONOTONIC; 0: none was.
int64_t ss_store_actor_answered_ms(const struct ss_store_actor *actor);

// How long its last writes took, in ms, the newest first. False: it has not
// made so many, or the last one ended before `since_ms`.
enum { SS_STORE_PACE = 3 };
bool ss_store_actor_pace(const struct ss_store_actor *actor, int64_t since_ms,
    int64_t ret_ms[SS_STORE_PACE]);

// In place of a thread, for tests and the local runner: jobs are done when they
// are submitted, in the caller's thread. Nobody waits for one: there is no
// descriptor (ss_store_actor_fd() is -1), and no call of the system is made.
void ss_store_actor_start_inline(
    struct ss_store *store, struct ss_store_actor **ret_actor);
// Of such an actor alone: apply `unit`, which is borrowed, now. Gives what a
// job's status would be, with its message in `error`.
int ss_store_actor_apply(struct ss_store_actor *actor,
    struct ss_store_unit *unit, struct ss_error *error) SS_MUST_USE;

#endif
