// steps.h - the lines that show a run's supersteps.
//
//     step 1  greet     {"log": ["hello Ada"]}        0.6 ms
//     step 3  measure   812/1400 tasks  ▇▇▇▇▇▇▇▁▁▁▁▁  58 %  eta 9 s
//
// Fed with the events of the modes "progress" and "updates"; a line is finished
// when the next superstep begins. The last line is redrawn while its superstep
// goes on, if somebody watches.
#ifndef SS_CLI_STEPS_H
#define SS_CLI_STEPS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/buf.h"

struct ss_steps;

// `width`: of the terminal.
struct ss_steps *ss_steps_new(size_t width, int64_t now_us);
void ss_steps_destroy(struct ss_steps **steps);
// Take an event; a line that it finishes is appended to `ret_lines`.
void ss_steps_event(struct ss_steps *steps, const json_t *event, int64_t now_us,
    struct ss_buf *ret_lines);
// The run is over: append what is unfinished.
void ss_steps_end(
    struct ss_steps *steps, int64_t now_us, struct ss_buf *ret_lines);
// Append the line of the superstep that goes on, without a newline; nothing if
// it has hardly begun.
void ss_steps_live(
    const struct ss_steps *steps, int64_t now_us, struct ss_buf *ret_line);

#endif
