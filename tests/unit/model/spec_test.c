#include "common/model/spec.h"

#include "tests/unit/model/help.h"

static void expect_first_error(struct ss_spec *spec, const char *words)
{
    json_t *description = NULL;
    struct ss_error error;
    ck_assert_int_eq(ss_spec_end(spec, &description, &error), SS_EINVAL);
    ck_assert_ptr_null(description);
    if (!strstr(error.message, words))
        ck_abort_msg("\"%s\" says nothing of \"%s\"", error.message, words);
    ss_spec_destroy(&spec);
    ck_assert_ptr_null(spec);
    ss_spec_destroy(&spec);
}

START_TEST(a_description_is_built_call_by_call)
{
    struct ss_spec *spec = ss_spec_new("digest", "state");
    const char *const both[] = {"a", "b"};
    ck_assert_int_eq(
        ss_spec_key(spec, "log", js("{'type': 'list', 'reducer': 'add'}")),
        SS_OK);
    ck_assert_int_eq(ss_spec_key(spec, "x", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_node(spec, "a", js("{'defer': true}")), SS_OK);
    ck_assert_int_eq(ss_spec_node(spec, "b", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_edge(spec, "__start__", "a"), SS_OK);
    ck_assert_int_eq(ss_spec_edge(spec, "later", "b"), SS_OK);
    ck_assert_int_eq(ss_spec_node(spec, "later", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_join(spec, both, 2, "later"), SS_OK);
    ck_assert_int_eq(ss_spec_join(spec, both, 1, "__end__"), SS_OK);
    ck_assert_int_eq(
        ss_spec_branch(spec, "a", "r", js("{'map': ['b']}")), SS_OK);
    ck_assert_int_eq(ss_spec_branch(spec, "b", "r", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_set(spec, "input", js("['x']")), SS_OK);
    json_t *description;
    ck_assert_int_eq(ss_spec_end(spec, &description, NULL), SS_OK);
    struct ss_graph *graph;
    ck_assert_int_eq(ss_graph_compile(description, &graph, NULL), SS_OK);
    ss_graph_unref(graph);
    expect_json(description,
        "{'name': 'digest', 'kind': 'state', 'state': [{'key': 'log', "
        "'type': 'list', 'reducer': 'add'}, {'key': 'x'}], 'nodes': "
        "[{'name': 'a', 'defer': true}, {'name': 'b'}, {'name': 'later'}], "
        "'edges': [['__start__', 'a'], ['later', 'b'], [['a', 'b'], "
        "'later'], [['a'], '__end__']], 'branches': [{'from': 'a', 'name': "
        "'r', 'map': ['b']}, {'from': 'b', 'name': 'r'}], 'input': ['x']}");
    ss_spec_destroy(&spec);
}
END_TEST

START_TEST(a_raw_description_has_channels)
{
    struct ss_spec *spec = ss_spec_new("raw", "raw");
    json_t *description;
    ck_assert_int_eq(
        ss_spec_channel(spec, "c", js("{'kind': 'Topic'}")), SS_OK);
    ck_assert_int_eq(
        ss_spec_node(spec, "n", js("{'subscribe_only': 'c', 'writes': ['c']}")),
        SS_OK);
    ck_assert_int_eq(ss_spec_set(spec, "input", js("'c'")), SS_OK);
    ck_assert_int_eq(ss_spec_set(spec, "output", js("'c'")), SS_OK);
    ck_assert_int_eq(ss_spec_end(spec, &description, NULL), SS_OK);
    struct ss_graph *graph;
    ck_assert_int_eq(ss_graph_compile(description, &graph, NULL), SS_OK);
    ss_graph_unref(graph);
    json_decref(description);
    ck_assert_int_eq(ss_spec_key(spec, "k", NULL), SS_EINVAL);
    expect_first_error(spec, "\"k\"");
}
END_TEST

START_TEST(the_first_error_stays)
{
    struct ss_spec *spec = ss_spec_new("g", "state");
    const char *const a[] = {"a"};
    ck_assert_int_eq(ss_spec_node(spec, "a:b", NULL), SS_EINVAL);
    ck_assert_int_eq(ss_spec_node(spec, "a", js("{}")), SS_EINVAL);
    ck_assert_int_eq(ss_spec_key(spec, "k", js("{}")), SS_EINVAL);
    ck_assert_int_eq(ss_spec_channel(spec, "k", js("{}")), SS_EINVAL);
    ck_assert_int_eq(ss_spec_edge(spec, "x", "__start__"), SS_EINVAL);
    ck_assert_int_eq(ss_spec_join(spec, a, 1, "b"), SS_EINVAL);
    ck_assert_int_eq(ss_spec_branch(spec, "a", "b", js("{}")), SS_EINVAL);
    ck_assert_int_eq(ss_spec_set(spec, "input", js("[]")), SS_EINVAL);
    json_t *inner = js("{'name': 'i'}");
    ck_assert_int_eq(ss_spec_subgraph(spec, inner), SS_EINVAL);
    json_decref(inner);
    expect_first_error(spec, "graph \"g\": node \"a:b\"");
}
END_TEST

static struct ss_spec *with_node_a(void)
{
    struct ss_spec *spec = ss_spec_new("g", "state");
    ck_assert_int_eq(ss_spec_node(spec, "a", NULL), SS_OK);
    return spec;
}

static void expect_node_refused(
    const char *name, const char *options, const char *words)
{
    struct ss_spec *spec = with_node_a();
    ck_assert_int_eq(
        ss_spec_node(spec, name, options ? js(options) : NULL), SS_EINVAL);
    expect_first_error(spec, words);
}

START_TEST(a_bad_node_is_refused_at_once)
{
    expect_node_refused("a", NULL, "\"a\" is defined twice");
    expect_node_refused("__start__", NULL, "__start__");
    expect_node_refused("__end__", NULL, "__end__");
    expect_node_refused("a|b", NULL, "may not contain");
    expect_node_refused("", NULL, "without a name");
    expect_node_refused("b", "{'timeout_ms': 0}", "timeout_ms");
    expect_node_refused("b", "{'idle_timeout_ms': 'x'}", "idle_timeout_ms");
    expect_node_refused("b", "[]", "must be a map");
    struct ss_spec *spec = with_node_a();
    ck_assert_int_eq(ss_spec_node(spec, "__error_handler__b", NULL), SS_OK);
    ck_assert_int_eq(
        ss_spec_node(spec, "b", js("{'error_handler': true}")), SS_EINVAL);
    expect_first_error(spec, "\"__error_handler__b\" is defined twice");
}
END_TEST

START_TEST(a_name_that_is_no_utf8_is_refused_and_not_left_out)
{
    static const char words[] = "its name is not UTF-8";
    struct ss_spec *spec = ss_spec_new("\xff", "state");
    ck_assert_int_eq(ss_spec_node(spec, "a", NULL), SS_EINVAL);
    expect_first_error(spec, words);
    expect_node_refused("\xff", NULL, words);
    spec = with_node_a();
    ck_assert_int_eq(ss_spec_key(spec, "\xff", js("{}")), SS_EINVAL);
    expect_first_error(spec, words);
    spec = with_node_a();
    ck_assert_int_eq(ss_spec_edge(spec, "a", "\xff"), SS_EINVAL);
    expect_first_error(spec, words);
    spec = with_node_a();
    ck_assert_int_eq(ss_spec_branch(spec, "a", "\xff", js("{}")), SS_EINVAL);
    expect_first_error(spec, words);
}
END_TEST

START_TEST(a_bad_edge_is_refused_at_once)
{
    struct ss_spec *spec = with_node_a();
    ck_assert_int_eq(ss_spec_edge(spec, "__end__", "a"), SS_EINVAL);
    expect_first_error(spec, "nothing follows");
    spec = with_node_a();
    ck_assert_int_eq(ss_spec_edge(spec, "a", "__start__"), SS_EINVAL);
    expect_first_error(spec, "nothing goes there");
}
END_TEST

static void expect_join_refused(
    const char *from, const char *to, const char *words)
{
    struct ss_spec *spec = with_node_a();
    const char *const list[] = {"a", from};
    ck_assert_int_eq(ss_spec_join(spec, list, 2, to), SS_EINVAL);
    expect_first_error(spec, words);
}

START_TEST(a_join_needs_nodes_that_are_there)
{
    expect_join_refused("zz", "a", "\"zz\"");
    expect_join_refused("__start__", "a", "\"__start__\"");
    expect_join_refused("__end__", "a", "nothing follows");
    expect_join_refused("a", "zz", "\"zz\"");
    expect_join_refused("a", "__start__", "nothing goes there");
}
END_TEST

START_TEST(a_handler_node_can_be_joined)
{
    struct ss_spec *spec = with_node_a();
    const char *const list[] = {"__error_handler__b"};
    ck_assert_int_eq(
        ss_spec_node(spec, "b", js("{'error_handler': true}")), SS_OK);
    ck_assert_int_eq(ss_spec_join(spec, list, 1, "a"), SS_OK);
    ss_spec_destroy(&spec);
}
END_TEST

START_TEST(names_are_used_once_among_their_kind)
{
    struct ss_spec *spec = with_node_a();
    // A key, a node and a branch may share one.
    ck_assert_int_eq(ss_spec_key(spec, "a", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_branch(spec, "a", "a", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_branch(spec, "b", "a", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_key(spec, "a", NULL), SS_EINVAL);
    expect_first_error(spec, "\"a\" is defined twice");
    spec = with_node_a();
    ck_assert_int_eq(ss_spec_branch(spec, "a", "r", NULL), SS_OK);
    ck_assert_int_eq(ss_spec_branch(spec, "a", "r", NULL), SS_EINVAL);
    expect_first_error(spec, "\"a:r\" is defined twice");
}
END_TEST

START_TEST(a_subgraph_goes_in_under_its_name)
{
    struct ss_spec *spec = with_node_a();
    json_t *inner = js("{'name': 'inner', 'state': []}");
    json_t *other = js("{'name': 'inner', 'state': [{'key': 'k'}]}");
    ck_assert_int_eq(ss_spec_subgraph(spec, inner), SS_OK);
    ck_assert_int_eq(ss_spec_subgraph(spec, inner), SS_OK);
    json_t *description;
    ck_assert_int_eq(ss_spec_end(spec, &description, NULL), SS_OK);
    expect_json(json_incref(json_object_get(description, "subgraphs")),
        "{'inner': {'name': 'inner', 'state': []}}");
    json_decref(description);
    ck_assert_int_eq(ss_spec_subgraph(spec, other), SS_EINVAL);
    expect_first_error(spec, "\"inner\"");
    json_decref(inner);
    json_decref(other);
    spec = with_node_a();
    json_t *nameless = json_object();
    ck_assert_int_eq(ss_spec_subgraph(spec, nameless), SS_EINVAL);
    json_decref(nameless);
    expect_first_error(spec, "without a name");
}
END_TEST

START_TEST(what_is_built_cannot_be_set)
{
    struct ss_spec *spec = with_node_a();
    ck_assert_int_eq(ss_spec_set(spec, "nodes", json_array()), SS_EINVAL);
    expect_first_error(spec, "\"nodes\"");
}
END_TEST

RUN("spec", a_description_is_built_call_by_call, a_raw_description_has_channels,
    the_first_error_stays, a_bad_node_is_refused_at_once,
    a_name_that_is_no_utf8_is_refused_and_not_left_out,
    a_bad_edge_is_refused_at_once, a_join_needs_nodes_that_are_there,
    a_handler_node_can_be_joined, names_are_used_once_among_their_kind,
    a_subgraph_goes_in_under_its_name, what_is_built_cannot_be_set)
