// graphs.c - what clients ask of the graphs: a list, one of them, a picture,
// and whether a description is one.
#include "coordinator/engine/threads/graphs.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/compare.h"
#include "common/model/graph.h"
#include "common/model/limits.h"
#include "common/model/request.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"

// Its nodes but those that the compiler made.
static size_t visible_nodes(const struct ss_graph *graph)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->nodes_count; i++)
        count += !graph->nodes[i].hidden;
    return count;
}

void ss_graphs_list(struct engine *engine, const struct ss_request *request)
{
    json_t *list = json_array();
    for (const struct ss_map_entry *e = ss_graphs_latest(engine)->first; e;
         e = e->next) {
        const struct known_graph *known = ss_graph_offered(engine, e->value);
        size_t serving = ss_graph_workers(engine, known->graph);
        json_array_append_new(list,
            json_pack("{s:s, s:s, s:I, s:I, s:I}", "name", known->graph->name,
                "version", known->graph->version, "nodes",
                (json_int_t)visible_nodes(known->graph), "workers",
                (json_int_t)serving, "attempts",
                (json_int_t)ss_graph_attempts(engine, known->graph->name)));
    }
    ss_reply(engine, request, json_pack("{s:o}", "graphs", list));
}

static struct ss_graph *named_graph(
    struct engine *engine, const struct ss_request *request)
{
    struct ss_error error = {0};
    struct ss_graph *found = NULL;
    if (!request->has.graph)
        ss_error_set(&error, SS_EINVAL, "say which graph");
    else
        found = ss_request_graph(engine, NULL, request->graph, &error);
    if (!found)
        ss_reply_error(engine, request, error.status, "%s", error.message);
    return found;
}

void ss_graphs_graph(struct engine *engine, const struct ss_request *request)
{
    const struct ss_graph *found = named_graph(engine, request);
    if (found)
        ss_reply(engine, request,
            json_pack("{s:O, s:s}", "graph", found->description, "version",
                found->version));
}

void ss_graphs_draw(struct engine *engine, const struct ss_request *request)
{
    struct ss_graph *found = named_graph(engine, request);
    if (!found)
        return;
    if (request->has.xray && !json_is_boolean(request->xray) &&
        !json_is_integer(request->xray)) {
        ss_reply_error(engine, request, SS_EINVAL,
            "draw: \"xray\" wants true, false or a number of levels, not %s",
            ss_type_text(request->xray));
        return;
    }
    int depth = json_is_true(request->xray)
                    ? SS_GRAPH_DEPTH_MAX
                    : (int)json_integer_value(request->xray);
    char *text =
        ss_graph_mermaid(found, request->styles || !request->has.styles, depth);
    json_t *unmapped = text ? ss_graph_unmapped(found, depth) : NULL;
    if (json_array_size(unmapped) > 0)
        ss_reply(engine, request,
            json_pack("{s:s, s:O}", "mermaid", text, "unmapped", unmapped));
    else if (text)
        ss_reply(engine, request, json_pack("{s:s}", "mermaid", text));
    else
        ss_reply_error(engine, request, SS_ELIMIT,
            "graph \"%s\": a picture shows %d nodes and ways at most%s",
            found->name, SS_DRAWN_MAX,
            depth != 0 ? ", and xray opens the graphs inside" : "");
    json_decref(unmapped);
    ss_free(text);
}

void ss_graphs_compile(struct engine *engine, const struct ss_request *request)
{
    struct ss_error error = {0};
    struct ss_graph *compiled = NULL;
    int status = ss_graph_compile(request->description, &compiled, &error);
    if (status != SS_OK) {
        ss_reply_error(engine, request, status, "%s", error.message);
        return;
    }
    ss_reply(engine, request, json_pack("{s:s}", "version", compiled->version));
    ss_graph_unref(compiled);
}
