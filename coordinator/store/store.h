// store.h - the seam under the coordinator: a blocking, simple store.
//
// It is opened and closed; batches are applied; rows of a thread and entries of
// small tables are read. A store that several processes share has fences,
// members and their shards, too. Each call waits for the database; a caller
// that must not wait asks through a store actor (store_actor.h). A store folds
// nothing and decides nothing but: is this place free, is this key as expected,
// is this epoch still the owner's (docs/internals/journal.md, cluster.md).
//
// One contract suite runs against every store: tests/contract/store_test.c.
#ifndef SS_STORE_STORE_H
#define SS_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/cluster.h"
#include "coordinator/job/job.h"

// A batch shares one commit; each unit has its own result.
struct ss_store_batch {
    // Of the fence; 0: no fence. Stores that one process owns have no fences.
    uint64_t epoch;
    struct ss_store_unit *units;
    size_t units_count;
};

// Called for each row, ascending seq; strings and body live for the call only.
// Non-zero stops the read and is returned.
typedef int ss_store_row_fn(void *ctx, const struct ss_store_row *row);
typedef int ss_store_entry_fn(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us);

// What a search finds, lent for the call.
struct ss_store_found {
    const char *key, *index;
    const void *value;
    size_t size;
    int64_t at_us;
};
typedef int ss_store_found_fn(void *ctx, const struct ss_store_found *found);

// What is read of SS_TABLE_RUNS, SS_TABLE_OPEN or SS_TABLE_THREADS, by time.
struct ss_find_marks;
struct ss_store_search {
    enum ss_store_table table;
    // Not all of it: of runs, those of this thread; of threads, those that
    // stand so, as their index or SS_STORE_BUSY. NULL: all.
    const char *index;
    const char *status; // of SS_TABLE_RUNS, in place of an index: those; NULL
    int64_t since_us;   // not older than this
    // Behind this place: older, or as old and with a greater key.
    int64_t at_us;
    const char *after;
    // What those that are wanted have; a store may give others as well.
    const struct ss_find_marks *marks; // NULL: nobody knows
};

struct ss_store;

// Open by URL: "memory:", "sqlite:FILE" (or a bare file name), for a file that
// may not grow without end "sqlite:FILE?pages_max=N" (of 4096 bytes), or
// "postgres://USER@HOST/DATABASE?schema=NAME" (as libpq takes it; also
// "postgresql:"; reconnect_ms=N: how long an apply waits for a lost server).
// Several may open one database. Gives.
// Errors: SS_EIO (unreadable, with the reason), SS_EBUSY (another process has
// it), SS_ECORRUPT, SS_EVERSION (written by a newer version), SS_EFULL,
// SS_EINVAL (no such kind of store; a database of another program).
int ss_store_open(const char *url, struct ss_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
void ss_store_close(struct ss_store **store);
// Would the store at this URL be one that several coordinators share
// (ss_store_is_shared)?
bool ss_store_url_is_shared(const char *url);
// Called each time that a call has failed and tries again (its server is away),
// with the reason, on the thread of that call; or NULL. `why` is lent.
typedef void ss_store_trouble_fn(void *ctx, const char *why);

// As ss_store_open(), but a server that is away, starting or stopping is waited
// for, as long as an append waits for one; `trouble` (or NULL) is told each
// time, on this thread. What waiting does not mend (a wrong password, no such
// database) is an error at once.
int ss_store_open_patient(const char *url, ss_store_trouble_fn *trouble,
    void *ctx, struct ss_store **ret_store, struct ss_error *error) SS_MUST_USE;

void ss_store_listen(
    struct ss_store *store, ss_store_trouble_fn *trouble, void *ctx);

// Commit a batch. SS_OK: every unit has its result; a unit refused for its
// content does not harm the others. An error: nothing of the batch was applied
// (SS_EIO, SS_EFULL), or that is not known (SS_EAGAIN: append the same again).
// Appending the same rows again is SS_OK (a repeat): the puts are then left
// out, as they were made with the rows.
int ss_store_apply(struct ss_store *store, struct ss_store_batch *batch,
    struct ss_error *error) SS_MUST_USE;
// Begin to apply one unit, without waiting. True: it is under way, no other
// call may be made before ss_store_begun() has said how it ended, and the unit
// is borrowed until then; *ret_fd is readable when there is something new (-1:
// somebody has to wait for it). False: nothing was done, apply it.
bool ss_store_begin(struct ss_store *store, const struct ss_store_batch *batch,
    int *ret_fd) SS_MUST_USE;
enum ss_store_begun {
    SS_STORE_UNDER_WAY,
    SS_STORE_DURABLE,
    // It was not applied as it is, or that is not known: apply it.
    SS_STORE_UNDECIDED,
};
// How what was begun stands. `waits`: until it has ended.
enum ss_store_begun ss_store_begun(
    struct ss_store *store, bool waits) SS_MUST_USE;
// Rows of a thread with from <= seq <= to.
int ss_store_read(struct ss_store *store, const char *thread, uint64_t from,
    uint64_t to, ss_store_row_fn *row, void *ctx,
    struct ss_error *error) SS_MUST_USE;
// Which of these threads the store knows, all as of one moment: of a thread
// that it does not, it has neither a record nor a row. Cheaper than to read
// those that are not there.
int ss_store_known(struct ss_store *store, const char *const *threads,
    size_t count, bool *ret_known, struct ss_error *error) SS_MUST_USE;
// Entries of a table, ascending key, with key > after (NULL: from the start),
// `index` equal if not NULL, at most `limit` (0: all). Of threads that are busy
// SS_STORE_BUSY is told as their index.
int ss_store_scan(struct ss_store *store, enum ss_store_table table,
    const char *index, const char *after, size_t limit,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error) SS_MUST_USE;
// One entry: SS_ENOTFOUND if there is none.
int ss_store_get(struct ss_store *store, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error) SS_MUST_USE;
// Entries by the time that they were put with, the newest first, of one time by
// key, until `found` returns what is not zero, which is returned. Those
// that have no time yet (ss_store_tell) are left out.
int ss_store_search(struct ss_store *store,
    const struct ss_store_search *search, ss_store_found_fn *found, void *ctx,
    struct ss_error *error) SS_MUST_USE;
// Give entries that programs put which know of no times theirs, so many at
// once; *ret_more: there are others. A thread that such a program left without
// a word of how it stands has its index by its newest run.
int ss_store_tell(
    struct ss_store *store, bool *ret_more, struct ss_error *error) SS_MUST_USE;
// One more way into the store of that URL, for reads that shall not stand in
// the way of an apply. NULL: there is none, reads go where applies go. Gives.
int ss_store_open_reader(const char *url, struct ss_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
// True: several coordinators may use it at the same time, under fences and
// leases. False: one process owns it.
bool ss_store_is_shared(const struct ss_store *store);
// Take the fence of (coordinator, actor): a new epoch, with which this store's
// batches append from now on. What was appended with an older epoch is there,
// and nothing more of it comes. A commit under way is waited for, then cut off.
// An epoch is never given twice, to any coordinator, even by a database that
// was set back: it is at least the database's clock (microseconds since 1970).
// SS_EINVAL: a store that one process owns has no fences.
int ss_store_fence_take(struct ss_store *store, const char *coordinator,
    int actor, uint64_t *ret_epoch, struct ss_error *error) SS_MUST_USE;
// Take the fences of another coordinator, which is dead or slow, from it: when
// this returns SS_OK, what it appended can be read and nothing follows.
int ss_store_fence_break(struct ss_store *store, const char *coordinator,
    struct ss_error *error) SS_MUST_USE;

// --- alone -------------------------------------------------------------------
//
// Of a store that one process owns, before it appends.

// A new epoch, durably. A store that was set back gives none twice: it is at
// least `wall_us` (0: whatever follows the last). SS_ECORRUPT: the last is
// damaged.
int ss_store_alone_epoch(struct ss_store *store, int64_t wall_us,
    uint64_t *ret_epoch, struct ss_error *error) SS_MUST_USE;
// Had the coordinator before stopped as asked? The note about that is deleted,
// durably.
int ss_store_alone_begin(struct ss_store *store, bool *ret_was_stopped,
    struct ss_error *error) SS_MUST_USE;
// Make that note: the runs that this coordinator leaves did not end it.
int ss_store_alone_end(
    struct ss_store *store, struct ss_error *error) SS_MUST_USE;

// --- members and shards ------------------------------------------------------
//
// Of a shared store; else SS_EINVAL, but for the end. `self` names a
// coordinator and the epoch of its fence (actor 0): SS_EFENCED where that does
// not stand any more. Each is one transaction. What waits for others' appends
// (a takeover) or must not wait for one's own (a renewal) is asked of another
// store than those go to.

// Its lease ends `lease_ms` from now by the database's clock. The first one
// makes it a member.
int ss_store_lease_renew(struct ss_store *store, const struct ss_member *self,
    int64_t lease_ms, struct ss_error *error) SS_MUST_USE;
// End the membership. Shards that it still has then belong to nobody. Where one
// process owns the store: ss_store_alone_end().
int ss_store_lease_end(struct ss_store *store, const struct ss_member *self,
    struct ss_error *error) SS_MUST_USE;
// The members, the owners of shards, and the last epoch: a change of owners
// takes one, too. Gives: ss_cluster_fini().
int ss_store_cluster_read(struct ss_store *store,
    struct ss_cluster *ret_cluster, struct ss_error *error) SS_MUST_USE;
// Claim those of `wanted` that nobody has. SS_EAGAIN: its own lease has ended;
// renew it first.
int ss_store_shards_claim(struct ss_store *store, const struct ss_member *self,
    const struct ss_shards *wanted, struct ss_shards *ret_got,
    struct ss_error *error) SS_MUST_USE;
// Take all shards that `dead` has, and break its fences: when this returns
// SS_OK, what it appended can be read and nothing follows. SS_EBUSY: its lease
// has not ended (or it is not a member any more). SS_EAGAIN: as above.
int ss_store_shards_take(struct ss_store *store, const struct ss_member *self,
    const char *dead, struct ss_shards *ret_got,
    struct ss_error *error) SS_MUST_USE;
// Hand those of `shards` that it has to `to` (NULL, or one that is not a
// member: nobody). Called on the store that appends to them, it comes behind
// all of its appends.
int ss_store_shards_hand(struct ss_store *store, const struct ss_member *self,
    const struct ss_shards *shards, const char *to,
    struct ss_error *error) SS_MUST_USE;

// "sqlite superstep.db", for people. Borrowed.
const char *ss_store_name(const struct ss_store *store);
// Rows may be `kept` as they are (job.h): it ends with this process.
bool ss_store_keeps_rows(const struct ss_store *store);

#endif
