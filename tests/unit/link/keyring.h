// keyring.h - what tests of keys share: a folder of a coordinator's key, of a
// worker's, which is allowed, and of a stranger's, which is not.
#ifndef SS_TESTS_UNIT_LINK_KEYRING_H
#define SS_TESTS_UNIT_LINK_KEYRING_H

#include "common/link/keys.h"

extern char folder[64];
extern struct ss_key coordinator, worker, stranger;

// A new folder, for each test. It goes with those keys, the list, and "odd":
// nothing else may be in it.
void keyring_begin(void);
void keyring_end(void);

// Of a file in the folder. Borrowed until the next call.
const char *path_of(const char *name);
// The file says this, and nothing else.
void write_text(const char *name, const char *text);
// Puts it on the list of allowed keys.
void allow(const struct ss_key *key);

#endif
