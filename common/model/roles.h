// roles.h - the roles of keys (roles.def), as bits.
#ifndef SS_MODEL_ROLES_H
#define SS_MODEL_ROLES_H

enum ss_role {
    SS_ROLE_NONE = 0,
#define X(id, name, bit, grants, text) SS_ROLE_##id = (bit),
#include "common/model/roles.def"
#undef X
    // Whoever reaches a coordinator without keys: its own machine, or a
    // network that somebody called safe (--insecure).
    SS_ROLES_ALL = 15,
};

// "worker"; "none" for what is not a single role. Never NULL.
const char *ss_role_name(enum ss_role role);
// One line for people. Never NULL.
const char *ss_role_text(enum ss_role role);
// SS_ROLE_NONE: no role is called so.
enum ss_role ss_role_by_name(const char *name);
// The roles that a key of `role` speaks for, as bits.
unsigned ss_role_grants(enum ss_role role);

#endif
