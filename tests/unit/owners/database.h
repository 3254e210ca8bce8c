// database.h - one coordinator's owners, and the database that they ask. The
// test is the database: it answers what it likes, when it likes.
#ifndef SS_TESTS_UNIT_OWNERS_DATABASE_H
#define SS_TESTS_UNIT_OWNERS_DATABASE_H

#include "coordinator/owners/owners.h"

enum { LEASE_MS = 1000, SAFE_MS = 900 };

extern struct ss_owners *owners;
extern struct ss_owners_commands said;
extern int64_t now_ms;
extern struct ss_member members[4];
extern struct ss_cluster db;

void member(size_t index, const char *name, int64_t left_ms);
// The database gives from..to to members[index] (SS_NOBODY: to none).
void give(uint16_t from, uint16_t to, uint16_t index);
void step(struct ss_owners_event event);
void say(enum ss_owners_event_type type, int status);
void tick(int64_t ms);
// The lease was renewed without a command: asked for at `sent_ms`.
void kept(int status, int64_t sent_ms);
void looked(void);
const struct ss_owners_command *find(enum ss_owners_command_type type);
const struct ss_owners_command *must(enum ss_owners_command_type type);
size_t count_of(enum ss_owners_command_type type);
size_t active(void);
void set_up(void);
void tear_down(void);
// With a lease, and a look on its way.
void begin(void);
// Time passes, and leases are renewed, until it looks.
void pass(void);
void look(void);
// It owns from..to.
void begin_with(uint16_t from, uint16_t to);

#endif
