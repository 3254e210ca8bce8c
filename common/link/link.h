// link.h - the transport seam: open, send, recv, fd, close.
//
// A server link (a coordinator's) knows its peers by opaque names that it gives
// them; a client link (a worker's, a client's) has one peer, the server. A link
// neither stores nor acknowledges messages: leases, heartbeats and retries of
// the layers above make up for every lost message. Messages are whole byte
// strings under a maximum.
//   link_zmq.c   ROUTER / DEALER (tcp://, ipc://)
//   link_loop.c  in one process, for tests and the local runner
//
// With keys (keys.h) everything on a link is encrypted, and a server knows by
// its key who a peer is. Without keys a server listens on loopback only, unless
// told to be insecure. What peers may take of a server is bounded
// (rate_limit.h).
#ifndef SS_LINK_LINK_H
#define SS_LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/link/rate_limit.h"
#include "common/model/roles.h"

struct ss_link;

struct ss_link_options {
    const char *endpoint; // "tcp://127.0.0.1:7433", "ipc:///path", "loop:name"
    bool server;          // binds; else connects
    size_t message_size_max; // 0: the default of limits.h
    const char *keys;        // a folder or file (keys.h); NULL, "": no keys
    unsigned roles;          // CLIENT: what the own key may be for, as bits
    bool is_insecure;        // SERVER: listen beyond loopback without keys
    bool is_guest;           // in a program of somebody else (sockets.h)
    struct ss_rate_limit_settings limits; // SERVER
};

enum { SS_PEER_SIZE = 72 }; // a peer's name is text of fewer bytes

// Whether a link could be opened there, as far as its text says.
// SS_EINVAL: it is not an endpoint.
int ss_link_check_endpoint(const char *endpoint, struct ss_error *error);
// Errors: SS_EBUSY (the port is in use, with its number), SS_EINVAL (no
// endpoint; beyond loopback without keys), SS_EIO, and those of keys.h.
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
// Wait until something can be read on the link, or on one of some descriptors
// (at most SS_LINK_WAIT_MAX, -1: none), at most `timeout_ms` (-1: no limit).
// Returns bits: 1 for the link, 2 << i for fds[i]. An early return with 0 is
// fine.
enum { SS_LINK_WAIT_MAX = 12 };
int ss_link_wait_all(
    struct ss_link *link, const int *fds, size_t count, int timeout_ms);
// The same for several links, of any kinds (at most SS_LINK_WAIT_LINKS_MAX);
// the caller asks each link for its messages. True: ss_link_is_new() is true of
// one of them.
enum { SS_LINK_WAIT_LINKS_MAX = 64 };
bool ss_link_wait_each(struct ss_link *const *links, size_t links_count,
    const int *fds, size_t count, int timeout_ms);

// ------------------------------------------------------------------ peers

// The sender of the last message received on a server link.
struct ss_link_sender {
    unsigned roles;   // bits: what the sender may do; all of them without keys
    const char *name; // of its key; "": it has none
    const char *address; // "192.0.2.7"; "local"
};
// Borrowed until the next ss_link_recv().
const struct ss_link_sender *ss_link_sender(const struct ss_link *link);
// The last message makes no sense, or its sender may not ask for that. A peer
// that does so too often is hung up on.
void ss_link_complain(struct ss_link *link);

// Something that an operator should know, once in a while, or, where the kind
// is SS_LINK_NEWS, each time.
#define SS_LINK_NEWS "news"
struct ss_link_notice {
    const char *kind; // "key", "rate", ...: a word of ours
    char who[80];     // an address, or a key's name
    char text[256];   // a sentence
};
// The next notice that was not reported yet. False: there is none.
bool ss_link_notice(struct ss_link *link, struct ss_link_notice *ret);
// Why a client link has no connection, as far as it is known: "the coordinator
// wants keys ...". NULL: nothing is wrong, or nothing is known. Borrowed.
const char *ss_link_trouble(struct ss_link *link);

// Whether a client link has made a connection since this was asked last: who
// answers there may be another process now, which knows nothing of us. A link
// within one process never says so.
bool ss_link_is_new(struct ss_link *link);
// A descriptor to poll for reading beside ss_link_fd(): when it is readable,
// ask ss_link_is_new(). -1: there is none. ss_link_wait_each() looks at it by
// itself, and ends early.
int ss_link_news_fd(const struct ss_link *link);

// Counts of events on a server link since it was opened.
struct ss_link_counts {
    uint64_t connections; // open now
    uint64_t accepted;
    uint64_t refused_full, refused_rate, refused_key; // connections
    uint64_t floods;                                  // that were filtered
    uint64_t delayed;                                 // that had to wait
    uint64_t heavy;     // that were hung up on for what was held for them
    uint64_t unread;    // bytes that are held for all, as last weighed
    uint64_t timed_out; // handshakes
    uint64_t
        dropped; // messages over the rate, and of peers that were hung up on
};
void ss_link_counts(const struct ss_link *link, struct ss_link_counts *ret);
// The limits, with the defaults filled in; zeros for a link within one process.
void ss_link_limits(
    const struct ss_link *link, struct ss_rate_limit_settings *ret);

// Does `endpoint` reach no further than this machine?
bool ss_link_is_loopback(const char *endpoint);

// The endpoint as bound ("tcp://127.0.0.1:40123" for port *). Borrowed.
const char *ss_link_endpoint(const struct ss_link *link);

#endif
