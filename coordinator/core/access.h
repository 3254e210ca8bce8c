// access.h - may a peer with these roles send that message (access.def), and
// ask for that (common/model/requests.def)?
#ifndef SS_CORE_ACCESS_H
#define SS_CORE_ACCESS_H

#include <stdbool.h>

#include "common/model/roles.h"
#include "common/wire/message.h"

// `roles` are bits, SS_ROLES_ALL for a peer without a key.
bool ss_access_message(unsigned roles, enum ss_message_type type);
// What is not a row of the table only an operator may.
bool ss_access_op(unsigned roles, const char *op);

#endif
