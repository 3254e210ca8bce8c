// bodies.h - what nodes of several stories do.
#ifndef SS_TESTS_STORIES_BODIES_H
#define SS_TESTS_STORIES_BODIES_H

#include "common/base/status.h"
#include "tests/stories/world.h"

// Asks "ok?" and says its name with the answer: "b:yes".
json_t *asks(struct visit *visit);
// Asks twice, "first?" and "second?": "b:one,two".
json_t *asks_twice(struct visit *visit);
// Fails for good.
json_t *fails(struct visit *visit);
// Fails with the author's word "flaky", until the third attempt.
json_t *fails_twice(struct visit *visit);
// Fails while the world says so, then says its name.
json_t *fails_at_will(struct visit *visit);
extern bool will_fail;
// Returns nothing.
json_t *says_nothing(struct visit *visit);
// Three sends to "t", of 1, 2 and 3.
json_t *sends_three(struct visit *visit);
// "t1" for the argument 1.
json_t *says_argument(struct visit *visit);
// Handles an error: says "mended".
json_t *mends(struct visit *visit);
// A custom reducer: the lists that were written, one behind the other.
json_t *glues(json_t *value, json_t *writes);
// Goes to "z" beside its edges.
json_t *goes_to_z(struct visit *visit);
// A command to the graph around: "up", and go to "z".
json_t *goes_up(struct visit *visit);

#endif
