// limits.h - the bounds of a coordinator's loop, each with its reason.
#ifndef SS_COORDINATOR_LIMITS_H
#define SS_COORDINATOR_LIMITS_H

enum {
    // Messages, and finished store jobs, handled before the loop looks at the
    // rest: heartbeats must not wait behind a flood.
    SS_TURN_MESSAGES_MAX = 1000,
    SS_TURN_JOBS_MAX = 1000,
    // How long it handles each of them: on a busy machine so many take longer
    // than a lease.
    SS_TURN_MS = 100,
    // A turn that takes longer is no work: its coordinator hangs, and others
    // take over.
    SS_LEASE_TURN_MS = 30000,
    // How long a start waits for its first shards, and a stop for the database
    // to take their hand-over; then it goes on without them.
    SS_SETTLE_MS = 5000,
    SS_LEAVE_MS = 10000,
    // How long the store may be silent, or fail and try again, before that is
    // reported: people wait, and a database under load takes a second now and
    // then.
    SS_STORE_SILENT_MS = 3000,
    SS_STORE_FAILING_MS = 500,
    // One whose last writes took as long is slow, for as long as nothing newer
    // is known: people see it, and no burst of a disk lasts three of them.
    SS_STORE_SLOW_MS = 1000,
    SS_STORE_SLOW_KEPT_MS = 60000,
    // While that lasts: how often the store is checked, and how often that is
    // logged.
    SS_STORE_LOOK_MS = 1000,
    SS_STORE_TELL_MS = 60000,
};

#endif
