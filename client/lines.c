// lines.c - links to coordinators behind one epoll descriptor.
#include "client/lines.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "client/session/limits.h"
#include "common/base/mem.h"

int ss_client_lines_init(struct ss_client_lines *lines, struct ss_error *error)
{
    int fd = epoll_create1(EPOLL_CLOEXEC);
    if (fd < 0)
        return ss_error_set(error, SS_EIO, "epoll: %s", strerror(errno));
    lines->fd = fd;
    return SS_OK;
}

void ss_client_lines_fini(struct ss_client_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        ss_link_close(&lines->items[i].link);
    SS_VEC_FINI(lines);
    if (lines->fd >= 0)
        close(lines->fd);
    lines->fd = -1;
}

// -1 is fine.
static bool watch(const struct ss_client_lines *lines, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    return fd < 0 || epoll_ctl(lines->fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void unwatch(const struct ss_client_lines *lines, int fd)
{
    if (fd >= 0)
        (void)epoll_ctl(lines->fd, EPOLL_CTL_DEL, fd, NULL);
}

int ss_client_lines_open(struct ss_client_lines *lines, uint32_t number,
    const char *endpoint, struct ss_error *error)
{
    const struct ss_link_options options = {.endpoint = endpoint,
        .keys = lines->keys,
        .roles = SS_ROLE_CLIENT | SS_ROLE_OPERATOR,
        .is_guest = true};
    struct ss_link *link;
    int status = ss_link_open(&options, &link, error);
    if (status != SS_OK)
        return status;
    if (!watch(lines, ss_link_fd(link)) ||
        !watch(lines, ss_link_news_fd(link))) {
        status = ss_error_set(error, SS_EIO, "epoll: %s", strerror(errno));
        ss_link_close(&link);
        return status;
    }
    SS_VEC_PUSH(lines, (struct ss_client_line){number, link});
    return SS_OK;
}

void ss_client_lines_close(struct ss_client_lines *lines, uint32_t number)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct ss_client_line *line = &lines->items[i];
        if (line->number != number)
            continue;
        unwatch(lines, ss_link_fd(line->link));
        unwatch(lines, ss_link_news_fd(line->link));
        ss_link_close(&line->link);
        SS_VEC_REMOVE(lines, i);
        return;
    }
}

struct ss_link *ss_client_lines_find(
    const struct ss_client_lines *lines, uint32_t number)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i].number == number)
            return lines->items[i].link;
    return NULL;
}

bool ss_client_lines_recv(struct ss_client_lines *lines, uint32_t *ret_number,
    void **ret_bytes, size_t *ret_size)
{
    struct ss_error ignored; // a malformed message is not a sign of life
    for (size_t i = 0; i < lines->count; i++) {
        char peer[SS_PEER_SIZE];
        const struct ss_client_line *line =
            &lines->items[lines->turn++ % lines->count];
        if (ss_link_recv(line->link, peer, ret_bytes, ret_size, &ignored) !=
            SS_OK)
            continue;
        *ret_number = line->number;
        return true;
    }
    return false;
}

void ss_client_lines_wait(
    const struct ss_client_lines *lines, int extra_fd, int timeout_ms)
{
    struct ss_link *links[SS_TALK_CONNECTIONS_MAX];
    for (size_t i = 0; i < lines->count; i++)
        links[i] = lines->items[i].link;
    (void)ss_link_wait_each(links, lines->count, &extra_fd, 1, timeout_ms);
}
