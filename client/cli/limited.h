// limited.h - limits of tasks, as a table.
#ifndef SS_CLI_LIMITED_H
#define SS_CLI_LIMITED_H

#include <jansson.h>
#include <stdbool.h>

// Print the limits of an answer to `limits` (borrowed), or the one of that name
// (NULL: all). False: it has none of that name.
bool ss_limited_print(const json_t *answer, const char *name);

#endif
