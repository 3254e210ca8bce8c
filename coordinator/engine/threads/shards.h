// shards.h - which threads are this coordinator's, and whose the others are.
#ifndef SS_ENGINE_THREADS_SHARDS_H
#define SS_ENGINE_THREADS_SHARDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct engine;
struct ss_event;
struct ss_shards;
struct ss_request;
struct thread;

// ------------------------------------------------ shards.c

// `unread`: of those that are ours, nobody is known yet.
void ss_shards_init(struct engine *engine, bool unread);
void ss_shards_fini(struct engine *engine);
// All that are ours, where the store is shared. Borrowed.
const struct ss_shards *ss_shards_ours(const struct engine *engine);
// Endpoints of all coordinators. Borrowed; NULL: not told.
json_t *ss_shards_members(const struct engine *engine);
// Threads are leaving: their attempts go on.
bool ss_shards_let_go(const struct engine *engine);
// May we serve that thread? Always, where nobody shares the store.
bool ss_shard_owned(const struct engine *engine, const char *thread);
// Is the shard ours, and all of it read? Where nobody shares the store all are.
bool ss_shard_is_ours(const struct engine *engine, uint16_t shard);
// Who has it, by the list of members, as of the last look; SS_NOBODY: nobody
// knows.
uint16_t ss_shard_owner(const struct engine *engine, uint16_t shard);
// Of the owner of its shard: orders carry it, and workers know the newer one.
uint64_t ss_shard_epoch(const struct engine *engine, uint16_t shard);
// True: the thread is another's, and who asked was told whose.
bool ss_redirect(struct engine *engine, const struct ss_request *request,
    const char *thread);
// What a thread that is dropped owes `peer`.
void ss_reply_dropped(struct thread *thread, const char *peer, uint64_t id,
    int status, const char *message);
// The events MEMBERS (who they are, and who owns what; true: others than
// before), SHARDS_GAINED, SHARDS_READ; and, in shards_lost.c, SHARDS_LOST.
bool ss_shards_seen(struct engine *engine, const struct ss_event *event);
void ss_shards_gained(struct engine *engine, const struct ss_event *event);
void ss_shards_read(struct engine *engine, const struct ss_event *event);
// Are all unfinished runs of its shard known? Who asks before then waits.
bool ss_is_read(const struct engine *engine, const char *thread);
// Is that so for any shard of ours?
bool ss_any_is_read(const struct engine *engine);

// ------------------------------------------------ shards_lost.c

void ss_shards_lost(struct engine *engine, const struct ss_event *event);

#endif
