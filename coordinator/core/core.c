// core.c - the step: an event to its file, then what it asks for.
#include "coordinator/core/core.h"

#include <string.h>

#include "common/base/check.h"
#include "common/wire/limits.h"
#include "coordinator/core/core_impl.h"

// ------------------------------------------------ commands

// Answer the engine for a job that could not even be made.
static void core_answer_job(struct ss_core *core,
    const struct ss_command *command, const struct ss_error *error)
{
    struct ss_event event = {.type = SS_EVENT_STORED};
    event.stored.tag = command->tag;
    event.stored.status = error->status;
    ss_core_owe(core, event, error->message);
}

static void core_submit(struct ss_core *core, const struct ss_command *command)
{
    struct ss_job *job = NULL;
    struct ss_error error = {0};
    if (command->type == SS_COMMAND_STORE)
        ss_core_run_log(core, command);
    if (ss_store_codec_job(core->codec, command, &job, &error) == SS_OK)
        ss_core_out_submit(core, SS_CORE_APPENDS, job);
    else
        core_answer_job(core, command, &error);
}

static void core_perform(struct ss_core *core, const struct ss_command *command)
{
    const struct ss_core_options *options = &core->options;
    if (options->command && options->command(options->ctx, command))
        return;
    if (command->type == SS_COMMAND_STORE || command->type == SS_COMMAND_READ ||
        command->type == SS_COMMAND_SCAN || command->type == SS_COMMAND_GET ||
        command->type == SS_COMMAND_FIND)
        core_submit(core, command);
    else if (command->type == SS_COMMAND_DAMAGED)
        ss_core_damage_note(core, command->key, command->text);
    else
        ss_core_outbox_command(core, command);
}

// ------------------------------------------------ the engine's events

// Lines that the engine logs while it takes this event are about the event's
// thread, run and task.
static struct ss_core_subject core_subject_of(
    struct ss_core *core, const struct ss_event *event)
{
    if (event->type == SS_EVENT_REQUEST)
        return (struct ss_core_subject){
            .thread = ss_json_str(event->request.body, "thread", NULL),
            .run = ss_json_str(event->request.body, "run", NULL)};
    if (event->type == SS_EVENT_TASK_DONE) {
        // The engine takes the outcome, and may free it first.
        memcpy(core->subject_task, event->done.outcome->task_id,
            sizeof(core->subject_task));
        return (struct ss_core_subject){.task = core->subject_task,
            .epoch = event->done.outcome->attempt.epoch};
    }
    return (struct ss_core_subject){.thread = NULL};
}

// `ret` NULL: more follow at once.
static void core_step_engine(
    struct ss_core *core, struct ss_event *event, struct ss_commands *ret)
{
    event->now_ms = core->now_ms;
    event->wall_us = core->wall_us;
    if (core->options.before)
        core->options.before(core->options.ctx, event);
    core->subject = core_subject_of(core, event);
    ss_engine_step(core->engine, event, ret);
    core->subject = (struct ss_core_subject){.thread = NULL};
}

void ss_core_feed_more(struct ss_core *core, struct ss_event *event)
{
    core_step_engine(core, event, NULL);
}

void ss_core_feed(struct ss_core *core, struct ss_event *event)
{
    struct ss_commands commands = {.wake_at_ms = INT64_MAX};
    core_step_engine(core, event, &commands);
    core->wake_at_ms = commands.wake_at_ms;
    for (size_t i = 0; i < commands.count; i++)
        core_perform(core, &commands.items[i]);
}

void ss_core_owe(struct ss_core *core, struct ss_event event, const char *text)
{
    struct ss_core_owed owed = {
        .event = event, .peer = ss_strdup(event.peer), .text = ss_strdup(text)};
    SS_VEC_PUSH(&core->owed, owed);
}

static void core_owed_fini(struct ss_core_owed *owed)
{
    ss_free(owed->peer);
    ss_free(owed->text);
    SS_VEC_FINI(&owed->returns);
}

// Feed only events that were owed before; those that this causes wait for the
// next turn.
static void core_feed_owed(struct ss_core *core)
{
    size_t count = core->owed.count;
    for (size_t i = 0; i < count; i++) {
        struct ss_core_owed owed = core->owed.items[i];
        owed.event.peer = owed.peer;
        if (owed.event.type == SS_EVENT_STORED)
            owed.event.stored.message = owed.text;
        if (owed.event.type == SS_EVENT_WORKER_BYE) {
            owed.event.bye.returns = owed.returns.items;
            owed.event.bye.returns_count = owed.returns.count;
        }
        ss_core_feed(core, &owed.event);
        core_owed_fini(&owed);
    }
    core->owed.count -= count;
    if (core->owed.count > 0)
        memmove(core->owed.items, core->owed.items + count,
            core->owed.count * sizeof(*core->owed.items));
}

static void core_drop_owed(struct ss_core *core)
{
    for (size_t i = 0; i < core->owed.count; i++) {
        struct ss_core_owed *owed = &core->owed.items[i];
        if (owed->event.type == SS_EVENT_TASK_DONE)
            ss_outcome_destroy(&owed->event.done.outcome);
        core_owed_fini(owed);
    }
    SS_VEC_FINI(&core->owed);
}

// ------------------------------------------------ answers of the store

// A refusal is an answer for the engine. Any other failure of a commit leaves
// open what is durable: then this coordinator must not go on.
static bool core_has_failed(struct ss_core *core, const struct ss_job *job)
{
    int status = job->status != SS_OK ? job->status : job->unit.result;
    if (job->type != SS_JOB_APPLY || core->options.outlives_store ||
        status == SS_OK || status == SS_EREFUSED || status == SS_EFENCED)
        return false;
    ss_error_set(&core->failure, status, "the store failed: %s",
        job->error.message[0] ? job->error.message : ss_status_text(status));
    return true;
}

// A list with a record that is none: whoever asked is told, and nobody else.
static void core_note_list(struct ss_core *core, const struct ss_job *job)
{
    if ((job->type == SS_JOB_SCAN || job->type == SS_JOB_GET ||
            job->type == SS_JOB_FIND) &&
        (job->status == SS_ECORRUPT || job->status == SS_EFORMAT))
        ss_core_damage_note(core, job->error.message, job->error.message);
}

static void core_done(struct ss_core *core, struct ss_job *job)
{
    struct ss_event event;
    if (core_has_failed(core, job) || ss_core_cluster_took(core, job))
        return;
    ss_store_codec_event(core->codec, job, &event);
    core_note_list(core, job);
    ss_core_feed(core, &event);
    ss_store_codec_event_fini(&event);
}

// ------------------------------------------------ the step

static void core_take(struct ss_core *core, const struct ss_core_event *event)
{
    struct ss_event other = {.type = SS_EVENT_TICK};
    switch (event->type) {
    case SS_CORE_TURN:
        // The lease first: if it ran out while we slept, nothing that has come
        // in meanwhile is for us.
        ss_core_cluster_look(core);
        core_feed_owed(core);
        break;
    case SS_CORE_FRAME:
        core->sender = event->sender;
        ss_core_inbox_frame(core, event->peer, event->bytes, event->size);
        break;
    case SS_CORE_GARBAGE:
        core->sender = event->sender;
        ss_core_inbox_garbage(core, event->peer, event->error);
        break;
    case SS_CORE_HAPPENED:
        if (event->more)
            ss_core_feed_more(core, event->happened);
        else
            ss_core_feed(core, event->happened);
        break;
    case SS_CORE_DONE:
        core_done(core, event->job);
        break;
    case SS_CORE_TICK:
        if (core->now_ms >= core->wake_at_ms)
            ss_core_feed(core, &other);
        break;
    case SS_CORE_DRAIN:
        other.type = SS_EVENT_DRAIN;
        ss_core_feed(core, &other);
        ss_core_cluster_drain(core);
        break;
    case SS_CORE_LEAVE:
        ss_core_cluster_leave(core);
        break;
    case SS_CORE_FLUSH:
        ss_core_outbox_flush(core);
        ss_store_codec_tidy(core->codec, core->engine);
        break;
    }
}

void ss_core_step(struct ss_core *core, const struct ss_core_event *event,
    struct ss_core_outputs *ret_outputs)
{
    ss_core_out_begin(core);
    core->now_ms = event->now_ms;
    core->wall_us = event->wall_us;
    if (core->failure.status == SS_OK)
        core_take(core, event);
    ss_core_out_end(core, ret_outputs);
}

// ------------------------------------------------ life

static void core_narrate(void *ctx, const char *sentence)
{
    const struct ss_core *core = ctx;
    core->options.narrate(core->options.ctx, &core->subject, sentence);
}

static int core_store(
    void *ctx, const struct ss_command *command, struct ss_error *error)
{
    struct ss_core *core = ctx;
    struct ss_store_unit unit;
    ss_core_run_log(core, command);
    ss_store_codec_unit(core->codec, command, &unit);
    return core->options.store(core->options.ctx, &unit, error);
}

static bool core_is_new(void *ctx, const char *thread)
{
    const struct ss_core *core = ctx;
    return core->options.is_new(core->options.ctx, thread);
}

static void core_start_engine(struct ss_core *core)
{
    const struct ss_core_options *options = &core->options;
    const struct ss_engine_options engine = {.epoch = options->self.epoch,
        .shared = options->is_shared,
        .unread = !options->is_shared,
        .row_format = options->is_shared ? SS_ROW_FORMAT_1 : SS_ROW_FORMAT,
        .seed = options->seed,
        .lease_ms = options->lease_ms,
        .heartbeat_ms = options->heartbeat_ms,
        .crashes_max = options->crashes_max,
        .adopt_ms = options->adopt_ms,
        .idle_ms = options->idle_ms,
        .verify_rate = options->verify_rate,
        .idle_large_max = options->idle_large_max,
        .keeps_rows = options->keeps_rows,
        .store = options->store ? core_store : NULL,
        .is_new = options->is_new ? core_is_new : NULL,
        .store_ctx = core,
        .narrate = options->narrate ? core_narrate : NULL,
        .narrate_ctx = core};
    core->engine = ss_engine_new(&engine);
}

struct ss_core *ss_core_new(const struct ss_core_options *options)
{
    struct ss_core *core = ss_zalloc(1, sizeof(*core));
    core->options = *options;
    ss_check(
        !options->store || (options->keeps_rows && options->outlives_store));
    core->config = json_incref(options->config);
    core->codec = ss_store_codec_new(options->keeps_rows);
    core->wake_at_ms = core->retry_at_ms = INT64_MAX;
    ss_buf_init(&core->wire, SS_MESSAGE_SIZE_MAX + // attempts behind it
                                 SS_WIRE_BATCH_MAX * sizeof(struct ss_attempt));
    core_start_engine(core);
    ss_core_cluster_open(core);
    return core;
}

void ss_core_destroy(struct ss_core **core)
{
    struct ss_core *old = *core;
    if (!old)
        return;
    *core = NULL;
    core_drop_owed(old);
    ss_core_outbox_fini(old);
    ss_core_out_fini(old);
    ss_core_cluster_fini(old);
    ss_engine_destroy(&old->engine);
    ss_store_codec_destroy(&old->codec);
    ss_buf_fini(&old->wire);
    json_decref(old->members);
    json_decref(old->config);
    json_decref(old->damaged);
    ss_free(old);
}

// ------------------------------------------------ looks

int64_t ss_core_wake_at_ms(const struct ss_core *core)
{
    int64_t at_ms = core->wake_at_ms;
    if (core->owed.count > 0)
        return 0;
    if (core->cluster.wake_at_ms < at_ms)
        at_ms = core->cluster.wake_at_ms;
    return core->retry_at_ms < at_ms ? core->retry_at_ms : at_ms;
}

const struct ss_error *ss_core_failure(const struct ss_core *core)
{
    return &core->failure;
}

bool ss_core_is_quiet(const struct ss_core *core)
{
    return ss_engine_is_quiet(core->engine);
}

const struct ss_engine *ss_core_engine(const struct ss_core *core)
{
    return core->engine;
}
