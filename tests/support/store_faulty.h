// store_faulty.h - a store that lies, fails and stops on demand.
//
// Wraps another store and behaves like it, except for what its plan says. For
// tests, the simulator, and proofs that a crash after any row is survived.
#ifndef SS_STORE_STORE_FAULTY_H
#define SS_STORE_STORE_FAULTY_H

#include "coordinator/store/store.h"

struct ss_faulty_plan {
    // The apply with this number (1, 2, ... since the plan was set) fails with
    // `fail_status`: before anything is committed, or after all of it was. 0:
    // none. `fail_count` of them in a row (0 and 1 are one).
    uint64_t fail_at;
    uint64_t fail_count;
    bool fail_after;
    int fail_status; // SS_EIO, SS_EAGAIN, SS_EFULL ...
    // When so many rows were stored (since the plan was set), the store stops:
    // that apply, and every call after it, ends with SS_ECLOSED. A unit is
    // never torn. 0: never.
    uint64_t stop_after_rows;
};

struct ss_faulty_seen {
    uint64_t applies;
    uint64_t rows; // appended, repeats left out
    bool stopped;
};

// Takes `inner`. Gives.
struct ss_store *ss_store_faulty_new(
    struct ss_store *inner, const struct ss_faulty_plan *plan);
// Another plan; counting begins anew, and a stopped store goes on.
void ss_store_faulty_set(
    struct ss_store *store, const struct ss_faulty_plan *plan);
struct ss_faulty_seen ss_store_faulty_seen(const struct ss_store *store);
// End the decorator as a crash would: the store under it stays open. Gives it.
struct ss_store *ss_store_faulty_end(struct ss_store **store);

#endif
