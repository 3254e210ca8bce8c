// limits.h - the bounds of the stores, each with its reason.
#ifndef SS_STORE_LIMITS_H
#define SS_STORE_LIMITS_H

#include <stddef.h>

enum {
    // Units of one commit: what a full queue may add to everybody's wait.
    SS_STORE_BATCH_MAX = 1024,
    // Reads that later commits may overtake while a batch is gathered.
    SS_STORE_OVERTAKEN_MAX = 64,
    // The same batch again when it is in doubt; then the caller decides.
    SS_STORE_TRIES_MAX = 4,
    // How long another process may write to the file (a backup, a person with
    // a shell) before a commit is put off.
    SS_STORE_BUSY_MS = 5000,
};

// One body: SQLite's own limit is 1,000,000,000 bytes for a value and for a
// row.
#define SS_STORE_BODY_SIZE_MAX ((size_t)512 * 1024 * 1024)

#endif
