// update_state_impl.h - what may stand in an update, and as which node it is
// made.
#ifndef SS_ENGINE_RUNS_UPDATE_STATE_IMPL_H
#define SS_ENGINE_RUNS_UPDATE_STATE_IMPL_H

#include <jansson.h>
#include <stdbool.h>

struct census;
struct change;
struct loop;
struct ss_error;
struct ss_node;
struct ss_planned_task;

// ------------------------------------------------ update_state.c

// Answer with that error, and free it.
void ss_update_state_abandon(
    struct change *change, int status, const char *message);
// Of an update from outside.
void ss_update_state_verify(const struct change *change, struct census *census);

// ------------------------------------------------ update_check.c

// Its value is null, as __end__ (R9.16).
bool ss_update_is_clear(const json_t *update);
// It says that it is made as the node of this name.
bool ss_update_is_as(const json_t *update, const char *name);
// What may stand in a superstep: R1.13, R9.8, R9.10. False: not this (`error`).
bool ss_update_check_superstep(const json_t *updates, struct ss_error *error);
// A request: its supersteps, and how many they are. SS_EINVAL, SS_ELIMIT.
int ss_update_check(const json_t *supersteps, struct ss_error *error);

// ------------------------------------------------ as_node.c

// The node as which `update` is made; `single`: it need not say that. NULL:
// none is, or it writes nothing, and `error` (SS_EUPDATE) says what to do.
// Borrowed from the loop's graph.
const struct ss_node *ss_as_node_find(struct loop *loop, const json_t *update,
    bool single, struct ss_error *error);
// Gives `task`, of that node, its id: the one that is given, that of the node's
// next task that is planned, or a made-up one. `used`: of the loop's tasks,
// those whose ids are taken.
void ss_as_node_name(const struct loop *loop, const json_t *update, bool *used,
    struct ss_planned_task *task);

#endif
