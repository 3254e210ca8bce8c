// incidents.h - what an operator should know of a link, until it is told.
//
// A hostile peer makes as many as it likes: what finds no place is not told,
// only counted (ss_link_counts), and will happen again.
#ifndef SS_LINK_INCIDENTS_H
#define SS_LINK_INCIDENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"
#include "common/link/limits.h"
#include "common/link/link.h"

// A ring, the oldest first. Zero bytes: nothing has happened.
struct ss_incidents {
    struct ss_link_incident items[SS_LINK_INCIDENTS_MAX];
    size_t first, count;
};

// Keeps `kind`, which is a literal; copies the others, cut to fit.
void ss_incidents_tell(struct ss_incidents *incidents, const char *kind,
    const char *who, const char *format, ...) SS_PRINTF(4, 5);
// Takes the oldest out. False: there is none.
bool ss_incidents_take(
    struct ss_incidents *incidents, struct ss_link_incident *ret);

#endif
