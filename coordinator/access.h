// access.h - may a peer with these roles ask for that (access.def)?
#ifndef SS_COORDINATOR_ACCESS_H
#define SS_COORDINATOR_ACCESS_H

#include <stdbool.h>

#include "common/link/roles.h"
#include "common/wire/message.h"

// `roles` are bits, SS_ROLES_ALL for a peer without a key.
bool ss_access_message(unsigned roles, enum ss_message_type type);
bool ss_access_op(unsigned roles, const char *op);
// Is there a row for it? For the tests, which want one for every op.
bool ss_access_lists_op(const char *op);

#endif
