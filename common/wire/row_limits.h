// row_limits.h - the bounds of a journal row's body, each with its reason.
#ifndef SS_WIRE_ROW_LIMITS_H
#define SS_WIRE_ROW_LIMITS_H

#include <stddef.h>

// A snapshot of the largest states that make sense; SQLite takes 10^9 bytes.
#define SS_ROW_SIZE_MAX ((size_t)512 * 1024 * 1024)

// Larger bodies are stored as they are: the search for what repeats takes a few
// milliseconds a megabyte of the coordinator's one thread, and a reader
// believes a short body no more than this. So are those with larger values
// before them.
#define SS_ROW_SHORT_SIZE_MAX ((size_t)16 * 1024 * 1024)

// What shortens rows keeps this much memory from one to the next: most have
// some hundreds of bytes, those of a conversation that is sent along some
// hundred thousand, one after another.
#define SS_SHORTENER_KEPT ((size_t)1024 * 1024)

enum {
    // Unpacking may take this much memory, plus so many times the body: a
    // channel with a name of one letter has 8 bytes there and 200 here.
    SS_ROW_BUDGET_BASE = 64 * 1024,
    SS_ROW_BUDGET_FACTOR = 32,
    // Values of earlier rows that a short body names: a superstep of more tasks
    // repeats the others.
    SS_ROW_SOURCES_MAX = 4096,
    // What is said of each: how far before, and where.
    SS_ROW_SOURCE_SIZE_MAX = 20,
};

#endif
