// lease_keeper.h - the lease goes on while the loop works.
//
// The core asks for each renewal (owners.h) when the loop comes round. A turn
// that takes longer than a lease (a large superstep, a busy machine) must not
// cost all threads: so a thread of its own looks how old the last renewal is,
// and has the actor of leases make another one where the loop is late, and the
// actor has nothing else to wait for. What that brings is taken as every answer
// is, and owners are told when it was asked for.
//
//     loop   --note the renewal, begin and end of a turn-->  keeper
//     keeper --a renewal, where the last is too old-------->  actor of leases
//
// It decides nothing about shards, and does not keep a coordinator alive whose
// loop hangs: a turn longer than SS_LEASE_TURN_MS is no work.
#ifndef SS_COORDINATOR_LEASE_KEEPER_H
#define SS_COORDINATOR_LEASE_KEEPER_H

#include "common/base/status.h"
#include "coordinator/store/store_actor.h"

struct ss_lease_keeper;

// `leases` is borrowed, and must outlive the keeper; whoever takes its finished
// jobs gets the keeper's, too, with `kept` set. Gives. SS_EIO: no thread.
int ss_lease_keeper_start(struct ss_store_actor *leases, int64_t turn_ms_max,
    struct ss_lease_keeper **ret_keeper, struct ss_error *error) SS_MUST_USE;
// A job for leases that the loop submits now: of a renewal the keeper remembers
// what it is, and when.
void ss_lease_keeper_note(
    struct ss_lease_keeper *keeper, const struct ss_job *job);
// Since when the loop's turn lasts, CLOCK_MONOTONIC; 0: it waits for something
// to do.
void ss_lease_keeper_turn(struct ss_lease_keeper *keeper, int64_t since_ms);
// Keep nothing from now on: who leaves must not become a member again. When it
// returns, no more is submitted. NULL is fine here, and above.
void ss_lease_keeper_rest(struct ss_lease_keeper *keeper);
// Renewals of it that were submitted and not given back by
// ss_lease_keeper_took().
size_t ss_lease_keeper_out(struct ss_lease_keeper *keeper);
void ss_lease_keeper_took(
    struct ss_lease_keeper *keeper, const struct ss_job *job);
void ss_lease_keeper_stop(struct ss_lease_keeper **keeper);

#endif
