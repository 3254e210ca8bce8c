// byte_budget.c - tables of connections and of the peers that speak by them.
#include "common/link/byte_budget.h"

#include <stddef.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/link/limits.h"

struct speaker {
    char *peer;
    int fd;
    int64_t given; // since the peer speaks by this connection
};

struct connection {
    bool is_open;
    char address[SS_RATE_LIMIT_ADDRESS_SIZE];
    int64_t taken;
    struct speaker *speaker; // NULL: nobody spoke by it
    int64_t unread, owed;    // when it was weighed
};

struct ss_byte_budget {
    SS_VEC(struct connection) connections; // by descriptor
    struct ss_map speakers;                // peer -> struct speaker *
};

struct ss_byte_budget *ss_byte_budget_new(void)
{
    return ss_zalloc(1, sizeof(struct ss_byte_budget));
}

static struct connection *connection_at(struct ss_byte_budget *budget, int fd)
{
    if (fd < 0 || (size_t)fd >= budget->connections.count)
        return NULL;
    struct connection *it = &budget->connections.items[fd];
    return it->is_open ? it : NULL;
}

static void forget_speaker(struct ss_byte_budget *budget, struct connection *of)
{
    struct speaker *it = of->speaker;
    if (!it)
        return;
    ss_check(ss_map_remove(&budget->speakers, it->peer) == it);
    ss_free(it->peer);
    ss_free(it);
    of->speaker = NULL;
}

void ss_byte_budget_destroy(struct ss_byte_budget **budget)
{
    struct ss_byte_budget *it = *budget;
    if (!it)
        return;
    for (size_t fd = 0; fd < it->connections.count; fd++)
        forget_speaker(it, &it->connections.items[fd]);
    ss_check(it->speakers.count == 0);
    ss_map_fini(&it->speakers, NULL);
    SS_VEC_FINI(&it->connections);
    ss_free(it);
    *budget = NULL;
}

// ------------------------------------------------------------------ counting

void ss_byte_budget_open(
    struct ss_byte_budget *budget, int fd, const char *address)
{
    struct connection fresh = {.is_open = true};
    ss_check(fd >= 0 && fd < SS_LINK_DESCRIPTORS_MAX);
    ss_byte_budget_close(budget, fd);
    ss_check(strlen(address) < sizeof(fresh.address));
    memcpy(fresh.address, address, strlen(address) + 1);
    while (budget->connections.count <= (size_t)fd)
        SS_VEC_PUSH(&budget->connections, (struct connection){.taken = 0});
    budget->connections.items[fd] = fresh;
}

void ss_byte_budget_close(struct ss_byte_budget *budget, int fd)
{
    struct connection *it = connection_at(budget, fd);
    if (!it)
        return;
    forget_speaker(budget, it);
    *it = (struct connection){.is_open = false};
}

void ss_byte_budget_take(struct ss_byte_budget *budget, int fd, int64_t size)
{
    struct connection *it = connection_at(budget, fd);
    if (it)
        it->taken += size;
}

bool ss_byte_budget_speaks(
    struct ss_byte_budget *budget, int fd, const char *peer)
{
    struct connection *it = connection_at(budget, fd);
    if (!it || (it->speaker && strcmp(it->speaker->peer, peer) == 0))
        return it != NULL;
    struct speaker *speaker = ss_map_get(&budget->speakers, peer);
    forget_speaker(budget, it);
    if (speaker) { // the peer came back by another connection
        budget->connections.items[speaker->fd].speaker = NULL;
    } else {
        speaker = ss_zalloc(1, sizeof(*speaker));
        speaker->peer = ss_strdup(peer);
        ss_map_put(&budget->speakers, peer, speaker);
    }
    speaker->fd = fd;
    speaker->given = 0;
    it->speaker = speaker;
    return true;
}

void ss_byte_budget_give(
    struct ss_byte_budget *budget, const char *peer, int64_t size)
{
    struct speaker *speaker = ss_map_get(&budget->speakers, peer);
    if (speaker)
        speaker->given += size;
}

// ------------------------------------------------------------------ weighing

static void weigh(struct connection *it, const struct ss_traffic *traffic)
{
    int64_t given = it->speaker ? it->speaker->given : 0;
    it->unread =
        traffic->received > it->taken ? traffic->received - it->taken : 0;
    it->owed = given > traffic->accepted ? given - traffic->accepted : 0;
}

int64_t ss_byte_budget_weigh(struct ss_byte_budget *budget,
    bool (*traffic)(int fd, struct ss_traffic *ret))
{
    int64_t sum = 0;
    for (size_t fd = 0; fd < budget->connections.count; fd++) {
        struct connection *it = &budget->connections.items[fd];
        struct ss_traffic found;
        it->unread = it->owed = 0;
        if (it->is_open && traffic((int)fd, &found))
            weigh(it, &found);
        sum += it->unread + it->owed;
    }
    return sum;
}

bool ss_byte_budget_heaviest(
    struct ss_byte_budget *budget, struct ss_byte_budget_load *ret_load)
{
    struct connection *heaviest = NULL;
    int64_t most = 0;
    for (size_t fd = 0; fd < budget->connections.count; fd++) {
        struct connection *it = &budget->connections.items[fd];
        if (it->unread + it->owed <= most)
            continue;
        heaviest = it;
        most = it->unread + it->owed;
    }
    if (!heaviest)
        return false;
    *ret_load = (struct ss_byte_budget_load){
        .fd = (int)(heaviest - budget->connections.items),
        .peer = heaviest->speaker ? heaviest->speaker->peer : "",
        .unread = heaviest->unread,
        .owed = heaviest->owed};
    memcpy(ret_load->address, heaviest->address, sizeof(heaviest->address));
    heaviest->unread = heaviest->owed = 0;
    return true;
}
