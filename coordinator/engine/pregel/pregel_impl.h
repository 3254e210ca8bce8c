// pregel_impl.h - what only the files of the superstep share.
#ifndef SS_ENGINE_PREGEL_PREGEL_IMPL_H
#define SS_ENGINE_PREGEL_PREGEL_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct pendings;
struct ss_keys;
struct ss_value;

// ------------------------------------------------ update.c

// The channel's value is another one: it may be restless now.
void ss_loop_stir(struct loop *loop, size_t channel);
// The node has an entry.
bool ss_seen_has(const struct loop *loop, const char *node);

// ------------------------------------------------ plan.c

// path_str of PULL node, PUSH index (R3.14).
char *ss_path_pull(const char *node);
char *ss_path_push(size_t index);
// The input of `node` now (R3.7); NULL: no task. Gives.
struct ss_value *ss_plan_input(struct loop *loop, const struct ss_keys *keys);

// ------------------------------------------------ pending.c

// How a task without output ended in this run, after row `since`: `__error__`,
// `__interrupt__`, or NULL: it did not.
const char *ss_pendings_ended(
    const struct pendings *pending, const char *task_id, uint64_t since);

#endif
