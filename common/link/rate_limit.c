// rate_limit.c - tables of addresses, connections and peers.
#include "common/link/rate_limit.h"

#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/link/bucket.h"
#include "common/link/greylist.h"
#include "common/link/limits.h"

struct address {
    char text[SS_RATE_LIMIT_ADDRESS_SIZE];
    unsigned connections;
    struct ss_bucket new_ones;
    struct ss_bucket refusals; // for their key
    struct ss_bucket excess;   // refused for their number or rate
    int64_t suspect_until_ms;  // it was refused too often
};

struct peer {
    struct ss_bucket messages;
    int64_t unheard_until_ms; // its messages are dropped until then
};

struct connection {
    struct address *address; // NULL: no such descriptor is open
    int64_t since_ms;
};

struct ss_rate_limit {
    struct ss_rate_limit_settings limits;
    struct ss_map addresses; // text -> struct address *
    struct ss_map peers;     // name -> struct peer *
    struct ss_greylist *greylist;
    SS_VEC(struct connection) connections; // by descriptor
    size_t open_count;
};

// ------------------------------------------------------------------ begin, end

static unsigned or_else(unsigned given, unsigned otherwise)
{
    return given > 0 ? given : otherwise;
}

struct ss_rate_limit *ss_rate_limit_new(
    const struct ss_rate_limit_settings *limits)
{
    struct ss_rate_limit *rates = ss_zalloc(1, sizeof(*rates));
    rates->limits = (struct ss_rate_limit_settings){
        .connections_max =
            or_else(limits->connections_max, SS_LINK_CONNECTIONS_MAX),
        .per_address_max =
            or_else(limits->per_address_max, SS_LINK_PER_ADDRESS_MAX),
        .connections_rate =
            or_else(limits->connections_rate, SS_LINK_CONNECTIONS_RATE),
        .messages_rate = or_else(limits->messages_rate, SS_LINK_MESSAGES_RATE),
        .unread_max_mb = or_else(limits->unread_max_mb, SS_LINK_UNREAD_MB),
    };
    rates->greylist = ss_greylist_new();
    return rates;
}

void ss_rate_limit_destroy(struct ss_rate_limit **rates)
{
    struct ss_rate_limit *it = *rates;
    if (!it)
        return;
    ss_map_fini(&it->addresses, ss_free);
    ss_map_fini(&it->peers, ss_free);
    ss_greylist_destroy(&it->greylist);
    SS_VEC_FINI(&it->connections);
    ss_free(it);
    *rates = NULL;
}

const struct ss_rate_limit_settings *ss_rate_limit_settings(
    const struct ss_rate_limit *rates)
{
    return &rates->limits;
}

// ------------------------------------------------------------------ addresses

// The network of an IPv6 address: its first four groups. As inet_ntop() writes
// them, "::" stands for zeros: what is in front of it then is the network.
void ss_rate_limit_network(
    const char *address, char ret_text[SS_RATE_LIMIT_ADDRESS_SIZE])
{
    if (strncmp(address, "::ffff:", 7) == 0)
        address += 7; // an IPv4 address mapped to IPv6
    if (!strchr(address, ':')) {
        snprintf(ret_text, SS_RATE_LIMIT_ADDRESS_SIZE, "%s", address);
        return;
    }
    const char *end = address;
    int groups = 0;
    while (*end && groups < 4 && strncmp(end, "::", 2) != 0) {
        end += strspn(end, ":");
        end += strcspn(end, ":");
        groups++;
    }
    snprintf(ret_text, SS_RATE_LIMIT_ADDRESS_SIZE,
        "%.*s::", (int)(end - address), address);
}

// Forget addresses without a connection whose buckets are full again.
static void sweep_addresses(struct ss_rate_limit *rates, int64_t now_ms)
{
    for (struct ss_map_entry *it = rates->addresses.first; it;) {
        struct ss_map_entry *next = it->next;
        const struct address *address = it->value;
        if (address->connections == 0 &&
            now_ms - address->new_ones.filled_ms > SS_LINK_FORGET_MS &&
            address->suspect_until_ms <= now_ms)
            ss_free(ss_map_remove(&rates->addresses, address->text));
        it = next;
    }
}

// NULL: more addresses than anybody honest comes from at once.
static struct address *address_of(
    struct ss_rate_limit *rates, const char *text, int64_t now_ms)
{
    char network[SS_RATE_LIMIT_ADDRESS_SIZE];
    ss_rate_limit_network(text, network);
    struct address *address = ss_map_get(&rates->addresses, network);
    if (address)
        return address;
    if (rates->addresses.count >= SS_LINK_ADDRESSES_MAX)
        sweep_addresses(rates, now_ms);
    if (rates->addresses.count >= SS_LINK_ADDRESSES_MAX)
        return NULL;
    address = ss_zalloc(1, sizeof(*address));
    memcpy(address->text, network, sizeof(network));
    address->new_ones = ss_bucket_full(
        (int64_t)rates->limits.connections_rate * SS_LINK_CONNECTIONS_BURST_S,
        now_ms);
    address->excess = ss_bucket_full(SS_LINK_EXCESS_BURST, now_ms);
    address->refusals = ss_bucket_full(SS_LINK_REFUSALS_BURST, now_ms);
    ss_map_put(&rates->addresses, network, address);
    return address;
}

// ------------------------------------------------ connections

static struct connection *connection_at(struct ss_rate_limit *rates, int fd)
{
    return fd >= 0 && (size_t)fd < rates->connections.count
               ? &rates->connections.items[fd]
               : NULL;
}

void ss_rate_limit_disconnect(struct ss_rate_limit *rates, int fd,
    char ret_address[SS_RATE_LIMIT_ADDRESS_SIZE], int64_t *ret_since_ms)
{
    struct connection *it = connection_at(rates, fd);
    ret_address[0] = '\0';
    *ret_since_ms = 0;
    if (!it || !it->address)
        return;
    memcpy(ret_address, it->address->text, SS_RATE_LIMIT_ADDRESS_SIZE);
    *ret_since_ms = it->since_ms;
    ss_check(it->address->connections > 0 && rates->open_count > 0);
    it->address->connections--;
    it->address = NULL;
    rates->open_count--;
}

// The tokens that a connection from this address costs; never more than a burst
// has, which would lock the address out.
static int64_t cost_of(
    const struct address *from, int64_t burst, int64_t now_ms)
{
    int64_t cost = from->suspect_until_ms > now_ms ? SS_LINK_SUSPECT_COST : 1;
    return cost < burst ? cost : burst;
}

static bool is_flood(struct address *from, int64_t now_ms)
{
    return !ss_bucket_take(&from->excess,
        cost_of(from, SS_LINK_EXCESS_BURST, now_ms), SS_LINK_EXCESS_RATE,
        SS_LINK_EXCESS_BURST, now_ms);
}

static enum ss_rate_limit_verdict judge(
    struct ss_rate_limit *rates, int fd, struct address *from, int64_t now_ms)
{
    const struct ss_rate_limit_settings *limits = &rates->limits;
    int64_t burst =
        (int64_t)limits->connections_rate * SS_LINK_CONNECTIONS_BURST_S;
    if (!from || fd < 0 || fd >= SS_LINK_DESCRIPTORS_MAX ||
        rates->open_count >= limits->connections_max)
        return SS_RATE_LIMIT_FULL;
    if (from->connections >= limits->per_address_max)
        return SS_RATE_LIMIT_ADDRESS_FULL;
    if (!ss_bucket_take(&from->new_ones, cost_of(from, burst, now_ms),
            limits->connections_rate, burst, now_ms))
        return SS_RATE_LIMIT_TOO_FAST;
    return SS_RATE_LIMIT_WELCOME;
}

enum ss_rate_limit_verdict ss_rate_limit_connect(
    struct ss_rate_limit *rates, int fd, const char *address, int64_t now_ms)
{
    char old[SS_RATE_LIMIT_ADDRESS_SIZE];
    int64_t since_ms;
    ss_rate_limit_disconnect(rates, fd, old, &since_ms);
    struct address *from = address_of(rates, address, now_ms);
    enum ss_rate_limit_verdict verdict = judge(rates, fd, from, now_ms);
    if (verdict != SS_RATE_LIMIT_WELCOME && from && is_flood(from, now_ms))
        return SS_RATE_LIMIT_FLOOD;
    if (verdict != SS_RATE_LIMIT_WELCOME)
        return verdict;
    while (rates->connections.count <= (size_t)fd)
        SS_VEC_PUSH(&rates->connections, (struct connection){NULL, 0});
    rates->connections.items[fd] = (struct connection){from, now_ms};
    from->connections++;
    rates->open_count++;
    return SS_RATE_LIMIT_WELCOME;
}

void ss_rate_limit_refused(
    struct ss_rate_limit *rates, const char *address, int64_t now_ms)
{
    struct address *from = address_of(rates, address, now_ms);
    if (from && !ss_bucket_take(&from->refusals, 1, SS_LINK_REFUSALS_RATE,
                    SS_LINK_REFUSALS_BURST, now_ms))
        from->suspect_until_ms = now_ms + SS_LINK_SUSPECT_MS;
}

size_t ss_rate_limit_connections(const struct ss_rate_limit *rates)
{
    return rates->open_count;
}

// ------------------------------------------------------------------ messages

static int64_t messages_burst(const struct ss_rate_limit *rates)
{
    return (int64_t)rates->limits.messages_rate * SS_LINK_MESSAGES_BURST_S;
}

// A peer whose bucket had time to fill can be forgotten.
static void sweep_peers(struct ss_rate_limit *rates, int64_t now_ms)
{
    for (struct ss_map_entry *it = rates->peers.first; it;) {
        struct ss_map_entry *next = it->next;
        const struct peer *peer = it->value;
        if (now_ms - peer->messages.filled_ms >
                SS_LINK_MESSAGES_BURST_S * INT64_C(1000) &&
            peer->unheard_until_ms <= now_ms)
            ss_free(ss_map_remove(&rates->peers, it->key));
        it = next;
    }
}

// NULL: there are too many.
static struct peer *peer_of(
    struct ss_rate_limit *rates, const char *name, int64_t now_ms)
{
    struct peer *peer = ss_map_get(&rates->peers, name);
    if (peer)
        return peer;
    if (rates->peers.count >= SS_LINK_PEERS_MAX)
        sweep_peers(rates, now_ms);
    if (rates->peers.count >= SS_LINK_PEERS_MAX)
        return NULL;
    peer = ss_zalloc(1, sizeof(*peer));
    peer->messages = ss_bucket_full(messages_burst(rates), now_ms);
    ss_map_put(&rates->peers, name, peer);
    return peer;
}

bool ss_rate_limit_message(
    struct ss_rate_limit *rates, const char *peer, int64_t now_ms)
{
    struct peer *from = peer_of(rates, peer, now_ms);
    return from &&
           ss_bucket_take(&from->messages, 1, rates->limits.messages_rate,
               messages_burst(rates), now_ms);
}

void ss_rate_limit_unhear(
    struct ss_rate_limit *rates, const char *peer, int64_t now_ms)
{
    struct peer *from = peer_of(rates, peer, now_ms);
    if (from)
        from->unheard_until_ms = now_ms + SS_LINK_LEFTOVERS_MS;
}

bool ss_rate_limit_hears(
    const struct ss_rate_limit *rates, const char *peer, int64_t now_ms)
{
    const struct peer *from = ss_map_get(&rates->peers, peer);
    return !from || from->unheard_until_ms <= now_ms;
}

// ------------------------------------------------------------------ greylist

bool ss_rate_limit_wrong(struct ss_rate_limit *rates, const char *address,
    const char *key, int64_t now_ms)
{
    char network[SS_RATE_LIMIT_ADDRESS_SIZE];
    ss_rate_limit_network(address, network);
    return ss_greylist_wrong(rates->greylist, network, key, now_ms);
}

void ss_rate_limit_punish(struct ss_rate_limit *rates, const char *address,
    const char *key, int64_t now_ms)
{
    char network[SS_RATE_LIMIT_ADDRESS_SIZE];
    ss_rate_limit_network(address, network);
    ss_greylist_punish(rates->greylist, network, key, now_ms);
}

int64_t ss_rate_limit_waits_until(const struct ss_rate_limit *rates,
    const char *address, const char *key, int64_t now_ms)
{
    char network[SS_RATE_LIMIT_ADDRESS_SIZE];
    ss_rate_limit_network(address, network);
    return ss_greylist_end_ms(rates->greylist, network, key, now_ms);
}
