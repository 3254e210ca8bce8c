// import.h - one saved checkpoint that was made elsewhere, as rows.
#ifndef SS_ENGINE_REQUESTS_IMPORT_H
#define SS_ENGINE_REQUESTS_IMPORT_H

#include <jansson.h>

#include "common/base/status.h"

struct thread;

// ------------------------------------------------ import_row.c

// The checkpoint as a row: a delta against its parent where the journal has it
// as a smaller id. `saved` was checked, and its id is the namespace's greatest.
// `graph` (or NULL) is remembered with the root's checkpoints.
void ss_saved_append(
    struct thread *thread, const json_t *saved, const char *graph);
// Its pending writes, but those that the journal has already.
void ss_saved_append_writes(struct thread *thread, const json_t *saved);

// ------------------------------------------------ import_delta.c

// Put in the values that checkpoints leave out because they follow from those
// before (delta channels). `list`: of checked ones, whose channel_values are
// ours to change. SS_EINVAL: one cannot be made; the channel is named.
int ss_saved_complete(struct thread *thread, json_t *list, const char *graph,
    struct ss_error *error) SS_MUST_USE;

#endif
