// request_verify.c - what holds of requests that wait for the store between two
// steps (invariants.c has the list).
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"

static bool is_asked(const struct engine *engine, uint64_t tag)
{
    return tag > 0 && tag <= engine->tags;
}

void ss_requests_verify(const struct engine *engine, struct census *census)
{
    for (size_t i = 0; i < engine->claims.count; i++) {
        const struct claim *claim = &engine->claims.items[i];
        ss_invariant(I137,
            is_asked(engine, claim->tag) && claim->tries <= SS_CLAIM_TRIES_MAX);
    }
    ss_invariant(I138, engine->claims.count <= SS_CLAIMS_MAX);
    for (size_t i = 0; i < engine->scans.count; i++)
        ss_invariant(I139, is_asked(engine, engine->scans.items[i].tag) &&
                               engine->scans.items[i].request);
    census->seen += engine->claims.count + engine->scans.count;
}
