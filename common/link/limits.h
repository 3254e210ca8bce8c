// limits.h - the bounds of links, each with its reason.
#ifndef SS_LINK_LIMITS_H
#define SS_LINK_LIMITS_H

// One message, unless the options say otherwise. A peer that sends a larger one
// is disconnected.
#define SS_LINK_MESSAGE_SIZE_MAX (68u << 20)

enum {
    // Messages that wait for one peer. What is above sends by credit and stays
    // far below; a client that does not read its stream reaches it.
    SS_LINK_QUEUE_MAX = 10000,
    // After a close, messages that were sent still leave for so long: a BYE, a
    // last answer.
    SS_LINK_LINGER_MS = 500,
    // Half-open connections are noticed after this much silence.
    SS_LINK_HEARTBEAT_MS = 5000,
    SS_LINK_HEARTBEAT_TIMEOUT_MS = 20000,
    // A client link tries again after this, up to the maximum.
    SS_LINK_RECONNECT_MS = 20,
    SS_LINK_RECONNECT_MAX_MS = 1000,
    SS_LINK_BACKLOG = 1024, // connections that wait to be accepted
    // A peer's identity: its name is twice as long, and a NUL.
    SS_LINK_IDENTITY_SIZE_MAX = 35,
};

#endif
