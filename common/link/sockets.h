// sockets.h - the sockets of a link, and whose context they live in.
//
// czmq has one context for a process, and with it decides on signals, on what
// happens at exit and on how many threads and sockets there are. In our
// programs, the coordinator and the worker, sockets are czmq's. In the program
// of somebody else, where the client library is a guest, those decisions are
// the program's: there a link has a context of its own (docs/decisions/0025).
//
// What is czmq's stays invisible at home, too: signals and random() are as they
// were, options are set on each socket, and a process that ends while a socket
// is open says nothing of it.
#ifndef SS_LINK_SOCKETS_H
#define SS_LINK_SOCKETS_H

#include <czmq.h>
#include <stdbool.h>

// Zero bytes are none.
struct ss_socket {
    void *handle;   // libzmq's: what zsock_resolve() gives
    zsock_t *zsock; // czmq's; NULL: it is of a context of its own
};

struct ss_sockets {
    bool is_guest;
    void *context;    // a guest's own; NULL: none yet
    bool has_threads; // that the context is to start: they could be made
};

// Call it behind the last fork() of a process that goes on with sockets.
void ss_sockets_init(struct ss_sockets *sockets, bool is_guest);
// After all sockets are closed. A guest waits until what they sent has left.
void ss_sockets_fini(struct ss_sockets *sockets);
// False, with errno: no socket could be made.
bool ss_socket_open(
    struct ss_sockets *sockets, int type, struct ss_socket *ret_socket);
// None is fine. What it sent may still leave.
void ss_socket_close(struct ss_socket *socket);

#endif
