// monitor.h - what libzmq tells of a socket's connections.
#ifndef SS_LINK_MONITOR_H
#define SS_LINK_MONITOR_H

#include <stdbool.h>

enum ss_monitor_news {
    SS_MONITOR_LISTENING,    // `value`: the descriptor
    SS_MONITOR_ACCEPTED,     // `value`: the descriptor
    SS_MONITOR_DISCONNECTED, // `value`: the descriptor
    SS_MONITOR_CONNECTED,    // the handshake is done
    SS_MONITOR_PROTOCOL,     // the handshake failed; `value`: libzmq's reason
    SS_MONITOR_DENIED,       // the other side refuses our key
    SS_MONITOR_BROKEN,       // the other side hung up in the handshake
};

// A socket that hears of `socket`, named after `name`; NULL: it cannot be made.
// Close it with zmq_close() after `socket`.
void *ss_monitor_open(void *context, void *socket, const char *name);
// The next news, without waiting. False: there is none.
bool ss_monitor_take(
    void *monitor, enum ss_monitor_news *ret_news, int *ret_value);

#endif
