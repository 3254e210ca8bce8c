// limits.h - the bounds of a client, each with its reason.
#ifndef SS_CLIENT_LIMITS_H
#define SS_CLIENT_LIMITS_H

enum {
    SS_CLIENT_ENDPOINTS_MAX = 32,         // coordinators of one cluster
    SS_CLIENT_MESSAGES_A_STEP_MAX = 1024, // then the caller's loop has a turn
    SS_CLIENT_WAIT_MS_MAX = 3600000,      // a time that fits poll's int
    SS_DEV_WORKERS_MAX = 64,      // `superstep dev`: processes on one machine
    SS_DEV_BACKOFF_MS = 250,      // before a crashed one is started once more
    SS_DEV_BACKOFF_MS_MAX = 5000, // (twice as long each time, up to this)
};

#endif
