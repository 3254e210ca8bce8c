// paused.h - sentences about things that are paused.
#ifndef SS_CLI_PAUSED_H
#define SS_CLI_PAUSED_H

#include <jansson.h>

#include "common/base/buf.h"

// "graph digest is paused since 2026-01-01 12:00:00 by olga: the model is ill",
// from its record, without a full stop. Gives.
char *ss_paused_text(const json_t *record);
// Runs whose graph is paused say so in their status: "running, paused".
void ss_paused_mark(json_t *runs);

#endif
