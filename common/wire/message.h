// message.h - the messages between processes, as C sees them.
//
// One envelope (proto/superstep/v1/messages.proto) with a protocol version and
// exactly one message; every message that carries work is a batch. Decoding is
// under explicit limits (wire/limits.h) from a budgeted allocator: a malformed
// message is a status, never a crash. docs/reference/protocol.md tells the same
// for a worker in another language.
#ifndef SS_WIRE_MESSAGE_H
#define SS_WIRE_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/status.h"
#include "common/model/task.h"

enum { SS_PROTOCOL_VERSION = 1 };

#define SS_MESSAGE_MAP(X)                                                      \
    X(HELLO)   /* worker: who I am, what I serve */                            \
    X(BEAT)    /* worker: alive, and what runs */                              \
    X(BYE)     /* worker: draining, or leaving */                              \
    X(DONE)    /* worker: outcomes */                                          \
    X(LIVE)    /* worker: items of a running attempt */                        \
    X(WELCOME) /* coordinator: taken in */                                     \
    X(REFUSED) /* coordinator: not taken in, and why */                        \
    X(TASKS)   /* coordinator: orders */                                       \
    X(CANCEL)  /* coordinator: stop these attempts */                          \
    X(SETTLED) /* coordinator: forget these results */                         \
    X(ASK)     /* client: a request */                                         \
    X(HANGUP)  /* client: no longer interested in a request */                 \
    X(ANSWER)  /* coordinator: a stream item, or the final answer */           \
    X(PING)    /* anybody: are you there */                                    \
    X(PONG)    /* I am; a coordinator's epoch shows a restart */               \
    X(MEMBERS) /* coordinator: where all coordinators are */                   \
    X(SEEK)    /* coordinator: these shards are mine; what have you */         \
    X(OFFERS)  /* worker: attempts of theirs */                                \
    X(LACKS)   /* worker: orders whose lists it does not hold */               \
    X(ADOPT)   /* coordinator: these go on, under other names */               \
    X(DRAIN)   /* coordinator: leave in order */                               \
    X(HEARD)   /* coordinator: this beat has come; what it names is so */

enum ss_message_type {
    SS_MESSAGE_NONE,
#define X(name) SS_MESSAGE_##name,
    SS_MESSAGE_MAP(X)
#undef X
        SS_MESSAGE_LAST = SS_MESSAGE_HEARD,
};

struct ss_live_item {
    struct ss_attempt attempt;
    enum ss_live_kind kind;
    struct ss_value *value; // or NULL (heartbeat)
};

// All pointers are owned by the message.
struct ss_message {
    enum ss_message_type type;
    uint32_t protocol; // of the sender
    struct {
        char *name;
        char *app_version; // or NULL
        char *host;
        uint32_t pid;
        struct ss_value **graphs; // descriptions
        size_t graphs_count;
        char **labels;
        size_t labels_count;
        bool keeps_lists;
        json_t *settings; // an array; or NULL
    } hello;
    uint32_t capacity; // HELLO, BEAT
    uint64_t epoch;    // WELCOME, PONG: of a coordinator; SEEK, OFFERS: of
                       // shards
    struct {
        int64_t lease_ms;
        int64_t heartbeat_ms;
        int64_t begin_ms; // how long orders may be begun; 0: for ever
    } welcome;
    uint64_t sent;  // BEAT, HEARD: when the beat was sent; 0: unknown
    char **members; // WELCOME, PONG, MEMBERS: endpoints
    size_t members_count;
    struct ss_offer *offers; // HELLO, OFFERS
    size_t offers_count;
    struct ss_adoption *adoptions; // ADOPT
    size_t adoptions_count;
    uint32_t *shards; // SEEK
    size_t shards_count;
    struct {
        bool drains;
        bool stuck;  // until a thread is free
        char *ended; // another worker, whose process has ended; or NULL
        char *how;   // it has ended; or NULL
    } bye;
    struct ss_attempt *attempts; // BEAT, CANCEL, SETTLED, LACKS,
                                 // BYE, HEARD (those that are gone)
    size_t attempts_count;
    struct ss_assignment **orders; // TASKS
    size_t orders_count;
    struct ss_outcome **outcomes; // DONE
    size_t outcomes_count;
    struct ss_live_item *items; // LIVE
    size_t items_count;
    struct {
        int status;
        char *text;
    } refused;
    uint64_t id;           // ASK, HANGUP, ANSWER
    char *op;              // ASK
    bool final;            // ANSWER
    struct ss_value *body; // ASK, ANSWER
};

struct ss_message *ss_message_new(enum ss_message_type type);
void ss_message_destroy(struct ss_message **message);

// Encode into `ret` (reset first). SS_ELIMIT: over its maximum.
int ss_message_encode(const struct ss_message *message, struct ss_buf *ret,
    struct ss_error *error) SS_MUST_USE;
// Decode. Gives. SS_EFORMAT: malformed; SS_EVERSION: another protocol version;
// SS_ELIMIT: over a limit.
int ss_message_decode(const void *bytes, size_t size,
    struct ss_message **ret_message, struct ss_error *error) SS_MUST_USE;
const char *ss_message_name(enum ss_message_type type);

#endif
