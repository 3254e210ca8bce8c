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

typedef int decode_fn(struct ss_msgpack_reader *reader, json_t **ret_json,
    struct ss_error *error);
typedef int encode_fn(const json_t *json, const struct ss_ext_allowed *allowed,
    struct ss_buf *buf, struct ss_error *error);

static int unexpected(const struct ss_msgpack_item *item, const char *expected,
    struct ss_error *error)
{
    char name[SS_LANGGRAPH_CLASS_MAX];
    ss_ext_class(item, name);
    return ss_error_set(
        error, SS_EFORMAT, "a %s stands where %s should", name, expected);
}

// Decode each item of a list by `decode`.
static int decode_each(struct ss_msgpack_reader *reader, decode_fn *decode,
    const char *expected, json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_item head;
    int status = ss_msgpack_read(reader, &head, error);
    if (status == SS_OK && head.type != SS_MSGPACK_ARRAY)
        status = unexpected(&head, expected, error);
    json_t *list = json_array();
    for (size_t i = 0; status == SS_OK && i < head.count; i++) {
        json_t *item = NULL;
        status = decode(reader, &item, error);
        if (status == SS_OK)
            json_array_append_new(list, item);
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

// Open an extension of one of langgraph's own classes.
static bool open_own(const struct ss_msgpack_item *item, enum ss_ext_code code,
    const char *name, struct ss_ext *ret_ext)
{
    return ss_ext_open(item, ret_ext) &&
           (ss_ext_is(ret_ext, code, TYPES, name) ||
               ss_ext_is(ret_ext, code, "langgraph.constants", name));
}

static void put_text(struct ss_buf *buf, const char *text)
{
    ss_msgpack_str(buf, text, strlen(text));
}

static void begin_own(struct ss_buf *payload, const char *name)
{
    ss_buf_init(payload, SS_LANGGRAPH_VALUE_MAX);
    ss_msgpack_array(payload, 3);
    put_text(payload, TYPES);
    put_text(payload, name);
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

// The fields of the object `item` of a class of langgraph's. Gives.
static int decode_own(const struct ss_msgpack_item *item, const char *name,
    const char *what, json_t **ret_fields, struct ss_error *error)
{
    struct ss_ext ext;
    if (!open_own(item, SS_EXT_FIELDS, name, &ext))
        return unexpected(item, what, error);
    return ss_item_decode(&ext.held, ret_fields, error);
}

// ------------------------------------------------------------------ sends

// A TimeoutPolicy that has only a run timeout, in milliseconds.
static int decode_timeout(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_item item;
    json_t *fields = NULL;
    int status = ss_msgpack_read(reader, &item, error);
    if (status == SS_OK && item.type == SS_MSGPACK_NIL)
        return SS_OK;
    if (status == SS_OK)
        status = decode_own(
            &item, "TimeoutPolicy", "a Send's timeout", &fields, error);
    if (status != SS_OK)
        return status;
    const json_t *run = json_object_get(fields, "run_timeout");
    const json_t *idle = json_object_get(fields, "idle_timeout");
    double ms = ceil(json_number_value(run) * 1000);
    if (json_is_number(run) && (!idle || json_is_null(idle)) && ms >= 1 &&
        ms < 1e15)
        *ret_json = json_integer((json_int_t)ms);
    else
        status = ss_error_set(error, SS_EINVAL,
            "a Send has a timeout that is not a plain run timeout");
    json_decref(fields);
    return status;
}

static int decode_send(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_item item, list, node;
    struct ss_ext ext;
    json_t *arg = NULL, *timeout = NULL, *name = NULL;
    int status = ss_msgpack_read(reader, &item, error);
    if (status != SS_OK)
        return status;
    if (!open_own(&item, SS_EXT_ARGS, "Send", &ext))
        return unexpected(&item, "a Send", error);
    status = ss_msgpack_read(&ext.held, &list, error);
    if (status == SS_OK &&
        (list.type != SS_MSGPACK_ARRAY || list.count < 2 || list.count > 3))
        status = unexpected(&list, "the arguments of a Send", error);
    if (status == SS_OK)
        status = ss_msgpack_read(&ext.held, &node, error);
    if (status == SS_OK) {
        // A name with a NUL is refused: written again it would be another one.
        bool is_name = node.type == SS_MSGPACK_STR &&
                       !(node.size > 0 && memchr(node.bytes, 0, node.size));
        name =
            is_name ? json_stringn((const char *)node.bytes, node.size) : NULL;
        if (!name)
            status = unexpected(&node, "the node of a Send", error);
    }
    if (status == SS_OK)
        status = ss_item_decode(&ext.held, &arg, error);
    if (status == SS_OK && list.count == 3)
        status = decode_timeout(&ext.held, &timeout, error);
    if (status == SS_OK)
        *ret_json = json_pack("{s:{s:O, s:O, s:O*}}", "$send", "node", name,
            "arg", arg, "timeout_ms", timeout);
    json_decref(name);
    json_decref(arg);
    json_decref(timeout);
    return status;
}

static int encode_timeout(
    const json_t *ms, struct ss_buf *buf, struct ss_error *error)
{
    struct ss_buf payload;
    begin_own(&payload, "TimeoutPolicy");
    ss_msgpack_map(&payload, 3);
    put_text(&payload, "run_timeout");
    ss_msgpack_float(&payload, json_number_value(ms) / 1000);
    put_text(&payload, "idle_timeout");
    ss_msgpack_nil(&payload);
    put_text(&payload, "refresh_on");
    put_text(&payload, "auto");
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
    put_text(&payload, json_string_value(node));
    int status = SS_OK;
    if (arg)
        status = ss_item_encode(arg, allowed, &payload, error);
    else
        ss_msgpack_nil(&payload);
    if (status == SS_OK && timeout)
        status = encode_timeout(timeout, &payload, error);
    return end_own(buf, SS_EXT_ARGS, &payload, status, error);
}

static int decode_sends(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    return decode_each(reader, decode_send, "a list of Sends", ret_json, error);
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

static int decode_interrupt(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_item item;
    json_t *fields = NULL;
    int status = ss_msgpack_read(reader, &item, error);
    if (status == SS_OK)
        status = decode_own(&item, "Interrupt", "an Interrupt", &fields, error);
    if (status != SS_OK)
        return status;
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
        status =
            ss_error_set(error, SS_EFORMAT, "an Interrupt without value or id");
    json_decref(fields);
    return status;
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
        put_text(&payload, fields[i]);
        if (value)
            status = ss_item_encode(value, allowed, &payload, error);
        else
            ss_msgpack_nil(&payload);
    }
    return end_own(buf, SS_EXT_FIELDS, &payload, status, error);
}

static int decode_interrupts(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_reader ahead = *reader;
    struct ss_msgpack_item item;
    json_t *one = NULL;
    int status = ss_msgpack_read(&ahead, &item, error);
    if (status == SS_OK && item.type != SS_MSGPACK_EXT)
        return decode_each(
            reader, decode_interrupt, "a list of Interrupts", ret_json, error);
    // before LangGraph 0.3: not in a list
    if (status == SS_OK)
        status = decode_interrupt(reader, &one, error);
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

// A set of names as a sorted list.
static int decode_names(const struct ss_msgpack_item *item, json_t **ret_json,
    struct ss_error *error)
{
    struct ss_ext ext;
    json_t *names = NULL, *name;
    size_t i;
    if (!ss_ext_open(item, &ext) ||
        !ss_ext_is(&ext, SS_EXT_ARG, "builtins", "set"))
        return unexpected(item, "a set of names", error);
    int status = ss_item_decode(&ext.held, &names, error);
    if (status != SS_OK)
        return status;
    bool plain = json_is_array(names);
    json_array_foreach (names, i, name)
        plain = plain && json_is_string(name) &&
                strlen(json_string_value(name)) == json_string_length(name);
    if (!plain) {
        json_decref(names);
        return ss_error_set(
            error, SS_EFORMAT, "a join's set holds what is not a name");
    }
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
    json_decref(names);
    *ret_json = list;
    return SS_OK;
}

static int decode_join(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_item item, finished;
    json_t *names = NULL;
    int status = ss_msgpack_read(reader, &item, error);
    if (status != SS_OK || item.type != SS_MSGPACK_ARRAY)
        return status == SS_OK ? decode_names(&item, ret_json, error) : status;
    if (item.count != 2)
        return unexpected(&item, "a pair of set and finished", error);
    status = ss_msgpack_read(reader, &item, error);
    if (status == SS_OK)
        status = decode_names(&item, &names, error);
    if (status == SS_OK)
        status = ss_msgpack_read(reader, &finished, error);
    if (status == SS_OK && finished.type != SS_MSGPACK_BOOL)
        status = unexpected(&finished, "true or false", error);
    if (status == SS_OK)
        *ret_json = json_pack("[O, b]", names, (int)finished.truth);
    json_decref(names);
    return status;
}

static int encode_names(
    const json_t *names, struct ss_buf *buf, struct ss_error *error)
{
    static const struct ss_ext_allowed nothing;
    struct ss_buf payload;
    ss_buf_init(&payload, SS_LANGGRAPH_VALUE_MAX);
    ss_msgpack_array(&payload, 3);
    put_text(&payload, "builtins");
    put_text(&payload, "set");
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

static int decode_error(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    json_t *what = NULL;
    int status = ss_item_decode(reader, &what, error);
    if (status != SS_OK)
        return status;
    char *class_name = ss_mark_class(what);
    char *text = json_is_string(what) ? ss_strdup(json_string_value(what))
                 : class_name         ? ss_format("a %s", class_name)
                                      : ss_json_text(what);
    ss_free(class_name);
    *ret_json = json_pack(
        "{s:s, s:s}", "code", ss_status_name(SS_ENODE), "message", text);
    ss_free(text);
    json_decref(what);
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

// The value of an extension that has one field; NULL in *ret_json: it is
// another one.
static int decode_inside(const struct ss_msgpack_item *item, bool is_write,
    json_t **ret_json, struct ss_error *error)
{
    struct ss_ext ext;
    json_t *fields = NULL;
    *ret_json = NULL;
    if (!is_write && item->type == SS_MSGPACK_EXT &&
        item->code == SS_EXT_SNAPSHOT)
        return decode_snapshot(item, ret_json, error);
    if (!is_write || !open_own(item, SS_EXT_FIELDS, "Overwrite", &ext))
        return SS_OK;
    int status = ss_item_decode(&ext.held, &fields, error);
    json_t *value = json_object_get(fields, "value");
    if (status == SS_OK && value)
        *ret_json = json_pack("{s:O}", SS_NAME_OVERWRITE, value);
    else if (status == SS_OK)
        status =
            ss_error_set(error, SS_EFORMAT, "an Overwrite without a value");
    json_decref(fields);
    return status;
}

static int decode_plain(struct ss_msgpack_reader *reader, bool is_write,
    json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_reader ahead = *reader;
    struct ss_msgpack_item item;
    json_t *inside = NULL;
    int status = ss_msgpack_read(&ahead, &item, error);
    if (status == SS_OK)
        status = decode_inside(&item, is_write, &inside, error);
    if (status != SS_OK)
        return status;
    if (!inside)
        return ss_item_decode(reader, ret_json, error);
    *reader = ahead;
    *ret_json = inside;
    return SS_OK;
}

static const struct form {
    const char *channel; // or a prefix, with ':' at its end
    bool is_write;
    decode_fn *decode;
    encode_fn *encode;
} forms[] = {
    {SS_NAME_TASKS, false, decode_sends, encode_sends},
    {SS_NAME_TASKS, true, decode_send, encode_send},
    {"join:", false, decode_join, encode_join},
    {SS_NAME_INTERRUPT, true, decode_interrupts, encode_interrupts},
    {SS_NAME_ERROR, true, decode_error, encode_error},
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

int ss_form_decode(const char *channel, bool is_write,
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    const struct form *form = form_of(channel, is_write);
    return form ? form->decode(reader, ret_json, error)
                : decode_plain(reader, is_write, ret_json, error);
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
