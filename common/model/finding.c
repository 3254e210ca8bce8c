// finding.c - the table of findings.
#include "common/model/finding.h"

static const struct {
    const char *name, *remedy;
} table[] = {
#define X(id, name, remedy) {(name), (remedy)},
#include "common/model/finding.def"
#undef X
};

const char *ss_finding_name(enum ss_finding finding)
{
    return table[finding].name;
}

const char *ss_finding_remedy(enum ss_finding finding)
{
    return table[finding].remedy;
}
