// limits.h - the bounds of a client, each with its reason.
#ifndef SS_CLIENT_LIMITS_H
#define SS_CLIENT_LIMITS_H

enum {
    SS_CLIENT_ENDPOINTS_MAX = 32,         // coordinators of one cluster
    SS_CLIENT_MESSAGES_A_STEP_MAX = 1024, // then the caller's loop has its turn
    SS_CLIENT_WHY_SIZE = 512,             // why nobody answers, as a text
    SS_CLIENT_WAIT_MS_MAX = 3600000,      // a time that fits poll's int
    // How long a request goes without an answer before the client asks why (a
    // person begins to wonder); each time twice as long, up to this.
    SS_CLIENT_HEALTH_MS = 700,
    SS_CLIENT_HEALTH_MS_MAX = 5000,
    // A piece of a thread that is moved: the size of one request in bytes of
    // JSON (a single checkpoint is not cut, and may be larger), and in
    // checkpoints.
    SS_MOVE_SIZE_MAX = 8 * 1024 * 1024,
    SS_MOVE_COUNT_MAX = 500,
    SS_DEV_WORKERS_MAX = 64,      // `superstep dev`: processes on one machine
    SS_DEV_BACKOFF_MS = 250,      // before a crashed one is started again
    SS_DEV_BACKOFF_MS_MAX = 5000, // (twice as long each time, up to this)
};

#endif
