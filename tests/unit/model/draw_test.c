// Mermaid text, letter by letter (spec/graph.md 5). What stands here was
// compared with the reference's own drawings.
#include "tests/unit/model/help.h"

static void expect_drawing(
    const char *text, bool styles, int xray, const char *expected)
{
    struct ss_graph *graph = compile(text);
    char *drawn = ss_graph_mermaid(graph, styles, xray);
    ck_assert_str_eq(drawn, expected);
    ss_free(drawn);
    ss_graph_unref(graph);
}

#define HEAD "---\nconfig:\n  flowchart:\n    curve: linear\n---\ngraph TD;\n"
#define TAIL                                                                   \
    "\tclassDef default fill:#f2f0ff,line-height:1.2\n"                        \
    "\tclassDef first fill-opacity:0\n"                                        \
    "\tclassDef last fill:#bfb6fc\n"
#define START "\t__start__([<p>__start__</p>]):::first\n"
#define END   "\t__end__([<p>__end__</p>]):::last\n"

// The example of spec/graph.md 5.2.
#define EXAMPLE                                                                \
    "{'name': 'g', 'state': [{'key': 'k'}], 'nodes': [{'name': 'plan', "       \
    "'metadata': {'owner': 'ops'}}, {'name': 'search', 'subgraph': 'sub'}, "   \
    "{'name': 'review it'}, {'name': 'done', 'defer': true}], 'edges': "       \
    "[['__start__', 'plan'], [['search', 'review it'], 'done']], 'branches': " \
    "[{'from': 'plan', 'name': 'r', 'map': {'deep': 'search', 'quick': "       \
    "'review it', 'stop': '__end__'}}], 'interrupt_before': ['review it'], "   \
    "'subgraphs': {'sub': {'name': 'sub', 'state': [{'key': 'k'}], 'nodes': "  \
    "[{'name': 'fetch'}, {'name': 'rank'}], 'edges': [['__start__', "          \
    "'fetch'], ['fetch', 'rank']]}}}"

START_TEST(the_worked_example_is_drawn_as_it_stands_in_the_specification)
{
    expect_drawing(EXAMPLE, true, -1,
        HEAD START
        "\tplan(plan<hr/><small><em>owner = ops</em></small>)\n"
        "\treview\\20it(review it<hr/><small><em>__interrupt = before</em>"
        "</small>)\n"
        "\tdone(done<hr/><small><em>defer = True</em></small>)\n" END
        "\t__start__ --> plan;\n"
        "\tplan -. &nbsp;stop&nbsp; .-> __end__;\n"
        "\tplan -. &nbsp;quick&nbsp; .-> review\\20it;\n"
        "\tplan -. &nbsp;deep&nbsp; .-> search\\3afetch;\n"
        "\treview\\20it --> done;\n"
        "\tsearch\\3arank --> done;\n"
        "\tdone --> __end__;\n"
        "\tsubgraph search\n"
        "\tsearch\\3afetch(fetch)\n"
        "\tsearch\\3arank(rank)\n"
        "\tsearch\\3afetch --> search\\3arank;\n"
        "\tend\n" TAIL);
}
END_TEST

START_TEST(without_styles_only_the_edges_are_drawn)
{
    expect_drawing(EXAMPLE, false, 0,
        "graph TD;\n"
        "\t__start__ --> plan;\n"
        "\tplan -. &nbsp;stop&nbsp; .-> __end__;\n"
        "\tplan -. &nbsp;quick&nbsp; .-> review\\20it;\n"
        "\tplan -. &nbsp;deep&nbsp; .-> search;\n"
        "\treview\\20it --> done;\n"
        "\tsearch --> done;\n"
        "\tdone --> __end__;\n");
}
END_TEST

#define EDGES(nodes, edges, more)                                              \
    "{'name': 'g', 'state': [], 'nodes': [" nodes "], 'edges': [" edges        \
    "]" more "}"

START_TEST(an_orphan_takes_the_round_shapes_from_the_ends)
{
    expect_drawing(
        EDGES("{'name': 'a'}, {'name': 'lonely'}", "['__start__', 'a']", ""),
        true, 0,
        HEAD "\t__start__(<p>__start__</p>)\n"
             "\ta(a)\n"
             "\tlonely(lonely)\n"
             "\t__end__(<p>__end__</p>)\n"
             "\t__start__ --> a;\n"
             "\ta --> __end__;\n" TAIL);
}
END_TEST

START_TEST(a_loop_without_exit_ends_dashed_or_not_at_all)
{
    expect_drawing(EDGES("{'name': 'a'}, {'name': 'b'}",
                       "['__start__', 'a'], ['a', 'b'], ['b', 'a']", ""),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta --> b;\n"
        "\tb --> a;\n"
        "\tb -.-> __end__;\n");
    expect_drawing(EDGES("{'name': 'a'}", "['__start__', 'a']",
                       ", 'branches': [{'from': 'a', 'map': ['a', "
                       "'__end__']}]"),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta -.-> __end__;\n"
        "\ta -.-> a;\n");
}
END_TEST

START_TEST(a_branch_without_a_map_leads_nowhere)
{
    expect_drawing(EDGES("{'name': 'a'}, {'name': 'b'}", "['__start__', 'a']",
                       ", 'branches': [{'from': 'a', 'name': 'r'}]"),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta --> __end__;\n");
}
END_TEST

START_TEST(what_only_a_router_without_a_map_reaches_is_drawn_with_its_ways)
{
    expect_drawing(
        EDGES("{'name': 'model'}, {'name': 'tools'}, {'name': 'note'}",
            "['__start__', 'model'], ['tools', 'note'], ['note', 'model']",
            ", 'branches': [{'from': 'model', 'name': 'r'}]"),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> model;\n"
        "\tnote --> model;\n"
        "\ttools --> note;\n"
        "\tmodel --> __end__;\n");
    expect_drawing(
        EDGES("{'name': 'measure'}, {'name': 'total'}", "['measure', 'total']",
            ", 'branches': [{'from': '__start__', 'name': 'r'}]"),
        false, 0,
        "graph TD;\n"
        "\tmeasure --> total;\n"
        "\ttotal --> __end__;\n");
}
END_TEST

START_TEST(a_router_without_a_map_is_named_beside_the_picture)
{
    struct ss_graph *graph = compile(
        EDGES("{'name': 'a'}, {'name': 'b'}, {'name': 'told', 'destinations': "
              "['b']}, {'name': 'sub', 'subgraph': 'in'}",
            "['__start__', 'a'], ['a', 'told'], ['a', 'sub']",
            ", 'branches': [{'from': 'a', 'name': 'r'}, {'from': 'b', 'name': "
            "'r', 'map': ['a']}, {'from': 'told', 'name': 'r'}], 'subgraphs': "
            "{'in': {'name': 'in', 'state': [], 'nodes': [{'name': 'c'}], "
            "'edges': [['__start__', 'c']], 'branches': [{'from': 'c', 'name': "
            "'r'}]}}"));
    expect_json(ss_graph_unmapped(graph, 0), "['a']");
    expect_json(ss_graph_unmapped(graph, -1), "['a', 'sub:c']");
    ss_graph_unref(graph);
}
END_TEST

START_TEST(destinations_are_dashed_and_have_no_label)
{
    expect_drawing(EDGES("{'name': 'a', 'destinations': ['b', '__end__']}, "
                         "{'name': 'b'}",
                       "['__start__', 'a']", ""),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta -.-> __end__;\n"
        "\ta -.-> b;\n"
        "\tb --> __end__;\n");
}
END_TEST

START_TEST(a_label_is_omitted_where_it_is_the_target_and_broken_where_long)
{
    expect_drawing(
        EDGES("{'name': 'a'}, {'name': 'b'}, {'name': 'c'}",
            "['__start__', 'a']",
            ", 'branches': [{'from': 'a', 'name': 'r', 'map': {'b': 'b', "
            "'one two three four  five six seven eight nine ten eleven': "
            "'c'}}]"),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta -.-> b;\n"
        "\ta -. &nbsp;one two three four five six seven eight nine"
        "&nbsp<br>&nbspten eleven&nbsp; .-> c;\n"
        "\tb --> __end__;\n"
        "\tc --> __end__;\n");
}
END_TEST

START_TEST(of_several_labels_for_one_pair_the_first_survives)
{
    expect_drawing(EDGES("{'name': 'a'}, {'name': 'b'}", "['__start__', 'a']",
                       ", 'branches': [{'from': 'a', 'name': 'r', 'map': "
                       "{'z': 'b', 'm': 'b', 'x': 'b'}}]"),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta -. &nbsp;m&nbsp; .-> b;\n"
        "\tb --> __end__;\n");
}
END_TEST

START_TEST(a_deferred_node_is_led_to_by_the_level_before_it_too)
{
    expect_drawing(
        EDGES("{'name': 'a'}, {'name': 'b'}, {'name': 'c'}, {'name': 'd', "
              "'defer': true}",
            "['__start__', 'a'], ['a', 'b'], ['b', 'c'], ['a', 'd']", ""),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta --> b;\n"
        "\ta --> d;\n"
        "\tb --> c;\n"
        "\tc -.-> d;\n"
        "\td --> __end__;\n");
}
END_TEST

START_TEST(names_are_escaped_as_ids_and_wrapped_as_labels)
{
    expect_drawing(EDGES("{'name': 'review it'}, {'name': '*é*'}, {'name': "
                         "'_x'}, {'name': '`q`'}",
                       "['__start__', 'review it'], ['review it', '*é*'], "
                       "['*é*', '_x'], ['_x', '`q`']",
                       ""),
        true, 0,
        HEAD START "\treview\\20it(review it)\n"
                   "\t\\2a\\e9\\2a(<p>*é*</p>)\n"
                   "\t_x(_x)\n"
                   "\t\\60q\\60(<p>`q`</p>)\n" END "\t\\2a\\e9\\2a --> _x;\n"
                   "\t__start__ --> review\\20it;\n"
                   "\t_x --> \\60q\\60;\n"
                   "\treview\\20it --> \\2a\\e9\\2a;\n"
                   "\t\\60q\\60 --> __end__;\n" TAIL);
}
END_TEST

START_TEST(code_points_of_every_length_are_ids)
{
    expect_drawing(EDGES("{'name': 'a\\u20ac\\ud83d\\ude00'}",
                       "['__start__', 'a\\u20ac\\ud83d\\ude00']", ""),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a\\20ac\\1f600;\n"
        "\ta\\20ac\\1f600 --> __end__;\n");
}
END_TEST

START_TEST(metadata_are_shown_as_far_as_they_are_simple)
{
    expect_drawing(
        EDGES("{'name': 'a', 'metadata': {'s': '<b>[#1]', 'n': 1.5, 'yes': "
              "true, 'list': ['x', 2, false], 'no': null, 'map': {}, 'deep': "
              "[[1]]}}",
            "['__start__', 'a']",
            ", 'interrupt_before': ['a'], 'interrupt_after': ['a']"),
        true, 0,
        HEAD START "\ta(a<hr/><small><em>s = #60;b#62;#91;#35;1#93;\n"
                   "n = 1.5\n"
                   "yes = True\n"
                   "list = x, 2, False\n"
                   "__interrupt = before,after</em></small>)\n" END
                   "\t__start__ --> a;\n"
                   "\ta --> __end__;\n" TAIL);
}
END_TEST

START_TEST(an_interrupt_of_all_nodes_is_not_shown)
{
    expect_drawing(
        EDGES("{'name': 'a'}, {'name': 'b'}", "['__start__', 'a'], ['a', 'b']",
            ", 'interrupt_before': '*', 'interrupt_after': ['b']"),
        true, 0,
        HEAD START
        "\ta(a)\n"
        "\tb(b<hr/><small><em>__interrupt = after</em></small>)\n" END
        "\t__start__ --> a;\n"
        "\ta --> b;\n"
        "\tb --> __end__;\n" TAIL);
}
END_TEST

START_TEST(a_graph_of_nothing_is_its_two_ends)
{
    expect_drawing(EDGES("", "['__start__', '__end__']", ""), true, 0,
        HEAD START END "\t__start__ -.-> __end__;\n" TAIL);
}
END_TEST

START_TEST(error_handlers_stand_apart)
{
    expect_drawing(EDGES("{'name': 'a', 'error_handler': true}, {'name': "
                         "'b'}",
                       "['__start__', 'a'], ['__error_handler__a', 'b']", ""),
        true, 0,
        HEAD "\t__start__(<p>__start__</p>)\n"
             "\t__error_handler__a(__error_handler__a)\n"
             "\ta(a)\n"
             "\tb(b)\n"
             "\t__end__(<p>__end__</p>)\n"
             "\t__start__ --> a;\n"
             "\ta --> __end__;\n" TAIL);
}
END_TEST

START_TEST(an_edge_beside_a_branch_to_the_same_node_is_drawn_as_the_branch)
{
    expect_drawing(
        EDGES("{'name': 'a'}, {'name': 'b'}", "['__start__', 'a'], ['a', 'b']",
            ", 'branches': [{'from': 'a', 'name': 'r', 'map': "
            "{'l': 'b', 'm': 'b'}}]"),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta -. &nbsp;l&nbsp; .-> b;\n"
        "\tb --> __end__;\n");
}
END_TEST

START_TEST(a_join_waits_for_the_longer_arm)
{
    expect_drawing(
        EDGES("{'name': 'a'}, {'name': 'b'}, {'name': 'c'}, {'name': 'd'}, "
              "{'name': 'e'}",
            "['__start__', 'a'], ['a', 'b'], ['a', 'c'], ['c', 'e'], [['b', "
            "'e'], 'd']",
            ""),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta --> b;\n"
        "\ta --> c;\n"
        "\tb --> d;\n"
        "\tc --> e;\n"
        "\te --> d;\n"
        "\td --> __end__;\n");
}
END_TEST

START_TEST(a_loop_through_a_deferred_node_is_walked_again)
{
    expect_drawing(
        EDGES("{'name': 'a'}, {'name': 'b'}, {'name': 'c'}, {'name': 'd', "
              "'defer': true}, {'name': 'e'}",
            "['__start__', 'a'], ['a', 'b'], ['b', 'c'], ['a', 'd'], ['d', "
            "'e'], ['e', 'a']",
            ", 'branches': [{'from': 'a', 'name': 'r', 'map': {'go': 'd', "
            "'x': 'c'}}]"),
        false, 0,
        "graph TD;\n"
        "\t__start__ --> a;\n"
        "\ta --> b;\n"
        "\ta -. &nbsp;x&nbsp; .-> c;\n"
        "\ta --> d;\n"
        "\tb --> c;\n"
        "\tc -.-> d;\n"
        "\td --> e;\n"
        "\te --> a;\n"
        "\te -.-> __end__;\n");
}
END_TEST

#define ONE(name, node)                                                        \
    "'" name "': {'name': '" name "', 'state': [], 'nodes': [" node "], "      \
    "'edges': [['__start__', 'i']]"
#define NESTED                                                                 \
    EDGES("{'name': 's', 'subgraph': 'mid'}, {'name': 't'}",                   \
        "['__start__', 's'], ['s', 't']",                                      \
        ", 'subgraphs': {" ONE("mid",                                          \
            "{'name': 'i', 'subgraph': 'low'}") ", 'subgraphs': {" ONE("low",  \
            "{'name': 'i'}, {'name': 'j'}") ", 'branches': [{'from': 'i', "    \
                                            "'map': ['j']}]}}}}")

START_TEST(one_level_is_opened_at_a_time)
{
    expect_drawing(NESTED, true, 1,
        HEAD START "\tt(t)\n" END "\t__start__ --> s\\3ai;\n"
                   "\ts\\3ai --> t;\n"
                   "\tt --> __end__;\n"
                   "\tsubgraph s\n"
                   "\ts\\3ai(i)\n"
                   "\tend\n" TAIL);
}
END_TEST

START_TEST(a_graph_deep_inside_keeps_its_edges)
{
    // The reference loses them: no edge belongs to the graph between.
    expect_drawing(NESTED, true, -1,
        HEAD START "\tt(t)\n" END "\t__start__ --> s\\3ai\\3ai;\n"
                   "\ts\\3ai\\3aj --> t;\n"
                   "\tt --> __end__;\n"
                   "\tsubgraph i\n"
                   "\ts\\3ai\\3ai(i)\n"
                   "\ts\\3ai\\3aj(j)\n"
                   "\ts\\3ai\\3ai -.-> s\\3ai\\3aj;\n"
                   "\tend\n" TAIL);
}
END_TEST

START_TEST(two_blocks_of_one_name_are_told_apart)
{
    expect_drawing(
        EDGES("{'name': 'p', 'subgraph': 'mid'}, {'name': 'q', 'subgraph': "
              "'mid'}",
            "['__start__', 'p'], ['p', 'q']",
            ", 'subgraphs': {'mid': {'name': 'mid', 'state': [], 'nodes': "
            "[{'name': 'x', 'subgraph': 'low'}, {'name': 'y'}], 'edges': "
            "[['__start__', 'x'], ['x', 'y']], 'subgraphs': {" ONE("low",
                "{'name': 'i'}, {'name': 'j'}") ", 'branches': [{'from': "
                                                "'i', 'map': ['j']}]}}}}"),
        false, -1,
        "graph TD;\n"
        "\t__start__ --> p\\3ax\\3ai;\n"
        "\tp\\3ay --> q\\3ax\\3ai;\n"
        "\tq\\3ay --> __end__;\n"
        "\tsubgraph p\n"
        "\tp\\3ax\\3aj --> p\\3ay;\n"
        "\tsubgraph x\n"
        "\tp\\3ax\\3ai -.-> p\\3ax\\3aj;\n"
        "\tend\n"
        "\tend\n"
        "\tsubgraph q\n"
        "\tq\\3ax\\3aj --> q\\3ay;\n"
        "\tsubgraph q\\3ax\n"
        "\tq\\3ax\\3ai -.-> q\\3ax\\3aj;\n"
        "\tend\n"
        "\tend\n");
}
END_TEST

START_TEST(a_subgraph_without_one_entry_is_not_opened)
{
    expect_drawing(
        EDGES("{'name': 's', 'subgraph': 'mid'}", "['__start__', 's']",
            ", 'subgraphs': {" ONE(
                "mid", "{'name': 'i'}, {'name': 'lonely'}") "}}"),
        false, -1,
        "graph TD;\n"
        "\t__start__ --> s;\n"
        "\ts --> __end__;\n");
}
END_TEST

START_TEST(a_raw_graph_starts_behind_its_input)
{
    expect_drawing(
        "{'name': 'g', 'kind': 'raw', 'channels': [{'name': 'in'}, {'name': "
        "'mid'}, {'name': 'out'}, {'name': 'all', 'kind': "
        "'NamedBarrierValue', 'names': ['two', 'three']}], 'nodes': "
        "[{'name': 'one', 'subscribe_only': 'in', 'writes': ['mid', 'zz']}, "
        "{'name': 'two', 'subscribe_only': 'mid', 'writes': ['all']}, "
        "{'name': 'three', 'subscribe_only': 'mid', 'writes': ['all']}, "
        "{'name': 'last', 'subscribe': ['all'], 'writes': ['out']}], "
        "'input': 'in', 'output': 'out'}",
        true, 0,
        HEAD "\tone(one)\n"
             "\ttwo(two)\n"
             "\tthree(three)\n"
             "\tlast(last)\n" START END "\t__start__ --> one;\n"
             "\tone --> three;\n"
             "\tone --> two;\n"
             "\tthree --> last;\n"
             "\ttwo --> last;\n"
             "\tlast --> __end__;\n" TAIL);
}
END_TEST

// Each level names the one below it twice: 2^16 graphs in 3 KB.
START_TEST(what_is_too_much_for_a_picture_is_not_drawn)
{
    struct ss_graph *graph = NULL;
    json_t *nest = NULL;
    for (int level = 0; level < 16; level++) {
        json_t *outer =
            js("{'name': 'g', 'state': [{'key': 'k'}], 'nodes':"
               " [{'name': 'a'}, {'name': 'b'}], 'edges': [['__start__', 'a'],"
               " ['a', 'b']]}");
        json_t *nodes = json_object_get(outer, "nodes");
        for (size_t i = 0; nest && i < 2; i++)
            json_object_set_new(
                json_array_get(nodes, i), "subgraph", json_string("in"));
        if (nest)
            json_object_set_new(
                outer, "subgraphs", json_pack("{s:o}", "in", nest));
        nest = outer;
    }
    ck_assert_int_eq(ss_graph_compile(nest, &graph, NULL), SS_OK);
    json_decref(nest);
    ck_assert_ptr_null(ss_graph_mermaid(graph, true, -1));
    char *drawn = ss_graph_mermaid(graph, true, 3);
    ck_assert_ptr_nonnull(drawn);
    ss_free(drawn);
    ss_graph_unref(graph);
}
END_TEST

static void add_named(json_t *graph, const char *letter, int number,
    const char *from, bool is_deferred)
{
    char name[16];
    snprintf(name, sizeof(name), "%s%d", letter, number);
    json_array_append_new(json_object_get(graph, "nodes"),
        json_pack("{s:s, s:b}", "name", name, "defer", (int)is_deferred));
    json_array_append_new(
        json_object_get(graph, "edges"), json_pack("[s, s]", from, name));
}

// `count` nodes, of whom each leads to each of `count` that wait for all.
static struct ss_graph *waiting_for_all(int count)
{
    struct ss_graph *graph = NULL;
    json_t *json = js("{'name': 'g', 'state': [{'key': 'k'}], 'nodes': [],"
                      " 'edges': []}");
    add_named(json, "a", 0, "__start__", false);
    for (int i = 0; i < count; i++) {
        add_named(json, "n", i, "a0", false);
        add_named(json, "d", i, "a0", true);
    }
    ck_assert_int_eq(ss_graph_compile(json, &graph, NULL), SS_OK);
    json_decref(json);
    return graph;
}

START_TEST(more_ways_than_a_picture_has_are_not_drawn)
{
    // found and settled, too many while they are found, too many nodes
    static const int counts[] = {100, 800, 2000};
    for (size_t i = 0; i < 3; i++) {
        struct ss_graph *graph = waiting_for_all(counts[i]);
        ck_assert_ptr_null(ss_graph_mermaid(graph, false, 0));
        ss_graph_unref(graph);
    }
    struct ss_graph *graph = waiting_for_all(30);
    char *drawn = ss_graph_mermaid(graph, false, 0);
    ck_assert_ptr_nonnull(strstr(drawn, "\tn29 -.-> d29;\n"));
    ss_free(drawn);
    ss_graph_unref(graph);
}
END_TEST

RUN("draw", what_is_too_much_for_a_picture_is_not_drawn,
    more_ways_than_a_picture_has_are_not_drawn,
    the_worked_example_is_drawn_as_it_stands_in_the_specification,
    without_styles_only_the_edges_are_drawn,
    an_orphan_takes_the_round_shapes_from_the_ends,
    a_loop_without_exit_ends_dashed_or_not_at_all,
    a_branch_without_a_map_leads_nowhere,
    a_router_without_a_map_is_named_beside_the_picture,
    what_only_a_router_without_a_map_reaches_is_drawn_with_its_ways,
    destinations_are_dashed_and_have_no_label,
    a_label_is_omitted_where_it_is_the_target_and_broken_where_long,
    of_several_labels_for_one_pair_the_first_survives,
    a_deferred_node_is_led_to_by_the_level_before_it_too,
    names_are_escaped_as_ids_and_wrapped_as_labels,
    code_points_of_every_length_are_ids,
    metadata_are_shown_as_far_as_they_are_simple,
    an_interrupt_of_all_nodes_is_not_shown, a_graph_of_nothing_is_its_two_ends,
    error_handlers_stand_apart,
    an_edge_beside_a_branch_to_the_same_node_is_drawn_as_the_branch,
    a_join_waits_for_the_longer_arm,
    a_loop_through_a_deferred_node_is_walked_again,
    one_level_is_opened_at_a_time, a_graph_deep_inside_keeps_its_edges,
    two_blocks_of_one_name_are_told_apart,
    a_subgraph_without_one_entry_is_not_opened,
    a_raw_graph_starts_behind_its_input)
