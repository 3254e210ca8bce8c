// door.h - who comes in at a server link, and who has to leave.
//
//   packets --> filter: of an address whose connections are a flood? --> drop
//       v
//   connection --accepted--> guard: too many, too fast?  --> hang up
//       | handshake (CURVE)
//       v
//   ZAP request (RFC 27) --> is the key allowed?         --> refuse
//       |                    did it do wrong just now?   --> let it wait
//       v
//   message --> does its key still count, is it in time? --> drop, hang up
//
// All of it happens in the thread that waits for the link: nothing is shared.
#ifndef SS_LINK_DOOR_H
#define SS_LINK_DOOR_H

#include <stdbool.h>
#include <stdint.h>
#include <zmq.h>

#include "common/link/link.h"

struct ss_door;

// Before `socket` is bound. With keys: their coordinator's key and the list of
// allowed ones are read, and `socket` demands CURVE. Borrows context and
// socket. Gives *ret_door. Errors: of keys.h and allowed.h; SS_EIO.
int ss_door_open(void *context, void *socket,
    const struct ss_link_options *options, struct ss_door **ret_door,
    struct ss_error *error) SS_MUST_USE;
// After the socket was closed, before its context ends.
void ss_door_close(struct ss_door **door);

// Sockets to poll, NULL where there is none.
enum { SS_DOOR_SOCKETS = 2 };
void ss_door_sockets(
    const struct ss_door *door, void *ret_sockets[SS_DOOR_SOCKETS]);
// Let in and hang up, as is due.
void ss_door_serve(struct ss_door *door);
// In how many milliseconds that is due again if no socket tells; -1: it is not.
int ss_door_time_left(const struct ss_door *door);
// May this frame of `peer`, whose identity begins with `mark`, be taken? Then
// ss_door_sender() tells who sent it. With keys an identity begins with the
// first characters of the public half of its key, and nobody else may use it.
enum { SS_DOOR_MARK_SIZE = 16 };
bool ss_door_admits(struct ss_door *door, zmq_msg_t *frame, const char *peer,
    const char mark[SS_DOOR_MARK_SIZE]);
// A message of so many bytes was given to ZeroMQ for `peer`.
void ss_door_gave(struct ss_door *door, const char *peer, size_t size);
const struct ss_link_sender *ss_door_sender(const struct ss_door *door);
void ss_door_complain(struct ss_door *door);
bool ss_door_has_incidents(const struct ss_door *door);
bool ss_door_incident(struct ss_door *door, struct ss_link_incident *ret);
const struct ss_guard_limits *ss_door_limits(const struct ss_door *door);
void ss_door_counts(const struct ss_door *door, struct ss_link_counts *ret);

#endif
