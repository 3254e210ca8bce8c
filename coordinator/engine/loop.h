// loop.h - what a loop can do; the files that do it are named in each section.
#ifndef SS_ENGINE_LOOP_H
#define SS_ENGINE_LOOP_H

#include "coordinator/engine/state.h"

// ------------------------------------------------ task_state.c, loop_state.c

// Nobody else changes them. A way that the table lacks is a bug of ours.
void ss_task_move(struct task *task, enum task_state to);
void ss_loop_move(struct loop *loop, enum loop_status to);
// A task of a run that is told again: it is shown as it ended, each time.
void ss_task_show(struct task *task, enum task_state as);

// ------------------------------------------------ update.c (spec 4)

// One task as the update sees it (R4.1): real tasks, the pseudo task
// `__input__`, and the tasks of update_state.
struct update_task {
    const char *path; // decides the order
    const char *name; // whose versions_seen entry it is
    const char *id;   // owner of its writes (made-up message ids)
    const size_t *triggers; // channel indexes
    size_t triggers_count;
    bool bumps; // has triggers, though they may not be channels (push, update)
    const struct ss_writes *writes; // or NULL
};

// A planned task as the update sees it.
struct update_task ss_update_task(const struct task *task);

// Apply the writes of one superstep (R4, steps 1 to 9). On success the channels,
// versions and versions_seen of `loop` are new, and loop->news says which
// channels were updated. On error (SS_EUPDATE,
// SS_EINVAL) nothing changed; *ret_channel is the channel at fault, or SS_NONE.
// `writes_values`: by name, the fold of custom reducers, or NULL.
int ss_update_apply(struct loop *loop, const struct update_task *tasks,
    size_t count, size_t *ret_channel,
    struct ss_error *error) SS_MUST_USE;

// loop->news replace, or add to, what the loop knows as updated_channels (R5.8,
// R5.17).
void ss_loop_set_updated(struct loop *loop, bool add);
void ss_loop_forget_updated(struct loop *loop); // null: unknown

// The channel's value is another one: it may be restless now.
void ss_loop_stir(struct loop *loop, size_t channel);

// The version that `node` has seen of `channel`; false: no entry at all. *ret
// is 0 where the entry lacks the channel.
bool ss_seen_get(const struct loop *loop, const char *node,
    const char *channel, int64_t *ret);
bool ss_seen_has(const struct loop *loop, const char *node);
// Set; a NULL channel makes the empty entry.
void ss_seen_set(struct loop *loop, const char *node, const char *channel,
    int64_t version);

// ------------------------------------------------ load.c

// The state of a saved checkpoint, or (NULL) none.
int ss_loop_take_state(struct loop *loop,
    const struct ss_checkpoint *checkpoint, struct ss_error *error) SS_MUST_USE;

// ------------------------------------------------ level.c (spec 5.2)

struct loop *ss_loop_new(struct thread *thread, struct run *run,
    struct ss_graph *graph, const char *ns);
void ss_loop_destroy(struct loop **loop);
// Start from a saved checkpoint, or (NULL) from the synthetic empty one; sets
// step, channels, versions, pending writes (R5.3-R5.4).
int ss_loop_load(struct loop *loop, struct ss_mark *mark,
    struct ss_error *error) SS_MUST_USE;
// ------------------------------------------------ delta.c

enum { ROW_BYTES = 128, SLOT_BYTES = 24 }; // about what each takes besides values

struct delta_form {
    bool whole;   // all of the state, not only what moved
    bool edits;   // whoever reads it knows edits of lists
    bool updated; // which channels were updated is said
};

// Fill the part of a row, and weigh it.
void ss_delta_fill(struct loop *loop, struct ss_row_checkpoint *part,
    const struct delta_form *form);
// What moved is saved, or given up.
void ss_loop_drop_moved(struct loop *loop);
// A send's argument without the keys of untracked channels (R5.25). Gives.
json_t *ss_delta_tracked(const struct ss_graph *graph, json_t *send);

// ------------------------------------------------ checkpoint.c (spec 5.7)

// Make the current state a checkpoint: a new id; saved if the loop persists now
// (R5.22). Then step += 1.
void ss_loop_save(struct loop *loop, const char *source);
// Under `exit`: write the current checkpoint as it is (R5.28).
void ss_loop_save_at_exit(struct loop *loop);
// Persist now? (R5.23)
bool ss_loop_saves_now(const struct loop *loop);
// Store pending writes of a task (R5.30), in memory and in the journal.
void ss_loop_put_writes(struct loop *loop, const char *task_id,
    const char *path, const struct ss_writes *writes);
// How often the task's workers were lost, beside what stands for it. Takes `lost`.
void ss_loop_put_lost(struct loop *loop, const struct task *task, json_t *lost);
// Under `exit`: store what is pending, of the tasks that wrote in this run (R5.28).
void ss_loop_store_pending(struct loop *loop);
// The plain answer was taken: no later run may be given it (R7.10, not copied).
// `taker`: whose task took it; the row of its writes says so.
void ss_loop_drop_plain_answer(struct loop *root, const struct loop *taker);
// The namespace in which the graph called by `task` keeps its rows (R12.2). Gives.
char *ss_loop_child_ns(const struct loop *loop, const struct task *task);

// ------------------------------------------------ plan.c (spec 3)

// Prepare the tasks of the next superstep. `execute`: candidates in name order
// through updated_channels (R3.2); else in the order of declaration. Replaces
// loop->tasks.
void ss_plan(struct loop *loop, bool execute);
struct task *ss_plan_handler(struct loop *loop, struct task *failed);
void ss_loop_drop_tasks(struct loop *loop);
void ss_task_destroy(struct task **task);
// Its triggers as sorted names (R3.6). Gives.
json_t *ss_task_triggers(const struct task *task);
// path_str of PULL node, PUSH index (R3.14).
char *ss_path_pull(const char *node);
char *ss_path_push(size_t index);
char *ss_path_update(size_t index);
// The input of `node` now (R3.7); NULL: no task. Gives.
struct ss_value *ss_plan_input(struct loop *loop, const struct ss_keys *keys);
// What its routers will read (R0.8): for the order. Gives both.
void ss_plan_fresh(struct loop *loop, const struct ss_node *node,
    struct ss_value **ret_channels, json_t **ret_managed);

// ------------------------------------------------ pending.c (R1.14)

struct task_facts {
    bool finished;
    bool failed;
    json_t *interrupts; // last asked, or NULL; borrowed
    json_t *answers;    // `__resume__`, or NULL; borrowed
    json_t *error;      // {"code", "message"}, or NULL; borrowed
    const char *error_source;
    json_t *tries;      // of this run: see SS_NAME_TRIES, or NULL; borrowed
    uint64_t tries_seq; // the row that holds it
    json_t *lost;       // the same of SS_NAME_LOST
    uint64_t lost_seq;
};

struct task_facts ss_pendings_facts(
    const struct pendings *pending, const char *task_id);
void ss_pendings_add(struct pendings *pending, const char *task_id,
    const char *path, int32_t idx, const char *channel,
    struct ss_value *value, bool of_this_run, uint64_t seq); // borrows all
void ss_pendings_drop(struct pendings *pending, const char *task_id);
void ss_pendings_drop_channel(struct pendings *pending, const char *channel);
void ss_pendings_drop_write(
    struct pendings *pending, const char *task_id, const char *channel);
// A write of this task was made by this run (how often it was tried, or lost, is
// none).
bool ss_pendings_ours(const struct pendings *pending, const char *task_id);
// How a task without output ended in this run, after row `since`: `__error__`,
// `__interrupt__`, or NULL: it did not.
const char *ss_pendings_ended(
    const struct pendings *pending, const char *task_id, uint64_t since);
void ss_pendings_remove(struct pendings *pending, size_t index);
void ss_pendings_fini(struct pendings *pending);
// Output writes (neither control nor special) of a task. Appends copies.
void ss_pendings_output(const struct pendings *pending, const char *task_id,
    struct ss_writes *writes);
// Its question is open: asked, unfinished, and not answered since (R7.12b).
bool ss_pendings_asks(const struct pendings *pending, const char *task_id);
// Ids of all open questions (R7.12, R7.12b). Gives an array of text.
json_t *ss_pendings_questions(const struct pendings *pending);
// The open questions themselves. Gives a list of interrupts.
json_t *ss_pendings_open(const struct pendings *pending);
// Ids of all that was ever asked there, answered or not. Gives the same.
json_t *ss_pendings_asked(const struct pendings *pending);
// Some task took an answer in a run before, failed then, and asks nothing now.
bool ss_pendings_failed_answered(const struct pendings *pending);
// Writes of the null task, in order. Appends copies.
void ss_pendings_null_writes(
    const struct pendings *pending, struct ss_writes *writes);

// ------------------------------------------------ warn.c

// Something that the client should know and that stops nothing.
void ss_loop_warn(struct loop *loop, const char *format, ...) SS_PRINTF(2, 3);
// An answer was given, and nobody asked.
void ss_loop_warn_unasked(struct loop *loop);
// A send to a node (NULL: it names none) that the graph lacks.
void ss_loop_warn_send(struct loop *loop, const char *node);

// ------------------------------------------------ later.c

// It waits for a worker: the scheduler finds it in the engine's list, in the order
// of these calls.
void ss_task_ready(struct task *task);
void ss_loop_later(struct loop *loop); // advance it at the end of this step
// Those that left a step between two supersteps, having had their share of it, go
// on in the next one; at the end of each step that one is asked for.
void ss_loops_go_on(struct engine *engine);
void ss_loops_rest(struct engine *engine);

// ------------------------------------------------ loop.c (spec 5.4-5.6, 5.11)

// One tick after another, until tasks are out or the loop has ended; then its
// enclosing task or its run is told.
void ss_loop_advance(struct loop *loop);
// Under `exit`: store what this loop leaves behind (R5.28).
void ss_loop_exits(struct loop *loop, bool ended_well);
// All tasks have ended: raise, ask, or update and go on (R6.7, R5.17).
bool ss_loop_settled(struct loop *loop);
// The superstep's writes could not be applied: the loop fails.
void ss_loop_update_failed(
    struct loop *loop, size_t channel, const struct ss_error *error);

// ------------------------------------------------ restore.c (R5.15-5)

// Finished tasks keep what they wrote, the others get their answers. Handlers of
// what had failed are added to the tasks.
void ss_loop_restore(struct loop *loop);

// ------------------------------------------------ fold.c

// The channels with custom reducers that are written, in their order.
void ss_fold_channels(const struct loop *loop,
    const struct update_task *tasks, size_t count, struct index_list *list);
// The writes to one channel, in the order in which the update applies them. Gives.
json_t *ss_fold_writes(
    const char *channel, const struct update_task *tasks, size_t count);

// ------------------------------------------------ ask_fold.c

// Custom reducers fold on a worker before the update. True: asked, wait; `then`
// is called, and what wanted the update comes here again.
bool ss_loop_fold(struct loop *loop, const struct update_task *tasks,
    size_t count, const struct fold_then *then);
void ss_loop_drop_folds(struct loop *loop);
// All folds are there, and the loop goes on.
bool ss_loop_folded(struct loop *loop);
void ss_fold_outcome(struct task *task, struct ss_outcome *outcome);

// ------------------------------------------------ enter.c (spec 5.2-5.3)

// Enter a root loop with its run's input or command. On error the run fails
// with loop->error. `again`: a recovery; nothing is stored or shown.
int ss_loop_enter_root(struct loop *loop, bool again, struct ss_error *error);
// Enter the root loop of a run that was found, from its rows.
int ss_loop_recover_root(struct loop *loop, struct ss_error *error);
// Enter a nested loop, for its parent_task.
int ss_loop_enter_child(struct loop *loop, struct ss_error *error);
bool ss_resume_is_id_map(const json_t *resume);

// ------------------------------------------------ task.c (spec 6)

void ss_task_start(struct task *task);
void ss_task_retry_due(struct task *task);
// Run the writers of a task that has its return value (task->returned).
void ss_task_write(struct task *task);
// True: it was the answer to a look into the cache, and its task goes on.
bool ss_task_looked(struct engine *engine, const struct ss_event *event);
void ss_task_outcome(struct task *task, struct ss_outcome *outcome);
void ss_task_child_ended(struct task *task, struct loop *child);
// The task goes: out of the lists of those that wait, with the graph inside.
void ss_task_leave(struct task *task);

// ------------------------------------------------ cache.c (R6.28)

// What a look into the cache came to.
enum cache_found {
    CACHE_ANOTHERS, // it was not an answer to one
    CACHE_LACKS,    // the task's body is to run
    CACHE_WAITS,    // asked again later; or its task has gone
    CACHE_HAS,      // the task has its writes
};
// Is there a result for it?
void ss_cache_ask(struct task *task);
// What was answered. *ret_task: whose it is, if it lacks a result or has it.
enum cache_found ss_cache_looked(struct engine *engine,
    const struct ss_event *event, struct task **ret_task);
// The task goes.
void ss_cache_forget(const struct task *task);
void ss_cache_fill(const struct task *task);

// ------------------------------------------------ commit.c (R6.4)

void ss_task_succeeded(struct task *task, bool cached);
// It asks `question`.
void ss_task_interrupted(struct task *task, json_t *question);
// It asks, and there is no answer for it now.
void ss_task_commit_interrupt(struct task *task);
// It failed for good; `handled`: its handler goes on.
void ss_task_commit_failure(
    struct task *task, int code, const char *message, bool handled);
// It has ended, whichever way: the loop looks what is next.
void ss_task_settled(struct task *task);
bool ss_task_ended(const struct task *task);
// Nobody else may be given the plain answer. `stored`: it has writes to say so.
void ss_task_took_plain(struct task *task, bool stored);

// ------------------------------------------------ tries.c (R6.20-R6.25)

// An attempt failed; there may be another one.
void ss_task_failed(struct task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *message);
// Those whose time has come are tried again.
void ss_tasks_retry(struct engine *engine);
// Its worker was lost: it is ready again, or it has failed. Gives the outcome of
// one without a body (an update's writers, a fold) that no worker survives, for
// who waits for it; else NULL.
struct ss_outcome *ss_task_lost(struct task *task, const char *why) SS_MUST_USE;
// After a crash: those that have not ended have failed, and were lost, so often,
// and wait as long as they would have.
void ss_loop_recover_tries(struct loop *loop);
// Task and answers -> the worker's order (order.c). Gives.
struct ss_order *ss_task_order(struct task *task);

// ------------------------------------------------ plain.c (R7.2, N1)

// The loop's tasks begin: who goes first with the plain answer.
void ss_plain_line(const struct loop *loop, struct task *const *sorted);
// The task is about to be sent: with the plain answer, if it is its. False: not
// yet, whose it is shows when all graphs that go on are planned; it begins then.
bool ss_plain_offer(struct task *task);
// The task is gone.
void ss_plain_forget(struct task *task);
// Its holder took it: nobody else is given it.
void ss_plain_taken(struct task *task);
// Its holder ended without it.
void ss_plain_released(struct run *run, struct task *task);
// The task's body goes to a worker, when its turn with the answer has come.
void ss_task_start_body(struct task *task);
// Who waits begins; those who asked meanwhile get it, or are told that there is
// none.
void ss_plain_settle(struct run *run);

// ------------------------------------------------ output.c (spec 10)

// The keys of `values` and `updates` events, and of the final output (R10.4).
// Borrowed from the graph or the run.
void ss_loop_keys(struct loop *loop, struct ss_keys *ret_shown,
    struct ss_keys *ret_final);
// The current output values of the loop (R10.4). Gives.
struct ss_value *ss_loop_output(
    struct loop *loop, const struct ss_keys *keys);
// The same, whole: to be shown. Gives.
json_t *ss_loop_output_json(struct loop *loop, const struct ss_keys *keys);

// ------------------------------------------------ snapshot.c (spec 9.1-9.2)

// A state snapshot of a saved checkpoint. `live`: read without an id. Gives.
json_t *ss_snapshot(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct ss_mark *mark, bool live, bool subgraphs);
// The output of a run that left the thread at that checkpoint. `live`: with what
// finished beside a question. Gives.
json_t *ss_snapshot_output(struct thread *thread, struct ss_graph *graph,
    struct ss_mark *mark, bool live, const struct ss_keys *keys);
json_t *ss_snapshot_empty(const struct thread *thread, const char *ns,
    const char *checkpoint_id);
// Metadata as shown: source, step, and the rest without what is ours alone.
json_t *ss_metadata_json(
    const char *source, int64_t step, const json_t *metadata);
// `keys`: what results show.
json_t *ss_snapshot_tasks(struct loop *loop, const struct ss_keys *keys,
    bool live, bool subgraphs);
// All that is saved of a checkpoint. Gives; NULL: its rows contradict each other.
json_t *ss_saved_json(struct thread *thread, struct ss_mark *mark);

#endif
