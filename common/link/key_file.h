// key_file.h - the text of a key's file: a certificate as zcert writes them, or
// what Superstep wrote before.
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
// freed and in buffers of stdio, writes over what is there, changes the umask
// of the whole process meanwhile, and prints what it finds wrong
// (docs/decisions/0025).
#ifndef SS_LINK_KEY_FILE_H
#define SS_LINK_KEY_FILE_H

#include "common/link/keys.h"
#include "common/link/limits.h"

// Overwrite what was secret, also where nobody reads it again.
void ss_secret_forget(void *bytes, size_t size);

// The certificate of `key`, with both halves, or without the secret one. The
// caller forgets it.
void ss_key_file_print(const struct ss_key *key, bool is_secret,
    char ret_text[SS_KEY_FILE_SIZE_MAX]);
bool ss_key_file_is_certificate(const char *text);
// What `text` says, which is cut to pieces; what it does not say stays as it is
// in *key. SS_EFORMAT, with `path` and the line, which is not shown: it may be
// the secret.
int ss_key_file_parse(const char *path, char *text, struct ss_key *key,
    struct ss_error *error) SS_MUST_USE;

#endif
