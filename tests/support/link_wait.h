// link_wait.h - wait for one link, as tests do.
#ifndef SS_TESTS_SUPPORT_LINK_WAIT_H
#define SS_TESTS_SUPPORT_LINK_WAIT_H

#include "common/link/link.h"

// ss_link_wait_all() with one descriptor, or none (-1).
static inline int link_wait(struct ss_link *link, int fd, int timeout_ms)
{
    return ss_link_wait_all(link, &fd, 1, timeout_ms);
}

#endif
