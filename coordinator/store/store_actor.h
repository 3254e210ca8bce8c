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

enum ss_job_type {
    SS_JOB_APPLY, // `unit`
    SS_JOB_READ,  // rows of `thread`, from..to; all: behind its records
    SS_JOB_SCAN,  // entries of `table`
    SS_JOB_GET,   // one entry
    // As store.h has them, for `member`:
    SS_JOB_RENEW, // `lease_ms`
    SS_JOB_LOOK,  // `cluster`
    SS_JOB_CLAIM, // `shards`: wanted, then got
    SS_JOB_TAKE,  // from the member `key`; `shards`: got
    SS_JOB_HAND,  // `shards` to the member `key` (NULL: to nobody)
    SS_JOB_END,
};

// A few words, and the beginning of a thread's name.
enum { SS_STORE_WHAT_SIZE = 160 };

struct ss_job_row { // an owned copy of a row
    struct ss_store_row row;
    void *memory; // where its texts and its body live
};

struct ss_job_entry {
    char *key;
    char *index;
    void *value;
    size_t value_size;
    int64_t expires_us;
};

struct ss_job {
    enum ss_job_type type;
    uint64_t tag;     // the caller's, untouched
    int64_t begun_us; // the caller's too: when it was submitted
    // APPLY: takes ownership of a deep copy made by ss_job_apply()
    struct ss_store_unit unit;
    void *memory; // of the copy
    // READ, SCAN, GET
    char *thread;
    uint64_t from, to;
    enum ss_store_table table;
    char *key;   // GET: the key; SCAN: after
    char *index; // SCAN
    size_t limit;
    struct ss_member member;
    int64_t lease_ms;
    struct ss_shards shards;
    // Of several actors alone (store_actors.h).
    struct ss_job *whole; // of which this is a part
    size_t parts;         // that are out
    // out
    int status;
    struct ss_error error;
    struct ss_job_row *rows;
    size_t rows_count;
    struct ss_job_entry *entries; // READ: its own record, then runs' ones
    size_t entries_count;
    struct ss_cluster cluster;
    struct ss_job *next;
};

struct ss_store_actor;

// Takes `store` (closed by the actor's thread at the end). Gives.
int ss_store_actor_start(struct ss_store *store,
    struct ss_store_actor **ret_actor, struct ss_error *error) SS_MUST_USE;
// From now on units are appended with this epoch of the store's fence.
void ss_store_actor_fence(struct ss_store_actor *actor, uint64_t epoch);
// Finish what is queued, and take nothing more: what is done can be taken still.
void ss_store_actor_finish(struct ss_store_actor *actor);
// The same until `until_ms` (CLOCK_MONOTONIC) at the latest. False: its store has
// not answered by then. Nothing stops a thread that waits for a disk or a server,
// but the end of the process: no more may be asked of this actor.
bool ss_store_actor_finish_until(
    struct ss_store_actor *actor, int64_t until_ms) SS_MUST_USE;
// Finish what is queued, stop, close the store.
void ss_store_actor_stop(struct ss_store_actor **actor);
// A job whose unit is a deep copy of `unit`. Gives.
struct ss_job *ss_job_apply(uint64_t tag, const struct ss_store_unit *unit);
struct ss_job *ss_job_new(enum ss_job_type type, uint64_t tag);
void ss_job_destroy(struct ss_job **job);
// Queue a job. Takes.
void ss_store_actor_submit(struct ss_store_actor *actor, struct ss_job *job);
// The next finished job, or NULL. Gives. Never blocks.
struct ss_job *ss_store_actor_take(struct ss_store_actor *actor);
// Readable while finished jobs wait.
int ss_store_actor_fd(const struct ss_store_actor *actor);

// Jobs queued and not taken yet; commits made; units in the largest commit.
struct ss_store_actor_stats {
    size_t queued;
    uint64_t commits, units, units_max;
};
struct ss_store_actor_stats ss_store_actor_stats(
    const struct ss_store_actor *actor);

// What a store has not answered yet, or could not do when it was asked last.
struct ss_store_wait {
    int64_t since_ms; // CLOCK_MONOTONIC
    char what[SS_STORE_WHAT_SIZE]; // "to write thread t"
    char why[SS_ERROR_SIZE]; // as the store says; "": it says nothing
};
// False: nothing is asked of it, and what was asked last was answered.
bool ss_store_actor_waits(
    const struct ss_store_actor *actor, struct ss_store_wait *ret_wait);

// In place of a thread, for tests and the local runner: jobs are done when they
// are submitted, in the caller's thread.
int ss_store_actor_start_inline(struct ss_store *store,
    struct ss_store_actor **ret_actor, struct ss_error *error) SS_MUST_USE;

#endif
