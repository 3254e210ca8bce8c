// retry.c - may it be tried again? Retries after failures (R6.20-R6.25), other
// workers for those that were lost, handlers; tries are counted over crashes.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/limits.h"
#include "common/model/reserved.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/resume_value.h"
#include "coordinator/engine/levels/tasks.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ policies

// R6.22, for what our own codes and the node's word say.
static bool retried_by_default(int code, enum ss_retryable retryable)
{
    if (retryable != SS_RETRY_DEFAULT)
        return retryable == SS_RETRY_YES;
    return code == SS_ENODE || code == SS_ENODETIMEOUT || code == SS_EUPDATE ||
           code == SS_EEMPTYINPUT || code == SS_EEMPTYCHANNEL;
}

static bool policy_matches(const struct ss_retry *policy, int code,
    const char *kind, enum ss_retryable retryable)
{
    if (retryable == SS_RETRY_NO || code == SS_ELOST)
        return false;
    if (!policy->retry_on)
        return retried_by_default(code, retryable);
    for (size_t i = 0; i < policy->retry_on_count; i++)
        if (strcmp(policy->retry_on[i], kind ? kind : "") == 0 ||
            strcmp(policy->retry_on[i], ss_status_name(code)) == 0)
            return true;
    return false;
}

static int64_t interval_ms(
    struct engine *engine, const struct ss_retry *policy, uint32_t failures)
{
    double interval = (double)policy->initial_interval_ms;
    for (uint32_t i = 1;
         i < failures && interval < (double)policy->max_interval_ms; i++)
        interval *= policy->backoff_factor;
    if (interval > (double)policy->max_interval_ms)
        interval = (double)policy->max_interval_ms;
    if (policy->jitter) // added after the cap (R6.20)
        interval += ss_prng_unit(ss_engine_prng(engine)) * 1000.0;
    return interval < (double)SS_DURATION_MS_MAX ? (int64_t)interval
                                                 : SS_DURATION_MS_MAX;
}

// ------------------------------------------------ what is kept of them

static json_t *tries_of(const struct task *task, int64_t wait_ms)
{
    json_t *tries = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "failed",
        (json_int_t)task->facts.tries.failures, "lost",
        (json_int_t)task->facts.tries.redeliveries, "attempts",
        (json_int_t)task->facts.tries.attempts, "first_us",
        (json_int_t)task->facts.tries.first_attempt_us, "wait_ms",
        (json_int_t)wait_ms, "at_us",
        (json_int_t)task->facts.loop->facts.engine->wall_us +
            (json_int_t)wait_ms * 1000);
    json_t *why =
        json_string(task->facts.error ? task->facts.error->message : "");
    if (why)
        json_object_set_new(tries, "error", why);
    return tries;
}

// After a crash the next attempt has all answers (R6.25), also those that this
// one broke before it asked for, and is as far from the last one that is
// allowed, and as late, as without. A program from before would take the tries
// for the task's output: where one may read them, a crash gives the task all of
// them anew.
static void keep_tries(struct task *task, int64_t wait_ms)
{
    struct thread *thread = task->facts.loop->facts.thread;
    struct ss_writes stored = {0};
    if (json_array_size(task->answers) > 0) // it replaces what stood there
        ss_writes_add(
            &stored, SS_NAME_RESUME, ss_value_new(json_incref(task->answers)));
    if (task->facts.loop->facts.engine->row_format >= SS_ROW_FORMAT_2)
        ss_writes_add(
            &stored, SS_NAME_TRIES, ss_value_new(tries_of(task, wait_ms)));
    else
        ss_thread_seal(thread); // rows of this try end here
    ss_loop_put_writes(task->facts.loop, task->facts.planned.id,
        task->facts.planned.path, &stored, NULL);
    ss_writes_fini(&stored);
    task->tried_seq = ss_thread_head(thread);
}

// Before the next attempt goes out: a body that ends its workers ends no more
// of them when coordinators change. A program from before would take this for
// what the task did: where one may read it, a crash begins the count anew.
static void keep_loss(struct task *task)
{
    struct loop *loop = task->facts.loop;
    if (loop->facts.engine->row_format >= SS_ROW_FORMAT_4)
        ss_loop_put_lost(loop, task,
            json_pack("{s:I, s:I, s:I}", "lost",
                (json_int_t)task->facts.tries.redeliveries, "attempts",
                (json_int_t)task->facts.tries.attempts, "first_us",
                (json_int_t)task->facts.tries.first_attempt_us));
}

static uint32_t count_of(const json_t *of, const char *key)
{
    int64_t count = ss_json_int(of, key, 0);
    return count > 0 && count < INT32_MAX ? (uint32_t)count : 0;
}

static void recover_attempts(struct task *task, const json_t *of)
{
    task->facts.tries.redeliveries = count_of(of, "lost");
    task->facts.tries.attempts = count_of(of, "attempts");
    task->facts.tries.first_attempt_us = ss_json_int(of, "first_us", 0);
}

static void recover_failures(
    struct task *task, const struct ss_pending_facts *facts)
{
    const struct loop *loop = task->facts.loop;
    const json_t *tries = facts->tries;
    int64_t left_ms =
        (ss_json_int(tries, "at_us", 0) - loop->facts.engine->wall_us) / 1000;
    int64_t wait_ms = ss_json_int(tries, "wait_ms", 0);
    if (left_ms > wait_ms) // the clock was put back
        left_ms = wait_ms;
    task->facts.tries.failures = (uint32_t)ss_json_int(tries, "failed", 0);
    task->tried_seq = facts->tries_seq;
    ss_error_set(ss_error_at(&task->facts.error), SS_ENODE, "%s",
        ss_json_str(tries, "error", ""));
    task->facts.tries.retry_at_ms = loop->facts.engine->now_ms + left_ms;
}

static void recover_tries(
    struct task *task, const struct ss_pending_facts *facts)
{
    const struct loop *loop = task->facts.loop;
    bool has_tries = facts->tries && facts->tries_seq > loop->entered.tried_seq;
    bool has_lost = facts->lost && facts->lost_seq > loop->entered.tried_seq;
    if (has_tries)
        recover_failures(task, facts);
    if (has_lost && (!has_tries || facts->lost_seq > facts->tries_seq))
        recover_attempts(task, facts->lost);
    else if (has_tries)
        recover_attempts(task, facts->tries);
}

void ss_loop_recover_tries(struct loop *loop)
{
    for (size_t i = 0; run_of(loop)->recovering && i < loop->facts.tasks.count;
         i++) {
        struct task *task = loop->facts.tasks.items[i];
        if (task->facts.state != TASK_NEW)
            continue;
        struct ss_pending_facts facts =
            ss_pendings_facts(&loop->pending, task->facts.planned.id);
        recover_tries(task, &facts);
    }
}

// ------------------------------------------------ a failure

// R6.20: the first policy that matches decides. While it waits the task has the
// error that it failed with.
static bool retry(struct task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *message)
{
    struct engine *engine = task->facts.loop->facts.engine;
    for (size_t i = 0; i < task->facts.planned.node->retries_count; i++) {
        const struct ss_retry *policy = &task->facts.planned.node->retries[i];
        if (!policy_matches(policy, code, kind, retryable))
            continue;
        task->facts.tries.failures++;
        if ((int64_t)task->facts.tries.failures >= policy->attempts_max)
            return false;
        ss_writes_fini(&task->facts.writes);
        ss_error_set(ss_error_at(&task->facts.error), code, "%s", message);
        task->facts.loop->facts.engine->watch->restarted(task);
        int64_t wait_ms =
            interval_ms(engine, policy, task->facts.tries.failures);
        keep_tries(task, wait_ms);
        task->facts.tries.retry_at_ms = engine->now_ms + wait_ms;
        ss_task_back_off(task, "failed");
        return true;
    }
    return false;
}

static void start_handler(struct task *task)
{
    struct task *handler = ss_loop_plan_handler(task->facts.loop, task);
    task->error_handled = true;
    run_of(task->facts.loop)->stats.planned++;
    ss_task_start(handler);
}

void ss_task_failed(struct task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *message)
{
    struct engine *engine = task->facts.loop->facts.engine;
    engine->levels->attempts_failed++;
    if (retry(task, code, kind, retryable, message))
        return;
    bool handled = task->facts.planned.kind != SS_TASK_HANDLER &&
                   task->facts.planned.node->handler != SS_NONE &&
                   code != SS_EDRAINED;
    ss_task_commit_failure(task, code, message, handled);
    ss_engine_narrate(engine, "task %s failed: %s",
        task->facts.planned.node->name, task->facts.error->message);
    if (handled)
        start_handler(task);
    ss_task_settled(task);
}

const struct task *ss_task_backing_off(
    const struct engine *engine, size_t index)
{
    const struct levels *levels = engine->levels;
    return index < levels->backoff.count ? levels->backoff.items[index] : NULL;
}

void ss_tasks_retry(struct engine *engine)
{
    struct levels *levels = engine->levels;
    for (size_t i = 0; i < levels->backoff.count;) {
        struct task *task = levels->backoff.items[i];
        if (task->facts.tries.retry_at_ms > engine->now_ms) {
            ss_engine_wake(engine, task->facts.tries.retry_at_ms);
            i++;
            continue;
        }
        SS_VEC_REMOVE(&levels->backoff, i);
        ss_task_retry_due(task);
    }
}

// ------------------------------------------------ a lost worker

static struct ss_outcome *lost_outcome(const char *why)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = SS_ELOST;
    outcome->message = ss_strdup(why);
    return outcome;
}

// What a task that no worker survives fails with.
static void lost_text(const struct task *task, const char *why, const char *how,
    char ret_text[SS_ERROR_SIZE])
{
    const char *name = ss_task_label(task);
    const char *what = task->facts.planned.node ? "node" : "the reducer of key";
    uint32_t attempts = task->facts.tries.redeliveries;
    if (how)
        snprintf(ret_text, SS_ERROR_SIZE,
            "%s \"%s\" (thread %s, task %s) %s; its worker was lost on each "
            "of %" PRIu32 " attempts",
            what, name, ss_thread_facts(task->facts.loop->facts.thread)->id,
            task->facts.planned.id, how, attempts);
    else
        snprintf(ret_text, SS_ERROR_SIZE,
            "%s \"%s\": the worker that ran it was "
            "lost on each of %" PRIu32 " attempts; the last: %s",
            what, name, attempts, why);
}

static bool is_lost_for_good(const struct task *task, const char *how)
{
    uint32_t crashes_max = task->facts.loop->facts.engine->options.crashes_max;
    return task->facts.tries.redeliveries > SS_REDELIVERIES_MAX ||
           (how && crashes_max &&
               task->facts.tries.redeliveries >= crashes_max);
}

struct ss_outcome *ss_task_lost(
    struct task *task, const char *why, const char *how, const char *before)
{
    struct engine *engine = task->facts.loop->facts.engine;
    const char *name = ss_task_label(task);
    task->facts.tries.redeliveries++;
    ss_engine_narrate(engine, "task %s: %s", name, how ? how : why);
    if (!how)
        how = before;
    if (is_lost_for_good(task, how)) {
        char text[SS_ERROR_SIZE];
        lost_text(task, why, how, text);
        if (!task->facts.loop->facts.run ||
            task->facts.order_kind == SS_ORDER_FOLD)
            return lost_outcome(text);
        ss_resume_value_released(task->facts.loop->facts.run, task);
        ss_task_failed(task, SS_ELOST, NULL, SS_RETRY_NO, text);
        ss_resume_value_settle(task->facts.loop->facts.run);
        return NULL;
    }
    if (task->facts.loop->facts.run) {
        task->facts.loop->facts.engine->watch->restarted(task);
        if (task->facts.order_kind != SS_ORDER_FOLD)
            keep_loss(task);
    }
    ss_task_ready(task);
    return NULL;
}
