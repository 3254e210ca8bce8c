// lead.h - which of two threads runs a worker's loop.
//
//   the first one                         the other, the process's main thread
//   runs the loop                         sleeps
//   ss_lead_enter(): runs a body in it    looks now and then
//   ss_lead_leave(): goes on, true        ...
//
//   ss_lead_enter(): runs a body in it    looks, and looks again: it takes the
//     that takes long                     loop over, and runs it
//   ss_lead_leave(): false                gives it back
//
// A body that the loop's own thread runs costs no wake-up, neither to hand it
// over nor to hear of its end. But while it runs nobody serves the loop: so the
// other thread looks whether it comes back. To look costs the first one
// nothing: no timer is set and nobody is woken, unless no body has run for a
// while and the other one sleeps.
//
// One of the two has the loop, and all that belongs to it; what passes from one
// to the other is ordered by one atomic word. The first one blocks all signals,
// as all threads do that run bodies.
#ifndef SS_WORKER_LEAD_H
#define SS_WORKER_LEAD_H

#include <stdbool.h>

struct ss_lead;

enum ss_lead_turn {
    SS_LEAD_ON,   // one more, please
    SS_LEAD_OVER, // the loop has ended
    SS_LEAD_LOST, // ss_lead_leave() said so: nothing of the loop was touched
                  // since
};

struct ss_lead *ss_lead_new(void);
// Run `turn` until it is over: in a thread of its own, and in this one where
// that has lost the loop, or where there is no such thread to be had.
void ss_lead_run(
    struct ss_lead *lead, enum ss_lead_turn (*turn)(void *ctx), void *ctx);
// Join the first thread. It must not be in a body.
void ss_lead_destroy(struct ss_lead **lead);

// ------------------------------------------------ within a turn

// Whether this thread may run a body in its turn.
bool ss_lead_may_run(const struct ss_lead *lead);
// A body begins, or may begin: between these two calls the loop may be taken
// over.
void ss_lead_enter(struct ss_lead *lead);
// It has ended. False: the loop is another's now.
bool ss_lead_leave(struct ss_lead *lead);

#endif
