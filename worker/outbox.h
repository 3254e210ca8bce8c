// outbox.h - a worker's messages to its coordinator, on a link.
#ifndef SS_WORKER_OUTBOX_H
#define SS_WORKER_OUTBOX_H

#include "common/base/buf.h"
#include "common/link/link.h"
#include "worker/application.h"
#include "worker/session/session.h"

// Who we are, for HELLO. Borrowed.
struct ss_outbox_self {
    const char *name;
    const char *host;
    uint32_t capacity;
    const char *const *labels;
    size_t labels_count;
    json_t *settings; // or NULL
    const struct ss_application *application;
};

struct ss_outbox {
    struct ss_link *link; // borrowed; NULL: all is lost
    const struct ss_outbox_self *self;
    struct ss_buf pieces;
    struct ss_buf message;
    size_t count;    // pieces
    size_t warned;   // of those, outcomes with warnings
    uint64_t losses; // messages that the link did not take
};

void ss_outbox_init(struct ss_outbox *outbox, struct ss_link *link,
    const struct ss_outbox_self *self);
void ss_outbox_fini(struct ss_outbox *outbox);
// Carry out a SEND command. A message that the link does not take is lost: the
// session repeats those that matter. True: an outcome could not be encoded and
// was spoilt in `session`, which should be stepped soon.
bool ss_outbox_send(struct ss_outbox *outbox, struct ss_session *session,
    const struct ss_session_command *command);
void ss_outbox_pong(struct ss_outbox *outbox, uint64_t id);

#endif
