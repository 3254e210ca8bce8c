// limits.h - the bounds of what a worker takes in, each with its reason.
#ifndef SS_WORKER_LIMITS_H
#define SS_WORKER_LIMITS_H

enum {
    SS_FAILURE_SIZE_MAX = 16 * 1024, // a node's error text, kept in the journal
    SS_LOG_SIZE_MAX = 8 * 1024,      // one line of a node's log
    SS_KIND_SIZE_MAX = 256,          // an error kind: a word, not a text
    SS_GRAPHS_MAX = 1024,            // graphs of one application
    SS_PROCESSES_MAX = 1024,         // --processes: a forest of children
    SS_CAPACITY_MAX = 1024,          // --capacity: threads of one process
};

#endif
