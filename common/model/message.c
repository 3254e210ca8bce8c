// message.c - anything that stands for a message, in any of its forms, becomes
// one (spec/graph.md 3, 2): {type, content, id, ...}.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/compare.h"
#include "common/model/opaque.h"
#include "common/model/reducer.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

enum role { HUMAN, AI, SYSTEM, FUNCTION, TOOL, REMOVE, ROLES_COUNT };

static const char *const types[ROLES_COUNT] = {
    "human", "ai", "system", "function", "tool", "remove"};

static const struct {
    const char *word;
    enum role role;
} roles[] = {{"human", HUMAN}, {"user", HUMAN}, {"ai", AI}, {"assistant", AI},
    {"system", SYSTEM}, {"developer", SYSTEM}, {"function", FUNCTION},
    {"tool", TOOL}, {"remove", REMOVE}};
enum { WORDS_COUNT = sizeof(roles) / sizeof(*roles) };

// A message that is being made; json is what was given, as a map.
struct draft {
    const json_t *json;
    const json_t *shown; // what errors show, if not json
    json_t *message;
    json_t *more; // additional_kwargs
    enum role role;
    struct ss_error *error;
};

static int fail(struct draft *draft, const char *what)
{
    char *text = ss_json_text(draft->shown ? draft->shown : draft->json);
    int status =
        ss_error_set(draft->error, SS_EINVAL, "message %.200s: %s", text, what);
    ss_free(text);
    return status;
}

static int find_role(struct draft *draft, const char *word)
{
    struct ss_hint hint;
    for (size_t i = 0; i < WORDS_COUNT; i++) {
        if (strcmp(roles[i].word, word) == 0) {
            draft->role = roles[i].role;
            return SS_OK;
        }
    }
    ss_hint_init(&hint, word);
    for (size_t i = 0; i < WORDS_COUNT; i++)
        ss_hint_offer(&hint, roles[i].word);
    char *what =
        ss_format("there is no role \"%s\".%s", word, ss_hint_text(&hint));
    int status = fail(draft, what);
    ss_free(what);
    return status;
}

// What Python's str() makes of a value that is not a text. Gives.
static json_t *text_of(json_t *json)
{
    if (json_is_string(json))
        return json_incref(json);
    if (json_is_null(json))
        return json_string("None");
    if (json_is_boolean(json))
        return json_string(json_is_true(json) ? "True" : "False");
    char *text = ss_json_text(json);
    json_t *made = json_string(text);
    ss_free(text);
    return made;
}

static bool is_block(const json_t *json)
{
    return json_is_string(json) || json_is_object(json);
}

// Text, or a list of texts and maps; a tool's may be anything that has a text.
static int set_content(struct draft *draft, json_t *content)
{
    bool is_list = json_is_array(content);
    if (draft->role == REMOVE) {
        json_object_set_new_nocheck(draft->message, "content", json_string(""));
        return SS_OK;
    }
    if (!is_list && !json_is_string(content)) {
        if (draft->role != TOOL)
            return fail(draft, "its content must be a text or a list");
        json_object_set_new_nocheck(
            draft->message, "content", text_of(content));
        return SS_OK;
    }
    json_t *made = NULL;
    for (size_t i = 0; is_list && i < json_array_size(content); i++) {
        json_t *block = json_array_get(content, i);
        if (is_block(block))
            continue;
        if (draft->role != TOOL) {
            json_decref(made);
            return fail(draft, "a list of content holds texts and maps");
        }
        if (!made)
            made = json_copy(content);
        json_array_set_new(made, i, text_of(block));
    }
    json_object_set_new_nocheck(
        draft->message, "content", made ? made : json_incref(content));
    return SS_OK;
}

static int set_id(struct draft *draft, json_t *id)
{
    if (!id || json_is_null(id)) {
        if (draft->role == REMOVE)
            return fail(draft, "a removal needs the id of whom it removes");
        json_object_set_new_nocheck(draft->message, "id", json_null());
        return SS_OK;
    }
    if (!json_is_string(id) && !json_is_number(id))
        return fail(draft, "its id must be a text or a number");
    json_object_set_new_nocheck(draft->message, "id", text_of(id));
    return SS_OK;
}

static int set_name(struct draft *draft, json_t *name)
{
    bool is_given = name && !json_is_null(name);
    if (is_given && !json_is_string(name))
        return fail(draft, "its name must be a text");
    if (!is_given && draft->role == FUNCTION)
        return fail(draft, "a function's message needs a name");
    if (is_given && json_string_length(name) > 0)
        json_object_set_nocheck(draft->message, "name", name);
    return SS_OK;
}

// {"id", "function": {"name", "arguments": text or map}}: the vendor's form.
static int open_function(struct draft *draft, const json_t *call,
    json_t **ret_name, json_t **ret_args)
{
    const json_t *function = json_object_get(call, "function");
    json_t *args = json_object_get(function, "arguments");
    *ret_name = json_object_get(function, "name");
    *ret_args = NULL;
    if (!*ret_name || !args)
        return fail(draft, "a call's function needs name and arguments");
    if (!json_is_string(args)) {
        *ret_args = json_incref(args);
        return SS_OK;
    }
    struct ss_error error;
    int status = ss_json_parse(
        json_string_value(args), json_string_length(args), ret_args, &error);
    if (status != SS_OK)
        return fail(draft, "the arguments of a call are not JSON");
    return SS_OK;
}

static int check_call(
    struct draft *draft, const json_t *name, const json_t *args, json_t *call)
{
    const json_t *id = json_object_get(call, "id");
    if (!json_is_string(name))
        return fail(draft, "a call needs a name");
    if (!json_is_object(args))
        return fail(draft, "a call's args must be a map");
    if (!id || !(json_is_null(id) || json_is_string(id)))
        return fail(draft, "a call needs an id, a text or null");
    if (json_object_get(call, "function"))
        return SS_OK;
    for (void *at = json_object_iter(call); at;
         at = json_object_iter_next(call, at)) {
        const char *key = json_object_iter_key(at);
        if (strcmp(key, "name") != 0 && strcmp(key, "args") != 0 &&
            strcmp(key, "id") != 0 && strcmp(key, "type") != 0)
            return fail(draft, "a call has name, args, id and nothing else");
    }
    return SS_OK;
}

static json_t *call_of(json_t *name, json_t *args, json_t *id)
{
    json_t *call = json_object();
    json_object_set_nocheck(call, "name", name);
    json_object_set_nocheck(call, "args", args);
    json_object_set_nocheck(call, "id", id);
    json_object_set_new_nocheck(call, "type", json_string("tool_call"));
    return call;
}

// Only the calls of an assistant's message are checked; other messages keep
// theirs as they are.
static int add_call(struct draft *draft, json_t *call, json_t *calls)
{
    json_t *name = json_object_get(call, "name");
    json_t *args = json_incref(json_object_get(call, "args"));
    bool is_function = json_object_get(call, "function") != NULL;
    int status = SS_OK;
    if (!json_is_object(call)) {
        status = fail(draft, "a call must be a map");
    } else if (is_function) {
        json_decref(args);
        status = open_function(draft, call, &name, &args);
    }
    if (status == SS_OK && draft->role != AI && !is_function)
        json_array_append(calls, call);
    else if (status == SS_OK &&
             (status = check_call(draft, name, args, call)) == SS_OK)
        json_array_append_new(
            calls, call_of(name, args, json_object_get(call, "id")));
    json_decref(args);
    return status;
}

static int set_calls(struct draft *draft, json_t *given)
{
    if (!given || json_is_null(given))
        return SS_OK;
    if (!json_is_array(given))
        return fail(draft, "its tool_calls must be a list");
    json_t *calls = json_array();
    int status = SS_OK;
    for (size_t i = 0; i < json_array_size(given) && status == SS_OK; i++)
        status = add_call(draft, json_array_get(given, i), calls);
    if (status == SS_OK && json_array_size(calls) > 0)
        json_object_set_nocheck(draft->message, "tool_calls", calls);
    json_decref(calls);
    return status;
}

static int set_tool(struct draft *draft, json_t *call_id)
{
    bool is_given = call_id && !json_is_null(call_id);
    bool is_empty = json_is_string(call_id) && json_string_length(call_id) == 0;
    if (is_given && !is_empty)
        json_object_set_new_nocheck(draft->message, "tool_call_id",
            draft->role == TOOL ? text_of(call_id) : json_incref(call_id));
    if (draft->role != TOOL)
        return SS_OK;
    if (!is_given)
        return fail(draft, "a tool's message needs its tool_call_id");
    json_t *artifact = json_object_get(draft->more, "artifact");
    if (artifact && (ss_json_truthy(artifact) || ss_is_number(artifact)))
        json_object_set_nocheck(draft->message, "artifact", artifact);
    json_t *status = json_object_get(draft->more, "status");
    if (status && !json_is_null(status)) {
        const char *word = json_string_value(status);
        if (!word ||
            (strcmp(word, "success") != 0 && strcmp(word, "error") != 0))
            return fail(draft, "a status is \"success\" or \"error\"");
        if (strcmp(word, "error") == 0)
            json_object_set_nocheck(draft->message, "status", status);
    }
    json_object_del(draft->more, "artifact");
    json_object_del(draft->more, "status");
    return SS_OK;
}

// Collect all keys without a meaning of their own; those of additional_kwargs
// come before them.
static int collect_more(struct draft *draft)
{
    static const char *const known[] = {"content", "name", "tool_call_id",
        "tool_calls", "id", "response_metadata", "additional_kwargs", NULL};
    json_t *json = (json_t *)draft->json;
    bool has_role = json_object_get(json, "role") != NULL;
    for (void *at = json_object_iter(json); at;
         at = json_object_iter_next(json, at)) {
        const char *key = json_object_iter_key(at);
        bool is_known = strcmp(key, has_role ? "role" : "type") == 0;
        for (size_t i = 0; known[i] && !is_known; i++)
            is_known = strcmp(key, known[i]) == 0;
        if (!is_known)
            json_object_set(draft->more, key, json_object_iter_value(at));
    }
    json_t *given = json_object_get(json, "additional_kwargs");
    if (!given)
        return SS_OK;
    if (!json_is_object(given))
        return fail(draft, "its additional_kwargs must be a map");
    json_object_update(draft->more, given);
    return SS_OK;
}

static int set_rest(struct draft *draft, const char *word)
{
    json_t *metadata = json_object_get(draft->json, "response_metadata");
    if (metadata && ss_json_truthy(metadata)) {
        if (!json_is_object(metadata))
            return fail(draft, "its response_metadata must be a map");
        json_object_set_nocheck(draft->message, "response_metadata", metadata);
    }
    if (strcmp(word, "developer") == 0)
        json_object_set_new(
            draft->more, "__openai_role__", json_string("developer"));
    if (json_object_size(draft->more) > 0)
        json_object_set_nocheck(
            draft->message, "additional_kwargs", draft->more);
    return SS_OK;
}

static int fill(struct draft *draft, const char *word, json_t *content)
{
    const json_t *json = draft->json;
    int status = find_role(draft, word);
    if (status != SS_OK)
        return status;
    json_object_set_new_nocheck(
        draft->message, "type", json_string(types[draft->role]));
    status = set_content(draft, content);
    if (status == SS_OK)
        status = set_id(draft, json_object_get(json, "id"));
    if (status == SS_OK)
        status = set_name(draft, json_object_get(json, "name"));
    if (status == SS_OK)
        status = collect_more(draft);
    if (status == SS_OK)
        status = set_calls(draft, json_object_get(json, "tool_calls"));
    if (status == SS_OK)
        status = set_tool(draft, json_object_get(json, "tool_call_id"));
    if (status == SS_OK)
        status = set_rest(draft, word);
    return status;
}

// A message from `map` (NULL: from role and content alone).
static int make(json_t *map, json_t *shown, const char *word, json_t *content,
    json_t **ret_message, struct ss_error *error)
{
    json_t *json = map ? json_incref(map) : json_object();
    struct draft draft = {.json = json,
        .shown = shown,
        .message = json_object(),
        .more = json_object(),
        .error = error};
    int status = fill(&draft, word, content);
    json_decref(draft.more);
    json_decref(json);
    if (status == SS_OK)
        *ret_message = draft.message;
    else
        json_decref(draft.message);
    return status;
}

static int from_map(json_t *map, json_t **ret_message, struct ss_error *error)
{
    struct draft draft = {.json = map, .error = error};
    json_t *role = json_object_get(map, "role");
    json_t *content = json_object_get(map, "content");
    if (!role)
        role = json_object_get(map, "type");
    if (!json_is_string(role))
        return fail(&draft, "it needs a role");
    if (!content)
        return fail(&draft, "it needs a content");
    json_t *text =
        ss_json_truthy(content) ? json_incref(content) : json_string("");
    int status =
        make(map, map, json_string_value(role), text, ret_message, error);
    json_decref(text);
    return status;
}

static int from_pair(json_t *pair, json_t **ret_message, struct ss_error *error)
{
    struct draft draft = {.json = pair, .error = error};
    json_t *content = json_array_get(pair, 1);
    const char *role = json_string_value(json_array_get(pair, 0));
    if (json_array_size(pair) != 2 || !role)
        return fail(&draft, "a list must be a pair [role, content]");
    if (json_is_null(content))
        return fail(&draft, "the content of a pair must not be null");
    return make(NULL, pair, role, content, ret_message, error);
}

// {"lc": 1, "type": "constructor", "id": [..., class], "kwargs": {...}}
static int from_constructor(
    json_t *map, bool *ret_is_one, json_t **ret_message, struct ss_error *error)
{
    static const char *const classes[ROLES_COUNT] = {"HumanMessage",
        "AIMessage", "SystemMessage", "FunctionMessage", "ToolMessage",
        "RemoveMessage"};
    json_t *path = json_object_get(map, "id");
    json_t *kwargs = json_object_get(map, "kwargs");
    const char *name =
        json_string_value(json_array_get(path, json_array_size(path) - 1));
    *ret_is_one = ss_json_int(map, "lc", 0) == 1 && name &&
                  json_is_object(kwargs) &&
                  strcmp(ss_json_str(map, "type", ""), "constructor") == 0;
    if (!*ret_is_one)
        return SS_OK;
    for (int i = 0; i < ROLES_COUNT; i++) {
        size_t size = strlen(classes[i]);
        if (strncmp(name, classes[i], size) != 0 ||
            (name[size] && strcmp(name + size, "Chunk") != 0))
            continue;
        json_t *plain = json_copy(kwargs);
        json_object_set_new(plain, "role", json_string(types[i]));
        json_object_del(plain, "type");
        int status = from_map(plain, ret_message, error);
        json_decref(plain);
        return status;
    }
    struct draft draft = {.json = map, .error = error};
    return fail(&draft, "its class is not that of a message");
}

int ss_message_coerce(
    json_t *like, json_t **ret_message, struct ss_error *error)
{
    if (json_is_string(like))
        return make(NULL, like, "human", like, ret_message, error);
    if (json_is_array(like))
        return from_pair(like, ret_message, error);
    if (json_is_object(like)) {
        bool is_one;
        if (ss_opaque_refuse(like, "a message", error) != SS_OK)
            return SS_EINVAL;
        int status = from_constructor(like, &is_one, ret_message, error);
        return is_one ? status : from_map(like, ret_message, error);
    }
    struct draft draft = {.json = like, .error = error};
    return fail(&draft, "a message is a map, a text or a pair");
}

// Is this what ss_message_coerce() makes, with an id? Then it need not be made
// again: a long conversation is walked with every fold.
bool ss_message_is_whole(const json_t *json)
{
    static const char *const known[] = {"type", "content", "id", "name",
        "tool_calls", "tool_call_id", "artifact", "status", "additional_kwargs",
        "response_metadata", "usage_metadata", "invalid_tool_calls", NULL};
    const char *type = ss_json_str(json, "type", NULL);
    const json_t *content = json_object_get(json, "content");
    bool is_type = false;
    for (int i = 0; type && i < ROLES_COUNT && !is_type; i++)
        is_type = strcmp(type, types[i]) == 0;
    if (!is_type || !json_is_string(json_object_get(json, "id")) ||
        !(json_is_string(content) || json_is_array(content)))
        return false;
    size_t counted = 0;
    for (size_t i = 0; known[i]; i++)
        counted += json_object_get(json, known[i]) != NULL;
    if (counted != json_object_size(json))
        return false;
    const json_t *calls = json_object_get(json, "tool_calls");
    for (size_t i = 0; i < json_array_size(calls); i++)
        if (strcmp(ss_json_str(json_array_get(calls, i), "type", ""),
                "tool_call") != 0)
            return false;
    return !calls || json_array_size(calls) > 0;
}
