// task.c - one task's life, from its start to its commit (spec/engine.md 6).
//
//   NEW -> CACHE -> READY -> RUNNING -> DONE
//       \-> CHILD (a graph) -> READY (its writers) ...
//                       RUNNING -> BACKOFF -> READY     a failure, retried
//                       RUNNING -> READY                its worker was lost
//                       RUNNING -> INTERRUPTED | HELD | FAILED | PARENT
//
// A task is committed once: its pending writes are stored and its events shown.
// A failure stops no sibling; the superstep raises it when all have ended.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "coordinator/engine/internal.h"

bool ss_task_ended(const struct task *task)
{
    switch (task->state) {
    case TASK_DONE:
    case TASK_INTERRUPTED:
    case TASK_FAILED:
    case TASK_PARENT:
        return true;
    case TASK_NEW:
    case TASK_CACHE:
    case TASK_READY:
    case TASK_RUNNING:
    case TASK_BACKOFF:
    case TASK_CHILD:
    case TASK_HELD:
        return false;
    }
    return false;
}

static void ended(struct task *task)
{
    task->loop->run->tasks_done++;
    ss_stream_progress(task->loop, task);
    ss_loop_later(task->loop);
}

// Nobody else may be given it: said beside the writes that hold it. Where a task
// has none (a command to the graph around, a graph without a store) they are
// those of the task around.
static void note_plain_taken(struct task *task, bool stored)
{
    struct loop *loop = task->loop;
    if (loop->parent_task && !(stored && loop->persists))
        loop->parent_task->took_plain = true;
    else
        ss_loop_drop_plain_answer(loop->run->root, loop);
}

static void committed(struct task *task)
{
    if (task->took_plain)
        note_plain_taken(task, true);
    task->took_plain = false;
}

// ------------------------------------------------ start

static void start_child(struct task *task)
{
    struct loop *loop = task->loop;
    struct ss_error error = {0};
    char *ns = ss_loop_child_ns(loop, task);
    ss_loop_destroy(&task->child);
    task->state = TASK_CHILD;
    task->child =
        ss_loop_new(loop->thread, loop->run, task->node->subgraph, ns);
    ss_free(ns);
    task->child->parent = loop;
    task->child->parent_task = task;
    if (ss_loop_enter_child(task->child, &error) != SS_OK)
        ss_task_failed(
            task, error.status, NULL, SS_RETRY_DEFAULT, error.message);
}

static char *cache_key(const struct task *task)
{
    char hex[SS_HEX128_SIZE];
    const struct ss_graph *graph = task->loop->graph;
    char *text = ss_json_canonical(ss_value_json(task->input));
    ss_hash_hex(text, strlen(text), hex);
    ss_free(text);
    return ss_format("%s@%s|%s|%s", graph->name, graph->version,
        task->node->name, hex);
}

static void ask_cache(struct task *task)
{
    struct engine *engine = task->loop->engine;
    uint64_t tag = ++engine->tags;
    task->state = TASK_CACHE;
    SS_VEC_PUSH(&engine->scans, (struct scan_reply){.tag = tag, .task = task});
    // behind the thread's own writes, which may hold the very entry
    ss_thread_hold(task->loop->thread, ss_thread_head(task->loop->thread),
        (struct ss_command){.type = SS_COMMAND_GET,
            .tag = tag,
            .table = SS_RECORD_CACHE,
            .key = ss_strdup(task->cache_key)});
}

static void start_body(struct task *task)
{
    struct run *run = task->loop->run;
    if (ss_plain_may_take(task)) {
        run->plain_holder = task;
        task->plain_given = true;
    }
    ss_schedule(task);
}

static void start_cached(struct task *task)
{
    if (task->node->cached && !task->cache_key) {
        task->cache_key = cache_key(task);
        ask_cache(task);
    } else {
        start_body(task);
    }
}

// It failed before a crash, and waits on.
static void wait_on(struct task *task)
{
    struct engine *engine = task->loop->engine;
    task->state = TASK_BACKOFF;
    SS_VEC_PUSH(&engine->backoff, task);
    ss_engine_wake(engine, task->retry_at_ms);
    ss_engine_narrate(engine, "task %s has failed before; attempt %" PRIu32
        " in %" PRId64 " ms", task->node->name, task->failures + 1,
        task->retry_at_ms - engine->now_ms);
}

void ss_task_start(struct task *task)
{
    if (task->retry_at_ms > task->loop->engine->now_ms) {
        wait_on(task);
        return;
    }
    if (task->node->subgraph) {
        start_child(task);
        return;
    }
    task->order_kind = SS_ORDER_NODE;
    if (!task->node->has_body) {
        // __start__: its input is what it returns, as data; but a command on a
        // fresh thread is one (enter.c)
        const struct loop *loop = task->loop;
        bool is_command =
            !loop->parent && loop->run->command && !loop->resuming;
        task->returned = is_command
            ? ss_value_ref(task->input)
            : ss_value_new(json_pack(
                  "{s:O}", "$quote", ss_value_json(task->input)));
        ss_task_write(task);
        return;
    }
    start_cached(task);
}

// A record is a result only if it is whole: [channel, value] each.
static bool is_whole(const json_t *writes)
{
    size_t i;
    json_t *write;
    if (!json_is_array(writes) || json_array_size(writes) == 0)
        return false;
    json_array_foreach ((json_t *)writes, i, write)
        if (json_array_size(write) != 2
            || !json_is_string(json_array_get(write, 0))
            || ss_name_special(json_string_value(json_array_get(write, 0))))
            return false;
    return true;
}

void ss_task_cache_answer(struct task *task, json_t *record)
{
    ss_check(task->state == TASK_CACHE);
    json_t *writes = json_object_get(record, "writes"), *write;
    size_t i;
    int64_t expires = (int64_t)ss_json_int(record, "expires_us", 0);
    bool fresh = expires == 0 || expires > task->loop->engine->wall_us;
    if (!is_whole(writes) || !fresh) {
        start_body(task);
        return;
    }
    json_array_foreach(writes, i, write)
        ss_writes_add(&task->writes,
            json_string_value(json_array_get(write, 0)),
            ss_value_new(json_incref(json_array_get(write, 1))));
    ss_task_succeeded(task, true);
}

// The writers of a task that has its return value: here if they need no code
// of the application, else on a worker.
void ss_task_write(struct task *task)
{
    struct ss_error error = {0};
    json_t *parent = NULL;
    task->order_kind = SS_ORDER_WRITERS;
    if (ss_writers_need_worker(task->node)) {
        ss_schedule(task);
        return;
    }
    struct ss_fresh fresh = {0};
    int status = ss_writers_run(task->loop->graph, task->node,
        ss_value_json(task->returned), &fresh, NULL, task->id, &task->writes,
        &parent, &error);
    if (status != SS_OK) {
        ss_task_failed(
            task, status, NULL, SS_RETRY_DEFAULT, error.message);
    } else if (parent) {
        task->parent = parent;
        task->state = TASK_PARENT;
        ended(task);
    } else {
        ss_task_succeeded(task, false);
    }
}

// ------------------------------------------------ commit (R6.4)

static bool has_output(const struct ss_writes *writes)
{
    for (size_t i = 0; i < writes->count; i++)
        if (ss_name_special(writes->items[i].channel) == 0)
            return true;
    return false;
}

static void add_answers(const struct task *task, struct ss_writes *writes)
{
    if (json_array_size(task->used_answers) > 0)
        ss_writes_add(writes, SS_NAME_RESUME,
            ss_value_new(json_incref(task->used_answers)));
}

static void warn_unknown(const struct task *task)
{
    struct loop *loop = task->loop;
    for (size_t i = 0; i < task->writes.count; i++) {
        const char *channel = task->writes.items[i].channel;
        if (ss_name_ignored(channel)
            || ss_graph_channel(loop->graph, channel) != SS_NONE
            || ss_graph_managed(loop->graph, channel))
            continue;
        size_t prefix = strlen(SS_NAME_BRANCH);
        if (strncmp(channel, SS_NAME_BRANCH, prefix) == 0)
            ss_loop_warn(loop, "node \"%s\" went to \"%s\", which is no node "
                "of graph %s: ignored", task->node->name, channel + prefix,
                loop->graph->name);
    }
}

static void fill_cache(const struct task *task)
{
    json_t *writes = json_array();
    for (size_t i = 0; i < task->writes.count; i++)
        json_array_append_new(writes,
            json_pack("[s, O]", task->writes.items[i].channel,
                ss_value_json(task->writes.items[i].value)));
    int64_t expires = task->node->cache_ttl_ms
        ? task->loop->engine->wall_us + task->node->cache_ttl_ms * 1000
        : 0;
    ss_thread_put(task->loop->thread, SS_RECORD_CACHE, task->cache_key,
        task->loop->graph->name,
        json_pack("{s:o, s:I}", "writes", writes, "expires_us",
            (json_int_t)expires),
        false);
}

void ss_task_succeeded(struct task *task, bool cached)
{
    struct ss_writes stored = {0};
    warn_unknown(task);
    if (!has_output(&task->writes))
        ss_writes_add(&task->writes, SS_NAME_NO_WRITES, ss_value_null());
    add_answers(task, &stored);
    for (size_t i = 0; i < task->writes.count; i++)
        ss_writes_add(&stored, task->writes.items[i].channel,
            ss_value_ref(task->writes.items[i].value));
    task->state = TASK_DONE;
    task->cached = cached;
    ss_loop_put_writes(task->loop, task->id, task->path, &stored);
    ss_writes_fini(&stored);
    committed(task);
    if (task->cache_key && !cached)
        fill_cache(task);
    task->loop->run->tasks_run += !cached;
    ss_told_items(task);
    ss_stream_messages(task);
    ss_stream_task_output(task, cached);
    ended(task);
}

// After a crash a task that asks, or fails, as it did before tells nothing new.
static void told_before(struct task *task, const json_t *interrupts,
    const json_t *error)
{
    struct loop *loop = task->loop;
    if (!loop->run->recovering
        || !ss_pendings_ours(&loop->pending, task->id))
        return;
    struct task_facts facts = ss_pendings_facts(&loop->pending, task->id);
    if ((interrupts && json_equal(facts.interrupts, interrupts))
        || (error && json_equal(facts.error, error)))
        loop->told[SS_TOLD_OUTPUT] = 1;
}

void ss_task_commit_interrupt(struct task *task)
{
    struct ss_writes stored = {0};
    told_before(task, task->interrupts, NULL);
    task->state = TASK_INTERRUPTED;
    ss_writes_add(&stored, SS_NAME_INTERRUPT,
        ss_value_new(json_incref(task->interrupts)));
    add_answers(task, &stored);
    ss_loop_put_writes(task->loop, task->id, task->path, &stored);
    ss_writes_fini(&stored);
    committed(task);
    ss_told_items(task);
    ss_stream_task_output(task, false);
    ended(task);
}

static void interrupted(struct task *task, json_t *question)
{
    struct run *run = task->loop->run;
    char id[SS_HEX128_SIZE];
    ss_interrupt_id(task->ns, json_array_size(task->used_answers), id);
    json_decref(task->interrupts);
    json_t *interrupt = json_pack("{s:O, s:s}", "value",
        json_object_get(question, "value"), "id", id);
    json_t *schema = json_object_get(question, "response_schema");
    if (schema && !json_is_null(schema))
        json_object_set(interrupt, "response_schema", schema);
    task->interrupts = json_pack("[o]", interrupt);
    if (run->plain && run->root->first_superstep) {
        run->held++;
        task->state = TASK_HELD; // the answer may still come its way
        return;
    }
    ss_task_commit_interrupt(task);
}

// ------------------------------------------------ failure, retry, handler

// R6.22, for what our own codes and the node's word say.
static bool retried_by_default(int code, enum ss_retryable retryable)
{
    if (retryable != SS_RETRY_DEFAULT)
        return retryable == SS_RETRY_YES;
    return code == SS_ENODE || code == SS_ENODETIMEOUT || code == SS_EUPDATE
        || code == SS_EEMPTYINPUT || code == SS_EEMPTYCHANNEL;
}

static bool policy_matches(const struct ss_retry *policy, int code,
    const char *kind, enum ss_retryable retryable)
{
    if (retryable == SS_RETRY_NO || code == SS_ELOST)
        return false;
    if (!policy->retry_on)
        return retried_by_default(code, retryable);
    for (size_t i = 0; i < policy->retry_on_count; i++)
        if (strcmp(policy->retry_on[i], kind ? kind : "") == 0
            || strcmp(policy->retry_on[i], ss_status_name(code)) == 0)
            return true;
    return false;
}

static int64_t interval_ms(
    struct engine *engine, const struct ss_retry *policy, uint32_t failures)
{
    double interval = (double)policy->initial_interval_ms;
    for (uint32_t i = 1; i < failures
         && interval < (double)policy->max_interval_ms; i++)
        interval *= policy->backoff_factor;
    if (interval > (double)policy->max_interval_ms)
        interval = (double)policy->max_interval_ms;
    if (policy->jitter) // added after the cap (R6.20)
        interval += ss_prng_unit(&engine->prng) * 1000.0;
    return interval < (double)SS_DURATION_MS_MAX ? (int64_t)interval
                                                 : SS_DURATION_MS_MAX;
}

static json_t *tries_of(const struct task *task, int64_t wait_ms)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "failed",
        (json_int_t)task->failures, "lost", (json_int_t)task->redeliveries,
        "attempts", (json_int_t)task->attempts, "first_us",
        (json_int_t)task->first_attempt_us, "wait_ms", (json_int_t)wait_ms,
        "at_us", (json_int_t)(task->loop->engine->wall_us + wait_ms * 1000));
}

// After a crash the next attempt has all answers (R6.25), also those that this
// one broke before it asked for, and is as far from the last one that is allowed,
// and as late, as without. A program from before would take the tries for the
// task's output: where one may read them, a crash gives the task all of them anew.
static void keep_tries(struct task *task, int64_t wait_ms)
{
    struct thread *thread = task->loop->thread;
    struct ss_writes stored = {0};
    if (json_array_size(task->answers) > 0) // it replaces what stood there
        ss_writes_add(&stored, SS_NAME_RESUME,
            ss_value_new(json_incref(task->answers)));
    if (task->loop->engine->row_format >= SS_ROW_FORMAT_2)
        ss_writes_add(&stored, SS_NAME_TRIES,
            ss_value_new(tries_of(task, wait_ms)));
    else
        ss_thread_seal(thread); // rows of this try end here
    ss_loop_put_writes(task->loop, task->id, task->path, &stored);
    ss_writes_fini(&stored);
    task->tried_seq = ss_thread_head(thread);
}

void ss_task_recover_tries(struct task *task, const struct task_facts *facts)
{
    const struct loop *loop = task->loop;
    const json_t *tries = facts->tries;
    if (!loop->run->recovering || !tries || task->state != TASK_NEW
        || facts->tries_seq <= loop->tried_seq)
        return;
    int64_t left_ms =
        (ss_json_int(tries, "at_us", 0) - loop->engine->wall_us) / 1000;
    int64_t wait_ms = ss_json_int(tries, "wait_ms", 0);
    if (left_ms > wait_ms) // the clock was put back
        left_ms = wait_ms;
    task->failures = (uint32_t)ss_json_int(tries, "failed", 0);
    task->redeliveries = (uint32_t)ss_json_int(tries, "lost", 0);
    task->attempts = (uint32_t)ss_json_int(tries, "attempts", 0);
    task->first_attempt_us = ss_json_int(tries, "first_us", 0);
    task->retry_resuming = true;
    task->tried_seq = facts->tries_seq;
    task->retry_at_ms = loop->engine->now_ms + left_ms;
}

// R6.20: the first policy that matches decides.
static bool retry(struct task *task, int code, const char *kind,
    enum ss_retryable retryable)
{
    struct engine *engine = task->loop->engine;
    for (size_t i = 0; i < task->node->retries_count; i++) {
        const struct ss_retry *policy = &task->node->retries[i];
        if (!policy_matches(policy, code, kind, retryable))
            continue;
        task->failures++;
        if ((int64_t)task->failures >= policy->attempts_max)
            return false;
        ss_writes_fini(&task->writes);
        ss_told_restarted(task);
        int64_t wait_ms = interval_ms(engine, policy, task->failures);
        keep_tries(task, wait_ms);
        task->state = TASK_BACKOFF;
        task->retry_resuming = true;
        task->retry_at_ms = engine->now_ms + wait_ms;
        SS_VEC_PUSH(&engine->backoff, task);
        ss_engine_wake(engine, task->retry_at_ms);
        ss_engine_narrate(engine, "task %s failed; attempt %" PRIu32
            " in %" PRId64 " ms", task->node->name, task->failures + 1,
            task->retry_at_ms - engine->now_ms);
        return true;
    }
    return false;
}

void ss_task_retry_due(struct task *task)
{
    ss_check(task->state == TASK_BACKOFF);
    if (task->node->subgraph) {
        start_child(task);
        return;
    }
    start_cached(task);
}

static void start_handler(struct task *task)
{
    struct task *handler = ss_plan_handler(task->loop, task);
    handler->answers = json_array();
    task->error_handled = true;
    task->loop->run->tasks_planned++;
    ss_task_start(handler);
}

// Was the question that the task asked last not answered before it failed?
static bool still_asks(const struct task *task, const struct task_facts *facts)
{
    char id[SS_HEX128_SIZE];
    json_t *answers =
        task->used_answers ? task->used_answers : facts->answers;
    json_t *asked = json_array_get(facts->interrupts, 0);
    ss_interrupt_id(task->ns, json_array_size(answers), id);
    return strcmp(ss_json_str(asked, "id", ""), id) == 0;
}

// A question stays open beside the failure (R7.21); one that was answered before,
// also inside a graph, is not (R7.12b).
static void add_open_questions(
    const struct task *task, struct ss_writes *writes)
{
    struct task_facts facts =
        ss_pendings_facts(&task->loop->pending, task->id);
    if (json_array_size(facts.interrupts) == 0)
        return;
    if (task->child)
        ss_writes_add(writes, SS_NAME_INTERRUPT,
            ss_value_new(ss_pendings_open(&task->child->pending)));
    else if (still_asks(task, &facts))
        ss_writes_add(writes, SS_NAME_INTERRUPT,
            ss_value_new(json_incref(facts.interrupts)));
}

void ss_task_failed(struct task *task, int code, const char *kind,
    enum ss_retryable retryable, const char *message)
{
    struct loop *loop = task->loop;
    struct ss_writes stored = {0};
    loop->engine->counts.attempts_failed++;
    if (retry(task, code, kind, retryable))
        return;
    ss_writes_fini(&task->writes); // a failed task leaves none (spec 17.3)
    task->state = TASK_FAILED;
    ss_error_set(&task->error, code, "%s", message);
    bool handled = task->kind != TASK_HANDLER
        && task->node->handler != SS_NONE && code != SS_EDRAINED;
    add_answers(task, &stored);
    add_open_questions(task, &stored);
    struct ss_value *failure = ss_value_new(ss_error_json(code, message));
    told_before(task, NULL, ss_value_json(failure));
    ss_writes_add(&stored, SS_NAME_ERROR, failure);
    if (handled)
        ss_writes_add(&stored, SS_NAME_ERROR_SOURCE,
            ss_value_new(json_string(task->node->name)));
    ss_loop_put_writes(loop, task->id, task->path, &stored);
    ss_writes_fini(&stored);
    committed(task);
    ss_told_items(task);
    ss_stream_task_output(task, false);
    ss_engine_narrate(loop->engine, "task %s failed: %s", task->node->name,
        task->error.message);
    if (handled)
        start_handler(task);
    ended(task);
}

// A task without body (an update's writers, a fold) that no worker survives.
static void hopeless(struct task *task, const char *why)
{
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->kind = SS_OUTCOME_FAILED;
    outcome->code = SS_ELOST;
    outcome->message = ss_strdup(why);
    if (task->change)
        ss_change_outcome(task, outcome);
    else
        ss_fold_outcome(task, outcome);
    ss_outcome_destroy(&outcome);
}

void ss_task_lost(struct task *task, const char *why)
{
    struct engine *engine = task->loop->engine;
    const char *name = task->node ? task->node->name : task->fold_channel;
    task->redeliveries++;
    ss_engine_narrate(engine, "task %s: %s", name, why);
    if (task->redeliveries > SS_REDELIVERIES_MAX) {
        char text[SS_ERROR_SIZE];
        snprintf(text, sizeof(text), "node \"%s\": the worker that ran it was "
            "lost on each of %" PRIu32 " attempts; the last: %s",
            name, task->redeliveries, why);
        if (task->change || task->order_kind == SS_ORDER_FOLD) {
            hopeless(task, text);
            return;
        }
        ss_plain_released(task->loop->run, task);
        ss_task_failed(task, SS_ELOST, NULL, SS_RETRY_NO, text);
        ss_plain_settle(task->loop->run);
        return;
    }
    if (task->loop->run)
        ss_told_restarted(task);
    ss_schedule(task);
}

// ------------------------------------------------ the outcome of an attempt

static void use_answers(struct task *task, const struct ss_outcome *outcome)
{
    json_decref(task->used_answers);
    task->used_answers = json_incref(outcome->answers);
    if (json_array_size(outcome->answers) > json_array_size(task->answers)) {
        json_decref(task->answers);
        task->answers = json_copy(outcome->answers);
    }
}

void ss_task_outcome(struct task *task, struct ss_outcome *outcome)
{
    struct run *run = task->loop->run;
    use_answers(task, outcome);
    bool refused = outcome->kind == SS_OUTCOME_FAILED
        && outcome->code == SS_EANSWER && task->plain_given;
    bool taken = outcome->took_plain || refused;
    if (taken)
        ss_plain_taken(task);
    ss_plain_released(run, task);
    if (outcome->drain && !run->drain)
        run->drain = ss_strdup(outcome->drain);
    switch (outcome->kind) {
    case SS_OUTCOME_DONE:
        ss_writes_fini(&task->writes);
        task->writes = outcome->writes;
        memset(&outcome->writes, 0, sizeof(outcome->writes));
        json_decref(task->messages);
        task->messages = json_incref(outcome->messages);
        ss_task_succeeded(task, false);
        break;
    case SS_OUTCOME_INTERRUPTED:
        interrupted(task, outcome->question);
        break;
    case SS_OUTCOME_FAILED:
        ss_task_failed(task, outcome->code, outcome->error_kind,
            outcome->retryable, outcome->message ? outcome->message : "");
        break;
    case SS_OUTCOME_PARENT:
        task->parent = json_incref(outcome->parent);
        task->state = TASK_PARENT;
        ss_told_items(task);
        ended(task);
        break;
    case SS_OUTCOME_CANCELLED:
        ss_task_failed(task, SS_ECANCELLED, NULL, SS_RETRY_NO,
            outcome->message ? outcome->message : "cancelled");
        break;
    }
    if (taken)
        note_plain_taken(task, outcome->kind != SS_OUTCOME_PARENT);
    ss_plain_settle(run);
}

// ------------------------------------------------ a graph inside has ended

// R6.11: a Command from inside counts as what the node returned.
static void child_parent(struct task *task, const struct loop *child)
{
    json_t *marked = json_object_get(child->parent_command, "$command");
    json_t *command = json_copy(marked ? marked : child->parent_command);
    json_object_del(command, "graph");
    task->returned = ss_value_new(json_pack("{s:o}", "$command", command));
    ss_task_write(task);
}

static void child_interrupted(struct task *task, const struct loop *child)
{
    json_decref(task->interrupts);
    task->interrupts = json_incref(child->interrupts);
    if (json_array_size(child->interrupts) > 0) {
        ss_task_commit_interrupt(task);
        return;
    }
    task->state = TASK_INTERRUPTED; // a breakpoint inside: nothing is stored
    ended(task);
}

void ss_task_child_ended(struct task *task, struct loop *child)
{
    ss_value_unref(task->returned);
    task->returned = NULL;
    switch (child->status) {
    case LOOP_DONE:
        task->returned = child->output
            ? ss_value_new(json_pack(
                  "{s:O}", "$quote", ss_value_json(child->output)))
            : ss_value_null();
        ss_task_write(task);
        break;
    case LOOP_INTERRUPTED:
        child_interrupted(task, child);
        break;
    case LOOP_FAILED:
        ss_task_failed(task, child->error.status, NULL, SS_RETRY_DEFAULT,
            child->error.message);
        break;
    case LOOP_DRAINED:
        task->state = TASK_FAILED;
        ss_error_set(&task->error, SS_EDRAINED, "%s", child->drain);
        ended(task);
        break;
    case LOOP_PARENT:
        child_parent(task, child);
        break;
    case LOOP_ENTERING:
    case LOOP_RUNNING:
    case LOOP_FOLDING:
        ss_unreachable();
    }
}
