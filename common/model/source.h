// source.h - how a checkpoint came about.
#ifndef SS_MODEL_SOURCE_H
#define SS_MODEL_SOURCE_H

#include <stdbool.h>

enum ss_source {
    SS_SOURCE_NONE, // there is none; its word is ""
    SS_SOURCE_INPUT,
    SS_SOURCE_LOOP,
    SS_SOURCE_UPDATE,
    SS_SOURCE_FORK,
};

// The word of rows, requests and answers, and the way back. False: it is none.
const char *ss_source_name(enum ss_source source);
bool ss_source_by_name(const char *name, enum ss_source *ret_source);

#endif
