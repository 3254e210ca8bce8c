// scheduler_impl.h - workers, their attempts, and what waits for them.
#ifndef SS_ENGINE_SCHEDULER_SCHEDULER_IMPL_H
#define SS_ENGINE_SCHEDULER_SCHEDULER_IMPL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/model/task.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/attempt_slab.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/threads/gate.h"

struct census;
struct engine;
struct limit;
struct line;
struct ready_queue;
struct takeover;

enum worker_state {
    WORKER_SERVES,
    WORKER_SENT_AWAY, // it was told to leave, and has not said that it does
    WORKER_DRAINS,    // it said so: it is given nothing more
};

struct worker {
    enum worker_state state;
    struct engine *engine;
    char *peer;
    char *name;
    uint64_t number;   // no other one has it
    uint32_t capacity; // as it was announced
    uint32_t granted;  // what it leaves to us of that
    uint32_t running;
    int64_t seen_ms;
    // Its newest beat (beat.c): by its clock, and when it came. 0: it says
    // none.
    uint64_t beat_sent;
    int64_t beat_ms;
    int64_t members_said_ms; // when it was told last who the members are
    struct ss_map graphs;    // "name@version" -> itself
    struct ss_map labels;
    uint64_t attempts, lost;
    char *ended; // how its process did, as its supervisor says; NULL (ended.c)
    int64_t ended_ms, tried_ms;
    bool is_stuck; // DRAINS: late bodies have its threads, as it says
    json_t *graph_names;
    json_t *settings; // for people; or NULL
    struct {          // of threads that have moved: its result is another's
        struct ss_attempt *items;
        size_t count, capacity;
    } let_go;
    bool is_kept;             // for a task that runs alone, since this dispatch
    const struct task *alone; // that is out at it; NULL: it may have several
    bool keeps_lists;
    struct ss_map
        cached_lists; // what it holds (list_cache.c), least used first
};

// It is given nothing more.
static inline bool ss_worker_leaves(const struct worker *worker)
{
    return worker->state != WORKER_SERVES;
}

// What is kept of a task here. It lies in front of the task: sink.in_front.
struct attempt {
    struct ss_attempt name; // of the last one
    struct worker *worker;  // where it is out; NULL: nowhere
    int64_t sent_ms;
    bool sent_anew;          // its worker lacked a list: it went again, whole
    bool may_be_out;         // of a found run: a worker may still have it
    bool is_claimed;         // it goes on by what is held of its limits
    bool is_expected;        // stands among those that a takeover expects
    struct gate_waiter gate; // while rows that it rests on are not durable:
    bool is_aside;           // then it stands aside in its line
    uint32_t lost_with;      // the last worker that it was lost with (ended.c)
    bool waits_alone;        // stands among those that run alone (alone.c)
    union {
        struct {
            struct task *ready_next, *ready_prev; // in its line (ready_queue.c)
        };
        struct {
            struct task *out_next, *out_prev; // while it is out
        };
    };
    struct line *line;     // NULL: it is not ready
    struct limit **limits; // while it is ready or out, NULL behind the last;
                           // NULL: none holds it
};

static inline struct attempt *attempt_of(const struct task *task)
{
    return (struct attempt *)task - 1;
}

static inline struct task *task_of(struct attempt *attempt)
{
    return (struct task *)(attempt + 1);
}

// Each limit in a list that ends with NULL, or is NULL.
#define EACH_LIMIT(it, list)                                                   \
    struct limit **it = (list);                                                \
    it &&*it;                                                                  \
    it++

// The process of a worker ended, as its supervisor said (ended.c).
struct crash {
    char worker[SS_CRASH_NAME_SIZE];
    char how[SS_ENDED_HOW_SIZE_MAX + 1];
    int64_t at_ms;
};

// A worker that went with tasks, and how its process ended, if anybody said so,
// then or later (ended.c).
struct gone_worker {
    char name[SS_CRASH_NAME_SIZE];
    char how[SS_ENDED_HOW_SIZE_MAX + 1]; // "": nobody has
    uint64_t number;                     // the worker's
    uint32_t ran;                        // so many tasks
};

// Of an engine.
struct scheduler {
    struct ready_queue *queue;
    struct takeover *takeover;
    int64_t takeover_until_ms; // so long workers may offer; 0: nobody is asked
    struct ss_map workers;     // peer -> struct worker *
    uint64_t worker_numbers;   // that were given
    struct attempt_slab out;   // tasks that are, by numbers of attempts
    uint64_t attempts_sent;    // in all
    uint64_t attempts_lost;
    struct ss_map
        vouched;     // beat.c: task and thread -> when it may be sent anew
    uint64_t stamps; // of lists that workers hold
    struct limits limits;
    struct crash crashes[SS_CRASHES_MAX]; // the newest at crashes_count - 1
    uint64_t crashes_count;               // that there were, in all
    struct gone_worker gone[SS_GONE_MAX]; // the newest at gone_count - 1
    uint32_t gone_count;                  // that there were, in all
    SS_VEC(struct task *) alone;          // ready ones that run alone
    bool keeps_any;                       // a worker is kept for one
    bool has_late_word; // how a worker ended was said behind its loss
};

// ------------------------------------------------ worker_state.c

// NULL: none here has that name.
struct worker *ss_worker_named(struct engine *engine, const char *name);

// ------------------------------------------------ schedule.c

void ss_worker_free(struct worker *worker);

// ------------------------------------------------ attempt_verify.c

// What is kept of a task.
void ss_attempt_verify(const struct task *task, struct census *census);

#endif
