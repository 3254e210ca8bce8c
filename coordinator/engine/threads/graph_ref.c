// graph_ref.c - which graph and which namespace of a thread a request means.
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "coordinator/engine/threads/graphs.h"

// A namespace without task ids; `counters`: digits stay too (R12.4, R12.4b).
static char *strip(const char *ns, bool counters)
{
    char *text = ss_zalloc(strlen(ns) + 1, 1), *to = text;
    while (*ns) {
        size_t size = strcspn(ns, "|");
        size_t name = strcspn(ns, ":|");
        bool digits = size > 0 && strspn(ns, "0123456789") == size;
        if (!digits || counters) {
            if (to != text)
                *to++ = '|';
            memcpy(to, ns, name);
            to += name;
        }
        ns += size + (ns[size] == '|');
    }
    return text;
}

struct ss_graph *ss_graph_at(struct ss_graph *root, const char *ns)
{
    char *path = strip(ns, false);
    // a name of digits alone reads as a counter, and leaves nothing to find
    bool lost = ns[0] && !path[0];
    struct ss_graph *inner = lost ? NULL : ss_graph_inside(root, path);
    ss_free(path);
    return inner;
}

bool ss_graph_ref_find(struct engine *engine, struct thread *thread,
    const char *graph, const char *ns, struct graph_ref *ret,
    struct ss_error *error)
{
    struct ss_graph *root = ss_request_graph(engine, thread, graph, error);
    ns = ns ? ns : "";
    if (!root)
        return false;
    if (root->checkpointer == SS_CHECKPOINTER_KEEP) {
        ss_error_set(error, SS_ESTATE,
            "graph %s keeps its state for the graph "
            "around it: by itself it has none",
            root->name);
        return false;
    }
    struct ss_graph *inner = ss_graph_at(root, ns);
    ret->root = root;
    ret->graph = inner ? inner : root;
    ret->known = inner != NULL;
    ret->ns =
        inner && inner != root && inner->checkpointer == SS_CHECKPOINTER_KEEP
            ? strip(ns, true)
            : ss_strdup(ns);
    return true;
}
