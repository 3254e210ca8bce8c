// edges.h - short words for the tests of sharp edges: graph "g", thread "t",
// one worker, one client; each word says what holds now, or fails the test.
#ifndef SS_TESTS_UNIT_ENGINE_EDGES_H
#define SS_TESTS_UNIT_ENGINE_EDGES_H

#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/unit/pregel/bench.h"

// The graph of this test (chart()), and its worker.
void given(const char *edges, const char *extra);
// Run it: `more` are members of the request: "'input': {'x': []}".
json_t *go(const char *more);
#define FRESH "'input': {'x': []}"
#define GO_ON "'input': null"

// The last run's answer.
void gives(const char *output);
void ended(const char *status);        // "done", "interrupted", ...
void refused(const char *code);        // or failed with it
void asked(const char *questions);     // a list of their values
void warned(const char *part_of_it);   // NULL: of nothing
const char *question_id(size_t index); // borrowed

// update_state: a js list of supersteps. Its answer, borrowed.
json_t *update(const char *supersteps);
json_t *update_at(const char *checkpoint, const char *supersteps);

// The newest state; its tasks are told as "b: asks, c: done, d", by what each
// has: error, asks, done.
void state_has(const char *key, const char *expected);
void tasks_are(const char *expected);
// The whole history, newest first: "loop 1, loop 0, input -1".
void history_is(const char *expected);
// The id of the history's entry number `index` (0: the newest). Borrowed.
const char *history_id(size_t index);
json_t *history_entry(size_t index);

// Saved checkpoints of all namespaces, oldest first; a negative index counts
// from the newest (-1).
json_t *saved(int index);
size_t saved_count(void);
void saved_has(int index, const char *key, const char *expected);
// One member of a member: saved_in(-1, "channel_versions", "x", "3"); NULL: it
// is not there.
void saved_in(
    int index, const char *key, const char *inner, const char *expected);
// Its pending writes as "channel idx, channel idx".
void writes_are(int index, const char *expected);

// How often the node ran.
size_t ran(const char *node);
// What the client has seen since the last call: "updates {..}" a line; without
// the narration.
void sees(const char *expected);
// Begin to look now.
void look_away(void);

#endif
