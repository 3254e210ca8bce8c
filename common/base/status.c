// status.c - the table of status codes and the error record.
#include "common/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"

struct status_row {
    int status;
    const char *name;
    const char *text;
};

static const struct status_row rows[] = {
    {SS_OK, "ok", "no error"},
#define X(id, value, name, text) {(value), (name), (text)},
#include "common/base/status.def"
#undef X
};

enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };

static const struct status_row *row_of(int status)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].status == status)
            return &rows[i];
    }
    return NULL;
}

const char *ss_status_name(int status)
{
    const struct status_row *row = row_of(status);
    return row ? row->name : "unknown";
}

const char *ss_status_text(int status)
{
    const struct status_row *row = row_of(status);
    return row ? row->text : "an unknown error";
}

int ss_status_by_name(const char *name)
{
    for (size_t i = 0; name && i < ROW_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].status;
    }
    return SS_OK;
}

// End the message before a UTF-8 sequence that the size limit cut in two, and
// without newlines.
static void trim(char *message)
{
    size_t size = strlen(message);
    size_t start = size;
    while (start > 0 && size - start < 3 &&
           ((unsigned char)message[start - 1] & 0xc0) == 0x80)
        start--;
    if (start > 0 && ((unsigned char)message[start - 1] & 0xc0) == 0xc0) {
        unsigned char lead = (unsigned char)message[start - 1];
        size_t needed = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if (size - start < needed)
            message[start - 1] = '\0';
    }
    size = strlen(message);
    while (size > 0 && message[size - 1] == '\n')
        message[--size] = '\0';
}

struct ss_error *ss_error_at(struct ss_error **place)
{
    if (!*place)
        *place = ss_zalloc(1, sizeof(**place));
    return *place;
}

#undef ss_error_set // where the analyzer reads
int ss_error_set(struct ss_error *error, int status, const char *format, ...)
{
    if (error) {
        // An argument may point into the message that is being replaced.
        char message[SS_ERROR_SIZE];
        va_list args;
        va_start(args, format);
        vsnprintf(message, sizeof(message), format, args);
        va_end(args);
        trim(message);
        error->status = status;
        memcpy(error->message, message, sizeof(message));
    }
    return status;
}

int ss_error_wrap(struct ss_error *error, const char *format, ...)
{
    if (!error)
        return SS_EIO;
    char message[SS_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    if (size >= 0 && size < SS_ERROR_SIZE)
        snprintf(message + size, sizeof(message) - (size_t)size, ": %s",
            error->message);
    trim(message);
    memcpy(error->message, message, sizeof(message));
    return error->status;
}
