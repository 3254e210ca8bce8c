// access.h - may a peer with these roles send that message (access.def), or
// that request (common/model/requests.def)?
#ifndef SS_CORE_ACCESS_H
#define SS_CORE_ACCESS_H

#include <stdbool.h>

#include "common/model/roles.h"
#include "common/wire/message.h"

// `roles` are bits, SS_ROLES_ALL for a peer without a key.
bool ss_access_message(unsigned roles, enum ss_message_type type);
// A request that is not in the table is for operators only.
bool ss_access_op(unsigned roles, const char *op);

#endif
