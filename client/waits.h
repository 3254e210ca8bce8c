// waits.h - why nothing comes: a request without an answer for a while is
// followed by one that the coordinator always answers, `health`. The listener,
// who would otherwise wait without a word, is told what the coordinator says
// about its store.
#ifndef SS_CLIENT_WAITS_H
#define SS_CLIENT_WAITS_H

#include <superstep/client.h>

// Zero bytes: the client has no listener.
struct ss_client_waits {
    ss_client_wait_fn *tell;
    void *ctx;
    struct ss_client_call *ask; // `health`, while it is out
    int64_t look_at_ms;         // 0: no request waits
    int64_t pause_ms;           // before the next look
    bool is_told;
    bool is_needed; // also without a listener: somebody's patience ends
    bool is_deaf;   // a coordinator of an older version, which does not say
};

// A request was begun, or a message came: the wait begins anew.
void ss_client_waits_heard(struct ss_client_waits *waits, int64_t now_ms);
// `waiting`: a request waits for an answer. May start and finish a call. True:
// a coordinator has just said that it waits for its store.
bool ss_client_waits_step(struct ss_client_waits *waits,
    struct ss_client *client, bool waiting, int64_t now_ms);
// When to step at the latest; INT64_MAX: no hurry.
int64_t ss_client_waits_wake_at_ms(const struct ss_client_waits *waits);

#endif
