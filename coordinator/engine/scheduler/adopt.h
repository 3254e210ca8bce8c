// adopt.h - attempts of an owner before us, taken over (adopt.c).
#ifndef SS_ENGINE_SCHEDULER_ADOPT_H
#define SS_ENGINE_SCHEDULER_ADOPT_H

#include <stdbool.h>
#include <stddef.h>

struct engine;
struct ss_offer;
struct task;
struct worker;

// It is ready: a worker of an owner before us may have it.
void ss_adopt_wait(struct task *task);
void ss_adopt_forget(struct task *task);
bool ss_adopt_waits(const struct task *task);
// Ask one worker what it has of all shards that are ours.
void ss_seek_all(struct worker *worker);
void ss_offers_take(
    struct worker *worker, const struct ss_offer *offers, size_t count);
// The worker is gone.
void ss_offers_drop(struct worker *worker);
// Offers and ready tasks find each other.
void ss_adopt(struct engine *engine);

#endif
