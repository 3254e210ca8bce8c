// notify.c - a datagram socket, and what was told by it.
#include "common/app/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/app/metrics.h"

// A manager that is slow to read is told again after so long.
enum { AGAIN_MS = 100 };

// So long a child waits for its parent to have room for its last line: more
// than a parent that lives ever needs, less than a person waits.
enum { LAST_S = 10 };

static struct {
    int fd; // -1: nobody is told
    struct sockaddr_un to;
    socklen_t to_size;   // 0: the descriptor is one end of a pair
    int64_t interval_ms; // of the signs; 0: nobody watches
    int64_t sign_at_ms;
    bool was_ready;
    bool stops;
    char status[SS_HEALTH_SIZE]; // that was told last
} notify = {.fd = -1};

// "/run/systemd/notify", or "@name" of the abstract names.
static bool find_socket(const char *path)
{
    size_t size = path ? strlen(path) : 0;
    if (size < 2 || size >= sizeof(notify.to.sun_path) ||
        (path[0] != '/' && path[0] != '@'))
        return false;
    notify.to.sun_family = AF_UNIX;
    memcpy(notify.to.sun_path, path, size);
    if (path[0] == '@')
        notify.to.sun_path[0] = '\0';
    notify.to_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    return true;
}

// Half of the watchdog's time, if it is for this process.
static int64_t watchdog_ms(void)
{
    const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (!usec || (pid && strtol(pid, NULL, 10) != (long)getpid()))
        return 0;
    int64_t half_ms = strtoll(usec, NULL, 10) / 2000;
    return half_ms > 0 ? half_ms : 0;
}

void ss_notify_begin(void)
{
    if (notify.fd >= 0)
        close(notify.fd);
    memset(&notify, 0, sizeof(notify));
    notify.fd = -1;
    if (find_socket(getenv("NOTIFY_SOCKET"))) {
        notify.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        notify.interval_ms = watchdog_ms();
    }
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    unsetenv("WATCHDOG_PID");
}

void ss_notify_begin_at(int fd, int64_t sign_ms)
{
    ss_notify_begin();
    notify.fd = fd;
    notify.interval_ms = sign_ms;
}

bool ss_notify_is_on(void)
{
    return notify.fd >= 0;
}

int64_t ss_notify_sign_ms(void)
{
    return notify.interval_ms;
}

// Never waits: the loop has other work.
static bool tell(const char *text)
{
    bool is_pair = notify.to_size == 0;
    return sendto(notify.fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT,
               is_pair ? NULL : (const struct sockaddr *)&notify.to,
               notify.to_size) >= 0;
}

bool ss_notify_has_parent(void)
{
    return notify.fd >= 0 && notify.to_size == 0;
}

void ss_notify_parent(const char *line)
{
    if (ss_notify_has_parent())
        (void)tell(line);
}

void ss_notify_parent_last(const char *line)
{
    const struct timeval most = {.tv_sec = LAST_S};
    if (!ss_notify_has_parent())
        return;
    // Without it a send does not wait: then it is as any other line.
    int flags =
        setsockopt(notify.fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) == 0
            ? MSG_NOSIGNAL
            : MSG_NOSIGNAL | MSG_DONTWAIT;
    while (send(notify.fd, line, strlen(line), flags) < 0 && errno == EINTR)
        continue;
}

static void tell_status(const char *trouble)
{
    const char *status = trouble ? trouble : "ready";
    bool is_news = !trouble && !notify.was_ready;
    if (!is_news && strcmp(status, notify.status) == 0)
        return;
    char text[SS_HEALTH_SIZE + sizeof("READY=1\nSTATUS=")];
    snprintf(text, sizeof(text), "%sSTATUS=%.*s", is_news ? "READY=1\n" : "",
        SS_HEALTH_SIZE - 1, status);
    if (!tell(text))
        return;
    notify.was_ready |= is_news;
    snprintf(notify.status, sizeof(notify.status), "%s", status);
}

int64_t ss_notify_turn(int64_t now_ms, const char *trouble)
{
    if (notify.fd < 0 || notify.stops)
        return INT64_MAX;
    tell_status(trouble);
    if (notify.interval_ms == 0)
        return INT64_MAX;
    if (now_ms >= notify.sign_at_ms)
        notify.sign_at_ms =
            now_ms + (tell("WATCHDOG=1") ? notify.interval_ms : AGAIN_MS);
    return notify.sign_at_ms;
}

void ss_notify_stopping(void)
{
    if (notify.fd >= 0 && !notify.stops)
        notify.stops = tell("STOPPING=1");
}
