// lines.h - a worker's connections: a link and an outbox for each coordinator.
#ifndef SS_WORKER_LINES_H
#define SS_WORKER_LINES_H

#include "worker/outbox.h"

struct ss_line {
    uint32_t number; // as the session knows it
    char *endpoint;
    struct ss_link *link; // NULL: it could not be opened; messages are lost
    struct ss_outbox outbox;
    bool is_closed; // nothing is sent or heard any more
};

// Zero bytes: no line. Pointers to lines stay valid until ss_lines_sweep().
struct ss_lines {
    struct ss_line **items;
    size_t count, capacity;
    const char *keys; // common/link/keys.h; NULL, "": none. Borrowed
};

// Open a line. It is there even if its link cannot be opened (errors: link.h).
int ss_lines_open(struct ss_lines *lines, uint32_t number, const char *endpoint,
    const struct ss_outbox_self *self, struct ss_error *error) SS_MUST_USE;
// Borrowed; NULL: the line is closed.
struct ss_line *ss_lines_find(const struct ss_lines *lines, uint32_t number);
void ss_lines_close(struct ss_lines *lines, uint32_t number);
// Free the lines that were closed.
void ss_lines_sweep(struct ss_lines *lines);
// Wait until one of the lines, or one of `fds`, can be read. True: a line has
// made a connection (ss_link_is_new()).
bool ss_lines_wait(
    const struct ss_lines *lines, const int *fds, size_t count, int timeout_ms);
void ss_lines_fini(struct ss_lines *lines);

#endif
