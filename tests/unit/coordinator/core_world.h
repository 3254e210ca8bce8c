// core_world.h - a core by itself: what it is fed, and what it asks for. A
// store in memory does its jobs; worker "w" and client "c" are nothing but
// messages.
#ifndef SS_TESTS_UNIT_COORDINATOR_CORE_WORLD_H
#define SS_TESTS_UNIT_COORDINATOR_CORE_WORLD_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/wire/message.h"
#include "coordinator/core/core.h"
#include "coordinator/store/store.h"

enum { CORE_CLUSTER_LEASE_MS = 10000 };

extern struct ss_store *store;
extern struct ss_core *core;
extern struct ss_error core_error;
extern int64_t now_ms;
extern int unsent;     // status of each SEND
extern int refusals;   // so many SENDs of orders find a full queue
extern char left[256]; // what left for workers since somebody looked
extern size_t sent, orders, said, complaints, stored;
extern enum ss_message_type last_sent;
extern char last_said[512];
extern char all_said[4096];           // line by line
extern struct ss_message *last_heard; // that left, if somebody listens
extern enum ss_message_type listens_for;
extern bool crashed;       // who had the store before
extern const char *away;   // what the store says of itself, if it is away
extern const char *theirs; // the one thread that "two" owns, if any

// Of each test.
void set_up(void);
void tear_down(void);
void new_core(bool is_shared);
void put(enum ss_store_table table, const char *key, const char *text);

void feed(struct ss_core_event event);
void frame(const char *peer, const struct ss_message *message);
// A turn up to its end: what the store has done comes back.
void turn_begins(void);
void turn_ends(void);
void turn(void);

void hello(void);
void ask_for_a_run(uint64_t id);
// Until orders leave, or are to: so many messages of them.
size_t turns_to_order(void);

// Beside "two", on a store that both use.
void turn_among_two(void);
// The next message of that type. Borrowed.
const struct ss_message *listen_to(enum ss_message_type type);

#endif
