// customer.h - a customer, as its files share it: customer.c asks,
// customer_moves.c knows what comes next, customer_checks.c what must have come
// out.
#ifndef SS_TESTS_SIM_CUSTOMER_H
#define SS_TESTS_SIM_CUSTOMER_H

#include "client/session/limits.h"
#include "client/session/session.h"
#include "common/base/check.h"
#include "common/model/value.h"
#include "tests/sim/reference.h"
#include "tests/sim/world.h"

#define SAID_KEY "by"

enum {
    PAUSE_MS = 300, // before it asks again
    CUSTOMER_THREAD_SIZE = 32,
    CUSTOMER_PLACE_SIZE = CUSTOMER_THREAD_SIZE + 24,
    RUN_SIZE = 32,
};

struct step; // chores.h

// What comes behind a chore.
enum after { AFTER_INPUT, AFTER_QUESTION, AFTER_FAILURE, AFTER_UPDATE };

struct customer {
    struct process process;
    struct ss_talk *talk;
    const struct plan *plan;
    struct reference *reference;
    char thread[CUSTOMER_THREAD_SIZE];
    json_t *threads; // all that it has had, copies left behind included
    const char *durability;
    bool is_content;
    uint32_t inputs;  // given so far
    json_t *words;    // those of them that stand
    json_t *gone;     // runs that were taken back
    uint32_t updates; // made so far
    bool is_given;    // the present input is there, whatever becomes of its run
    uint32_t moves;   // made so far
    int64_t moved_ms; // when it gave its thread something last
    uint32_t names;   // of runs, given on this thread
    json_t *body;     // of the present move; NULL: a step is asked for
    // What it does to its thread meanwhile; NULL: nothing.
    const struct step *step;
    enum after after;
    json_t *open; // AFTER_QUESTION: what is asked
    struct {
        uint32_t number;
        char other[CUSTOMER_THREAD_SIZE]; // a copy, or what it was copied from
        json_t *before, *body, *answer;
        size_t given, asked; // of an import
        int64_t looked_ms;   // when it had last been looked at
        int64_t asked_ms;    // and when it was asked whether it is unused
        int64_t idle_ms;     // what is unused so long is to forget its past
        int64_t changed_us;  // its thread, as a list says; 0: not listed
        size_t found;        // how often its thread was found by time
        char place[CUSTOMER_PLACE_SIZE]; // where a list by time goes on
    } chore;
    char run[RUN_SIZE];
    bool is_accepted;
    bool is_detached;           // nobody listens: it is asked for again
    char quarantined[RUN_SIZE]; // the run of its thread that is in quarantine,
                                // or ""
    bool is_releasing;          // it asks for the release
    bool was_cancelled;         // since its last input
    bool was_released;          // and that may not be durable yet
    uint64_t key;               // of the request under way; 0: none
    uint64_t keys;
    uint64_t keys_forgotten; // requests up to here are given up
    // a run that waits behind the present one
    struct {
        json_t *body; // NULL: none
        char run[RUN_SIZE];
        bool is_asked, is_accepted;
        uint64_t key;
    } behind;
    bool is_free; // nobody can say what it must come to
    // The database was set back: it is to be found out what is there. What runs
    // behind others there may begin on what those left.
    bool is_astray, is_unsure;
    // the stream of the present run
    char seq[SS_TALK_SEQ_SIZE_MAX];
    json_t *before; // the values before the present input
    size_t seen;    // the last of the reference's steps that was shown
    bool is_first;  // nothing of this run was shown yet
    // What had finished beside a question may look like the whole step.
    bool may_repeat;
    // Two steps look alike, and what was shown first is one of them: `seen`, or
    // the one after it.
    bool may_be_further;
    bool is_partial; // shown: what had finished beside a question
    json_t *items;   // of the present run's attempts: items.c
    char waits_for[64];
    // What a run said of the thread last (SAID_KEY of its metadata), "": none
    // did; and what one may have said, of which nothing was heard yet.
    char said[RUN_SIZE], may_say[RUN_SIZE];
};

// ------------------------------------------------ customer.c

// It makes its next move then.
void customer_come_back(struct customer *it, int64_t in_ms);
// What it asked for before is given up: neither it nor the network asks again.
// Before something that forgets the names of runs and the keys of updates, for
// a request behind that is a new one.
void customer_forget_asks(struct customer *it);
// Takes `body`.
void customer_ask_for(struct customer *it, const char *op, json_t *body);

// ------------------------------------------------ customer_chores.c

// False: nothing, now; else what comes after is begun behind it.
bool customer_does_something(struct customer *it, enum after after);
void customer_look_last(struct customer *it);
// It is not gone on with.
void customer_drop_chore(struct customer *it);
// It looks at a thread that was deleted: that there is none is the right
// answer.
bool customer_has_nothing(const struct customer *it);
void customer_ask_step(struct customer *it);
void customer_on_step(struct customer *it, json_t *answer);

// ------------------------------------------------ customer_moves.c

// The present run was accepted: what it says of its thread stands there.
void customer_on_accepted(struct customer *it);
// What was said of the thread is of another one, or gone with it.
void customer_forget_said(struct customer *it);

void customer_next_input(struct customer *it);
// Its present input has come to its end.
void customer_end_input(struct customer *it);
void customer_go_on(struct customer *it, const char *why);
void customer_answer(struct customer *it, json_t *interrupts);
// Supersteps of an update (added to `list`); then it is made.
void customer_begin_update(struct customer *it, json_t *list);
void customer_end_update(struct customer *it);
// The reference, as if it had been given no other words.
void customer_run_words(struct customer *it);
// Was it cancelled so that nothing of it may be left?
bool customer_may_lack_input(const struct customer *it);
void customer_repeat_input(struct customer *it);
// The run behind the present one: it is asked for, was answered, has its turn.
void customer_ask_behind(struct customer *it);
void customer_on_behind(struct customer *it, const json_t *answer);
void customer_turn_to_behind(struct customer *it);
// The run behind was to take back the present one, if that had not ended.
bool customer_may_be_taken_back(const struct customer *it);
// It did: nothing of the present one is left.
void customer_forget_run(struct customer *it);
// The database was set back: see what is there; that is it.
void customer_look_around(struct customer *it);
void customer_find_way(struct customer *it, const json_t *values);

// ------------------------------------------------ items.c

// Of the present run nothing was shown yet; what of it was, for an attach
// (gives).
void items_forget(struct customer *it);
json_t *items_seen(const struct customer *it);
// Something of a body; false: it is a durable event.
bool items_show(struct customer *it, const json_t *item);
// The run is done.
void items_end(struct customer *it);

// ------------------------------------------------ customer_checks.c

// These are the values of the reference.
void customer_check(
    struct customer *it, const json_t *values, const char *what);
// An event of the present run; its answer, or that of what was asked of the
// thread.
void customer_on_item(struct customer *it, json_t *item);
void customer_on_answer(struct customer *it, json_t *answer);

#endif
