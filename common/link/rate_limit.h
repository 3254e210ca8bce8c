// rate_limit.h - how much peers may take of a server link: connections, in all
// and from one address, new ones a second, messages a second of one peer, and
// messages that make no sense. A hostile peer costs itself and nobody else.
//
// It counts and judges; admission.c acts on it, and hangs up. The caller gives
// the time. Addresses are texts (address.h); of an IPv6 address the first half
// counts, which is the network of one customer.
#ifndef SS_LINK_RATE_LIMIT_H
#define SS_LINK_RATE_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SS_RATE_LIMIT_ADDRESS_SIZE = 64 };

// Zero: the default of limits.h.
struct ss_rate_limit_settings {
    unsigned connections_max;  // in all
    unsigned per_address_max;  // connections of one address
    unsigned connections_rate; // new ones a second of one address
    unsigned messages_rate;    // a second of one peer
    unsigned unread_max_mb;    // held for all (byte_budget.h)
};

// The part of `address` that counts; of such a part, the part itself.
void ss_rate_limit_network(
    const char *address, char ret_text[SS_RATE_LIMIT_ADDRESS_SIZE]);

enum ss_rate_limit_verdict {
    SS_RATE_LIMIT_WELCOME,
    SS_RATE_LIMIT_FULL,         // connections_max
    SS_RATE_LIMIT_ADDRESS_FULL, // per_address_max
    SS_RATE_LIMIT_TOO_FAST,     // connections_rate
    SS_RATE_LIMIT_FLOOD, // so many were refused that the address is filtered
};

struct ss_rate_limit;

struct ss_rate_limit *ss_rate_limit_new(
    const struct ss_rate_limit_settings *limits);
void ss_rate_limit_destroy(struct ss_rate_limit **rates);
// With the defaults filled in. Borrowed.
const struct ss_rate_limit_settings *ss_rate_limit_settings(
    const struct ss_rate_limit *rates);

// A connection as descriptor `fd` was accepted. It counts, unless the verdict
// refuses it. A descriptor that is known already stands for a new connection.
enum ss_rate_limit_verdict ss_rate_limit_connect(
    struct ss_rate_limit *rates, int fd, const char *address, int64_t now_ms);
// A connection was closed; an unknown descriptor is fine. Gives the address
// that it had, and since when; "": unknown.
void ss_rate_limit_disconnect(struct ss_rate_limit *rates, int fd,
    char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE], int64_t *ret_since_ms);
// The key of a connection from there was refused, or has to wait. With too many
// of those its new connections count several times: a handshake is costly.
// Connections that it has are not touched.
void ss_rate_limit_refused(
    struct ss_rate_limit *rates, const char *address, int64_t now_ms);
size_t ss_rate_limit_connections(const struct ss_rate_limit *rates);

// May `peer` send one more message?
bool ss_rate_limit_message(
    struct ss_rate_limit *rates, const char *peer, int64_t now_ms);
// The peer was hung up on: its queued messages are dropped.
void ss_rate_limit_unhear(
    struct ss_rate_limit *rates, const char *peer, int64_t now_ms);
bool ss_rate_limit_hears(
    const struct ss_rate_limit *rates, const char *peer, int64_t now_ms);

// Penalties are a key's (its name; "": none) at an address (greylist.h). One
// more message that makes no sense, or that it may not send. False: too many,
// hang up.
bool ss_rate_limit_wrong(struct ss_rate_limit *rates, const char *address,
    const char *key, int64_t now_ms);
// It did something that is too much even once: it is hung up on, and waits.
void ss_rate_limit_punish(struct ss_rate_limit *rates, const char *address,
    const char *key, int64_t now_ms);
// When it may come in again; 0: now.
int64_t ss_rate_limit_waits_until(const struct ss_rate_limit *rates,
    const char *address, const char *key, int64_t now_ms);

#endif
