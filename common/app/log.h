// log.h - what a program tells its operator, on stderr, one line at a time.
//
//   plain  2026-11-22T01:02:03.004Z warning: worker host/7/1 was lost
//   json   {"time":"...","level":"warning","program":"...","pid":7,
//           "message":"..."}
//
// Only shells log. Lines of several threads do not mix.
#ifndef SS_APP_LOG_H
#define SS_APP_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

enum ss_log_level {
    SS_LOG_ERROR,
    SS_LOG_WARNING,
    SS_LOG_INFO,
    SS_LOG_DEBUG,
};

struct ss_log_options {
    const char *program;     // borrowed for the process' life
    enum ss_log_level level; // and what is graver
    bool is_json;
    // In place of stderr; NULL: stderr. Gets whole lines with their newline.
    void (*sink)(void *ctx, const char *line, size_t size);
    void *sink_ctx;
};

enum { SS_LOG_LINE_SIZE = 4096 }; // what is longer is cut

// Before the first thread. Without it: plain, INFO, to stderr.
void ss_log_setup(const struct ss_log_options *options);
bool ss_log_wants(enum ss_log_level level);
// Not ss_log(): that is a word of the node author's API.
void ss_log_say(enum ss_log_level level, const char *format, ...)
    SS_PRINTF(2, 3);

#endif
