// said.h - what is said of a thread itself.
#ifndef SS_ENGINE_THREADS_SAID_H
#define SS_ENGINE_THREADS_SAID_H

#include <jansson.h>

#include "common/base/status.h"

struct engine;
struct thread;

// What is said of the thread itself, borrowed; NULL: nothing ever was.
const json_t *ss_facts(const struct thread *thread);
// Whether that can be said of one, by itself: SS_EINVAL, SS_ELIMIT, SS_EAGAIN.
int ss_facts_check(const struct engine *engine, const json_t *facts,
    struct ss_error *error) SS_MUST_USE;
// All that is said of it once `news` are laid over what stands there. Gives.
// Errors as of ss_facts_check().
int ss_facts_lay(const struct thread *thread, const json_t *news,
    json_t **ret_all, struct ss_error *error) SS_MUST_USE;
// All of it, from now on: in a row and in the thread's record; or in a row
// alone, again. Borrow `facts`.
void ss_facts_put(struct thread *thread, const json_t *facts);
struct ss_row *ss_facts_tell(struct thread *thread, const json_t *facts);
// As ss_facts_put(), with a run that brings them; where nothing else was said
// before, nothing is put.
void ss_facts_bring(struct thread *thread, const json_t *facts);

#endif
