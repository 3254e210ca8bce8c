// task.h - one execution of one node, as the author's functions see it. Only
// execute.c, task.c, route.c and messages.c include it.
#ifndef SS_WORKER_TASK_H
#define SS_WORKER_TASK_H

#include <stdarg.h>
#include <superstep/superstep.h>

#include "common/model/task.h"
#include "worker/application.h"
#include "worker/execute.h"

struct ss_task {
    const struct ss_assignment *order;
    const struct ss_bound_graph *graph;
    size_t node; // index
    const struct ss_execute_hooks *hooks;
    struct ss_outcome *outcome; // being made
    // what the body wrote, in order; each NULL if empty
    json_t *update;  // the first one: most bodies make no other
    json_t *updates; // the others
    json_t *set;     // of these: what ss_set_*() fill, or NULL. Borrowed
    json_t *gotos;   // names and sends
    json_t *parents; // commands to the graph around
    json_t *values;  // given to ss_return()
    // questions
    size_t asked_count;
    bool plain_taken;
    json_t *lent; // answers as the body got them: keeps them alive
    bool failed;  // outcome has code and message
};

// One question to a router, or one value to a mapped write.
struct ss_route {
    struct ss_task *task;
    json_t *state;  // borrowed
    json_t *answer; // given to ss_route_return(), or NULL
    json_t *picks;  // names and sends, or NULL
    void *ctx;
};

// All of its input, decoded. Borrowed from the order.
json_t *ss_task_input(const struct ss_task *task);
// Record a failure in the task's outcome; the first one sticks.
void ss_task_fail(struct ss_task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *format, ...) SS_PRINTF(5, 6);
void ss_task_fail_args(struct ss_task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *format, va_list args);
// Whether `item`, which `call` made of a node's name, is there. A name that is
// NULL or not UTF-8 fails the task: it would lead nowhere, without a word.
bool ss_task_names_node(
    struct ss_task *task, const char *call, const json_t *item);
// The result of all calls of the body, as one value with marks (writers.h).
// Gives.
json_t *ss_task_returned(const struct ss_task *task);
void ss_task_fini(struct ss_task *task);

// answer.c: is `answer` what `type` ("integer", ...) says, leniently ("5" is an
// integer; spec R7.21)? Gives *ret_value, converted. Other types: anything.
bool ss_answer_fits(const char *type, json_t *answer, json_t **ret_value);

// messages.c: the messages in what the body returned (R10.13). Those without an
// id get one, which the given copy of `returned` carries on. Borrows
// `returned`; gives a copy and the list of messages.
json_t *ss_messages_collect(
    const char *task_id, json_t *returned, json_t **ret_messages);

// route.c: the hooks of ss_writers_run(); ctx is a struct ss_task.
extern const struct ss_writer_hooks ss_task_writer_hooks;
// Fold the writes of one superstep with the author's reducer: an overwrite
// replaces all, two are SS_EUPDATE. Gives *ret_value.
int ss_task_fold(const struct ss_bound_reducer *reducer, const char *channel,
    json_t *value, json_t *writes, json_t **ret_value,
    struct ss_error *error) SS_MUST_USE;

#endif
