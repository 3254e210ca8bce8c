// thread_status.h - how a thread stands, as records and lists of threads say
// it.
#ifndef SS_MODEL_THREAD_STATUS_H
#define SS_MODEL_THREAD_STATUS_H

#define SS_THREAD_IDLE        "idle" // it has nothing to do
// It asks, stands at a breakpoint, or something is next that nobody runs.
#define SS_THREAD_INTERRUPTED "interrupted"
#define SS_THREAD_FAILED      "failed"  // its last run did
#define SS_THREAD_RUNNING     "running" // a run of it has not ended; only shown

#endif
