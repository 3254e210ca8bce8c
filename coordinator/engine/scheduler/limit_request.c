// limit_request.c - limits, as operators set and see them.
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/limits.h"
#include "common/model/request.h"
#include "common/model/suggest.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"

// ------------------------------------------------ setting one

// A node or a graph of that name, or a limit that graphs say; else `hint` has
// what is like it.
static bool names(
    const struct ss_graph *graph, const char *name, struct ss_hint *hint)
{
    bool is_known = strcmp(graph->name, name) == 0;
    ss_hint_offer(hint, graph->name);
    for (size_t i = 0; i < graph->nodes_count && !is_known; i++) {
        const struct ss_node *node = &graph->nodes[i];
        char *full = ss_format("%s/%s", graph->name, node->name);
        bool is_said = false;
        for (size_t k = 0; k < node->limits.count; k++) {
            is_said |= strcmp(node->limits.items[k].name, name) == 0;
            ss_hint_offer(hint, node->limits.items[k].name);
        }
        is_known = is_said || (node->has_body && strcmp(full, name) == 0) ||
                   (node->subgraph && names(node->subgraph, name, hint));
        ss_free(full);
    }
    return is_known;
}

static int check_name(
    struct engine *engine, const char *name, struct ss_error *error)
{
    struct ss_hint hint;
    bool is_known = ss_map_get(&engine->scheduler->limits.by_name, name) ||
                    ss_limit_record(engine, "set", -1, name);
    ss_hint_init(&hint, name);
    for (const struct ss_map_entry *e = ss_graphs_all(engine)->first;
         e && !is_known; e = e->next)
        is_known =
            names(((const struct known_graph *)e->value)->graph, name, &hint);
    if (is_known)
        return SS_OK;
    return ss_error_set(error, SS_ENOTFOUND,
        "limit: no graph has a limit \"%s\", and it is neither a graph nor "
        "GRAPH/NODE.%s",
        name, ss_hint_text(&hint));
}

static int check_room(
    const struct engine *engine, const char *name, struct ss_error *error)
{
    const struct limits *limits = &engine->scheduler->limits;
    size_t count = limits->under_way.count;
    for (const struct ss_map_entry *e = limits->records.first; e; e = e->next)
        count += json_object_get(e->value, "since_us") != NULL;
    if (count < SS_LIMITS_SET_MAX || ss_limit_record(engine, "set", -1, name))
        return SS_OK;
    return ss_error_set(error, SS_ELIMIT,
        "limit: %d are set already: clear some", SS_LIMITS_SET_MAX);
}

static bool is_in(json_int_t number, int64_t most)
{
    return number >= 1 && number <= most;
}

// So many at once, so many in a time, or neither.
static int check_numbers(
    const struct ss_request *request, struct ss_error *error)
{
    bool is_rate = request->has.begun_max || request->has.per_ms;
    if (is_rate && request->has.tasks_max)
        return ss_error_set(error, SS_EINVAL,
            "limit: say \"tasks_max\", or \"begun_max\" and \"per_ms\"");
    if (request->has.tasks_max &&
        !is_in(request->tasks_max, SS_LIMIT_TASKS_MAX))
        return ss_error_set(error, SS_EINVAL,
            "limit: \"tasks_max\" is a number from 1 to %d; to send none, "
            "pause the graph",
            SS_LIMIT_TASKS_MAX);
    if (is_rate && (!is_in(request->begun_max, SS_LIMIT_TASKS_MAX) ||
                       !is_in(request->per_ms, SS_LIMIT_PER_MS_MAX)))
        return ss_error_set(error, SS_EINVAL,
            "limit: a rate has \"begun_max\", from 1 to %d, and \"per_ms\", "
            "from 1 to %d",
            SS_LIMIT_TASKS_MAX, SS_LIMIT_PER_MS_MAX);
    return SS_OK;
}

static bool is_set(const struct ss_request *request)
{
    return request->has.tasks_max || request->has.begun_max;
}

static int check(struct engine *engine, const struct ss_request *request,
    struct ss_error *error)
{
    const char *name = request->name;
    if (!name || !*name || strlen(name) > SS_LIMIT_NAME_MAX ||
        strstr(name, LIMIT_VALUE))
        return ss_error_set(error, SS_EINVAL,
            "limit: \"name\" is text of 1 to %d bytes", SS_LIMIT_NAME_MAX);
    if (check_numbers(request, error) != SS_OK)
        return error->status;
    if (request->has.each &&
        (!request->each || !*request->each ||
            strlen(request->each) > SS_NAME_SIZE_MAX || !is_set(request)))
        return ss_error_set(error, SS_EINVAL,
            "limit: \"each\" is a key, text of 1 to %d bytes, beside a number",
            SS_NAME_SIZE_MAX);
    if (request->has.by &&
        (!request->by || strlen(request->by) > SS_PAUSE_BY_MAX))
        return ss_error_set(error, SS_EINVAL,
            "limit: \"by\" is text of at most %d bytes", SS_PAUSE_BY_MAX);
    if (engine->row_format < SS_ROW_FORMAT_7)
        return ss_error_set(error, SS_EAGAIN,
            "limit: a coordinator of an older version is at work, which does "
            "not know that limits are set: upgrade it, and ask again");
    int status = is_set(request) ? check_name(engine, name, error) : SS_OK;
    return status == SS_OK ? check_room(engine, name, error) : status;
}

// Gives; NULL: none is set.
static json_t *record_of(
    const struct engine *engine, const struct ss_request *request)
{
    const char *by = request->signed_by ? request->signed_by : request->by;
    if (!is_set(request))
        return NULL;
    json_t *record = json_pack("{s:s, s:I, s:s*, s:I, s:s*}", "limit",
        request->name, "tasks_max",
        request->has.tasks_max ? request->tasks_max : request->begun_max,
        "each", request->each, "since_us", (json_int_t)engine->wall_us, "by",
        by);
    if (request->has.per_ms)
        json_object_set_new(record, "per_ms", json_integer(request->per_ms));
    return record;
}

void ss_limit_request(struct engine *engine, const struct ss_request *request)
{
    struct ss_error error = {0};
    if (check(engine, request, &error) != SS_OK) {
        ss_reply_error(engine, request, error.status, "%s", error.message);
        return;
    }
    ss_limit_batch(engine, request);
    ss_limit_put(engine, "set", -1, request->name, record_of(engine, request));
    ss_limit_batch_send(engine);
}

// ------------------------------------------------ what there is

enum { BUSIEST_MAX = 20 };

static void set_int(json_t *json, const char *key, int64_t value)
{
    json_object_set_new(json, key, json_integer((json_int_t)value));
}

// Where its parts are: endpoint -> tasks.
static json_t *members_json(
    const struct engine *engine, const struct limit *limit)
{
    const json_t *members = ss_shards_members(engine);
    json_t *json = json_object();
    for (size_t i = 0; i < ss_limit_parts(limit) && engine->options.shared;
         i++) {
        const struct part *part = &limit->parts[i];
        uint16_t shard = part->to != SS_NOBODY ? part->to : part->shard;
        const char *at = shard == SS_NOBODY
                             ? NULL
                             : json_string_value(json_array_get(
                                   members, ss_shard_owner(engine, shard)));
        int64_t size = ss_part_size(limit, i);
        if (at && size > 0)
            set_int(json, at, ss_json_int(json, at, 0) + size);
    }
    return json;
}

// Those for which most tasks wait first.
static int by_waiting(const void *a, const void *b)
{
    const struct limit *one = *(struct limit *const *)a;
    const struct limit *other = *(struct limit *const *)b;
    return one->waiting != other->waiting
               ? (one->waiting < other->waiting ? 1 : -1)
               : strcmp(one->said.name, other->said.name);
}

// Of a limit, or of all values of its key.
struct numbers {
    int64_t here, out, lingering, held, waiting, stopped, begun;
};

static void count(const struct engine *engine, const struct limit *limit,
    struct numbers *numbers)
{
    numbers->here += limit->share;
    numbers->out += limit->out;
    numbers->lingering += limit->lingering;
    numbers->held += ss_limit_held(engine, limit);
    numbers->waiting += limit->waiting;
    numbers->stopped += limit->lines_now.stopped;
    numbers->begun += limit->per_ms > 0 ? limit->begun_now : 0;
}

static void set_numbers(
    const struct limit *limit, const struct numbers *numbers, json_t *json)
{
    set_int(json, "here", numbers->here);
    set_int(json, "out", numbers->out);
    set_int(json, "lingering", numbers->lingering);
    set_int(json, "held", numbers->held);
    set_int(json, "waiting", numbers->waiting);
    set_int(json, "stopped", numbers->stopped);
    if (limit->per_ms > 0)
        set_int(json, "begun", numbers->begun);
}

static void add_values(const struct engine *engine, const struct limit *whole,
    struct numbers *numbers, json_t *json)
{
    SS_VEC(const struct limit *) values = {0};
    json_t *list = json_array();
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next)
        if (((const struct limit *)e->value)->whole == whole)
            SS_VEC_PUSH(&values, e->value);
    for (size_t i = 0; i < values.count; i++)
        count(engine, values.items[i], numbers);
    if (values.count > 0)
        qsort(values.items, values.count, sizeof(*values.items), by_waiting);
    for (size_t i = 0; i < values.count && i < BUSIEST_MAX; i++) {
        const struct limit *it = values.items[i];
        json_array_append_new(list,
            json_pack("{s:s, s:I, s:I, s:I}", "value",
                it->said.name + strlen(whole->said.name) + strlen(LIMIT_VALUE),
                "here", (json_int_t)it->share, "out", (json_int_t)it->out,
                "waiting", (json_int_t)it->waiting));
    }
    set_int(json, "values", (int64_t)values.count);
    json_object_set_new(json, "each", json_string(whole->each));
    json_object_set_new(json, "busiest", list);
    SS_VEC_FINI(&values);
}

static json_t *limit_json(
    const struct engine *engine, const struct limit *limit)
{
    const json_t *set = ss_limit_record(engine, "set", -1, limit->said.name);
    struct numbers numbers = {0};
    char text[SS_TIME_SIZE];
    json_t *json = json_pack("{s:s, s:I, s:o}", "limit", limit->said.name,
        "tasks_max", (json_int_t)limit->tasks_max, "members",
        members_json(engine, limit));
    count(engine, limit, &numbers);
    if (limit->each)
        add_values(engine, limit, &numbers, json);
    set_numbers(limit, &numbers, json);
    if (limit->per_ms > 0)
        set_int(json, "per_ms", limit->per_ms);
    if (limit->said.tasks_max > 0)
        set_int(json, "said_max", limit->said.tasks_max);
    if (set) {
        ss_time_text(ss_json_int(set, "since_us", 0), text);
        json_object_set_new(json, "set_at", json_string(text));
    }
    if (json_object_get(set, "by"))
        json_object_set(json, "set_by", json_object_get(set, "by"));
    return json;
}

static json_t *limits_json(const struct engine *engine)
{
    json_t *list = json_array();
    ss_lines_count(engine, false);
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next) {
        const struct limit *limit = e->value;
        if (limit->tasks_max > 0 && !limit->whole)
            json_array_append_new(list, limit_json(engine, limit));
    }
    return list;
}

void ss_limits_request(struct engine *engine, const struct ss_request *request)
{
    ss_reply(
        engine, request, json_pack("{s:o}", "limits", limits_json(engine)));
}

// A whole stands before its values.
static void count_all(
    const struct engine *engine, size_t most, struct ss_map *ret_counted)
{
    ss_lines_count(engine, false);
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next) {
        const struct limit *limit = e->value;
        const struct limit *whole = limit->whole ? limit->whole : limit;
        struct numbers *numbers =
            ss_map_get_number(ret_counted, (uintptr_t)whole);
        if (!numbers && limit == whole && limit->tasks_max > 0 &&
            ret_counted->count < most) {
            numbers = ss_zalloc(1, sizeof(*numbers));
            ss_map_put_number(ret_counted, (uintptr_t)limit, numbers);
        }
        if (numbers && (limit == whole || whole->each))
            count(engine, limit, numbers);
    }
}

json_t *ss_limits_numbers(const struct engine *engine, size_t most)
{
    struct ss_map counted = {0}; // limit -> struct numbers *
    json_t *list = json_array();
    count_all(engine, most, &counted);
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next) {
        const struct limit *limit = e->value;
        const struct numbers *numbers =
            ss_map_get_number(&counted, (uintptr_t)limit);
        json_t *json = numbers ? json_object() : NULL;
        if (!json)
            continue;
        json_object_set_new(json, "limit", json_string(limit->said.name));
        set_int(json, "tasks_max", limit->tasks_max);
        set_numbers(limit, numbers, json);
        json_array_append_new(list, json);
    }
    ss_map_fini(&counted, ss_free);
    return list;
}
