// notices.c - what an operator should know of a link, until it is reported.
#include "common/link/notices.h"

#include <stdarg.h>
#include <stdio.h>

void ss_notices_tell(struct ss_notices *notices, const char *kind,
    const char *who, const char *format, ...)
{
    if (notices->count == SS_LINK_NOTICES_MAX)
        return; // it will happen again
    size_t at = (notices->first + notices->count++) % SS_LINK_NOTICES_MAX;
    struct ss_link_notice *it = &notices->items[at];
    va_list args;
    it->kind = kind;
    snprintf(it->who, sizeof(it->who), "%s", who);
    va_start(args, format);
    vsnprintf(it->text, sizeof(it->text), format, args);
    va_end(args);
}

bool ss_notices_take(struct ss_notices *notices, struct ss_link_notice *ret)
{
    if (notices->count == 0)
        return false;
    *ret = notices->items[notices->first];
    notices->first = (notices->first + 1) % SS_LINK_NOTICES_MAX;
    notices->count--;
    return true;
}
