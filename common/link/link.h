// link.h - the transport seam: open, send, recv, fd, close.
//
// A server link (a coordinator's) knows its peers by opaque names that it gives
// them; a client link (a worker's, a client's) has one peer, the server. A link
// neither keeps nor acknowledges: leases, heartbeats and retries above recover
// every lost message. Messages are whole byte strings under a maximum.
//   link_zmq.c   ROUTER / DEALER (tcp://, ipc://)
//   link_loop.c  in one process, for tests and the local runner
#ifndef SS_LINK_LINK_H
#define SS_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

struct ss_link;

struct ss_link_options {
    const char *endpoint; // "tcp://127.0.0.1:7433", "ipc:///path", "loop:name"
    bool server;          // binds; else connects
    size_t message_size_max; // 0: the default of limits.h
};

enum { SS_PEER_SIZE = 72 }; // a peer's name is text of fewer bytes

// Errors: SS_EBUSY (the port is in use, with its number), SS_EINVAL (no
// endpoint), SS_EIO.
int ss_link_open(const struct ss_link_options *options,
    struct ss_link **ret_link, struct ss_error *error) SS_MUST_USE;
void ss_link_close(struct ss_link **link);
// Send to `peer` (NULL on a client link). Copies. SS_ECLOSED: that peer is not
// connected; SS_EAGAIN: its queue is full.
int ss_link_send(struct ss_link *link, const char *peer, const void *bytes,
    size_t size, struct ss_error *error) SS_MUST_USE;
// The next message, without waiting. Gives *ret_bytes (ss_free). SS_EAGAIN:
// there is none. `ret_peer` gets the sender's name on a server link.
int ss_link_recv(struct ss_link *link, char ret_peer[SS_PEER_SIZE],
    void **ret_bytes, size_t *ret_size, struct ss_error *error) SS_MUST_USE;
// A descriptor to poll for reading; it is edge-triggered (ZMQ_FD): read until
// SS_EAGAIN, also after sending. -1 if the link has none (loop).
int ss_link_fd(const struct ss_link *link);
// Wait until something can be read on the link, or on `extra_fd` (-1: none), at
// most `timeout_ms` (-1: no limit). Returns bits: 1 the link, 2 extra_fd.
int ss_link_wait(struct ss_link *link, int extra_fd, int timeout_ms);
// The same with several descriptors (at most SS_LINK_WAIT_MAX, -1: none):
// returns bit 1 for the link, 2 << i for fds[i]. An early return with 0 is
// fine.
enum { SS_LINK_WAIT_MAX = 6 };
int ss_link_wait_all(
    struct ss_link *link, const int *fds, size_t count, int timeout_ms);
// The same for several links, of any kinds (at most SS_LINK_WAIT_LINKS_MAX):
// who has something is found by asking each.
enum { SS_LINK_WAIT_LINKS_MAX = 64 };
void ss_link_wait_each(struct ss_link *const *links, size_t links_count,
    const int *fds, size_t count, int timeout_ms);
// The endpoint as bound ("tcp://127.0.0.1:40123" for port *). Borrowed.
const char *ss_link_endpoint(const struct ss_link *link);

#endif
