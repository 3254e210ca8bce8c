// step.c - what a step gives: its commands, what it narrates, when it wants to
// be woken.
//
// The lowest room of the engine: every other one may call these, and they know
// no thread, run, loop or worker.
#include <stdarg.h>
#include <stdio.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/base/status.h"
#include "common/model/find.h"
#include "common/model/journal.h"
#include "common/model/json_late.h"
#include "common/model/run_status.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"

void ss_step_init(struct engine *engine,
    const struct ss_engine_options *options, const struct watch *watch)
{
    struct ss_engine_options *ours = &engine->options;
    ss_check(watch && !engine->watch);
    *ours = *options;
    if (ours->lease_ms <= 0)
        ours->lease_ms = SS_LEASE_MS;
    if (ours->heartbeat_ms <= 0)
        ours->heartbeat_ms = SS_HEARTBEAT_MS;
    if (ours->idle_ms <= 0)
        ours->idle_ms = SS_THREAD_IDLE_MS;
    if (ours->idle_large_max == 0)
        ours->idle_large_max = SS_IDLE_LARGE_MAX;
    engine->row_format =
        options->row_format > 0 ? options->row_format : SS_ROW_FORMAT;
    engine->watch = watch;
    ss_prng_init(&engine->prng, options->seed);
}

void ss_step_fini(struct engine *engine)
{
    ss_engine_forget_commands(engine);
    SS_VEC_FINI(&engine->commands);
    ss_check(engine->stored.count == 0);
    SS_VEC_FINI(&engine->stored);
}

// ------------------------------------------------ what a step is made of

void ss_step_time(struct engine *engine, int64_t now_ms, int64_t wall_us)
{
    ss_check(now_ms >= engine->now_ms);
    engine->now_ms = now_ms;
    if (wall_us > engine->wall_us)
        engine->wall_us = wall_us;
    if (!engine->in_step)
        engine->wake_at_ms = INT64_MAX;
}

void ss_step_follow(struct engine *engine, bool more)
{
    engine->in_step = more;
}

void ss_step_pass_us(struct engine *engine)
{
    engine->wall_us++;
}

void ss_engine_drain(struct engine *engine)
{
    engine->drains = true;
}

void ss_engine_rows_as(struct engine *engine, int32_t row_format)
{
    ss_check(row_format > 0);
    engine->row_format = row_format;
}

struct ss_prng *ss_engine_prng(struct engine *engine)
{
    return &engine->prng;
}

// ------------------------------------------------ what it gives

void ss_put_fini(struct ss_command_put *put)
{
    ss_free(put->key);
    ss_free(put->index);
    ss_free(put->value);
    ss_json_late_unref(put->late);
    ss_free(put->same);
}

struct ss_command_put ss_put_said(
    const struct engine *engine, struct ss_json_members *said)
{
    struct ss_command_put put = {.table = SS_RECORD_RUN};
    if (engine->options.store)
        put.late = ss_json_late_new(said);
    else
        put.value = ss_json_members_text(said);
    ss_json_members_fini(said);
    return put;
}

struct ss_command_put ss_put_of(enum ss_record_table table, const char *key,
    const char *index, json_t *value)
{
    struct ss_command_put put = {.table = table,
        .key = ss_strdup(key),
        .index = ss_strdup(index),
        .value = value ? ss_json_text(value) : NULL,
        .status =
            table == SS_RECORD_RUN ? ss_run_status_of(value) : SS_RUN_OTHER,
        .at_us = ss_find_at_us(table == SS_RECORD_THREAD, value)};
    json_decref(value);
    return put;
}

void ss_command_fini(struct ss_command *command)
{
    ss_free(command->peer);
    ss_free(command->text);
    json_decref(command->json);
    ss_assignment_destroy(&command->order);
    ss_free(command->attempts);
    ss_free(command->shards);
    ss_free(command->thread);
    ss_free((void *)command->rows);
    for (size_t i = 0; i < command->puts_count; i++)
        ss_put_fini(&command->puts[i]);
    ss_free(command->puts);
    ss_free(command->key);
    ss_free(command->after);
    if (command->find)
        ss_find_fini(command->find);
    ss_free(command->find);
}

void ss_engine_store(struct engine *engine, struct thread *thread,
    const struct ss_command *command)
{
    struct ss_error error = {.status = SS_OK};
    struct unit_answer stored = {.thread = thread, .tag = command->tag};
    stored.status =
        engine->options.store(engine->options.store_ctx, command, &error);
    if (stored.status != SS_OK)
        stored.message = ss_strdup(error.message);
    SS_VEC_PUSH(&engine->stored, stored);
}

void ss_engine_command(struct engine *engine, struct ss_command command)
{
    if (command.type == SS_COMMAND_STORE && engine->options.store) {
        ss_engine_store(engine, NULL, &command);
        ss_command_fini(&command);
        return;
    }
    SS_VEC_PUSH(&engine->commands, command);
}

void ss_engine_forget_commands(struct engine *engine)
{
    for (size_t i = 0; i < engine->commands.count; i++)
        ss_command_fini(&engine->commands.items[i]);
    engine->commands.count = 0;
}

void ss_engine_forget_stored(struct engine *engine)
{
    engine->stored.count = 0;
}

void ss_engine_narrate(struct engine *engine, const char *format, ...)
{
    char text[SS_ERROR_SIZE];
    if (!engine->options.narrate)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    engine->options.narrate(engine->options.narrate_ctx, text);
}

void ss_engine_wake(struct engine *engine, int64_t at_ms)
{
    if (at_ms < engine->now_ms)
        at_ms = engine->now_ms; // at once: nobody came too late for it
    if (at_ms < engine->wake_at_ms)
        engine->wake_at_ms = at_ms;
}

void ss_engine_store_record(struct engine *engine, enum ss_record_table table,
    const char *key, const char *index, json_t *value)
{
    struct ss_command command = {
        .type = SS_COMMAND_STORE, .tag = ++engine->tags, .puts_count = 1};
    command.puts = ss_zalloc(1, sizeof(*command.puts));
    command.puts[0] = ss_put_of(table, key, index, value);
    ss_engine_command(engine, command);
}

void ss_engine_damaged(
    struct engine *engine, const char *kind, const char *name, const char *why)
{
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_DAMAGED,
                                  .key = ss_format("%s %s", kind, name),
                                  .text = ss_strdup(why)});
}
