#include "common/model/value.h"

#include "common/model/channel.h"
#include "common/model/limits.h"
#include "common/model/persistent_vector.h"
#include "tests/unit/model/help.h"

START_TEST(text_is_decoded_when_somebody_looks)
{
    struct ss_value *value = ss_value_from_text("{\"a\": 1}", 8);
    ck_assert(!ss_value_decoded(value));
    expect_json(json_incref(ss_value_json(value)), "{'a': 1}");
    ck_assert(ss_value_decoded(value));
    // The text stays as it came.
    size_t size;
    ck_assert_str_eq(ss_value_text(value, &size), "{\"a\": 1}");
    ck_assert_uint_eq(size, 8);
    ss_value_unref(value);
}
END_TEST

START_TEST(json_is_encoded_once_and_compactly)
{
    struct ss_value *value = value_of("{'b': [1, 2.5, null], 'a': 'x'}");
    size_t size;
    const char *text = ss_value_text(value, &size);
    ck_assert_str_eq(text, "{\"b\":[1,2.5,null],\"a\":\"x\"}");
    ck_assert_uint_eq(size, strlen(text));
    ck_assert_ptr_eq(ss_value_text(value, NULL), text);
    ss_value_unref(value);
}
END_TEST

START_TEST(null_is_one_value_for_all)
{
    struct ss_value *null = ss_value_null();
    ck_assert_ptr_eq(ss_value_new(json_null()), null);
    ck_assert_ptr_eq(ss_value_from_text("null", 4), null);
    ck_assert_ptr_eq(ss_value_ref(null), null);
    for (int i = 0; i < 10; i++)
        ss_value_unref(null);
    ck_assert(ss_value_is_null(null));
    ck_assert(ss_value_decoded(null));
    ck_assert_str_eq(ss_value_text(null, NULL), "null");
    ck_assert(json_is_null(ss_value_json(null)));
    ck_assert_int_eq(ss_value_valid(null, NULL), SS_OK);
}
END_TEST

START_TEST(null_with_blanks_is_null_too)
{
    struct ss_value *value = ss_value_from_text(" null ", 6);
    ck_assert(ss_value_is_null(value));
    ss_value_unref(value);
    value = ss_value_from_text("nul", 3);
    ck_assert(!ss_value_is_null(value));
    ss_value_unref(value);
    value = value_of("0");
    ck_assert(!ss_value_is_null(value));
    ss_value_unref(value);
}
END_TEST

START_TEST(nothing_may_be_counted)
{
    ck_assert_ptr_null(ss_value_ref(NULL));
    ss_value_unref(NULL);
}
END_TEST

START_TEST(a_value_lives_while_it_is_referenced)
{
    struct ss_value *value = value_of("'x'");
    ck_assert_ptr_eq(ss_value_ref(value), value);
    ss_value_unref(value);
    ck_assert_str_eq(json_string_value(ss_value_json(value)), "x");
    ss_value_unref(value);
}
END_TEST

START_TEST(damaged_text_reads_as_null_and_says_where)
{
    struct ss_value *value = ss_value_from_text("{\"a\": }", 7);
    struct ss_error error;
    ck_assert(json_is_null(ss_value_json(value)));
    ck_assert(!ss_value_is_null(value));
    ck_assert_int_eq(ss_value_valid(value, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "line 1"));
    ck_assert_int_eq(ss_value_valid(value, &error), SS_EFORMAT);
    ss_value_unref(value);
}
END_TEST

START_TEST(sound_text_is_valid)
{
    struct ss_value *value = ss_value_from_text("[1]", 3);
    ck_assert_int_eq(ss_value_valid(value, NULL), SS_OK);
    ck_assert_int_eq(ss_value_valid(value, NULL), SS_OK);
    ss_value_unref(value);
}
END_TEST

// Lists within lists, and maps within maps.
static json_t *nested(int depth)
{
    json_t *json = json_integer(1);
    for (int i = 0; i < depth; i++)
        json = i % 2 ? json_pack("[o]", json) : json_pack("{s:o}", "k", json);
    return json;
}

START_TEST(what_is_nested_too_deep_is_refused)
{
    struct ss_error error;
    struct ss_value *value = ss_value_new(nested(512));
    ck_assert_int_eq(ss_value_valid(value, &error), SS_OK);
    ss_value_unref(value);
    value = ss_value_new(nested(513));
    ck_assert_int_eq(ss_value_valid(value, &error), SS_EFORMAT);
    ck_assert_ptr_nonnull(strstr(error.message, "512"));
    struct ss_value *text = ss_value_from_text(
        ss_value_text(value, NULL), strlen(ss_value_text(value, NULL)));
    ck_assert_int_eq(ss_value_valid(text, &error), SS_EFORMAT);
    ss_value_unref(text);
    ss_value_unref(value);
}
END_TEST

START_TEST(an_opaque_value_is_kept_and_reads_as_null)
{
    struct ss_value *value = ss_value_opaque(SS_VALUE_BYTES, "\0\xff", 2);
    size_t size;
    ck_assert_int_eq(ss_value_tag(value), SS_VALUE_BYTES);
    ck_assert_mem_eq(ss_value_text(value, &size), "\0\xff", 2);
    ck_assert_uint_eq(size, 2);
    ck_assert(json_is_null(ss_value_json(value)));
    ck_assert(!ss_value_is_null(value));
    ck_assert_int_eq(ss_value_valid(value, NULL), SS_OK);
    ss_value_unref(value);
}
END_TEST

START_TEST(a_value_that_is_put_together_has_all_faces)
{
    struct ss_value *one = ss_value_from_text("{\"a\":1}", 7);
    struct ss_value *blob = ss_value_opaque(SS_VALUE_BYTES, "x", 1);
    struct ss_list *list = ss_list_push(ss_list_new(), one);
    struct ss_value *listed = ss_value_of_list(ss_list_push(list, blob));
    const struct ss_field fields[] = {
        {"b\"", listed}, {"none", ss_value_null()}, {"b\"", one}};
    struct ss_value *value = ss_value_of_fields(fields, 3);
    size_t count;
    ck_assert_int_eq(ss_value_depth(value), 3);
    ck_assert_int_eq(ss_value_valid(value, NULL), SS_OK);
    ck_assert(!ss_value_is_null(value));
    // Encoded without being decoded; what is not JSON is null inside.
    ck_assert_str_eq(ss_value_text(value, NULL),
        "{\"b\\\"\":[{\"a\":1},null],\"none\":null}");
    expect_json(json_incref(ss_value_json(value)),
        "{'b\\\"': [{'a': 1}, null], 'none': null}");
    ck_assert_ptr_eq(ss_value_fields(value, &count)[0].value, listed);
    ck_assert_uint_eq(count, 2);
    struct ss_value *member = ss_value_member(value, "b\"");
    ck_assert_ptr_eq(member, listed);
    ck_assert_uint_eq(ss_value_count(member), 2);
    ck_assert_ptr_null(ss_value_member(value, "c"));
    ss_value_unref(member);
    ss_value_unref(listed);
    ss_value_unref(value);
    ss_value_unref(one);
    ss_value_unref(blob);
}
END_TEST

START_TEST(a_list_nested_too_deep_is_refused_when_put_together)
{
    struct ss_buf text;
    ss_buf_init(&text, 4096);
    for (int i = 0; i < SS_VALUE_DEPTH_MAX; i++)
        ss_buf_add_str(&text, "[");
    for (int i = 0; i < SS_VALUE_DEPTH_MAX; i++)
        ss_buf_add_str(&text, "]");
    struct ss_value *item = ss_value_from_text(text.data, text.size);
    struct ss_error error;
    ck_assert_int_eq(ss_value_valid(item, &error), SS_OK);
    struct ss_value *list = ss_value_of_list(ss_list_push(ss_list_new(), item));
    ck_assert_int_eq(ss_value_valid(list, &error), SS_EFORMAT);
    ss_value_unref(list);
    ss_value_unref(item);
    ss_buf_fini(&text);
}
END_TEST

// Its bytes as they are written somewhere else, the same as its text's.
static void expect_written(struct ss_value *value, const char *text)
{
    size_t size = ss_value_text_size(value);
    ck_assert_uint_eq(size, strlen(text));
    char *room = ss_alloc(size + 1);
    room[size] = '#';
    ss_value_write(value, room);
    ck_assert(memcmp(room, text, size) == 0 && room[size] == '#');
    ck_assert_str_eq(ss_value_text(value, NULL), text);
    ck_assert_uint_eq(ss_value_text_size(value), size);
    ss_value_write(value, room);
    ck_assert(memcmp(room, text, size) == 0 && room[size] == '#');
    ss_free(room);
    ss_value_unref(value);
}

START_TEST(a_value_is_written_as_its_text_is)
{
    struct ss_list *list = ss_list_new();
    expect_written(ss_value_of_list(ss_list_ref(list)), "[]");
    struct ss_value *items[] = {value_of("{'a': 1}"), ss_value_null(),
        ss_value_opaque(SS_VALUE_BYTES, "\x01\x02", 2),
        ss_value_from_text("[2]", 3)};
    for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++) {
        list = ss_list_push(list, items[i]);
        ss_value_unref(items[i]);
    }
    struct ss_value *all = ss_value_of_list(list);
    const struct ss_field fields[] = {{"all", all}, {"one", items[1]}};
    expect_written(ss_value_of_fields(fields, 2),
        "{\"all\":[{\"a\":1},null,null,[2]],\"one\":null}");
    ss_value_unref(all);
    expect_written(value_of("{'a': 'x'}"), "{\"a\":\"x\"}");
    expect_written(ss_value_null(), "null");
    expect_written(ss_value_opaque(SS_VALUE_BYTES, "abc", 3), "abc");
    list = ss_list_push(ss_list_new(), items[1]);
    expect_written(ss_value_of_list(list), "[null]");
}
END_TEST

// The members of a text, or "none".
static char *members_of(const char *text)
{
    struct ss_value *value = ss_value_from_text(text, strlen(text));
    struct ss_buf buf;
    size_t count;
    const struct ss_field *fields = ss_value_members(value, &count);
    ss_buf_init(&buf, SIZE_MAX);
    ss_buf_add_str(&buf, fields ? "" : "none");
    for (size_t i = 0; fields && i < count; i++)
        ss_buf_addf(&buf, "%s%s=%s", i > 0 ? " " : "", fields[i].name,
            ss_value_text(fields[i].value, NULL));
    ss_value_unref(value);
    return ss_buf_steal(&buf, NULL);
}

static void expect_members(const char *text, const char *expected)
{
    char *is = members_of(text);
    ck_assert_str_eq(is, expected);
    ss_free(is);
}

// Of what nobody encoded; then it is told as it is.
START_TEST(a_size_is_reckoned_without_the_text)
{
    static const char *const texts[] = {"1", "\"some words\"", "[1,2,[],{}]",
        "{\"name\":\"Ada\",\"log\":[\"hello\",true,null]}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        json_t *json = json_loads(texts[i], JSON_DECODE_ANY, NULL);
        struct ss_value *value = ss_value_new(json);
        size_t about = ss_value_size_about(value), size;
        (void)ss_value_text(value, &size);
        ck_assert_uint_ge(about + 8, size);
        ck_assert_uint_le(about, 3 * size + 8);
        ck_assert_uint_eq(ss_value_size_about(value), size);
        ss_value_unref(value);
    }
}
END_TEST

// Bodies hand long lists on, and write them again and again.
START_TEST(a_long_list_is_weighed_by_some_of_its_items_and_a_value_once)
{
    static const char *const items[] = {"\"some words\"", "{\"a\":[1,2,3]}"};
    json_t *array = json_array();
    for (size_t i = 0; i < 1000; i++)
        json_array_append_new(
            array, json_loads(items[i % 2], JSON_DECODE_ANY, NULL));
    struct ss_list *list = ss_list_push_json(ss_list_new(), array);
    struct ss_value *value = ss_value_new(array), *listed;
    listed = ss_value_of_list(ss_list_ref(list));
    size_t about = ss_value_size_about(value), size;
    size_t of_list = ss_value_size_about(listed);
    ck_assert_uint_eq(ss_value_size_about(value), about);
    json_t *more = json_loads("[\"and this\"]", 0, NULL);
    list = ss_list_push_json(list, more); // its own from here on
    ck_assert_uint_gt(ss_list_size_about(list) + 2, of_list);
    list = ss_list_drop(list, 1000);
    ck_assert_uint_eq(ss_list_size_about(list) + 2, of_list);
    (void)ss_value_text(value, &size);
    ck_assert_uint_ge(2 * about, size);
    ck_assert_uint_le(about, 2 * size);
    ck_assert_uint_le(of_list, 2 * size);
    ck_assert_uint_ge(2 * of_list, size);
    json_decref(more);
    ss_list_unref(list);
    ss_value_unref(listed);
    ss_value_unref(value);
}
END_TEST

START_TEST(a_text_is_taken_apart_undecoded)
{
    expect_members("{}", "");
    expect_members(" { } ", "");
    expect_members("{\"a\":1}", "a=1");
    expect_members(" {\"a\" : 1 ,\n\"b\":[1,{\"c\":\"}\\\"]\"}]}",
        "a=1  b=[1,{\"c\":\"}\\\"]\"}]");
    expect_members(
        "{\"\":\"\\\\\",\"u\":{\"a\":{}}}", "=\"\\\\\" u={\"a\":{}}");
    expect_members("{\"a\":no,\"b\":null}", "a=no b=null");
}
END_TEST

START_TEST(what_is_not_plain_is_not_taken_apart)
{
    static const char *const texts[] = {"", "null", "[1]", "\"a\"", "{", "{\"a",
        "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{\"a\":}",
        "{\"a\":,}", "{\"a\":1}}", "{\"a\":1} 2", "{a:1}", "{\"a\" 1}",
        "{\"a\":\"x}", "{\"a\":[1}", "{\"\\u0061\":1}", "{\"a\":1,\"a\":2}"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        expect_members(texts[i], "none");
}
END_TEST

START_TEST(only_the_member_that_is_asked_for_is_decoded)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    // What is not looked into may be anything.
    ss_buf_addf(&buf, "{\"a\":[1,2],\"b\":no,\"c\":\"%0600d\"}", 7);
    struct ss_value *value = ss_value_from_text(buf.data, buf.size);
    json_t *a = ss_value_member_json(value, "a");
    ck_assert_uint_eq(json_array_size(a), 2);
    ck_assert_ptr_eq(ss_value_member_json(value, "a"), a);
    ck_assert_uint_eq(
        json_string_length(ss_value_member_json(value, "c")), 600);
    ck_assert_ptr_null(ss_value_member_json(value, "d"));
    struct ss_value *member = ss_value_member(value, "a");
    ck_assert_ptr_eq(ss_value_json(member), a);
    ss_value_unref(member);
    ck_assert_int_eq(ss_value_valid(value, NULL), SS_EFORMAT);
    ck_assert_uint_eq(json_object_size(ss_value_json(value)), 3);
    ck_assert_ptr_eq(json_object_get(ss_value_json(value), "a"), a);
    ss_value_unref(value);
    ss_buf_fini(&buf);
}
END_TEST

// {"$send":{"node":"n","arg":{"state":"mmm ..."}},"z":"__overwrite__"}
static struct ss_value *long_send(size_t size)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    ss_buf_add_str(&buf, "{\"$send\":{\"node\":\"n\",\"arg\":{\"state\":\"");
    memset(ss_buf_room(&buf, size), 'm', size);
    ss_buf_add_str(&buf, "\"}},\"z\":\"__overwrite__\"}");
    struct ss_value *value = ss_value_from_text(buf.data, buf.size);
    ss_buf_fini(&buf);
    return value;
}

START_TEST(a_long_member_outlives_what_it_stood_in)
{
    for (size_t size = 600; size <= 60000; size *= 10) {
        struct ss_value *whole = long_send(size);
        struct ss_value *send = ss_value_member(whole, "$send");
        ss_value_unref(whole);
        struct ss_value *arg = ss_value_member(send, "arg");
        struct ss_value *again = ss_value_member(send, "arg");
        ss_value_unref(send);
        size_t text_size, same_size;
        const char *text = ss_value_text(arg, &text_size);
        ck_assert_uint_eq(text_size, size + 12);
        ck_assert_mem_eq(text, "{\"state\":\"mm", 12);
        ck_assert_mem_eq(text + text_size - 3, "m\"}", 3);
        ck_assert_ptr_eq(ss_value_text(again, &same_size), text);
        ss_value_unref(again);
        // What stands behind it is not of it.
        json_t *overwrite;
        ck_assert(!ss_value_overwrites(arg, &overwrite));
        ck_assert(!ss_value_decoded(arg));
        struct ss_value *alone = ss_value_alone(arg);
        struct ss_value *state = ss_value_member(arg, "state");
        ss_value_unref(arg);
        ck_assert_uint_eq(json_string_length(ss_value_json(state)), size);
        ss_value_unref(state);
        ck_assert_uint_eq(json_object_size(ss_value_json(alone)), 1);
        ss_value_unref(alone);
    }
}
END_TEST

START_TEST(members_are_the_same_however_they_are_reached)
{
    static const char *const texts[] = {"{\"a\":1,\"b\":[2]}", "[1]", "5",
        "{\"a\":1,\"a\":2}", "{\"\\u0061\":3}", "null"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        for (int pad = 0; pad < 1000; pad += 999) {
            struct ss_buf buf;
            ss_buf_init(&buf, SIZE_MAX);
            ss_buf_addf(&buf, "%s%*s", texts[i], pad, "");
            struct ss_value *value = ss_value_from_text(buf.data, buf.size);
            struct ss_value *whole = ss_value_from_text(buf.data, buf.size);
            json_t *wanted = json_object_get(ss_value_json(whole), "a");
            json_t *is = ss_value_member_json(value, "a");
            ck_assert(wanted ? json_equal(is, wanted) : !is);
            ck_assert(json_equal(ss_value_json(value), ss_value_json(whole)));
            ss_value_unref(value);
            ss_value_unref(whole);
            ss_buf_fini(&buf);
        }
    }
}
END_TEST

RUN("value", a_value_that_is_put_together_has_all_faces,
    a_list_nested_too_deep_is_refused_when_put_together,
    text_is_decoded_when_somebody_looks, json_is_encoded_once_and_compactly,
    null_is_one_value_for_all, null_with_blanks_is_null_too,
    nothing_may_be_counted, a_value_lives_while_it_is_referenced,
    damaged_text_reads_as_null_and_says_where, sound_text_is_valid,
    what_is_nested_too_deep_is_refused,
    an_opaque_value_is_kept_and_reads_as_null,
    a_value_is_written_as_its_text_is, a_size_is_reckoned_without_the_text,
    a_long_list_is_weighed_by_some_of_its_items_and_a_value_once,
    a_text_is_taken_apart_undecoded, what_is_not_plain_is_not_taken_apart,
    only_the_member_that_is_asked_for_is_decoded,
    a_long_member_outlives_what_it_stood_in,
    members_are_the_same_however_they_are_reached)
