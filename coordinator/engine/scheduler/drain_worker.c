// drain_worker.c - a worker that an operator sends away (the request `drain`).
//
//   takes part --drain--> sent away --Bye {drains}--> drains --Bye--> gone
//
// From the first word on it is given nothing more. The word may be lost: it is
// said again with each beat, and when the same process says hello again, until
// the worker has answered it. All else is as with a signal: the worker tells
// its other coordinators, ends what it runs, and hands back what it has not
// begun.

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "common/model/suggest.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"

static void send_away(const struct worker *worker)
{
    ss_engine_command(
        worker->engine, (struct ss_command){.type = SS_COMMAND_DRAIN,
                            .peer = ss_strdup(worker->peer)});
}

void ss_worker_remind(const struct worker *worker)
{
    if (worker->state == WORKER_SENT_AWAY)
        send_away(worker);
}

static void reply_unknown(
    struct engine *engine, const struct ss_request *request, const char *name)
{
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next)
        ss_hint_offer(&hint, ((const struct worker *)e->value)->name);
    ss_reply_error(engine, request, SS_ENOTFOUND,
        "no worker \"%s\" is here; `superstep workers` lists them.%s", name,
        ss_hint_text(&hint));
}

void ss_worker_drain_request(
    struct engine *engine, const struct ss_request *request)
{
    const char *name = request->worker;
    if (!name) {
        ss_reply_error(engine, request, SS_EINVAL, "drain: say which worker");
        return;
    }
    struct worker *worker = ss_worker_named(engine, name);
    if (!worker) {
        reply_unknown(engine, request, name);
        return;
    }
    if (!ss_worker_leaves(worker)) {
        ss_engine_narrate(engine, "worker %s is sent away", worker->name);
        ss_worker_move(worker, WORKER_SENT_AWAY);
        send_away(worker);
    }
    ss_reply(engine, request, json_pack("{s:s}", "status", "draining"));
}
