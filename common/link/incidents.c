// incidents.c - what an operator should know of a link, until it is told.
#include "common/link/incidents.h"

#include <stdarg.h>
#include <stdio.h>

void ss_incidents_tell(struct ss_incidents *incidents, const char *kind,
    const char *who, const char *format, ...)
{
    if (incidents->count == SS_LINK_INCIDENTS_MAX)
        return; // it will happen again
    size_t at =
        (incidents->first + incidents->count++) % SS_LINK_INCIDENTS_MAX;
    struct ss_link_incident *it = &incidents->items[at];
    va_list args;
    it->kind = kind;
    snprintf(it->who, sizeof(it->who), "%s", who);
    va_start(args, format);
    vsnprintf(it->text, sizeof(it->text), format, args);
    va_end(args);
}

bool ss_incidents_take(
    struct ss_incidents *incidents, struct ss_link_incident *ret)
{
    if (incidents->count == 0)
        return false;
    *ret = incidents->items[incidents->first];
    incidents->first = (incidents->first + 1) % SS_LINK_INCIDENTS_MAX;
    incidents->count--;
    return true;
}
