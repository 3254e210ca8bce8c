// here.h - tests of whole graphs in this process, a line for each thing asked.
//
// One local runner, on a SQLite file of its own, with a clock that jumps over
// what waits. Answers are looked into by a path ("interrupts.0.value") and
// compared with JSON text, keys sorted. What is given back belongs to the
// bench, until the test ends.
#ifndef SS_TESTS_STORIES_HERE_H
#define SS_TESTS_STORIES_HERE_H

#include <check.h>
#include <jansson.h>
#include <stdlib.h>

#include <superstep/local.h>

// The graphs of this file's tests; ends with a NULL name.
extern const struct ss_app_graph here_graphs[];

void here_begin(void); // fixtures of each test
void here_end(void);
// As if the process had died and come back: the store stays.
void here_restart(void);

// JSON text with ' for ", so that it can be written in C.
json_t *here_json(const char *text);
// What stands at a path; NULL: nothing.
json_t *here_at(const json_t *json, const char *path);
// As text, keys sorted; "nothing" for NULL.
const char *here_text(const json_t *json);

// Any request, by its body as text; it must be answered.
json_t *here_ask(const char *op, const char *body);
// The same with events (body's "stream"): *ret_events, a list.
json_t *here_follow(const char *body, json_t **ret_events);
// It must be refused: with this code, and a message that has these words.
void here_refused(
    const char *op, const char *body, const char *code, const char *words);

// Runs of the graph `graph` on the thread of the same name.
json_t *here_run(const char *graph, const char *input);
json_t *here_command(const char *graph, const char *command);
json_t *here_go_on(const char *graph);
json_t *here_state(const char *graph);
json_t *here_history(const char *graph);
json_t *here_update(const char *graph, const char *update);
// The run must have failed so.
void here_failed(const json_t *answer, const char *code, const char *words);
// The id of the checkpoint that is `back` before the newest (0: that one).
const char *here_checkpoint(const char *graph, size_t back);
// The id of the `index`th open question.
const char *here_question(const char *graph, size_t index);

#define here_is(json, path, text)                                              \
    ck_assert_str_eq(                                                          \
        here_text(here_at((json), (path))), here_text(here_json(text)))

int here_main(const char *name, const TTest *const *tests, size_t count);

#define HERE_SUITE(name, ...)                                                  \
    int main(void)                                                             \
    {                                                                          \
        const TTest *const tests[] = {__VA_ARGS__};                            \
        return here_main(name, tests, sizeof(tests) / sizeof(*tests));         \
    }

#endif
