// thread_state.c - the states of a thread, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

enum {
    COLD = 1 << THREAD_COLD,
    LOADING = 1 << THREAD_LOADING,
    HOT = 1 << THREAD_HOT,
};

// Whatever its store refuses makes a thread COLD: what it knew is dropped, and
// is read again when somebody asks.
static const struct ss_move_state states[] = {
    [THREAD_COLD] = {"cold", COLD | LOADING | HOT},
    [THREAD_LOADING] = {"being read", COLD},
    [THREAD_HOT] = {"hot", LOADING},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("thread", states);

void ss_thread_move(struct thread *thread, enum thread_state to)
{
    ss_move(&moves, thread->state, to);
    thread->state = to;
}
