// sim.h - the whole system in one thread, with bad luck on purpose.
//
//   customers -- talk --+                          +-- session -- workers
//     (real client      |   network: late, lost,   |   (real worker session,
//      session)         +-- repeated, cut off -----+    bodies of a drawn
//      graph)
//                                  |
//                            coordinators: the real core
//                                  |
//                            database: the real memory store behind a modelled
//                            connection (slow, failing, lying)
//
// One seed decides everything: the graphs, the load, the climate of faults and
// each throw of the dice. Nothing here knows the time, a thread or a file. What
// is checked and what is drawn: docs/internals/simulator.md.
#ifndef SS_TESTS_SIM_SIM_H
#define SS_TESTS_SIM_SIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/base/status.h"

enum fault {
#define X(name, text) FAULT_##name,
#include "tests/sim/faults.def"
#undef X
    FAULT_COUNT,
};

enum chore {
#define X(name, text, between) CHORE_##name,
#include "tests/sim/chores.def"
#undef X
    CHORE_COUNT,
};

// What a seed came to.
struct report {
    uint64_t seed;
    uint64_t digest;
    uint64_t steps;   // of engines
    uint64_t seconds; // that passed in the simulated world
    uint64_t runs;
    uint64_t bodies;       // that began,
    uint64_t bodies_again; // of tasks that had begun before
    uint64_t rolled, migrated, chosen, cached, items;
    uint64_t coordinator_crashes, quarantined, taken_back;
    uint64_t evicted;         // threads, by those that had them
    uint64_t held;            // graphs that people held back
    uint64_t said, connected; // facts by runs, connections made (again)
    uint64_t chores[CHORE_COUNT];
    uint64_t faults[FAULT_COUNT];
};

uint64_t report_faults(const struct report *report);

// What the database is: the model over the memory store, or a real one.
enum sim_store { STORE_MEMORY, STORE_SQLITE, STORE_POSTGRES, STORES };

struct sim_options {
    enum sim_store store;
    const char *folder; // of the files of a SQLite, or of PostgreSQL's socket
    bool narrate;
};

// How it is said on the command line: "--store postgres ", or "".
const char *sim_store_option(enum sim_store store);

// Simulate one seed. A violation is told on stderr, with the command that
// replays it, and ends the process with 1: it is a child (jobs.h), or somebody
// looks at this one seed. Where it narrates, all that happens is told on
// stdout.
struct report simulate(uint64_t seed, const struct sim_options *options);

#endif
