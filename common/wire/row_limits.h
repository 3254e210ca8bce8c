// row_limits.h - the bounds of a journal row's body, each with its reason.
#ifndef SS_WIRE_ROW_LIMITS_H
#define SS_WIRE_ROW_LIMITS_H

#include <stddef.h>

// A snapshot of the largest states that make sense; SQLite takes 10^9 bytes.
#define SS_ROW_SIZE_MAX ((size_t)512 * 1024 * 1024)

enum {
    // Unpacking may take this much memory, plus so many times the body: a
    // channel with a name of one letter has 8 bytes there and 200 here.
    SS_ROW_BUDGET_BASE = 64 * 1024,
    SS_ROW_BUDGET_FACTOR = 32,
};

#endif
