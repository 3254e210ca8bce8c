// status.h - status codes and the error record that climbs with them.
//
// A fallible function returns `int`: SS_OK or a negative code of status.def.
// The message for people is in a `struct ss_error` that the caller passes; each
// floor wraps it: "store: commit: disk is full".
#ifndef SS_BASE_STATUS_H
#define SS_BASE_STATUS_H

#include <stddef.h>

enum ss_status {
    SS_OK = 0,
#define X(id, value, name, text) SS_##id = (value),
#include "common/base/status.def"
#undef X
};

enum { SS_ERROR_SIZE = 768 };

struct ss_error {
    int status;
    char message[SS_ERROR_SIZE]; // UTF-8, no newline at its end
};

#define SS_MUST_USE     __attribute__((warn_unused_result))
#define SS_PRINTF(f, a) __attribute__((format(printf, f, a)))

// The stable name of a code, as "invalid_update". Never NULL.
const char *ss_status_name(int status);

// One line that explains a code. Never NULL.
const char *ss_status_text(int status);

// The code with this stable name; SS_OK if there is none.
int ss_status_by_name(const char *name);

// No error yet. Its text is empty, and no more of it is touched: it is large.
static inline void ss_error_none(struct ss_error *error)
{
    error->status = 0;
    error->message[0] = '\0';
}

// Fill `error` (may be NULL) and return `status`, so that callers can write
// `return ss_error_set(error, SS_EINVAL, "graph %s: ...", name);`.
int ss_error_set(struct ss_error *error, int status, const char *format, ...)
    SS_PRINTF(3, 4);
#ifdef __clang_analyzer__
// The analyzer sees one file at a time; it would assume that ss_error_set() may
// return another status than it was given.
#define ss_error_set(error, status, ...)                                       \
    ((void)(ss_error_set)((error), (status), __VA_ARGS__), (status))
#endif

// The error at `place`, made there by the first who has one to say: few of many
// ever do, and it is large. For ss_free().
struct ss_error *ss_error_at(struct ss_error **place);

// Put "context: " before the message; returns error->status (SS_EIO if NULL).
int ss_error_wrap(struct ss_error *error, const char *format, ...)
    SS_PRINTF(2, 3);

#endif
