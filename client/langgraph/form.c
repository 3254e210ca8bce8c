// form.c - values that the engine looks into, from LangGraph's forms to ours
// and back.
#include "client/langgraph/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/opaque.h"
#include "common/model/reserved.h"
#include "common/model/value.h"

#define TYPES "langgraph.types"

// What ss_item_decode() or ss_revive() made of a value, in the form that the
// engine knows. Gives.
typedef int read_fn(
    const json_t *from, json_t **ret_json, struct ss_error *error);
typedef int encode_fn(const json_t *json, const struct ss_ext_allowed *allowed,
    struct ss_buf *buf, struct ss_error *error);

static int unexpected(
    const json_t *json, const char *expected, struct ss_error *error)
{
    ss_check(json);
    static const char *const plain[] = {[JSON_OBJECT] = "dict",
        [JSON_ARRAY] = "list",
        [JSON_STRING] = "str",
        [JSON_INTEGER] = "int",
        [JSON_REAL] = "float",
        [JSON_TRUE] = "bool",
        [JSON_FALSE] = "bool",
        [JSON_NULL] = "None"};
    char *name = ss_mark_class(json);
    ss_error_set(error, SS_EFORMAT, "a %s stands where %s should",
        name ? name : plain[json_typeof(json)], expected);
    ss_free(name);
    return SS_EFORMAT;
}

// Read each item of a list.
static int read_each(const json_t *from, read_fn *reads, const char *expected,
    json_t **ret_json, struct ss_error *error)
{
    size_t i;
    json_t *item, *list = json_array();
    int status =
        json_is_array(from) ? SS_OK : unexpected(from, expected, error);
    json_array_foreach (from, i, item) {
        json_t *one = NULL;
        if (status == SS_OK)
            status = reads(item, &one, error);
        if (one)
            json_array_append_new(list, one);
    }
    if (status == SS_OK)
        *ret_json = list;
    else
        json_decref(list);
    return status;
}

static int encode_each(const json_t *json, encode_fn *encode,
    const struct ss_ext_allowed *allowed, const char *what, struct ss_buf *buf,
    struct ss_error *error)
{
    size_t i;
    json_t *item;
    if (!json_is_array(json))
        return ss_error_set(error, SS_EFORMAT, "%s are not a list", what);
    ss_msgpack_array(buf, json_array_size(json));
    json_array_foreach (json, i, item) {
        int status = encode(item, allowed, buf, error);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

// What an object of one of langgraph's own classes holds, or NULL. Borrowed.
static json_t *own_arg(
    const json_t *json, enum ss_ext_code code, const char *name)
{
    struct ss_typed typed;
    bool is_own = ss_typed_open(json, &typed) && typed.code == (int)code &&
                  strcmp(typed.name, name) == 0 &&
                  (strcmp(typed.module, TYPES) == 0 ||
                      strcmp(typed.module, "langgraph.constants") == 0);
    return is_own ? typed.arg : NULL;
}

// A name with a NUL is none: written again it would be another one.
static bool is_name(const json_t *json)
{
    return json_is_string(json) &&
           strlen(json_string_value(json)) == json_string_length(json);
}

static void begin_own(struct ss_buf *payload, const char *name)
{
    ss_buf_init(payload, SS_LANGGRAPH_VALUE_MAX);
    ss_msgpack_array(payload, 3);
    ss_msgpack_text(payload, TYPES);
    ss_msgpack_text(payload, name);
}

// Put `payload` behind `buf` as an extension, unless `status` says otherwise.
static int end_own(struct ss_buf *buf, enum ss_ext_code code,
    struct ss_buf *payload, int status, struct ss_error *error)
{
    if (status == SS_OK && payload->status != SS_OK)
        status = ss_error_set(
            error, SS_ELIMIT, "it is larger than %zu bytes", payload->size_max);
    if (status == SS_OK)
        ss_msgpack_ext(buf, (int8_t)code, payload->data, payload->size);
    ss_buf_fini(payload);
    return status;
}

// ------------------------------------------------------------------ sends

// A TimeoutPolicy that has only a run timeout, in milliseconds.
static int read_timeout(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    const json_t *fields = own_arg(from, SS_EXT_FIELDS, "TimeoutPolicy");
    if (!from || json_is_null(from))
        return SS_OK;
    if (!fields)
        return unexpected(from, "a Send's timeout", error);
    const json_t *run = json_object_get(fields, "run_timeout");
    const json_t *idle = json_object_get(fields, "idle_timeout");
    double ms = ceil(json_number_value(run) * 1000);
    if (!json_is_number(run) || (idle && !json_is_null(idle)) || ms < 1 ||
        ms >= 1e15)
        return ss_error_set(error, SS_EINVAL,
            "a Send has a timeout that is not a plain run timeout");
    *ret_json = json_integer((json_int_t)ms);
    return SS_OK;
}

// Python's, once with its arguments and once with its fields, or
// LangGraph.js's.
static int read_send(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    const json_t *args = own_arg(from, SS_EXT_ARGS, "Send");
    const json_t *fields = own_arg(from, SS_EXT_FIELDS, "Send");
    const json_t *script = json_object_get(from, "args") ? from : NULL;
    json_t *timeout = NULL;
    if (!args && !fields && !script)
        return unexpected(from, "a Send", error);
    if (args && (json_array_size(args) < 2 || json_array_size(args) > 3))
        return unexpected(args, "the arguments of a Send", error);
    const json_t *parts = fields ? fields : script;
    json_t *node =
        args ? json_array_get(args, 0) : json_object_get(parts, "node");
    json_t *arg = args ? json_array_get(args, 1)
                       : json_object_get(parts, fields ? "arg" : "args");
    if (!node || !is_name(node) || !arg)
        return unexpected(node ? node : from, "the node of a Send", error);
    int status = read_timeout(
        args ? json_array_get(args, 2) : json_object_get(parts, "timeout"),
        &timeout, error);
    if (status == SS_OK)
        *ret_json = json_pack("{s:{s:O, s:O, s:o*}}", "$send", "node", node,
            "arg", arg, "timeout_ms", timeout);
    return status;
}

static int encode_timeout(
    const json_t *ms, struct ss_buf *buf, struct ss_error *error)
{
    struct ss_buf payload;
    begin_own(&payload, "TimeoutPolicy");
    ss_msgpack_map(&payload, 3);
    ss_msgpack_text(&payload, "run_timeout");
    ss_msgpack_float(&payload, json_number_value(ms) / 1000);
    ss_msgpack_text(&payload, "idle_timeout");
    ss_msgpack_nil(&payload);
    ss_msgpack_text(&payload, "refresh_on");
    ss_msgpack_text(&payload, "auto");
    return end_own(buf, SS_EXT_FIELDS, &payload, SS_OK, error);
}

static int encode_send(const json_t *json, const struct ss_ext_allowed *allowed,
    struct ss_buf *buf, struct ss_error *error)
{
    const json_t *send = json_object_get(json, "$send");
    const json_t *node = json_object_get(send, "node");
    const json_t *arg = json_object_get(send, "arg");
    const json_t *timeout = json_object_get(send, "timeout_ms");
    struct ss_buf payload;
    if (!json_is_string(node))
        return ss_error_set(error, SS_EFORMAT, "what was sent is not a $send");
    begin_own(&payload, "Send");
    ss_msgpack_array(&payload, timeout ? 3 : 2);
    ss_msgpack_text(&payload, json_string_value(node));
    int status = SS_OK;
    if (arg)
        status = ss_item_encode(arg, allowed, &payload, error);
    else
        ss_msgpack_nil(&payload);
    if (status == SS_OK && timeout)
        status = encode_timeout(timeout, &payload, error);
    return end_own(buf, SS_EXT_ARGS, &payload, status, error);
}

static int read_sends(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    return read_each(from, read_send, "a list of Sends", ret_json, error);
}

static int encode_sends(const json_t *json,
    const struct ss_ext_allowed *allowed, struct ss_buf *buf,
    struct ss_error *error)
{
    return encode_each(json, encode_send, allowed, "what was sent", buf, error);
}

// ------------------------------------------------------------------ interrupts

// Before LangGraph 0.6 a list of names stood for the id (migrate.h); if there
// was none, LangGraph says this.
static json_t *old_question(json_t *value, const json_t *ns)
{
    struct ss_buf text;
    size_t i;
    json_t *name;
    ss_buf_init(&text, SIZE_MAX / 8);
    json_array_foreach (ns, i, name) {
        const char *one = json_string_value(name);
        ss_buf_add_str(&text, i > 0 ? "|" : "");
        ss_buf_add_str(&text, one ? one : "");
    }
    json_t *question = json_pack("{s:O, s:s, s:s*}", "value", value, "id",
        "placeholder-id", "ns", json_is_array(ns) ? ss_buf_str(&text) : NULL);
    ss_buf_fini(&text);
    return question;
}

static int read_interrupt(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    const json_t *fields = own_arg(from, SS_EXT_FIELDS, "Interrupt");
    if (!fields && json_object_get(from, "value"))
        fields = from; // LangGraph.js's
    if (!fields)
        return unexpected(from, "an Interrupt", error);
    json_t *value = json_object_get(fields, "value");
    json_t *id = json_object_get(fields, "id");
    json_t *ns = json_object_get(fields, "ns");
    json_t *schema = json_object_get(fields, "response_schema");
    if (value && json_is_string(id))
        *ret_json = json_pack("{s:O, s:O, s:O*}", "value", value, "id", id,
            "response_schema", json_is_null(schema) ? NULL : schema);
    else if (value && ns)
        *ret_json = old_question(value, ns);
    else
        return ss_error_set(
            error, SS_EFORMAT, "an Interrupt without value or id");
    return SS_OK;
}

static int encode_interrupt(const json_t *json,
    const struct ss_ext_allowed *allowed, struct ss_buf *buf,
    struct ss_error *error)
{
    static const char *const fields[] = {"value", "id", "response_schema"};
    struct ss_buf payload;
    int status = SS_OK;
    begin_own(&payload, "Interrupt");
    ss_msgpack_map(&payload, 3);
    for (size_t i = 0; i < 3 && status == SS_OK; i++) {
        const json_t *value = json_object_get(json, fields[i]);
        ss_msgpack_text(&payload, fields[i]);
        if (value)
            status = ss_item_encode(value, allowed, &payload, error);
        else
            ss_msgpack_nil(&payload);
    }
    return end_own(buf, SS_EXT_FIELDS, &payload, status, error);
}

// Before LangGraph 0.3: not in a list.
static int read_interrupts(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    json_t *one = NULL;
    if (json_is_array(from))
        return read_each(
            from, read_interrupt, "a list of Interrupts", ret_json, error);
    int status = read_interrupt(from, &one, error);
    if (status == SS_OK)
        *ret_json = json_pack("[o]", one);
    return status;
}

static int encode_interrupts(const json_t *json,
    const struct ss_ext_allowed *allowed, struct ss_buf *buf,
    struct ss_error *error)
{
    return encode_each(
        json, encode_interrupt, allowed, "questions", buf, error);
}

// ------------------------------------------------------------------ joins

static int by_text(const void *a, const void *b)
{
    const json_t *const *left = a, *const *right = b;
    return strcmp(json_string_value(*left), json_string_value(*right));
}

// A set of names as a sorted list; LangGraph.js has a list of them.
static int read_names(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    struct ss_typed typed;
    const json_t *names = from;
    json_t *name;
    size_t i;
    if (ss_typed_open(from, &typed) && typed.code == SS_EXT_ARG &&
        strcmp(typed.module, "builtins") == 0 && strcmp(typed.name, "set") == 0)
        names = typed.arg;
    if (!json_is_array(names))
        return unexpected(from, "a set of names", error);
    bool plain = true;
    json_array_foreach (names, i, name)
        plain = plain && is_name(name);
    if (!plain)
        return ss_error_set(
            error, SS_EFORMAT, "a join's set holds what is not a name");
    size_t count = json_array_size(names);
    json_t **sorted = ss_zalloc(count + 1, sizeof(json_t *));
    for (i = 0; i < count; i++)
        sorted[i] = json_array_get(names, i);
    if (count > 1)
        qsort(sorted, count, sizeof(json_t *), by_text);
    json_t *list = json_array();
    for (i = 0; i < count; i++)
        json_array_append(list, sorted[i]);
    ss_free(sorted);
    *ret_json = list;
    return SS_OK;
}

static int read_join(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    json_t *finished = json_array_get(from, 1), *names = NULL;
    bool is_pair = json_array_size(from) == 2 && json_is_boolean(finished);
    if (!is_pair)
        return read_names(from, ret_json, error);
    int status = read_names(json_array_get(from, 0), &names, error);
    if (status == SS_OK)
        *ret_json = json_pack("[o, O]", names, finished);
    return status;
}

static int encode_names(
    const json_t *names, struct ss_buf *buf, struct ss_error *error)
{
    static const struct ss_ext_allowed nothing;
    struct ss_buf payload;
    ss_buf_init(&payload, SS_LANGGRAPH_VALUE_MAX);
    ss_msgpack_array(&payload, 3);
    ss_msgpack_text(&payload, "builtins");
    ss_msgpack_text(&payload, "set");
    int status = ss_item_encode(names, &nothing, &payload, error);
    return end_own(buf, SS_EXT_ARG, &payload, status, error);
}

static int encode_join(const json_t *json, const struct ss_ext_allowed *allowed,
    struct ss_buf *buf, struct ss_error *error)
{
    const json_t *names = json_array_get(json, 0);
    (void)allowed;
    if (!json_is_array(names))
        return encode_names(json, buf, error);
    ss_msgpack_array(buf, 2);
    int status = encode_names(names, buf, error);
    ss_msgpack_bool(buf, json_is_true(json_array_get(json, 1)));
    return status;
}

// ------------------------------------------------------------------ others

// Its text; LangGraph.js keeps its name and its message.
static int read_error(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    (void)error;
    const char *name = ss_json_str(from, "name", NULL);
    const char *message = ss_json_str(from, "message", NULL);
    char *class_name = ss_mark_class(from);
    char *text = json_is_string(from) ? ss_strdup(json_string_value(from))
                 : class_name         ? ss_format("a %s", class_name)
                 : name && message    ? ss_format("%s: %s", name, message)
                                      : ss_json_text(from);
    *ret_json = json_pack(
        "{s:s, s:s}", "code", ss_status_name(SS_ENODE), "message", text);
    ss_free(class_name);
    ss_free(text);
    return SS_OK;
}

static int encode_error(const json_t *json,
    const struct ss_ext_allowed *allowed, struct ss_buf *buf,
    struct ss_error *error)
{
    const json_t *message = json_object_get(json, "message");
    return ss_item_encode(
        json_is_string(message) ? message : json, allowed, buf, error);
}

// One value, and nothing behind it.
static int decode_snapshot(const struct ss_msgpack_item *item,
    json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_reader inside;
    json_t *value = NULL;
    ss_msgpack_init(&inside, item->bytes, item->size);
    int status = ss_item_decode(&inside, &value, error);
    if (status == SS_OK)
        status = ss_msgpack_end(&inside, error);
    if (status == SS_OK)
        *ret_json = value;
    else
        json_decref(value);
    return status;
}

// A snapshot of a delta channel holds the value.
static int decode_value(struct ss_msgpack_reader *reader, bool is_write,
    json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_reader ahead = *reader;
    struct ss_msgpack_item item;
    int status = ss_msgpack_read(&ahead, &item, error);
    if (status != SS_OK || is_write || item.type != SS_MSGPACK_EXT ||
        item.code != SS_EXT_SNAPSHOT)
        return status == SS_OK ? ss_item_decode(reader, ret_json, error)
                               : status;
    *reader = ahead;
    return decode_snapshot(&item, ret_json, error);
}

static int read_written(
    const json_t *from, json_t **ret_json, struct ss_error *error)
{
    const json_t *fields = own_arg(from, SS_EXT_FIELDS, "Overwrite");
    if (!fields &&
        strcmp(ss_json_str(from, "type", ""), SS_NAME_OVERWRITE) == 0)
        fields = from; // LangGraph.js's
    json_t *value = json_object_get(fields, "value");
    if (fields && !value)
        return ss_error_set(error, SS_EFORMAT, "an Overwrite without a value");
    *ret_json = value ? json_pack("{s:O}", SS_NAME_OVERWRITE, value)
                      : json_incref((json_t *)from);
    return SS_OK;
}

static const struct form {
    const char *channel; // or a prefix, with ':' at its end
    bool is_write;
    read_fn *reads;
    encode_fn *encode;
} forms[] = {
    {SS_NAME_TASKS, false, read_sends, encode_sends},
    {SS_NAME_TASKS, true, read_send, encode_send},
    {"join:", false, read_join, encode_join},
    {SS_NAME_INTERRUPT, true, read_interrupts, encode_interrupts},
    {SS_NAME_ERROR, true, read_error, encode_error},
};

static const struct form *form_of(const char *channel, bool is_write)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        size_t size = strlen(forms[i].channel);
        bool is_prefix = forms[i].channel[size - 1] == ':';
        if (forms[i].is_write == is_write &&
            (is_prefix ? strncmp(forms[i].channel, channel, size) == 0
                       : strcmp(forms[i].channel, channel) == 0))
            return &forms[i];
    }
    return NULL;
}

bool ss_form_is_known(const char *channel, bool is_write)
{
    return form_of(channel, is_write) != NULL;
}

int ss_form_read(const char *channel, bool is_write, json_t *from,
    json_t **ret_json, struct ss_error *error)
{
    const struct form *form = form_of(channel, is_write);
    int status = form       ? form->reads(from, ret_json, error)
                 : is_write ? read_written(from, ret_json, error)
                            : SS_OK;
    if (!form && !is_write)
        *ret_json = json_incref(from);
    json_decref(from);
    return status;
}

int ss_form_decode(const char *channel, bool is_write,
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    json_t *from = NULL;
    int status = decode_value(
        reader, is_write || ss_form_is_known(channel, is_write), &from, error);
    return status == SS_OK
               ? ss_form_read(channel, is_write, from, ret_json, error)
               : status;
}

int ss_form_encode(const char *channel, bool is_write, const json_t *json,
    const struct ss_ext_allowed *allowed, struct ss_buf *buf,
    struct ss_error *error)
{
    const struct form *form = form_of(channel, is_write);
    int status = form ? form->encode(json, allowed, buf, error)
                      : ss_item_encode(json, allowed, buf, error);
    if (status == SS_OK && buf->status != SS_OK)
        status = ss_error_set(error, SS_ELIMIT,
            "a value takes more than %zu bytes", buf->size_max);
    return status;
}
