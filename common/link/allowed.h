// allowed.h - the list of the keys that a coordinator lets in.
//
// A file of lines "ROLE NAME PUBLIC-KEY" in the folder of keys (keys.h); lines
// that begin with "#" are comments. It is read again when it changes, so that a
// key can be allowed or revoked under a running coordinator.
#ifndef SS_LINK_ALLOWED_H
#define SS_LINK_ALLOWED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/link/keys.h"

struct ss_allowed {
    char *path;
    struct ss_map keys; // public half -> struct ss_key *, in the file's order
    int64_t looked_ms;  // when the file was looked at last
    // The state of the file when it was read.
    struct timespec changed;
    ino_t inode;
    off_t size;
};

// An empty list, that of `keys` (a folder or a file, as in keys.h).
void ss_allowed_init(struct ss_allowed *allowed, const char *keys);
void ss_allowed_fini(struct ss_allowed *allowed);
// Read the file. An error leaves the list as it was: SS_ENOTFOUND, SS_EIO,
// SS_EFORMAT and SS_ELIMIT (with the line).
int ss_allowed_read(
    struct ss_allowed *allowed, struct ss_error *error) SS_MUST_USE;
// Read the file if the last look is SS_KEYS_LOOK_MS old and the file has
// changed. *ret_changed: the list has changed. Errors as above, once for each
// change; a file that is gone allows nobody.
int ss_allowed_refresh(struct ss_allowed *allowed, int64_t now_ms,
    bool *ret_changed, struct ss_error *error) SS_MUST_USE;
// Borrowed until the next change; NULL: not allowed.
const struct ss_key *ss_allowed_find(
    const struct ss_allowed *allowed, const char *public_half);
// Add, or replace what has this public half. SS_EEXISTS: another key has that
// name; SS_ELIMIT.
int ss_allowed_put(struct ss_allowed *allowed, const struct ss_key *key,
    struct ss_error *error) SS_MUST_USE;
// By name or public half. False: there is none.
bool ss_allowed_remove(struct ss_allowed *allowed, const char *name_or_key);
// Put the list in place of the file, all at once. SS_EIO.
int ss_allowed_write(
    struct ss_allowed *allowed, struct ss_error *error) SS_MUST_USE;

#endif
