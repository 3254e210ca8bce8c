// A fresh read: stored channels with one task's own writes (R0.8).
#include "common/model/reducer.h"
#include "common/model/writers.h"

#include "tests/unit/model/help.h"

#define GRAPH                                                                  \
    "{'name': 'g', 'state': [{'key': 'log', 'type': 'list', 'reducer': "       \
    "'add'}, {'key': 'x'}, {'key': 'sig', 'channel': 'EphemeralValue'}, "      \
    "{'key': 'any', 'channel': 'AnyValue'}, {'key': 'cache', 'channel': "      \
    "'UntrackedValue'}, {'key': 'inbox', 'channel': 'Topic'}, {'key': "        \
    "'late', 'channel': 'LastValueAfterFinish'}, {'key': 'mine', 'type': "     \
    "'int', 'custom': 'mine'}, {'key': 'messages', 'reducer': "                \
    "'add_messages'}, {'key': 'left', 'managed': 'remaining_steps'}], "        \
    "'nodes': [], 'edges': [['__start__', '__end__']]}"

static int fold(void *ctx, const struct ss_channel_spec *channel, json_t *value,
    json_t *const *writes, size_t count, json_t **ret_value,
    struct ss_error *error)
{
    int *calls = ctx;
    ck_assert_str_eq(channel->reducer_name, "mine");
    if (++*calls > 1)
        return ss_error_set(error, SS_ENODE, "the fold fell");
    json_int_t sum = json_integer_value(value);
    for (size_t i = 0; i < count; i++)
        sum = 10 * sum + json_integer_value(writes[i]);
    *ret_value = json_integer(sum);
    return SS_OK;
}

// Reads `keys` with `stored` channels after `own` [channel, value] writes.
static int read_keys(const char *keys, const char *stored, const char *own,
    json_t **ret_values, struct ss_error *error)
{
    struct ss_graph *graph = compile(GRAPH);
    json_t *names = js(keys), *channels = js(stored), *pairs = js(own);
    json_t *managed = js("{'left': 3}");
    struct ss_keys list = {.scalar = json_is_string(names)};
    size_t count = list.scalar ? 1 : json_array_size(names);
    list.items = ss_zalloc(count + 1, sizeof(*list.items));
    for (; list.count < count; list.count++)
        list.items[list.count] = ss_strdup(json_string_value(
            list.scalar ? names : json_array_get(names, list.count)));
    struct ss_writes writes = {0};
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        ss_writes_add(&writes, json_string_value(json_array_get(pair, 0)),
            ss_value_new(json_incref(json_array_get(pair, 1))));
    }
    int calls = 0;
    struct ss_writer_hooks hooks = {.fold = fold, .ctx = &calls};
    struct ss_fresh fresh = {ss_value_new(channels), managed};
    int status = ss_fresh_read(
        graph, &list, &fresh, &writes, &hooks, "task", ret_values, error);
    for (size_t i = 0; i < list.count; i++)
        ss_free(list.items[i]);
    ss_free(list.items);
    ss_writes_fini(&writes);
    json_decref(names);
    ss_value_unref(fresh.channels);
    json_decref(pairs);
    json_decref(managed);
    ss_graph_unref(graph);
    return status;
}

static void expect(
    const char *keys, const char *stored, const char *own, const char *expected)
{
    json_t *values;
    struct ss_error error;
    int status = read_keys(keys, stored, own, &values, &error);
    if (status != SS_OK)
        ck_abort_msg("%s", error.message);
    if (expected)
        expect_json(values, expected);
    else
        ck_assert_ptr_null(values);
}

static void refuse(const char *keys, const char *stored, const char *own,
    int status, const char *words)
{
    json_t *values = NULL;
    struct ss_error error;
    ck_assert_int_eq(read_keys(keys, stored, own, &values, &error), status);
    ck_assert_ptr_null(values);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" lacks \"%s\"", error.message, words);
}

START_TEST(own_writes_are_folded_into_what_is_stored)
{
    expect("['log', 'x', 'left']", "{'log': ['in'], 'x': 1}",
        "[['log', ['a']], ['x', 2], ['branch:to:q', null], ['log', ['b']]]",
        "{'log': ['in', 'a', 'b'], 'x': 2, 'left': 3}");
}
END_TEST

START_TEST(what_holds_nothing_is_absent)
{
    expect("['log', 'x', 'late', 'nobody']", "{}", "[]", "{'log': []}");
    expect("[]", "{}", "[]", "{}");
    expect("['x']", "{'x': null}", "[]", "{'x': null}");
}
END_TEST

START_TEST(what_lives_one_step_is_gone_unless_written)
{
    expect("['sig', 'any', 'inbox']",
        "{'sig': 'old', 'any': 'old', 'inbox': ['old']}", "[]", "{}");
    expect("['sig', 'any', 'inbox']", "{'sig': 'old', 'inbox': ['old']}",
        "[['sig', 'new'], ['any', 'new'], ['inbox', ['new']]]",
        "{'sig': 'new', 'any': 'new', 'inbox': ['new']}");
}
END_TEST

START_TEST(an_untracked_value_is_there_live)
{
    expect("['cache']", "{'cache': 1}", "[]", "{'cache': 1}");
    expect("['cache']", "{'cache': 1}", "[['cache', 2]]", "{'cache': 2}");
    expect("['cache']", "{}", "[]", "{}");
}
END_TEST

START_TEST(stored_forms_are_opened)
{
    expect("['late']", "{'late': [5, true]}", "[]", "{'late': 5}");
    expect("['late']", "{'late': [5, false]}", "[]", "{}");
    expect("['late']", "{'late': [5, true]}", "[['late', 6]]", "{}");
    refuse("['late']", "{'late': 5}", "[]", SS_ECORRUPT, "\"late\"");
}
END_TEST

START_TEST(one_key_is_read_as_its_value)
{
    expect("'x'", "{'x': 5}", "[]", "5");
    expect("'x'", "{}", "[]", NULL);
    expect("'left'", "{}", "[]", "3");
}
END_TEST

START_TEST(a_custom_reducer_is_asked)
{
    expect("['mine']", "{'mine': 1}", "[]", "{'mine': 1}");
    expect("['mine']", "{'mine': 1}", "[['mine', 2], ['mine', 3]]",
        "{'mine': 123}");
    // Not for an Overwrite.
    expect("['mine']", "{'mine': 1}",
        "[['mine', {'__overwrite__': 9}], ['mine', 3]]", "{'mine': 9}");
    refuse("['mine', 'mine']", "{}", "[['mine', 2]]", SS_ENODE, "fell");
    refuse("['mine']", "{}",
        "[['mine', {'__overwrite__': 9}], ['mine', {'__overwrite__': 9}]]",
        SS_EUPDATE, "two Overwrites");
}
END_TEST

START_TEST(a_write_that_cannot_apply_fails_the_read)
{
    refuse("['x']", "{}", "[['x', 1], ['x', 2]]", SS_EUPDATE, "\"x\"");
    refuse("['log']", "{}", "[['log', 5]]", SS_EINVAL, "\"log\"");
    // One that nobody reads does not.
    expect("['log']", "{}", "[['x', 1], ['x', 2]]", "{'log': []}");
}
END_TEST

START_TEST(made_up_ids_are_those_that_the_step_applies)
{
    json_t *values, *left = js("[]"), *first = js("'a'"), *second = js("'b'");
    ck_assert_int_eq(
        read_keys("['messages']", "{'messages': []}",
            "[['messages', 'a'], ['messages', 'b']]", &values, NULL),
        SS_OK);
    json_t *one, *two;
    ck_assert_int_eq(
        ss_messages_merge(left, first, "task|messages", 0, &one, NULL), SS_OK);
    ck_assert_int_eq(
        ss_messages_merge(one, second, "task|messages", 1, &two, NULL), SS_OK);
    ck_assert(json_equal(json_object_get(values, "messages"), two));
    json_decref(values);
    json_decref(left);
    json_decref(first);
    json_decref(second);
    json_decref(one);
    json_decref(two);
}
END_TEST

START_TEST(with_nothing_at_hand_only_zeros_are_read)
{
    struct ss_graph *graph = compile(GRAPH);
    json_t *values;
    ck_assert_int_eq(ss_fresh_read(graph, &graph->all_keys, NULL, NULL, NULL,
                         NULL, &values, NULL),
        SS_OK);
    expect_json(values, "{'log': [], 'mine': 0, 'messages': []}");
    struct ss_writes writes = {0};
    struct ss_error error;
    ss_writes_add(&writes, "mine", value_of("1"));
    ck_assert_int_eq(ss_fresh_read(graph, &graph->all_keys, NULL, &writes, NULL,
                         "t", &values, &error),
        SS_ESTATE);
    ck_assert_ptr_nonnull(strstr(error.message, "\"mine\""));
    ss_writes_fini(&writes);
    ss_graph_unref(graph);
}
END_TEST

RUN("fresh", own_writes_are_folded_into_what_is_stored,
    what_holds_nothing_is_absent, what_lives_one_step_is_gone_unless_written,
    an_untracked_value_is_there_live, stored_forms_are_opened,
    one_key_is_read_as_its_value, a_custom_reducer_is_asked,
    a_write_that_cannot_apply_fails_the_read,
    made_up_ids_are_those_that_the_step_applies,
    with_nothing_at_hand_only_zeros_are_read)
