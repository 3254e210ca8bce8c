// form_test.c - values as LangGraph's own serializer stores them, both ways.
#include "client/langgraph/form.h"

#include "common/base/base64.h"
#include "common/model/opaque.h"
#include "tests/unit/langgraph/bytes.h"

static const char *const everything[] = {"*"};
static const struct ss_ext_allowed all = {.classes = everything, .count = 1};
static const struct ss_ext_allowed safe;

static json_t *decode(
    const char *channel, bool is_write, const char *tag, const char *hex)
{
    size_t size;
    json_t *json = NULL;
    struct ss_error error;
    uint8_t *bytes = bytes_of(hex, &size);
    int status =
        ss_typed_decode(channel, is_write, tag, bytes, size, &json, &error);
    if (status != SS_OK)
        ck_abort_msg("%s %s: %s", channel, hex, error.message);
    ss_free(bytes);
    return json;
}

// Takes `json`.
static void expect_encoded(const char *channel, bool is_write, json_t *json,
    const char *tag, const char *hex)
{
    char *made = NULL;
    struct ss_buf buf;
    struct ss_error error;
    ss_buf_init(&buf, 1 << 20);
    int status =
        ss_typed_encode(channel, is_write, json, &all, &made, &buf, &error);
    if (status != SS_OK)
        ck_abort_msg("%s: %s", hex, error.message);
    ck_assert_str_eq(made, tag);
    char *is = hex_of(ss_buf_str(&buf), buf.size);
    ck_assert_str_eq(is, hex);
    ss_free(is);
    ss_free(made);
    ss_buf_fini(&buf);
    json_decref(json);
}

static void refuse_decode(const char *channel, bool is_write, const char *tag,
    const char *hex, const char *words)
{
    size_t size;
    json_t *json = NULL;
    struct ss_error error = {0};
    uint8_t *bytes = bytes_of(hex, &size);
    ck_assert_int_ne(
        ss_typed_decode(channel, is_write, tag, bytes, size, &json, &error),
        SS_OK);
    ck_assert_ptr_null(json);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
    ss_free(bytes);
}

// Takes `json`.
static void refuse_encode(const char *channel, bool is_write, json_t *json,
    int expected, const char *words)
{
    char *tag = NULL;
    struct ss_buf buf;
    struct ss_error error = {0};
    ss_buf_init(&buf, 1 << 20);
    int status =
        ss_typed_encode(channel, is_write, json, &safe, &tag, &buf, &error);
    ck_assert_int_eq(status, expected);
    ck_assert_ptr_null(tag);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
    ss_buf_fini(&buf);
    json_decref(json);
}

static const char *hex_of_vector(const char *name)
{
    for (size_t i = 0; i < VECTORS_COUNT; i++)
        if (strcmp(vectors[i].name, name) == 0)
            return vectors[i].hex;
    ck_abort_msg("no vector %s", name);
}

static void expect_read(const struct vector *v)
{
    json_t *json = decode(v->channel, v->is_write, v->tag, v->hex);
    if (v->json[0] == '=') {
        const char *name = ss_opaque_class(json);
        ck_assert_str_eq(name ? name : "(no mark)", v->json + 1);
        json_decref(json);
        return;
    }
    json_t *wanted = NULL;
    ck_assert_int_eq(
        ss_json_parse(v->json, strlen(v->json), &wanted, NULL), SS_OK);
    char *is = ss_json_text(json), *should = ss_json_text(wanted);
    if (!json_equal(json, wanted))
        ck_abort_msg("%s: %s instead of %s", v->name, is, should);
    ss_free(is);
    ss_free(should);
    json_decref(wanted);
    json_decref(json);
}

START_TEST(what_langgraph_stored_reads_as_it_should)
{
    for (size_t i = 0; i < VECTORS_COUNT; i++)
        expect_read(&vectors[i]);
}
END_TEST

// Messages lose the fields that Python fills in, an Overwrite its class.
static bool is_changed(const char *name)
{
    static const char *const changed[] = {
        "human", "ai", "system", "tool", "removal", "overwrite", NULL};
    for (size_t i = 0; changed[i]; i++)
        if (strcmp(changed[i], name) == 0)
            return true;
    return false;
}

START_TEST(what_langgraph_stored_is_written_again_byte_for_byte)
{
    for (size_t i = 0; i < VECTORS_COUNT; i++) {
        const struct vector *v = &vectors[i];
        json_t *json = decode(v->channel, v->is_write, v->tag, v->hex);
        if (is_changed(v->name) || strcmp(v->name, "join") == 0)
            json_decref(json); // a set has no order
        else
            expect_encoded(v->channel, v->is_write, json, v->tag, v->hex);
    }
}
END_TEST

START_TEST(a_message_is_written_with_the_fields_that_are_set)
{
    expect_encoded("x", false,
        js("{'content': 'hi', 'type': 'human', 'id': 'm1'}"), "msgpack",
        "c75d0594bd6c616e67636861696e5f636f72652e6d657373616765732e68756d616e"
        "ac48756d616e4d65737361676583a7636f6e74656e74a26869a474797065a568756d"
        "616ea26964a26d31b36d6f64656c5f76616c69646174655f6a736f6e");
    for (size_t i = 0; i < VECTORS_COUNT; i++) {
        const struct vector *v = &vectors[i];
        if (!is_changed(v->name))
            continue;
        char *tag = NULL;
        struct ss_buf buf;
        ss_buf_init(&buf, 1 << 20);
        json_t *once = decode(v->channel, v->is_write, v->tag, v->hex);
        ck_assert_int_eq(ss_typed_encode(v->channel, v->is_write, once, &safe,
                             &tag, &buf, NULL),
            SS_OK);
        char *hex = hex_of(buf.data, buf.size);
        json_t *again = decode(v->channel, v->is_write, tag, hex);
        ck_assert(json_equal(once, again));
        json_decref(once);
        json_decref(again);
        ss_free(hex);
        ss_free(tag);
        ss_buf_fini(&buf);
    }
}
END_TEST

START_TEST(a_mark_within_a_list_keeps_its_bytes)
{
    json_t *list = json_array();
    json_array_append_new(
        list, decode("x", false, "msgpack", hex_of_vector("uuid")));
    json_array_append_new(list, json_integer(1));
    char *hex = ss_format("92%s01", hex_of_vector("uuid"));
    expect_encoded("x", false, list, "msgpack", hex);
    ss_free(hex);
    expect_encoded("x", false,
        json_pack("[o]", decode("x", false, "bytes", "00ff")), "msgpack",
        "91c40200ff");
}
END_TEST

START_TEST(unknown_tags_are_kept_and_come_back_under_their_tag)
{
    json_t *json = decode("x", false, "pickle", "8004");
    ck_assert_str_eq(ss_opaque_class(json), "pickle");
    expect_encoded("x", false, json, "pickle", "8004");
    refuse_encode("x", false, decode("x", false, "pickle", "8004"), SS_EDENIED,
        "--class pickle");
    refuse_encode("x", false,
        json_pack("[o]", decode("x", false, "msgpack+aes", "00")), SS_EINVAL,
        "\"msgpack+aes\" cannot stand inside another");
    refuse_decode("__pregel_tasks", false, "msgpack+aes", "00",
        "stored as \"msgpack+aes\"");
}
END_TEST

static void reads_json(
    const char *channel, bool is_write, const char *like, const char *expected)
{
    json_t *json = js(like);
    char *text = ss_json_text(json);
    char *hex = hex_of(text, strlen(text));
    expect_json(decode(channel, is_write, "json", hex), expected);
    ss_free(hex);
    ss_free(text);
    json_decref(json);
}

#define SCRIPT(name, args)                                                     \
    "{'lc': 2, 'type': 'constructor', 'id': ['" name "'], 'method': null,"     \
    " 'args': [" args "], 'kwargs': {}}"
#define PYTHON(id, args, kwargs)                                               \
    "{'lc': 2, 'type': 'constructor', 'id': [" id "], 'method': null,"         \
    " 'args': [" args "], 'kwargs': {" kwargs "}}"

START_TEST(json_is_read_and_its_objects_are_revived)
{
    expect_json(decode("x", false, "json", "7b2261223a5b315d7d"), "{'a': [1]}");
    refuse_decode("x", false, "json", "7b", "line 1");
    reads_json("x", false, "[" SCRIPT("Set", "['a']") "]",
        "[{'$typed': [0, 'builtins', 'set', ['a']]}]");
    reads_json("x", false, SCRIPT("Map", "[[1, 'one']]"),
        "{'$typed': [0, 'builtins', 'dict', [[1, 'one']]]}");
    reads_json("x", false, SCRIPT("Uint8Array", "[0, 255]"),
        "{'$opaque': {'class': 'bytes', 'tag': 'bytes', 'data': 'AP8='}}");
    reads_json(
        "x", false, "{'a': {'lc': 2, 'type': 'undefined'}}", "{'a': null}");
    reads_json("x", false, SCRIPT("RegExp", "'a+', 'i'"),
        SCRIPT("RegExp", "'a+', 'i'"));
    reads_json("x", false, PYTHON("'uuid', 'UUID'", "'12'", ""),
        "{'$typed': [0, 'uuid', 'UUID', '12']}");
    reads_json("x", false, PYTHON("'datetime', 'date'", "2026, 1, 2", ""),
        "{'$typed': [1, 'datetime', 'date', [2026, 1, 2]]}");
    reads_json("x", false, PYTHON("'shop', 'Order'", "", "'id': 17"),
        "{'$typed': [2, 'shop', 'Order', {'id': 17}]}");
    reads_json("x", false,
        "{'lc': 2, 'type': 'constructor', 'id': ['datetime', 'datetime'],"
        " 'method': 'fromisoformat', 'args': ['2026-01-02T03:04:05']}",
        "{'$typed': [3, 'datetime', 'datetime', '2026-01-02T03:04:05',"
        " 'fromisoformat']}");
    reads_json("x", false, "{'$typed': [0, 'os', 'system', 'ls']}",
        "{'$typed': [0, 'builtins', 'dict', [['$typed',"
        " [0, 'os', 'system', 'ls']]]]}");
}
END_TEST

// As a C string it would end too early: read, and written, it was another one.
START_TEST(a_method_with_a_nul_in_its_name_stays_as_its_bytes)
{
    json_t *json = decode("x", false, "msgpack",
        "c73503" // datetime.datetime, "2026-01-02T03:04:05", "fromis…mat"
        "94a86461746574696d65a86461746574696d65b3323032362d30312d30325430333a"
        "30343a3035ad66726f6d6973010000026d6174");
    ck_assert_str_eq(ss_opaque_class(json), "datetime.datetime");
    json_decref(json);
    json = js("{'$typed': [3, 'datetime', 'datetime', '2026', 'from']}");
    json_array_set_new(
        json_object_get(json, "$typed"), 4, json_stringn("fr\0m", 4));
    ck_assert(!ss_mark_is(json));
    json_decref(json);
}
END_TEST

#define MESSAGE(kwargs)                                                        \
    "{'lc': 1, 'type': 'constructor', 'id': ['langchain_core', 'messages',"    \
    " 'HumanMessage'], 'kwargs': {" kwargs "}}"

START_TEST(what_langgraph_js_stores_has_the_engines_forms)
{
    reads_json("x", false,
        "[" MESSAGE("'content': 'hi', 'id': 'm1', 'additional_kwargs': {},"
                    " 'response_metadata': {}") "]",
        "[{'content': 'hi', 'id': 'm1', 'type': 'human'}]");
    reads_json("x", false, MESSAGE("'content': 'hi'"),
        "{'$typed': [5, 'langchain_core.messages.human', 'HumanMessage',"
        " {'content': 'hi', 'type': 'human'}, 'model_validate_json']}");
    reads_json("__pregel_tasks", true, "{'node': 'w', 'args': {'i': 1}}",
        "{'$send': {'node': 'w', 'arg': {'i': 1}}}");
    reads_json("__pregel_tasks", false, "[{'node': 'w', 'args': null}]",
        "[{'$send': {'node': 'w', 'arg': null}}]");
    reads_json("__pregel_tasks", true,
        PYTHON("'langgraph', 'constants', 'Send'", "", "'node': 'w', 'arg': 1"),
        "{'$send': {'node': 'w', 'arg': 1}}");
    reads_json("join:a+b:c", false, "['b', 'a']", "['a', 'b']");
    reads_json("__interrupt__", true, "[{'id': 'i', 'value': 'ok?'}]",
        "[{'value': 'ok?', 'id': 'i'}]");
    reads_json("__error__", true, "{'message': 'boom', 'name': 'TypeError'}",
        "{'code': 'node_failed', 'message': 'TypeError: boom'}");
    reads_json("x", true, "{'type': '__overwrite__', 'value': [1]}",
        "{'__overwrite__': [1]}");
    reads_json("x", true, "{'__overwrite__': [1]}", "{'__overwrite__': [1]}");
}
END_TEST

START_TEST(what_must_be_looked_into_is_refused_by_its_class)
{
    const char *uuid = hex_of_vector("uuid");
    char *list = ss_format("91%s", uuid);
    refuse_decode("__pregel_tasks", true, "msgpack", uuid,
        "a uuid.UUID stands where a Send should");
    refuse_decode("__pregel_tasks", false, "msgpack", list, "a uuid.UUID");
    refuse_decode("__pregel_tasks", false, "msgpack", uuid, "a list of Sends");
    refuse_decode("__interrupt__", true, "msgpack", list,
        "a uuid.UUID stands where an Interrupt should");
    refuse_decode("__interrupt__", true, "msgpack", "81a161c0", "a dict");
    refuse_decode(
        "join:a:b", false, "msgpack", "93a161c2c2", "what is not a name");
    refuse_decode("join:a:b", false, "msgpack", "92a161c2", "a set of names");
    refuse_decode("join:a:b", false, "msgpack", hex_of_vector("set"),
        "what is not a name");
    ss_free(list);
}
END_TEST

START_TEST(malformed_values_are_refused)
{
    refuse_decode("x", false, "msgpack", "", "ends too early");
    refuse_decode("x", false, "msgpack", "a1ff", "not UTF-8");
    refuse_decode("x", false, "msgpack", "81a1ffc0", "not UTF-8");
    refuse_decode("x", false, "msgpack", "9291c0", "ends too early");
    char deep[2 * 300 + 3] = "";
    for (size_t i = 0; i < 600; i++)
        deep[i] = "91"[i % 2];
    memcpy(deep + 600, "c0", 3);
    refuse_decode("x", false, "msgpack", deep, "levels deep");
    // a key that stands twice: no map of ours, and nothing is lost
    json_t *json = decode("x", false, "msgpack", "82a161c2a161c3");
    expect_json(json_incref(json),
        "{'$typed': [0, 'builtins', 'dict', [['a', false], ['a', true]]]}");
    expect_encoded("x", false, json, "msgpack", "82a161c2a161c3");
}
END_TEST

START_TEST(a_class_that_python_would_import_is_exported_only_on_demand)
{
    const char *point = hex_of_vector("record");
    static const char *const named[] = {"__main__.Point"};
    static const struct ss_ext_allowed allowed = {.classes = named, .count = 1};
    refuse_encode("x", false, decode("x", false, "msgpack", point), SS_EDENIED,
        "--class __main__.Point");
    struct ss_buf buf;
    ss_buf_init(&buf, 1024);
    json_t *json = decode("x", false, "msgpack", point);
    ck_assert_int_eq(ss_item_encode(json, &allowed, &buf, NULL), SS_OK);
    json_decref(json);
    ss_buf_fini(&buf);
    // the class within a safe one's payload counts as well: a set of a Point
    size_t size;
    uint8_t *bytes = bytes_of(point, &size);
    struct ss_buf set, payload;
    ss_buf_init(&set, 1024);
    ss_buf_init(&payload, 1024);
    ss_msgpack_array(&payload, 3);
    ss_msgpack_str(&payload, "builtins", 8);
    ss_msgpack_str(&payload, "set", 3);
    ss_msgpack_array(&payload, 1);
    ss_buf_add(&payload, bytes, size);
    ss_msgpack_ext(&set, 0, payload.data, payload.size);
    char *hex = hex_of(set.data, set.size);
    refuse_encode("x", false, decode("x", false, "msgpack", hex), SS_EDENIED,
        "__main__.Point");
    // also where a row of before holds it as bytes
    char *data = ss_base64_text(set.data, set.size);
    char *mark = ss_format("{'$opaque': {'class': 'builtins.set',"
                           " 'tag': 'msgpack', 'data': '%s'}}",
        data);
    refuse_encode("x", false, js(mark), SS_EDENIED, "__main__.Point");
    ss_free(mark);
    ss_free(data);
    ss_free(hex);
    ss_free(bytes);
    ss_buf_fini(&set);
    ss_buf_fini(&payload);
}
END_TEST

START_TEST(a_mark_that_was_made_up_is_checked_before_it_is_written)
{
    refuse_encode("x", false,
        js("{'$opaque': {'class': 'uuid.UUID', 'tag': 'msgpack',"
           " 'data': '!'}}"),
        SS_EFORMAT, "not base64");
    refuse_encode("x", false,
        js("{'$opaque': {'class': 'uuid.UUID', 'tag': 'msgpack',"
           " 'data': 'wMA='}}"),
        SS_EFORMAT, "behind the document");
    refuse_encode("x", false,
        js("[{'$opaque': {'class': 'uuid.UUID', 'tag': 'msgpack',"
           " 'data': 'kg=='}}]"),
        SS_EFORMAT, "more items");
    refuse_encode("x", false, js("{'$typed': [0, 'os', 'system', 'ls']}"),
        SS_EDENIED, "--class os.system");
    refuse_encode("x", false,
        js("{'$typed': [0, 'builtins', 'set',"
           " [{'$typed': [0, 'os', 'system', 'ls']}]]}"),
        SS_EDENIED, "--class os.system");
    refuse_encode("x", false, js("{'$typed': [0, 'builtins', 'dict', [[1]]]}"),
        SS_EFORMAT, "builtins.dict does not hold");
    refuse_encode("x", false, js("{'$typed': [0, 'builtins', 'int', 'one']}"),
        SS_EFORMAT, "builtins.int does not hold");
    refuse_encode("x", false, js("{'$typed': [0, 'builtins', 'float', '']}"),
        SS_EFORMAT, "builtins.float does not hold");
    refuse_encode("x", false, js("{'$typed': [0, 'dec imal', 'Decimal', '1']}"),
        SS_EFORMAT, "is not a name of a class");
    refuse_encode("__pregel_tasks", false, js("[{'node': 'a'}]"), SS_EFORMAT,
        "not a $send");
}
END_TEST

// What an import before this one made of a Decimal, and of a dict.
START_TEST(a_mark_of_an_older_import_is_written_as_it_was)
{
    expect_encoded("x", false,
        js("[{'$opaque': {'class': 'builtins.set', 'tag': 'msgpack',"
           " 'data': '2ACTqGJ1aWx0aW5zo3NldJEB'}}]"),
        "msgpack", "91d80093a86275696c74696e73a37365749101");
    expect_encoded("x", false,
        js("[{'$opaque': {'class': 'bytes', 'tag': 'msgpack',"
           " 'data': 'xAIA/w=='}}]"),
        "msgpack", "91c40200ff");
}
END_TEST

// Written again it would be another one.
START_TEST(a_name_with_a_nul_is_none)
{
    refuse_decode("__pregel_tasks", true, "msgpack",
        "c71a0193af6c616e6767726170682e7479706573a453656e6492a10000",
        "the node of a Send");
    refuse_decode("join:a:b", false, "msgpack",
        "c7160093a86275696c74696e73a373657492a3620063a26200",
        "what is not a name");
}
END_TEST

RUN("form", a_name_with_a_nul_is_none, what_langgraph_stored_reads_as_it_should,
    what_langgraph_stored_is_written_again_byte_for_byte,
    a_message_is_written_with_the_fields_that_are_set,
    a_mark_within_a_list_keeps_its_bytes,
    unknown_tags_are_kept_and_come_back_under_their_tag,
    json_is_read_and_its_objects_are_revived,
    a_method_with_a_nul_in_its_name_stays_as_its_bytes,
    what_langgraph_js_stores_has_the_engines_forms,
    what_must_be_looked_into_is_refused_by_its_class,
    malformed_values_are_refused,
    a_class_that_python_would_import_is_exported_only_on_demand,
    a_mark_that_was_made_up_is_checked_before_it_is_written,
    a_mark_of_an_older_import_is_written_as_it_was)
