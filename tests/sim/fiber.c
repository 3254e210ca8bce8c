// fiber.c - ucontext(3): a stack of one's own, and a way to it and back.
#include "tests/sim/fiber.h"

#include <ucontext.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum { STACK_SIZE = 512 * 1024 };

struct fiber {
    ucontext_t own, back;
    void (*run)(void *ctx);
    void *ctx;
    bool has_begun, has_ended;
    char *stack;
};

static struct fiber *running;

static void begin(void)
{
    struct fiber *fiber = running;
    fiber->run(fiber->ctx);
    fiber->has_ended = true;
}

struct fiber *fiber_new(void (*run)(void *ctx), void *ctx)
{
    struct fiber *fiber = ss_zalloc(1, sizeof(*fiber));
    fiber->run = run;
    fiber->ctx = ctx;
    fiber->stack = ss_alloc(STACK_SIZE);
    ss_check(getcontext(&fiber->own) == 0);
    fiber->own.uc_stack.ss_sp = fiber->stack;
    fiber->own.uc_stack.ss_size = STACK_SIZE;
    fiber->own.uc_link = &fiber->back;
    makecontext(&fiber->own, begin, 0);
    return fiber;
}

bool fiber_go_on(struct fiber *fiber)
{
    ss_check(!running && !fiber->has_ended);
    running = fiber;
    fiber->has_begun = true;
    ss_check(swapcontext(&fiber->back, &fiber->own) == 0);
    running = NULL;
    return fiber->has_ended;
}

void fiber_pause(void)
{
    struct fiber *fiber = running;
    ss_check(fiber);
    ss_check(swapcontext(&fiber->own, &fiber->back) == 0);
}

void fiber_free(struct fiber **fiber)
{
    struct fiber *it = *fiber;
    if (!it)
        return;
    ss_check(it->has_ended || !it->has_begun);
    ss_free(it->stack);
    ss_free(it);
    *fiber = NULL;
}
