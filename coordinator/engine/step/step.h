// step.h - what every room may give to the step that is being made: commands, a
// sentence of narration, a time to be woken.
#ifndef SS_ENGINE_STEP_H
#define SS_ENGINE_STEP_H

#include <jansson.h>
#include <stdint.h>

#include "common/base/status.h"
#include "coordinator/engine/engine.h"

struct engine;
struct thread;

// Append to this step's commands. Takes what the command owns.
void ss_engine_command(struct engine *engine, struct ss_command command);
void ss_command_fini(struct ss_command *command);
// Only where options.store takes it at once. Borrows all that it owns; what it
// came to is told at the end of the step. `thread`: whose unit it is, or NULL.
void ss_engine_store(struct engine *engine, struct thread *thread,
    const struct ss_command *command);
// A record as it goes to the store. Takes `value` (NULL: delete). Gives, to
// ss_put_fini().
struct ss_command_put ss_put_of(enum ss_record_table table, const char *key,
    const char *index, json_t *value);
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
