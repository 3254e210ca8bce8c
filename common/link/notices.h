// notices.h - what an operator should know of a link, until it is reported.
//
// A hostile peer causes as many as it likes: a notice that finds no place is
// dropped; its event is counted (ss_link_counts), and will happen again.
#ifndef SS_LINK_NOTICES_H
#define SS_LINK_NOTICES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "common/link/limits.h"
#include "common/link/link.h"

// A ring, the oldest first. Zero bytes: nothing has happened.
struct ss_notices {
    struct ss_link_notice items[SS_LINK_NOTICES_MAX];
    size_t first, count;
};

// Keeps `kind`, which is a literal; copies the others, cut to fit.
void ss_notices_tell(struct ss_notices *notices, const char *kind,
    const char *who, const char *format, ...) SS_PRINTF(4, 5);
// Takes the oldest out. False: there is none.
bool ss_notices_take(struct ss_notices *notices, struct ss_link_notice *ret);

#endif
