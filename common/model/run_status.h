// run_status.h - how a run stands: the words of run_status.def, and what they
// mean.
#ifndef SS_MODEL_RUN_STATUS_H
#define SS_MODEL_RUN_STATUS_H

#include <jansson.h>
#include <stdbool.h>

enum ss_run_status {
    SS_RUN_OTHER, // a word that this program does not know, or none
#define X(name, word, ended) SS_RUN_##name,
#include "common/model/run_status.def"
#undef X
};

// Its word; of SS_RUN_OTHER "?".
const char *ss_run_status_name(enum ss_run_status status);
enum ss_run_status ss_run_status_by_name(const char *name);
// What stands under "status" in a record of a run, an end row or an answer.
// Borrows; NULL is SS_RUN_OTHER.
enum ss_run_status ss_run_status_of(const json_t *json);
bool ss_run_status_has_ended(enum ss_run_status status);
// It runs, or waits for its turn.
bool ss_run_is_under_way(const json_t *json);

#endif
