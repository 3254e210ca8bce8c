// takeover.h - attempts of an owner before us, taken over (takeover.c).
#ifndef SS_ENGINE_SCHEDULER_TAKEOVER_H
#define SS_ENGINE_SCHEDULER_TAKEOVER_H

#include <stdbool.h>
#include <stddef.h>

struct engine;
struct ss_offer;
struct takeover;
struct task;
struct worker;

struct takeover *ss_takeover_new(void);
void ss_takeover_destroy(struct takeover **place);
// It is ready: a worker of an owner before us may have it.
void ss_takeover_wait(struct task *task);
void ss_takeover_forget(struct task *task);
bool ss_takeover_waits(const struct task *task);
// Ask one worker what it has of all shards that are ours.
void ss_seek_all(struct worker *worker);
void ss_claimed_take(
    struct worker *worker, const struct ss_offer *offers, size_t count);
// The worker is gone.
void ss_claimed_drop(struct worker *worker);
// Offers and ready tasks find each other.
void ss_takeover_all(struct engine *engine);

#endif
