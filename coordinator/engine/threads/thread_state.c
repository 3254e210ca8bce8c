// thread_state.c - the states of a thread, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

#define FROM(state) (1U << THREAD_##state)

// Whatever its store refuses makes a thread COLD: what it knew is dropped, and
// is read again when somebody asks.
static const struct ss_move_state states[] = {
    [THREAD_COLD] = {"cold", FROM(COLD) | FROM(LOADING) | FROM(HOT)},
    [THREAD_LOADING] = {"being read", FROM(COLD)},
    [THREAD_HOT] = {"hot", FROM(LOADING)},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("thread", states);

void ss_thread_move(struct thread *thread, enum thread_state to)
{
    ss_move(&moves, thread->facts.state, to);
    thread->facts.state = to;
}
