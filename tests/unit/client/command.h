// command.h - the `superstep` command as people and scripts run it: a process
// of its own, against the scripted coordinator (scripted.h).
#ifndef SS_TEST_COMMAND_H
#define SS_TEST_COMMAND_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>

#include "tests/unit/client/scripted.h"

extern struct ss_buf out; // what the last command wrote
extern struct ss_buf err;

// Nobody listens; the command is told of an endpoint where nobody ever does.
void command_setup(void);
void command_teardown(void);
// The coordinator listens, and the command is told where.
void command_serve(void);

// From now on the command stands on a terminal of that size, with colours, for
// all three of its files: `out` has what it shows, `err` nothing, and input is
// typed. 0: no terminal.
void command_on_terminal(unsigned short rows, unsigned short columns);

// Run the program with these words (end with NULL) and this on standard input,
// and be its coordinator meanwhile. Its exit status.
int command_run(
    const char *program, const char *const *words, const char *input);
#define PROGRAM SS_TEST_BIN_DIR "/superstep"
#define RUN_WITH(input, ...)                                                   \
    command_run(PROGRAM, (const char *const[]){__VA_ARGS__, NULL}, (input))
#define RUN(...) RUN_WITH(NULL, __VA_ARGS__)

// The suite of that name, against the coordinator: returns main's. 77: built
// apart from the programs.
int command_main(
    const char *program, const char *name, void (*add_tests)(TCase *tcase));

void read_file(FILE *file, struct ss_buf *buf); // whole; closes it
void expect_out(const char *text);
void expect_err(const char *text);
// Since it was looked at last.
void expect_asked(const char *text);
// A wrong command line: status 2, `text` on standard error, and nothing on
// standard output.
void expect_usage(int status, const char *text);
bool says(const struct ss_buf *buf, const char *text);

// A thread that asks, and one of its questions, in a list of threads.
#define ASKS(thread, at, questions)                                            \
    "{\"thread\":\"" thread "\",\"graph\":\"g\",\"status\":\"interrupted\","   \
    "\"created_at\":\"2026-11-20\",\"updated_at\":\"2026-11-2" at              \
    "\",\"interrupts\":{" questions "}}"
#define QUESTION(id, value)                                                    \
    "{\"id\":\"" id "\",\"node\":\"ask\",\"value\":" value "}"

#define ACCEPTED "{\"run\":\"r1\",\"thread\":\"t1\",\"accepted\":true}"
#define DONE                                                                   \
    "{\"run\":\"r1\",\"thread\":\"t1\",\"status\":\"done\","                   \
    "\"output\":{\"log\":[\"hello\"]},\"interrupts\":[],\"stats\":"            \
    "{\"supersteps\":2,\"tasks\":3,\"restored\":0}}"

#endif
