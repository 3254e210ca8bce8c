// growth_lab.h - the engine and a worker's session with the wire between them,
// and what each superstep costs in bytes and allocations.
#ifndef SS_TESTS_UNIT_ENGINE_GROWTH_LAB_H
#define SS_TESTS_UNIT_ENGINE_GROWTH_LAB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/wire/message.h"
#include "coordinator/engine/engine.h"
#include "worker/session/session.h"

struct ss_prng;

enum { LAB_SUPERSTEPS_MAX = 2200 };

struct cost {
    size_t row, order; // bytes
    size_t allocations, allocated;
};

struct job { // of the store
    uint64_t tag;
    bool reads;
};

struct lab {
    json_t *graph;
    struct ss_engine *engine;
    struct ss_session *session; // the worker's
    struct ss_prng *chance;     // NULL: nothing is lost
    int64_t now_ms;
    size_t supersteps; // the chat's length
    struct cost cost;  // since the last dispatch
    struct cost costs[LAB_SUPERSTEPS_MAX];
    SS_VEC(struct ss_buf) mail; // to the worker, on its way
    SS_VEC(struct ss_assignment *)
    due; // that it runs, as the engine meant them
    SS_VEC(struct job) stores;
    SS_VEC(struct ss_attempt) lacks;
    size_t lacked;
    size_t losses; // since a body ran last
    uint64_t asked;
    size_t reads;        // of threads, from the store
    size_t wholes;       // rows that hold all of the state
    bool edits_messages; // the chat replaces and removes some, too
    bool over;
    json_t *answer;
};
extern struct lab lab;

// A chain of so many nodes, one superstep each. Gives.
json_t *lab_chain(size_t nodes);
// Takes `graph`.
void lab_begin(json_t *graph, size_t supersteps, struct ss_prng *prng);
void lab_end(void);
void lab_step(struct ss_event *event);
void lab_go_on(void);
// What the client asks of a thread, and its answer is awaited.
void lab_ask(const char *op, const char *thread, json_t *body);
// A run of the graph; it is awaited, and done.
void lab_ask_run(void);
void lab_converse(void);
// A run on thread "t<number>", which has that text as its state then.
void lab_use_thread(unsigned number, const char *text);

#endif
