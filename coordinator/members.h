// members.h - several coordinators of one cluster on this machine, each a
// process: one coordinator uses one processor.
//
// The first has the address, the name and the port of metrics that were given;
// each other one has the port behind that of the one before, and NAME/2, NAME/3
// and so on. Workers and clients need to know the first one's address only: the
// coordinators tell them of each other, as those on several machines do.
#ifndef SS_COORDINATOR_MEMBERS_H
#define SS_COORDINATOR_MEMBERS_H

#include "coordinator/shell.h"

struct ss_members_options {
    const struct ss_coordinator_options *first; // of the first one; borrowed
    unsigned count;
    // In a process of its own: be a coordinator; the process ends with the exit
    // code that is returned.
    int (*run)(struct ss_coordinator_options *options);
    // What it returns where it could not even start: then all end.
    int cannot_start;
    // Once, when all of them serve: where the first listens, and the store.
    void (*ready)(const char *endpoint, const char *store);
};

// Whether these options can be those of several. SS_EINVAL: the store is not
// one that coordinators share; an address has no port behind it for each.
int ss_members_check(const struct ss_coordinator_options *first, unsigned count,
    struct ss_error *error) SS_MUST_USE;
// Start them and mind them (common/app/family.h), until all have ended. One
// that ends though nobody asked is started again, under its name and address.
// Returns the exit code. Call it before any use of ZeroMQ and before any
// thread.
int ss_members_run(const struct ss_members_options *options);
// In such a process, once its coordinator serves.
void ss_members_ready(const struct ss_coordinator *coordinator);

#endif
