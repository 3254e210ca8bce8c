// limited.c - limits of tasks, as a table: what holds, what graphs say, how
// much of it the coordinator that was asked has, and who has the rest. Of one
// that is asked for by name the values of its key, too.
#include "client/cli/limited.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/list.h"
#include "common/model/value.h"

static const struct ss_list_column columns[] = {
    {"LIMIT", "limit", SS_LIST_TEXT, true},
    {"TASKS", "tasks_max", SS_LIST_NUMBER, false},
    {"PER", "per_ms", SS_LIST_DURATION, false},
    {"EACH", "each", SS_LIST_TEXT, true},
    {"GRAPHS SAY", "said_max", SS_LIST_NUMBER, false},
    {"SET BY", "set_by", SS_LIST_TEXT, true},
    {"HERE", "here", SS_LIST_NUMBER, false},
    {"OUT", "out", SS_LIST_NUMBER, false},
    {"WAITING", "waiting", SS_LIST_NUMBER, false},
    {"MEMBERS", "members", SS_LIST_COUNTS, true},
};

static const struct ss_list_column value_columns[] = {
    {"VALUE", "value", SS_LIST_TEXT, true},
    {"HERE", "here", SS_LIST_NUMBER, false},
    {"OUT", "out", SS_LIST_NUMBER, false},
    {"WAITING", "waiting", SS_LIST_NUMBER, false},
};

// Those of that name; NULL: all. Gives.
static json_t *chosen(const json_t *answer, const char *name)
{
    json_t *list = json_array(), *limit;
    size_t i;
    json_array_foreach (json_object_get(answer, "limits"), i, limit)
        if (!name || strcmp(ss_json_str(limit, "limit", ""), name) == 0)
            json_array_append(list, limit);
    return list;
}

bool ss_limited_print(const json_t *answer, const char *name)
{
    json_t *list = chosen(answer, name);
    bool is_known = !name || json_array_size(list) > 0;
    if (is_known)
        ss_cli_print_list(list, columns, sizeof(columns) / sizeof(*columns),
            "No graph that is served has a limit, and none is set.");
    const json_t *values =
        name ? json_object_get(json_array_get(list, 0), "busiest") : NULL;
    if (json_array_size(values) > 0 && !ss_cli_options.json) {
        puts("");
        ss_cli_print_list(values, value_columns,
            sizeof(value_columns) / sizeof(*value_columns), "");
    }
    json_decref(list);
    return is_known;
}
