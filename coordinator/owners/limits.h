// limits.h - the bounds of what owners do, each with its reason.
#ifndef SS_OWNERS_LIMITS_H
#define SS_OWNERS_LIMITS_H

enum {
    // How often a coordinator looks at the members: a hand-over is noticed
    // after that time. More often under a short lease.
    SS_OWNERS_LOOK_MS = 250,
    SS_OWNERS_LOOK_MS_MIN = 20,
    // A renewal is asked for after this part of a lease, so that three may
    // fail.
    SS_OWNERS_RENEW_PART = 4,
    // An owner stops this part of a lease before its end: clocks run at
    // different speeds, and stopping takes a moment.
    SS_OWNERS_MARGIN_PART = 10,
    // Shards of one hand-over: how long their threads stand still together.
    SS_OWNERS_HAND_MAX = 128,
    // For so many leases only shards without runs are handed over to balance.
    SS_OWNERS_PATIENCE_LEASES = 2,
};

#endif
