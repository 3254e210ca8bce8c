// world.h - a whole cluster in one thread: the real core and the real memory
// store, which survives it; workers and clients that are scripts; a clock that
// is a number.
//
//   client asks --> core ----> orders --> worker: a body below --> results
//                     | ^
//                rows v | stored            everything on its way can be held,
//                   store (tests keep it)   repeated, lost or come too late
//
// One world at a time. What happened is told as text, line by line: the
// engine's narration, each row that became durable, each word that a client
// got.
#ifndef SS_TESTS_STORIES_WORLD_H
#define SS_TESTS_STORIES_WORLD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/model/task.h"
#include "coordinator/engine/engine.h"

// ------------------------------------------------------------------ text

// JSON with ' for ". Gives.
json_t *js(const char *text);
// A state graph from edges, "start>a a>b a>c b+c>d d>end" (b+c: a join). Its
// one key is x, a list that grows; nodes are those named, in that order.
// `extra` (js text or NULL) is put over the description; its "nodes" are {name:
// options}. Gives.
json_t *chart(const char *name, const char *edges, const char *extra);

// ------------------------------------------------------------------ bodies

// One attempt at a task, as its body sees it.
struct visit {
    const struct ss_assignment *order;
    json_t *input; // borrowed
    struct ss_outcome *outcome;
    size_t asked;
};

// Gives what the node returns (writers.h: with marks); NULL: it asked or
// failed.
typedef json_t *body_fn(struct visit *visit);
// Gives what the router of branch `branch` decides; NULL: it failed.
typedef json_t *route_fn(const char *branch, json_t *state);
// Gives the fold of a custom reducer; NULL: it failed.
typedef json_t *fold_fn(json_t *value, json_t *writes);

// Ask a question: the answer (borrowed), or NULL: return NULL at once.
json_t *visit_ask(struct visit *visit, const char *question);
// Fail the attempt. NULL.
json_t *visit_fail(struct visit *visit, int code, const char *kind,
    enum ss_retryable retryable, const char *message);
// Its worker loses it: nothing of it ever arrives. NULL.
json_t *visit_vanish(struct visit *visit);
// Show something live.
void visit_show(struct visit *visit, enum ss_live_kind kind, const char *text);
// {"x": [word]}. Gives.
json_t *says(const char *word);

// ------------------------------------------------------------------ setting up

void world_begin(void);
void world_end(void);
// Every worker serves it; say so before world_worker(). Takes.
void world_graph(json_t *description);
// Workers that say hello from now on serve this and nothing that was there
// before. Takes.
void world_upgrade(json_t *description);
// The store has lost what graphs there were.
void world_lose_graphs(void);
// The version of the newest graph. Borrowed.
const char *world_version(void);
// What node `node` does, in any graph; else it says its own name. NULL: that.
void world_body(const char *node, body_fn *body);
void world_route(const char *node, route_fn *route);
void world_fold(const char *reducer, fold_fn *fold);
// A worker joins (again).
void world_worker(const char *name, uint32_t capacity);

// ------------------------------------------------------------------ happening

// A client asks; nothing is waited for. Gives the request's number.
uint64_t world_ask(const char *client, const char *op, const char *body);
uint64_t world_ask_json(const char *client, const char *op, json_t *body);
// Clients that ask from now on have the key of that name; NULL: none.
void world_key(const char *name);
// Everything on its way arrives, until nothing is; no time passes.
void world_run(void);
// One thing arrives: a result (of `node`, if not NULL), a store's answer.
// False: there is none.
bool world_run_result(const char *node);
// Those of these nodes that are on their way, from one worker, in that order
// and one message. False: there is none.
bool world_run_results(
    const char *worker, const char *const *nodes, size_t count);
bool world_run_store(void);
// Time passes; living workers send their beats.
void world_pass(int64_t ms);
// It does, and nobody has looked at the clock yet.
void world_sleep(int64_t ms);
// The coordinator is held for so long: what was said meanwhile comes behind it.
void world_pause(int64_t ms);
// Somebody sets the wall clock, by so much; back, where it is negative.
void world_set_clock(int64_t ms);
// The final answer, borrowed; NULL: not yet.
json_t *world_answer(uint64_t id);
// The events that the request got so far, as they came. Borrowed.
json_t *world_events(uint64_t id);
// Let happen what is needed for the answer; NULL: it does not come.
json_t *world_finish(uint64_t id);
// Ask and finish. Borrowed, until the world ends.
json_t *world_get(const char *op, const char *body);

// ------------------------------------------------------------------ mishaps

void world_hold(const char *node); // its results stay on their way
void world_let(const char *node);
void world_repeat(bool on);             // every result comes twice
void world_lose(const char *node);      // its next result never arrives
void world_silence(const char *worker); // it dies without a word
// The result of `node` that is on its way comes from that worker's side.
void world_claim(const char *node, const char *worker);
void world_leave(const char *worker); // it says good-bye
// Its supervisor says that its process has ended, and how.
void world_ended(const char *worker, const char *how);
void world_drain(const char *worker); // it takes no more
// It leaves so much to this coordinator, from now on; 0: all.
void world_share(const char *worker, uint32_t capacity);
void world_gone(const char *client); // nobody listens there any more
void world_hang_up(const char *client, uint64_t id); // to this one, nobody
// The store takes that many rows more (or records of runs that come without
// one), then nothing, and says nothing; -1: all. It tears no unit: that of the
// last row is taken whole.
void world_store_take(int64_t rows);
// What is read is answered also when it takes nothing more.
void world_store_reads_on(bool on);
bool world_store_stopped(void);
// It answers the next unit with this, and takes nothing of it.
void world_store_says(int status);
void world_read_says(int status); // the same for the next read or lookup
// All records of the cache say this instead (taken). Gives how many there are.
size_t world_damage_cache(json_t *value);
// The store is slow: it answers when told to (world_run_store).
void world_store_slow(bool on);
// The coordinator is gone, with all that it had not stored.
void world_crash(void);
// The same from within a step of its engine, which is left as it is: a process
// that dies does not tidy up either. Whoever says so must end the process.
void world_die(void);
bool world_is_in_engine(void);
// Another one starts: workers say hello, unfinished runs are found.
void world_restart(void);
// `crash`: the runs that are found are counted (they may be what ended it).
void world_restart_after(bool crash);
// It is told what is paused, as the store has it now.
void world_find_pauses(void);
// It is told where parts of limits are, and which limits are set.
void world_find_limits(void);
// Two coordinators share the store from now on: "one" at tcp://one, which owns
// every thread, and "two". What is asked, run and passed, and every mishap, is
// of the one that was named last (at first "one"); workers join each by
// themselves.
void world_pair(void);
void world_at(const char *coordinator);
// Here all threads are lost to the other one (`known`: it is told to whom);
// they are gained, and unfinished runs are found.
void world_lost(bool known);
void world_gained(void);
// All are gained, their unfinished runs not told yet; and then they are.
void world_gained_unread(void);
void world_found(bool crashed);
// `from` of 1,024 shards are gained, beginning with 0.
void world_gained_some(uint16_t count);
void world_drains(void);
bool world_is_quiet(void);
// What was durable when the coordinator crashed: did this run finish this task?
bool world_was_finished(const char *run, const char *task_id);

// ------------------------------------------------------------------ adoption

// Coordinators that follow leave workers so long to offer what they have.
void world_adopt(int64_t adopt_ms);
// Workers say in their beats when they send them, from now on.
void world_beats_say(bool say);
// Each command of a coordinator, before it is carried out. NULL: nobody looks.
void world_watch(void (*watch)(const struct ss_command *command));
// Workers say hello with this, from now on. Borrowed.
void world_offer(const struct ss_offer *offers, size_t count);
// A worker that joined says hello again: it offers this label, one task at
// once.
void world_label(const char *worker, const char *label);
// Any event, as a shell would feed it.
void world_event(struct ss_event *event);
// The result of that node, on its way, is one of this attempt.
void world_rename(const char *node, struct ss_attempt as);

// ------------------------------------------------------------------ looking

// What happened since the last call, line by line. Borrowed until then.
const char *world_told(void);
void world_forget(void); // what was told so far
// All stream items that a client has got, each as it came. Borrowed.
json_t *world_seen(const char *client);
// That is what was told; else all of it is printed, and the test fails.
void told(const char *expected);
// How an answer says that it ended ("-": it does not), and the code of its
// error ("": none). Borrowed from it.
const char *status_of(const json_t *answer);
const char *code_of(const json_t *answer);
// The key x of an answer's output, as text. Borrowed, until the next call.
const char *output_of(const json_t *answer);
// What a chart's key x holds on a thread. Borrowed, until the world ends.
json_t *x_of(const char *thread);
// It holds that, as canonical JSON.
void expect_x(const char *thread, const char *expected);
size_t world_rows(void); // durable rows of all threads
// The bytes of their bodies, and the highest format that one has.
size_t world_stored(int32_t *ret_format);
// What the store took so far: rows, and records of runs that came without one.
size_t world_taken(void);

// Attempts so far, in order.
struct attempt_made {
    char node[64];
    char run[SS_UUID_SIZE];
    char task_id[SS_UUID_SIZE];
    char worker[64];
    size_t life; // which coordinator asked for it: 0, 1, ...
    int64_t step;
};
const struct attempt_made *world_attempts(size_t *ret_count);
size_t world_attempts_of(const char *node);

#endif
