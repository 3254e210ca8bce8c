// limits.h - the bounds of what the engine keeps, each with its reason.
#ifndef SS_ENGINE_LIMITS_H
#define SS_ENGINE_LIMITS_H

#include <stdint.h>

// Supersteps of one run; more counts as this, so that no sum of steps
// overflows.
#define SS_RECURSION_LIMIT_MAX (INT64_C(1) << 60)

enum {
    // Supersteps that end within one step, with no task outside: a cycle of
    // graphs without nodes would never leave it. Then others' events come
    // first.
    SS_STEP_SUPERSTEPS_MAX = 100,
    // So long the link of a worker whose process is said to have ended is
    // tried, and how often: a report comes on another connection than the end.
    SS_ENDED_LOOK_MS = 2000,
    SS_ENDED_EACH_MS = 100,
    SS_ENDED_HOW_SIZE_MAX = 160, // bytes that are told of how
    SS_CRASHES_MAX = 16,         // ends of workers that are remembered
    SS_CRASH_KNOWN_MS = 600000,  // and for so long
    SS_CRASH_NAME_SIZE = 128,    // of a worker's name, as it is shown then
    SS_GONE_MAX = 64,        // workers that went with tasks, to be asked how
    SS_REDELIVERIES_MAX = 3, // a task whose worker is lost on every attempt
    SS_WORKER_LET_GO_MAX = 4096, // attempts of one worker whose thread moved
    // A run that was counted so often when its coordinator had crashed, and
    // made no row since, is quarantined when that happens once more.
    SS_RECOVERIES_MAX = 3,
    SS_TRIAL_MS = 1000, // how long it goes on alone before that
    // Units that the store has not answered: beyond, workers get nothing new,
    // whose results would only wait behind them.
    SS_STORES_OUT_MAX = 4096,
    SS_OFFERS_MAX = 65536, // attempts of owners before us: what a cluster runs
    SS_OFFER_EXTRA_MS = 2000, // longer than tasks wait: rows are read meanwhile
    SS_WORKERS_MAX = 4096,    // peers that may announce themselves
    SS_WORKER_CAPACITY_MAX = 1 << 20, // tasks at once that one worker may claim
    SS_NAMESAKES_MAX = 8,   // threads that an error names, of runs of one name
    SS_CLAIM_TRIES_MAX = 3, // looks for a run's name, while others take theirs
    SS_CLAIMS_MAX = 16384,  // names on their way: their requests are in memory
    SS_REQUESTS_WAITING_MAX = 1024, // requests that wait for one thread
    SS_QUEUE_THREAD_MAX = 256, // runs that wait for their turn on one thread
    SS_QUEUE_MAX = 16384,      // and on all: their requests are in memory
    SS_PRIORITY_MAX = 100, // of a run, and its least: more would name no more
    // Graphs and versions that are paused at once: beyond, pause everything.
    // And
    // bytes of why and by whom, which each list and explanation repeats.
    SS_PAUSES_MAX = 1024,
    SS_PAUSE_REASON_MAX = 500,
    SS_PAUSE_BY_MAX = 128,
    // Limits that operators have set at once: each is read with each look.
    SS_LIMITS_SET_MAX = 1024,
    SS_LIMIT_NAME_MAX = 1024,     // bytes: GRAPH/NODE
    SS_LIMIT_TASKS_MAX = 1 << 30, // more than all workers take
    // Bytes of JSON of what is said of a thread itself: whoever writes to it
    // stores all of it again.
    SS_FACTS_SIZE_MAX = 64 << 10,
    // Values of keys that limits are counted by, of which tasks wait or are out
    // here: each takes a kilobyte, and one that is used up is looked at for
    // each task. And bytes of one that is told as it is.
    SS_LIMIT_VALUES_MAX = 4096,
    SS_LIMIT_VALUE_SIZE_MAX = 64,
    // So long parts of a value stay where it was used last: longer than a step.
    SS_LIMIT_VALUE_IDLE_MS = 10000,
    SS_KEY_SIZE_MAX =
        255, // of an idempotency key: a UUID, a hash, a short name
    SS_ITEMS_KEPT_MAX = 4096,    // live items of one attempt that its row keeps
    SS_ITEMS_SIZE_MAX = 1 << 20, // and their bytes: a long answer in tokens
    // Lists that one worker is known to hold: the conversations it works on.
    // And
    // the least items of one: a shorter list costs less than its slot.
    SS_WORKER_LISTS_MAX = 1024,
    SS_LIST_HELD_MIN = 8,
    // Names drawn for a thread until one is ours: with one shard of 1,024
    // every 4,000,000th request for a new thread finds none, and is sent on.
    SS_NAME_TRIES_MAX = 16384,
    // Items of a list in one answer, and their bytes: while it is made nobody
    // else is served. Who wants more asks again.
    SS_HISTORY_MAX = 10000,
    SS_PAGE_SIZE_MAX = 8 << 20,
    // Records that one request for some runs looks at, wanted or not.
    SS_FIND_RECORDS_MAX = 1000,
    SS_CACHE_PAGE_MAX =
        100, // cached results that are read at once, to be cleared
    // Questions that a thread's record tells, and their bytes: lists show them,
    // and the record is in memory with its thread.
    SS_QUESTIONS_MAX = 32,
    SS_QUESTIONS_SIZE_MAX = 2048,
    SS_EXPLAIN_STEPS_MAX = 50,  // supersteps that one explanation shows
    SS_EXPLAIN_WAITS_MAX = 200, // and kinds of tasks that wait
    // Ready tasks that are looked at to tell what they wait for: each takes
    // half a microsecond, in which nobody is served.
    SS_WAITS_LOOKED_MAX = 20000,
    SS_WARNINGS_MAX = 64,       // warnings kept for one run
    SS_ASYNC_BACKLOG_MAX = 256, // rows not yet durable under `async`
    SS_UPDATES_MAX = 10000,     // updates in one bulk update
    SS_IMPORT_MAX = 10000,      // checkpoints in one piece of an import
    SS_THREAD_IDLE_MS = 60000,  // a thread unused so long is forgotten
    // Threads that nobody uses now and that are known all the same, and what
    // one may take on the average: beyond that the longest idle ones are
    // forgotten.
    SS_IDLE_THREADS_MAX = 10000,
    SS_IDLE_THREAD_SIZE = 4096,
    // Of those so many at most stay as they are, and for so long, while they
    // may be used again in a moment: a thread of a small run takes 1.1 KB more
    // so. The others' rows are packed into few bytes; not those of a long
    // conversation: unpacking them would make who comes back wait, and a worker
    // that holds its lists would get them whole once more, as the lists are new
    // ones then.
    SS_IDLE_LARGE_MAX = 1024,
    SS_IDLE_PACK_MS = 5000,
    SS_IDLE_PACK_STEP_MAX = 64, // in one step: nobody is served meanwhile
    SS_IDLE_PACK_SIZE_MAX = 64 << 10,
    // Of threads that are used and wait so many at most stay as they are for
    // SS_IDLE_PACK_MS; beyond, each for so long: its rows are half of what it
    // takes, and unpacking them costs what comes for it two supersteps.
    SS_STILL_LARGE_MAX = 1024,
    SS_STILL_PACK_MS = 2000,
    // The same where no worker serves their graph: nothing comes for them
    // before one has been started, and what rows take at once is not given
    // back.
    SS_STILL_UNSERVED_PACK_MS = 100,
    SS_EVICT_EVERY_MS = 5000,
    SS_LEASE_MS = 3000,
    SS_HEARTBEAT_MS = 500,
};

#endif
