// scripted.h - a coordinator that answers by a script: what it says to each
// kind of request, and what it was asked.
#ifndef SS_TEST_SCRIPTED_H
#define SS_TEST_SCRIPTED_H

#include <stdint.h>

#include "common/base/buf.h"
#include "common/link/link.h"

// What it does with a request of this op.
struct script {
    const char *op;
    const char *items[6]; // not final, in order
    const char *final;    // NULL: it says no more
    const char
        *after; // only to a request that goes on behind this; NULL: to any
    const char *order; // only to a request for this order; NULL: to any
    unsigned times;    // no more than so often; 0: always
};

// One coordinator at a time; a test may put another one in its place.
extern struct ss_link *server;
extern uint64_t epoch;              // as its PONGs say
extern const char *members[2];      // the same; NULL: none
extern const struct script *script; // ends with an op of NULL; or NULL: silence
extern struct ss_buf was_asked;     // "op body", a line for each request

#define PLAY(...)                                                              \
    do {                                                                       \
        static const struct script lines[] = {__VA_ARGS__, {0}};               \
        script = lines;                                                        \
    } while (0)

// The list ends behind that item. It stands before the line of the list itself.
#define NO_MORE(list, behind)                                                  \
    {                                                                          \
        .op = (list), .after = (behind), .final = "{\"" list "\":[]}"          \
    }

// Nobody listens yet; epoch 1, no script, and nothing was asked.
void scripted_setup(void);
void scripted_teardown(void);
// Listen there.
void scripted_open(const char *endpoint);
// Answer what came in by now. The id of a run that was made up is "MADE UP" in
// `was_asked`.
void scripted_serve(void);
// Fail if anybody asked for what no line of the script is meant for: it was
// refused. A line without a `final` is meant to be waited for.
void scripted_end(void);

#endif
