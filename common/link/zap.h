// zap.h - answers libzmq's question who may come in (ZeroMQ RFC 27).
//
// By hand, not by czmq's zauth, which answers at once, in a thread of its own,
// from a list; here an answer may wait (admission.h), and depends on what the
// key and its address did before.
#ifndef SS_LINK_ZAP_H
#define SS_LINK_ZAP_H

#include <stdbool.h>

#include "common/base/status.h"
#include "common/link/keys.h"
#include "common/link/sockets.h"

enum { SS_ZAP_ADDRESS_SIZE = 64, SS_ZAP_ID_SIZE = 32 };

struct ss_zap_request {
    unsigned char from[SS_ZAP_ID_SIZE]; // libzmq's name for the waiting peer
    int from_size;
    unsigned char id[SS_ZAP_ID_SIZE];
    int id_size;
    char address[SS_ZAP_ADDRESS_SIZE];
    char public_half[SS_KEY_TEXT_SIZE]; // "": it has no key
};

// A socket that answers for the context of `sockets`, before anything of it is
// bound; and `socket` (still unbound) asks there. There is one for a context.
// SS_EBUSY: it has one; SS_EIO. Keep it until `socket` is wholly closed:
// without it libzmq lets everybody in.
int ss_zap_open(struct ss_sockets *sockets, void *socket,
    struct ss_socket *ret_zap, struct ss_error *error) SS_MUST_USE;
// None is fine.
void ss_zap_close(struct ss_socket *zap);
// The next request, without waiting. It may be answered at any time, or never:
// then the handshake ends when its time is over. False: there is none.
bool ss_zap_take(void *zap, struct ss_zap_request *ret_request);
// Answer yes or no; a peer that is gone does not hear it. After a yes the
// messages of that connection carry its public half as their User-Id.
void ss_zap_answer(
    void *zap, const struct ss_zap_request *request, bool is_allowed);

#endif
