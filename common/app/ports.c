// ports.c - the number behind the last colon of an address.
#include "common/app/ports.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

enum { PORT_MAX = 65535, BASE = 10 };

static bool is_file(const char *address)
{
    return strncmp(address, "ipc:", 4) == 0;
}

// Behind the last colon; NULL: there is none.
static const char *port_text(const char *address)
{
    const char *colon = strrchr(address, ':');
    return colon && !is_file(address) ? colon + 1 : NULL;
}

bool ss_port_is_any(const char *address)
{
    const char *text = port_text(address);
    return text && (strcmp(text, "*") == 0 || strcmp(text, "0") == 0);
}

char *ss_port_after(const char *address, unsigned count)
{
    const char *text = port_text(address);
    char *end = NULL;
    if (count == 0 || ss_port_is_any(address))
        return ss_strdup(address);
    if (is_file(address))
        return ss_format("%s.%u", address, count);
    if (!text || !*text)
        return NULL;
    unsigned long port = strtoul(text, &end, BASE);
    if (*end || port > PORT_MAX || port + count > PORT_MAX)
        return NULL;
    return ss_format("%.*s%lu", (int)(text - address), address, port + count);
}
