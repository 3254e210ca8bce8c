// peer.c - the liveness of one connection, and the list of all of them.
#include "common/peer/peer.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

void ss_peer_init(struct ss_peer *peer, const char *endpoint, int64_t heard_ms)
{
    *peer = (struct ss_peer){
        .endpoint = ss_strdup(endpoint), .heard_ms = heard_ms, .asked_ms = -1};
}

void ss_peer_fini(struct ss_peer *peer)
{
    ss_free(peer->endpoint);
    peer->endpoint = NULL;
}

void ss_peer_move(struct ss_peer *peer, const char *endpoint)
{
    char *old = peer->endpoint;
    peer->endpoint = ss_strdup(endpoint);
    peer->epoch = 0;
    ss_free(old);
}

void ss_peer_heard(struct ss_peer *peer, int64_t now_ms)
{
    peer->heard_ms = now_ms;
    peer->asked_ms = -1;
}

void ss_peer_ping(struct ss_peer *peer, int64_t now_ms)
{
    if (peer->asked_ms < 0)
        peer->asked_ms = now_ms;
    peer->pinged_ms = now_ms;
}

void ss_peer_rest(struct ss_peer *peer)
{
    peer->asked_ms = -1;
}

void ss_peer_forgive(struct ss_peer *peer, int64_t slept_ms)
{
    peer->heard_ms += slept_ms;
}

bool ss_peer_tells_epoch(struct ss_peer *peer, uint64_t epoch)
{
    bool is_another = epoch != 0 && peer->epoch != 0 && epoch != peer->epoch;
    if (epoch != 0)
        peer->epoch = epoch;
    return is_another;
}

bool ss_peer_is_asked(const struct ss_peer *peer)
{
    return peer->asked_ms >= 0;
}

int64_t ss_peer_ping_at_ms(const struct ss_peer *peer, int64_t interval_ms)
{
    return (peer->heard_ms > peer->pinged_ms ? peer->heard_ms
                                             : peer->pinged_ms) +
           interval_ms;
}

int64_t ss_peer_silent_at_ms(const struct ss_peer *peer, int64_t patience_ms)
{
    return ss_peer_is_asked(peer) ? peer->asked_ms + patience_ms : INT64_MAX;
}

int64_t ss_peer_lost_at_ms(const struct ss_peer *peer, int64_t lease_ms)
{
    return peer->heard_ms + lease_ms;
}

// ------------------------------------------------ all of them

void ss_peers_add(struct ss_peers *peers, struct ss_peer *peer)
{
    ss_check(!ss_peers_find(peers, peers->numbers));
    peer->number = peers->numbers++;
    SS_VEC_PUSH(peers, peer);
}

void ss_peers_remove(struct ss_peers *peers, const struct ss_peer *peer)
{
    for (size_t i = 0; i < peers->count; i++)
        if (peers->items[i] == peer) {
            SS_VEC_REMOVE(peers, i);
            return;
        }
    ss_check(false); // it was never added
}

struct ss_peer *ss_peers_find(const struct ss_peers *peers, uint32_t number)
{
    for (size_t i = 0; i < peers->count; i++)
        if (peers->items[i]->number == number)
            return peers->items[i];
    return NULL;
}

struct ss_peer *ss_peers_at(const struct ss_peers *peers, const char *endpoint)
{
    for (size_t i = 0; i < peers->count; i++)
        if (strcmp(peers->items[i]->endpoint, endpoint) == 0)
            return peers->items[i];
    return NULL;
}

void ss_peers_fini(struct ss_peers *peers)
{
    SS_VEC_FINI(peers);
}
