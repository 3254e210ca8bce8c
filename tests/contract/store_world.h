// store_world.h - what tests of stores share: a folder of their own, rows and
// units said shortly, and reading back as text.
#ifndef SS_TESTS_CONTRACT_STORE_WORLD_H
#define SS_TESTS_CONTRACT_STORE_WORLD_H

#include "coordinator/store/store.h"

// memory, sqlite, both with the decorator; postgres, and with the decorator
enum { STORE_KINDS = 4, STORE_KINDS_WITH_POSTGRES = 6 };

// Start a server for the kinds that need one; how many kinds there are now.
// A line on stderr says what is left out.
int world_server_begin(void);
void world_server_end(void);
// Its URL for a schema of this test's own. Borrowed.
const char *world_server_url(void);

// Make a folder for this test, and remove it with all that is in it.
void world_begin(void);
void world_end(void);
// "FOLDER/name". Borrowed; the last eight stay.
const char *world_path(const char *name);

// A fresh store of that kind (or the same file once more). Gives.
struct ss_store *world_open(int kind);
bool world_keeps(int kind); // what is closed can be opened again

// Row `seq` of `thread` with `body`. Borrows.
struct ss_store_row row_of(const char *thread, uint64_t seq, const char *body);
// Apply one unit; its result, or the error of the whole.
int apply_unit(struct ss_store *store, struct ss_store_unit *unit);
// Append one row to a thread.
int append_row(
    struct ss_store *store, const char *thread, uint64_t seq, const char *body);
// Append rows of the newest format, and one of before, to thread t; what people
// are to see of it in the view `checkpoints`, by the number of the row, asked
// for by this statement (of printf, for the number).
enum { VIEW_ROWS = 7 };
void append_for_view(struct ss_store *store);
extern const char view_sql[], *const view_told[VIEW_ROWS];
// Put or delete (value NULL) one entry.
int put_entry(struct ss_store *store, const struct ss_store_put *put);

// "1:one 2:two", the rows from..to. Borrowed until the next call.
const char *rows_text(
    struct ss_store *store, const char *thread, uint64_t from, uint64_t to);
const char *all_rows(struct ss_store *store, const char *thread);
// "a=1 b=2", the entries of a scan. Borrowed until the next call.
const char *entries_text(struct ss_store *store, enum ss_store_table table,
    const char *index, const char *after, size_t limit);
const char *all_entries(struct ss_store *store, enum ss_store_table table);

extern struct ss_error world_error; // of the last call that failed

#endif
