// zap.h - libzmq asks who may come in (ZeroMQ RFC 27), and is answered.
#ifndef SS_LINK_ZAP_H
#define SS_LINK_ZAP_H

#include <stdbool.h>

#include "common/base/status.h"
#include "common/link/keys.h"

enum { SS_ZAP_ADDRESS_SIZE = 64, SS_ZAP_ID_SIZE = 32 };

struct ss_zap_request {
    unsigned char from[SS_ZAP_ID_SIZE]; // libzmq's name of who waits
    int from_size;
    unsigned char id[SS_ZAP_ID_SIZE];
    int id_size;
    char address[SS_ZAP_ADDRESS_SIZE];
    char public_half[SS_KEY_TEXT_SIZE]; // "": it has no key
};

// A socket that answers for `context`, before anything of it is bound; and
// `socket` (still unbound) asks there. SS_EIO. Keep it until `socket` is closed:
// libzmq lets in whom it finds nobody to ask about.
int ss_zap_open(void *context, void *socket, void **ret_zap,
    struct ss_error *error) SS_MUST_USE;
// The next request, without waiting. It may be answered at any time, or never:
// then the handshake ends when its time is over. False: there is none.
bool ss_zap_take(void *zap, struct ss_zap_request *ret_request);
// Yes or no; who is gone hears nothing. With a yes the messages of that
// connection carry its public half as their User-Id.
void ss_zap_answer(
    void *zap, const struct ss_zap_request *request, bool is_allowed);

#endif
