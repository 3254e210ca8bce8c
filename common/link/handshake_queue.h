// handshake_queue.h - peers whose handshake waits for an answer.
//
// libzmq reads nothing from them meanwhile. A request that finds no place here
// is forgotten: its handshake times out, and the peer tries again.
#ifndef SS_LINK_HANDSHAKE_QUEUE_H
#define SS_LINK_HANDSHAKE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/link/zap.h"

struct ss_handshake {
    struct ss_zap_request request;
    int64_t since_ms;
    int64_t until_ms; // when it is looked at again
};

// Zero bytes: nobody waits.
struct ss_handshake_queue {
    SS_VEC(struct ss_handshake) handshakes;
};

// At most SS_LINK_HANDSHAKES_MAX are kept, none longer than a handshake lasts.
void ss_handshake_queue_add(
    struct ss_handshake_queue *queue, const struct ss_handshake *handshake);
// Takes out a request that is due; those of peers that are gone by now are
// forgotten. False: none is due.
bool ss_handshake_queue_take(struct ss_handshake_queue *queue, int64_t now_ms,
    struct ss_handshake *ret_handshake);
// When the first is due; INT64_MAX: nobody waits.
int64_t ss_handshake_queue_due_ms(const struct ss_handshake_queue *queue);
void ss_handshake_queue_fini(struct ss_handshake_queue *queue);

#endif
