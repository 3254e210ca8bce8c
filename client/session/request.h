// request.h - one request of a talk, from asking to its final answer.
#ifndef SS_TALK_REQUEST_H
#define SS_TALK_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/session/limits.h"
#include "common/model/requests.h"

struct ss_talk_request {
    uint64_t key;
    uint64_t id; // under which it was sent last; 0: never sent
    char *op;
    json_t *body;
    enum ss_op_repeat repeat;
    bool is_run;                      // a new one, or the same again
    struct ss_talk_endpoint *line;    // where it is asked
    bool is_held;                     // to be sent when a coordinator is heard
    bool is_accepted;                 // RUN: the run is durable
    bool is_told;                     // RUN: something of it was seen
    char seq[SS_TALK_SEQ_SIZE_MAX];   // of the last event seen
    char after[SS_TALK_SEQ_SIZE_MAX]; // the attach that was asked for begins
                                      // after this
    json_t *seen; // items of attempts: {attempt: number of the last one}
    int64_t not_before_ms;  // held until then; 0: not
    int64_t moved_since_ms; // when it was first sent around; -1: not
    unsigned moves;         // in a row
    size_t detours;         // around an endpoint that is not reached from here
    int64_t sent_ms;
    int64_t heard_ms;
    int64_t again_ms;
    int64_t deadline_ms;
    struct ss_talk_request *next;
};

// Borrows `op` and `body`; `run` is the id that a run without one gets. Gives.
struct ss_talk_request *ss_talk_request_new(
    uint64_t key, const char *op, json_t *body, const char *run);
void ss_talk_request_destroy(struct ss_talk_request **request);

// What to send now: as it was asked, or, where a run is under way already, an
// attach that goes on after the last event. Gives a new body; lends *ret_op.
json_t *ss_talk_request_body(
    struct ss_talk_request *request, const char **ret_op);

// Take note of an item that is not final. False: it was seen before.
bool ss_talk_request_note(struct ss_talk_request *request, const json_t *item);

#endif
