// roles.c - the table of roles.
#include "common/model/roles.h"

#include <stddef.h>
#include <string.h>

static const struct {
    enum ss_role role;
    unsigned grants;
    const char *name;
    const char *text;
} roles[] = {
#define X(id, name, bit, grants, text) {SS_ROLE_##id, (grants), #name, (text)},
#include "common/model/roles.def"
#undef X
};

enum { ROLES_COUNT = sizeof(roles) / sizeof(*roles) };

const char *ss_role_name(enum ss_role role)
{
    for (size_t i = 0; i < ROLES_COUNT; i++)
        if (roles[i].role == role)
            return roles[i].name;
    return "none";
}

const char *ss_role_text(enum ss_role role)
{
    for (size_t i = 0; i < ROLES_COUNT; i++)
        if (roles[i].role == role)
            return roles[i].text;
    return "nothing";
}

enum ss_role ss_role_by_name(const char *name)
{
    for (size_t i = 0; i < ROLES_COUNT; i++)
        if (strcmp(roles[i].name, name) == 0)
            return roles[i].role;
    return SS_ROLE_NONE;
}

unsigned ss_role_grants(enum ss_role role)
{
    for (size_t i = 0; i < ROLES_COUNT; i++)
        if (roles[i].role == role)
            return roles[i].grants;
    return 0;
}
