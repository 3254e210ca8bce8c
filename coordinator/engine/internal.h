// internal.h - the engine's rooms as seen by each other (besides loop.h, thread.h).
#ifndef SS_ENGINE_INTERNAL_H
#define SS_ENGINE_INTERNAL_H

#include <stdlib.h>

#include "coordinator/engine/catalog.h"
#include "coordinator/engine/idempotency.h"
#include "coordinator/engine/loop.h"
#include "coordinator/engine/request.h"
#include "coordinator/engine/run_state.h"
#include "coordinator/engine/scheduler.h"
#include "coordinator/engine/shards.h"
#include "coordinator/engine/step.h"
#include "coordinator/engine/stream.h"
#include "coordinator/engine/thread.h"

// ------------------------------------------------ record.c

// The run of that name on that thread, if it is under way or waits for its turn
// here. NULL: it is not.
struct run *ss_run_live(const struct thread *thread, const char *name);
void ss_run_enlist(struct run *run);
void ss_run_unlist(struct run *run);
// All members know records whose keys name the thread.
bool ss_records_are_keyed(const struct engine *engine);
// The record of that run has its name alone as key, or is to have.
void ss_record_is_old(struct thread *thread, const char *run);
// A record was found: how its key is, is known from now on.
void ss_record_found(struct thread *thread, const json_t *record);
// All that was put is durable, and no run is under way.
void ss_records_rest(struct thread *thread);
// What is stored of a run, in the thread's next unit. Takes `record`.
void ss_record_put(struct thread *thread, const char *run, json_t *record);
// The same by itself, without rows; the tag that is answered.
uint64_t ss_record_store(
    struct thread *thread, const char *run, json_t *record);
// Nobody finds the run any more, whatever its key is.
void ss_record_drop(struct thread *thread, const char *run);
// A record of a run, as lists show it. Gives.
json_t *ss_record_shown(const struct ss_record *record);

// ------------------------------------------------ trial.c

// A run found after a crash: it is counted before anything of it is read.
void ss_trial_add(struct thread *thread, json_t *record);
void ss_trials_fini(struct engine *engine);
// True: it was the answer to a trial's record.
bool ss_trial_stored(struct engine *engine, const struct ss_event *event);
// At the start of a step, and at its end.
void ss_trials_next(struct engine *engine);
void ss_trials_wake(struct engine *engine);
// Those of threads that have moved are their owners' to count.
void ss_trials_let_go(struct engine *engine);
// A row of it is made: it is not what ended its coordinator.
void ss_run_survives(struct run *run);
// A quarantined run was found.
void ss_run_parked(struct thread *thread, json_t *record);
// A run whose cancel did not become durable is parked again. False: this is none.
bool ss_doomed_found(struct thread *thread, const char *run);
void ss_doomed_forget(struct thread *thread);
// A quarantined run is to be cancelled: its thread is read. Where the cancel does
// not become durable it is parked again.
void ss_parked_doom(struct thread *thread);
// It goes on, on trial.
void ss_parked_release(struct thread *thread);

// ------------------------------------------------ reply.c, reply_later.c

// {"code", "message"}. Gives.
json_t *ss_error_json(int status, const char *message);
// A checkpoint as people name it. Gives.
json_t *ss_config_json(const struct thread *thread, const char *ns,
    const char *id, const json_t *parents);
// Answer now. Takes `body`.
void ss_reply(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
// Answer when `thread`'s head is durable. Takes `body`.
void ss_reply_durable(
    struct thread *thread, const char *peer, uint64_t id, json_t *body);
// A list of an answer, in the making (page.c): of at most body's `limit` items.
struct page {
    json_t *items;
    size_t count_max;
    size_t size; // of the items, in bytes of JSON
    bool more;   // something did not fit
};
void ss_page_init(struct page *page, const json_t *body);
// Ask before an item is made: it would be one too many.
bool ss_page_is_full(struct page *page);
// Takes `item`; where it does not fit, the page is full.
void ss_page_add(struct page *page, json_t *item);
// {name: [item...]}, and "more" where it was cut. Gives.
json_t *ss_page_close(struct page *page, const char *name);
// Answer with an error. `peer` NULL: nobody asked, and nothing is sent.
void ss_reply_error(struct engine *engine, const char *peer, uint64_t id,
    int status, const char *format, ...) SS_PRINTF(5, 6);
// The thread has no run of that name: told when all is durable. It may have been
// taken back just now, and a crash would bring it back.
void ss_reply_no_run(
    struct thread *thread, const char *peer, uint64_t id, const char *run);
// A checkpoint of the thread cannot be put together: its rows contradict each
// other.
void ss_reply_torn(struct thread *thread, const char *peer, uint64_t id,
    const struct ss_mark *mark);

// ------------------------------------------------ graphs.c

// The requests `graphs`, `graph`, `draw`, `compile`.
void ss_graphs_list(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
void ss_graphs_graph(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
void ss_graphs_draw(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
void ss_graphs_compile(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);

// ------------------------------------------------ graph_ref.c

// What a request means by its graph and namespace (R9.2).
struct place {
    struct ss_graph *root;  // borrowed
    struct ss_graph *graph; // borrowed: the one whose namespace it is
    bool known;             // some graph lives there
    char *ns;               // owned (ss_free)
};
// False: `error` says that the graph is not known, or has no state of its own.
bool ss_place_find(struct engine *engine, struct thread *thread,
    const json_t *body, struct place *ret, struct ss_error *error);

// ------------------------------------------------ scan.c

// Ask the store's small tables about the request that is being served, then
// answer it, or serve it on the thread that they name. Borrows all.
void ss_request_scan(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
// What they answered.
void ss_records(struct engine *engine, const struct ss_event *event);
void ss_scans_fini(struct engine *engine);

// ------------------------------------------------ run.c

// One that nobody knows yet, of that graph (NULL: not known). Gives; free it with
// ss_run_free() until ss_run_forget() has it.
struct run *ss_run_new(struct thread *thread, struct ss_graph *graph);
void ss_run_free(struct run *run);
// It begins on a thread that is free. An error: it did not, and it is as if it had
// never been; it is the caller's still.
int ss_run_enter(struct run *run, struct ss_error *error) SS_MUST_USE;
// Its turn has come.
void ss_run_enter_queued(struct run *run);
// The row that says how the run was entered; run->entry is its entry part.
void ss_run_begin_row(struct run *run);
// Which graph the thread last used, in its record.
void ss_thread_remember(struct thread *thread, const struct ss_graph *graph);
// What is stored of it in `runs`. Gives.
json_t *ss_run_record(const struct run *run, const char *status);
// The final answer. Gives.
json_t *ss_run_result(const struct run *run, const char *status);
// Its root loop has ended: so does the run.
void ss_run_root_ended(struct run *run);
// The same of all whose root loops left since, in that order.
void ss_runs_end(struct engine *engine);
// It has ended: row, record, answers. Takes `result`.
void ss_run_finish(struct run *run, const char *status, json_t *result);
// Nobody finds it any more; it is freed at the end of the step.
void ss_run_forget(struct run *run);
void ss_runs_free_ended(struct engine *engine);
// Drop it from memory, unfinished: who listens gets this error.
void ss_run_abandon(struct run *run, int status, const char *message);
// A run as its entry row tells it, to show it: nobody runs it. NULL: its graph
// is not known. Free it with ss_run_free().
struct run *ss_run_shadow(
    struct thread *thread, const struct ss_run_facts *facts);

// ------------------------------------------------ run_options.c

// Read what `body` says of the run; once for each. Borrows it. SS_EINVAL says
// which option is wrong.
int ss_run_parse(
    struct run *run, json_t *body, struct ss_error *error) SS_MUST_USE;

// ------------------------------------------------ thread_owner.c

extern const struct thread_owner ss_runs_owner;

// ------------------------------------------------ recover.c

// A run found in the store goes on when its thread has been read. Its thread,
// borrowed; NULL: there is nothing to do about it.
struct thread *ss_run_found(
    struct engine *engine, json_t *record, bool crashed);
// False: its graph is not known yet; it waits for a worker that announces it.
bool ss_run_recover(struct thread *thread, const char *id);
// The same, and who listened to `before` (or NULL), the same run, listens to it.
bool ss_run_recover_as(
    struct thread *thread, const char *id, struct run *before);

// ------------------------------------------------ queue.c

// What a request wants if its thread is busy.
enum if_busy {
    IF_BUSY_REJECT,
    IF_BUSY_ENQUEUE,
    IF_BUSY_INTERRUPT,
    IF_BUSY_ROLLBACK,
};

// No run may begin on it, nobody may write to it.
bool ss_thread_busy(const struct thread *thread);
enum { SS_BUSY_TEXT_SIZE = SS_UUID_SIZE + 16 };
// "run X", "an update": for messages.
void ss_thread_busy_with(
    const struct thread *thread, char ret_text[SS_BUSY_TEXT_SIZE]);
int ss_queue_strategy(
    const json_t *body, enum if_busy *ret, struct ss_error *error) SS_MUST_USE;
// End those before `run` as the strategy says, or see that there is room behind
// them. SS_ELIMIT: there is none.
int ss_queue_make_way(struct run *run, enum if_busy if_busy,
    struct ss_error *error) SS_MUST_USE;
// It waits for its turn, behind those who do. Takes `run`.
void ss_queue_join(struct run *run);
// One of a coordinator before us.
void ss_queue_found(struct thread *thread, json_t *record);
// A queued run is over before it began. `taken_back`: as if never asked for.
void ss_queue_leave(struct run *run, const char *why, bool taken_back);
// At the end of this step, see whether the next one may begin.
void ss_queue_later(struct thread *thread);
// True: some began, or ended.
bool ss_queue_turns(struct engine *engine);
// The thread's hot state is dropped: those that are durable wait on.
void ss_queue_broken(struct thread *thread, int status, const char *message);
void ss_queue_fini(struct thread *thread);

// ------------------------------------------------ migrate.c

// The run goes on as that version of its graph: {"run", "thread", "graph", "from",
// "to"}. One that waits to be recovered waits on. Gives; NULL: `error` says why
// not.
json_t *ss_run_migrate(struct thread *thread, const char *run_id,
    const char *version, struct ss_error *error);
// The version of graph `name` that is meant, exactly or by its first letters;
// NULL `version`: the one announced last. Borrowed; NULL after an error was set.
struct ss_graph *ss_graph_version(struct engine *engine, const char *name,
    const char *version, struct ss_error *error);

// ------------------------------------------------ cancel.c

// The word in `runs` for a run whose rows are about to be void.
#define SS_RUN_TAKEN_BACK "rollback"

// `taken_back`: its rows are void too, and nobody finds it any more.
void ss_run_cancel(struct run *run, const char *why, bool taken_back);
// One that waits to be recovered. False: there is none of this id.
bool ss_run_cancel_awaited(struct thread *thread, const char *id,
    const char *why, bool taken_back);
// A run of a coordinator before us that was to be taken back.
void ss_run_take_back_found(struct thread *thread, const char *id);
// Make its rows from `from` on void; `but_entries`: not those that say how it was
// entered.
void ss_run_void_rows(struct thread *thread, const char *id, uint64_t from,
    bool but_entries);
// The rows of one that is taken back may be void now.
bool ss_run_take_back(struct thread *thread);

// ------------------------------------------------ change.c (spec 9.3)

struct change;
// The request `update`.
void ss_change_request(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
// What a worker made of a task of an update. May free the change.
void ss_change_outcome(struct task *task, struct ss_outcome *outcome);
// The graph whose workers serve it. Borrowed.
const struct ss_graph *ss_change_graph(const struct change *change);
// Nobody serves its version any more: the superstep that waits is planned with
// the one that is served. May free it.
void ss_change_plan_anew(struct change *change);
void ss_change_free(struct change *change);
// Answer with that error, and free it.
void ss_change_abandon(struct change *change, int status, const char *message);

// ------------------------------------------------ change_check.c

// Its value is null, as __end__ (R9.16).
bool ss_update_is_clear(const json_t *update);
// It says that it is made as the node of this name.
bool ss_update_is_as(const json_t *update, const char *name);
// What may stand in a superstep: R1.13, R9.8, R9.10. False: not this (`error`).
bool ss_update_check_superstep(const json_t *updates, struct ss_error *error);
// A request: its supersteps, and how many they are. SS_EINVAL, SS_ELIMIT.
int ss_update_check(const json_t *body, struct ss_error *error);

// ------------------------------------------------ turn.c (R9.12, R9.13)

// The node as which `update` is made; `single`: it need not say that. NULL: none
// is, or it writes nothing, and `error` (SS_EUPDATE) says what to do. Borrowed
// from the loop's graph.
const struct ss_node *ss_turn_node(struct loop *loop, const json_t *update,
    bool single, struct ss_error *error);
// Gives `task`, of that node, its id: the one that is given, that of the node's
// next task that is planned, or a made-up one. `used`: of the loop's tasks, those
// whose ids are taken.
void ss_turn_name(struct task *task, const json_t *update, bool *used);

// ------------------------------------------------ read.c

// The requests `state`, `history`, `checkpoints`, `journal`.
void ss_read_state(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
void ss_read_history(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
void ss_read_checkpoints(struct thread *thread, const char *peer,
    uint64_t id, json_t *body);
void ss_read_journal(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);

// ------------------------------------------------ prune.c

// The request `prune`.
void ss_prune_thread(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
// The run that began last, as its rows tell it; NULL: none. Borrowed.
const struct ss_run_facts *ss_thread_newest_run(const struct thread *thread);

// ------------------------------------------------ explain.c

// The request `explain`, on the run's thread.
void ss_explain_thread(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
// The same of a run that its record alone tells of. Gives.
json_t *ss_explain_outlived(
    const struct engine *engine, const json_t *record);

// ------------------------------------------------ thread_record.c

// What is stored; NULL: nothing is.
void ss_thread_record_found(struct thread *thread, const json_t *record);
// Put it with `news` (taken) in the place of what it said of them.
void ss_thread_put_record(struct thread *thread, json_t *news);

// ------------------------------------------------ delete.c

// False: it is busy, and who asked has been told so.
bool ss_thread_is_free(struct thread *thread, const char *peer, uint64_t id);
// Whether the conditions of a prune or a delete spare the thread: it was used
// less than `idle_ms` ago, or (`keep_waiting`) it waits for an answer. That is
// answered then.
bool ss_thread_spared(struct thread *thread, const char *peer, uint64_t id,
    const json_t *body);

// The request `delete`.
void ss_delete_thread(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);

// ------------------------------------------------ copy.c

// The request `copy`.
void ss_copy_thread(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
// A copy, when the thread that it goes to has been read. `body`: {"thread": from
// which, "key"?}.
void ss_copy_into(struct thread *to, const char *peer, uint64_t id,
    json_t *body);

// ------------------------------------------------ import.c

// The request `import`.
void ss_import_thread(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);

// ------------------------------------------------ pause.c

// The record of what holds the tasks of that graph back; `version` NULL: of all
// its versions. Borrowed; NULL: it goes on.
const json_t *ss_pause_of(
    const struct engine *engine, const char *graph, const char *version);
const json_t *ss_pause_of_run(const struct run *run);
// The same of a record of `runs`, if it has not ended.
const json_t *ss_pause_of_record(
    const struct engine *engine, const json_t *record);
void ss_pauses_read(struct engine *engine, const struct ss_event *event);
// True: it was the answer to a change of ours.
bool ss_pause_stored(struct engine *engine, const struct ss_event *event);
void ss_pauses_fini(struct engine *engine);
// The requests `pause`, `unpause` and `pauses`.
void ss_pause_request(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
void ss_unpause_request(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
void ss_pauses_request(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
// All records, by key. Gives.
json_t *ss_pauses_json(const struct engine *engine);

// ------------------------------------------------ show.c

// The requests `tasks` and `settings`.
void ss_show_tasks(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
void ss_show_settings(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);

#endif
