// What a run is started with: a Command (R8.2), input (R8.4).
#include "common/model/writers.h"

#include "tests/unit/model/help.h"

static void expect_writes(struct ss_writes *writes, const char *expected)
{
    json_t *list = json_array();
    for (size_t i = 0; i < writes->count; i++)
        json_array_append_new(
            list, json_pack("[s, O]", writes->items[i].channel,
                      ss_value_json(writes->items[i].value)));
    ss_writes_fini(writes);
    expect_json(list, expected);
}

static void expect_command(const char *command, const char *expected)
{
    json_t *json = js(command);
    struct ss_writes writes = {0};
    struct ss_error error;
    int status = ss_writers_command(json, &writes, &error);
    if (status != SS_OK)
        ck_abort_msg("%s", error.message);
    json_decref(json);
    expect_writes(&writes, expected);
}

static void refuse_command(const char *command, int status, const char *words)
{
    json_t *json = js(command);
    struct ss_writes writes = {0};
    struct ss_error error;
    ss_writes_add(&writes, "before", ss_value_null());
    ck_assert_int_eq(ss_writers_command(json, &writes, &error), status);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" lacks \"%s\"", error.message, words);
    json_decref(json);
    expect_writes(&writes, "[['before', null]]");
}

START_TEST(goto_then_resume_then_update)
{
    expect_command("{'update': {'x': 1, 'any': 2}, 'resume': 'yes', 'goto': "
                   "['a', {'$send': {'node': 'b', 'arg': 1}}]}",
        "[['branch:to:a', '__start__'], ['__pregel_tasks', {'$send': "
        "{'node': 'b', 'arg': 1}}], ['__resume__', 'yes'], ['x', 1], "
        "['any', 2]]");
    expect_command("{'goto': 'a'}", "[['branch:to:a', '__start__']]");
    expect_command(
        "{'goto': '__end__'}", "[['branch:to:__end__', '__start__']]");
    expect_command("{'goto': {'$send': {'node': 'b', 'arg': 1}}}",
        "[['__pregel_tasks', {'$send': {'node': 'b', 'arg': 1}}]]");
}
END_TEST

START_TEST(a_marked_command_is_the_same)
{
    expect_command("{'$command': {'resume': 0}}", "[['__resume__', 0]]");
    expect_command("{'$command': {}}", "[]");
    expect_command("{}", "[]");
    expect_command("{'resume': null, 'goto': null, 'update': null}", "[]");
    expect_command("{'resume': {}}", "[['__resume__', {}]]");
}
END_TEST

START_TEST(updates_are_maps_pairs_or_the_root)
{
    expect_command("{'update': [['x', 1], ['x', 2]]}", "[['x', 1], ['x', 2]]");
    expect_command("{'update': []}", "[]");
    expect_command("{'update': 5}", "[['__root__', 5]]");
    expect_command("{'update': [1, 2]}", "[['__root__', [1, 2]]]");
    expect_command(
        "{'update': [['x', 1], [2, 3]]}", "[['__root__', [['x', 1], [2, 3]]]]");
}
END_TEST

START_TEST(a_bad_command_makes_no_write)
{
    refuse_command(
        "{'graph': '__parent__', 'goto': 'a'}", SS_EUPDATE, "no parent graph");
    refuse_command("{'goto': ['a', 5]}", SS_EINVAL, "a number");
    refuse_command("{'goto': {'node': 'a'}}", SS_EINVAL, "a map");
    refuse_command("[]", SS_EINVAL, "a list");
    refuse_command("'resume'", SS_EINVAL, "a text");
}
END_TEST

static void expect_input(
    const char *graph, const char *input, const char *expected, size_t unknown)
{
    struct ss_graph *compiled = compile(graph);
    json_t *json = js(input);
    struct ss_writes writes = {0};
    struct ss_error error;
    size_t counted = 99;
    int status = ss_writers_input(compiled, json, &writes, &counted, &error);
    if (status != SS_OK)
        ck_abort_msg("%s", error.message);
    ck_assert_uint_eq(counted, unknown);
    expect_writes(&writes, expected);
    ck_assert_int_eq(
        ss_writers_input(compiled, json, &writes, NULL, NULL), SS_OK);
    ss_writes_fini(&writes);
    json_decref(json);
    ss_graph_unref(compiled);
}

#define STATE                                                                  \
    "{'name': 'g', 'state': [{'key': 'x'}, {'key': 'y'}], 'input': ['x'], "    \
    "'nodes': [], 'edges': [['__start__', '__end__']]}"
#define ROOT                                                                   \
    "{'name': 'g', 'state': [{'key': '__root__'}], 'nodes': [], 'edges': "     \
    "[['__start__', '__end__']]}"
#define RAW                                                                    \
    "{'name': 'g', 'kind': 'raw', 'channels': [{'name': 'a'}, {'name': "       \
    "'b'}, {'name': 'c'}], 'nodes': [{'name': 'n', 'subscribe': ['a']}], "     \
    "'input': ['a', 'b'], 'output': 'c'}"

START_TEST(a_state_graph_takes_its_input_whole)
{
    expect_input(STATE, "{'x': 1}", "[['__start__', {'x': 1}]]", 0);
    expect_input(STATE, "{}", "[['__start__', {}]]", 0); // sharp edge 29
    expect_input(STATE, "null", "[]", 0);
    expect_input(STATE, "'hi'", "[['__start__', 'hi']]", 0);
    expect_input(STATE, "{'x': 1, 'y': 2, 'z': 3}",
        "[['__start__', {'x': 1, 'y': 2, 'z': 3}]]", 2);
    expect_input(ROOT, "{'k': 1}", "[['__start__', {'k': 1}]]", 0);
}
END_TEST

START_TEST(a_list_of_channels_takes_a_map)
{
    expect_input(
        RAW, "{'b': 2, 'c': 3, 'a': 1, 'd': 4}", "[['b', 2], ['a', 1]]", 2);
    expect_input(RAW, "null", "[]", 0);
    expect_input(RAW, "{}", "[]", 0);
    struct ss_graph *graph = compile(RAW);
    struct ss_writes writes = {0};
    struct ss_error error;
    json_t *input = js("[1]");
    ck_assert_int_eq(
        ss_writers_input(graph, input, &writes, NULL, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "graph \"g\""));
    json_decref(input);
    ss_graph_unref(graph);
}
END_TEST

RUN("command", goto_then_resume_then_update, a_marked_command_is_the_same,
    updates_are_maps_pairs_or_the_root, a_bad_command_makes_no_write,
    a_state_graph_takes_its_input_whole, a_list_of_channels_takes_a_map)
