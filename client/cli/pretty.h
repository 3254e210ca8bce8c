// pretty.h - a value on a terminal: in as many rows as are left for it.
#ifndef SS_CLI_PRETTY_H
#define SS_CLI_PRETTY_H

#include <jansson.h>
#include <stdbool.h>

#include "client/cli/screen.h"
#include "common/base/buf.h"

// The rows that a value may take on a terminal: half of it, so that what stood
// there before still does. At least a few.
size_t ss_pretty_rows(const struct ss_screen *screen);

// Append the value: what fits into a line stands in one, and of what takes more
// than `rows` rows each member gets its share of them. Rows are at most
// `width` columns. Returns whether something is missing. With 0 `rows` nothing
// is: rows may be as long as a text in them.
bool ss_pretty_write(
    const json_t *value, size_t width, size_t rows, struct ss_buf *buf);

#endif
