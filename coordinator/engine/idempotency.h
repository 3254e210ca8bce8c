// idempotency.h - requests that carry a key are done once.
#ifndef SS_ENGINE_IDEMPOTENCY_H
#define SS_ENGINE_IDEMPOTENCY_H

#include "coordinator/engine/thread.h"

// `key` of a request that changes a thread once: the same one again is answered
// as the first time. The answer stands in the last row of the change.
// SS_EINVAL: it is not a key.
int ss_key_check(const json_t *body, struct ss_error *error) SS_MUST_USE;
// True: it was asked before, and is answered.
bool ss_answered_before(
    struct thread *thread, const char *peer, uint64_t id, const json_t *body);
// `answer` goes into the row that is open, or one of its own. Borrows it.
void ss_answer_keep(
    struct thread *thread, const json_t *body, json_t *answer);
// So many supersteps of an update are in the rows: asked again with its key, it
// goes on at the checkpoint `base`.
void ss_answer_keep_part(
    struct thread *thread, const json_t *body, size_t done, const char *base);
// How many, of an update that was cut off, and that checkpoint; 0: none.
size_t ss_answer_part(const struct thread *thread, const json_t *body,
    char ret_base[SS_UUID_SIZE]);

#endif
