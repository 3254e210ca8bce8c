// log_limit.h - lines about the same thing, once in a while: a peer repeats its
// mistakes, and must not fill the disk with log lines.
#ifndef SS_APP_LOG_LIMIT_H
#define SS_APP_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"

enum {
    SS_LOG_AGAIN_MS = 10 * 60 * 1000, // the same again after so long
    SS_LOG_SUBJECTS_MAX = 1000,       // different things in that time
};

// Zero bytes: nothing was logged yet.
struct ss_log_limit {
    struct ss_map said; // "kind who" -> when it was said, and how often not
    char more[40];      // of what is due now
    bool is_full_said;
    uint64_t silenced; // lines that were not said, in all
};

// Should a line of this kind about `who` be logged now? Where there are too
// many different peers, one more line says so, and the rest are only counted.
bool ss_log_limit_due(struct ss_log_limit *limit, const char *kind,
    const char *who, int64_t now_ms);
// The end of such a line: " (and 12 more since)", how many lines about the same
// were left out since the last one; "": none. Borrowed until the next call.
const char *ss_log_limit_more(const struct ss_log_limit *limit);
void ss_log_limit_fini(struct ss_log_limit *limit);

#endif
