// access.c - the table of rights.
#include "coordinator/access.h"

#include <stddef.h>
#include <string.h>

enum { WORKER = SS_ROLE_WORKER, CLIENT = SS_ROLE_CLIENT,
    OPERATOR = SS_ROLE_OPERATOR };

static const struct {
    enum ss_message_type type;
    unsigned roles;
} messages[] = {
#define M(type, roles) {SS_MESSAGE_##type, (roles)},
#define O(op, roles)
#include "coordinator/access.def"
#undef M
#undef O
};

static const struct {
    const char *op;
    unsigned roles;
} ops[] = {
#define M(type, roles)
#define O(op, roles) {#op, (roles)},
#include "coordinator/access.def"
#undef M
#undef O
};

enum {
    MESSAGES_COUNT = sizeof(messages) / sizeof(*messages),
    OPS_COUNT = sizeof(ops) / sizeof(*ops),
};

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

static unsigned roles_of(const char *op)
{
    for (size_t i = 0; i < OPS_COUNT; i++)
        if (strcmp(ops[i].op, op) == 0)
            return ops[i].roles;
    return 0;
}

bool ss_access_op(unsigned roles, const char *op)
{
    unsigned wanted = roles_of(op);
    return may(roles, wanted ? wanted : (unsigned)OPERATOR);
}

bool ss_access_lists_op(const char *op)
{
    return roles_of(op) != 0;
}
