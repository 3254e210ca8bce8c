// wait_reason.c - the table of what tasks wait for.
#include "common/model/wait_reason.h"

#include <string.h>

#include "common/model/value.h"

static const char *const reasons[] = {
    [SS_WAIT_OTHER] = "?",
#define X(id, word) [SS_WAIT_##id] = (word),
#include "common/model/wait_reason.def"
#undef X
};

const char *ss_wait_reason_name(enum ss_wait_reason reason)
{
    return reasons[reason];
}

enum ss_wait_reason ss_wait_reason_of(const json_t *wait)
{
    const char *word = ss_json_str(wait, "why", "");
    for (size_t i = 1; i < sizeof(reasons) / sizeof(*reasons); i++)
        if (strcmp(reasons[i], word) == 0)
            return (enum ss_wait_reason)i;
    return SS_WAIT_OTHER;
}
