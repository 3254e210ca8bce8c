// fiber.h - a call that can be suspended in the middle and resumed later, in
// the one thread that there is: how a store that waits lets others go on.
#ifndef SS_TESTS_SIM_FIBER_H
#define SS_TESTS_SIM_FIBER_H

#include <stdbool.h>

struct fiber;

// Calls `run` when it is gone on with for the first time. Gives.
struct fiber *fiber_new(void (*run)(void *ctx), void *ctx);
// Go on with it until it pauses or ends. True: it has ended.
bool fiber_go_on(struct fiber *fiber);
// Within a fiber: back to who went on with it.
void fiber_pause(void);
// One that has ended, or never began.
void fiber_free(struct fiber **fiber);

#endif
