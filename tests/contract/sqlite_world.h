// sqlite_world.h - what tests of the store in a file share: the store that is
// open, and what other programs do to its file.
#ifndef SS_TESTS_CONTRACT_SQLITE_WORLD_H
#define SS_TESTS_CONTRACT_SQLITE_WORLD_H

#include "coordinator/store/store.h"

extern struct ss_store *store; // of the test, closed after it

void sqlite_set_up(void);
void sqlite_tear_down(void);
// Open `store`.
void open_file(const char *url);
// It cannot be opened: the status, and the message, which has %s for the path.
void refuse_to_open(const char *path, int status, const char *message);
// Somebody with a shell.
void run_sql(const char *path, const char *sql);
// A statement of people's own, beside the owner; its only text. Borrowed.
const char *look(const char *path, const char *sql);
void write_file(const char *path, const char *text);

#endif
