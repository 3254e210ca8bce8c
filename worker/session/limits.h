// limits.h - the bounds of a worker's session, each with its reason.
#ifndef SS_SESSION_LIMITS_H
#define SS_SESSION_LIMITS_H

enum {
    SS_SESSION_HELD_MAX = 16384, // attempts queued, running or kept: memory
    // Names of attempts that are over, kept against late copies of their
    // orders. When a name is dropped, orders that were sent before it was over
    // have to be named by a beat.
    SS_SESSION_SPENT_MAX = 8192,
    // Beats in the time for which one vouches, where orders wait.
    SS_SESSION_BEATS_PART = 3,
    SS_SESSION_CONTACTS_MAX = 64, // coordinators: a link and a socket each
    SS_SESSION_SHARE_MS = 100,    // between two messages about our free threads
    // Results whose coordinator has gone: a successor may still ask for them.
    SS_SESSION_ORPHANS_MAX = 1024,
    SS_SESSION_ORPHANS_SIZE_MAX = 64 * 1024 * 1024, // bytes of their writes
    SS_SESSION_HELLO_MS = 500,      // between two HELLOs, at first
    SS_SESSION_HELLO_MS_MAX = 2000, // later: coordinators may be away for hours
    SS_SESSION_PING_MS = 1000,      // silence before a PING: restarts show soon
    SS_SESSION_AGAIN_MS = 5000, // a result that was not settled is sent again
    SS_SESSION_REFUSED_MS = 15000, // a name is free once its lease has ended
    SS_SESSION_STUCK_MS = 1000,    // a body that was told to stop may need it
    SS_SESSION_LEAVE_MS = 5000,    // a leaving worker waits so long for SETTLED
    // Lists kept for one coordinator, as many as it counts on; and their bytes:
    // the longest conversation, and one more.
    SS_SESSION_LISTS_MAX = 1024,
    SS_SESSION_LISTS_SIZE_MAX = 128 * 1024 * 1024,
    SS_SESSION_INTERVAL_MS_MIN = 10,   // of heartbeats and leases that a
    SS_SESSION_LEASE_MS_MAX = 3600000, // coordinator may ask for
};

#endif
