// buf.h - a growing byte buffer that cannot exist without a maximum.
#ifndef SS_BASE_BUF_H
#define SS_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

#include "common/base/status.h"

struct ss_buf {
    char *data; // NUL behind the last byte once something was added
    size_t size;
    size_t capacity;
    size_t size_max;
    int status; // first failure, sticky: check once at the end
};

// An empty buffer that never grows beyond `size_max` bytes.
void ss_buf_init(struct ss_buf *buf, size_t size_max);
void ss_buf_fini(struct ss_buf *buf);
// Make it empty, keep its memory, clear its status.
void ss_buf_reset(struct ss_buf *buf);
// About so many bytes will come: room for them is taken once.
void ss_buf_expect(struct ss_buf *buf, size_t size);
// Append; on SS_ELIMIT nothing is added and buf->status stays SS_ELIMIT.
int ss_buf_add(struct ss_buf *buf, const void *bytes, size_t size);
// Append `size` bytes that the caller writes at once, where this points. NULL:
// as SS_ELIMIT of ss_buf_add().
char *ss_buf_room(struct ss_buf *buf, size_t size);
int ss_buf_add_str(struct ss_buf *buf, const char *text);
int ss_buf_addf(struct ss_buf *buf, const char *format, ...) SS_PRINTF(2, 3);
// The text, never NULL (a static "" if nothing was added). Borrowed.
const char *ss_buf_str(const struct ss_buf *buf);
// Give the bytes to the caller (ss_free), leave the buffer empty.
char *ss_buf_steal(struct ss_buf *buf, size_t *ret_size);

#endif
