// address.h - where the other side of a connection is, as one text.
//
// The kernel and ZeroMQ write addresses in different ways; rate limits and
// notices need one text for each: "192.0.2.7" (also where it came mapped to
// IPv6), "2001:db8::7", and "local" for what comes from no network.
#ifndef SS_LINK_ADDRESS_H
#define SS_LINK_ADDRESS_H

#include <stdbool.h>

#include "common/link/rate_limit.h"

// Of the other side of `fd`. False: it is not connected.
bool ss_address_of(int fd, char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE]);
// The same from the text `given` by ZeroMQ: in a ZAP request, or of a frame
// ("Peer-Address").
void ss_address_plain(
    const char *given, char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE]);
// End the connection of `fd` if it leads to `address`, or to its network
// (ss_rate_limit_network); otherwise `fd` stands for another connection by now,
// and nothing happens. The descriptor stays open: its owner learns of the end
// by reading. -1 is fine.
void ss_address_hang_up(int fd, const char *address);

#endif
