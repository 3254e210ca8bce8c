// plan.h - a drawn graph: its description, and what its nodes do.
//
// A node's deed is a function of what it reads and of the answers it got, and
// nothing else, so a run has one right result, whatever befalls it. Its word
// holds a hash of all that it read: one write lost, doubled or out of order
// changes every word after it.
#ifndef SS_TESTS_SIM_PLAN_H
#define SS_TESTS_SIM_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/prng.h"
#include "common/model/graph.h"

enum {
    NODES_MAX = 8,
    TARGETS_MAX = 4,
    JOINS_MAX = 2,
    QUESTIONS_MAX = 2,
    VERSIONS = 2,
};

struct join {
    unsigned from; // bits of nodes
    size_t to;
};

struct role {
    char name[2];
    unsigned edges; // bits of nodes that follow
    bool is_first;  // start leads to it
    bool is_last;   // it leads to the end
    bool is_deferred;
    uint32_t questions; // it asks so many
    uint32_t failures;  // its first attempts fail
    bool breaks;        // it always fails; its handler does its deed
    bool hangs;         // its first attempt never ends by itself
    bool is_cached;     // what it wrote is kept for whoever reads the same
    bool is_extra;      // only the second version has it; it says nothing
    // A router behind it: draws from these by what it reads.
    unsigned routes;
    int back; // while there is little, it may go back to this node; -1
    // It sends to one node, or goes to some, by a command.
    int sends_to; // -1: does not
    uint32_t sends;
    unsigned gotos;
    struct plan *inner; // it is a graph
};

struct plan {
    char name[8];
    bool is_inner;
    enum ss_checkpointer keeps; // of an inner one
    size_t count;
    struct role roles[NODES_MAX];
    struct join joins[JOINS_MAX];
    size_t joins_count;
    bool folds;         // it has a key whose reducer is the application's
    uint32_t busy;      // loops and sends go on while n % 64 is less
    uint32_t cached_ms; // for so long; 0: for ever
    struct version {
        json_t *description;
        struct ss_graph *graph;
    } versions[VERSIONS]; // of a root
};

// `limit` (borrowed; or NULL) holds its nodes' tasks, together with those of
// other graphs.
struct plan *plan_draw(const char *name, struct ss_prng *dice,
    const json_t *limit, const json_t *also);
void plan_free(struct plan *plan);
// The plan of that name, in `plan` or inside it.
const struct plan *plan_find(const struct plan *plan, const char *graph);
// How many questions its nodes ask.
uint32_t plan_questions(const struct plan *plan);
// Nodes whose deed an update may do in their place (`is_last`: which nothing
// follows): so many, and one of them. Which one, the hash says.
size_t plan_count_writers(const struct plan *plan, bool is_last);
size_t plan_writer(const struct plan *plan, bool is_last, uint64_t hash);
// It is the node that one version has alone.
bool plan_is_extra(const char *node);
// An error handler has the role of its node; *ret_is_handler may be NULL.
const struct role *plan_role(
    const struct plan *plan, const char *node, bool *ret_is_handler);

// What a body decides.
struct deed {
    json_t *update;    // owned
    json_t *sends;     // args for the node that it sends to; owned or NULL
    unsigned gotos;    // bits
    char question[32]; // it asks this; "": it does not
};

// `input` and `answers` (a list) are borrowed.
struct deed plan_deed(const struct plan *plan, const struct role *role,
    json_t *input, const json_t *answers);
void deed_fini(struct deed *deed);
// What a root's body writes beside: which version it ran as, and its own
// number; and one more on that version's own counter. No node reads it, and
// nobody is shown it.
void plan_stamp(const struct plan *plan, const struct role *role,
    size_t version, uint64_t number, json_t *update);
// The version that such a stamp says; VERSIONS: it says none.
size_t plan_stamped(const json_t *stamp);
// The values without what stamps wrote. Gives.
json_t *plan_shown(const json_t *values);
// What the router behind a node decides, from what it reads: bits of nodes.
unsigned plan_route(
    const struct plan *plan, const struct role *role, json_t *state);
// The application's reducer. Gives.
json_t *plan_fold(const json_t *value, const json_t *write);
// The one right answer to a question. Gives.
json_t *plan_answer(const char *question);

#endif
