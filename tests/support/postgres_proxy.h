// postgres_proxy.h - stands between a client and a private PostgreSQL, and
// loses an answer when it is told to: what the client sent has arrived.
#ifndef SS_TESTS_SUPPORT_POSTGRES_PROXY_H
#define SS_TESTS_SUPPORT_POSTGRES_PROXY_H

#include "tests/support/postgres_server.h"

struct postgres_proxy;

// Listens in `folder`, which holds no other socket. Gives.
struct postgres_proxy *postgres_proxy_start(
    const struct postgres_server *server, const char *folder);
void postgres_proxy_stop(struct postgres_proxy **proxy);
// The next time the server has answered a Sync in full, the answer is thrown
// away and the connection is cut.
void postgres_proxy_lose_next(struct postgres_proxy *proxy);

#endif
