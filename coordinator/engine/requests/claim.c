// claim.c - a run's name becomes one thread's, before the run begins.
//
//   look at the name --not there--> put it, if it is not there --> begin
//         |    ^                        |
//         |    +------- refused --------+  (somebody was quicker)
//         +--this thread's--> begin
//         +--another thread's--> already_exists
//
// Only while a coordinator is a member that has a run's name alone as key: two
// runs of one name would be one record, and the first of them would be lost.
// What is put is the record of a run that ended before it began, so nothing is
// left to go on if this coordinator ends now; the run takes its place.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

static void claim_fini(struct claim *claim)
{
    ss_free(claim->thread);
    ss_request_unref(claim->request);
}

void ss_claims_fini(struct engine *engine)
{
    struct requests *requests = engine->requests;
    for (size_t i = 0; i < requests->claims.count; i++)
        claim_fini(&requests->claims.items[i]);
    SS_VEC_FINI(&requests->claims);
}

static const char *name_of(const struct claim *claim)
{
    return claim->request->run;
}

static void refuse(
    struct engine *engine, struct claim *claim, int status, const char *message)
{
    ss_reply_error(engine, claim->request, status, "%s", message);
    claim_fini(claim);
}

// ------------------------------------------------ asking

static void look(struct engine *engine, struct claim claim)
{
    claim.tag = ss_engine_tag(engine);
    ss_check(claim.tries < SS_CLAIM_TRIES_MAX);
    claim.is_put = false;
    claim.tries++;
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_GET,
                                  .tag = claim.tag,
                                  .table = SS_RECORD_RUN,
                                  .key = ss_strdup(name_of(&claim))});
    SS_VEC_PUSH(&engine->requests->claims, claim);
}

static void put(struct engine *engine, struct claim claim)
{
    struct ss_command command = {.type = SS_COMMAND_STORE,
        .tag = ss_engine_tag(engine),
        .puts = ss_zalloc(1, sizeof(*command.puts)),
        .puts_count = 1};
    command.puts[0] = ss_put_of(SS_RECORD_RUN, name_of(&claim), claim.thread,
        json_pack("{s:s, s:s, s:s, s:I, s:I}", "run", name_of(&claim), "thread",
            claim.thread, "status", ss_run_status_name(SS_RUN_CANCELLED),
            "created_us", (json_int_t)engine->wall_us, "changed_us",
            (json_int_t)engine->wall_us));
    command.puts[0].absent = true;
    claim.tag = command.tag;
    claim.is_put = true;
    ss_engine_command(engine, command);
    SS_VEC_PUSH(&engine->requests->claims, claim);
}

void ss_claim(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct engine *engine = its->engine;
    if (engine->requests->claims.count >= SS_CLAIMS_MAX) {
        ss_reply_error(engine, request, SS_EBUSY,
            "%d names of runs are on their way to the store: ask again",
            SS_CLAIMS_MAX);
        return;
    }
    look(engine, (struct claim){.thread = ss_strdup(its->id),
                     .request = ss_request_ref(request)});
}

// ------------------------------------------------ answers

static void begin(struct engine *engine, struct claim *claim)
{
    if (!ss_redirect(engine, claim->request, claim->thread))
        ss_request_later(ss_thread_get(engine, claim->thread),
            claim->is_put ? TURN_NAME_CLAIMED : TURN_NAME_KNOWN,
            claim->request);
    claim_fini(claim);
}

static void exists(
    struct engine *engine, struct claim *claim, const char *thread)
{
    char *text = ss_format(
        "run %s is on thread %s: while a coordinator of an"
        " older version is at work, the name of a run is one thread's. Give "
        "this one another name, or upgrade that coordinator",
        name_of(claim), thread);
    refuse(engine, claim, SS_EEXISTS, text);
    ss_free(text);
}

// The claim of that tag, taken out. False: there is none.
static bool take(
    struct engine *engine, uint64_t tag, bool is_put, struct claim *ret_claim)
{
    struct requests *requests = engine->requests;
    for (size_t i = 0; i < requests->claims.count; i++) {
        const struct claim *it = &requests->claims.items[i];
        if (it->tag != tag || it->is_put != is_put)
            continue;
        *ret_claim = *it;
        SS_VEC_REMOVE(&requests->claims, i);
        return true;
    }
    return false;
}

bool ss_claim_looked(struct engine *engine, const struct ss_event *event)
{
    struct claim claim;
    int status = event->records.status;
    if (!take(engine, event->records.tag, false, &claim))
        return false;
    const char *of =
        status == SS_OK && event->records.records_count > 0
            ? ss_json_str(event->records.records[0].value, "thread", "?")
            : NULL;
    if (status == SS_EFENCED)
        claim_fini(&claim); // who asked asks whoever comes after us
    else if (status != SS_OK && status != SS_ENOTFOUND)
        refuse(engine, &claim, status,
            event->records.message ? event->records.message : "");
    else if (!of)
        put(engine, claim);
    else if (strcmp(of, claim.thread) == 0)
        begin(engine, &claim);
    else
        exists(engine, &claim, of);
    return true;
}

bool ss_claim_stored(struct engine *engine, const struct ss_event *event)
{
    struct claim claim;
    int status = event->stored.status;
    if (!take(engine, event->stored.tag, true, &claim))
        return false;
    if (status == SS_OK)
        begin(engine, &claim);
    else if (status == SS_EREFUSED && claim.tries < SS_CLAIM_TRIES_MAX)
        look(engine, claim); // somebody was quicker
    else if (status == SS_EFENCED)
        claim_fini(&claim);
    else
        refuse(engine, &claim, status == SS_EREFUSED ? SS_EAGAIN : status,
            event->stored.message ? event->stored.message : "");
    return true;
}
