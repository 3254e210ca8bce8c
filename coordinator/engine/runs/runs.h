// runs.h - runs: made, entered, found again, cancelled, moved, and their
// records.
#ifndef SS_ENGINE_RUNS_H
#define SS_ENGINE_RUNS_H

#include <jansson.h>
#include <stdbool.h>

#include "common/base/status.h"
#include "coordinator/engine/threads/thread.h"

struct census;
struct engine;
struct run;
struct ss_engine_counts;
struct ss_map;
struct ss_graph;
struct ss_request;
struct ss_record;
struct ss_run_rows;

extern const struct thread_owner ss_runs_owner;

// ------------------------------------------------ under_way.c

void ss_runs_init(struct engine *engine);
// At the end: frees those that threads have, and then, when the threads are
// freed, the rest.
void ss_runs_drop(struct engine *engine);
void ss_runs_fini(struct engine *engine);
// What they count, of what an engine does.
void ss_runs_count(
    const struct engine *engine, struct ss_engine_counts *counts);
// Those that are under way or wait for their turn, each under a key of its own.
const struct ss_map *ss_runs_all(const struct engine *engine);

// ------------------------------------------------ record.c

// The run of that name on that thread, if it is under way or waits for its turn
// here. NULL: it is not.
struct run *ss_run_live(const struct thread *thread, const char *name);
// All members know records whose keys name the thread.
bool ss_records_are_keyed(const struct engine *engine);
// The record of that run has its name alone as key, or is to have.
void ss_record_is_old(struct thread *thread, const char *run);
// Nobody finds the run any more, whatever its key is.
void ss_record_drop(struct thread *thread, const char *run);
// A record of a run, as lists show it. Gives.
json_t *ss_record_shown(const struct ss_record *record);

// ------------------------------------------------ run.c

// One that nobody knows yet, of that name and graph (NULL: not known). Gives;
// free it with ss_run_free() until ss_run_forget() has it.
struct run *ss_run_new(
    struct thread *thread, const char *id, struct ss_graph *graph);
void ss_run_free(struct run *run);
// That is said of its thread in the unit in which it becomes known. Takes
// `facts`: all that is said of the thread then.
void ss_run_brings(struct run *run, json_t *facts);
// It begins on a thread that is free. An error: it did not, and it is as if it
// had never been; it is the caller's still.
int ss_run_enter(struct run *run, struct ss_error *error) SS_MUST_USE;
// Ends the runs whose root loops have left since, in that order.
void ss_runs_end(struct engine *engine);
// Frees those that were forgotten in this step.
void ss_runs_free_ended(struct engine *engine);
// A run as its entry row tells it, to show it: nobody runs it. NULL: its graph
// is not known. Free it with ss_run_free().
struct run *ss_run_shadow(
    struct thread *thread, const struct ss_run_rows *rows);

// ------------------------------------------------ run_options.c

// Read what is asked of the run; once for each. Borrows it. SS_EINVAL says
// which option is wrong.
int ss_run_parse(struct run *run, const struct ss_request *request,
    struct ss_error *error) SS_MUST_USE;
// The same of a request as a row or a record has it: its body.
int ss_run_parse_stored(
    struct run *run, const json_t *body, struct ss_error *error) SS_MUST_USE;

// ------------------------------------------------ recover.c

// A run found in the store goes on when its thread has been read. Its thread,
// borrowed; NULL: there is nothing to do about it.
struct thread *ss_run_found(
    struct engine *engine, json_t *record, bool crashed);
// False: its graph is not known yet; it waits for a worker that announces it.
bool ss_run_recover(struct thread *thread, const char *id);

// ------------------------------------------------ migrate.c

// The run goes on as that version of its graph: {"run", "thread", "graph",
// "from", "to"}. One that waits to be recovered waits on. Gives; NULL: `error`
// says why not.
json_t *ss_run_migrate(struct thread *thread, const char *run_id,
    const char *version, struct ss_error *error);

// ------------------------------------------------ cancel.c

// `taken_back`: its rows are void too, and nobody finds it any more.
void ss_run_cancel(struct run *run, const char *why, bool taken_back);
// One that waits to be recovered. False: there is none of this id.
bool ss_run_cancel_awaited(
    struct thread *thread, const char *id, const char *why, bool taken_back);
// A run of a coordinator before us that was to be taken back.
void ss_run_take_back_found(struct thread *thread, const char *id);

// ------------------------------------------------ run_verify.c

// At the end of each step: nobody has anything to do in it.
void ss_runs_verify_rest(const struct engine *engine);
// Of all runs.
void ss_runs_verify(const struct engine *engine, struct census *census);

#endif
