// log.h - what a program tells its operator, on stderr, one line at a time.
//
//   plain  2026-11-22T01:02:03.004Z warning: worker host/7/1 was lost
//   json   {"time":"...","level":"warning","program":"...","pid":7,
//           "epoch":3,"thread":"...","run":"...","task":"...","message":"..."}
//
// process: of a family of several (family.h), its number; plain lines have it
// in brackets, as "warning: [2] ...".
//
// epoch: the coordinator's, or, in a worker, that of the attempt. thread, run
// and task stand where the line is about one.
//
// Only shells log. Lines of several threads are not mixed up.
//
// By hand, because a logging library brings its own threads, files and
// settings; this writes a line with one call, and whoever starts the program
// (systemd, a container engine) keeps, rotates and forwards the lines.
#ifndef SS_APP_LOG_H
#define SS_APP_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

// What a line is about, for programs; the text of the line says it too, for
// people. NULL and 0: nothing. Borrowed.
struct ss_log_subject {
    const char *thread, *run, *task;
    uint64_t epoch;
};

enum { SS_LOG_LINE_SIZE = 4096 }; // what is longer is cut

// Call it before the first thread starts. Without it: plain, INFO, to stderr.
void ss_log_setup(const struct ss_log_options *options);
bool ss_log_wants(enum ss_log_level level);
// From now on lines carry this epoch, where they are not about another.
void ss_log_set_epoch(uint64_t epoch);
// From now on lines carry the number of this process in its family.
void ss_log_set_process(unsigned number);
void ss_log_about(enum ss_log_level level, const struct ss_log_subject *subject,
    const char *format, ...) SS_PRINTF(3, 4);
// Not called ss_log(), a name of the node author's API.
void ss_log_say(enum ss_log_level level, const char *format, ...)
    SS_PRINTF(2, 3);

#endif
