// address.h - where the other side of a connection is, as one text.
//
// The kernel and ZeroMQ say it in ways of their own; the rate limits
// count, and notices name, one text for each: "192.0.2.7" (also where it came
// mapped to IPv6), "2001:db8::7", and "local" for what comes from no network.
#ifndef SS_LINK_ADDRESS_H
#define SS_LINK_ADDRESS_H

#include <stdbool.h>

#include "common/link/rate_limit.h"

// Of the other side of `fd`. False: it is not connected.
bool ss_address_of(int fd, char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE]);
// The same of ZeroMQ's `given`: of a ZAP request, of a frame ("Peer-Address").
void ss_address_plain(
    const char *given, char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE]);
// End the connection of `fd` if it leads to `address`, or to its network
// (ss_rate_limit_network); else `fd` is another's by now, and nothing happens.
// It stays open: who opened it is told by its end. -1 is fine.
void ss_address_hang_up(int fd, const char *address);

#endif
