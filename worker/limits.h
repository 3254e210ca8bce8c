// limits.h - the bounds of what a worker takes in, each with its reason.
#ifndef SS_WORKER_LIMITS_H
#define SS_WORKER_LIMITS_H

enum {
    SS_FAILURE_SIZE_MAX = 16 * 1024, // a node's error text, kept in the journal
    SS_LOG_SIZE_MAX = 8 * 1024,      // one line of a node's log
    SS_TASK_WARNINGS_MAX = 8,        // of one task: a body's mistakes repeat
    SS_KIND_SIZE_MAX = 256,          // an error kind: a word, not a text
    SS_GRAPHS_MAX = 1024,            // graphs of one application
    SS_ENDED_WAIT_MS = 2000, // for coordinators that are told of a crash
    SS_ENDED_COORDINATORS_MAX = 32,
    SS_HOST_ITEMS_MAX = 4096, // shown and not yet sent; then bodies wait
    SS_HOST_QUICK_US = 50,    // a body that takes less needs no own thread
    SS_HOST_SHARE_US = 200,   // of such bodies are worth one more thread
    SS_HOST_LATE_MS = 1,      // a quick body that runs longer is not quick
    SS_HOST_SCARCE_MS = 1000, // no thread to be had: asked for again then
    SS_HOST_SILENT_US = 100,  // an outcome waits no longer for others
    SS_LEAD_LOOK_MS = 4,      // a body in the loop that two looks find is late
    SS_LEAD_LOOKS = 5, // that found nothing new; then nobody looks any more
    SS_HOST_FAILURES_MAX = 10, // told of in the log, in so long
    SS_HOST_FAILURES_MS = 1000,
    SS_SHELL_MESSAGES_MAX = 256, // read at a time, before threads' reports
    SS_SHELL_BATCH_SIZE = 4 * 1024 * 1024, // results are sent when so large
    SS_SHELL_BATCH_MAX = 1024,             // and when so many
};

#endif
