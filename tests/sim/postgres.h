// postgres.h - the database as a real PostgreSQL: what its files share.
//
// Each connection of a coordinator is a `side`: a store whose waiting is a
// pause of its fiber (fiber.h), and a line to the server (line.h) on which a
// request and an answer take their time, are cut, or arrive when nobody is
// there.
#ifndef SS_TESTS_SIM_POSTGRES_H
#define SS_TESTS_SIM_POSTGRES_H

#include "tests/sim/world.h"

#ifdef SS_HAVE_POSTGRES

#include "coordinator/store/store_postgres.h"
#include "tests/sim/fiber.h"
#include "tests/sim/line.h"

enum { SNAPSHOTS_LATE = 6, SNAPSHOTS = SNAPSHOTS_LATE + 2 };

struct boot;

struct side {
    struct ss_pg_outside outside;
    struct pg *pg;
    struct world *world;
    struct process *process;
    size_t which; // of its links
    struct ss_pg_store *store;
    struct fiber *fiber; // of its job; NULL: there is none
    struct boot *boot;   // it is being opened
    struct ss_job *done; // by the fiber
    uint64_t turn;       // counts what the fiber waits for
    bool times_out, is_dead;
    enum ss_job_type job;  // that is done now
    size_t to;             // whom it hands shards to; SS_NOBODY: nobody
    bool fails;            // its commit
    int64_t refused_to_ms; // nobody answers there
    uint64_t generation;   // of the database that it was opened on
    SS_VEC(int) ended;     // server processes that it had ended
};

// What stays open from one seed to the next.
struct pg {
    char *folder; // of the sockets that libpq connects to
    char *socket; // the server's
    char *direct; // URL past the lines
    int subscriber;
    PGconn *observer;
    struct ss_store *reader;
    // Open transactions that see what was there: the database may go back.
    PGconn *snapshots[SNAPSHOTS];
    uint64_t taken[SNAPSHOTS]; // at which commit; 0: not
    uint64_t commits;
    SS_VEC(struct line *) lines;
    uint64_t lines_made;
    int64_t clock_ms; // what the server's clock says; -1: nothing yet
    int trouble;      // whose commits fail, by the number of its process
};

// --- database_postgres.c
// ------------------------------------------------------

// An answer's first value, as text, until the next question.
const char *pg_ask(struct pg *pg, const char *format, ...) SS_PRINTF(2, 3);

// --- postgres_side.c
// ----------------------------------------------------------

struct side *side_new(struct pg *pg, struct process *process, size_t which);
void side_free(struct side *side);
// Go on with its fiber until that waits or ends; then it goes on by itself.
void side_run(struct side *side);
// Its process is gone: what it waits for fails; then let it come to its end.
void side_die(struct side *side);
void side_finish(struct side *side);
// A request arrives; an answer does, or what is waited for takes too long.
void line_errand(struct world *world, uint64_t number);
void side_errand(struct world *world, const struct errand *errand);
// Its fiber has ended (database_postgres.c).
void side_ended(struct side *side);
// Nobody goes on with what stands still: let it find out itself.
void sides_abandon(struct pg *pg);
// End all its lines (NULL: those of everybody), as when the server restarts.
void lines_cut(struct pg *pg, struct side *side);

// --- postgres_past.c
// ----------------------------------------------------------

void past_open(struct pg *pg);
void past_forget(struct pg *pg);
// After a commit: keep what is there now.
void past_remember(struct pg *pg, struct world *world);
bool past_is_there(const struct pg *pg);
// Make the database what it was at one of them.
void past_restore(struct pg *pg, struct world *world);

#endif
#endif
