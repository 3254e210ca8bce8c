// postgres_world.h - what tests of the store on a server share: a server for
// the program, and for each test a schema of its own, two stores in it and
// somebody with a shell.
#ifndef SS_TESTS_CONTRACT_POSTGRES_WORLD_H
#define SS_TESTS_CONTRACT_POSTGRES_WORLD_H

#include <check.h>
#include <libpq-fe.h>

#include "tests/contract/store_world.h"
#include "tests/support/postgres_server.h"

struct postgres_world {
    struct postgres_server *server;
    char schema[32];
    char url[400];          // of the schema
    struct ss_store *store; // opened by the test, closed after it
    struct ss_store *other;
    PGconn *person; // somebody with a shell
};

extern struct postgres_world pg;

// A program of such tests, whole: what its main() returns, 77 where there is no
// server to be had. Borrows.
int postgres_world_main(
    const char *name, const TTest *const *tests, size_t tests_count);

// Open a store on the test's schema, into pg.store or pg.other.
void open_store(struct ss_store **ret_store);
// One more with a shell. Gives; the caller ends it with PQfinish().
PGconn *connect_person(void);
// Run `sql`, which succeeds: the first value of its answer. Borrowed until the
// next call.
char *ask(PGconn *conn, const char *sql);
// The server ends all sessions of stores; none is left afterwards.
void cut_all_stores(void);

// Append one row to thread "t" under an epoch (0: none): its unit's result.
int append_as(struct ss_store *store, uint64_t epoch, uint64_t seq);
// One row in each of `count` threads, the `turn`th of each; all columns differ.
int append_many(
    struct ss_store *store, uint64_t epoch, size_t count, uint64_t turn);

#endif
