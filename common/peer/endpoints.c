// endpoints.c - the addresses at which there may be a coordinator.
#include <string.h>

#include "common/base/mem.h"
#include "common/peer/peer.h"

static bool endpoints_find(const struct ss_endpoints *endpoints,
    const char *endpoint, size_t *ret_index)
{
    for (size_t i = 0; i < endpoints->count; i++)
        if (strcmp(endpoints->items[i], endpoint) == 0) {
            *ret_index = i;
            return true;
        }
    return false;
}

bool ss_endpoints_has(
    const struct ss_endpoints *endpoints, const char *endpoint)
{
    size_t index;
    return endpoints_find(endpoints, endpoint, &index);
}

static void endpoints_add(struct ss_endpoints *endpoints, const char *endpoint)
{
    if (endpoints->count < SS_PEER_ENDPOINTS_MAX)
        SS_VEC_PUSH(endpoints, ss_strdup(endpoint));
}

static void endpoints_cut(struct ss_endpoints *endpoints, size_t count)
{
    while (endpoints->count > count)
        ss_free(endpoints->items[--endpoints->count]);
}

void ss_endpoints_give(struct ss_endpoints *endpoints, const char *endpoint)
{
    endpoints_cut(endpoints, endpoints->given_count);
    endpoints_add(endpoints, endpoint);
    endpoints->given_count = endpoints->count;
}

void ss_endpoints_tell(
    struct ss_endpoints *endpoints, char *const *told, size_t count)
{
    if (count == 0)
        return;
    endpoints_cut(endpoints, endpoints->given_count);
    for (size_t i = 0; i < count; i++)
        if (!ss_endpoints_has(endpoints, told[i]))
            endpoints_add(endpoints, told[i]);
}

void ss_endpoints_remove(struct ss_endpoints *endpoints, const char *endpoint)
{
    size_t index;
    if (!endpoints_find(endpoints, endpoint, &index))
        return;
    ss_free(endpoints->items[index]);
    SS_VEC_REMOVE(endpoints, index);
    if (index < endpoints->given_count)
        endpoints->given_count--;
}

void ss_endpoints_fini(struct ss_endpoints *endpoints)
{
    endpoints_cut(endpoints, 0);
    SS_VEC_FINI(endpoints);
    endpoints->given_count = 0;
}
