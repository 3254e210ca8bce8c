// log_limit.h - lines about the same thing, once in a while: what a peer does
// wrong, it does again, and must not fill the log's disk.
#ifndef SS_APP_LOG_LIMIT_H
#define SS_APP_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"

enum {
    SS_LOG_AGAIN_MS = 10 * 60 * 1000, // the same again after so long
    SS_LOG_SUBJECTS_MAX = 1000,       // different things in that time
};

// Zero bytes are one that has said nothing.
struct ss_log_limit {
    struct ss_map said; // "kind who" -> when it was said, and how often not
    char more[40];      // of what is due now
    bool is_full_said;
    uint64_t silenced; // lines that were not said, in all
};

// Should a line of this kind about `who` be said now? Where there are too many
// different ones, one more line says that, and the rest are only counted.
bool ss_log_limit_due(struct ss_log_limit *limit, const char *kind,
    const char *who, int64_t now_ms);
// Behind such a line: " (and 12 more since)", what was not said of the same
// since it was said last; "": nothing. Borrowed until the next question.
const char *ss_log_limit_more(const struct ss_log_limit *limit);
void ss_log_limit_fini(struct ss_log_limit *limit);

#endif
