// pending.h - what pending writes say of a task (R1.14), and what it finds
// there.
#ifndef SS_PREGEL_PENDING_H
#define SS_PREGEL_PENDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/pending.h"

struct ss_graph;
struct ss_planned_task;
struct ss_writes;

struct ss_pending_facts {
    bool finished;
    bool failed;
    json_t *interrupts; // last asked, or NULL; borrowed
    json_t *answers;    // `__resume__`, or NULL; borrowed
    json_t *error;      // {"code", "message"}, or NULL; borrowed
    const char *error_source;
    json_t *tries;      // of this run: see SS_NAME_TRIES, or NULL; borrowed
    uint64_t tries_seq; // the row that holds it
    json_t *tried;      // the same, also of a run before this one
    json_t *lost;       // the same of SS_NAME_LOST
    uint64_t lost_seq;
};

struct ss_pending_facts ss_pendings_facts(
    const struct ss_pendings *pending, const char *task_id);
// A write of this task was made by this run (how often it was tried, or lost,
// is none).
bool ss_pendings_ours(const struct ss_pendings *pending, const char *task_id);
// Output writes (neither control nor special) of a task. Appends copies.
void ss_pendings_output(const struct ss_pendings *pending, const char *task_id,
    struct ss_writes *writes);
// Its question is open: asked, unfinished, and not answered since (R7.12b).
bool ss_pendings_asks(const struct ss_pendings *pending, const char *task_id);
// Ids of all open questions (R7.12, R7.12b). Gives an array of text.
json_t *ss_pendings_questions(const struct ss_pendings *pending);
// The nodes whose open questions are nobody's: this graph does not have them.
// NULL: there are none. Gives a list of text.
json_t *ss_pendings_orphaned(
    const struct ss_pendings *pending, const struct ss_graph *graph);
// The open questions themselves. Gives a list of interrupts.
json_t *ss_pendings_open(const struct ss_pendings *pending);
// Ids of all that was ever asked there, answered or not. Gives the same.
json_t *ss_pendings_asked(const struct ss_pendings *pending);
// Some task took an answer in a run before, failed then, and asks nothing now.
bool ss_pendings_failed_answered(const struct ss_pendings *pending);
// Writes of the null task, in order. Appends copies.
void ss_pendings_null_writes(
    const struct ss_pendings *pending, struct ss_writes *writes);

// ------------------------------------------------ restore.c

struct ss_restore_options {
    const struct ss_pendings *pending;
    json_t *resume_map; // id of a question -> answer, or NULL
    bool recovering;    // the superstep of a crash
    bool replaying;     // only what this very run left counts
    bool superseded;    // the thread has left that checkpoint
    uint64_t since_seq; // rows up to here are of a try before
};

enum ss_found {
    SS_FOUND_NOTHING,  // it runs
    SS_FOUND_OUTPUT,   // it has finished: ss_pendings_output()
    SS_FOUND_HANDLED,  // it failed, and its handler runs instead (R6.19)
    SS_FOUND_FAILURE,  // it failed in this very run, before a crash: so it is
    SS_FOUND_QUESTION, // it asked, the same
};

// What a task finds in its checkpoint's pending writes. *ret_answers: those to
// its questions (R3.18); gives a list, or NULL: none.
enum ss_found ss_restore(const struct ss_planned_task *task,
    const struct ss_restore_options *options, json_t **ret_answers);

#endif
