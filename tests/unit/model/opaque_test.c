// opaque_test.c - what was imported as it is, where something would look into
// it.
#include "common/model/opaque.h"

#include "common/model/channel.h"
#include "common/model/reducer.h"
#include "tests/unit/model/help.h"

#define DECIMAL                                                                \
    "{'$opaque': {'class': 'decimal.Decimal', 'tag': 'msgpack', 'data': ''}}"

static void expect_reduced(enum ss_reducer reducer, const char *left,
    const char *right, const char *expected)
{
    json_t *a = js(left), *b = js(right), *made = NULL;
    struct ss_error error = {0};
    if (ss_reduce(reducer, a, b, NULL, 0, &made, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    expect_json(made, expected);
    json_decref(a);
    json_decref(b);
}

static void expect_refusal(
    enum ss_reducer reducer, const char *left, const char *right)
{
    json_t *a = js(left), *b = js(right), *made = NULL;
    struct ss_error error = {0};
    ck_assert_int_eq(
        ss_reduce(reducer, a, b, NULL, 0, &made, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "a decimal.Decimal was"));
    json_decref(a);
    json_decref(b);
}

START_TEST(a_mark_has_one_key_and_three_words)
{
    json_t *mark = js(DECIMAL), *more = js("{'$opaque': {'class': 'x'}}");
    ck_assert_str_eq(ss_opaque_class(mark), "decimal.Decimal");
    ck_assert_ptr_null(ss_opaque_class(more));
    json_object_set_new(mark, "other", json_null());
    ck_assert_ptr_null(ss_opaque_class(mark));
    ck_assert_ptr_null(ss_opaque_class(NULL));
    json_decref(mark);
    json_decref(more);
}
END_TEST

START_TEST(a_typed_mark_has_four_parts_or_five)
{
    static const char *const none[] = {"{'$typed': [0, 'a', 'b']}",
        "{'$typed': [0, 'a', 'b', 1, 'm', 2]}", "{'$typed': [6, 'a', 'b', 1]}",
        "{'$typed': [-1, 'a', 'b', 1]}", "{'$typed': ['0', 'a', 'b', 1]}",
        "{'$typed': [0, 1, 'b', 1]}", "{'$typed': [0, 'a', null, 1]}",
        "{'$typed': [0, 'a', 'b', 1, 2]}",
        "{'$typed': [0, 'a', 'b', 1], 'c': 1}", "['$typed']"};
    struct ss_typed typed;
    json_t *mark =
        js("{'$typed': [3, 'datetime', 'datetime', '2026', 'fromisoformat']}");
    ck_assert(ss_typed_open(mark, &typed));
    ck_assert_int_eq(typed.code, 3);
    ck_assert_str_eq(typed.method, "fromisoformat");
    ck_assert(ss_mark_is(mark));
    char *name = ss_mark_class(mark);
    ck_assert_str_eq(name, "datetime.datetime");
    ss_free(name);
    json_decref(mark);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        json_t *other = js(none[i]);
        ck_assert(!ss_mark_is(other));
        ck_assert_ptr_null(ss_mark_class(other));
        json_decref(other);
    }
}
END_TEST

START_TEST(marks_are_put_into_lists_and_handed_on)
{
    expect_reduced(SS_REDUCER_ADD, "[" DECIMAL "]", "[1]", "[" DECIMAL ", 1]");
    expect_reduced(SS_REDUCER_APPEND, "[1]", DECIMAL, "[1, " DECIMAL "]");
    expect_reduced(SS_REDUCER_OR, "{'a': 1}", "{'b': " DECIMAL "}",
        "{'a': 1, 'b': " DECIMAL "}");
    expect_reduced(SS_REDUCER_NONE, "1", DECIMAL, DECIMAL);
}
END_TEST

START_TEST(a_reducer_that_has_to_look_refuses_it_by_its_class)
{
    expect_refusal(SS_REDUCER_ADD, DECIMAL, "1");
    expect_refusal(SS_REDUCER_ADD, "1", DECIMAL);
    expect_refusal(SS_REDUCER_OR, DECIMAL, "{}");
    expect_refusal(SS_REDUCER_OR, "{}", DECIMAL);
    expect_refusal(SS_REDUCER_MAX, "1", DECIMAL);
    expect_refusal(SS_REDUCER_APPEND, DECIMAL, "1");
    expect_refusal(SS_REDUCER_ADD_MESSAGES, "[" DECIMAL "]", "'hi'");
    expect_refusal(SS_REDUCER_ADD_MESSAGES, "[]", "[" DECIMAL "]");
}
END_TEST

START_TEST(it_is_refused_where_a_list_grows_in_place_too)
{
    struct ss_graph *graph =
        compile("{'name': 'g', 'state': [{'key': 'm', 'type':"
                " 'dict', 'reducer': 'or'}], 'nodes': [{'name': 'a'}], 'edges':"
                " [['__start__', 'a']]}");
    struct ss_channel channel;
    struct ss_value *values[] = {
        value_of("{'a': 1}"), value_of("{'b': 1}"), value_of(DECIMAL)};
    struct ss_channel_write writes[] = {
        {values[0], NULL}, {values[1], NULL}, {values[2], NULL}};
    struct ss_error error = {0};
    bool changed;
    size_t c = ss_graph_channel(graph, "m");
    ck_assert_int_eq(
        ss_channel_restore(&channel, &graph->channels[c], NULL, &error), SS_OK);
    ck_assert_int_eq(
        ss_channel_update(&channel, writes, 3, &changed, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "channel \"m\""));
    ck_assert_ptr_nonnull(strstr(error.message, "a decimal.Decimal was"));
    ss_channel_fini(&channel);
    for (size_t i = 0; i < 3; i++)
        ss_value_unref(values[i]);
    ss_graph_unref(graph);
}
END_TEST

RUN("opaque", a_typed_mark_has_four_parts_or_five,
    a_mark_has_one_key_and_three_words, marks_are_put_into_lists_and_handed_on,
    a_reducer_that_has_to_look_refuses_it_by_its_class,
    it_is_refused_where_a_list_grows_in_place_too)
