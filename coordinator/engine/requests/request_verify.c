// request_verify.c - what holds of requests that wait for the store between two
// steps (invariants.c has the list).
#include "common/base/map.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"

static bool is_asked(const struct engine *engine, uint64_t tag)
{
    return tag > 0 && tag <= engine->tags;
}

// Who listens to a run, and what they want of it.
static void verify_audience(const struct run *run)
{
    const struct audience *audience = audience_of(run);
    unsigned modes = 0;
    bool inside = false;
    ss_invariant(I238, audience && audience->scope == SCOPE_NONE);
    ss_invariant(I239, !audience->replay);
    for (size_t i = 0; i < audience->subscribers.count; i++) {
        const struct subscriber *subscriber = &audience->subscribers.items[i];
        ss_invariant(I240, subscriber->told && !subscriber->detached);
        modes |= subscriber->modes;
        inside = inside || subscriber->subgraphs;
    }
    ss_invariant(I241, ss_run_facts(run)->modes == modes);
    ss_invariant(I242, audience->any_subgraphs == inside);
}

void ss_requests_verify(const struct engine *engine, struct census *census)
{
    struct requests *requests = engine->requests;
    for (const struct ss_map_entry *e = ss_runs_all(engine)->first; e;
         e = e->next)
        verify_audience(e->value);
    for (size_t i = 0; i < requests->claims.count; i++) {
        const struct claim *claim = &requests->claims.items[i];
        ss_invariant(I137,
            is_asked(engine, claim->tag) && claim->tries <= SS_CLAIM_TRIES_MAX);
    }
    for (size_t i = 0; i < requests->claims.count; i++)
        ss_invariant(I243, requests->claims.items[i].tries > 0);
    ss_invariant(I138, requests->claims.count <= SS_CLAIMS_MAX);
    for (size_t i = 0; i < requests->scans.count; i++)
        ss_invariant(I139, is_asked(engine, requests->scans.items[i].tag) &&
                               requests->scans.items[i].request);
    census->seen += requests->claims.count + requests->scans.count;
}
