// A state graph is lowered to channels, triggers and writers: spec/engine.md
// R0.5-R0.10, spec/graph.md 2.
#include "common/model/reserved.h"

#include <stdio.h>

#include "tests/unit/model/help.h"

static const struct ss_node *node_of(
    const struct ss_graph *graph, const char *name)
{
    size_t index = ss_graph_node(graph, name);
    ck_assert_uint_ne(index, SS_NONE);
    return &graph->nodes[index];
}

static const struct ss_channel_spec *channel_of(
    const struct ss_graph *graph, const char *name)
{
    size_t index = ss_graph_channel(graph, name);
    ck_assert_uint_ne(index, SS_NONE);
    return &graph->channels[index];
}

static void expect_channels(const struct ss_graph *graph, const char *expected)
{
    json_t *list = json_array();
    for (size_t i = 0; i < graph->channels_count; i++)
        json_array_append_new(list, json_string(graph->channels[i].name));
    expect_json(list, expected);
}

static void expect_nodes(const struct ss_graph *graph, const char *expected)
{
    json_t *list = json_array();
    for (size_t i = 0; i < graph->nodes_count; i++)
        json_array_append_new(list, json_string(graph->nodes[i].name));
    expect_json(list, expected);
}

static void expect_indexes(const struct ss_graph *graph, const size_t *items,
    size_t count, const char *expected)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_string(graph->channels[items[i]].name));
    expect_json(list, expected);
}

static void expect_keys(const struct ss_keys *keys, const char *expected)
{
    json_t *list = json_array();
    for (size_t i = 0; i < keys->count; i++)
        json_array_append_new(list, json_string(keys->items[i]));
    expect_json(list, expected);
}

#define DIAMOND                                                                \
    "{'name': 'g', 'state': [{'key': 'log', 'type': 'list', "                  \
    "'reducer': 'add'}, {'key': 'x', 'type': 'str'}],"                         \
    "'nodes': [{'name': 'a'}, {'name': 'c'}, {'name': 'b'}, {'name': 'd'}],"   \
    "'edges': [['__start__', 'a'], ['a', 'b'], ['a', 'c'], "                   \
    "[['b', 'c'], 'd'], ['d', '__end__']]}"

START_TEST(channels_are_keys_start_tasks_branches_and_joins)
{
    struct ss_graph *graph = compile(DIAMOND);
    expect_channels(graph,
        "['log', 'x', '__start__', '__pregel_tasks', 'branch:to:a', "
        "'branch:to:c', 'branch:to:b', 'branch:to:d', 'join:b+c:d']");
    expect_nodes(graph, "['__start__', 'a', 'c', 'b', 'd']");
    ck_assert_uint_eq(graph->tasks_channel, 3);
    ck_assert_int_eq(channel_of(graph, "log")->kind, SS_CHANNEL_REDUCER);
    ck_assert_int_eq(channel_of(graph, "x")->kind, SS_CHANNEL_LAST_VALUE);
    ck_assert(channel_of(graph, "x")->is_state_key);
    ck_assert(!channel_of(graph, "__start__")->is_state_key);
    ck_assert_int_eq(
        channel_of(graph, "__start__")->kind, SS_CHANNEL_EPHEMERAL);
    ck_assert(channel_of(graph, "__start__")->guard);
    ck_assert_int_eq(
        channel_of(graph, "__pregel_tasks")->kind, SS_CHANNEL_TOPIC);
    ck_assert(!channel_of(graph, "__pregel_tasks")->accumulate);
    ck_assert_int_eq(
        channel_of(graph, "branch:to:a")->kind, SS_CHANNEL_EPHEMERAL);
    ck_assert(!channel_of(graph, "branch:to:a")->guard);
    ck_assert_int_eq(channel_of(graph, "join:b+c:d")->kind, SS_CHANNEL_BARRIER);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(the_start_node_is_hidden_and_has_only_writers)
{
    struct ss_graph *graph = compile(DIAMOND);
    const struct ss_node *start = &graph->nodes[0];
    ck_assert_str_eq(start->name, "__start__");
    ck_assert(start->hidden && !start->has_body && start->has_writers);
    ck_assert(start->writes_input_keys);
    ck_assert(start->reads.scalar);
    expect_keys(&start->reads, "['__start__']");
    expect_indexes(
        graph, start->triggers, start->triggers_count, "['__start__']");
    expect_indexes(graph, start->edges, start->edges_count, "['branch:to:a']");
    ss_graph_unref(graph);
}
END_TEST

START_TEST(triggers_are_the_branch_and_each_join_sorted_by_name)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [], 'nodes': [{'name': 'z'}, {'name': 'y'}, "
        "{'name': 't'}], 'edges': [['__start__', 'z'], [['z', 'y'], 't'], "
        "[['y'], 't']]}");
    const struct ss_node *t = node_of(graph, "t");
    expect_indexes(graph, t->triggers, t->triggers_count,
        "['branch:to:t', 'join:y:t', 'join:z+y:t']");
    const struct ss_channel_spec *join = channel_of(graph, "join:z+y:t");
    ck_assert_uint_eq(join->nodes_count, 1);
    ck_assert_uint_eq(join->nodes[0], ss_graph_node(graph, "t"));
    // Who must arrive, sorted; the name keeps the order of the user.
    ck_assert_uint_eq(join->names_count, 2);
    ck_assert_str_eq(join->names[0], "y");
    ck_assert_str_eq(join->names[1], "z");
    expect_indexes(graph, node_of(graph, "y")->joins,
        node_of(graph, "y")->joins_count, "['join:z+y:t', 'join:y:t']");
    ss_graph_unref(graph);
}
END_TEST

START_TEST(edges_keep_their_order_and_duplicates_collapse)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [], 'nodes': [{'name': 'a'}, {'name': 'b'}, "
        "{'name': 'c'}], 'edges': [['__start__', 'c'], ['__start__', 'a'], "
        "['__start__', 'c'], ['__start__', 'b'], ['a', '__end__'], "
        "[['a', 'b'], 'c'], [['a', 'b'], 'c'], [['a', 'b'], '__end__']]}");
    expect_indexes(graph, graph->nodes[0].edges, graph->nodes[0].edges_count,
        "['branch:to:c', 'branch:to:a', 'branch:to:b']");
    ck_assert_uint_eq(node_of(graph, "a")->edges_count, 0);
    ck_assert_uint_eq(node_of(graph, "a")->joins_count, 1);
    ck_assert_uint_eq(node_of(graph, "c")->triggers_count, 2);
    ck_assert_uint_eq(graph->channels_count, 6);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(a_source_named_twice_in_a_join_must_arrive_once)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [], 'nodes': [{'name': 'a'}, {'name': 'b'}], "
        "'edges': [['__start__', 'a'], [['a', 'a'], 'b']]}");
    const struct ss_channel_spec *join = channel_of(graph, "join:a+a:b");
    ck_assert_uint_eq(join->names_count, 1);
    ck_assert_uint_eq(node_of(graph, "a")->joins_count, 1);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(a_deferred_node_waits_behind_after_finish_channels)
{
    struct ss_graph *graph =
        compile("{'name': 'g', 'state': [], 'nodes': [{'name': 'a'}, "
                "{'name': 'd', 'defer': true}], "
                "'edges': [['__start__', 'a'], ['a', 'd'], [['a'], 'd']]}");
    ck_assert(node_of(graph, "d")->defer);
    ck_assert_int_eq(channel_of(graph, "branch:to:d")->kind,
        SS_CHANNEL_LAST_VALUE_AFTER_FINISH);
    ck_assert_int_eq(
        channel_of(graph, "join:a:d")->kind, SS_CHANNEL_BARRIER_AFTER_FINISH);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(schemas_default_to_all_keys_without_managed_ones)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [{'key': 'a'}, {'key': 'left', 'managed': "
        "'remaining_steps'}, {'key': 'last', 'managed': 'is_last_step'}, "
        "{'key': 'b'}], 'nodes': [{'name': 'n'}, {'name': 'm', 'reads': "
        "['b', 'last']}], 'edges': [['__start__', 'n']]}");
    ck_assert(graph->is_state && !graph->root_state);
    ck_assert(graph->input.scalar);
    expect_keys(&graph->input, "['__start__']");
    expect_keys(&graph->input_keys, "['a', 'b']");
    expect_keys(&graph->output, "['a', 'b']");
    expect_keys(&graph->stream, "['a', 'b']");
    expect_keys(&node_of(graph, "n")->reads, "['a', 'left', 'last', 'b']");
    expect_keys(&node_of(graph, "m")->reads, "['b', 'last']");
    ck_assert_uint_eq(graph->managed_count, 2);
    ck_assert_int_eq(
        ss_graph_managed(graph, "left")->kind, SS_MANAGED_REMAINING_STEPS);
    ck_assert_int_eq(
        ss_graph_managed(graph, "last")->kind, SS_MANAGED_IS_LAST_STEP);
    ck_assert_ptr_null(ss_graph_managed(graph, "a"));
    ck_assert(ss_keys_have(&graph->output, "b"));
    ck_assert(!ss_keys_have(&graph->output, "left"));
    ck_assert(node_of(graph, "n")->has_writers);
    ck_assert(node_of(graph, "n")->has_body && !node_of(graph, "n")->hidden);
    ck_assert_uint_eq(ss_graph_channel(graph, "left"), SS_NONE);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(input_and_output_may_be_parts_of_the_state)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [{'key': 'a'}, {'key': 'b'}, {'key': 'c'}], "
        "'input': ['c', 'a'], 'output': ['b'], 'nodes': [{'name': 'n'}], "
        "'edges': [['__start__', 'n']]}");
    expect_keys(&graph->input_keys, "['c', 'a']");
    expect_keys(&graph->output, "['b']");
    expect_keys(&graph->stream, "['a', 'b', 'c']");
    ck_assert(!graph->output.scalar && !graph->stream.scalar);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(a_state_of_one_value_is_read_as_that_value)
{
    struct ss_graph *graph =
        compile("{'name': 'g', 'state': [{'key': '__root__', 'type': 'list', "
                "'reducer': 'add'}], 'nodes': [{'name': 'n'}, "
                "{'name': 'm', 'reads': ['__root__']}], "
                "'edges': [['__start__', 'n']]}");
    ck_assert(graph->root_state);
    ck_assert(graph->output.scalar && graph->stream.scalar);
    expect_keys(&graph->output, "['__root__']");
    ck_assert(node_of(graph, "n")->reads.scalar);
    ck_assert(node_of(graph, "m")->reads.scalar);
    ss_graph_unref(graph);
    graph = compile("{'name': 'g', 'state': [{'key': '__root__'}, "
                    "{'key': 'x'}], 'nodes': [], "
                    "'edges': [['__start__', '__end__']]}");
    ck_assert(!graph->root_state);
    ck_assert(!graph->output.scalar);
    ss_graph_unref(graph);
}
END_TEST

// What a key holds before any write.
static void expect_zero(const char *key, const char *expected)
{
    char *text = ss_format("{'name': 'g', 'state': [%s], 'nodes': [], "
                           "'edges': [['__start__', '__end__']]}",
        key);
    struct ss_graph *graph = compile(text);
    json_t *zero = graph->channels[0].zero;
    if (expected)
        expect_json(json_incref(zero), expected);
    else
        ck_assert_ptr_null(zero);
    ss_graph_unref(graph);
    ss_free(text);
}

START_TEST(a_reducer_key_starts_with_the_zero_of_its_type)
{
    expect_zero("{'key': 'k', 'type': 'int', 'reducer': 'add'}", "0");
    expect_zero("{'key': 'k', 'type': 'float', 'reducer': 'add'}", "0.0");
    expect_zero("{'key': 'k', 'type': 'str', 'reducer': 'max'}", "''");
    expect_zero("{'key': 'k', 'type': 'list', 'reducer': 'add'}", "[]");
    expect_zero("{'key': 'k', 'type': 'dict', 'reducer': 'or'}", "{}");
    expect_zero("{'key': 'k', 'type': 'bool', 'reducer': 'or'}", "false");
    expect_zero("{'key': 'k', 'type': 'any', 'reducer': 'add'}", NULL);
    expect_zero("{'key': 'k', 'reducer': 'add'}", NULL);
    expect_zero("{'key': 'k', 'reducer': 'add_messages'}", "[]");
    expect_zero("{'key': 'k', 'reducer': 'append'}", "[]");
    expect_zero("{'key': 'k', 'type': 'list', 'custom': 'mine'}", "[]");
    expect_zero("{'key': 'k', 'type': 'list'}", NULL);
    expect_zero(
        "{'key': 'k', 'type': 'list', 'channel': 'EphemeralValue'}", NULL);
}
END_TEST

START_TEST(a_declared_default_is_what_a_key_starts_with)
{
    expect_zero(
        "{'key': 'k', 'type': 'list', 'reducer': 'add', 'default': [1]}",
        "[1]");
    expect_zero("{'key': 'k', 'reducer': 'max', 'default': 5}", "5");
    expect_zero("{'key': 'k', 'type': 'str', 'default': 'x'}", "'x'");
    expect_zero("{'key': 'k', 'type': 'float', 'default': 1}", "1");
    expect_zero("{'key': 'k', 'default': null}", "null");
}
END_TEST

START_TEST(every_kind_of_channel_can_be_named)
{
    static const struct {
        const char *key;
        enum ss_channel_kind kind;
    } cases[] = {
        {"'channel': 'LastValue'", SS_CHANNEL_LAST_VALUE},
        {"'channel': 'AnyValue'", SS_CHANNEL_ANY_VALUE},
        {"'channel': 'EphemeralValue'", SS_CHANNEL_EPHEMERAL},
        {"'channel': 'UntrackedValue', 'guard': false", SS_CHANNEL_UNTRACKED},
        {"'channel': 'Topic', 'accumulate': true", SS_CHANNEL_TOPIC},
        {"'channel': 'NamedBarrierValue', 'names': ['q', 'p', 'q']",
            SS_CHANNEL_BARRIER},
        {"'channel': 'NamedBarrierValueAfterFinish', 'names': []",
            SS_CHANNEL_BARRIER_AFTER_FINISH},
        {"'channel': 'LastValueAfterFinish'",
            SS_CHANNEL_LAST_VALUE_AFTER_FINISH},
        {"'channel': 'BinaryOperatorAggregate', 'reducer': 'or'",
            SS_CHANNEL_REDUCER},
        {"'channel': 'DeltaChannel', 'reducer': 'add', "
         "'snapshot_frequency': 3",
            SS_CHANNEL_DELTA},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *text =
            ss_format("{'name': 'g', 'state': [{'key': 'k', %s}], "
                      "'nodes': [], 'edges': [['__start__', '__end__']]}",
                cases[i].key);
        struct ss_graph *graph = compile(text);
        const struct ss_channel_spec *key = &graph->channels[0];
        ck_assert_int_eq(key->kind, cases[i].kind);
        ck_assert_int_eq(key->guard, key->kind != SS_CHANNEL_UNTRACKED);
        ck_assert_int_eq(key->accumulate, key->kind == SS_CHANNEL_TOPIC);
        if (key->kind == SS_CHANNEL_DELTA)
            ck_assert_int_eq(key->snapshot_frequency, 3);
        if (key->kind == SS_CHANNEL_BARRIER) {
            ck_assert_uint_eq(key->names_count, 2);
            ck_assert_str_eq(key->names[0], "p");
        }
        ss_graph_unref(graph);
        ss_free(text);
    }
}
END_TEST

START_TEST(a_custom_reducer_is_kept_by_its_name)
{
    struct ss_graph *graph =
        compile("{'name': 'g', 'state': [{'key': 'k', 'type': 'int', 'custom': "
                "'mine'}, {'key': 'l', 'reducer': 'custom', 'custom': 'other', "
                "'channel': 'DeltaChannel'}], 'nodes': [], "
                "'edges': [['__start__', '__end__']]}");
    ck_assert_int_eq(graph->channels[0].kind, SS_CHANNEL_REDUCER);
    ck_assert_int_eq(graph->channels[0].reducer, SS_REDUCER_CUSTOM);
    ck_assert_str_eq(graph->channels[0].reducer_name, "mine");
    ck_assert_int_eq(graph->channels[1].kind, SS_CHANNEL_DELTA);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(branches_know_what_their_routers_read)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [{'key': 'a'}, {'key': 'b'}, {'key': 'left', "
        "'managed': 'remaining_steps'}], 'input': ['a'], 'nodes': [{'name': "
        "'n', 'reads': ['a']}, {'name': 'm'}], 'branches': ["
        "{'from': '__start__', 'name': 'entry', 'map': ['n', '__end__']}, "
        "{'from': 'n', 'name': 'x', 'map': {'yes': 'm', 'no': '__end__'}}, "
        "{'from': 'n', 'reads': ['b', 'left']}]}");
    const struct ss_branch *entry = &graph->nodes[0].branches[0];
    expect_keys(&entry->reads, "['a', 'b', 'left']");
    expect_json(json_incref(entry->map), "{'n': 'n', '__end__': '__end__'}");
    ck_assert(!entry->has_own_reads);
    const struct ss_node *n = node_of(graph, "n");
    ck_assert_uint_eq(n->branches_count, 2);
    expect_keys(&n->branches[0].reads, "['a']");
    expect_json(
        json_incref(n->branches[0].map), "{'yes': 'm', 'no': '__end__'}");
    ck_assert_str_eq(n->branches[1].name, "condition");
    ck_assert(n->branches[1].has_own_reads);
    expect_keys(&n->branches[1].reads, "['b', 'left']");
    ck_assert_ptr_null(n->branches[1].map);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(error_handlers_stand_before_their_nodes)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [{'key': 'a'}, {'key': 'b'}], 'nodes': "
        "[{'name': 'n', 'error_handler': true, 'reads': ['b'], 'cache': "
        "true}, {'name': 'm'}], 'edges': [['__start__', 'n'], "
        "['__error_handler__n', 'm']], 'defaults': {'error_handler': true, "
        "'retry': {'max_attempts': 7}, 'timeout_ms': 50, 'cache': {}}}");
    expect_nodes(graph, "['__start__', '__error_handler__n', 'n', 'm', "
                        "'__default_error_handler__']");
    const struct ss_node *handler = node_of(graph, "__error_handler__n");
    const struct ss_node *other = node_of(graph, "__default_error_handler__");
    ck_assert(handler->is_handler && other->is_handler);
    ck_assert_uint_eq(node_of(graph, "n")->handler, 1);
    ck_assert_uint_eq(node_of(graph, "m")->handler, 4);
    ck_assert_uint_eq(handler->handler, SS_NONE);
    ck_assert_uint_eq(other->handler, SS_NONE);
    ck_assert_uint_eq(graph->nodes[0].handler, SS_NONE);
    expect_keys(&handler->reads, "['b']");
    expect_keys(&other->reads, "['a', 'b']");
    // Handlers take defaults of retry and time, never of the cache (R0.10).
    ck_assert_int_eq(handler->retries[0].attempts_max, 7);
    ck_assert_int_eq(handler->timeouts.run_ms, 50);
    ck_assert(!handler->cached && node_of(graph, "m")->cached);
    ck_assert_uint_eq(handler->edges_count, 1);
    ss_graph_unref(graph);
}
END_TEST

START_TEST(a_graph_with_a_default_handler_compiles_again)
{
    const char *text =
        "{'name': 'g', 'state': [], 'nodes': [{'name': 'n'}], 'edges': "
        "[['__start__', 'n']], 'defaults': {'error_handler': true}}";
    json_t *description = js(text);
    struct ss_graph *first, *second;
    ck_assert_int_eq(ss_graph_compile(description, &first, NULL), SS_OK);
    ck_assert_int_eq(ss_graph_compile(description, &second, NULL), SS_OK);
    ck_assert_str_eq(first->version, second->version);
    ss_graph_unref(first);
    ss_graph_unref(second);
    expect_json(description, text); // as it was
}
END_TEST

START_TEST(a_nodes_policy_goes_before_the_default)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [], 'nodes': [{'name': 'own', 'retry': "
        "[{'initial_interval_ms': 1, 'backoff_factor': 1.5, "
        "'max_interval_ms': 9, 'max_attempts': 2, 'jitter': false, "
        "'retry_on': ['io']}, {'retry_on': []}], 'timeout_ms': 5, "
        "'idle_timeout_ms': 6, 'refresh_on': 'heartbeat', 'cache': "
        "{'ttl_ms': 70}, 'labels': ['gpu'], 'metadata': {'k': 1}, "
        "'destinations': ['plain', '__end__']}, {'name': 'plain', 'retry': "
        "[], 'cache': {'ttl_ms': null}}, {'name': 'none', 'cache': false}], "
        "'edges': [['__start__', 'own']], 'defaults': {'retry': [{}], "
        "'timeout_ms': 500, 'idle_timeout_ms': 600}}");
    const struct ss_node *own = node_of(graph, "own");
    ck_assert_uint_eq(own->retries_count, 2);
    ck_assert_int_eq(own->retries[0].initial_interval_ms, 1);
    ck_assert(own->retries[0].backoff_factor > 1.4);
    ck_assert_int_eq(own->retries[0].max_interval_ms, 9);
    ck_assert_int_eq(own->retries[0].attempts_max, 2);
    ck_assert(!own->retries[0].jitter);
    ck_assert_uint_eq(own->retries[0].retry_on_count, 1);
    ck_assert_str_eq(own->retries[0].retry_on[0], "io");
    // An empty list is not the default predicate: it retries nothing.
    ck_assert_ptr_nonnull(own->retries[1].retry_on);
    ck_assert_uint_eq(own->retries[1].retry_on_count, 0);
    ck_assert_int_eq(own->timeouts.run_ms, 5);
    ck_assert_int_eq(own->timeouts.idle_ms, 6);
    ck_assert(own->timeouts.heartbeat_only);
    ck_assert(own->cached);
    ck_assert_int_eq(own->cache_ttl_ms, 70);
    ck_assert_str_eq(own->labels.items[0], "gpu");
    expect_json(json_incref(own->metadata), "{'k': 1}");
    ck_assert_uint_eq(own->destinations_count, 2);
    const struct ss_node *plain = node_of(graph, "plain");
    ck_assert_uint_eq(plain->retries_count, 1);
    ck_assert_int_eq(plain->retries[0].initial_interval_ms, 500);
    ck_assert_int_eq(plain->retries[0].max_interval_ms, 128000);
    ck_assert_int_eq(plain->retries[0].attempts_max, 3);
    ck_assert(plain->retries[0].jitter);
    ck_assert_ptr_null(plain->retries[0].retry_on);
    ck_assert_int_eq(plain->timeouts.run_ms, 500);
    ck_assert_int_eq(plain->timeouts.idle_ms, 600);
    ck_assert(!plain->timeouts.heartbeat_only);
    ck_assert(plain->cached && plain->cache_ttl_ms == 0);
    ck_assert(!node_of(graph, "none")->cached);
    ss_graph_unref(graph);
}
END_TEST

#define INNER                                                                  \
    "{'name': 'inner', 'state': [{'key': 'x'}], 'nodes': [{'name': 'i'}], "    \
    "'edges': [['__start__', 'i']], 'checkpointer': true}"

START_TEST(subgraphs_are_compiled_once_and_shared)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [{'key': 'x'}], 'nodes': [{'name': 's', "
        "'subgraph': 'sub'}, {'name': 't', 'subgraph': 'sub'}], 'edges': "
        "[['__start__', 's']], 'checkpointer': false, 'subgraphs': {'sub': "
        "{'name': 'sub', 'state': [{'key': 'x'}], 'nodes': [{'name': 'i', "
        "'subgraph': 'inner'}], 'edges': [['__start__', 'i']], 'subgraphs': "
        "{'inner': " INNER "}}}}");
    struct ss_graph *sub = node_of(graph, "s")->subgraph;
    ck_assert_ptr_nonnull(sub);
    ck_assert_ptr_eq(node_of(graph, "t")->subgraph, sub);
    ck_assert_int_eq(graph->checkpointer, SS_CHECKPOINTER_NONE);
    ck_assert_int_eq(sub->checkpointer, SS_CHECKPOINTER_INHERIT);
    ck_assert_ptr_eq(ss_graph_inside(graph, ""), graph);
    ck_assert_ptr_eq(ss_graph_inside(graph, "s"), sub);
    struct ss_graph *inner = ss_graph_inside(graph, "s|i");
    ck_assert_str_eq(inner->name, "inner");
    ck_assert_int_eq(inner->checkpointer, SS_CHECKPOINTER_KEEP);
    ck_assert_ptr_null(ss_graph_inside(graph, "s|j"));
    ck_assert_ptr_null(ss_graph_inside(graph, "s|i|i"));
    ck_assert_ptr_null(ss_graph_inside(graph, "q"));
    // The inner one lives as long as somebody holds it.
    ss_graph_ref(inner);
    ss_graph_unref(graph);
    ck_assert_str_eq(inner->name, "inner");
    ss_graph_unref(inner);
}
END_TEST

START_TEST(what_is_never_stored_is_not_found_inside)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [{'key': 'x'}], 'nodes': [{'name': 's', "
        "'subgraph': 'sub'}], 'edges': [['__start__', 's']], 'subgraphs': "
        "{'sub': {'name': 'sub', 'state': [{'key': 'x'}], 'nodes': [{'name': "
        "'i', 'subgraph': 'inner'}], 'edges': [['__start__', 'i']], "
        "'checkpointer': false, 'subgraphs': {'inner': " INNER "}}}}");
    ck_assert_ptr_nonnull(node_of(graph, "s")->subgraph);
    ck_assert_ptr_null(ss_graph_inside(graph, "s"));
    ck_assert_ptr_null(ss_graph_inside(graph, "s|i"));
    ss_graph_unref(graph);
}
END_TEST

START_TEST(interrupts_name_nodes_or_all_that_users_see)
{
    struct ss_graph *graph = compile(
        "{'name': 'g', 'state': [], 'nodes': [{'name': 'a'}, {'name': 'b'}], "
        "'edges': [['__start__', 'a']], 'interrupt_before': '*', "
        "'interrupt_after': ['b']}");
    const struct ss_node *a = node_of(graph, "a"), *b = node_of(graph, "b");
    ck_assert(ss_names_have(&graph->interrupt_before, a));
    ck_assert(!ss_names_have(&graph->interrupt_before, &graph->nodes[0]));
    ck_assert(!ss_names_have(&graph->interrupt_after, a));
    ck_assert(ss_names_have(&graph->interrupt_after, b));
    ss_graph_unref(graph);
    graph = compile(DIAMOND);
    ck_assert(!ss_names_have(&graph->interrupt_before, &graph->nodes[1]));
    ss_graph_unref(graph);
}
END_TEST

// The version of DIAMOND with `extra` members.
static char *version_with(const char *text)
{
    struct ss_graph *graph = compile(text);
    char *version = ss_strdup(graph->version);
    ck_assert_uint_eq(strlen(version), 32);
    ss_graph_unref(graph);
    return version;
}

static void expect_version(const char *a, const char *b, bool is_same)
{
    char *x = version_with(a), *y = version_with(b);
    ck_assert_msg((strcmp(x, y) == 0) == is_same, "%s\n%s", a, b);
    ss_free(x);
    ss_free(y);
}

#define VERSIONED(node, more)                                                  \
    "{'name': 'g', 'state': [{'key': 'k'}], 'nodes': [{'name': 'a'" node       \
    "}, {'name': 'b'}], 'edges': [['__start__', 'a']]" more "}"

START_TEST(the_version_is_what_decides_plan_and_update)
{
    const char *plain = VERSIONED("", "");
    expect_version(plain, plain, true);
    expect_version(plain,
        "{'edges': [['__start__', 'a']], 'nodes': [{'name': 'a'}, {'name': "
        "'b'}], 'state': [{'key': 'k'}], 'name': 'g'}",
        true);
    expect_version(plain, VERSIONED(", 'metadata': {'k': 1}", ""), true);
    expect_version(plain, VERSIONED(", 'labels': ['x']", ""), true);
    expect_version(plain, VERSIONED(", 'timeout_ms': 5", ""), true);
    expect_version(plain, VERSIONED(", 'idle_timeout_ms': 5", ""), true);
    expect_version(plain, VERSIONED(", 'retry': [{}]", ""), true);
    expect_version(plain, VERSIONED(", 'cache': {}", ""), true);
    expect_version(plain, VERSIONED(", 'limit': {'tasks_max': 3}", ""), true);
    expect_version(plain, VERSIONED("", ", 'limit': {'tasks_max': 3}"), true);
    expect_version(
        plain, VERSIONED("", ", 'limit': {'begun_max': 3, 'per_ms': 9}"), true);
    expect_version(
        plain, VERSIONED("", ", 'defaults': {'timeout_ms': 1}"), true);
    expect_version(plain, VERSIONED(", 'defer': true", ""), false);
    expect_version(plain, VERSIONED(", 'reads': []", ""), false);
    expect_version(plain, VERSIONED(", 'error_handler': true", ""), false);
    expect_version(plain, VERSIONED("", ", 'app_version': '2'"), false);
    expect_version(
        plain, VERSIONED("", ", 'defaults': {'error_handler': true}"), false);
    expect_version(plain,
        VERSIONED("", ", 'branches': [{'from': 'a', 'name': 'r'}]"), false);
    expect_version(VERSIONED("", ", 'subgraphs': {'i': " INNER "}"),
        VERSIONED("", ", 'subgraphs': {'i': {'name': 'inner', 'state': "
                      "[{'key': 'x'}], 'nodes': [{'name': 'i', 'labels': "
                      "['q']}], 'edges': [['__start__', 'i']], "
                      "'checkpointer': true}}"),
        true);
}
END_TEST

START_TEST(a_wide_graph_compiles_in_order)
{
    enum { COUNT = 3000 };
    json_t *nodes = json_array(), *edges = json_array(), *all = json_array();
    char name[32];
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        json_array_append_new(nodes, json_pack("{s:s}", "name", name));
        json_array_append_new(edges, json_pack("[s, s]", "__start__", name));
        json_array_append_new(all, json_string(name));
    }
    json_array_append_new(nodes, json_pack("{s:s}", "name", "end"));
    json_array_append_new(edges, json_pack("[o, s]", all, "end"));
    json_t *description = json_pack("{s:s, s:[], s:o, s:o}", "name", "wide",
        "state", "nodes", nodes, "edges", edges);
    struct ss_graph *graph;
    ck_assert_int_eq(ss_graph_compile(description, &graph, NULL), SS_OK);
    ck_assert_uint_eq(graph->nodes_count, COUNT + 2);
    ck_assert_uint_eq(graph->nodes[0].edges_count, COUNT);
    ck_assert_uint_eq(
        graph->channels[graph->channels_count - 1].names_count, COUNT);
    ck_assert_uint_eq(ss_graph_node(graph, "n2999"), 3000);
    json_decref(description);
    ss_graph_unref(graph);
}
END_TEST

RUN("compile", channels_are_keys_start_tasks_branches_and_joins,
    the_start_node_is_hidden_and_has_only_writers,
    triggers_are_the_branch_and_each_join_sorted_by_name,
    edges_keep_their_order_and_duplicates_collapse,
    a_source_named_twice_in_a_join_must_arrive_once,
    a_deferred_node_waits_behind_after_finish_channels,
    schemas_default_to_all_keys_without_managed_ones,
    input_and_output_may_be_parts_of_the_state,
    a_state_of_one_value_is_read_as_that_value,
    a_reducer_key_starts_with_the_zero_of_its_type,
    a_declared_default_is_what_a_key_starts_with,
    every_kind_of_channel_can_be_named, a_custom_reducer_is_kept_by_its_name,
    branches_know_what_their_routers_read,
    error_handlers_stand_before_their_nodes,
    a_graph_with_a_default_handler_compiles_again,
    a_nodes_policy_goes_before_the_default,
    subgraphs_are_compiled_once_and_shared,
    what_is_never_stored_is_not_found_inside,
    interrupts_name_nodes_or_all_that_users_see,
    the_version_is_what_decides_plan_and_update, a_wide_graph_compiles_in_order)
