// inspect.h - is a store fit for a coordinator? The check changes nothing: it
// makes no table, migrates no schema and takes no lease.
#ifndef SS_STORE_INSPECT_H
#define SS_STORE_INSPECT_H

#include "common/model/finding.h"

// Report each thing that is wrong with the store at `url` (store.h) to `found`.
void ss_store_inspect(const char *url, ss_finding_fn *found, void *ctx);
// Whether the disk of the store at `url` is nearly full, as a text; NULL: it is
// not, or the store has none of its own (PostgreSQL's is another machine's).
// Gives.
char *ss_store_lacks_room(const char *url);

#endif
