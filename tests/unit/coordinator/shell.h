// shell.h - a whole coordinator in this process, spoken to over a link by a
// worker and a client that are nothing but messages.
#ifndef SS_TESTS_UNIT_COORDINATOR_SHELL_H
#define SS_TESTS_UNIT_COORDINATOR_SHELL_H

#include <check.h>

#include "common/link/link.h"
#include "common/wire/message.h"
#include "coordinator/shell.h"

#define SHELL_LISTEN "loop:shell"

enum { SHELL_STEPS_MAX = 100000, SHELL_STEP_MS = 5 };

extern struct ss_coordinator *coordinator;
extern struct ss_link *worker, *client;
extern struct ss_error failure;
extern char shell_db[64];      // the file of its store
extern size_t shell_warnings;  // logged since the test began
extern int64_t shell_lease_ms; // of those that start from now on; 0: as always

// Of each test: a coordinator, and both links to it.
void shell_set_up(void);
void shell_tear_down(void);
// Another coordinator; NULL: on the store of the one before.
void shell_start(struct ss_store *opened);
void shell_step(void);
struct ss_link *shell_link(void);

// Takes `message`.
void say(struct ss_link *link, struct ss_message *message);
// NULL: nothing came yet.
struct ss_message *heard(struct ss_link *link);
// The next message, which must be of this type.
struct ss_message *hear(struct ss_link *link, enum ss_message_type type);
void hear_and_forget(struct ss_link *link, enum ss_message_type type);
// A worker of graph g, with one node, "work".
struct ss_message *hello_of(const char *name, uint32_t capacity);
void say_hello(struct ss_link *link, const char *name, uint32_t capacity);
// Says hello and is welcomed.
void join(struct ss_link *link, const char *name, uint32_t capacity);
void ask(uint64_t id, const char *op, const char *body);
// The node's result. Takes `value`.
void say_wrote(struct ss_link *link, const struct ss_assignment *order,
    const char *channel, struct ss_value *value);
void say_done(struct ss_link *link, const struct ss_assignment *order);

#endif
