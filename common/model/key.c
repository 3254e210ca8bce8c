// key.c - from the description of a state key, or of a raw graph's channel, to
// its channel (spec/graph.md 2.1).
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"
#include "common/model/build.h"
#include "common/model/limits.h"
#include "common/model/reducer.h"
#include "common/model/reserved.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

static const struct {
    const char *name;
    enum ss_channel_kind kind;
} kinds[] = {
    {"LastValue", SS_CHANNEL_LAST_VALUE},
    {"LastValueAfterFinish", SS_CHANNEL_LAST_VALUE_AFTER_FINISH},
    {"AnyValue", SS_CHANNEL_ANY_VALUE},
    {"EphemeralValue", SS_CHANNEL_EPHEMERAL},
    {"UntrackedValue", SS_CHANNEL_UNTRACKED},
    {"NamedBarrierValue", SS_CHANNEL_BARRIER},
    {"NamedBarrierValueAfterFinish", SS_CHANNEL_BARRIER_AFTER_FINISH},
    {"Topic", SS_CHANNEL_TOPIC},
    {"BinaryOperatorAggregate", SS_CHANNEL_REDUCER},
    {"DeltaChannel", SS_CHANNEL_DELTA},
};
enum { KINDS_COUNT = sizeof(kinds) / sizeof(*kinds) };

static const char *const types[] = {
    "any", "int", "float", "str", "list", "dict", "bool"};
enum { TYPES_COUNT = sizeof(types) / sizeof(*types) };

static const char *const reducers[] = {
    "add", "or", "max", "min", "append", "add_messages"};
enum { REDUCERS_COUNT = sizeof(reducers) / sizeof(*reducers) };

// A state key or channel while it is parsed.
struct parsed {
    struct ss_build *build;
    const json_t *json;
    const char *noun; // "state key" or "channel"
    const char *name;
};

static int find_kind(
    const struct parsed *key, const char *name, enum ss_channel_kind *ret)
{
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (size_t i = 0; i < KINDS_COUNT; i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *ret = kinds[i].kind;
            return SS_OK;
        }
        ss_hint_offer(&hint, kinds[i].name);
    }
    return ss_build_fail(key->build,
        "%s \"%s\": there is no channel kind \"%s\".%s", key->noun, key->name,
        name, ss_hint_text(&hint));
}

static bool is_reducing(enum ss_channel_kind kind)
{
    return kind == SS_CHANNEL_REDUCER || kind == SS_CHANNEL_DELTA;
}

static int parse_reducer(
    const struct parsed *key, struct ss_channel_spec *channel)
{
    const char *custom = ss_json_str(key->json, "custom", NULL);
    const char *name = ss_json_str(key->json, "reducer", NULL);
    if (custom) {
        channel->reducer = SS_REDUCER_CUSTOM;
        channel->reducer_name = ss_strdup(custom);
        if (name && strcmp(name, "custom") != 0)
            return ss_build_fail(key->build,
                "%s \"%s\" has both a reducer \"%s\" and a custom one \"%s\"",
                key->noun, key->name, name, custom);
    } else if (name) {
        struct ss_hint hint;
        ss_hint_init(&hint, name);
        for (size_t i = 0; i < REDUCERS_COUNT; i++)
            ss_hint_offer(&hint, reducers[i]);
        channel->reducer = ss_reducer_by_name(name);
        if (channel->reducer == SS_REDUCER_CUSTOM)
            return ss_build_fail(key->build,
                "%s \"%s\": a custom reducer says its name in \"custom\"",
                key->noun, key->name);
        if (channel->reducer == SS_REDUCER_NONE)
            return ss_build_fail(key->build,
                "%s \"%s\": there is no reducer \"%s\".%s", key->noun,
                key->name, name, ss_hint_text(&hint));
    }
    bool has = channel->reducer != SS_REDUCER_NONE;
    if (has && channel->kind == SS_CHANNEL_LAST_VALUE &&
        !json_object_get(key->json, "channel") &&
        !json_object_get(key->json, "kind"))
        channel->kind = SS_CHANNEL_REDUCER;
    if (has != is_reducing(channel->kind))
        return ss_build_fail(key->build, "%s \"%s\": its kind takes %s",
            key->noun, key->name, has ? "no reducer" : "a reducer");
    return SS_OK;
}

static int parse_type(const struct parsed *key,
    const struct ss_channel_spec *channel, enum ss_type *ret_type)
{
    bool is_list = channel->reducer == SS_REDUCER_ADD_MESSAGES ||
                   channel->reducer == SS_REDUCER_APPEND;
    const char *name = ss_json_str(key->json, "type", is_list ? "list" : "any");
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (size_t i = 0; i < TYPES_COUNT; i++) {
        if (strcmp(types[i], name) == 0) {
            *ret_type = (enum ss_type)i;
            return SS_OK;
        }
        ss_hint_offer(&hint, types[i]);
    }
    return ss_build_fail(key->build, "%s \"%s\": there is no type \"%s\".%s",
        key->noun, key->name, name, ss_hint_text(&hint));
}

static bool is_of_type(const json_t *json, enum ss_type type)
{
    switch (type) {
    case SS_TYPE_INT:
        return json_is_integer(json);
    case SS_TYPE_FLOAT:
        return json_is_number(json);
    case SS_TYPE_STR:
        return json_is_string(json);
    case SS_TYPE_LIST:
        return json_is_array(json);
    case SS_TYPE_DICT:
        return json_is_object(json);
    case SS_TYPE_BOOL:
        return json_is_boolean(json);
    case SS_TYPE_ANY:
        break;
    }
    return true;
}

// Marks say how to write, or hold what JSON cannot: {"__overwrite__": ...},
// {"$opaque": ...}.
static bool is_mark(json_t *json)
{
    const char *key = json_object_iter_key(json_object_iter(json));
    return json_object_size(json) == 1 &&
           (key[0] == '$' || strncmp(key, "__", 2) == 0);
}

bool ss_channel_takes(const struct ss_channel_spec *channel, json_t *value,
    const char **ret_holds)
{
    static const char *const texts[] = {[SS_TYPE_INT] = "a whole number",
        [SS_TYPE_FLOAT] = "a number",
        [SS_TYPE_STR] = "a text",
        [SS_TYPE_LIST] = "a list",
        [SS_TYPE_DICT] = "a map",
        [SS_TYPE_BOOL] = "true or false"};
    enum ss_type type = (enum ss_type)channel->type;
    if (is_of_type(value, type) || json_is_null(value) || is_mark(value))
        return true;
    *ret_holds = texts[type];
    return false;
}

// Without a reducer a channel holds what is written.
static bool holds_writes(const struct ss_channel_spec *channel)
{
    return channel->kind == SS_CHANNEL_LAST_VALUE ||
           channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH ||
           channel->kind == SS_CHANNEL_ANY_VALUE ||
           channel->kind == SS_CHANNEL_EPHEMERAL ||
           channel->kind == SS_CHANNEL_UNTRACKED;
}

static int parse_zero(const struct parsed *key, enum ss_type type,
    struct ss_channel_spec *channel)
{
    json_t *given = json_object_get(key->json, "default");
    if (!given) {
        if (is_reducing(channel->kind))
            channel->zero = ss_zero(type);
        return SS_OK;
    }
    if (!is_reducing(channel->kind) && channel->kind != SS_CHANNEL_LAST_VALUE)
        return ss_build_fail(key->build, "%s \"%s\": its kind takes no default",
            key->noun, key->name);
    if (!is_of_type(given, type))
        return ss_build_fail(key->build,
            "%s \"%s\": its default is not of its type \"%s\"", key->noun,
            key->name, types[type]);
    channel->zero = json_incref(given);
    return SS_OK;
}

// Sorted, each once: membership is asked on every write.
void ss_names_sort(char **names, size_t *count)
{
    if (*count == 0)
        return;
    qsort(names, *count, sizeof(*names), ss_text_order);
    size_t kept = 1;
    for (size_t i = 1; i < *count; i++) {
        if (strcmp(names[i], names[kept - 1]) == 0)
            ss_free(names[i]);
        else
            names[kept++] = names[i];
    }
    *count = kept;
}

static int parse_barrier(
    const struct parsed *key, struct ss_channel_spec *channel)
{
    const json_t *names = json_object_get(key->json, "names");
    bool is_barrier = channel->kind == SS_CHANNEL_BARRIER ||
                      channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH;
    if (is_barrier != (names != NULL))
        return ss_build_fail(key->build, "%s \"%s\": its kind takes %s",
            key->noun, key->name, is_barrier ? "\"names\"" : "no \"names\"");
    struct ss_keys keys;
    int status = ss_build_keys(key->build, names, false, key->name, &keys);
    if (status != SS_OK)
        return status;
    channel->names = keys.items;
    channel->names_count = keys.count;
    ss_names_sort(channel->names, &channel->names_count);
    return SS_OK;
}

static int parse_options(
    const struct parsed *key, struct ss_channel_spec *channel)
{
    channel->guard = ss_json_bool(key->json, "guard", true);
    channel->accumulate = ss_json_bool(key->json, "accumulate", false);
    channel->snapshot_frequency =
        ss_json_int(key->json, "snapshot_frequency", 100);
    if (channel->snapshot_frequency < 1)
        return ss_build_fail(key->build,
            "%s \"%s\": snapshot_frequency must be 1 or more", key->noun,
            key->name);
    enum ss_type type = SS_TYPE_ANY;
    int status = parse_reducer(key, channel);
    if (status == SS_OK)
        status = parse_type(key, channel, &type);
    if (status == SS_OK)
        status = parse_zero(key, type, channel);
    if (channel->is_state_key && holds_writes(channel))
        channel->type = (unsigned char)type;
    if (status == SS_OK)
        status = parse_barrier(key, channel);
    return status;
}

static int check_name(const struct parsed *key, bool is_state)
{
    const char *name = key->name;
    if (strlen(name) > SS_NAME_SIZE_MAX)
        return ss_build_fail(key->build,
            "%s \"%.40s...\": a name is at most %d bytes", key->noun, name,
            SS_NAME_SIZE_MAX);
    if (ss_name_reserved(name) ||
        (is_state && strcmp(name, SS_NAME_TASKS) == 0))
        return ss_build_fail(
            key->build, "%s \"%s\": this name is reserved", key->noun, name);
    // A state graph makes channels of these names itself.
    if (is_state &&
        (strcmp(name, SS_NAME_START) == 0 ||
            strncmp(name, SS_NAME_BRANCH, strlen(SS_NAME_BRANCH)) == 0 ||
            strncmp(name, "join:", 5) == 0))
        return ss_build_fail(key->build,
            "state key \"%s\" collides with a channel of the graph's own",
            name);
    return SS_OK;
}

static int add_managed(const struct parsed *key, const char *what)
{
    struct ss_graph *graph = key->build->graph;
    enum ss_managed kind;
    if (strcmp(what, "is_last_step") == 0)
        kind = SS_MANAGED_IS_LAST_STEP;
    else if (strcmp(what, "remaining_steps") == 0)
        kind = SS_MANAGED_REMAINING_STEPS;
    else
        return ss_build_fail(key->build,
            "state key \"%s\": there is no managed value \"%s\" "
            "(is_last_step, remaining_steps)",
            key->name, what);
    if (json_object_get(key->json, "channel") ||
        json_object_get(key->json, "reducer"))
        return ss_build_fail(key->build,
            "state key \"%s\" is managed: it has no channel and no reducer",
            key->name);
    if (ss_graph_managed(graph, key->name) ||
        ss_graph_channel(graph, key->name) != SS_NONE)
        return ss_build_fail(
            key->build, "state key \"%s\" is defined twice", key->name);
    if (graph->managed_count >= SS_MANAGED_MAX)
        return ss_error_set(key->build->error, SS_ELIMIT,
            "graph \"%s\": more than %d managed keys", graph->name,
            SS_MANAGED_MAX);
    graph->managed = ss_realloc(
        graph->managed, (graph->managed_count + 1) * sizeof(*graph->managed));
    graph->managed[graph->managed_count++] =
        (struct ss_managed_spec){.name = ss_strdup(key->name), .kind = kind};
    return SS_OK;
}

int ss_build_key(struct ss_build *build, const json_t *json, bool is_state)
{
    struct parsed key = {.build = build,
        .json = json,
        .noun = is_state ? "state key" : "channel",
        .name = ss_json_str(json, is_state ? "key" : "name", "")};
    if (!json_is_object(json) || !*key.name)
        return ss_build_fail(build, "a %s without a name", key.noun);
    int status = check_name(&key, is_state);
    if (status != SS_OK)
        return status;
    const char *managed = ss_json_str(json, "managed", NULL);
    if (managed)
        return add_managed(&key, managed);
    const char *word =
        ss_json_str(json, is_state ? "channel" : "kind", "LastValue");
    enum ss_channel_kind kind = SS_CHANNEL_LAST_VALUE;
    size_t index;
    status = find_kind(&key, word, &kind);
    if (status == SS_OK)
        status = ss_build_channel(build, key.name, kind, &index);
    if (status != SS_OK)
        return status;
    build->graph->channels[index].is_state_key = is_state;
    return parse_options(&key, &build->graph->channels[index]);
}
