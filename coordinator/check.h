// check.h - would a coordinator with these options do well? A look that changes
// nothing and listens nowhere.
#ifndef SS_COORDINATOR_CHECK_H
#define SS_COORDINATOR_CHECK_H

#include "common/model/finding.h"
#include "coordinator/shell.h"

// What is wrong with them, each to `found`.
void ss_coordinator_check(const struct ss_coordinator_options *options,
    ss_finding_fn *found, void *ctx);

#endif
