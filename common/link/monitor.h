// monitor.h - what libzmq tells of a socket's connections.
#ifndef SS_LINK_MONITOR_H
#define SS_LINK_MONITOR_H

#include <stdbool.h>

#include "common/link/sockets.h"

enum ss_monitor_news {
    SS_MONITOR_LISTENING,    // `value`: the descriptor
    SS_MONITOR_ACCEPTED,     // `value`: the descriptor
    SS_MONITOR_DISCONNECTED, // `value`: the descriptor
    SS_MONITOR_CONNECTED,    // the handshake is done
    SS_MONITOR_PROTOCOL,     // the handshake failed; `value`: libzmq's reason
    SS_MONITOR_DENIED,       // the other side refuses our key
    SS_MONITOR_BROKEN,       // the other side hung up in the handshake
    SS_MONITOR_ENDED,        // the socket was closed, and all of it is gone
};

// A socket of `sockets` that receives the events of `socket` under `name`.
// False, with errno: it cannot be made.
bool ss_monitor_open(struct ss_sockets *sockets, void *socket, const char *name,
    struct ss_socket *ret_monitor);
// `socket` was closed: wait until what it sent has left and its port is free,
// but at most SS_LINK_CLOSE_MS. A monitor that was never opened is fine.
void ss_monitor_close(struct ss_socket *monitor);
// The next news, without waiting. False: there is none.
bool ss_monitor_take(
    void *monitor, enum ss_monitor_news *ret_news, int *ret_value);

#endif
