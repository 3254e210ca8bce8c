// check.c - stop at once, saying where.
#include "common/base/check.h"

#include <stdio.h>
#include <stdlib.h>

void ss_check_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "superstep: %s:%d: this must hold, and does not: %s\n",
        file, line, what);
    abort();
}
