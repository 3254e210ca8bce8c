// From what a node returned to its task's writes: spec/engine.md R0.7, R0.8,
// spec/graph.md 2.7-2.10.
#include "common/model/writers.h"

#include "common/model/reserved.h"
#include "tests/unit/model/help.h"

// One run of a node's writers, and the application's part in it.
struct run {
    struct ss_graph *graph;
    struct ss_writes writes;
    struct ss_error error;
    json_t *parent;
    json_t *channels; // what routers read: stored forms
    json_t *managed;
    const char *answers[4]; // of the branches, in order
    json_t *seen;           // what each router saw
    bool has_hooks;
};

static int route(void *ctx, const struct ss_node *node, size_t branch,
    json_t *state, json_t **ret_answer, struct ss_error *error)
{
    struct run *run = ctx;
    ck_assert_uint_lt(branch, node->branches_count);
    json_array_append(run->seen, state);
    if (strcmp(run->answers[branch], "fails") == 0)
        return ss_error_set(error, SS_ENODE, "the router fell");
    *ret_answer = js(run->answers[branch]);
    return SS_OK;
}

static int map(void *ctx, const struct ss_node *node, size_t write,
    json_t *returned, json_t **ret_value, struct ss_error *error)
{
    (void)ctx, (void)error;
    if (json_is_true(returned))
        return ss_error_set(error, SS_ENODE, "the map fell");
    if (json_is_false(returned)) {
        *ret_value = json_null();
        return SS_OK;
    }
    *ret_value = json_pack("[s, i, O]", node->name, (int)write, returned);
    return SS_OK;
}

static int fold(void *ctx, const struct ss_channel_spec *channel, json_t *value,
    json_t *const *writes, size_t count, json_t **ret_value,
    struct ss_error *error)
{
    (void)ctx, (void)error;
    json_t *list = json_pack("[s, O]", channel->reducer_name, value);
    for (size_t i = 0; i < count; i++)
        json_array_append(list, writes[i]);
    *ret_value = list;
    return SS_OK;
}

static struct run start(const char *graph)
{
    return (struct run){.graph = compile(graph),
        .channels = json_object(),
        .managed = json_object(),
        .seen = json_array(),
        .has_hooks = true};
}

static int run_node(struct run *run, const char *node, const char *returned)
{
    struct ss_writer_hooks hooks = {
        .route = route, .map = map, .fold = fold, .ctx = run};
    struct ss_fresh fresh = {
        ss_value_new(json_incref(run->channels)), run->managed};
    json_t *json = js(returned);
    char *before = ss_json_text(json);
    size_t index = ss_graph_node(run->graph, node);
    ck_assert_uint_ne(index, SS_NONE);
    json_decref(run->parent);
    int status = ss_writers_run(run->graph, &run->graph->nodes[index], json,
        &fresh, run->has_hooks ? &hooks : NULL, "task", &run->writes,
        &run->parent, &run->error);
    ss_value_unref(fresh.channels);
    char *after = ss_json_text(json);
    ck_assert_str_eq(before, after);
    ss_free(before);
    ss_free(after);
    json_decref(json);
    return status;
}

static void forget(struct run *run)
{
    ss_writes_fini(&run->writes);
    json_decref(run->parent);
    run->parent = NULL;
}

static void finish(struct run *run)
{
    forget(run);
    json_decref(run->channels);
    json_decref(run->managed);
    json_decref(run->seen);
    ss_graph_unref(run->graph);
}

// The writes are exactly these [channel, value] pairs, in order.
static void expect_writes(struct run *run, const char *expected)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->writes.count; i++)
        json_array_append_new(
            list, json_pack("[s, O]", run->writes.items[i].channel,
                      ss_value_json(run->writes.items[i].value)));
    expect_json(list, expected);
}

static void expect(struct run *run, const char *node, const char *returned,
    const char *expected)
{
    int status = run_node(run, node, returned);
    if (status != SS_OK)
        ck_abort_msg("%s", run->error.message);
    ck_assert_ptr_null(run->parent);
    expect_writes(run, expected);
    forget(run);
}

// Refused, and no write was made.
static void refuse(struct run *run, const char *node, const char *returned,
    int status, const char *words)
{
    ss_writes_add(&run->writes, "before", ss_value_null());
    ck_assert_int_eq(run_node(run, node, returned), status);
    if (!strstr(run->error.message, words))
        ck_abort_msg("\"%s\" lacks \"%s\"", run->error.message, words);
    expect_writes(run, "[['before', null]]");
    forget(run);
}

#define STATE                                                                  \
    "'name': 'g', 'state': [{'key': 'log', 'type': 'list', 'reducer': "        \
    "'add'}, {'key': 'x'}, {'key': 'left', 'managed': 'remaining_steps'}]"
#define PLAIN                                                                  \
    "{" STATE ", 'nodes': [{'name': 'a'}, {'name': 'b'}], 'edges': "           \
    "[['__start__', 'a']]}"

START_TEST(known_keys_of_a_map_are_written_in_their_order)
{
    struct run run = start(PLAIN);
    expect(&run, "a", "{'x': 1, 'typo': 2, 'log': ['a']}",
        "[['x', 1], ['log', ['a']]]"); // sharp edge 23
    expect(&run, "a", "{'x': null}", "[['x', null]]");
    expect(&run, "a", "{}", "[]");
    expect(&run, "a", "null", "[]");
    // A managed value is written, and nobody takes it.
    expect(&run, "a", "{'left': 5}", "[['left', 5]]");
    // Channels of the graph's own are not keys.
    expect(&run, "a", "{'branch:to:b': 1, '__start__': 2}", "[]");
    finish(&run);
}
END_TEST

START_TEST(what_is_no_map_is_an_invalid_update)
{
    struct run run = start(PLAIN);
    refuse(&run, "a", "'hi'", SS_EUPDATE,
        "node \"a\": expected a map of state keys or a Command, got a text: "
        "\"hi\"");
    refuse(&run, "a", "3", SS_EUPDATE, "a number");
    refuse(&run, "a", "true", SS_EUPDATE, "a truth value");
    refuse(&run, "a", "[]", SS_EUPDATE, "a list");
    refuse(&run, "a", "[{'x': 1}]", SS_EUPDATE, "a list");
    // A list of sends alone is none of Commands.
    refuse(&run, "a", "{'$list': [{'$send': {'node': 'b', 'arg': 1}}]}",
        SS_EUPDATE, "a list");
    refuse(&run, "a", "[{'$command': {}}]", SS_EUPDATE, "a list");
    finish(&run);
}
END_TEST

START_TEST(edges_then_joins_follow_the_state)
{
    struct run run = start(
        "{" STATE ", 'nodes': [{'name': 'a'}, {'name': 'b'}, {'name': 'c'}], "
        "'edges': [['__start__', 'a'], [['a', 'b'], 'c'], ['a', 'c'], ['a', "
        "'b'], ['a', '__end__']]}");
    expect(&run, "a", "{'x': 1}",
        "[['x', 1], ['branch:to:c', null], ['branch:to:b', null], "
        "['join:a+b:c', 'a']]");
    expect(&run, "b", "null", "[['join:a+b:c', 'b']]");
    expect(&run, "c", "null", "[]");
    finish(&run);
}
END_TEST

START_TEST(the_start_writes_only_input_keys_and_no_marks_that_are_quoted)
{
    struct run run =
        start("{" STATE ", 'input': ['x'], 'nodes': [{'name': 'a'}], 'edges': "
              "[['__start__', 'a']]}");
    expect(&run, "__start__", "{'log': ['no'], 'x': 1, 'left': 2}",
        "[['x', 1], ['branch:to:a', null]]");
    expect(&run, "__start__", "{}", "[['branch:to:a', null]]");
    // A client's input is data, whatever it looks like: the engine quotes it.
    expect(&run, "__start__", "{'$quote': {'$send': {'node': 'a', 'arg': 1}}}",
        "[['branch:to:a', null]]");
    expect(&run, "__start__",
        "{'$quote': {'$command': {'graph': '__parent__', 'goto': 'a'}}}",
        "[['branch:to:a', null]]");
    refuse(&run, "__start__", "'hi'", SS_EUPDATE, "node \"__start__\"");
    refuse(&run, "__start__", "[1]", SS_EUPDATE, "a list");
    finish(&run);
}
END_TEST

START_TEST(a_send_in_place_of_an_update_is_only_sent)
{
    struct run run = start(PLAIN);
    expect(&run, "a", "{'$send': {'node': 'b', 'arg': {'q': 1}}}",
        "[['__pregel_tasks', {'$send': {'node': 'b', 'arg': {'q': 1}}}]]");
    expect(&run, "a", "{'$send': {'node': 'b', 'arg': null, 'timeout_ms': 5}}",
        "[['__pregel_tasks', {'$send': {'node': 'b', 'arg': null, "
        "'timeout_ms': 5}}]]");
    refuse(&run, "a", "{'$send': {'arg': 1}}", SS_EINVAL, "node's name");
    finish(&run);
}
END_TEST

START_TEST(a_command_updates_and_goes_on)
{
    struct run run =
        start("{" STATE ", 'nodes': [{'name': 'a'}, {'name': 'b'}], 'edges': "
              "[['__start__', 'a'], ['a', 'b']]}");
    expect(&run, "a", "{'$command': {'update': {'x': 1, 'typo': 2}}}",
        "[['x', 1], ['branch:to:b', null]]");
    // A goto adds to the edges, it does not replace them.
    expect(&run, "a", "{'$command': {'goto': 'a', 'update': {'x': 1}}}",
        "[['x', 1], ['branch:to:a', null], ['branch:to:b', null]]");
    expect(&run, "b",
        "{'$command': {'goto': ['a', {'$send': {'node': 'b', 'arg': 1}}, "
        "'__end__', 'zz', '__start__']}}",
        "[['branch:to:a', null], ['__pregel_tasks', {'$send': {'node': 'b', "
        "'arg': 1}}], ['branch:to:zz', null], ['branch:to:__start__', "
        "null]]");
    expect(&run, "b", "{'$command': {'goto': []}}", "[]");
    expect(&run, "b", "{'$command': {'goto': null, 'update': null}}", "[]");
    expect(&run, "b", "{'$command': {'goto': {'$list': ['a']}}}",
        "[['branch:to:a', null]]");
    // Any other graph's name is this one (spec/graph.md 2.8).
    expect(&run, "b", "{'$command': {'graph': 'g', 'update': {'x': 1}}}",
        "[['x', 1]]");
    refuse(&run, "b", "{'$command': {'goto': 5}}", SS_EINVAL,
        "goto takes names and sends, not a number");
    refuse(&run, "b", "{'$command': {'goto': [['a']]}}", SS_EINVAL,
        "a list within");
    refuse(&run, "b", "{'$command': {'goto': ['a', null, 5]}}", SS_EINVAL,
        "a number");
    finish(&run);
}
END_TEST

// Whether the graph has such a node or not.
START_TEST(a_command_goes_to_names_of_all_lengths)
{
    for (int size = 100; size <= 140; size++) {
        char *graph = ss_format("{" STATE ", 'nodes': [{'name': 'a'}, "
                                "{'name': '%0*d'}], 'edges': "
                                "[['__start__', 'a']]}",
            size, 7);
        char *returned = ss_format(
            "{'$command': {'goto': ['%0*d', '%0*d']}}", size, 7, size, 8);
        char *expected =
            ss_format("[['branch:to:%0*d', null], ['branch:to:%0*d', null]]",
                size, 7, size, 8);
        struct run run = start(graph);
        expect(&run, "a", returned, expected);
        finish(&run);
        ss_free(graph);
        ss_free(returned);
        ss_free(expected);
    }
}
END_TEST

START_TEST(an_update_may_be_a_list_of_pairs)
{
    struct run run = start(PLAIN);
    expect(&run, "a",
        "{'$command': {'update': [['log', [1]], ['typo', 0], ['log', [2]]]}}",
        "[['log', [1]], ['log', [2]]]");
    expect(&run, "a", "{'$command': {'update': []}}", "[]");
    // What is neither is for the root, which this state has not.
    expect(&run, "a", "{'$command': {'update': 5}}", "[]");
    expect(&run, "a", "{'$command': {'update': [['log']]}}", "[]");
    finish(&run);
}
END_TEST

START_TEST(a_list_with_commands_adds_up)
{
    struct run run = start(PLAIN);
    expect(&run, "a",
        "{'$list': [{'$command': {'update': {'x': 1}, 'goto': 'b'}}, {'log': "
        "['m']}, null, {'$command': {'update': {'x': 2}, 'goto': 'a'}}, "
        "{'$send': {'node': 'b', 'arg': 1}}, {'$list': [{'$command': "
        "{'update': {'x': 3}}}]}]}",
        "[['x', 1], ['log', ['m']], ['x', 2], ['x', 3], ['branch:to:b', "
        "null], ['branch:to:a', null], ['__pregel_tasks', {'$send': {'node': "
        "'b', 'arg': 1}}]]");
    refuse(&run, "a", "{'$list': [{'$command': {}}, 'text']}", SS_EUPDATE,
        "a text");
    refuse(
        &run, "a", "{'$list': [{'$command': {}}, [{}]]}", SS_EUPDATE, "a list");
    finish(&run);
}
END_TEST

START_TEST(a_command_to_the_parent_makes_no_write)
{
    struct run run =
        start("{" STATE ", 'nodes': [{'name': 'a'}, {'name': 'b'}], 'edges': "
              "[['__start__', 'a'], ['a', 'b']]}");
    ck_assert_int_eq(run_node(&run, "a",
                         "{'$command': {'graph': '__parent__', 'goto': 'q', "
                         "'update': {'x': 1}}}"),
        SS_OK);
    ck_assert_uint_eq(run.writes.count, 0);
    // What the calling node's writers take as it is.
    expect_json(json_incref(run.parent),
        "{'$command': {'goto': 'q', 'update': {'x': 1}}}");
    ck_assert_int_eq(run_node(&run, "a",
                         "{'$list': [{'$command': {'update': {'x': 1}}}, "
                         "{'$command': {'graph': '__parent__'}}]}"),
        SS_OK);
    ck_assert_uint_eq(run.writes.count, 0);
    expect_json(json_incref(run.parent), "{'$command': {}}");
    finish(&run);
}
END_TEST

START_TEST(a_quote_is_what_it_holds)
{
    struct run run = start(PLAIN);
    expect(
        &run, "a", "{'$quote': {'x': {'$send': 1}}}", "[['x', {'$send': 1}]]");
    expect(&run, "a", "{'$quote': null}", "[]");
    refuse(&run, "a", "{'$quote': [1]}", SS_EUPDATE, "a list");
    // With another key beside it, it is a map like any other.
    expect(&run, "a", "{'$quote': 1, 'x': 2}", "[['x', 2]]");
    // Deeper inside nothing is a mark.
    expect(&run, "a", "{'x': {'$command': {'goto': 'b'}}}",
        "[['x', {'$command': {'goto': 'b'}}]]");
    finish(&run);
}
END_TEST

#define ROOT                                                                   \
    "{'name': 'g', 'state': [{'key': '__root__', 'type': 'list', 'reducer': "  \
    "'add'}], 'nodes': [{'name': 'a'}], 'edges': [['__start__', 'a']]}"

START_TEST(a_root_states_node_returns_the_update_itself)
{
    struct run run = start(ROOT);
    expect(&run, "a", "[1, 2]", "[['__root__', [1, 2]]]");
    expect(&run, "a", "'x'", "[['__root__', 'x']]");
    expect(&run, "a", "{'k': 1}", "[['__root__', {'k': 1}]]");
    expect(&run, "a", "null", "[]");
    expect(
        &run, "a", "{'$quote': {'$send': 1}}", "[['__root__', {'$send': 1}]]");
    expect(
        &run, "__start__", "[1]", "[['__root__', [1]], ['branch:to:a', null]]");
    // Better than the reference: only sent; pairs are a value.
    expect(&run, "a", "{'$send': {'node': 'a', 'arg': 1}}",
        "[['__pregel_tasks', {'$send': {'node': 'a', 'arg': 1}}]]");
    expect(&run, "a", "{'$command': {'update': [['user', 'hi']]}}",
        "[['__root__', [['user', 'hi']]]]");
    expect(&run, "a", "{'$command': {'update': 5, 'goto': 'a'}}",
        "[['__root__', 5], ['branch:to:a', null]]");
    // A map of a Command writes channels; only one of them exists.
    expect(&run, "a", "{'$command': {'update': {'__root__': 1, 'k': 2}}}",
        "[['__root__', 1], ['k', 2]]");
    expect(&run, "a", "{'$list': [{'$command': {'update': [1]}}, [2], 3]}",
        "[['__root__', [1]], ['__root__', [2]], ['__root__', 3]]");
    expect(&run, "a", "{'$list': [1, 2]}", "[['__root__', [1, 2]]]");
    finish(&run);
}
END_TEST

#define BRANCHED(branches)                                                     \
    "{" STATE ", 'nodes': [{'name': 'a'}, {'name': 'b'}, {'name': 'c'}], "     \
    "'edges': [['__start__', 'a'], ['a', 'c']], 'branches': [" branches "]}"

START_TEST(routers_answer_after_all_other_writes)
{
    struct run run = start(
        BRANCHED("{'from': 'a', 'name': 'r'}, {'from': 'a', 'name': 's'}"));
    run.answers[0] = "['b', {'$send': {'node': 'c', 'arg': 1}}, '__end__']";
    run.answers[1] = "'zz'";
    expect(&run, "a", "{'x': 1}",
        "[['x', 1], ['branch:to:c', null], ['branch:to:b', null], "
        "['__pregel_tasks', {'$send': {'node': 'c', 'arg': 1}}], "
        "['branch:to:zz', null]]");
    run.answers[0] = "[]";
    run.answers[1] = "{'$list': ['b', 'b']}";
    expect(&run, "a", "null",
        "[['branch:to:c', null], ['branch:to:b', null], ['branch:to:b', "
        "null]]");
    run.answers[0] = "'__end__'";
    run.answers[1] = "{'$send': {'node': 'b', 'arg': null}}";
    expect(&run, "b", "null", "[]");
    expect(&run, "a", "null",
        "[['branch:to:c', null], ['__pregel_tasks', {'$send': {'node': 'b', "
        "'arg': null}}]]");
    finish(&run);
}
END_TEST

START_TEST(an_answer_that_leads_nowhere_is_refused)
{
    struct run run = start(BRANCHED("{'from': 'a', 'name': 'r'}"));
    run.answers[0] = "null";
    refuse(&run, "a", "{'x': 1}", SS_EINVAL,
        "branch \"r\" of \"a\": the router answered null");
    run.answers[0] = "'__start__'";
    refuse(&run, "a", "{'x': 1}", SS_EINVAL, "\"__start__\"");
    run.answers[0] = "['b', null]";
    refuse(&run, "a", "{'x': 1}", SS_EINVAL, "null");
    run.answers[0] = "{'$send': {'node': '__end__', 'arg': 1}}";
    refuse(&run, "a", "{'x': 1}", SS_EUPDATE, "to the end");
    run.answers[0] = "{'a': 1}";
    refuse(&run, "a", "{'x': 1}", SS_EINVAL, "a map");
    run.answers[0] = "{'$send': {}}";
    refuse(&run, "a", "{'x': 1}", SS_EINVAL, "node's name");
    run.answers[0] = "fails";
    refuse(&run, "a", "{'x': 1}", SS_ENODE, "the router fell");
    // Numbers have a text, and no node has it.
    run.answers[0] = "[5, true, false]";
    expect(&run, "a", "null",
        "[['branch:to:c', null], ['branch:to:5', null], ['branch:to:true', "
        "null], ['branch:to:false', null]]");
    finish(&run);
}
END_TEST

START_TEST(a_map_translates_all_but_sends)
{
    struct run run = start(BRANCHED(
        "{'from': 'a', 'name': 'r', 'map': {'yes': 'b', 'no': '__end__', "
        "'1': 'c', 'null': 'b'}}"));
    run.answers[0] = "['yes', {'$send': {'node': 'c', 'arg': 1}}, 'no', 1]";
    expect(&run, "a", "null",
        "[['branch:to:c', null], ['branch:to:b', null], ['__pregel_tasks', "
        "{'$send': {'node': 'c', 'arg': 1}}], ['branch:to:c', null]]");
    run.answers[0] = "null";
    expect(&run, "a", "null", "[['branch:to:c', null], ['branch:to:b', null]]");
    run.answers[0] = "'yess'";
    refuse(&run, "a", "{'x': 1}", SS_EROUTE,
        "branch \"r\" of \"a\": the router's answer \"yess\" is not in the "
        "map. Did you mean \"yes\"?");
    run.answers[0] = "['yes', 'b']";
    refuse(&run, "a", "{'x': 1}", SS_EROUTE, "\"b\"");
    finish(&run);
}
END_TEST

START_TEST(a_router_sees_its_own_tasks_writes_and_no_others)
{
    struct run run = start(BRANCHED(
        "{'from': 'a', 'name': 'r'}, {'from': 'a', 'name': 'own', 'reads': "
        "['log']}"));
    run.answers[0] = run.answers[1] = "[]";
    json_object_set_new(run.channels, "log", js("['in']"));
    json_object_set_new(run.managed, "left", js("4"));
    // Keys that are not state show too, but not to a router with reads.
    expect(&run, "a", "{'log': ['a'], 'hint': 'go', 'x': 1}",
        "[['log', ['a']], ['x', 1], ['branch:to:c', null]]");
    expect_json(json_incref(json_array_get(run.seen, 0)),
        "{'log': ['in', 'a'], 'hint': 'go', 'x': 1, 'left': 4}");
    expect_json(
        json_incref(json_array_get(run.seen, 1)), "{'log': ['in', 'a']}");
    json_array_clear(run.seen);
    // After a Command nothing is laid beneath.
    expect(&run, "a", "{'$command': {'update': {'log': ['a'], 'hint': 1}}}",
        "[['log', ['a']], ['branch:to:c', null]]");
    expect_json(json_incref(json_array_get(run.seen, 0)),
        "{'log': ['in', 'a'], 'left': 4}");
    json_array_clear(run.seen);
    expect(&run, "a", "{'$quote': {'x': 2, 'hint': 1}}",
        "[['x', 2], ['branch:to:c', null]]");
    expect_json(json_incref(json_array_get(run.seen, 0)),
        "{'log': ['in'], 'x': 2, 'hint': 1, 'left': 4}");
    finish(&run);
}
END_TEST

START_TEST(a_router_whose_read_fails_fails_the_task)
{
    struct run run = start(BRANCHED("{'from': 'a', 'name': 'r'}"));
    run.answers[0] = "[]";
    refuse(&run, "a", "{'log': 5}", SS_EINVAL, "channel \"log\"");
    refuse(&run, "a", "{'$command': {'update': [['x', 1], ['x', 2]]}}",
        SS_EUPDATE, "channel \"x\"");
    ck_assert_uint_eq(json_array_size(run.seen), 0);
    finish(&run);
}
END_TEST

START_TEST(a_router_of_a_narrow_node_sees_raw_updates_beneath)
{
    struct run run =
        start("{" STATE ", 'nodes': [{'name': 'a', 'reads': ['x']}], 'edges': "
              "[['__start__', 'a']], 'branches': [{'from': 'a', 'name': 'r'}, "
              "{'from': '__start__', 'name': 's'}]}");
    run.answers[0] = "[]";
    json_object_set_new(run.channels, "log", js("['in']"));
    expect(
        &run, "a", "{'log': ['raw'], 'x': 1}", "[['log', ['raw']], ['x', 1]]");
    expect_json(
        json_incref(json_array_get(run.seen, 0)), "{'log': ['raw'], 'x': 1}");
    json_array_clear(run.seen);
    expect(&run, "__start__", "{'unknown': 1, 'log': ['new']}",
        "[['log', ['new']], ['branch:to:a', null]]");
    expect_json(json_incref(json_array_get(run.seen, 0)),
        "{'unknown': 1, 'log': ['in', 'new']}");
    finish(&run);
}
END_TEST

START_TEST(a_root_states_router_sees_the_value)
{
    struct run run =
        start("{'name': 'g', 'state': [{'key': '__root__', 'type': 'any'}], "
              "'nodes': [{'name': 'a'}], 'edges': [['__start__', 'a']], "
              "'branches': [{'from': 'a', 'name': 'r'}]}");
    run.answers[0] = "[]";
    expect(&run, "a", "{'k': 1}", "[['__root__', {'k': 1}]]");
    expect(&run, "a", "null", "[]");
    // A map returned lies beneath a map of the state, here the same.
    expect_json(json_incref(run.seen), "[{'k': 1}, null]");
    finish(&run);
}
END_TEST

START_TEST(without_an_application_routers_are_refused)
{
    struct run run = start(BRANCHED("{'from': 'a', 'name': 'r'}"));
    run.has_hooks = false;
    refuse(&run, "a", "{'x': 1}", SS_ESTATE, "needs a worker");
    expect(&run, "b", "{'x': 1}", "[['x', 1]]");
    ck_assert(ss_writers_need_worker(
        &run.graph->nodes[ss_graph_node(run.graph, "a")]));
    ck_assert(!ss_writers_need_worker(
        &run.graph->nodes[ss_graph_node(run.graph, "b")]));
    finish(&run);
}
END_TEST

START_TEST(a_strict_graph_refuses_targets_that_are_no_nodes)
{
    struct run run = start(
        "{" STATE ", 'nodes': [{'name': 'search'}], 'edges': [['__start__', "
        "'search']], 'branches': [{'from': 'search', 'name': 'r'}], "
        "'strict': true}");
    run.answers[0] = "'serach'";
    refuse(&run, "search", "null", SS_EROUTE,
        "node \"search\" leads to \"serach\": there is no such node. Did you "
        "mean \"search\"?");
    run.answers[0] = "['search', '__end__']";
    expect(&run, "search", "null", "[['branch:to:search', null]]");
    refuse(&run, "search", "{'$command': {'goto': 'zz'}}", SS_EROUTE, "zz");
    refuse(
        &run, "search", "{'$send': {'node': 'zz', 'arg': 1}}", SS_EROUTE, "zz");
    finish(&run);
}
END_TEST

#define RAW(node)                                                              \
    "{'name': 'g', 'kind': 'raw', 'channels': [{'name': 'a'}, {'name': "       \
    "'b'}], 'nodes': [{'name': 'n', 'subscribe_only': 'a', " node "}], "       \
    "'input': 'a', 'output': 'b'}"

START_TEST(a_raw_node_writes_what_it_returned)
{
    struct run run =
        start(RAW("'writes': ['b', {'channel': 'a', 'mapped': true}, 'zz']"));
    const struct ss_node *node = &run.graph->nodes[0];
    ck_assert(ss_writers_need_worker(node));
    expect(&run, "n", "5", "[['b', 5], ['a', ['n', 1, 5]], ['zz', 5]]");
    expect(&run, "n", "null",
        "[['b', null], ['a', ['n', 1, null]], ['zz', null]]");
    expect(&run, "n", "{'$quote': {'$writes': 1}}",
        "[['b', {'$writes': 1}], ['a', ['n', 1, {'$writes': 1}]], ['zz', "
        "{'$writes': 1}]]");
    refuse(&run, "n", "true", SS_ENODE, "the map fell");
    run.has_hooks = false;
    refuse(&run, "n", "5", SS_ESTATE, "application");
    finish(&run);
}
END_TEST

START_TEST(a_raw_node_may_skip_null)
{
    struct run run = start(RAW(
        "'skip_null': true, 'writes': ['b', {'channel': 'a', 'mapped': true}, "
        "{'channel': 'c', 'skip_null': false}]"));
    expect(&run, "n", "null", "[['a', ['n', 1, null]], ['c', null]]");
    expect(&run, "n", "false", "[['b', false], ['c', false]]");
    finish(&run);
}
END_TEST

START_TEST(a_raw_node_may_write_channels_by_name)
{
    struct run run = start(RAW("'writes': ['b']"));
    expect(&run, "n", "{'$writes': [['a', 1], ['a', 2], ['b', null]]}",
        "[['a', 1], ['a', 2], ['b', null]]");
    expect(&run, "n", "{'$writes': []}", "[]");
    refuse(&run, "n", "{'$writes': [['a', 1], ['__pregel_tasks', 1]]}",
        SS_EUPDATE, "\"__pregel_tasks\"");
    refuse(&run, "n", "{'$writes': [['__resume__', 1]]}", SS_EUPDATE,
        "\"__resume__\"");
    refuse(&run, "n", "{'$writes': [['a']]}", SS_EUPDATE, "pairs");
    refuse(&run, "n", "{'$writes': 5}", SS_EUPDATE, "pairs");
    finish(&run);
    run = start(RAW("'writes': ['__pregel_tasks']"));
    refuse(&run, "n", "5", SS_EUPDATE, "\"__pregel_tasks\"");
    finish(&run);
}
END_TEST

START_TEST(writes_are_copied_with_their_values)
{
    struct ss_writes from = {0}, to;
    ss_writes_add(&from, "a", value_of("[1]"));
    ss_writes_add(&from, "b", ss_value_null());
    ss_writes_copy(&to, &from);
    ss_writes_fini(&from);
    ck_assert_uint_eq(from.count, 0);
    ck_assert_uint_eq(to.count, 2);
    ck_assert_str_eq(to.items[0].channel, "a");
    expect_json(json_incref(ss_value_json(to.items[0].value)), "[1]");
    ss_writes_fini(&to);
}
END_TEST

RUN("writers", known_keys_of_a_map_are_written_in_their_order,
    what_is_no_map_is_an_invalid_update, edges_then_joins_follow_the_state,
    the_start_writes_only_input_keys_and_no_marks_that_are_quoted,
    a_send_in_place_of_an_update_is_only_sent, a_command_updates_and_goes_on,
    a_command_goes_to_names_of_all_lengths, an_update_may_be_a_list_of_pairs,
    a_list_with_commands_adds_up, a_command_to_the_parent_makes_no_write,
    a_quote_is_what_it_holds, a_root_states_node_returns_the_update_itself,
    routers_answer_after_all_other_writes,
    an_answer_that_leads_nowhere_is_refused, a_map_translates_all_but_sends,
    a_router_sees_its_own_tasks_writes_and_no_others,
    a_router_whose_read_fails_fails_the_task,
    a_router_of_a_narrow_node_sees_raw_updates_beneath,
    a_root_states_router_sees_the_value,
    without_an_application_routers_are_refused,
    a_strict_graph_refuses_targets_that_are_no_nodes,
    a_raw_node_writes_what_it_returned, a_raw_node_may_skip_null,
    a_raw_node_may_write_channels_by_name, writes_are_copied_with_their_values)
