// task.h - what a worker is asked to do, and what it answers.
//
// An order is self-contained: the worker needs it and its application, nothing
// else. An outcome is one complete list of writes, or why there is none
// (spec/engine.md 6.1, R0.7). Both are plain owned data; JSON is shared,
// immutable.
#ifndef SS_MODEL_TASK_H
#define SS_MODEL_TASK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/writers.h"

// The name of an attempt: who dispatched it, and its number there. Never
// reused; how many attempts a task had is data, not a name.
struct ss_attempt {
    uint64_t epoch;
    uint64_t dispatch;
};

enum ss_assignment_kind {
    SS_ORDER_NODE,    // body, then writers
    SS_ORDER_WRITERS, // writers alone, on `returned` (update_state, subgraphs)
    SS_ORDER_FOLD,    // a custom reducer on `fold_value` and `fold_writes`
};

// A part of an order that may hold lists.
enum ss_assignment_part { SS_PART_INPUT, SS_PART_FRESH, SS_PART_FOLD };
enum { SS_PARTS_COUNT = SS_PART_FOLD + 1 };

// A list in an order goes as what the worker holds, and edits: in slot `slot`
// it finds the list `base`, does the edits, and keeps it as `stamp`.
struct ss_assignment_list {
    enum ss_assignment_part part;
    size_t at;  // which member of the part comes there ...
    char *name; // ... and its name; NULL: the part is the list
    uint64_t slot;
    uint64_t base; // 0: none, `delta` is the whole list
    uint64_t stamp;
    struct ss_value *delta; // or edits as in persistent_vector.h
};

// What a custom reducer is asked to make of a channel.
struct ss_asked_fold {
    char *channel;
    struct ss_value *value; // or NULL: missing
    json_t *writes;         // array
};

// What a body is given beside its input.
struct ss_given {
    json_t *answers;          // array: to what it asked before (R3.18); or NULL
    struct ss_value *plain;   // one more answer, taken by the first question
                              // beyond `answers`; or NULL (R7.2)
    struct ss_value *config;  // {"metadata", "configurable", "tags"}, or NULL
    struct ss_value *context; // or NULL
    json_t *error; // error handlers: {"node", "message", "code"}; or NULL
};

// Bytes of what many orders say alike: whoever writes orders makes them, once,
// and knows alone what is in them. Who owns what they say keeps them: one block
// of memory (ss_free).
struct ss_coded;

// Where what an order says is kept beside it.
struct ss_assignment_kept {
    char *texts; // what ss_assignment_keep() copied; or NULL
    // By owners, borrowed as texts are (NULL: nowhere; *place NULL, or 0: not
    // made yet):
    struct ss_coded **root; // app_graph, version
    struct ss_coded **node; // graph, node
    struct ss_coded **triggers;
    uint64_t *digest; // of version, graph and node
};

struct ss_assignment {
    struct ss_attempt attempt;
    enum ss_assignment_kind kind;
    // Eight texts, borrowed until ss_assignment_keep() makes them the order's.
    const char *app_graph; // name of the root graph, as announced
    const char *version;   // of the root graph
    const char *graph;     // the (inner) graph that holds the node
    const char *node;      // FOLD: ""
    const char *thread;
    const char *run;
    char task_id[SS_UUID_SIZE];
    char checkpoint_id[SS_UUID_SIZE]; // that the superstep started from
    const char *ns;   // the task's own namespace ("node:task-id", with parents)
    const char *path; // path_str
    int64_t step;
    int64_t stop;
    uint32_t attempt_number; // 1-based, for the node's eyes
    int64_t first_attempt_us;
    json_t *triggers; // sorted names
    struct ss_value *input;
    struct ss_given given;
    struct ss_fresh fresh; // what routers read; owned references here
    struct ss_timeouts timeouts;
    bool want_custom; // somebody listens to custom items
    bool want_messages;
    struct ss_value *returned; // WRITERS
    struct ss_asked_fold fold; // FOLD
    // Lists that go as edits. At the sender the parts are whole all the same
    // (they share with what it holds); from the wire they come without.
    SS_VEC(struct ss_assignment_list) lists;
    uint64_t digest;      // of what is given beside the input; 0: none
    uint64_t shard_epoch; // of the thread's shard, 0: it does not say
    uint64_t heard;       // the worker's newest beat when it was sent; 0: none
    struct ss_assignment_kept kept;
};

enum ss_outcome_kind {
    SS_OUTCOME_DONE,
    SS_OUTCOME_INTERRUPTED,
    SS_OUTCOME_FAILED,
    SS_OUTCOME_PARENT, // a Command to the parent graph
    SS_OUTCOME_CANCELLED,
};

enum ss_retryable {
    SS_RETRY_DEFAULT, // the engine's predicate decides by `code` (R6.22)
    SS_RETRY_YES,
    SS_RETRY_NO,
};

struct ss_outcome {
    struct ss_attempt attempt;
    char task_id[SS_UUID_SIZE];
    enum ss_outcome_kind kind;
    struct ss_writes writes; // DONE
    json_t *answers;         // array of answers that were returned to the
                             // body in this attempt (R7.1), or NULL
    bool took_plain;         // `plain` is one of them
    json_t *question;        // INTERRUPTED: {"value", "response_schema"?}
    json_t *parent;          // PARENT: the command
    int code;                // FAILED: SS_ENODE, SS_EUPDATE, SS_EANSWER, ...
    char *error_kind;        // FAILED: the author's word ("timeout"), or NULL
    char *message;           // FAILED
    enum ss_retryable retryable;
    json_t *messages;        // messages that the body returned (R10.13)
    json_t *warnings;        // DONE: an array of texts for people, or NULL
    char *drain;             // the body asked the run to stop: why; or NULL
    struct ss_value *folded; // FOLD
    int64_t ran_us;          // how long it took, for people
};

struct ss_assignment *ss_assignment_new(void);
// Once: copy the texts that it borrows into one block of its own. Nothing of it
// is kept elsewhere any more.
void ss_assignment_keep(struct ss_assignment *order);
// Of what decides an attempt beside its task's id, which stands for the
// checkpoint: the graph's version, answers, the resume value without an id, the
// error that is handled. Never 0.
uint64_t ss_assignment_digest(const struct ss_assignment *order);
void ss_assignment_destroy(struct ss_assignment **order);
// Forget order->lists.
void ss_assignment_lists_fini(struct ss_assignment *order);
// Where the part stands in the order.
struct ss_value **ss_assignment_part(
    struct ss_assignment *order, enum ss_assignment_part part);
// The part without what order->lists name. Gives; NULL: nothing is left.
struct ss_value *ss_assignment_rest(
    const struct ss_assignment *order, enum ss_assignment_part part);
// The other way: put the lists (`whole`, an array for each of order->lists,
// borrowed) into the parts, and forget order->lists. The parts hold these very
// arrays, which another thread may read while it holds the order: nobody
// changes one that somebody else holds. SS_EFORMAT: the parts have no place for
// them; the order is spoilt.
int ss_assignment_complete(
    struct ss_assignment *order, json_t *const *whole) SS_MUST_USE;
struct ss_outcome *ss_outcome_new(void);
void ss_outcome_destroy(struct ss_outcome **outcome);

// An attempt that a worker holds, offered to a new owner of its thread.
struct ss_offer {
    struct ss_attempt attempt;
    char task_id[SS_UUID_SIZE];
    char *thread;
    char *run;
    uint64_t digest; // as in its order
    bool ended;      // its outcome is there
};

// An offer that was taken: the attempt has another name from now on.
struct ss_adoption {
    struct ss_attempt held;
    struct ss_attempt as;
};

void ss_offer_fini(struct ss_offer *offer);

// Something that a running attempt shows live (R10.12, R10.13).
enum ss_live_kind { SS_LIVE_CUSTOM, SS_LIVE_MESSAGE, SS_LIVE_HEARTBEAT };

#endif
