// paces.c - a table of microseconds.
#include "worker/paces.h"

#include <string.h>

#include "common/base/ids.h"
#include "worker/limits.h"

void ss_paces_init(struct ss_paces *paces)
{
    memset(paces->us, 0xff, sizeof(paces->us));
}

unsigned ss_paces_place(const struct ss_assignment *order)
{
    uint64_t graph = ss_hash64(order->graph, strlen(order->graph));
    uint64_t node = order->node ? ss_hash64(order->node, strlen(order->node))
                                : (uint64_t)order->kind;
    return (unsigned)((graph * 31 + node) % SS_PACES);
}

bool ss_paces_is_quick(const struct ss_paces *paces, unsigned place)
{
    return paces->us[place] < SS_HOST_QUICK_US;
}

void ss_paces_learn(struct ss_paces *paces, unsigned place, int64_t took_us)
{
    uint32_t *known = &paces->us[place];
    uint32_t took = took_us > UINT32_MAX ? UINT32_MAX : (uint32_t)took_us;
    *known = *known == UINT32_MAX || took > *known
                 ? took
                 : *known - (*known - took + 3) / 4;
}
