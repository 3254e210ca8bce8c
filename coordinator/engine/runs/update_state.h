// update_state.h - update_state: a superstep from outside (spec 9.3).
#ifndef SS_ENGINE_RUNS_UPDATE_STATE_H
#define SS_ENGINE_RUNS_UPDATE_STATE_H

struct change;
struct ss_graph;
struct ss_outcome;
struct ss_request;
struct task;
struct thread;

// The request `update`.
void ss_update_state_request(
    struct thread *thread, const struct ss_request *request);
// What a worker made of a task of an update. May free the change.
void ss_update_state_outcome(struct task *task, struct ss_outcome *outcome);
// The graph whose workers serve it. Borrowed.
const struct ss_graph *ss_update_state_graph(const struct change *change);
// Nobody serves its version any more: the superstep that waits is planned with
// the one that is served. May free it.
void ss_update_state_plan_anew(struct change *change);
void ss_update_state_free(struct change *change);

#endif
