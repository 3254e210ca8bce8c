// replay.h - what was told, told again from the rows.
#ifndef SS_ENGINE_REQUESTS_REPLAY_H
#define SS_ENGINE_REQUESTS_REPLAY_H

#include <jansson.h>
#include <stdint.h>

#include "coordinator/engine/levels/run.h"

struct subscriber;
struct loop;
struct replay;
struct thread;

// Tell `listener` what rows of this run told after `after`, the last number
// that it saw (`seen`: how many items of which attempts, or NULL),
// in the same order, with the same numbers; then the items of attempts that are
// out. `run`: the run, if it is under way, or NULL.
void ss_replay(struct thread *thread, const char *run_id, struct run *run,
    const struct subscriber *subscriber, const char *after, const json_t *seen);

// emit.c hands events of a replay over. Takes `data`, or NULL: count only.
void ss_replay_event(struct replay *replay, const struct loop *loop,
    enum stream_mode mode, json_t *data);
int64_t ss_replay_time(const struct replay *replay);

#endif
