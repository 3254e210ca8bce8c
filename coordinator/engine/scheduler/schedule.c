// schedule.c - tasks to workers: who serves what, leases on workers, attempts.
//
// Ready tasks wait in lines, one a graph and priority, that take turns
// (ready_queue.c). A task is sent when the rows that it rests on are durable,
// its run is below its limit, and a worker that serves its graph has room
// (credit: its capacity less what it runs). An attempt is named (epoch,
// dispatch number); an answer under any other name is late and changes nothing.
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/limits.h"
#include "common/model/task.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/update_state.h"
#include "coordinator/engine/scheduler/alone.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/limit_linger.h"
#include "coordinator/engine/scheduler/limit_rate.h"
#include "coordinator/engine/scheduler/placement.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/takeover.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"

// ------------------------------------------------ ready

static void schedule(struct task *task)
{
    struct engine *engine = ss_task_level(task)->engine;
    ss_ready_queue_add(task);
    ss_takeover_wait(task);
    ss_alone_wait(task);
    if (ss_placement_lacks_labels(task)) {
        char *labels = ss_placement_labels(task);
        ss_engine_narrate(engine, "task %s waits: no worker offers %s",
            ss_task_facts(task)->planned.node->name, labels);
        ss_free(labels);
    }
    ss_engine_ready_moved(engine);
}

void ss_schedule_ready(struct engine *engine)
{
    struct task *task;
    while ((task = ss_task_next_ready(engine)) != NULL)
        schedule(task);
}

bool ss_schedule_updates_follow(struct engine *engine)
{
    const struct ss_graph *stays = NULL; // most often all are of one
    const struct task *task = NULL;
    ss_schedule_ready(engine);
    while (engine->ready_moved && (task = ss_ready_queue_after(engine, task,
                                       LINES_OF_UPDATES)) != NULL) {
        const struct ss_graph *graph = ss_task_root_graph(task);
        if (graph == stays)
            continue;
        if (ss_graph_is_replaced(engine, graph)) {
            ss_update_state_plan_anew(ss_task_level(task)->change);
            return true;
        }
        stays = graph;
    }
    return false;
}

// ------------------------------------------------ attempts

static void attempt_ends(struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    if (ss_task_facts(task)->state != TASK_RUNNING)
        return;
    ss_check(attempt_of(task)->worker != NULL);
    ss_attempt_slab_remove(&level->engine->scheduler->out, task);
    ss_alone_ends(task);
    ss_check(attempt_of(task)->worker->running > 0);
    attempt_of(task)->worker->running--;
    for (EACH_LIMIT(it, attempt_of(task)->limits))
        (*it)->out--;
    attempt_of(task)->worker = NULL;
    ss_task_attempt_over(task);
    ss_engine_ready_moved(level->engine);
}

static void forget_task(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    struct engine *engine = ss_task_level(task)->engine;
    ss_schedule_ready(
        engine); // a line that empties loses its turn: not too soon
    ss_ready_queue_remove(task);
    ss_takeover_forget(task);
    ss_alone_forget(task);
    if (ss_shards_let_go(engine))
        ss_limit_leaves(task);
    if (facts->state == TASK_RUNNING && ss_shards_let_go(engine)) {
        ss_attempt_let_go(attempt_of(task)->worker, attempt_of(task)->name);
        attempt_ends(task);
    } else if (facts->state == TASK_RUNNING) {
        ss_engine_command(
            engine, (struct ss_command){.type = SS_COMMAND_CANCEL,
                        .peer = ss_strdup(attempt_of(task)->worker->peer),
                        .attempt = attempt_of(task)->name});
        ss_vouched(task);
        ss_limit_linger(task, false);
        attempt_ends(task);
    }
    ss_free(attempt_of(task)->limits);
    attempt_of(task)->limits = NULL;
    ss_task_leave(task);
}

struct task *ss_attempt_find(struct engine *engine, struct ss_attempt attempt)
{
    if (attempt.epoch != engine->options.epoch)
        return NULL;
    return ss_attempt_slab_find(&engine->scheduler->out, attempt.dispatch);
}

const struct sink ss_scheduler_sink = {.in_front = sizeof(struct attempt),
    .dropped = forget_task,
    .begins_until = ss_begins_until,
    .verify = ss_attempt_verify};

// ------------------------------------------------ dispatch

void ss_attempt_begin(struct task *task, struct worker *worker)
{
    struct engine *engine = worker->engine;
    ss_ready_queue_remove(task);
    ss_takeover_forget(task);
    ss_alone_forget(task);
    ss_task_sent(task, engine->wall_us);
    attempt_of(task)->worker = worker;
    attempt_of(task)->is_claimed = false;
    ss_thread_sent_to(ss_task_level(task)->thread, worker->number);
    attempt_of(task)->name.epoch = engine->options.epoch;
    attempt_of(task)->sent_ms = engine->now_ms;
    ss_attempt_slab_add(&engine->scheduler->out, task);
    engine->scheduler->attempts_sent++;
    worker->running++;
    worker->attempts++;
    ss_graph_attempted(engine, ss_task_root_graph(task));
    for (EACH_LIMIT(it, attempt_of(task)->limits))
        (*it)->out++;
}

static void send(
    struct engine *engine, struct task *task, struct worker *worker)
{
    bool is_alone = attempt_of(task)->waits_alone;
    ss_attempt_begin(task, worker);
    if (is_alone)
        ss_alone_begins(task, worker);
    ss_limit_begun(task);
    // no task goes between a dispatch and the end of its step
    struct ss_assignment *order = ss_task_order(task);
    attempt_of(task)->sent_anew = false;
    order->heard = worker->beat_sent;
    ss_list_cache_order(task, order, false);
    ss_engine_narrate(engine,
        "%s of superstep %" PRId64 " goes to worker %s"
        " (attempt %" PRIu32 ")",
        ss_task_label(task), ss_task_level(task)->step, worker->name,
        ss_task_facts(task)->tries.attempts);
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_DISPATCH,
                                  .peer = ss_strdup(worker->peer),
                                  .order = order});
}

static uint64_t free_room(const struct engine *engine)
{
    uint64_t room = 0;
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next) {
        const struct worker *worker = e->value;
        if (!ss_worker_leaves(worker) && worker->running < worker->granted)
            room += worker->granted - worker->running;
    }
    return room;
}

// Ready tasks may have become such that run alone, by a word that came late.
static void hear_late_word(struct engine *engine)
{
    const struct task *task = NULL;
    if (!engine->scheduler->has_late_word)
        return;
    engine->scheduler->has_late_word = false;
    while ((task = ss_ready_queue_after(engine, task, LINES_ALL)) != NULL)
        ss_alone_wait((struct task *)task);
}

static void keep_workers(struct engine *engine)
{
    const struct scheduler *scheduler = engine->scheduler;
    size_t room = ss_alone_room(engine);
    for (size_t i = 0; i < scheduler->alone.count && room > 0; i++) {
        const struct task *task = scheduler->alone.items[i];
        if (ss_task_waits_for(task) == WAIT_ROOM && ss_alone_keep(task))
            room--;
    }
}

void ss_dispatch(struct engine *engine)
{
    struct task *task;
    ss_schedule_ready(engine);
    ss_ready_queue_let_in(engine);
    if (engine->drains)
        return;
    ss_takeover_all(engine);
    if (!ss_engine_take_ready_moved(engine) || ss_store_is_slow(engine))
        return; // an answer of the store moves on
    uint64_t room = free_room(engine);
    hear_late_word(engine);
    keep_workers(engine);
    ss_ready_queue_begin(engine);
    while (room > 0 && (task = ss_ready_queue_next(engine)) != NULL) {
        struct worker *worker = ss_task_waits_for(task) == WAIT_ROOM
                                    ? ss_placement_find(task)
                                    : NULL;
        if (worker) {
            ss_ready_queue_served(task);
            send(engine, task, worker);
            room--;
        }
    }
}

// ------------------------------------------------ workers come and go

void ss_worker_free(struct worker *worker)
{
    ss_map_fini(&worker->graphs, NULL);
    ss_map_fini(&worker->labels, NULL);
    json_decref(worker->graph_names);
    json_decref(worker->settings);
    SS_VEC_FINI(&worker->let_go);
    ss_list_cache_fini(worker);
    ss_free(worker->peer);
    ss_free(worker->name);
    ss_free(worker->ended);
    ss_free(worker);
}

void ss_worker_refuse(
    struct engine *engine, const char *peer, int status, const char *text)
{
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_REFUSE,
                                  .peer = ss_strdup(peer),
                                  .status = status,
                                  .text = ss_strdup(text)});
}

static bool lease_ended(const struct engine *engine, const struct worker *w)
{
    return engine->now_ms - w->seen_ms > engine->options.lease_ms;
}

// Why this worker cannot be taken in; SS_OK if it can.
static int check_hello(
    struct engine *engine, const struct ss_event *event, struct ss_error *error)
{
    struct scheduler *scheduler = engine->scheduler;
    const char *name = event->hello.name;
    if (!name || !name[0] || strlen(name) > SS_NAME_SIZE_MAX)
        return ss_error_set(error, SS_EINVAL, "a worker needs a name");
    if (event->hello.capacity == 0 ||
        event->hello.capacity > SS_WORKER_CAPACITY_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "worker %s: a capacity of %" PRIu32 " is not between 1 and %d",
            name, event->hello.capacity, SS_WORKER_CAPACITY_MAX);
    if (event->hello.graphs_count == 0)
        return ss_error_set(
            error, SS_EINVAL, "worker %s serves no graph", name);
    if (scheduler->workers.count >= SS_WORKERS_MAX &&
        !ss_map_get(&scheduler->workers, event->peer))
        return ss_error_set(error, SS_ELIMIT,
            "%d workers are the most that one coordinator takes",
            SS_WORKERS_MAX);
    for (const struct ss_map_entry *e = scheduler->workers.first; e;
         e = e->next) {
        const struct worker *other = e->value;
        if (strcmp(other->name, name) == 0 &&
            strcmp(other->peer, event->peer) != 0 &&
            !lease_ended(engine, other))
            return ss_error_set(error, SS_EEXISTS,
                "worker %s is here "
                "already, and alive: give this one another --name",
                name);
    }
    return SS_OK;
}

// Takes `outcome`.
static void tell(struct task *task, struct ss_outcome *outcome)
{
    const struct loop_facts *level = ss_task_level(task);
    struct engine *engine = level->engine;
    if (ss_task_facts(task)->order_kind == SS_ORDER_FOLD)
        ss_fold_outcome(task, outcome);
    else if (!level->run)
        ss_update_state_outcome(task, outcome);
    else
        ss_task_outcome(task, outcome);
    ss_outcome_destroy(&outcome);
    ss_runs_end(engine);
}

static struct ss_outcome *lose(
    struct task *task, const char *why, uint32_t gone)
{
    char *before = ss_task_lost_how(task), *how = NULL;
    if (gone > 0) {
        attempt_of(task)->lost_with = gone;
        how = ss_task_lost_how(task);
    }
    struct ss_outcome *outcome = ss_task_lost(task, why, how, before);
    ss_free(how);
    ss_free(before);
    return outcome;
}

// Found again by its name: with one of an update, or of a superstep's folds,
// that is lost for the last time all others go, too.
void ss_attempts_lose(struct worker *worker, struct attempts *lost,
    const char *why, uint32_t gone)
{
    struct engine *engine = worker->engine;
    for (size_t i = 0; i < lost->count; i++) {
        struct task *task = ss_attempt_find(engine, lost->items[i]);
        if (!task)
            continue;
        worker->lost++;
        engine->scheduler->attempts_lost++;
        ss_vouched(task);
        attempt_ends(task);
        struct ss_outcome *outcome = lose(task, why, gone);
        if (outcome)
            tell(task, outcome);
        ss_schedule_ready(engine);
    }
    SS_VEC_FINI(lost);
}

static void lose_all_attempts(struct worker *worker, const char *why)
{
    struct attempts lost = {0};
    for (struct task *task = NULL;
         (task = ss_attempts_after(worker->engine, task));) {
        if (attempt_of(task)->worker != worker)
            continue;
        ss_limit_linger(task, true);
        SS_VEC_PUSH(&lost, attempt_of(task)->name);
    }
    ss_attempts_lose(worker, &lost, why, ss_worker_goes(worker));
}

static void serve_no_more(struct worker *worker)
{
    for (const struct ss_map_entry *e = worker->graphs.first; e; e = e->next)
        ss_graph_is_served(worker->engine, e->key, false);
    ss_map_fini(&worker->graphs, NULL);
    ss_limits_reckon(worker->engine);
}

static void remove_worker(struct worker *worker, const char *why)
{
    struct engine *engine = worker->engine;
    ss_engine_narrate(engine, "worker %s is gone: %s", worker->name, why);
    lose_all_attempts(worker, why);
    ss_lingering_gone(worker);
    ss_claimed_drop(worker);
    ss_map_remove(&engine->scheduler->workers, worker->peer);
    serve_no_more(worker);
    ss_worker_free(worker);
    ss_engine_ready_moved(engine);
}

static struct worker *add_worker(
    struct engine *engine, const struct ss_event *event)
{
    struct scheduler *scheduler = engine->scheduler;
    struct worker *worker = ss_map_get(&scheduler->workers, event->peer);
    for (const struct ss_map_entry *e = scheduler->workers.first, *next; e;
         e = next) {
        struct worker *other = e->value;
        next = e->next;
        if (other != worker && strcmp(other->name, event->hello.name) == 0)
            remove_worker(other, "it came back");
    }
    if (!worker) {
        worker = ss_zalloc(1, sizeof(*worker));
        worker->engine = engine;
        worker->peer = ss_strdup(event->peer);
        worker->number = ++scheduler->worker_numbers;
        ss_map_put(&scheduler->workers, event->peer, worker);
    }
    ss_free(worker->name);
    worker->name = ss_strdup(event->hello.name);
    worker->capacity = worker->granted = event->hello.capacity;
    if (worker->state != WORKER_SENT_AWAY)
        ss_worker_move(worker, WORKER_SERVES);
    worker->is_stuck = false;
    ss_worker_labels(worker, event);
    worker->keeps_lists = event->hello.keeps_lists;
    json_decref(worker->settings);
    worker->settings = json_incref(event->hello.settings);
    ss_list_cache_fini(worker); // it may have forgotten them
    worker->seen_ms = engine->now_ms;
    serve_no_more(worker);
    json_decref(worker->graph_names);
    worker->graph_names = json_array();
    return worker;
}

static void welcome(struct engine *engine, const struct ss_event *event,
    struct ss_graph *const *graphs)
{
    struct worker *worker = add_worker(engine, event);
    for (size_t i = 0; i < event->hello.graphs_count; i++) {
        const char *key = graphs[i]->key;
        if (ss_map_put(&worker->graphs, key, worker))
            continue;
        ss_graph_is_served(engine, key, true);
        json_array_append_new(worker->graph_names, json_string(key));
    }
    ss_limits_reckon(engine);
    ss_engine_narrate(engine,
        "worker %s serves %" PRIu32 " graphs, %" PRIu32 " tasks at once",
        worker->name, worker->graphs.count, worker->capacity);
    ss_engine_command(
        engine, (struct ss_command){.type = SS_COMMAND_WELCOME,
                    .peer = ss_strdup(event->peer),
                    .json = json_incref(ss_shards_members(engine)),
                    .begin_ms = ss_begin_ms(engine)});
    worker->members_said_ms = engine->now_ms;
    ss_worker_remind(worker);
    ss_claimed_take(worker, event->hello.offers, event->hello.offers_count);
    ss_seek_all(worker);
    ss_engine_ready_moved(engine);
}

void ss_worker_hello(struct engine *engine, const struct ss_event *event)
{
    struct ss_error error = {0};
    int status = check_hello(engine, event, &error);
    size_t count = event->hello.graphs_count;
    struct ss_graph **graphs = ss_zalloc(count + 1, sizeof(struct ss_graph *));
    for (size_t i = 0; status == SS_OK && i < count; i++) {
        error.status = SS_OK;
        ss_graph_learn(
            engine, event->hello.graphs[i], true, &graphs[i], &error);
        status = error.status;
        if (status == SS_OK) // one that is announced twice replaces itself
            ss_graph_ref(graphs[i]);
    }
    if (status == SS_OK)
        welcome(engine, event, graphs);
    else
        ss_worker_refuse(engine, event->peer, status, error.message);
    for (size_t i = 0; i < count; i++)
        ss_graph_unref(graphs[i]);
    ss_free(graphs);
}

// ------------------------------------------------ members

static void say_members(struct worker *worker)
{
    worker->members_said_ms = worker->engine->now_ms;
    ss_engine_command(worker->engine,
        (struct ss_command){.type = SS_COMMAND_MEMBERS,
            .peer = ss_strdup(worker->peer),
            .json = json_incref(ss_shards_members(worker->engine))});
}

void ss_workers_members(struct engine *engine)
{
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next)
        say_members(e->value);
}

void ss_members_remind(struct worker *worker)
{
    const struct engine *engine = worker->engine;
    int64_t said_ms = engine->now_ms - worker->members_said_ms;
    if (json_array_size(ss_shards_members(engine)) > 0 &&
        said_ms >= engine->options.lease_ms)
        say_members(worker);
}

// ------------------------------------------------ words of workers

// The attempt is the same: what it needs goes again, once, with its lists
// whole. A second time it is left to the lease.
void ss_worker_lacks(struct engine *engine, const struct ss_event *event)
{
    struct worker *worker =
        ss_map_get(&engine->scheduler->workers, event->peer);
    if (!worker)
        return; // whoever is unknown has no attempts
    worker->seen_ms = engine->now_ms;
    for (size_t i = 0; i < event->lacks.attempts_count; i++) {
        struct task *task = ss_attempt_find(engine, event->lacks.attempts[i]);
        if (!task || attempt_of(task)->worker != worker ||
            attempt_of(task)->sent_anew)
            continue;
        struct ss_assignment *order = ss_task_order(task);
        ss_assignment_keep(order); // the task may go in this very step
        attempt_of(task)->sent_anew = true;
        order->heard = worker->beat_sent;
        ss_list_cache_order(task, order, true);
        ss_engine_narrate(engine,
            "worker %s lacks a list: the order goes again, whole",
            worker->name);
        ss_engine_command(
            engine, (struct ss_command){.type = SS_COMMAND_DISPATCH,
                        .peer = ss_strdup(worker->peer),
                        .order = order});
    }
}

// It has not begun it, and will not: as if it had never been sent.
static void take_back(struct worker *worker, struct ss_attempt attempt)
{
    struct task *task = ss_attempt_find(worker->engine, attempt);
    if (!task || attempt_of(task)->worker != worker)
        return;
    attempt_ends(task);
    ss_check(worker->attempts > 0);
    ss_task_not_begun(task);
    worker->attempts--;
    ss_engine_narrate(worker->engine, "worker %s hands %s back, not begun",
        worker->name, ss_task_label(task));
    ss_task_ready(task);
    ss_schedule_ready(worker->engine);
}

void ss_worker_bye(struct engine *engine, const struct ss_event *event)
{
    struct worker *worker =
        ss_map_get(&engine->scheduler->workers, event->peer);
    if (event->bye.ended)
        ss_worker_ended(engine, event);
    if (event->bye.ended || !worker)
        return;
    worker->seen_ms = engine->now_ms;
    for (size_t i = 0; i < event->bye.returns_count; i++) {
        take_back(worker, event->bye.returns[i]);
        ss_lingering_ended(engine, event->bye.returns[i]);
    }
    worker->is_stuck = event->bye.drains && event->bye.stuck;
    if (event->bye.drains)
        ss_worker_move(worker, WORKER_DRAINS);
    else
        remove_worker(worker,
            event->bye.is_broken ? "its connection broke" : "it said good-bye");
}

void ss_workers_excuse(struct engine *engine, int64_t late_ms)
{
    for (struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next)
        ((struct worker *)e->value)->seen_ms += late_ms;
}

void ss_workers_expire(struct engine *engine)
{
    for (const struct ss_map_entry *e = engine->scheduler->workers.first, *next;
         e; e = next) {
        struct worker *worker = e->value;
        next = e->next;
        if (lease_ended(engine, worker))
            remove_worker(worker, "its lease ended");
        else
            ss_engine_wake(
                engine, worker->seen_ms + engine->options.lease_ms + 1);
    }
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next)
        ss_worker_ended_try(e->value);
    if (engine->scheduler->workers.count > 0)
        ss_engine_wake(
            engine, engine->now_ms + engine->options.lease_ms / 4 + 1);
    ss_limits_expire(engine);
}

// ------------------------------------------------ outcomes

// The worker keeps its result until the row that holds it is durable. `thread`
// NULL: no row will, it may forget it at once.
static void settle(struct engine *engine, const char *peer,
    struct ss_attempt attempt, struct thread *thread)
{
    if (!ss_attempts_outlive_us(engine))
        return;
    struct ss_command settled = {.type = SS_COMMAND_SETTLED,
        .peer = ss_strdup(peer),
        .attempt = attempt};
    if (thread)
        ss_thread_release_at(thread,
            ss_thread_gate(thread, GATE_SETTLED, DURABLE_SYNC), settled);
    else
        ss_engine_command(engine, settled);
}

void ss_worker_done(struct engine *engine, const struct ss_event *event)
{
    struct ss_outcome *outcome = event->done.outcome;
    const struct ss_attempt attempt = outcome->attempt;
    struct task *task = ss_attempt_find(engine, attempt);
    struct worker *worker =
        ss_map_get(&engine->scheduler->workers, event->peer);
    ss_lingering_ended(engine, attempt);
    if (!task && worker && ss_attempt_was_let_go(worker, attempt)) {
        ss_engine_narrate(engine, "a result of a thread that has moved is "
                                  "left to its owner");
        worker->seen_ms = engine->now_ms;
        ss_outcome_destroy(&outcome);
        return;
    }
    if (worker)
        worker->seen_ms = engine->now_ms;
    if (!task || attempt_of(task)->worker != worker) {
        ss_engine_narrate(engine, "a late result of a lost attempt is ignored");
        settle(engine, event->peer, attempt, NULL);
        ss_outcome_destroy(&outcome);
        return;
    }
    struct thread *thread = ss_task_level(task)->thread;
    attempt_ends(task);
    tell(task, outcome);
    settle(engine, event->peer, attempt, thread);
}

void ss_worker_live(struct engine *engine, const struct ss_event *event)
{
    struct worker *worker =
        ss_map_get(&engine->scheduler->workers, event->peer);
    struct task *task = ss_attempt_find(engine, event->live.attempt);
    if (worker)
        worker->seen_ms = engine->now_ms;
    if (task && attempt_of(task)->worker == worker &&
        ss_task_level(task)->run && ss_task_facts(task)->planned.node)
        ss_task_level(task)->engine->watch->item(
            task, event->live.kind, event->live.value);
}
