// link_loop.c - links within one process, between any of its threads.
//
// All open links stand in one list. A message is copied straight into the
// receiver's queue; a pipe that holds one byte while the queue is not empty
// makes it something to poll.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/link/limits.h"
#include "common/link/link_impl.h"

struct letter {
    struct letter *next;
    char from[SS_PEER_SIZE];
    void *bytes;
    size_t size;
};

struct loop_link {
    struct ss_link base;
    struct loop_link *next_open;
    char name[SS_PEER_SIZE]; // of a client
    int pipe[2];
    struct letter *first;
    struct letter **last;
    size_t count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct loop_link *open_links;
static unsigned long long names_given;

static struct loop_link *own(struct ss_link *link)
{
    return (struct loop_link *)link;
}

static struct loop_link *find_server(const char *endpoint)
{
    for (struct loop_link *it = open_links; it; it = it->next_open)
        if (it->base.is_server && strcmp(it->base.endpoint, endpoint) == 0)
            return it;
    return NULL;
}

static struct loop_link *find_client(const char *endpoint, const char *name)
{
    for (struct loop_link *it = open_links; it; it = it->next_open)
        if (!it->base.is_server && strcmp(it->name, name) == 0 &&
            strcmp(it->base.endpoint, endpoint) == 0)
            return it;
    return NULL;
}

static struct letter *pop(struct loop_link *link)
{
    struct letter *letter = link->first;
    if (!letter)
        return NULL;
    link->first = letter->next;
    if (--link->count == 0) {
        char byte;
        link->last = &link->first;
        ss_check(read(link->pipe[0], &byte, 1) == 1);
    }
    return letter;
}

static void destroy(struct loop_link *it)
{
    struct letter *letter;
    while ((letter = pop(it))) {
        ss_free(letter->bytes);
        ss_free(letter);
    }
    close(it->pipe[0]);
    close(it->pipe[1]);
    ss_free(it->base.endpoint);
    ss_free(it);
}

static int send_link(struct ss_link *link, const char *peer, const void *bytes,
    size_t size, struct ss_error *error)
{
    struct loop_link *from = own(link);
    int status = SS_OK;
    pthread_mutex_lock(&lock);
    struct loop_link *to =
        peer ? find_client(link->endpoint, peer) : find_server(link->endpoint);
    if (!to) {
        status = ss_error_set(error, SS_ECLOSED, "%s is not connected",
            peer ? peer : link->endpoint);
    } else if (to->count >= SS_LINK_QUEUE_MAX) {
        status = ss_error_set(error, SS_EAGAIN,
            "the queue of %s is full (%d messages)",
            peer ? peer : link->endpoint, SS_LINK_QUEUE_MAX);
    } else {
        struct letter *letter = ss_zalloc(1, sizeof(*letter));
        memcpy(letter->from, from->name, sizeof(letter->from));
        letter->bytes = ss_memdup(bytes, size);
        letter->size = size;
        *to->last = letter;
        to->last = &letter->next;
        if (to->count++ == 0)
            ss_check(write(to->pipe[1], "", 1) == 1);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static int recv_link(struct ss_link *link, char ret_peer[SS_PEER_SIZE],
    void **ret_bytes, size_t *ret_size, struct ss_error *error)
{
    (void)error;
    pthread_mutex_lock(&lock);
    struct letter *letter = pop(own(link));
    pthread_mutex_unlock(&lock);
    if (!letter)
        return SS_EAGAIN;
    if (link->is_server)
        memcpy(ret_peer, letter->from, SS_PEER_SIZE);
    *ret_bytes = letter->bytes;
    *ret_size = letter->size;
    ss_free(letter);
    return SS_OK;
}

static int fd_of(const struct ss_link *link)
{
    return ((const struct loop_link *)link)->pipe[0];
}

static int wait_link(
    struct ss_link *link, const int *fds, size_t count, int timeout_ms)
{
    struct pollfd items[1 + SS_LINK_WAIT_MAX] = {
        {.fd = fd_of(link), .events = POLLIN}};
    int bits = 0;
    for (size_t i = 0; i < count; i++) // poll() passes over -1
        items[i + 1] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    if (poll(items, count + 1, timeout_ms) <= 0)
        return 0;
    if (items[0].revents != 0)
        bits = 1;
    for (size_t i = 0; i < count; i++)
        if (items[i + 1].revents != 0)
            bits |= 2 << i;
    return bits;
}

// Leave the list before any member is freed.
static void close_link(struct ss_link *link)
{
    pthread_mutex_lock(&lock);
    for (struct loop_link **at = &open_links; *at; at = &(*at)->next_open)
        if (*at == own(link)) {
            *at = own(link)->next_open;
            break;
        }
    pthread_mutex_unlock(&lock);
    destroy(own(link));
}

static bool is_ready(struct ss_link *link)
{
    pthread_mutex_lock(&lock);
    bool has_any = own(link)->count > 0;
    pthread_mutex_unlock(&lock);
    return has_any;
}

static const struct ss_link_ops loop_ops = {close_link, send_link, recv_link,
    fd_of, is_ready, wait_link, NULL, NULL, NULL, NULL, NULL};

int ss_link_open_loop(const struct ss_link_options *options,
    struct ss_link **ret_link, struct ss_error *error)
{
    struct loop_link *link = ss_zalloc(1, sizeof(*link));
    link->base = (struct ss_link){&loop_ops, options->server,
        options->message_size_max, ss_strdup(options->endpoint)};
    link->last = &link->first;
    if (pipe(link->pipe) != 0) {
        int status = ss_error_set(error, SS_EIO, "pipe: %s", strerror(errno));
        ss_free(link->base.endpoint);
        ss_free(link);
        return status;
    }
    fcntl(link->pipe[0], F_SETFD, FD_CLOEXEC);
    fcntl(link->pipe[1], F_SETFD, FD_CLOEXEC);
    pthread_mutex_lock(&lock);
    bool is_taken = options->server && find_server(options->endpoint) != NULL;
    if (!is_taken) {
        snprintf(link->name, sizeof(link->name), "loop-%llu", ++names_given);
        link->next_open = open_links;
        open_links = link;
    }
    pthread_mutex_unlock(&lock);
    if (is_taken) {
        int status =
            ss_error_set(error, SS_EBUSY, "%s is in use", options->endpoint);
        destroy(link);
        return status;
    }
    *ret_link = &link->base;
    return SS_OK;
}
