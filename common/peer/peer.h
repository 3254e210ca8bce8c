// peer.h - the coordinators that a client or a worker has to do with: a
// connection to each, whether somebody is still there, and where there may be
// others.
//
//   given by people ---+
//                      +--> endpoints --> a peer each, by the number of its
//   told by peers -----+                  connection
//
//              heard                        heard: nobody is asked any more
//   +--------+ ----> +-------+ ping  +-------+
//   | new    |       | heard | ----> | asked | --> silent: so long after the
//   first
//   +--------+       +-------+ <---- +-------+     PING that nothing answered
//
// A peer does not judge who is gone: clients and workers wait for different
// signs, and for different times. A client asks before it takes a peer for gone
// (ss_peer_silent_at_ms); a worker has a lease, from the last sign on
// (ss_peer_lost_at_ms). Pure: the caller gives the time, and sends what is to
// be sent.
#ifndef SS_PEER_PEER_H
#define SS_PEER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As many as a coordinator announces (256), and those that people gave.
enum { SS_PEER_ENDPOINTS_MAX = 320 };

// ------------------------------------------------ a connection

// The first member of a larger struct, where a caller keeps more of a peer.
// Others read `number` and `endpoint`, and leave the rest to the functions
// below.
struct ss_peer {
    uint32_t number; // of its connection; never given again
    char *endpoint;
    uint64_t epoch;    // that it announced last; 0: none
    int64_t heard_ms;  // its last sign
    int64_t pinged_ms; // the last PING; 0: none
    int64_t asked_ms;  // the first PING since its last sign; -1: none
};

// A peer that counts as heard at `heard_ms` (0: never). Copies `endpoint`.
void ss_peer_init(struct ss_peer *peer, const char *endpoint, int64_t heard_ms);
void ss_peer_fini(struct ss_peer *peer);
// From now on the peer is another process, at `endpoint`. Copies.
void ss_peer_move(struct ss_peer *peer, const char *endpoint);

// The peer gave a sign of life.
void ss_peer_heard(struct ss_peer *peer, int64_t now_ms);
// A PING is sent to the peer.
void ss_peer_ping(struct ss_peer *peer, int64_t now_ms);
// Nobody waits for the answer to a PING any more.
void ss_peer_rest(struct ss_peer *peer);
// This process was suspended for `slept_ms`, the peer was not: what the peer
// sent meanwhile is still to be read, so the time does not count against it.
void ss_peer_forgive(struct ss_peer *peer, int64_t slept_ms);
// The peer announces its epoch (0: none). True: the epoch is another one than
// before, so the peer was restarted, and knows nothing of us.
bool ss_peer_tells_epoch(struct ss_peer *peer, uint64_t epoch);

bool ss_peer_is_asked(const struct ss_peer *peer);
// When to send a PING, if the peer gives no sign and was not asked before.
int64_t ss_peer_ping_at_ms(const struct ss_peer *peer, int64_t interval_ms);
// When the peer has left a PING unanswered for `patience_ms`; INT64_MAX: it was
// not asked.
int64_t ss_peer_silent_at_ms(const struct ss_peer *peer, int64_t patience_ms);
// When its last sign is `lease_ms` old.
int64_t ss_peer_lost_at_ms(const struct ss_peer *peer, int64_t lease_ms);

// ------------------------------------------------ all of them

// In the order in which they came. Zero bytes are none.
struct ss_peers {
    struct ss_peer **items; // borrowed
    size_t count, capacity;
    uint32_t numbers; // given so far
};

// Gives it the next number.
void ss_peers_add(struct ss_peers *peers, struct ss_peer *peer);
void ss_peers_remove(struct ss_peers *peers, const struct ss_peer *peer);
// NULL: there is none.
struct ss_peer *ss_peers_find(const struct ss_peers *peers, uint32_t number);
struct ss_peer *ss_peers_at(const struct ss_peers *peers, const char *endpoint);
void ss_peers_fini(struct ss_peers *peers);

// ------------------------------------------------------------------ endpoints

// First the endpoints that people gave, which stay as they were written; then
// those that peers announced, each once. Zero bytes are none.
struct ss_endpoints {
    char **items;
    size_t count, capacity;
    size_t given_count;
};

// An endpoint beyond SS_PEER_ENDPOINTS_MAX is left out.
void ss_endpoints_give(struct ss_endpoints *endpoints, const char *endpoint);
// Replace what was announced before. An empty list changes nothing: a
// coordinator that sends one is alone, or does not say.
void ss_endpoints_tell(
    struct ss_endpoints *endpoints, char *const *told, size_t count);
bool ss_endpoints_has(
    const struct ss_endpoints *endpoints, const char *endpoint);
// An endpoint that is not in the list is fine.
void ss_endpoints_remove(struct ss_endpoints *endpoints, const char *endpoint);
void ss_endpoints_fini(struct ss_endpoints *endpoints);

#endif
