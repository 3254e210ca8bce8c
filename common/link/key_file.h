// key_file.h - the text of a key's file: a certificate as zcert writes them, or
// the form that Superstep wrote before.
//
//   certificate (czmq; ZPL, ZeroMQ RFC 4)        before
//
//   metadata                                     name ci-7
//       name = "ci-7"                            role worker
//       role = "worker"                          public rq:rM>}U?@Lns47E1%kR...
//   curve                                        secret
//   D:)Q[IlAW!ahhC2ac:9*A...
//       public-key = "rq:rM>}U?@Lns47E1%kR..."
//       secret-key = "D:)Q[IlAW!ahhC2ac:9*A..."
//
// Read and written by hand, because zcert leaves secrets in memory that is
// freed and in buffers of stdio, overwrites existing files, changes the umask
// of the whole process meanwhile, and prints its errors (docs/decisions/0025).
#ifndef SS_LINK_KEY_FILE_H
#define SS_LINK_KEY_FILE_H

#include "common/link/keys.h"
#include "common/link/limits.h"

// Overwrite a secret, even where the memory is not read again.
void ss_secret_forget(void *bytes, size_t size);

// The certificate of `key`, with or without its secret half. The caller must
// overwrite it (ss_secret_forget).
void ss_key_file_print(const struct ss_key *key, bool is_secret,
    char ret_text[SS_KEY_FILE_SIZE_MAX]);
bool ss_key_file_is_certificate(const char *text);
// Parse `text`, which is cut to pieces; members of *key that it does not name
// stay as they are. SS_EFORMAT, with `path` and the number of the line; the
// line itself is not shown, as it may be the secret.
int ss_key_file_parse(const char *path, char *text, struct ss_key *key,
    struct ss_error *error) SS_MUST_USE;

#endif
