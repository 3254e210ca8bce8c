// facts.h - what is said of a thread itself, and how it is shown.
#ifndef SS_ENGINE_REQUESTS_FACTS_H
#define SS_ENGINE_REQUESTS_FACTS_H

#include <jansson.h>

#include "common/base/status.h"

struct engine;
struct ss_request;
struct thread;

// ------------------------------------------------ facts.c

// The requests `thread_put` and `thread`.
void ss_facts_request(struct thread *thread, const struct ss_request *request);
void ss_facts_thread(struct thread *thread, const struct ss_request *request);
// What is said of the thread itself, borrowed; NULL: nothing ever was.
const json_t *ss_facts(const struct thread *thread);
// Whether that can be said of one, by itself: SS_EINVAL, SS_ELIMIT, SS_EAGAIN.
int ss_facts_check(const struct engine *engine, const json_t *facts,
    struct ss_error *error) SS_MUST_USE;
// All of it, from now on: in a row and in the thread's record; or in a row
// alone, again. Borrow `facts`.
void ss_facts_put(struct thread *thread, const json_t *facts);
void ss_facts_tell(struct thread *thread, const json_t *facts);

// ------------------------------------------------ shown.c

// The record of a thread that stands so (NULL: nobody knows), as people see
// it. Gives.
json_t *ss_thread_shown(const json_t *record, const char *status);
// The times of a record as people read them, and how it stands; what is not for
// them goes.
void ss_record_show(json_t *shown, const char *status);

#endif
