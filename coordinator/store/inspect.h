// inspect.h - is a store what a coordinator wants? A look that changes nothing:
// no table is made, no schema brought up, no lease taken.
#ifndef SS_STORE_INSPECT_H
#define SS_STORE_INSPECT_H

#include "common/model/finding.h"

// What is wrong with the store at `url` (store.h). Each goes to `found`.
void ss_store_inspect(const char *url, ss_finding_fn *found, void *ctx);

#endif
