// advice.h - questions that wait for an answer, and the command that answers.
#ifndef SS_CLI_ADVICE_H
#define SS_CLI_ADVICE_H

#include <jansson.h>
#include <stdio.h>

// Quote a text as one word for a shell. Gives (ss_free).
char *ss_cli_quote(const char *text);

// Print, on stdout, the command that shows all of a state of which a terminal
// was shown a part. `at`: of this checkpoint; `ns`: of this inner graph; or
// NULL.
void ss_cli_tell_all(const char *thread, const char *at, const char *ns);

// Print the interrupts of a run or a thread, each with its value, and the
// command that answers them. Without interrupts: how to go on behind a
// breakpoint.
void ss_cli_advise(
    const char *graph, const char *thread, const json_t *interrupts, FILE *to);

// The command that answers these questions of a thread, with a sample in the
// place of each answer. Gives.
char *ss_cli_answer(const char *thread, const json_t *interrupts);

#endif
