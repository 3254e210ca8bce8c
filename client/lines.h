// lines.h - a client's connections, by the numbers of its talk, and one
// descriptor to poll for all of them.
#ifndef SS_CLIENT_LINES_H
#define SS_CLIENT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/link/link.h"

struct ss_client_line {
    uint32_t number;
    struct ss_link *link;
};

struct ss_client_lines {
    struct ss_client_line *items;
    size_t count, capacity;
    size_t turn;      // the line to read from next
    int fd;           // epoll over the links' descriptors
    const char *keys; // borrowed (common/link/keys.h); NULL: none
};

// SS_EIO: no descriptor.
int ss_client_lines_init(
    struct ss_client_lines *lines, struct ss_error *error) SS_MUST_USE;
// Fine also for lines that were never initialised (zero bytes, and fd -1).
void ss_client_lines_fini(struct ss_client_lines *lines);
// Errors: those of ss_link_open().
int ss_client_lines_open(struct ss_client_lines *lines, uint32_t number,
    const char *endpoint, struct ss_error *error) SS_MUST_USE;
void ss_client_lines_close(struct ss_client_lines *lines, uint32_t number);
// Lends; NULL: the line is not open.
struct ss_link *ss_client_lines_find(
    const struct ss_client_lines *lines, uint32_t number);
// The next message of any line; lines take turns. Gives *ret_bytes; false:
// there is none.
bool ss_client_lines_recv(struct ss_client_lines *lines, uint32_t *ret_number,
    void **ret_bytes, size_t *ret_size);
void ss_client_lines_wait(
    const struct ss_client_lines *lines, int extra_fd, int timeout_ms);

#endif
