// request.c - reads a request by the table of requests.
#include "common/model/request.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/value.h"

enum key_type {
    KEY_TEXT,
    KEY_INT,
    KEY_FLAG,
    KEY_LIST,
    KEY_NAMES,
    KEY_OBJECT,
    KEY_ANY,
};

// A key's bit, and the type that it has.
enum key {
#define X(type, key) KEY_of_##key,
    SS_REQUEST_MAP(X)
#undef X
        KEYS
};

_Static_assert(KEYS <= 64, "a set of keys is one word");

enum {
#define X(type, key) key##_is_##type = 1,
    SS_REQUEST_MAP(X)
#undef X
};

static const struct {
    const char *name;
    enum key_type type;
    size_t at;  // of its member
    size_t has; // and of the flag that says whether it was said
} keys[KEYS] = {
#define X(type, key)                                                           \
    {#key, KEY_##type, offsetof(struct ss_request, key),                       \
        offsetof(struct ss_request, has.key)},
    SS_REQUEST_MAP(X)
#undef X
};

// The keys that an op takes, one bit each. Where requests.def gives a key a
// type that is not its own, this does not compile.
static const uint64_t taken[SS_OPS] = {
#define K(key, type, note)                      | (uint64_t)key##_is_##type << KEY_of_##key
#define O(key, type, note)                      | (uint64_t)key##_is_##type << KEY_of_##key
#define R(OP, op, who, repeat, home, text, its) [SS_OP_##OP] = 0 its,
#include "common/model/requests.def"
#undef R
#undef O
#undef K
};

// Where null is as good as nothing. Elsewhere it says something, and nobody
// knows what: an age of null would be no age, which deletes.
static const uint64_t may_be_null =
    (uint64_t)1 << KEY_of_thread | (uint64_t)1 << KEY_of_run |
    (uint64_t)1 << KEY_of_command | (uint64_t)1 << KEY_of_config |
    (uint64_t)1 << KEY_of_interrupt_before |
    (uint64_t)1 << KEY_of_interrupt_after | (uint64_t)1 << KEY_of_output_keys;

// Of which nothing was said.
#define NOTHING_TEXT(key)
#define NOTHING_INT(key) .key = SS_REQUEST_NO_INT,
#define NOTHING_FLAG(key)
#define NOTHING_LIST(key)
#define NOTHING_NAMES(key)
#define NOTHING_OBJECT(key)
#define NOTHING_ANY(key)
static const struct ss_request nothing_said = {
#define X(type, key) NOTHING_##type(key)
    SS_REQUEST_MAP(X)
#undef X
};

// The least one that there is stands for none.
static json_int_t int_of(const json_t *value)
{
    json_int_t said = json_integer_value(value);
    return said == SS_REQUEST_NO_INT ? SS_REQUEST_NO_INT + 1 : said;
}

// The first of them that is no text; NULL: all are.
static const json_t *no_name(const json_t *list)
{
    size_t i;
    json_t *item;
    json_array_foreach ((json_t *)list, i, item)
        if (!json_is_string(item))
            return item;
    return NULL;
}

static bool is_of(enum key_type type, const json_t *value)
{
    switch (type) {
    case KEY_TEXT:
        return json_is_string(value);
    case KEY_INT:
        return json_is_integer(value);
    case KEY_FLAG:
        return json_is_boolean(value);
    case KEY_LIST:
        return json_is_array(value);
    case KEY_NAMES:
        return json_is_string(value) ||
               (json_is_array(value) && !no_name(value));
    case KEY_OBJECT:
        return json_is_object(value);
    case KEY_ANY:
        return true;
    }
    return false;
}

static void take(struct ss_request *request, size_t key, json_t *value)
{
    void *to = (char *)request + keys[key].at;
    bool is_nothing = json_is_null(value) && (may_be_null >> key & 1);
    *(bool *)((char *)request + keys[key].has) = true;
    if (!request->mistyped && !is_nothing && !is_of(keys[key].type, value))
        request->mistyped = keys[key].name;
    switch (keys[key].type) {
    case KEY_TEXT:
        *(const char **)to = json_string_value(value);
        break;
    case KEY_INT:
        if (json_is_integer(value))
            *(json_int_t *)to = int_of(value);
        break;
    case KEY_FLAG:
        *(bool *)to = json_is_true(value);
        break;
    case KEY_LIST:
    case KEY_NAMES:
    case KEY_OBJECT:
    case KEY_ANY:
        *(json_t **)to = value;
        break;
    }
}

// KEYS: the op takes no such key.
static size_t find(enum ss_op op, const char *name)
{
    for (uint64_t left = taken[op]; left; left &= left - 1) {
        size_t key = (size_t)__builtin_ctzll(left);
        if (keys[key].name[0] == name[0] && strcmp(keys[key].name, name) == 0)
            return key;
    }
    return KEYS;
}

static void read_body(struct ss_request *request)
{
    const char *name;
    json_t *value;
    json_object_foreach (request->body, name, value) {
        size_t key = find(request->op, name);
        if (key < KEYS)
            take(request, key, value);
        else if (!request->unknown)
            request->unknown = ss_strdup(name);
    }
}

struct ss_request *ss_request_new(enum ss_op op, const char *peer, uint64_t id,
    const char *signed_by, json_t *body)
{
    ss_check(op < SS_OPS && json_is_object(body));
    struct ss_request *request = ss_alloc(sizeof(*request));
    *request = nothing_said;
    request->references = 1;
    request->op = op;
    request->peer = ss_strdup(peer);
    request->id = id;
    request->signed_by = ss_strdup(signed_by);
    request->body = json_incref(body);
    read_body(request);
    return request;
}

struct ss_request *ss_request_ref(const struct ss_request *request)
{
    struct ss_request *own = (struct ss_request *)request;
    own->references++;
    return own;
}

void ss_request_unref(const struct ss_request *request)
{
    struct ss_request *own = (struct ss_request *)request;
    if (!own || --own->references > 0)
        return;
    ss_free(own->peer);
    ss_free(own->signed_by);
    ss_free(own->unknown);
    json_decref(own->body);
    ss_free(own);
}

const char *ss_request_name(const struct ss_request *request)
{
    return ss_op_row(request->op)->name;
}

json_int_t ss_request_int(json_int_t said, json_int_t otherwise)
{
    return said == SS_REQUEST_NO_INT ? otherwise : said;
}

// ------------------------------------------------ what is wrong with it

enum { TOLD_SIZE = 60, QUOTED_MAX = 4096 };

static const char *wanted(enum key_type type)
{
    static const char *const words[] = {[KEY_TEXT] = "a text",
        [KEY_INT] = "an integer",
        [KEY_FLAG] = "true or false",
        [KEY_LIST] = "a list",
        [KEY_NAMES] = "a list of texts",
        [KEY_OBJECT] = "an object",
        [KEY_ANY] = "anything"};
    return words[type];
}

// "7" in the place of 7: what was meant is clear, and so is what to do.
static bool is_quoted(enum key_type type, const json_t *value)
{
    struct ss_error ignored;
    json_t *meant = NULL;
    size_t size = json_string_length(value);
    if (size > QUOTED_MAX || ss_json_parse(json_string_value(value), size,
                                 &meant, &ignored) != SS_OK)
        return false;
    bool is = is_of(type, meant);
    json_decref(meant);
    return is;
}

// `the text "five"`, `the number 7.5`, `a list`. Gives.
static char *given(const json_t *value)
{
    if (json_is_string(value)) {
        const char *text = json_string_value(value);
        size_t size = strlen(text);
        bool is_cut = size > TOLD_SIZE;
        size = is_cut ? TOLD_SIZE : size;
        while (is_cut && ((unsigned char)text[size] & 0xc0) == 0x80)
            size--; // a character is whole
        return ss_format(
            "the text \"%.*s%s\"", (int)size, text, is_cut ? "…" : "");
    }
    if (json_is_integer(value))
        return ss_format(
            "the number %lld", (long long)json_integer_value(value));
    if (json_is_real(value))
        return ss_format("the number %g", json_real_value(value));
    return ss_strdup(json_is_array(value)    ? "a list"
                     : json_is_object(value) ? "an object"
                     : json_is_true(value)   ? "true"
                     : json_is_false(value)  ? "false"
                                             : "null");
}

// What to tell whoever sent this under a key of that type. Gives.
static char *mistyped(const char *op, const char *within, const char *key,
    enum key_type type, const json_t *value)
{
    bool has_item = type == KEY_NAMES && json_is_array(value);
    char *it = given(has_item ? no_name(value) : value);
    const char *hint = json_is_null(value) ? ": leave it out"
                       : json_is_string(value) && is_quoted(type, value)
                           ? ": leave out the quotes"
                           : "";
    char *text = ss_format("%s: \"%s%s%.200s\" wants %s, not %s%s%s", op,
        within, *within ? "." : "", key, wanted(type),
        has_item ? "one with " : "", it, hint);
    ss_free(it);
    return text;
}

// Members of what keys hold: of an object, or of each object of a list of
// lists.
static const struct member {
    enum key within;
    const char *name;
    enum key_type type;
} members[] = {
    {KEY_of_command, "update", KEY_ANY},
    {KEY_of_command, "resume", KEY_ANY},
    {KEY_of_command, "goto", KEY_ANY},
    {KEY_of_command, "graph", KEY_ANY},
    {KEY_of_config, "configurable", KEY_OBJECT},
    {KEY_of_config, "metadata", KEY_OBJECT},
    {KEY_of_config, "tags", KEY_NAMES},
    {KEY_of_supersteps, "values", KEY_ANY},
    {KEY_of_supersteps, "as_node", KEY_TEXT},
    {KEY_of_supersteps, "task_id", KEY_TEXT},
};

enum { MEMBERS = sizeof(members) / sizeof(*members) };

static const struct member *find_member(enum key within, const char *name)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (members[i].within == within && strcmp(members[i].name, name) == 0)
            return &members[i];
    return NULL;
}

// Gives.
static char *unknown_member(const char *op, enum key within, const char *name)
{
    char *where = ss_format("%s: %s", op, keys[within].name);
    char *known = ss_strdup(" ");
    for (size_t i = 0; i < MEMBERS; i++) {
        if (members[i].within != within)
            continue;
        char *more = ss_format("%s%s ", known, members[i].name);
        ss_free(known);
        known = more;
    }
    char *text = ss_keys_unknown(where, name, known);
    ss_free(known);
    ss_free(where);
    return text;
}

// A configuration goes to the nodes as it is: it may have other members, too.
static char *wrong_member(const char *op, enum key within, const json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        const struct member *member = find_member(within, name);
        if (!member && within != KEY_of_config)
            return unknown_member(op, within, name);
        if (member && !json_is_null(value) && !is_of(member->type, value))
            return mistyped(op, keys[within].name, name, member->type, value);
    }
    return NULL;
}

static char *wrong_update(const char *op, const json_t *supersteps)
{
    size_t i, k;
    json_t *updates, *update;
    char *wrong = NULL;
    json_array_foreach ((json_t *)supersteps, i, updates)
        json_array_foreach (updates, k, update)
            if (!wrong)
                wrong = wrong_member(op, KEY_of_supersteps, update);
    return wrong;
}

static char *wrong_seen(const char *op, const json_t *seen)
{
    const char *attempt;
    json_t *items;
    json_object_foreach ((json_t *)seen, attempt, items)
        if (!json_is_integer(items))
            return mistyped(op, "seen", attempt, KEY_INT, items);
    return NULL;
}

char *ss_request_fault(const struct ss_request *request)
{
    const char *op = ss_request_name(request);
    if (request->unknown)
        return ss_op_unknown_key(ss_op_row(request->op), request->unknown);
    if (request->mistyped)
        return mistyped(op, "", request->mistyped,
            keys[find(request->op, request->mistyped)].type,
            json_object_get(request->body, request->mistyped));
    char *wrong = wrong_member(op, KEY_of_command, request->command);
    if (!wrong)
        wrong = wrong_member(op, KEY_of_config, request->config);
    if (!wrong)
        wrong = wrong_update(op, request->supersteps);
    return wrong ? wrong : wrong_seen(op, request->seen);
}
