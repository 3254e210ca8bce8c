// run_key.h - the key under which the record of a run stands.
//
//   "same" on thread "dup0"     same<32 spaces>04|dup0
//    name, filled up to 36 bytes ----^          ^  ^--- thread
//                           its length in bytes-'
//
// A run is named by its thread and its own name: the same name on another
// thread is another run. All keys of one name begin alike and no others do, so
// a name alone is a range of keys. They stand in the order of the names, and
// each is longer than any name: coordinators that read less than
// SS_ROW_FORMAT_5 have the name alone as key, and the two never meet
// (docs/decisions/0018-a-run-is-named-by-thread-and-run.md).
#ifndef SS_MODEL_RUN_KEY_H
#define SS_MODEL_RUN_KEY_H

#include <stdbool.h>

#include "common/base/ids.h"

enum { SS_RUN_PREFIX_SIZE = SS_UUID_SIZE - 1 + 3 + 1 };

// A name of a run has 1 to SS_UUID_SIZE - 1 bytes.
bool ss_run_name_fits(const char *run);
// The key of run `run` (which fits) on that thread. Gives.
char *ss_run_key(const char *run, const char *thread);
// How all keys of that name begin.
void ss_run_prefix(const char *run, char ret_prefix[SS_RUN_PREFIX_SIZE]);
// True: a key as above. False: the name of a run alone.
bool ss_run_key_names_thread(const char *key);
// Where a list goes on that has shown the record under `key`. Gives.
char *ss_run_place(const char *key);
// Behind which key a list goes on: such a place, or a name, of which all have
// been shown then. Gives.
char *ss_run_after(const char *place);

#endif
