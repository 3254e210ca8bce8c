// Any JSON is a graph's description or a status. What compiles is the same
// graph when its description is compiled again, and can be drawn.
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Drawing looks at each way of each node, so only what is small is drawn: a
// minute is short.
enum { DRAWN_SIZE_MAX = 4096 };

// Every index that the lowered graph holds is one of its channels or nodes.
static void expect_sound(const struct ss_graph *graph)
{
    for (size_t i = 0; i < graph->channels_count; i++) {
        const struct ss_channel_spec *channel = &graph->channels[i];
        ss_check(ss_graph_channel(graph, channel->name) == i);
        for (size_t n = 0; n < channel->nodes_count; n++)
            ss_check(channel->nodes[n] < graph->nodes_count);
    }
    for (size_t i = 0; i < graph->nodes_count; i++) {
        const struct ss_node *node = &graph->nodes[i];
        ss_check(ss_graph_node(graph, node->name) == i);
        for (size_t c = 0; c < node->triggers_count; c++)
            ss_check(node->triggers[c] < graph->channels_count);
        for (size_t c = 0; c < node->edges_count; c++)
            ss_check(node->edges[c] < graph->channels_count);
        for (size_t c = 0; c < node->joins_count; c++)
            ss_check(node->joins[c] < graph->channels_count);
        ss_check(
            node->handler == SS_NONE || node->handler < graph->nodes_count);
        if (node->subgraph)
            expect_sound(node->subgraph);
    }
}

static void expect_the_same_again(const struct ss_graph *graph)
{
    char *text = ss_json_text(graph->description);
    json_t *json = NULL;
    struct ss_graph *again = NULL;
    ss_check(ss_json_parse(text, strlen(text), &json, NULL) == SS_OK);
    ss_check(ss_graph_compile(json, &again, NULL) == SS_OK);
    ss_check(strcmp(again->version, graph->version) == 0);
    ss_graph_unref(again);
    json_decref(json);
    ss_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int is_set_up;
    json_t *json = NULL;
    struct ss_graph *graph = NULL;
    struct ss_error error = {0};
    if (!is_set_up++)
        ss_value_setup();
    if (ss_json_parse(
            size > 0 ? (const char *)data : NULL, size, &json, NULL) != SS_OK)
        return 0;
    int status = ss_graph_compile(json, &graph, &error);
    json_decref(json);
    if (status != SS_OK) {
        ss_check(graph == NULL);
        ss_check(error.message[0] != '\0');
        return 0;
    }
    expect_sound(graph);
    expect_the_same_again(graph);
    if (size <= DRAWN_SIZE_MAX)
        ss_free(ss_graph_mermaid(graph, true, -1));
    ss_graph_unref(graph);
    return 0;
}
