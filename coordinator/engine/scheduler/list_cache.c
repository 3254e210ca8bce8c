// list_cache.c - what workers hold: a list goes to one as what it was sent
// before, and edits.
//
//   channel of a loop -> slot {stamp, list}     (of each worker, least used
//   first)
//
//   order: slot, base (the stamp that it was sent last), stamp, edits
//
// A stamp is given once in this coordinator's life, so a worker that holds
// something else under that slot cannot take it for the base: what was lost,
// repeated or has come too late makes it say that it lacks the list, and the
// order goes again, whole. The lists here share with those of the loops.

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/persistent_vector.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/placement.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/thread.h"

struct cached_list {
    uint64_t slot;
    uint64_t stamp;
    struct ss_list *list;
    int64_t used_ms;
};

static void cached_list_free(void *value)
{
    struct cached_list *cached = value;
    ss_list_unref(cached->list);
    ss_free(cached);
}

void ss_list_cache_fini(struct worker *worker)
{
    ss_map_fini(&worker->cached_lists, cached_list_free);
}

// The last used ones are the last in the map.
static void forget_oldest(struct worker *worker)
{
    const struct ss_map_entry *oldest = worker->cached_lists.first;
    ss_check(oldest);
    cached_list_free(ss_map_remove(&worker->cached_lists, oldest->key));
}

void ss_list_cache_expire(struct engine *engine)
{
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next) {
        struct worker *worker = e->value;
        while (worker->cached_lists.first) {
            const struct cached_list *oldest =
                worker->cached_lists.first->value;
            if (engine->now_ms - oldest->used_ms < engine->options.idle_ms)
                break;
            forget_oldest(worker);
        }
    }
}

// ------------------------------------------------ lists of an order

// What goes out in this order, and how.
struct sending {
    struct task *task;
    struct ss_assignment *order;
    bool anew; // as if the worker held nothing
};

static struct cached_list *cached_list_take(
    const struct sending *s, const char *key)
{
    struct worker *worker = attempt_of(s->task)->worker;
    struct cached_list *cached = ss_map_remove(&worker->cached_lists, key);
    if (cached && s->anew) {
        cached_list_free(cached);
        cached = NULL;
    }
    if (!cached) {
        cached = ss_zalloc(1, sizeof(*cached));
        cached->slot = ++worker->engine->scheduler->stamps;
    }
    cached->used_ms = worker->engine->now_ms;
    return cached;
}

// The list is what the worker holds there from now on; `to` says how it gets
// there.
static void advance(struct engine *engine, struct cached_list *cached,
    struct ss_list *list, struct ss_assignment_list *to)
{
    struct ss_list_edits edits;
    to->slot = cached->slot;
    if (cached->list && ss_list_compare(cached->list, list, &edits)) {
        to->base = cached->stamp;
        to->delta = ss_list_edits_value(&edits);
        if (edits.edits.count > 0)
            cached->stamp = ++engine->scheduler->stamps;
        ss_list_edits_fini(&edits);
    } else {
        to->delta = ss_value_of_list(ss_list_ref(list));
        cached->stamp = ++engine->scheduler->stamps;
    }
    to->stamp = cached->stamp;
    ss_list_ref(list);
    ss_list_unref(cached->list);
    cached->list = list;
}

// `channel`: whose value it is.
static void send_list(const struct sending *s, struct ss_assignment_list to,
    const char *channel, struct ss_list *list)
{
    struct worker *worker = attempt_of(s->task)->worker;
    struct ss_assignment *order = s->order;
    const struct loop_facts *level = ss_task_level(s->task);
    char *key = ss_format(
        "%s\n%s\n%s", ss_thread_facts(level->thread)->id, level->ns, channel);
    struct cached_list *cached = cached_list_take(s, key);
    advance(worker->engine, cached, list, &to);
    to.name = ss_strdup(to.name);
    SS_VEC_PUSH(&order->lists, to);
    ss_map_put(&worker->cached_lists, key, cached);
    ss_free(key);
    if (worker->cached_lists.count > SS_WORKER_LISTS_MAX)
        forget_oldest(worker);
}

// A short list is sent as it is: its slot would cost more.
static bool is_worth_it(struct ss_value *value)
{
    return value && ss_value_listed(value) &&
           ss_value_count(value) >= SS_LIST_HELD_MIN;
}

static void send_part(
    const struct sending *s, enum ss_assignment_part part, const char *channel)
{
    struct ss_value *value = *ss_assignment_part(s->order, part);
    size_t count = 0;
    if (is_worth_it(value)) {
        send_list(s, (struct ss_assignment_list){.part = part}, channel,
            ss_value_list(value));
        return;
    }
    const struct ss_field *fields =
        value ? ss_value_fields(value, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        if (is_worth_it(fields[i].value))
            send_list(s,
                (struct ss_assignment_list){
                    .part = part, .at = i, .name = (char *)fields[i].name},
                fields[i].name, ss_value_list(fields[i].value));
}

void ss_list_cache_order(
    struct task *task, struct ss_assignment *order, bool anew)
{
    const struct task_facts *facts = ss_task_facts(task);
    struct sending s = {.task = task, .order = order, .anew = anew};
    if (!attempt_of(task)->worker->keeps_lists)
        return;
    if (facts->order_kind == SS_ORDER_FOLD) {
        send_part(&s, SS_PART_FOLD, ss_task_label(task));
        return;
    }
    send_part(&s, SS_PART_INPUT,
        facts->planned.node->reads.scalar ? facts->planned.node->reads.items[0]
                                          : "");
    send_part(&s, SS_PART_FRESH, "");
}

// ------------------------------------------------ what holds

void ss_list_cache_verify(const struct worker *worker)
{
    int64_t last_ms = 0;
    for (const struct ss_map_entry *e = worker->cached_lists.first; e;
         e = e->next) {
        const struct cached_list *cached = e->value;
        ss_invariant(
            I181, cached->slot > 0 && cached->slot < cached->stamp &&
                      cached->stamp <= worker->engine->scheduler->stamps);
        ss_invariant(I182, cached->list != NULL);
        ss_invariant(I183, cached->used_ms >= last_ms &&
                               cached->used_ms <= worker->engine->now_ms);
        last_ms = cached->used_ms;
    }
}
