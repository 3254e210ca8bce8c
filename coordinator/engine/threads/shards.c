// shards.c - which threads are this coordinator's, and whose the others are.
//
// Where several coordinators share a database a thread is served only while its
// shard is owned. What becomes of one that is lost is in shards_lost.c.
#include "coordinator/engine/threads/shards.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/cluster.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

bool ss_shard_owned(const struct engine *engine, const char *thread)
{
    return !engine->options.shared ||
           ss_shards_have(&engine->owned, ss_shard_of(thread));
}

uint64_t ss_shard_epoch(const struct engine *engine, const char *thread)
{
    return engine->options.shared ? engine->shard_epochs[ss_shard_of(thread)]
                                  : engine->options.epoch;
}

// ------------------------------------------------ where it is now

// Borrowed; NULL: nobody knows.
static const char *endpoint_of(const struct engine *engine, const char *thread)
{
    uint16_t owner = engine->owners[ss_shard_of(thread)];
    return owner == SS_NOBODY
               ? NULL
               : json_string_value(json_array_get(engine->members, owner));
}

json_t *ss_moved_json(const struct engine *engine, const char *thread)
{
    char *text = ss_format("thread %s belongs to another coordinator", thread);
    json_t *error = ss_error_json(SS_EMOVED, text);
    const char *endpoint = endpoint_of(engine, thread);
    if (endpoint)
        json_object_set_new(error, "endpoint", json_string(endpoint));
    ss_free(text);
    return json_pack("{s:o}", "error", error);
}

bool ss_redirect(
    struct engine *engine, const struct ss_request *request, const char *thread)
{
    if (ss_shard_owned(engine, thread))
        return false;
    ss_reply(engine, request, ss_moved_json(engine, thread));
    return true;
}

void ss_reply_dropped(struct thread *thread, const char *peer, uint64_t id,
    int status, const char *message)
{
    if (status != SS_EMOVED)
        ss_reply_refused(thread->engine, peer, id, status, message);
    else
        ss_engine_command(thread->engine,
            (struct ss_command){.type = SS_COMMAND_REPLY,
                .peer = ss_strdup(peer),
                .id = id,
                .json = ss_moved_json(thread->engine, thread->id)});
}

// The owners are told with the members, by their numbers there.
void ss_shards_seen(struct engine *engine, const struct ss_event *event)
{
    for (size_t i = 0; i < SS_SHARDS; i++) {
        uint16_t owner =
            event->members.owners ? event->members.owners[i] : SS_NOBODY;
        engine->owners[i] = owner < event->members.count ? owner : SS_NOBODY;
    }
    if (event->members.row_format > 0)
        engine->row_format = event->members.row_format;
}

// ------------------------------------------------ gained

void ss_shards_gained(struct engine *engine, const struct ss_event *event)
{
    ss_check(engine->options.shared);
    ss_shards_join(&engine->owned, event->shards.shards);
    if (event->shards.unread)
        ss_shards_join(&engine->unread, event->shards.shards);
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(event->shards.shards, i))
            engine->shard_epochs[i] = event->shards.epoch;
    ss_engine_narrate(engine, "%zu shards are ours now",
        ss_shards_count(event->shards.shards));
}

void ss_shards_read(struct engine *engine, const struct ss_event *event)
{
    ss_shards_leave(&engine->unread, event->shards.shards);
    ss_graphs_found(engine); // they were read before its runs
}

bool ss_any_is_read(const struct engine *engine)
{
    struct ss_shards read = engine->owned;
    if (!engine->options.shared)
        ss_shards_fill(&read);
    ss_shards_leave(&read, &engine->unread);
    return ss_shards_count(&read) > 0;
}

bool ss_is_read(const struct engine *engine, const char *thread)
{
    return !ss_shards_have(&engine->unread, ss_shard_of(thread));
}
