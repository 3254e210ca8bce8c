#include "tests/support/postgres_proxy.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/mem.h"

#define SOCKET "%s/.s.PGSQL.5432"

struct postgres_proxy {
    struct sockaddr_un server, here;
    int listener;
    int stop[2];
    atomic_bool loses;
    pthread_t thread;
};

// Copy what waits. False at the end, or where the answer is to be lost.
static bool copy(struct postgres_proxy *proxy, int from, int to, bool answers)
{
    char bytes[16384];
    ssize_t size = read(from, bytes, sizeof(bytes));
    if (size <= 0) {
        return false;
    }
    // ReadyForQuery is six bytes: 'Z', a length of five, the state.
    if (answers && atomic_load(&proxy->loses)) {
        return size < 6 || bytes[size - 6] != 'Z';
    }
    for (ssize_t at = 0; at < size;) {
        ssize_t sent = send(to, bytes + at, (size_t)(size - at), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += sent;
    }
    return true;
}

// One client at a time, as a store has one connection. False: to be stopped.
static bool serve(struct postgres_proxy *proxy, int client)
{
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    bool goes_on = connect(server, (struct sockaddr *)&proxy->server,
                       sizeof(proxy->server)) == 0;
    bool stopped = false;
    while (goes_on) {
        struct pollfd ready[] = {{.fd = client, .events = POLLIN},
            {.fd = server, .events = POLLIN},
            {.fd = proxy->stop[0], .events = POLLIN}};
        (void)poll(ready, 3, -1);
        stopped = ready[2].revents != 0;
        goes_on = !stopped;
        if (goes_on && ready[0].revents) {
            goes_on = copy(proxy, client, server, false);
        }
        if (goes_on && ready[1].revents) {
            goes_on = copy(proxy, server, client, true);
        }
    }
    atomic_store(&proxy->loses, false);
    (void)close(server);
    return !stopped;
}

static void *work(void *ctx)
{
    struct postgres_proxy *proxy = ctx;
    for (bool goes_on = true; goes_on;) {
        struct pollfd ready[] = {{.fd = proxy->listener, .events = POLLIN},
            {.fd = proxy->stop[0], .events = POLLIN}};
        (void)poll(ready, 2, -1);
        goes_on = ready[1].revents == 0;
        if (goes_on && ready[0].revents) {
            int client = accept(proxy->listener, NULL, NULL);
            goes_on = serve(proxy, client);
            (void)close(client);
        }
    }
    return NULL;
}

struct postgres_proxy *postgres_proxy_start(
    const struct postgres_server *server, const char *folder)
{
    struct postgres_proxy *proxy = ss_zalloc(1, sizeof(*proxy));
    proxy->server.sun_family = proxy->here.sun_family = AF_UNIX;
    (void)snprintf(proxy->server.sun_path, sizeof(proxy->server.sun_path),
        SOCKET, postgres_server_folder(server));
    (void)snprintf(
        proxy->here.sun_path, sizeof(proxy->here.sun_path), SOCKET, folder);
    proxy->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    ss_check(pipe(proxy->stop) == 0);
    ss_check(bind(proxy->listener, (struct sockaddr *)&proxy->here,
                 sizeof(proxy->here)) == 0);
    ss_check(listen(proxy->listener, 4) == 0);
    ss_check(pthread_create(&proxy->thread, NULL, work, proxy) == 0);
    return proxy;
}

void postgres_proxy_stop(struct postgres_proxy **proxy)
{
    struct postgres_proxy *it = *proxy;
    *proxy = NULL;
    ss_check(write(it->stop[1], "", 1) == 1);
    ss_check(pthread_join(it->thread, NULL) == 0);
    (void)close(it->stop[0]);
    (void)close(it->stop[1]);
    (void)close(it->listener);
    (void)unlink(it->here.sun_path);
    ss_free(it);
}

void postgres_proxy_lose_next(struct postgres_proxy *proxy)
{
    atomic_store(&proxy->loses, true);
}
