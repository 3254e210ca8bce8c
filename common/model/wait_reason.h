// wait_reason.h - what a task waits for: the words of wait_reason.def.
#ifndef SS_MODEL_WAIT_REASON_H
#define SS_MODEL_WAIT_REASON_H

#include <jansson.h>

enum ss_wait_reason {
    SS_WAIT_OTHER, // a word that this program does not know, or none
#define X(id, word) SS_WAIT_##id,
#include "common/model/wait_reason.def"
#undef X
};

// Its word; of SS_WAIT_OTHER "?".
const char *ss_wait_reason_name(enum ss_wait_reason reason);
// What stands under "why" of what waits. Borrows; NULL is SS_WAIT_OTHER.
enum ss_wait_reason ss_wait_reason_of(const json_t *wait);

#endif
