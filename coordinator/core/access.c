// access.c - who may ask for what.
#include "coordinator/core/access.h"

#include <stddef.h>

#include "common/model/requests.h"

enum {
    WORKER = SS_ROLE_WORKER,
    CLIENT = SS_ROLE_CLIENT,
    OPERATOR = SS_ROLE_OPERATOR
};

static const struct {
    enum ss_message_type type;
    unsigned roles;
} messages[] = {
#define M(type, roles) {SS_MESSAGE_##type, (roles)},
#include "coordinator/core/access.def"
#undef M
};

enum { MESSAGES_COUNT = sizeof(messages) / sizeof(*messages) };

static bool may(unsigned roles, unsigned wanted)
{
    return roles == SS_ROLES_ALL || (roles & wanted) != 0;
}

bool ss_access_message(unsigned roles, enum ss_message_type type)
{
    for (size_t i = 0; i < MESSAGES_COUNT; i++)
        if (messages[i].type == type)
            return may(roles, messages[i].roles);
    return may(roles, OPERATOR);
}

bool ss_access_op(unsigned roles, const char *op)
{
    const struct ss_op_row *row = ss_op_by_name(op);
    bool is_for_clients = row && row->who == SS_OP_FOR_CLIENTS;
    return may(roles, is_for_clients ? CLIENT : OPERATOR);
}
