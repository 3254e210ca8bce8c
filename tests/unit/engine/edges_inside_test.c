// edges_inside_test.c - sharp edges of spec/engine.md 15: graphs inside
// (85-94).
#include <string.h>

#include "tests/unit/engine/edges.h"

// A graph "g" with a node "sub" that is graph "in".
static void inside(
    const char *edges, const char *nodes, const char *inner, const char *more)
{
    char *extra = ss_format(
        "{'nodes': {'sub': {'subgraph': 'in'}, 'z': {}}, 'subgraphs': {'in':"
        " {'name': 'in', 'kind': 'state', 'state': [{'key': 'x', 'type': "
        "'list',"
        " 'reducer': 'add'}], 'nodes': [%s], 'edges': [%s]%s}}}",
        nodes, inner, more);
    given(edges, extra);
    ss_free(extra);
}

#define TWO    "{'name': 'p'}, {'name': 'q'}"
#define BESIDE "['__start__', 'p'], ['__start__', 'q']"
#define BEHIND "['__start__', 'p'], ['p', 'q']"
#define KEPT   ", 'checkpointer': true"

START_TEST(edge_85_inner_siblings_that_finished_are_restored)
{
    inside("start>sub", TWO, BESIDE, "");
    world_body("q", asks);
    go(FRESH);
    go("'command': {'resume': 'yes'}");
    gives("{'x': ['p', 'q:yes']}");
    ck_assert_uint_eq(ran("p"), 1);
}
END_TEST

// G2: one lineage for each place of call, whatever the task.
START_TEST(edge_87_a_graph_that_keeps_its_state_has_a_namespace_without_ids)
{
    inside("start>sub", "{'name': 'p'}", "['__start__', 'p']", KEPT);
    go(FRESH);
    saved_has(2, "ns", "'sub'");
    go("'input': {'x': {'__overwrite__': []}}");
    gives("{'x': ['p', 'p']}"); // it remembers its first run
}
END_TEST

// R12.5: what a run was given reaches the tasks inside.
static json_t *shows_config(struct visit *visit)
{
    json_t *config = ss_value_json(visit->order->given.config);
    return json_pack("{s:[s, s, s]}", "x",
        ss_json_str(json_object_get(config, "metadata"), "m", "none"),
        ss_json_str(json_object_get(config, "configurable"), "c", "none"),
        json_string_value(ss_value_json(visit->order->given.context)));
}

START_TEST(edge_89_config_and_context_of_a_run_reach_what_is_inside)
{
    inside("start>sub", "{'name': 'p'}", "['__start__', 'p']", "");
    world_body("p", shows_config);
    go(FRESH ", 'config': {'metadata': {'m': 'meta'}, 'configurable': {'c':"
             " 'conf'}}, 'context': 'ctx'");
    gives("{'x': ['meta', 'conf', 'ctx']}");
}
END_TEST

// G6.
START_TEST(edge_90_a_command_upwards_runs_the_nodes_own_edges_too)
{
    inside("start>sub sub>after", TWO, BEHIND, "");
    world_body("q", goes_up);
    go(FRESH);
    gives("{'x': ['up', 'after', 'z']}");
}
END_TEST

START_TEST(edge_91_a_command_upwards_discards_what_is_inside)
{
    inside("start>sub", TWO, BEHIND, "");
    world_body("q", goes_up);
    go("'input': {'x': ['in']}");
    gives("{'x': ['in', 'up', 'z']}"); // p's word is gone
}
END_TEST

// R12.13: a replayed root bounds what a kept graph remembers.
START_TEST(edge_92_a_replay_bounds_kept_graphs_by_the_roots_checkpoint)
{
    inside("start>a a>sub", "{'name': 'p'}", "['__start__', 'p']", KEPT);
    go(FRESH);
    go("'input': {'x': {'__overwrite__': []}}");
    gives("{'x': ['a', 'a', 'p', 'a', 'p']}");
    // the first run's checkpoint before sub: nothing of sub is older than that
    char *body = ss_format(GO_ON ", 'checkpoint_id': '%s'", history_id(5));
    go(body);
    gives("{'x': ['a', 'a', 'p']}");
    ss_free(body);
}
END_TEST

static char *checkpoint_inside(int step)
{
    for (size_t i = 0; i < saved_count(); i++) {
        json_t *it = saved((int)i);
        if (strcmp(ss_json_str(it, "ns", ""), "") != 0 &&
            ss_json_int(it, "step", -9) == step)
            return ss_strdup(ss_json_str(it, "id", "?"));
    }
    ck_abort_msg("no inner checkpoint of step %d", step);
}

// G8: with ids in its namespace it starts from scratch, without it goes on.
static void travels_inside(const char *more, const char *expected)
{
    inside("start>a a>sub", TWO, BEHIND, more);
    go(FRESH);
    char *root = ss_strdup(history_id(1)), *inner = checkpoint_inside(1);
    char *ns = ss_strdup(ss_json_str(saved(3), "ns", ""));
    size_t before = ran("p");
    char *body = ss_format(GO_ON ", 'checkpoint_ns': '%s', 'checkpoint_map':"
                                 " {'': '%s', '%s': '%s'}",
        ns, root, ns, inner);
    go(body);
    gives("{'x': ['a', 'a', 'p', 'q']}");
    char ran_again[16];
    snprintf(ran_again, sizeof(ran_again), "p %d", (int)(ran("p") - before));
    ck_assert_str_eq(ran_again, expected);
    ss_free(body);
    ss_free(ns);
    ss_free(inner);
    ss_free(root);
}

START_TEST(edge_93_only_kept_graphs_travel_in_their_own_time)
{
    travels_inside(KEPT, "p 0");
}
END_TEST

START_TEST(edge_93_others_start_from_scratch)
{
    travels_inside("", "p 1");
}
END_TEST

static json_t *shows(struct visit *visit)
{
    visit_show(visit, SS_LIVE_CUSTOM, "{'percent': 50}");
    return says(visit->order->node);
}

START_TEST(edge_94_custom_events_from_inside_need_subgraph_streaming)
{
    inside("start>sub", "{'name': 'p'}", "['__start__', 'p']", "");
    world_body("p", shows);
    look_away();
    go(FRESH ", 'stream': ['custom']");
    sees("");
    go(FRESH ", 'stream': ['custom'], 'subgraphs': true");
    sees("custom of sub (live) {'percent':50}\n");
}
END_TEST

SUITE("edges_inside", edge_85_inner_siblings_that_finished_are_restored,
    edge_87_a_graph_that_keeps_its_state_has_a_namespace_without_ids,
    edge_89_config_and_context_of_a_run_reach_what_is_inside,
    edge_90_a_command_upwards_runs_the_nodes_own_edges_too,
    edge_91_a_command_upwards_discards_what_is_inside,
    edge_92_a_replay_bounds_kept_graphs_by_the_roots_checkpoint,
    edge_93_only_kept_graphs_travel_in_their_own_time,
    edge_93_others_start_from_scratch,
    edge_94_custom_events_from_inside_need_subgraph_streaming)
