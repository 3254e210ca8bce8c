// run_status.c - the table of statuses of runs.
#include "common/model/run_status.h"

#include <string.h>

#include "common/model/value.h"

static const struct {
    const char *name;
    bool has_ended;
} statuses[] = {
    [SS_RUN_OTHER] = {"?", false},
#define X(name, word, ended) [SS_RUN_##name] = {(word), (ended)},
#include "common/model/run_status.def"
#undef X
};

const char *ss_run_status_name(enum ss_run_status status)
{
    return statuses[status].name;
}

enum ss_run_status ss_run_status_by_name(const char *name)
{
    for (size_t i = 1; i < sizeof(statuses) / sizeof(*statuses); i++)
        if (strcmp(statuses[i].name, name) == 0)
            return (enum ss_run_status)i;
    return SS_RUN_OTHER;
}

enum ss_run_status ss_run_status_of(const json_t *json)
{
    return ss_run_status_by_name(ss_json_str(json, "status", ""));
}

bool ss_run_is_under_way(const json_t *json)
{
    enum ss_run_status status = ss_run_status_of(json);
    return status == SS_RUN_RUNNING || status == SS_RUN_QUEUED;
}

bool ss_run_status_has_ended(enum ss_run_status status)
{
    return statuses[status].has_ended;
}
