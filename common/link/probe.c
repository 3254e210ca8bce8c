// probe.c - one connection, tried and closed.
#include "common/link/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/link/limits.h"

static enum ss_probe meaning_of(
    int why, const char *whose, char *ret_why, size_t size)
{
    char reason[128] = "unknown error";
    (void)strerror_r(why, reason, sizeof(reason));
    switch (why) {
    case 0:
        return SS_PROBE_LISTENS;
    case ECONNREFUSED:
    case ENOENT:
        return SS_PROBE_NOBODY;
    case EACCES:
    case EPERM:
        snprintf(ret_why, size, "this user may not connect to %s: %s", whose,
            reason);
        return SS_PROBE_CANNOT;
    case EHOSTUNREACH:
    case ENETUNREACH:
        snprintf(ret_why, size, "there is no way to %s: %s", whose, reason);
        return SS_PROBE_CANNOT;
    default:
        return SS_PROBE_UNKNOWN;
    }
}

// 0 or an errno.
static int connect_to(
    int family, const struct sockaddr *address, socklen_t address_size)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    int why = connect(fd, address, address_size) == 0 ? 0 : errno;
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    socklen_t size = sizeof(why);
    if (why == EINPROGRESS && poll(&ready, 1, SS_LINK_PROBE_MS) == 1 &&
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) != 0)
        why = errno;
    close(fd);
    return why;
}

static enum ss_probe probe_file(const char *path, char *ret_why, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof(address.sun_path) || *path == '@')
        return SS_PROBE_UNKNOWN;
    memcpy(address.sun_path, path, length + 1);
    int why =
        connect_to(AF_UNIX, (const struct sockaddr *)&address, sizeof(address));
    return meaning_of(why, path, ret_why, size);
}

// "HOST:PORT" or "[HOST]:PORT" in its parts.
static bool cut(const char *place, char ret_host[256], const char **ret_port)
{
    const char *colon = strrchr(place, ':');
    bool has_brackets = *place == '[';
    size_t size = colon ? (size_t)(colon - place) : 0;
    if (size <= 2 * (size_t)has_brackets || size >= 256)
        return false;
    snprintf(ret_host, 256, "%.*s", (int)size - 2 * has_brackets,
        place + has_brackets);
    *ret_port = colon + 1;
    return true;
}

static enum ss_probe probe_network(
    const char *place, char *ret_why, size_t size)
{
    char host[256];
    const char *port = NULL;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    if (!cut(place, host, &port))
        return SS_PROBE_UNKNOWN;
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed != 0) {
        snprintf(ret_why, size, "the name \"%s\" cannot be resolved: %s", host,
            gai_strerror(failed));
        return SS_PROBE_CANNOT;
    }
    int why = connect_to(found->ai_family, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return meaning_of(why, host, ret_why, size);
}

enum ss_probe ss_link_probe(const char *endpoint, char *ret_why, size_t size)
{
    *ret_why = '\0';
    if (strncmp(endpoint, "ipc://", 6) == 0)
        return probe_file(endpoint + 6, ret_why, size);
    if (strncmp(endpoint, "tcp://", 6) == 0)
        return probe_network(endpoint + 6, ret_why, size);
    return SS_PROBE_UNKNOWN;
}
