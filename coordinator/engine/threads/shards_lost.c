// shards_lost.c - shards that are another coordinator's now: their threads go.
//
// What is lost is forgotten at once: nothing more is stored, sent or cancelled
// for it. Attempts that are out go on at their workers, which offer them to the
// new owner; an old one must not settle them.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/cluster.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "coordinator/engine/threads/threads_impl.h"

static void new_owner(struct engine *engine, const struct ss_event *event)
{
    uint16_t owner = SS_NOBODY;
    for (size_t i = 0; i < json_array_size(engine->shards->members); i++) {
        const char *endpoint =
            json_string_value(json_array_get(engine->shards->members, i));
        if (event->shards.endpoint &&
            strcmp(endpoint, event->shards.endpoint) == 0)
            owner = (uint16_t)i;
    }
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(event->shards.shards, i))
            engine->shards->owners[i] = owner;
}

static void let_go(struct engine *engine, struct thread *thread)
{
    ss_thread_break(thread, SS_EMOVED, "it belongs to another coordinator");
    ss_map_remove(&engine->threads->by_id, thread->facts.id);
    SS_VEC_PUSH(&engine->threads->gone, thread); // freed at the end of the step
}

void ss_threads_free_gone(struct engine *engine)
{
    for (size_t i = 0; i < engine->threads->gone.count; i++)
        ss_thread_destroy(&engine->threads->gone.items[i]);
    engine->threads->gone.count = 0;
}

void ss_shards_lost(struct engine *engine, const struct ss_event *event)
{
    ss_check(engine->options.shared);
    ss_shards_leave(&engine->shards->owned, event->shards.shards);
    ss_shards_leave(&engine->shards->unread, event->shards.shards);
    new_owner(engine, event);
    ss_engine_narrate(engine, "%zu shards are not ours any more",
        ss_shards_count(event->shards.shards));
    engine->shards->letting_go = true;
    for (struct ss_map_entry *e = engine->threads->by_id.first, *next; e;
         e = next) {
        struct thread *thread = e->value;
        next = e->next;
        if (!ss_shard_owned(engine, thread->facts.id))
            let_go(engine, thread);
    }
    engine->shards->letting_go = false;
}
