// explain.h - what happened to a run, and why it waits, as prose.
#ifndef SS_CLI_EXPLAIN_H
#define SS_CLI_EXPLAIN_H

#include <jansson.h>

#include "common/base/buf.h"

// Append sentences, a line each, from the answer to `explain`
// (docs/reference/requests.md). Borrows both.
void ss_explain_write(const json_t *explained, struct ss_buf *buf);

#endif
