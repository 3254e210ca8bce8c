// runs_impl.h - a run's rows and records, as the files of runs share them.
#ifndef SS_ENGINE_RUNS_RUNS_IMPL_H
#define SS_ENGINE_RUNS_RUNS_IMPL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/model/run_status.h"
#include "coordinator/engine/levels/run.h"

struct engine;
struct ss_error;
struct ss_graph;
struct thread;

// What is kept of a run here. It lies in front of what levels keep of it.
struct run_part {
    json_t *facts;  // to be said of its thread as it begins; NULL: none are
    json_t *record; // while it waits for its turn (queue.c): what is stored of
                    // it, with its request; NULL: it runs
    uint64_t unit;  // that stores that
    int64_t created_us; // when it was asked for
    int64_t began_us;   // when its turn came; 0: it waits
    int64_t recoveries; // counted without a row since; 0: it is innocent
    bool cancelled;
};

static inline struct run_part *part_of(const struct run *run)
{
    return (struct run_part *)run - 1;
}

// ------------------------------------------------ record.c

// A record was found: how its key is, is known from now on.
void ss_record_found(struct thread *thread, const json_t *record);
// All that was put is durable, and no run is under way.
void ss_records_rest(struct thread *thread);
// What is stored of a run, in the thread's next unit. Takes `record`.
void ss_record_put(struct thread *thread, const char *run, json_t *record);
// What is stored of a run in `runs` while it stands so: for who adds to it.
// Gives.
json_t *ss_run_record(const struct run *run, enum ss_run_status status);
// That, in the thread's next unit.
void ss_run_record_put(const struct run *run, enum ss_run_status status);
// A record by itself, without rows; the tag that is answered. Takes `record`.
uint64_t ss_record_store(
    struct thread *thread, const char *run, json_t *record);

// ------------------------------------------------ run.c

// What it brings of facts is said, if it was not yet.
void ss_run_say_facts(struct run *run);
// Its turn has come.
void ss_run_enter_queued(struct run *run);
// The final answer. Gives.
json_t *ss_run_result(const struct run *run, enum ss_run_status status);
// Its root loop has ended: so does the run.
void ss_run_root_ended(struct run *run);
// It has ended: row, record, answers. Takes `result`.
void ss_run_finish(struct run *run, enum ss_run_status status, json_t *result);
// Nobody finds it any more; it is freed at the end of the step.
void ss_run_forget(struct run *run);
// Drop it from memory, unfinished: who listens gets this error.
void ss_run_abandon(struct run *run, int status, const char *message);

// ------------------------------------------------ recover.c

// As ss_run_recover(); who listened to `before` (or NULL), the same run,
// listens to it.
bool ss_run_recover_as(
    struct thread *thread, const char *id, struct run *before);

// ------------------------------------------------ migrate.c

// The version of graph `name` that is meant, exactly or by its first letters;
// NULL `version`: the one announced last. Borrowed; NULL after an error was
// set.
struct ss_graph *ss_graph_version(struct engine *engine, const char *name,
    const char *version, struct ss_error *error);

// ------------------------------------------------ cancel.c

// Make its rows from `from` on void; `but_entries`: not those that say how it
// was entered.
void ss_run_void_rows(
    struct thread *thread, const char *id, uint64_t from, bool but_entries);
// The rows of one that is taken back may be void now.
bool ss_run_take_back(struct thread *thread);

#endif
