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
// It judges nothing: who owes us a word, and how long that may take, differs. A
// client asks before it takes a peer for gone (ss_peer_silent_at_ms); a worker
// has a lease, from the last sign on (ss_peer_lost_at_ms). Pure: time is given,
// and what is to be sent the caller sends.
#ifndef SS_PEER_PEER_H
#define SS_PEER_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// As many as a coordinator tells of (256), and those that people gave.
enum { SS_PEER_ENDPOINTS_MAX = 320 };

// ------------------------------------------------------------------ a
// connection

// Begins the struct of who has more to say of it. Others read `number` and
// `endpoint`, and leave the rest to the functions below.
struct ss_peer {
    uint32_t number; // of its connection; never given again
    char *endpoint;
    uint64_t epoch;    // as it said last; 0: it did not
    int64_t heard_ms;  // its last sign
    int64_t pinged_ms; // the last PING; 0: none
    int64_t asked_ms;  // the first PING since its last sign; -1: none
};

// As if it had been heard then; 0: never. Copies `endpoint`.
void ss_peer_init(struct ss_peer *peer, const char *endpoint, int64_t heard_ms);
void ss_peer_fini(struct ss_peer *peer);
// It is somebody else from now on, there. Copies.
void ss_peer_move(struct ss_peer *peer, const char *endpoint);

// A sign of it.
void ss_peer_heard(struct ss_peer *peer, int64_t now_ms);
// A PING goes out to it.
void ss_peer_ping(struct ss_peer *peer, int64_t now_ms);
// Nobody waits for its answer any more.
void ss_peer_rest(struct ss_peer *peer);
// We slept, it did not: what it said meanwhile is yet to be read.
void ss_peer_forgive(struct ss_peer *peer, int64_t slept_ms);
// It tells its epoch, 0 if it has none to tell. True: it told another one
// before, so it was restarted, and knows nothing of us.
bool ss_peer_tells_epoch(struct ss_peer *peer, uint64_t epoch);

bool ss_peer_is_asked(const struct ss_peer *peer);
// When to ask for a sign, if it gives none and was not asked meanwhile.
int64_t ss_peer_ping_at_ms(const struct ss_peer *peer, int64_t interval_ms);
// When it has been asked for so long; INT64_MAX: nobody asks.
int64_t ss_peer_silent_at_ms(const struct ss_peer *peer, int64_t patience_ms);
// When its last sign is so old.
int64_t ss_peer_lost_at_ms(const struct ss_peer *peer, int64_t lease_ms);

// ------------------------------------------------------------------ all of
// them

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

// First what people gave, which stays, in their words; then what peers told,
// each once. Zero bytes are none.
struct ss_endpoints {
    char **items;
    size_t count, capacity;
    size_t given_count;
};

// One too many is passed over.
void ss_endpoints_give(struct ss_endpoints *endpoints, const char *endpoint);
// In the place of what was told before. Of none nothing follows: who tells it
// is alone, or does not say.
void ss_endpoints_tell(
    struct ss_endpoints *endpoints, char *const *told, size_t count);
bool ss_endpoints_has(
    const struct ss_endpoints *endpoints, const char *endpoint);
// One that is not there is fine.
void ss_endpoints_remove(struct ss_endpoints *endpoints, const char *endpoint);
void ss_endpoints_fini(struct ss_endpoints *endpoints);

#endif
