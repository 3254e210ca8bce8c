// request.c - reads a request by the table of requests.
#include "common/model/request.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum key_type {
    KEY_TEXT,
    KEY_INT,
    KEY_FLAG,
    KEY_LIST,
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

// Of which nothing was said.
#define NOTHING_TEXT(key)
#define NOTHING_INT(key) .key = SS_REQUEST_NO_INT,
#define NOTHING_FLAG(key)
#define NOTHING_LIST(key)
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

static void take(struct ss_request *request, size_t key, json_t *value)
{
    void *to = (char *)request + keys[key].at;
    *(bool *)((char *)request + keys[key].has) = true;
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
