// check.h - would a coordinator start and work with these options? The check
// changes nothing and does not listen.
#ifndef SS_COORDINATOR_CHECK_H
#define SS_COORDINATOR_CHECK_H

#include "common/model/finding.h"
#include "coordinator/shell.h"

// Report each thing that is wrong with the options to `found`.
void ss_coordinator_check(const struct ss_coordinator_options *options,
    ss_finding_fn *found, void *ctx);

#endif
