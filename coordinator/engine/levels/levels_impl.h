// levels_impl.h - all of a loop and of its tasks, and what waits in this room:
// those that go on later, and what those above have yet to hear.
//
// The state of the graph is its machine's (common/pregel).
#ifndef SS_ENGINE_LEVELS_LEVELS_IMPL_H
#define SS_ENGINE_LEVELS_LEVELS_IMPL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/told.h"
#include "coordinator/engine/threads/lineage.h"

struct entry;
struct sink;
struct ss_error;
struct ss_value;

// A custom reducer's fold (ask_fold.c); of zeros in any other task. Owned.
struct task_fold {
    char *channel;
    json_t *writes;
    struct ss_value *value; // the answer
};

struct task {
    struct task_facts facts; // in front
    json_t *answers;         // resume list (R3.18), or NULL
    json_t *used_answers;    // those that the last attempt was given back
    bool resume_value_given; // the resume value without an id went out with its
                             // attempt
    bool goes_first;         // it may be, unless a question is open elsewhere
    bool took_plain;         // a task inside, that stores nothing, took it
    bool restored;           // writes came from earlier pending writes
    bool error_handled;      // a handler took its error
    struct task *failed;     // HANDLER: whose failure it handles
    uint64_t tried_seq;      // rows up to here are of tries before
    struct task_items items;
    json_t *parent; // PARENT: the command
    char *cache_key;
    struct task_fold fold;
};
_Static_assert(offsetof(struct task, facts) == 0, "ss_task_facts() sees them");

// How the checkpoint of a level stands to the journal.
struct save_state {
    int64_t wall_us;    // when it was made; 0: it was loaded
    bool dirty;         // it is not in the journal (exit)
    bool answer_taken;  // under `exit`: its resume value without an id
    bool unsaved_state; // the channels are not those that are saved
    // By enum ss_told: told before a crash, of what comes now; NULL: nothing.
    uint32_t *told;
};

// Of the graph around a level, where that is in its first superstep.
enum inherited { INHERITED_NOTHING, INHERITED_ANEW, INHERITED_RESUMING };

// How a level was entered (R5.1, R5.5, R5.6). Entering writes it
// (enter_child.c, enter_root.c), and nobody afterwards.
struct loop_entry {
    bool superseded;          // at a checkpoint that the thread has left
    bool resuming;            // is_resuming
    bool replaying;           // in its first superstep
    enum inherited inherited; // also by those inside
    uint64_t tried_seq;       // rows up to here are of a try of its task before
};

// What custom reducers are asked (ask_fold.c).
struct loop_folds {
    struct task **items; // FOLDING: owned, one pseudo task for each channel
    size_t count;
    const struct fold_then *then;
};

// The resume value without an id, and whose it is (resume_value.c).
struct resume_value {
    struct ss_value *value; // NULL: none, or taken
    struct task *holder;    // whom it went out to
    struct task *first;     // who goes first, until graphs inside are planned
    bool aimed;             // it went to whose question was open
    size_t held;            // tasks that asked and wait for its way
};

struct run {
    struct run_facts facts; // in front
    struct resume_value resume_value;
    json_t *resume_map; // id -> answer, or NULL
    json_t *questions;  // ids that were open when it was entered (R7.12)
    // The entry part of its first row, borrowed, while it enters; may be NULL
    // once it has (runs/thread_owner.c).
    json_t *entry;
    char replay_id[SS_UUID_SIZE]; // replay state (R5.13); "" none
    struct ss_map replay_visited; // logical namespaces (R12.14)
    char *drain;                  // a node asked to stop
};
_Static_assert(offsetof(struct run, facts) == 0, "ss_run_facts() sees them");

struct loop {
    struct loop_facts facts; // in front
    struct task *parent_task;
    struct ss_machine *machine;
    bool not_folded; // of a view: a custom reducer's writes wait
    bool is_view;    // shown and dropped: no versions, nothing "updated" (R4.4)
    bool first_superstep;
    bool ticked; // its first tick was made
    uint32_t put_calls;
    int64_t stop;
    struct save_state saved;
    struct lineage lineage; // where the next checkpoint hangs
    struct ss_pendings pending;
    struct ss_arena tasks_memory; // of tasks and their texts: it goes with them
    struct loop_entry entered;
    struct entry *entry; // it is being entered (enter.c)
    size_t ended_to;     // tasks before this one have ended, for ever
    struct loop_folds folds;
    struct loop_result result;
    bool output_moved; // result.output is to be made, of the machine as it is
};
_Static_assert(offsetof(struct loop, facts) == 0, "ss_loop_facts() sees them");

// What is shown of the run of a loop that has one.
static inline struct run_facts *run_of(const struct loop *loop)
{
    return &loop->facts.run->facts;
}

// Where its superstep stands.
static inline struct ss_superstep ss_loop_stands(struct loop *loop)
{
    return (struct ss_superstep){.ns = loop->facts.ns,
        .checkpoint_id = loop->facts.checkpoint.id,
        .step = loop->facts.step,
        .stop = loop->stop,
        .memory = &loop->tasks_memory};
}

// A result that is looked for in the store (cache.c).
struct cache_look {
    uint64_t tag;
    struct task *task; // NULL: it is gone
};

// Of all runs of an engine.
struct levels {
    const struct sink *sink;
    size_t supersteps; // that ended in this step
    uint64_t saved;    // checkpoints of source "loop", in all
    uint64_t attempts_failed;
    SS_VEC(struct loop *) advance; // loops that may have something to do
    SS_VEC(struct loop *) resting; // between two supersteps, until a later step
    SS_VEC(struct loop *) roots_ended; // their runs have yet to end
    SS_VEC(struct task *) ready;   // tasks that are, and stand in no line yet
    size_t ready_taken;            // of those
    SS_VEC(struct task *) backoff; // tasks that wait for a time
    SS_VEC(struct cache_look) cache_looks;
    // Of one update, from its tasks to its end, and of the lists of one plan.
    struct ss_arena scratch;
    // Nothing is pending there: its memory is the next superstep's, of whatever
    // loop.
    struct ss_pendings spare;
};

// ------------------------------------------------ superstep.c

// One more: that of the node which handles `failed`.
struct task *ss_loop_plan_handler(struct loop *loop, struct task *failed);
// Of nothing yet, and in no list: not one of a superstep, whose tasks lie in
// one memory.
struct task *ss_task_new(struct loop *loop);

// ------------------------------------------------ ask_fold.c

void ss_fold_fini(struct task_fold *fold);

// ------------------------------------------------ task_state.c

// Nobody else changes them. A way that the table lacks is a bug of ours.
void ss_task_move(struct task *task, enum task_state to);
// A task of a run that is told again: it is shown as it ended, each time.
void ss_task_show(struct task *task, enum task_state as);

// ------------------------------------------------ loop_state.c

void ss_loop_move(struct loop *loop, enum loop_status to);

// ------------------------------------------------ loop.c

// It fails with that, and its enclosing task or its run is told.
void ss_loop_fail(struct loop *loop, const struct ss_error *error);

// ------------------------------------------------ later.c

// The loop goes: nobody finds it any more.
void ss_loop_leave(const struct loop *loop);

#endif
