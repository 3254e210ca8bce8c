// probe.h - why nobody answers at an endpoint: one connection is tried, beside
// ZeroMQ, which tries for ever and gives no reasons.
#ifndef SS_LINK_PROBE_H
#define SS_LINK_PROBE_H

#include <stddef.h>

enum ss_probe {
    SS_PROBE_UNKNOWN, // another kind of endpoint, or no answer in time
    SS_PROBE_LISTENS, // somebody takes connections
    SS_PROBE_NOBODY,  // the place is there, and nobody listens
    SS_PROBE_CANNOT, // it cannot be reached from here; `ret_why` has the reason
};

// Blocks for SS_LINK_PROBE_MS at most, and for as long as a name takes to
// resolve. `ret_why`, of `size` bytes, goes behind "nobody answers there: ".
enum ss_probe ss_link_probe(const char *endpoint, char *ret_why, size_t size);

#endif
