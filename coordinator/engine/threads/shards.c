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
#include "coordinator/engine/threads/threads_impl.h"

void ss_shards_init(struct engine *engine, bool unread)
{
    struct shards *shards = ss_zalloc(1, sizeof(*shards));
    if (unread)
        ss_shards_fill(&shards->unread);
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        shards->owners[i] = SS_NOBODY;
    engine->shards = shards;
}

void ss_shards_fini(struct engine *engine)
{
    json_decref(engine->shards->members);
    ss_free(engine->shards);
}

const struct ss_shards *ss_shards_ours(const struct engine *engine)
{
    return &engine->shards->owned;
}

json_t *ss_shards_members(const struct engine *engine)
{
    return engine->shards->members;
}

bool ss_shards_let_go(const struct engine *engine)
{
    return engine->shards->letting_go;
}

bool ss_shard_owned(const struct engine *engine, const char *thread)
{
    return !engine->options.shared ||
           ss_shards_have(&engine->shards->owned, ss_shard_of(thread));
}

bool ss_shard_is_ours(const struct engine *engine, uint16_t shard)
{
    return !engine->options.shared ||
           (ss_shards_have(&engine->shards->owned, shard) &&
               !ss_shards_have(&engine->shards->unread, shard));
}

uint16_t ss_shard_owner(const struct engine *engine, uint16_t shard)
{
    ss_check(shard < SS_SHARDS);
    return engine->shards->owners[shard];
}

uint64_t ss_shard_epoch(const struct engine *engine, uint16_t shard)
{
    ss_check(shard < SS_SHARDS);
    return engine->options.shared ? engine->shards->epochs[shard]
                                  : engine->options.epoch;
}

// ------------------------------------------------ where it is now

// Borrowed; NULL: nobody knows.
static const char *endpoint_of(const struct engine *engine, const char *thread)
{
    uint16_t owner = engine->shards->owners[ss_shard_of(thread)];
    return owner == SS_NOBODY ? NULL
                              : json_string_value(json_array_get(
                                    engine->shards->members, owner));
}

// The answer that says where the thread is now, as far as it is known. Gives.
static json_t *moved_json(const struct engine *engine, const char *thread)
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
    ss_reply(engine, request, moved_json(engine, thread));
    return true;
}

void ss_reply_dropped(struct thread *thread, const char *peer, uint64_t id,
    int status, const char *message)
{
    if (status != SS_EMOVED)
        ss_reply_refused(thread->facts.engine, peer, id, status, message);
    else
        ss_engine_command(thread->facts.engine,
            (struct ss_command){.type = SS_COMMAND_REPLY,
                .peer = ss_strdup(peer),
                .id = id,
                .json = moved_json(thread->facts.engine, thread->facts.id)});
}

static json_t *members_json(const struct ss_event *event)
{
    json_t *list = json_array();
    for (size_t i = 0; i < event->members.count; i++)
        json_array_append_new(list, json_string(event->members.endpoints[i]));
    return list;
}

// The owners are told with the members, by their numbers there.
bool ss_shards_seen(struct engine *engine, const struct ss_event *event)
{
    struct shards *shards = engine->shards;
    json_t *list = members_json(event);
    bool is_news = !json_equal(list, shards->members);
    json_decref(shards->members);
    shards->members = list;
    for (size_t i = 0; i < SS_SHARDS; i++) {
        uint16_t owner =
            event->members.owners ? event->members.owners[i] : SS_NOBODY;
        shards->owners[i] = owner < event->members.count ? owner : SS_NOBODY;
    }
    if (event->members.row_format > 0)
        ss_engine_rows_as(engine, event->members.row_format);
    return is_news;
}

// ------------------------------------------------ gained

void ss_shards_gained(struct engine *engine, const struct ss_event *event)
{
    ss_check(engine->options.shared);
    ss_check(event->shards.epoch > 0);
    ss_shards_join(&engine->shards->owned, event->shards.shards);
    if (event->shards.unread)
        ss_shards_join(&engine->shards->unread, event->shards.shards);
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(event->shards.shards, i))
            engine->shards->epochs[i] = event->shards.epoch;
    ss_engine_narrate(engine, "%zu shards are ours now",
        ss_shards_count(event->shards.shards));
}

void ss_shards_read(struct engine *engine, const struct ss_event *event)
{
    ss_shards_leave(&engine->shards->unread, event->shards.shards);
    ss_graphs_found(engine); // they were read before its runs
}

bool ss_any_is_read(const struct engine *engine)
{
    struct ss_shards read = engine->shards->owned;
    if (!engine->options.shared)
        ss_shards_fill(&read);
    ss_shards_leave(&read, &engine->shards->unread);
    return ss_shards_count(&read) > 0;
}

bool ss_is_read(const struct engine *engine, const char *thread)
{
    return !ss_shards_have(&engine->shards->unread, ss_shard_of(thread));
}
