// large_test.c - a superstep looks at what moved: the rest of the graph may not
// even be there.
#include <stdlib.h>

#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/pregel/pregel_impl.h"
#include "tests/unit/pregel/bench.h"

enum { NODES = 1000, STEPS = 6 };

// A chain, and beside it channels of each kind that a superstep's end changes.
static json_t *large(void)
{
    json_t *graph = js("{'name': 'large', 'kind': 'state', 'state': ["
                       " {'key': 'last', 'type': 'str'},"
                       " {'key': 'log', 'type': 'list', 'reducer': 'add'},"
                       " {'key': 'once', 'channel': 'EphemeralValue'}],"
                       " 'nodes': [], 'edges': [['__start__', 'n0000']],"
                       " 'interrupt_after': ['n0999']}");
    json_t *list = json_object_get(graph, "nodes");
    json_t *edges = json_object_get(graph, "edges");
    char name[16], next[16];
    for (unsigned i = 0; i < NODES; i++) {
        snprintf(name, sizeof(name), "n%04u", i);
        snprintf(next, sizeof(next), "n%04u", i + 1);
        json_array_append_new(list, json_pack("{s:s}", "name", name));
        if (i + 1 < NODES)
            json_array_append_new(edges, json_pack("[s, s]", name, next));
    }
    return graph;
}

// What stands behind the wall.
static struct {
    struct ss_node nodes[NODES];
    struct ss_channel_spec specs[NODES];
    size_t channels[NODES];
    size_t first, count;
} walled;

// What is beyond the first nodes is out of reach: who looks at it crashes.
static void wall_off(struct bench *bench)
{
    struct ss_graph *graph = bench->graph;
    bench->is_walled = true;
    walled.first = ss_graph_node(graph, "n0008");
    walled.count = graph->nodes_count - walled.first;
    for (size_t i = 0; i < walled.count; i++) {
        struct ss_node *node = &graph->nodes[walled.first + i];
        size_t c = node->triggers[0];
        ck_assert_uint_eq(node->triggers_count, 1);
        walled.nodes[i] = *node;
        walled.specs[i] = graph->channels[c];
        walled.channels[i] = c;
        bench->machine->channels[c].spec = NULL;
        graph->channels[c].name = NULL;
        graph->channels[c].nodes = NULL;
        node->triggers = NULL;
        node->name = NULL;
    }
}

static void open_wall(struct bench *bench)
{
    for (size_t i = 0; i < walled.count; i++) {
        size_t c = walled.channels[i];
        bench->graph->nodes[walled.first + i] = walled.nodes[i];
        bench->graph->channels[c] = walled.specs[i];
        bench->machine->channels[c].spec = &bench->graph->channels[c];
    }
    bench->is_walled = false;
    ck_assert_uint_eq(ss_machine_faults(bench->machine), 0);
}

static void superstep(unsigned place)
{
    char path[64], node[16], trigger[32], writes[128];
    snprintf(path, sizeof(path), "~__pregel_pull, n%04u", place);
    snprintf(node, sizeof(node), "n%04u", place);
    snprintf(trigger, sizeof(trigger), "branch:to:n%04u", place);
    snprintf(writes, sizeof(writes),
        "[['last', 'x'], ['log', ['y']], ['once', 1],"
        " ['branch:to:n%04u', null]]",
        place + 1);
    ck_assert_int_eq(APPLY({path, node, trigger, writes}), SS_OK);
}

START_TEST(what_did_not_move_is_not_looked_at)
{
    struct bench *bench = bench_begin(large());
    ck_assert_int_eq(APPLY({"~", SS_NAME_INPUT, NULL,
                         "[['last', ''], ['branch:to:n0000', null]]"}),
        SS_OK);
    bench_save(false);
    bench_plans(true, "n0000");
    bench_plans(false, "n0000"); // all are looked at, once
    wall_off(bench);
    for (unsigned i = 0; i < STEPS; i++) {
        char next[16];
        snprintf(next, sizeof(next), "n%04u", i + 1);
        superstep(i);
        bench_save(i % 2); // a whole row, now and then
        bench_plans(true, next);
        bench_plans(false, next); // those that may be
    }
    open_wall(bench);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_did_not_move_is_not_looked_at};
    return bench_suite("large", tests, sizeof(tests) / sizeof(*tests));
}
