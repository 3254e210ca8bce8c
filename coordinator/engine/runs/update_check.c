// update_check.c - what may stand in a request `update` (spec/engine.md 9.3).
#include <string.h>

#include "common/base/status.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/update_state_impl.h"

static const char *as_node(const json_t *update)
{
    return ss_json_str(update, "as_node", NULL);
}

bool ss_update_is_clear(const json_t *update)
{
    const char *node = as_node(update);
    json_t *values = json_object_get(update, "values");
    return node && strcmp(node, SS_NAME_END) == 0 &&
           (!values || json_is_null(values));
}

bool ss_update_is_as(const json_t *update, const char *name)
{
    const char *node = as_node(update);
    return node && strcmp(node, name) == 0;
}

bool ss_update_check_superstep(const json_t *updates, struct ss_error *error)
{
    size_t i;
    json_t *update;
    json_array_foreach ((json_t *)updates, i, update) {
        if (!json_is_object(update)) {
            ss_error_set(error, SS_EINVAL,
                "supersteps: an update is an object of values and as_node");
            return false;
        }
        bool special = ss_update_is_clear(update) ||
                       ss_update_is_as(update, SS_NAME_INPUT) ||
                       ss_update_is_as(update, SS_NAME_COPY);
        if (special && json_array_size(updates) > 1) {
            ss_error_set(error, SS_EUPDATE,
                "an update as %s stands alone in "
                "its superstep",
                as_node(update));
            return false;
        }
    }
    return true;
}

int ss_update_check(const json_t *supersteps, struct ss_error *error)
{
    json_t *updates;
    size_t i, total = 0;
    if (!json_is_array(supersteps) || json_array_size(supersteps) == 0)
        return ss_error_set(
            error, SS_EINVAL, "supersteps: give at least one list of updates");
    json_array_foreach ((json_t *)supersteps, i, updates) {
        if (!json_is_array(updates) || json_array_size(updates) == 0)
            return ss_error_set(
                error, SS_EINVAL, "supersteps: number %zu has no update", i);
        total += json_array_size(updates);
    }
    if (total > SS_UPDATES_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "%zu updates at once; %d are "
            "the most",
            total, SS_UPDATES_MAX);
    return SS_OK;
}
