// waiting.c - what waits for a thread: requests, and runs that were found.
//
//   recover X | rollback Y | cancel Z, state, copy ...
//   found, nobody asks     | requests, in the order in which they came
//
// Until the thread has been read, or for longer: a run's graph may be unknown,
// a copy waits for the store. Who may go on now is for the rooms above to say
// (ss_requests_resume); here is only who waits.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/request.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/threads_impl.h"
#include "coordinator/engine/threads/waiting.h"

void ss_waiting_fini(struct waiting *waiting)
{
    ss_request_unref(waiting->request);
    ss_free(waiting->run);
}

void ss_waiting_add(
    struct thread *thread, enum turn turn, const struct ss_request *request)
{
    ss_check(turn < TURN_RECOVER);
    SS_VEC_PUSH(&thread->waiting,
        (struct waiting){.turn = turn, .request = ss_request_ref(request)});
}

void ss_waiting_add_run_last(
    struct thread *thread, const char *run, enum turn turn)
{
    ss_check(run && run[0] && turn >= TURN_RECOVER);
    SS_VEC_PUSH(&thread->waiting,
        (struct waiting){.turn = turn, .run = ss_strdup(run)});
}

// Before those who ask: they are to find it.
void ss_waiting_add_run(struct thread *thread, const char *run, enum turn turn)
{
    ss_waiting_add_run_last(thread, run, turn);
    size_t at = thread->waiting.count - 1;
    struct waiting found = thread->waiting.items[at];
    for (; at > 0 && thread->waiting.items[at - 1].request; at--)
        thread->waiting.items[at] = thread->waiting.items[at - 1];
    thread->waiting.items[at] = found;
}

size_t ss_waiting_count(const struct thread *thread)
{
    return thread->waiting.count;
}

bool ss_waiting_asks(const struct thread *thread, enum ss_op op)
{
    for (size_t i = 0; i < thread->waiting.count; i++) {
        const struct waiting *w = &thread->waiting.items[i];
        if (w->turn == TURN_OP && w->request->op == op)
            return true;
    }
    return false;
}

bool ss_waiting_take_first(struct thread *thread, struct waiting *ret)
{
    if (thread->waiting.count == 0)
        return false;
    *ret = thread->waiting.items[0];
    SS_VEC_REMOVE(&thread->waiting, 0);
    return true;
}

struct waiting_list ss_waiting_take_all(struct thread *thread)
{
    struct waiting_list all = thread->waiting;
    thread->waiting = (struct waiting_list){0};
    return all;
}

void ss_waiting_put(struct thread *thread, struct waiting waiting)
{
    ss_check((waiting.request != NULL) != (waiting.run != NULL));
    SS_VEC_PUSH(&thread->waiting, waiting);
}

const char *ss_waiting_run(const struct thread *thread)
{
    for (size_t i = 0; i < thread->waiting.count; i++)
        if (thread->waiting.items[i].run)
            return thread->waiting.items[i].run;
    return NULL;
}

bool ss_waiting_has_run(const struct thread *thread, const char *run)
{
    for (size_t i = 0; run && i < thread->waiting.count; i++) {
        const struct waiting *w = &thread->waiting.items[i];
        if (w->run && strcmp(w->run, run) == 0)
            return true;
    }
    return false;
}

bool ss_waiting_take_run(
    struct thread *thread, const char *run, enum turn turn, struct waiting *ret)
{
    for (size_t at = thread->waiting.count; at-- > 0;) {
        *ret = thread->waiting.items[at];
        if (!ret->run || ret->turn != turn || strcmp(ret->run, run) != 0)
            continue;
        SS_VEC_REMOVE(&thread->waiting, at);
        return true;
    }
    return false;
}

void ss_waiting_refuse(struct thread *thread, int status, const char *message)
{
    for (size_t i = 0; i < thread->waiting.count; i++) {
        const struct ss_request *asks = thread->waiting.items[i].request;
        if (asks)
            ss_reply_dropped(thread, asks->peer, asks->id, status, message);
    }
}

void ss_waiting_drop(struct thread *thread, bool but_runs)
{
    for (size_t i = thread->waiting.count; i-- > 0;) {
        if (but_runs && thread->waiting.items[i].run)
            continue;
        ss_waiting_fini(&thread->waiting.items[i]);
        SS_VEC_REMOVE(&thread->waiting, i);
    }
}
