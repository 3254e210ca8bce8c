// source.c - the words for how a checkpoint came about.
#include "common/model/source.h"

#include <stddef.h>
#include <string.h>

static const char *const source_names[] = {
    [SS_SOURCE_NONE] = "",
    [SS_SOURCE_INPUT] = "input",
    [SS_SOURCE_LOOP] = "loop",
    [SS_SOURCE_UPDATE] = "update",
    [SS_SOURCE_FORK] = "fork",
};

const char *ss_source_name(enum ss_source source)
{
    return source_names[source];
}

bool ss_source_by_name(const char *name, enum ss_source *ret_source)
{
    for (size_t i = 0; i <= SS_SOURCE_FORK; i++) {
        if (strcmp(source_names[i], name) == 0) {
            *ret_source = (enum ss_source)i;
            return true;
        }
    }
    return false;
}
