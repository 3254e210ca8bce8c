// stream.h - what listeners are shown (stream.c).
#ifndef SS_ENGINE_REQUESTS_STREAM_H
#define SS_ENGINE_REQUESTS_STREAM_H

#include <jansson.h>
#include <stdbool.h>

#include "common/model/task.h"

struct loop;
struct ss_keys;
struct ss_writes;
struct task;

void ss_stream_values(struct loop *loop, const json_t *interrupts);
void ss_stream_task_start(struct task *task);
void ss_stream_task_output(struct task *task, bool cached);
void ss_stream_checkpoint(struct loop *loop);
void ss_stream_breakpoint(struct loop *loop);
void ss_stream_live(struct task *task, enum ss_live_kind kind, json_t *value);
void ss_stream_messages(struct task *task);
void ss_stream_message_inputs(struct task *task);
void ss_stream_progress(struct loop *loop, const struct task *task);
// Writes restricted to some channels, folded to a map (R9.6). Gives.
json_t *ss_writes_result(
    const struct ss_keys *keys, const struct ss_writes *writes);
// What stands beside a message of that task (R10.13). Gives.
json_t *ss_message_metadata(const struct task *task);

#endif
