// Raw graphs: channels and nodes that subscribe (spec/engine.md R0.1-R0.4).
#include "common/model/reserved.h"

#include "tests/unit/model/help.h"

#define RAW(channels, node, ports)                                             \
    "{'name': 'g', 'kind': 'raw', 'channels': [{'name': 'a', 'kind': "         \
    "'LastValue'}, {'name': 'b'}" channels "], 'nodes': [{'name': 'n', " node  \
    "}], " ports "}"
#define PORTS "'input': 'a', 'output': 'b'"
#define ONLY  "'subscribe_only': 'a', 'writes': ['b']"

static void expect_keys(const struct ss_keys *keys, const char *expected)
{
    json_t *list = json_array();
    for (size_t i = 0; i < keys->count; i++)
        json_array_append_new(list, json_string(keys->items[i]));
    expect_json(list, expected);
}

START_TEST(a_node_may_subscribe_to_one_channel_as_its_value)
{
    struct ss_graph *graph = compile(RAW("", ONLY, PORTS));
    const struct ss_node *node = &graph->nodes[0];
    ck_assert(!graph->is_state && node->has_body && node->has_writers);
    ck_assert(node->reads.scalar);
    expect_keys(&node->reads, "['a']");
    ck_assert_uint_eq(node->triggers_count, 1);
    ck_assert_uint_eq(node->triggers[0], 0);
    ck_assert_uint_eq(node->raw_writes_count, 1);
    ck_assert_str_eq(node->raw_writes[0].channel, "b");
    ck_assert(!node->raw_writes[0].mapped && !node->raw_writes[0].skip_null);
    ck_assert(graph->input.scalar && graph->output.scalar);
    // All channels, the one of sends too, which every graph has.
    expect_keys(&graph->stream, "['a', 'b', '__pregel_tasks']");
    ck_assert(!graph->stream.scalar);
    ck_assert_uint_eq(graph->tasks_channel, 2);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(a_node_may_subscribe_to_several_and_read_more)
{
    struct ss_graph *graph =
        compile(RAW(", {'name': 'c', 'kind': 'Topic', 'accumulate': true}",
            "'subscribe': ['c', 'a'], 'read': ['b', 'c'], 'skip_null': true, "
            "'writes': [{'channel': 'b', 'mapped': true}, {'channel': 'zz', "
            "'skip_null': false}]",
            "'input': ['b', 'a'], 'output': ['b', 'c'], 'stream': 'c'"));
    const struct ss_node *node = &graph->nodes[0];
    ck_assert(!node->reads.scalar);
    expect_keys(&node->reads, "['c', 'a', 'b', 'c']"); // as given
    // Sorted by name (R3.6).
    ck_assert_uint_eq(node->triggers_count, 2);
    ck_assert_str_eq(graph->channels[node->triggers[0]].name, "a");
    ck_assert_str_eq(graph->channels[node->triggers[1]].name, "c");
    ck_assert(node->raw_writes[0].mapped && node->raw_writes[0].skip_null);
    ck_assert(!node->raw_writes[1].mapped && !node->raw_writes[1].skip_null);
    expect_keys(&graph->input, "['b', 'a']");
    ck_assert(!graph->input.scalar && !graph->output.scalar);
    ck_assert(graph->stream.scalar);
    expect_keys(&graph->stream, "['c']");
    ss_graph_unref(graph);
}
END_TEST

START_TEST(the_channel_of_sends_may_be_defined_as_a_topic)
{
    struct ss_graph *graph = compile(
        RAW(", {'name': '__pregel_tasks', 'kind': 'Topic'}, {'name': 'c'}",
            ONLY, PORTS));
    ck_assert_uint_eq(graph->tasks_channel, 2);
    ck_assert_uint_eq(graph->channels_count, 4);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(a_channel_of_a_state_graphs_own_names_is_fine_here)
{
    ss_graph_unref(compile(
        RAW(", {'name': '__start__', 'kind': 'EphemeralValue'}, {'name': "
            "'branch:to:x'}, {'name': 'join:x:y'}",
            ONLY, PORTS)));
}
END_TEST

START_TEST(a_node_without_writes_has_no_writers)
{
    struct ss_graph *graph = compile(RAW("", "'subscribe_only': 'a'", PORTS));
    ck_assert(!graph->nodes[0].has_writers);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(managed_values_may_be_read)
{
    ss_graph_unref(
        compile(RAW(", {'name': 'left', 'managed': 'remaining_steps'}",
            "'subscribe': ['a'], 'read': ['left'], 'writes': ['b']", PORTS)));
}
END_TEST

START_TEST(one_subscribed_input_channel_is_enough)
{
    ss_graph_unref(
        compile(RAW("", ONLY, "'input': ['b', 'a'], 'output': 'b'")));
}
END_TEST

START_TEST(a_write_to_no_channel_is_refused_only_by_strict_graphs)
{
    static const char *const text =
        RAW("", "'subscribe_only': 'a', 'writes': ['bb']", PORTS);
    ss_graph_unref(compile(text));
    expect_refused(RAW("", "'subscribe_only': 'a', 'writes': ['zz']",
                       PORTS ", 'strict': true"),
        SS_EINVAL, "node \"n\": there is no channel \"zz\"");
}
END_TEST

START_TEST(what_a_raw_graph_cannot_be_is_refused)
{
    static const struct {
        const char *graph;
        const char *words;
    } cases[] = {
        {RAW(", {'name': 'a'}", ONLY, PORTS), "\"a\" is defined twice"},
        {RAW(", {'name': '__input__'}", ONLY, PORTS), "reserved"},
        {RAW(", {'name': '__pregel_tasks', 'kind': 'LastValue'}", ONLY, PORTS),
            "must be a Topic"},
        {RAW(", {'name': 'c', 'kind': 'topic'}", ONLY, PORTS),
            "Did you mean \"Topic\"?"},
        {RAW(", {}", ONLY, PORTS), "a channel without a name"},
        {RAW("", "'subscribe': ['a'], 'read': ['zz']", PORTS),
            "node \"n\": there is no channel \"zz\""},
        {RAW("", "'subscribe': ['a', 'zz']", PORTS), "\"zz\""},
        {RAW(", {'name': 'left', 'managed': 'is_last_step'}",
             "'subscribe': ['a', 'left']", PORTS),
            "\"left\""},
        {RAW("", "'subscribe_only': 'zz'", PORTS), "\"zz\""},
        {RAW("", "'subscribe_only': 'a', 'read': ['b']", PORTS),
            "subscribe_only"},
        {RAW("", "'subscribe_only': 'a', 'subscribe': ['b']", PORTS),
            "subscribe_only"},
        {RAW("", "'subscribe': 'a'", PORTS), "list of names"},
        {RAW("", "'subscribe': [1]", PORTS), "item 0"},
        {RAW("", ONLY, "'input': 'zz', 'output': 'b'"),
            "input: there is no channel \"zz\""},
        {RAW("", ONLY, "'input': 'b', 'output': 'b'"),
            "no node subscribes to the input channel b"},
        {RAW("", ONLY, "'input': ['b'], 'output': 'b'"),
            "no node subscribes to an input channel"},
        {RAW("", ONLY, "'output': 'b'"), "no node subscribes"},
        {RAW("", ONLY, "'input': 5, 'output': 'b'"), "a name or a list"},
        {RAW("", ONLY, "'input': 'a', 'output': ['b', 'zz']"),
            "output: there is no channel \"zz\""},
        {RAW("", ONLY, PORTS ", 'stream': ['zz']"), "stream: "},
        {RAW("", ONLY, PORTS ", 'interrupt_after': ['zz']"),
            "there is no node \"zz\""},
        {RAW("", ONLY "}, {'name': '__error__'", PORTS), "reserved"},
        {RAW("", ONLY "}, {'name': 'n'", PORTS), "\"n\" is defined twice"},
        {RAW("", ONLY "}, {'name': 'n|m'", PORTS), "may not contain"},
        {RAW("", "'subscribe_only': 'a', 'writes': 'b'", PORTS), "writes"},
        {RAW("", "'subscribe_only': 'a', 'writes': [{}]", PORTS), "write 0"},
        {RAW("", "'subscribe_only': 'a', 'timeout_ms': 0", PORTS),
            "timeout_ms"},
        {"{'name': 'g', 'kind': 'raw', 'nodes': []}", "\"channels\""},
        {"{'name': 'g', 'kind': 'raw', 'channels': []}", "\"nodes\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        expect_refused(cases[i].graph, SS_EINVAL, cases[i].words);
}
END_TEST

RUN("raw", a_node_may_subscribe_to_one_channel_as_its_value,
    a_node_may_subscribe_to_several_and_read_more,
    the_channel_of_sends_may_be_defined_as_a_topic,
    a_channel_of_a_state_graphs_own_names_is_fine_here,
    a_node_without_writes_has_no_writers, managed_values_may_be_read,
    one_subscribed_input_channel_is_enough,
    a_write_to_no_channel_is_refused_only_by_strict_graphs,
    what_a_raw_graph_cannot_be_is_refused)
