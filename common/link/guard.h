// guard.h - how much peers may take of a server link: connections, in all and
// from one address, new ones a second, messages a second of one peer, and
// messages that make no sense. A hostile peer costs itself and nobody else.
//
// It counts and judges; the link performs (link_zmq.c hangs up). Time is given.
// Addresses are texts as "192.0.2.7"; of IPv6 ones the first half counts, which
// is what one customer has.
//
//   bucket   a full one allows `burst` at once; it fills again at `rate` a second
#ifndef SS_LINK_GUARD_H
#define SS_LINK_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Zero: the default of limits.h.
struct ss_guard_limits {
    unsigned connections_max;     // in all
    unsigned per_address_max;     // connections of one address
    unsigned connections_rate;    // new ones a second of one address
    unsigned messages_rate;       // a second of one peer
};

enum ss_guard_verdict {
    SS_GUARD_WELCOME,
    SS_GUARD_FULL,         // connections_max
    SS_GUARD_ADDRESS_FULL, // per_address_max
    SS_GUARD_TOO_FAST,     // connections_rate
};

struct ss_guard;

struct ss_guard *ss_guard_new(const struct ss_guard_limits *limits);
void ss_guard_destroy(struct ss_guard **guard);
// With the defaults filled in. Borrowed.
const struct ss_guard_limits *ss_guard_limits(const struct ss_guard *guard);

// A connection as descriptor `fd` was accepted. It counts, unless the verdict
// says otherwise. A descriptor that is there already stands for a new one.
enum ss_guard_verdict ss_guard_connect(
    struct ss_guard *guard, int fd, const char *address, int64_t now_ms);
// It is closed; unknown ones are fine. Gives the address that it had, and since
// when; "": unknown.
enum { SS_GUARD_ADDRESS_SIZE = 64 };
void ss_guard_disconnect(struct ss_guard *guard, int fd,
    char ret_address[SS_GUARD_ADDRESS_SIZE], int64_t *ret_since_ms);
size_t ss_guard_connections(const struct ss_guard *guard);

// May `peer` send one more message?
bool ss_guard_message(struct ss_guard *guard, const char *peer, int64_t now_ms);
// `address` sent something that makes no sense, or that it may not. False: it
// did so too often, hang up.
bool ss_guard_complaint(
    struct ss_guard *guard, const char *address, int64_t now_ms);

#endif
