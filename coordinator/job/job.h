// job.h - requests to a store: rows, puts and units, and a job with them.
//
// The types between the core, which asks (coordinator/core, pure), and the
// store, which performs (coordinator/store): a job owns all that it names, and
// crosses threads.
#ifndef SS_JOB_JOB_H
#define SS_JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/model/cluster.h"
#include "common/model/find.h"
#include "common/model/journal.h"
#include "common/model/thread_status.h"

// A journal row: columns for people and filters, and the encoded body.
struct ss_store_row {
    const char *thread;
    uint64_t seq;
    int32_t kind;
    int32_t format;
    const char *run;
    const char *ns;
    const char *checkpoint_id; // "" if none
    const char *parent_id;     // "" if none
    uint64_t parent_seq;
    uint64_t base_seq;
    const char *source;
    int64_t step;
    int64_t wall_us;
    const char *metadata; // JSON text, or NULL
    uint64_t checksum; // of the row before (its body and checksum); 0 at first
    const void *body;
    size_t body_size;
    // The row itself, a reference, where it is kept as it is: it has no columns
    // but `seq` and `kind` then, and no body.
    struct ss_row *kept;
};

enum ss_store_table {
    // Run and thread (model/run_key.h) -> the run's record, once it has ended.
    // A job that asks for them is told those of SS_TABLE_OPEN as well.
    SS_TABLE_RUNS,
    // Thread -> its record, index: how it stands, where it is not idle.
    SS_TABLE_THREADS,
    SS_TABLE_GRAPHS, // name@version -> description
    SS_TABLE_CACHE,  // cache key -> writes
    SS_TABLE_META,   // facts about the store itself
    SS_TABLE_OPEN,   // the same key -> its record while it has not ended
    SS_TABLE_PAUSES, // paused graph or version -> since when, and why
    SS_TABLE_COUNT,
};

// Keys of SS_TABLE_META in a store that one process owns: the last epoch; and,
// while no process has the store, that the last one ended as asked.
#define SS_STORE_EPOCH_KEY   "epoch"
#define SS_STORE_STOPPED_KEY "stopped"

// The index that a scan of SS_TABLE_THREADS tells of a thread one of whose runs
// has not ended, in place of its own.
#define SS_STORE_BUSY SS_THREAD_RUNNING

enum ss_store_when {
    // A put whose result is stored already is a repeat, and fine in each case.
    SS_WHEN_ANY,    // put or delete whatever is there
    SS_WHEN_ABSENT, // only if the key is not there
    SS_WHEN_SAME,   // only if the value's ss_hash64 is `expected`
};

struct ss_json_late;

struct ss_store_put {
    enum ss_store_table table;
    const char *key;
    const char *index; // a second key to scan by (thread of a run), or NULL
    // NULL, and no `late`: delete; where `index` is named, only an entry of
    // that index.
    const void *value;
    size_t value_size;
    // In its place, borrowed, for a store in memory that is given the unit in
    // the same step: it makes the value when it is read.
    struct ss_json_late *late;
    enum ss_store_when when;
    uint64_t expected;
    int64_t expires_us; // wall time; 0: never (cache)
    // Of runs and threads: the time by which they are found, and how a run
    // stands (or NULL).
    int64_t at_us;
    const char *status;
};

// Rows of one thread, and the puts that belong to them: all or nothing. The
// first row needs its predecessor in place (seq - 1 is the thread's head).
struct ss_store_unit {
    const char *thread; // NULL: no rows, puts only
    const struct ss_store_row *rows;
    size_t rows_count;
    const struct ss_store_put *puts;
    size_t puts_count;
    bool delete_thread; // first delete all rows of the thread
    // First delete its rows up to this seq; 0: none. Deleting up to the head is
    // refused where no row of the unit follows: the head says where the thread
    // goes on.
    uint64_t delete_to;
    int result; // out: SS_OK, SS_EREFUSED, SS_EFENCED, or a store error
};

enum ss_job_type {
    SS_JOB_APPLY, // `unit`
    SS_JOB_READ,  // rows of `thread`, from..to; all rows: behind its records
    SS_JOB_SCAN,  // entries of `table`
    SS_JOB_GET,   // one entry
    SS_JOB_FIND,  // `find`: entries, the newest first
    SS_JOB_TELL,  // entries that older programs put are told their times
    // As store.h has them, for `member`:
    SS_JOB_RENEW, // `lease_ms`
    SS_JOB_LOOK,  // `cluster`
    SS_JOB_CLAIM, // `shards`: wanted, then got
    SS_JOB_TAKE,  // from the member `key`; `shards`: got
    SS_JOB_HAND,  // `shards` to the member `key` (NULL: to nobody)
    SS_JOB_END,
};

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
    bool is_known; // READ: the store was asked whether it has this thread
    enum ss_store_table table;
    char *key;   // GET: the key; SCAN: after
    char *index; // SCAN
    size_t limit;
    struct ss_find find; // FIND
    struct ss_member member;
    struct {
        int64_t ms;
        bool kept; // RENEW: nobody asked for it but the lease keeper
    } lease;
    struct ss_shards shards;
    // Only for several actors (store_actors.h).
    struct ss_job *whole; // the job the job of which this is a part
    size_t parts;         // that are out
    // out
    int status;
    struct ss_error error;
    struct ss_job_row *rows;
    size_t rows_count;
    struct ss_job_entry *entries; // READ: its own record, then runs' ones
    size_t entries_count;
    char *place; // FIND: the place behind which it goes on; NULL: nowhere
    struct {
        bool times;    // FIND, TELL: some entries have no time yet
        size_t search; // FIND: so many may fit, and cannot be searched
    } lacks;
    struct ss_cluster *cluster; // LOOK: there from the beginning; else NULL
    struct ss_job *next;
    _Alignas(max_align_t) char behind[]; // ss_job_new_with()
};

// A job whose unit is a deep copy of `unit`. Gives.
struct ss_job *ss_job_apply(uint64_t tag, const struct ss_store_unit *unit);
struct ss_job *ss_job_new(enum ss_job_type type, uint64_t tag);
// The same, with so many bytes `behind` it, which are not cleared.
struct ss_job *ss_job_new_with(
    enum ss_job_type type, uint64_t tag, size_t size);
void ss_job_destroy(struct ss_job **job);
void ss_job_entry_fini(struct ss_job_entry *entry);

#endif
