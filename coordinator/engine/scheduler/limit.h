// limit.h - how many tasks of one name may be out, over all runs, graphs and
// coordinators (limit.c).
#ifndef SS_ENGINE_SCHEDULER_LIMIT_H
#define SS_ENGINE_SCHEDULER_LIMIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/graph.h"
#include "common/model/task.h"

struct engine;
struct limits;
struct line;
struct ss_request;
struct task;

// A limit is cut into as many parts as this, each in a shard, whose owner has
// it.
enum { LIMIT_PARTS = 256 };

// Between the name of a limit and the value of a key, in the name of the limit
// that this value has. No name has it.
#define LIMIT_VALUE "\t"

struct part {
    uint16_t shard; // where it is; SS_NOBODY: that is not known
    uint16_t to;    // it is on its way there; SS_NOBODY: it stays
};

// Tasks that began, and count until then.
struct begun_part {
    int64_t until_ms;
    int64_t count;
};

// What another member lacks of a limit.
struct wish {
    uint16_t owner; // the member's number
    uint16_t shard; // where it wants it
    int64_t lacks;
    int64_t over; // of these, for tasks that are out already
    int64_t has;
};

// What we said that we lack.
struct said_wish {
    int64_t number; // 0: nothing
    int64_t over;   // of these, for tasks that are out already
    uint16_t at;    // by which shard
};

// That lines keep, in that dispatch.
struct kept_places {
    int64_t places;
    uint64_t dispatch;
};

// What lines of ready tasks are to a limit.
struct lines_found {
    int64_t stopped;  // their tasks, by this limit
    int64_t reserved; // places for those that wait for another one, too
};

struct limit {
    struct ss_node_limit said; // the least that graphs say that are served
    int64_t per_ms;    // so many may begin in this time; 0: be out at once
    int64_t tasks_max; // what holds: what is said, or an operator said
    char *each; // a key, whose values have limits of their own (limit_value.c),
                // and this one no parts; NULL: it is of all tasks together
    struct limit *whole; // whose value's this one is; NULL: it is none's
    struct line *lines;  // whose tasks it holds first (ready_queue.c)
    int64_t share;       // of these, as many are in shards of ours
    int64_t out;         // attempts of ours
    int64_t waiting;     // ready tasks of ours
    struct lines_found lines_now; // by ss_lines_count()
    struct kept_places kept;      // by lines that were looked at
    int64_t lingering; // attempts that are over, whose bodies may go on
    int64_t claimed;   // attempts of owners before us, since shards are held
    int64_t gone;      // attempts that left with shards, in this step
    int64_t gone_unclaimed; // what may have been out of those before us
    int64_t owed;   // of our share, what others are to have when it is free
    int64_t idle;   // of our share, what no task took until the last look
    int64_t rounds; // looks for which others have waited for the last one
    struct said_wish asked;     // what others know that we lack
    SS_VEC(struct wish) wishes; // of others, at the last look
    // Of a rate (limit_rate.c).
    SS_VEC(struct begun_part) begun; // the oldest first
    int64_t begun_now;               // of all these
    uint64_t marking; // to this the store answers that it knows whether one
                      // begins; 0: it is not told
    struct ss_shards fresh; // what others had begun of them nobody knows,
    int64_t fresh_until_ms; // until then
    size_t values;          // that it has limits of
    int64_t used_ms;        // one of a value was, at the last look
    size_t placed;          // of its parts: it is known where they are
    struct part parts[LIMIT_PARTS];
};

// An attempt that is over here, and whose body may go on at its worker.
struct lingering_attempt {
    struct ss_attempt name;
    uint64_t worker; // that says when it ends; 0: nobody does any more
    uint64_t was_of; // the worker that it was sent to; 0: nobody knows
    struct limit *limit;
    int64_t sent_ms;
    int64_t until_ms; // then nobody waits for it; INT64_MAX: its worker says
};

// A record as the store is to have it.
struct limit_put {
    char *key;
    json_t *record; // NULL: none is to be there
};

// Records on their way to the store, all or none.
struct limit_batch {
    uint64_t tag;
    struct ss_request *request; // who asked; NULL: we moved parts
    SS_VEC(struct limit_put) puts;
};

// Of a scheduler.
struct limits {
    struct ss_map by_name; // -> struct limit *; a whole before its values
    struct ss_map records; // key -> json_t *, as the store was read last
    SS_VEC(struct limit_batch) under_way;
    SS_VEC(struct lingering_attempt) lingering;
    struct ss_shards going; // that are being let go, of those that were read
    struct ss_shards held;  // what was out of them before us may be out still
    int64_t held_until_ms;  // so long
    int64_t gained_ms;      // when shards came last; 0: never
    size_t rates;           // of those by_name
    size_t values;          // and limits of values
    int64_t swept_ms;       // when those without use were looked for
    bool has_found;         // runs of the shards that are being read
    bool has_moved;         // tasks of a limit are counted in another way
};

// Those that hold the task, if it is sent, in the order in which their places
// are taken: the same for all tasks and coordinators. NULL behind the last;
// NULL: none does. Gives the list, and borrows them: while tasks of them are
// ready or out, and if they are of no value while the engine lives.
struct limit **ss_limits_of(const struct task *task);
bool ss_limits_are_same(struct limit *const *a, struct limit *const *b);
// Makes it, where it is not known, with what is said. Borrowed, as above.
struct limit *ss_limit_named(
    struct engine *engine, const struct ss_node_limit *said);
// As many as may be sent of it now; 0 or less: none.
int64_t ss_limit_room(const struct engine *engine, const struct limit *limit);
// What is offered of an owner before us has no place.
bool ss_limit_is_used_up(
    const struct engine *engine, const struct limit *limit);
// What holds now, by what graphs and operators say.
void ss_limit_settle(struct engine *engine, struct limit *limit);
// Nobody uses it here: if it is of a value its parts may go home.
bool ss_limit_is_idle(const struct limit *limit);

// ------------------------------------------------ limit_value.c

// What the task has under that key, as it stands in the name of a limit. Gives.
char *ss_limit_value(const struct task *task, const char *key);

// ------------------------------------------------ limit_reckon.c

// Time has passed: those of values that are without use vanish.
void ss_limit_values_expire(struct engine *engine);
void ss_limits_verify(const struct engine *engine);

#endif
