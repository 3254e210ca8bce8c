// step.h - what every room may give to the step that is being made: commands, a
// sentence of narration, a time to be woken.
#ifndef SS_ENGINE_STEP_H
#define SS_ENGINE_STEP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "coordinator/engine/engine.h"

struct engine;
struct ss_prng;
struct thread;
struct watch;

// The rooms are made: what they are told, and who is told what happens.
void ss_step_init(struct engine *engine,
    const struct ss_engine_options *options, const struct watch *watch);
void ss_step_fini(struct engine *engine);
// An event comes at that time. Where it begins a step nobody has asked to be
// woken yet.
void ss_step_time(struct engine *engine, int64_t now_ms, int64_t wall_us);
// More events of this step follow, or none.
void ss_step_follow(struct engine *engine, bool more);
// What happens from here on is later than what did before.
void ss_step_pass_us(struct engine *engine);
// No more tasks are sent.
void ss_engine_drain(struct engine *engine);
// Rows of newer formats than that are not written.
void ss_engine_rows_as(struct engine *engine, int32_t row_format);
// Where random numbers come from: whoever draws one moves it.
struct ss_prng *ss_engine_prng(struct engine *engine);
// Append to this step's commands. Takes what the command owns.
void ss_engine_command(struct engine *engine, struct ss_command command);
void ss_command_fini(struct ss_command *command);
// Only where options.store takes it at once. Borrows all that it owns; what it
// came to is told at the end of the step. `thread`: whose unit it is, or NULL.
void ss_engine_store(struct engine *engine, struct thread *thread,
    const struct ss_command *command);
// Those answers were told.
void ss_engine_forget_stored(struct engine *engine);
// A record as it goes to the store. Takes `value` (NULL: delete). Gives, to
// ss_put_fini().
struct ss_command_put ss_put_of(enum ss_record_table table, const char *key,
    const char *index, json_t *value);
struct ss_json_members;

// A put whose value has these members, which are finished. Gives.
struct ss_command_put ss_put_said(
    const struct engine *engine, struct ss_json_members *said);
void ss_put_fini(struct ss_command_put *put);
// Free those of the last step: whoever made it has read them.
void ss_engine_forget_commands(struct engine *engine);
// A record by itself, without rows. Takes `value` (NULL: delete).
void ss_engine_store_record(struct engine *engine, enum ss_record_table table,
    const char *key, const char *index, json_t *value);
// Something that is stored cannot be read: `why` is a sentence that names it.
void ss_engine_damaged(
    struct engine *engine, const char *kind, const char *name, const char *why);
// Told where options.narrate listens; else nothing is formatted.
void ss_engine_narrate(struct engine *engine, const char *format, ...)
    SS_PRINTF(2, 3);
// At the latest then there must be another step.
void ss_engine_wake(struct engine *engine, int64_t at_ms);

#endif
