// limits.h - the bounds of what settings take (config.def), each with its
// reason.
#ifndef SS_APP_LIMITS_H
#define SS_APP_LIMITS_H

enum {
    // A shorter lease would be lost on a busy machine that is not dead; one
    // longer than a day would never find a dead one.
    SS_LEASE_MS_MIN = 100,
    SS_LEASE_MS_MAX = 24 * 60 * 60 * 1000,
    // More frequent signs would be most of the traffic.
    SS_HEARTBEAT_MS_MIN = 10,
    // Each renewal is a transaction.
    SS_CLUSTER_LEASE_MS_MIN = 200,
    // A server runs a process for each, and takes 100 in all by default.
    SS_STORE_CONNECTIONS_MAX = 8,
    // A stop that waits longer for its tasks is not a stop.
    SS_DRAIN_MS_MAX = 24 * 60 * 60 * 1000,
    // More than a machine has descriptors, and more messages than it can read.
    SS_CONNECTIONS_OPTION_MAX = 1000000,
    SS_UNREAD_OPTION_MAX = 1000000, // MB
    SS_MESSAGES_OPTION_MAX = 10000000,
    SS_CRASHES_MAX = 4,     // as often as a task is tried when workers are lost
    SS_CAPACITY_MAX = 1024, // threads of one process
    SS_PROCESSES_MAX = 1024, // more are a mistake
    // Each coordinator has two connections to PostgreSQL, and one processor is
    // what it can use.
    SS_MEMBERS_HERE_MAX = 64,
    SS_RESTART_MS = 100, // pause before a process that died, doubled each time
    SS_RESTART_MS_MAX = 10000,  // up to this: a crash at start must not spin
    SS_RESTART_WELL_MS = 30000, // after so long it is started again at once
    SS_FAMILY_SIGNS = 4,        // that may be missing: one late sign is no hang
};

#endif
