// keys.h - CURVE keys on disk: our own pair, and the keys that may come in.
//
// A folder of keys (--keys DIR) holds these files, as far as a process needs
// them:
//
//   NAME.key         0600  a pair, and what it is for. A process takes the one
//                          that is called like its role: coordinator.key,
//                          worker.key, operator.key or client.key
//   coordinator.pub        the public half of the coordinators' key: workers
//                          and clients know by it that they reached the right
//                          one. All coordinators of a cluster share one key.
//   allowed                what a coordinator lets in, "ROLE NAME PUBLIC-KEY" a
//                          line; read again when it changes
//
// In place of DIR the file of one key may be named; the others lie beside it.
// Public and secret halves are 40 characters of Z85 (ZeroMQ RFC 32). The files
// are certificates as czmq's zcert has them: any program with czmq reads ours,
// and ours read its own (key_file.h).
#ifndef SS_LINK_KEYS_H
#define SS_LINK_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "common/model/roles.h"

enum {
    SS_KEY_TEXT_SIZE = 41, // 40 characters and a NUL
    SS_KEY_NAME_SIZE = 64, // letters, digits, ".", "_", "-", and a NUL
};

#define SS_KEYS_ENVIRONMENT "SUPERSTEP_KEYS"
#define SS_KEYS_ALLOWED     "allowed"
#define SS_KEYS_SERVER      "coordinator.pub"
#define SS_KEYS_OF_ENGINE   "/run/secrets/"

struct ss_key {
    char name[SS_KEY_NAME_SIZE];
    enum ss_role role;
    char public_half[SS_KEY_TEXT_SIZE];
    char secret_half[SS_KEY_TEXT_SIZE]; // "": not known
};

// Is `name` valid for a key? SS_EINVAL says what is wrong with it.
int ss_key_check_name(const char *name, struct ss_error *error) SS_MUST_USE;
// Is it 40 characters of Z85?
bool ss_key_is_public_half(const char *text);
// A new pair from the system's randomness. SS_EINVAL: the name; SS_EIO: libzmq
// was built without CURVE.
int ss_key_make(const char *name, enum ss_role role, struct ss_key *ret_key,
    struct ss_error *error) SS_MUST_USE;
// Overwrite the secret half.
void ss_key_forget(struct ss_key *key);
// The pair is that of `socket` (libzmq's, or czmq's) from now on. SS_EIO:
// libzmq was built without CURVE.
int ss_key_apply(
    const struct ss_key *key, void *socket, struct ss_error *error) SS_MUST_USE;

// Write DIR/NAME.key, readable for its owner only, and for a coordinator's key
// DIR/coordinator.pub. SS_EEXISTS: never over another one; SS_EIO.
int ss_key_save(const struct ss_key *key, const char *dir,
    struct ss_error *error) SS_MUST_USE;
// Read the key at `path`, or PATH_secret where that is there, as zcert_load()
// does. SS_ENOTFOUND, SS_EIO, SS_EFORMAT (with the line).
int ss_key_load(const char *path, struct ss_key *ret_key,
    struct ss_error *error) SS_MUST_USE;
// May others than its owner read the file? Files that a container engine mounts
// (SS_KEYS_OF_ENGINE) are not checked: their modes, and who else is in the
// container, are the engine's business.
bool ss_key_is_exposed(const char *path);

// The key of our own in `keys`, a folder or a file: the first of `roles` (bits)
// that is there, an operator's before a client's. Errors: of ss_key_load();
// SS_EDENIED: the file is a key for another role.
int ss_keys_own(const char *keys, unsigned roles, struct ss_key *ret_key,
    struct ss_error *error) SS_MUST_USE;
// The file of that key if it is exposed; NULL otherwise, and without `keys`
// (NULL, ""). Gives.
char *ss_keys_exposed(const char *keys, unsigned roles);
// The coordinators' public half. Errors as above.
int ss_keys_server(const char *keys, char ret_public_half[SS_KEY_TEXT_SIZE],
    struct ss_error *error) SS_MUST_USE;
// The path of `name` in the folder, or beside the file, `keys`. Gives.
char *ss_keys_path(const char *keys, const char *name);

#endif
