// store_actors.h - several store actors as one: each has a connection of its
// own, and the threads of a part of the shards.
//
//                    +--> actor 0 --> connection, fence (coordinator, 0)
//   submit --by shard+--> actor 1 --> connection, fence (coordinator, 1)
//                    +--> ...
//
// Commits of different threads then run side by side. The caller sees what it
// would see of one actor: - all jobs of one thread (and records of it alone) go
// to one actor, in order; - who looks at all threads (SCAN, GET), or leaves
// them (END), waits for all
//   units that were submitted before it;
// - a unit of no thread (graphs, the cache) goes through all actors: whatever
//   is appended behind it anywhere is durable behind it;
// - HAND is done in parts, each by the actor that appends to those shards,
//   behind its appends. Its status is that of the worst part.
// Answers come in order for each thread, not between threads.
#ifndef SS_STORE_STORE_ACTORS_H
#define SS_STORE_STORE_ACTORS_H

#include "coordinator/store/limits.h"
#include "coordinator/store/store_actor.h"

struct ss_store_actors;

// Takes `stores`, 1 to SS_STORE_ACTORS_MAX of one database (closed also where
// this fails). Gives. SS_EIO.
int ss_store_actors_start(struct ss_store *const *stores, size_t count,
    struct ss_store_actors **ret_actors, struct ss_error *error) SS_MUST_USE;
// From now on the units of actor `index` are appended with this epoch.
void ss_store_actors_fence(
    struct ss_store_actors *actors, size_t index, uint64_t epoch);
// Finish what was handed to them, until `until_ms` at the latest, as
// ss_store_actor_finish_until() does. False: at least one still waits.
bool ss_store_actors_finish_until(
    struct ss_store_actors *actors, int64_t until_ms) SS_MUST_USE;
// The call that has waited longest; false: none waits. One that failed before
// `answered_ms` (the store answered others then) waits no more; repeated, it
// waits since then.
bool ss_store_actors_wait(const struct ss_store_actors *actors,
    int64_t answered_ms, struct ss_store_wait *ret_wait);
// As ss_store_actor_pace(), of the one that is slowest.
bool ss_store_actors_pace(const struct ss_store_actors *actors,
    int64_t since_ms, int64_t ret_ms[SS_STORE_PACE]);
// Finish what was handed to them, stop, close the stores.
void ss_store_actors_stop(struct ss_store_actors **actors);
// Queue a job. Takes.
void ss_store_actors_submit(struct ss_store_actors *actors, struct ss_job *job);
// From now on a job that is alone waits for ss_store_actors_fds(), which comes
// before the caller waits (ss_store_actor_lay).
void ss_store_actors_lay(struct ss_store_actors *actors);
// The next finished job, or NULL. Gives. Never blocks. Until it returns NULL,
// jobs that wait for others may not have begun.
struct ss_job *ss_store_actors_take(struct ss_store_actors *actors);
// Descriptors to wait for, one of them readable while finished jobs wait: their
// count. What was laid begins with it.
size_t ss_store_actors_fds(
    struct ss_store_actors *actors, int ret_fds[SS_STORE_ACTORS_MAX]);
// The sum of all, and the largest commit.
struct ss_store_actor_stats ss_store_actors_stats(
    const struct ss_store_actors *actors);

#endif
