// limits.h - the bounds of the stores, each with its reason.
#ifndef SS_STORE_LIMITS_H
#define SS_STORE_LIMITS_H

#include <stddef.h>

enum {
    // Connections of one coordinator that append: a server runs a process for
    // each, and counts them (max_connections, 100 by default).
    SS_STORE_ACTORS_MAX = 8,
    // What a unit may weigh that the caller sends itself: it fits in a socket.
    SS_STORE_BEGIN_SIZE_MAX = 8 * 1024,
    // Units of one commit: a full queue delays everybody by so many.
    SS_STORE_BATCH_MAX = 1024,
    // Places for the newest rows that SQLite's store knows without asking, 16
    // bytes each. Threads take them by chance, and who shares one is asked for
    // again each time: of 1,000 at once so few that it does not count.
    SS_STORE_HEADS = 16 * 1024,
    // Rows of units go to the end of one table, and to their threads later
    // (sqlite_fresh.c), where a batch has so many units: fewer change few pages
    // anyway; and where a unit is so small: larger ones fill pages alone.
    SS_SQLITE_FRESH_UNITS = 4,
    SS_SQLITE_FRESH_UNIT_SIZE_MAX = 2048,
    // What a row takes beside its body, about.
    SS_SQLITE_FRESH_ROW_SIZE = 128,
    // What lies there moves at once, and a commit waits for it: more of it are
    // more rows for each page that changes.
    SS_SQLITE_FRESH_SIZE_MAX = 2 * 1024 * 1024,
    // Reads that later commits may overtake while a batch is gathered.
    SS_STORE_OVERTAKEN_MAX = 64,
    // Threads that are looked for with one question: a commit waits for it.
    SS_STORE_LOOKED_MAX = 64,
    // The same batch again when it is in doubt; then the caller decides. A
    // server that is away is waited for SS_STORE_RECONNECT_MS each time: ten
    // minutes, longer than what a server restarts or fails over in, and a
    // coordinator that gives up ends.
    SS_STORE_TRIES_MAX = 60,
    // What is tried again as a program ends.
    SS_STORE_LAST_TRIES_MAX = 4,
    // How long another process may write to the file (a backup, a person with
    // a shell) before a commit is put off.
    SS_STORE_BUSY_MS = 5000,
    // How long an apply waits for a lost server before it is put off, and the
    // pauses between attempts.
    SS_STORE_RECONNECT_MS = 10000,
    SS_STORE_RECONNECT_MS_MAX = 3600000,
    SS_STORE_PAUSE_MIN_MS = 20,
    SS_STORE_PAUSE_MAX_MS = 1000,
    // Rows or entries of one answer of a server: a reader that stops early has
    // asked for so many in vain.
    SS_STORE_PAGE_ROWS = 256,
    // Records that one answer to a search looks at: what few of them fit is
    // found in steps, and nobody waits long behind one.
    SS_STORE_FOUND_LOOKED_MAX = 10000,
    // Records of older programs that are told their times at once: so long a
    // search waits for them, and so long their rows are locked.
    SS_STORE_TELL_MAX = 1000,
    // Threads whose heads need not be asked for.
    SS_STORE_HEADS_MAX = 65536,
    // The size of a value that a session holds once, so that its server's
    // allocator keeps up to twice as much for it (postgres_connect.c): several
    // times the rows of a full commit.
    SS_STORE_SESSION_ROOM = 2 * 1024 * 1024,
    // How long the holder of a fence may take to finish before it is cut off.
    SS_STORE_FENCE_WAIT_MS = 500,
    // The room on a disk that counts as too little, and the difference of
    // clocks that counts as too large: leases are counted in seconds.
    SS_INSPECT_ROOM_MB = 64,
    SS_INSPECT_CLOCK_MS = 1000,
};

// One body: SQLite's own limit is 1,000,000,000 bytes for a value and for a
// row.
#define SS_STORE_BODY_SIZE_MAX ((size_t)512 * 1024 * 1024)

// Records of one answer to a search: threads that ask much have large ones, and
// an answer is in memory three times on its way out.
#define SS_STORE_FOUND_SIZE_MAX ((size_t)4 * 1024 * 1024)

// Bodies of one statement, if one does not pass it alone: a server takes a
// statement in memory, and at most 1 GB of it.
#define SS_STORE_STATEMENT_SIZE_MAX ((size_t)16 * 1024 * 1024)

#endif
