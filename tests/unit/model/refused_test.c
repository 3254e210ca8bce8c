// Every refusal of compilation (spec/graph.md 1.1-1.3) names its culprit.
#include <stdio.h>

#include "common/model/limits.h"
#include "tests/unit/model/help.h"

// A graph of the keys k and left, with these further keys, nodes, members.
#define GRAPH(keys, nodes, more)                                               \
    "{'name': 'g', 'state': [{'key': 'k'}, {'key': 'left', 'managed': "        \
    "'remaining_steps'}" keys "], 'nodes': [{'name': 'search'}, "              \
    "{'name': 'report'}" nodes "]" more "}"
#define ENTRY "['__start__', 'search']"

struct refusal {
    const char *graph;
    const char *words; // of the message
};

static void expect_all(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect_refused(cases[i].graph, SS_EINVAL, cases[i].words);
        expect_refused(cases[i].graph, SS_EINVAL, "graph \"g\": ");
    }
}

#define EXPECT_ALL(cases) expect_all(cases, sizeof(cases) / sizeof(*cases))

START_TEST(the_base_of_these_tests_is_accepted)
{
    ss_graph_unref(compile(GRAPH("", "", ", 'edges': [" ENTRY "]")));
}
END_TEST

START_TEST(a_key_that_cannot_be_is_refused)
{
    static const struct refusal cases[] = {
        {GRAPH(", {'key': 'checkpoint_id'}", "", ""), "\"checkpoint_id\""},
        {GRAPH(", {'key': 'configurable'}", "", ""), "reserved"},
        {GRAPH(", {'key': '__pregel_tasks'}", "", ""), "reserved"},
        // Defects of the reference (spec/graph.md 10.2, 12).
        {GRAPH(", {'key': '__start__'}", "", ""), "collides"},
        {GRAPH(", {'key': 'branch:to:search'}", "", ""), "collides"},
        {GRAPH(", {'key': 'join:a+b:c'}", "", ""), "collides"},
        {GRAPH(", {'key': 'k'}", "", ""), "\"k\" is defined twice"},
        {GRAPH(", {'key': 'left'}", "", ""), "\"left\" is defined twice"},
        {GRAPH(", {'key': 'k', 'managed': 'is_last_step'}", "", ""),
            "\"k\" is defined twice"},
        {GRAPH(", {'key': ''}", "", ""), "without a name"},
        {GRAPH(", {}", "", ""), "without a name"},
        {GRAPH(", 'x'", "", ""), "without a name"},
        {GRAPH(", {'key': 'x', 'channel': 'Lastvalue'}", "", ""),
            "Did you mean \"LastValue\"?"},
        {GRAPH(", {'key': 'x', 'reducer': 'ad'}", "", ""),
            "Did you mean \"add\"?"},
        {GRAPH(", {'key': 'x', 'type': 'strr'}", "", ""),
            "Did you mean \"str\"?"},
        {GRAPH(", {'key': 'x', 'managed': 'steps'}", "", ""), "is_last_step"},
        {GRAPH(", {'key': 'x', 'managed': 'is_last_step', 'reducer': 'add'}",
             "", ""),
            "managed"},
        {GRAPH(", {'key': 'x', 'reducer': 'custom'}", "", ""),
            "a custom reducer says its name"},
        {GRAPH(", {'key': 'x', 'reducer': 'add', 'custom': 'c'}", "", ""),
            "both"},
        {GRAPH(", {'key': 'x', 'channel': 'Topic', 'reducer': 'add'}", "", ""),
            "no reducer"},
        {GRAPH(", {'key': 'x', 'channel': 'LastValue', 'reducer': 'add'}", "",
             ""),
            "no reducer"},
        {GRAPH(", {'key': 'x', 'channel': 'DeltaChannel'}", "", ""),
            "takes a reducer"},
        {GRAPH(", {'key': 'x', 'channel': 'BinaryOperatorAggregate'}", "", ""),
            "takes a reducer"},
        {GRAPH(", {'key': 'x', 'channel': 'NamedBarrierValue'}", "", ""),
            "names"},
        {GRAPH(", {'key': 'x', 'names': ['a']}", "", ""), "no \"names\""},
        {GRAPH(", {'key': 'x', 'channel': 'NamedBarrierValue', 'names': "
               "[1]}",
             "", ""),
            "item 0"},
        {GRAPH(", {'key': 'x', 'channel': 'DeltaChannel', 'reducer': 'add', "
               "'snapshot_frequency': 0}",
             "", ""),
            "snapshot_frequency"},
        {GRAPH(", {'key': 'x', 'channel': 'Topic', 'default': []}", "", ""),
            "default"},
        {GRAPH(", {'key': 'x', 'type': 'int', 'default': 'a'}", "", ""),
            "\"int\""},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(a_name_that_is_too_long_is_refused)
{
    char name[SS_NAME_SIZE_MAX + 2];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    // One byte less is a name.
    char *longest =
        ss_format(GRAPH(", {'key': '%.512s'}", ", {'name': '%.512s'}",
                      ", 'edges': [" ENTRY "]"),
            name, name);
    ss_graph_unref(compile(longest));
    ss_free(longest);
    char *key = ss_format(GRAPH(", {'key': '%s'}", "", ""), name);
    expect_refused(key, SS_EINVAL, "at most 512 bytes");
    char *node = ss_format(GRAPH("", ", {'name': '%s'}", ""), name);
    expect_refused(node, SS_EINVAL, "at most 512 bytes");
    char *graph = ss_format("{'name': '%s'}", name);
    expect_refused(graph, SS_EINVAL, "512 bytes");
    ss_free(key);
    ss_free(node);
    ss_free(graph);
}
END_TEST

START_TEST(a_node_that_cannot_be_is_refused)
{
    static const struct refusal cases[] = {
        {GRAPH("", ", {'name': 'search'}", ""), "\"search\" is defined twice"},
        {GRAPH("", ", {'name': '__start__'}", ""), "entry"},
        {GRAPH("", ", {'name': '__end__'}", ""), "end"},
        {GRAPH("", ", {'name': 'a|b'}", ""), "may not contain"},
        {GRAPH("", ", {'name': 'a:b'}", ""), "may not contain"},
        {GRAPH("", ", {'name': ''}", ""), "without a name"},
        {GRAPH("", ", {}", ""), "without a name"},
        {GRAPH("", ", 5", ""), "without a name"},
        {GRAPH("", ", {'name': '__input__'}", ""), "reserved"},
        {GRAPH("", ", {'name': 'checkpoint_id'}", ""), "reserved"},
        {GRAPH("", ", {'name': '__pregel_tasks'}", ""), "reserved"},
        {GRAPH("",
             ", {'name': '__error_handler__x'}, {'name': 'x', "
             "'error_handler': true}",
             ""),
            "\"__error_handler__x\" is defined twice"},
        {GRAPH("", ", {'name': '__default_error_handler__'}",
             ", 'defaults': {'error_handler': true}"),
            "\"__default_error_handler__\" is defined twice"},
        {GRAPH("", ", {'name': 'x', 'reads': ['lef']}", ""),
            "Did you mean \"left\"?"},
        {GRAPH("", ", {'name': 'x', 'reads': ['__start__']}", ""),
            "there is no state key \"__start__\""},
        {GRAPH("", ", {'name': 'x', 'reads': 'k'}", ""), "list of names"},
        {GRAPH("", ", {'name': 'x', 'timeout_ms': 0}", ""), "timeout_ms"},
        {GRAPH("", ", {'name': 'x', 'timeout_ms': -5}", ""), "\"x\""},
        {GRAPH("", ", {'name': 'x', 'limit': {'name': 'l'}}", ""),
            "tasks_max, or begun_max and per_ms"},
        {GRAPH("", ", {'name': 'x', 'limit': {'begun_max': 5}}", ""),
            "tasks_max, or begun_max and per_ms"},
        {GRAPH(
             "", ", {'name': 'x', 'limit': {'tasks_max': 1, 'per_ms': 5}}", ""),
            "tasks_max, or begun_max and per_ms"},
        {GRAPH("",
             ", {'name': 'x', 'limit': {'begun_max': 1, 'per_ms': 3600001}}",
             ""),
            "at most 3600000"},
        {GRAPH("",
             ", {'name': 'x', 'limit': {'tasks_max': 1, 'name': 'a\\tb'}}", ""),
            "the name of a limit is text of 1 to 512 bytes"},
        {GRAPH("", ", {'name': 'x', 'limit': {'tasks_max': 1, 'each': 5}}", ""),
            "each of a limit, a key, is text of 1 to 512 bytes"},
        {GRAPH("", ", {'name': 'x', 'idle_timeout_ms': 1.5}", ""),
            "idle_timeout_ms"},
        {GRAPH("", ", {'name': 'x', 'refresh_on': 'always'}", ""), "heartbeat"},
        {GRAPH("", ", {'name': 'x', 'retry': [5]}", ""), "retry"},
        {GRAPH("", ", {'name': 'x', 'retry': {'max_attempts': 0}}", ""),
            "max_attempts"},
        {GRAPH("", ", {'name': 'x', 'retry': {'backoff_factor': 0}}", ""),
            "backoff_factor"},
        {GRAPH("", ", {'name': 'x', 'retry': {'max_interval_ms': -1}}", ""),
            "intervals"},
        {GRAPH("", ", {'name': 'x', 'retry': {'retry_on': [1]}}", ""),
            "retry_on"},
        {GRAPH("", ", {'name': 'x', 'cache': {'ttl_ms': 0}}", ""), "ttl_ms"},
        {GRAPH("", ", {'name': 'x', 'metadata': 5}", ""), "metadata"},
        {GRAPH("", ", {'name': 'x', 'labels': 5}", ""), "labels"},
        {GRAPH("", ", {'name': 'x', 'destinations': [5]}", ""), "destinations"},
        {GRAPH("", "", ", 'defaults': 5"), "defaults"},
        {GRAPH("", "", ", 'defaults': {'timeout_ms': 0}"), "timeout_ms"},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(an_edge_that_leads_nowhere_is_refused)
{
    static const struct refusal cases[] = {
        {GRAPH("", "", ", 'edges': [['__start__', 'serach']]"),
            "edge from \"__start__\" to \"serach\": there is no node "
            "\"serach\". Did you mean \"search\"?"},
        {GRAPH("", "", ", 'edges': [" ENTRY ", ['reprot', 'search']]"),
            "Did you mean \"report\"?"},
        {GRAPH("", "", ", 'edges': [" ENTRY ", ['search', '__start__']]"),
            "nothing goes to the entry"},
        {GRAPH("", "", ", 'edges': [" ENTRY ", ['__end__', 'search']]"),
            "nothing follows the end"},
        {GRAPH("", "", ", 'edges': [['search', '__end__']]"), "no entry"},
        {GRAPH("", "", ""), "no entry"},
        {GRAPH("", "", ", 'edges': [" ENTRY ", [['search', 'zz'], 'report']]"),
            "\"zz\""},
        {GRAPH("", "", ", 'edges': [" ENTRY ", [['search'], 'zz']]"), "\"zz\""},
        {GRAPH("", "",
             ", 'edges': [" ENTRY ", [['__start__', 'search'], 'report']]"),
            "\"__start__\""},
        {GRAPH("", "",
             ", 'edges': [" ENTRY ", [['__end__', 'search'], 'report']]"),
            "nothing follows the end"},
        {GRAPH("", "",
             ", 'edges': [" ENTRY ", [['search', 'report'], '__start__']]"),
            "nothing goes to the entry"},
        {GRAPH("", ", {'name': 'a'}, {'name': 'b'}, {'name': 'a+b'}",
             ", 'edges': [" ENTRY ", [['a', 'b'], 'search'], [['a+b'], "
             "'search']]"),
            "the same name"},
        {GRAPH("", "", ", 'edges': [['__start__']]"), "edge 0"},
        {GRAPH("", "", ", 'edges': [" ENTRY ", 'x']"), "edge 1"},
        {GRAPH("", "", ", 'edges': [[1, 'search']]"), "edge 0"},
        {GRAPH("", "", ", 'edges': [[['search', 5], 'report']]"), "item 1"},
        {GRAPH("", "", ", 'edges': {}"), "\"edges\" must be a list"},
    };
    EXPECT_ALL(cases);
}
END_TEST

#define BRANCH(members)                                                        \
    GRAPH("", "", ", 'edges': [" ENTRY "], 'branches': [{" members "}]")

START_TEST(a_branch_that_leads_nowhere_is_refused)
{
    static const struct refusal cases[] = {
        {BRANCH("'from': 'serch', 'name': 'r'"), "Did you mean \"search\"?"},
        {BRANCH("'from': '__end__', 'name': 'r'"), "nothing follows the end"},
        {BRANCH("'from': 'search', 'name': 'r', 'map': {'x': 'zz'}"),
            "branch \"r\" of \"search\""},
        {BRANCH("'from': 'search', 'name': 'r', 'map': ['report', 'zz']"),
            "\"zz\""},
        {BRANCH("'from': 'search', 'name': 'r', 'map': {'x': '__start__'}"),
            "nothing goes to the entry"},
        {BRANCH("'from': 'search', 'name': 'r', 'map': {'x': 5}"), "\"x\""},
        {BRANCH("'from': 'search', 'name': 'r', 'map': 5"), "map"},
        {BRANCH("'from': 'search', 'name': 'r', 'map': ['report', 'report']"),
            "twice"},
        {BRANCH("'from': 'search', 'name': 'r', 'reads': ['zz']"), "\"zz\""},
        {BRANCH("'from': 'search', 'name': 'r'}, {'from': 'search', 'name': "
                "'r'"),
            "\"r\" of \"search\" is defined twice"},
        {BRANCH("'from': 'search'}, {'from': 'search'"), "\"condition\""},
        {GRAPH("", "", ", 'branches': [{'from': '__start__', 'map': ['q']}]"),
            "\"q\""},
        {GRAPH("", "", ", 'branches': 5"), "\"branches\""},
        {BRANCH("'from': 'search', 'name': 'r', 'reads': 'k'"),
            "list of names"},
        {BRANCH("'name': 'r'"), "no node \"\""},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(what_else_names_nothing_is_refused)
{
    static const struct refusal cases[] = {
        {GRAPH("", "", ", 'edges': [" ENTRY "], 'interrupt_before': ['seach']"),
            "interrupt_before: there is no node \"seach\". Did you mean"},
        {GRAPH("", "", ", 'edges': [" ENTRY "], 'interrupt_after': ['zz']"),
            "interrupt_after"},
        {GRAPH("", "",
             ", 'edges': [" ENTRY "], 'interrupt_before': ['__start__']"),
            "\"__start__\""},
        // The reference looks past this one (spec/graph.md 1.3, 5).
        {GRAPH("", "",
             ", 'edges': [" ENTRY "], 'interrupt_after': '*', "
             "'interrupt_before': ['__start__']"),
            "\"__start__\""},
        {GRAPH("", "", ", 'edges': [" ENTRY "], 'interrupt_after': 5"),
            "list of names"},
        {GRAPH("", ", {'name': 'x', 'destinations': ['zz']}",
             ", 'edges': [" ENTRY "]"),
            "node \"x\" goes to: there is no node \"zz\""},
        {GRAPH("", ", {'name': 'x', 'destinations': ['__start__']}",
             ", 'edges': [" ENTRY "]"),
            "entry"},
        {GRAPH("", "", ", 'input': ['k', 'zz']"), "input: there is no state"},
        {GRAPH("", "", ", 'input': ['left']"), "managed value"},
        {GRAPH("", "", ", 'output': ['left']"), "managed value"},
        {GRAPH("", "", ", 'output': ['lef']"), "Did you mean \"left\"?"},
        {GRAPH("", "", ", 'output': 'k'"), "list of names"},
        {GRAPH("", ", {'name': 'x', 'subgraph': 'inner'}", ""),
            "node \"x\": there is no subgraph \"inner\""},
        {GRAPH("", "", ", 'edges': [" ENTRY "], 'checkpointer': 5"),
            "checkpointer"},
        {"{'name': 'g', 'kind': 'wild'}", "\"wild\""},
        {"{'name': 'g'}", "\"state\" must be a list"},
        {"{'name': 'g', 'state': [], 'nodes': {}}", "\"nodes\""},
        {GRAPH("", "", ", 'subgraphs': []"), "\"subgraphs\""},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(an_error_inside_of_a_subgraph_says_where)
{
    const char *text = GRAPH("", ", {'name': 'x', 'subgraph': 'inner'}",
        ", 'subgraphs': {'inner': {'name': 'deep', 'state': [], 'nodes': "
        "[{'name': 'n'}], 'edges': [['__start__', 'm']]}}");
    expect_refused(text, SS_EINVAL,
        "graph \"g\": subgraph \"inner\": graph \"deep\": edge from");
}
END_TEST

START_TEST(a_description_is_a_map_with_a_name)
{
    expect_refused("[]", SS_EINVAL, "must be a map");
    expect_refused("null", SS_EINVAL, "must be a map");
    expect_refused("{}", SS_EINVAL, "name");
    expect_refused("{'name': ''}", SS_EINVAL, "name");
    expect_refused("{'name': 5}", SS_EINVAL, "name");
}
END_TEST

START_TEST(graphs_within_graphs_are_bounded)
{
    json_t *inner = json_pack("{s:s, s:[], s:[[s, s]]}", "name", "g", "state",
        "edges", "__start__", "__end__");
    for (int i = 1; i < SS_GRAPH_DEPTH_MAX; i++)
        inner = json_pack("{s:s, s:[], s:[[s, s]], s:{s:o}}", "name", "g",
            "state", "edges", "__start__", "__end__", "subgraphs", "x", inner);
    struct ss_graph *graph = NULL;
    struct ss_error error;
    ck_assert_int_eq(ss_graph_compile(inner, &graph, &error), SS_OK);
    ss_graph_unref(graph);
    inner = json_pack("{s:s, s:[], s:[[s, s]], s:{s:o}}", "name", "g", "state",
        "edges", "__start__", "__end__", "subgraphs", "x", inner);
    ck_assert_int_eq(ss_graph_compile(inner, &graph, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "deeper than 16"));
    json_decref(inner);
}
END_TEST

START_TEST(nodes_are_bounded)
{
    json_t *nodes = json_array();
    char name[32];
    for (int i = 0; i <= SS_NODES_MAX; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        json_array_append_new(nodes, json_pack("{s:s}", "name", name));
    }
    json_t *description =
        json_pack("{s:s, s:[], s:o}", "name", "g", "state", "nodes", nodes);
    struct ss_graph *graph = NULL;
    struct ss_error error;
    ck_assert_int_eq(ss_graph_compile(description, &graph, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "200000 nodes"));
    json_decref(description);
}
END_TEST

START_TEST(managed_keys_are_bounded)
{
    json_t *keys = json_array();
    char name[32];
    for (int i = 0; i <= SS_MANAGED_MAX; i++) {
        snprintf(name, sizeof(name), "k%d", i);
        json_array_append_new(keys,
            json_pack("{s:s, s:s}", "key", name, "managed", "is_last_step"));
    }
    json_t *description = json_pack("{s:s, s:o}", "name", "g", "state", keys);
    struct ss_graph *graph = NULL;
    struct ss_error error;
    ck_assert_int_eq(ss_graph_compile(description, &graph, &error), SS_ELIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "64 managed keys"));
    json_decref(description);
}
END_TEST

START_TEST(what_the_reference_does_not_check_is_accepted)
{
    static const char *const graphs[] = {
        GRAPH("", ", {'name': 'lonely'}", ", 'edges': [" ENTRY "]"),
        GRAPH("", "", ", 'edges': [['__start__', '__end__']]"),
        GRAPH("", "",
            ", 'edges': [" ENTRY ", ['search', 'report'], ['report', "
            "'search']]"),
        GRAPH("", "", ", 'edges': [" ENTRY ", [[], 'report']]"),
        GRAPH("", ", {'name': 'k'}", ", 'edges': [['__start__', 'k']]"),
        GRAPH(", {'key': 'thread_id'}", "", ", 'edges': [" ENTRY "]"),
        GRAPH("", "",
            ", 'edges': [" ENTRY "], 'branches': [{'from': 'search', "
            "'name': 'r'}, {'from': 'report', 'name': 'r'}]"),
        GRAPH("", ", {'name': 'x', 'destinations': ['__end__']}",
            ", 'edges': [" ENTRY "]"),
    };
    for (size_t i = 0; i < sizeof(graphs) / sizeof(*graphs); i++)
        ss_graph_unref(compile(graphs[i]));
}
END_TEST

RUN("refused", managed_keys_are_bounded, the_base_of_these_tests_is_accepted,
    a_key_that_cannot_be_is_refused, a_name_that_is_too_long_is_refused,
    a_node_that_cannot_be_is_refused, an_edge_that_leads_nowhere_is_refused,
    a_branch_that_leads_nowhere_is_refused, what_else_names_nothing_is_refused,
    an_error_inside_of_a_subgraph_says_where,
    a_description_is_a_map_with_a_name, graphs_within_graphs_are_bounded,
    nodes_are_bounded, what_the_reference_does_not_check_is_accepted)
