// byte_budget.h - how much ZeroMQ holds for each connection, in bytes, either
// way.
//
//   the other side --received--> [ unread ] --taken--> the link
//   the other side <--accepted-- [ owed   ] <--given-- the link
//
// ZeroMQ bounds the number of messages for each peer, not their bytes, and does
// not count a message that has come in part. But the kernel knows what a
// connection has received and what of ours the other side has accepted; the
// link knows what it took and gave. The differences are what lies in between.
//
// The budget counts; admission decides. Connections are known by their
// descriptors, and peers, to whom messages are given, by the connection that
// they spoke by last.
#ifndef SS_LINK_BYTE_BUDGET_H
#define SS_LINK_BYTE_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/link/rate_limit.h"
#include "common/link/traffic.h"

struct ss_byte_budget;

struct ss_byte_budget *ss_byte_budget_new(void);
void ss_byte_budget_destroy(struct ss_byte_budget **budget);

// A connection begins, by a descriptor (at most SS_LINK_DESCRIPTORS_MAX) that
// may have been another's.
void ss_byte_budget_open(
    struct ss_byte_budget *budget, int fd, const char *address);
// A connection was closed; an unknown descriptor is fine.
void ss_byte_budget_close(struct ss_byte_budget *budget, int fd);
// `size` bytes of what came by `fd` were taken (on the wire).
void ss_byte_budget_take(struct ss_byte_budget *budget, int fd, int64_t size);
// `peer` speaks by `fd`: what is given to it from now on counts there. False:
// no connection is open by that descriptor.
bool ss_byte_budget_speaks(
    struct ss_byte_budget *budget, int fd, const char *peer);
// `size` bytes were given to ZeroMQ for `peer` (on the wire). For a peer that
// never spoke, or is gone, nothing is counted.
void ss_byte_budget_give(
    struct ss_byte_budget *budget, const char *peer, int64_t size);

// What is held for all connections. `traffic` is ss_traffic_of(); a connection
// that it does not know weighs nothing.
int64_t ss_byte_budget_weigh(struct ss_byte_budget *budget,
    bool (*traffic)(int fd, struct ss_traffic *ret));

struct ss_byte_budget_load {
    int fd;
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    const char *peer; // who spoke by it last; "": nobody. Borrowed.
    int64_t unread;   // bytes that it sent and that were not taken
    int64_t owed;     // bytes given to it that it has not accepted
};
// The heaviest connection of the last weighing, both directions together; the
// next call gives the next heaviest. False: nothing is held for anybody.
bool ss_byte_budget_heaviest(
    struct ss_byte_budget *budget, struct ss_byte_budget_load *ret_load);

#endif
