// admission.h - which peers come in at a server link, and which have to leave.
//
//   packets --> filter: of an address whose connections are a flood? --> drop
//       v
//   connection --accepted--> rate limit: too many, too fast? --> hang up
//       | handshake (CURVE)
//       v
//   ZAP request (RFC 27) --> is the key allowed?         --> refuse
//       |                    did it do wrong just now?   --> let it wait
//       v
//   message --> does its key still count, is it in time? --> drop, hang up
//
// All of it happens in the thread that waits for the link: nothing is shared.
#ifndef SS_LINK_ADMISSION_H
#define SS_LINK_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/link/link.h"
#include "common/link/sockets.h"

struct ss_admission;

// Before `socket` is bound. With keys: their coordinator's key and the list of
// allowed ones are read, and `socket` demands CURVE. Borrows sockets and
// socket. Gives *ret_admission. Errors: of keys.h, allowed.h and zap.h; SS_EIO.
int ss_admission_open(struct ss_sockets *sockets, void *socket,
    const struct ss_link_options *options, struct ss_admission **ret_admission,
    struct ss_error *error) SS_MUST_USE;
// After the socket was closed, before its context ends.
void ss_admission_close(struct ss_admission **admission);

// Descriptors to poll for reading; -1: there is none. They tell only what comes
// behind a turn that found nothing more: while it is behind, nothing is to be
// waited for.
enum { SS_ADMISSION_FDS = 2 };
void ss_admission_fds(
    const struct ss_admission *admission, int ret_fds[SS_ADMISSION_FDS]);
bool ss_admission_is_behind(const struct ss_admission *admission);
// Let peers in and hang up on peers, as is due. `ready`: bits, 1 << i for
// fds[i].
void ss_admission_serve(struct ss_admission *admission, unsigned ready);
// In how many milliseconds that is due again if no descriptor becomes readable;
// -1: never.
int ss_admission_time_left(const struct ss_admission *admission);
// May this frame of `peer`, whose identity begins with `mark`, be taken? Then
// ss_admission_sender() tells who sent it. With keys an identity begins with
// the first characters of the public half of its key, and nobody else may use
// it.
enum { SS_ADMISSION_MARK_SIZE = 16 };
bool ss_admission_admits(struct ss_admission *admission, zmq_msg_t *frame,
    const char *peer, const char mark[SS_ADMISSION_MARK_SIZE]);
// A message of so many bytes was given to ZeroMQ for `peer`.
void ss_admission_gave(
    struct ss_admission *admission, const char *peer, size_t size);
const struct ss_link_sender *ss_admission_sender(
    const struct ss_admission *admission);
void ss_admission_complain(struct ss_admission *admission);
bool ss_admission_has_notices(const struct ss_admission *admission);
bool ss_admission_notice(
    struct ss_admission *admission, struct ss_link_notice *ret);
const struct ss_rate_limit_settings *ss_admission_limits(
    const struct ss_admission *admission);
void ss_admission_counts(
    const struct ss_admission *admission, struct ss_link_counts *ret);

#endif
