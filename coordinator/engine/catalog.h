// catalog.h - the graphs that workers announced, and their versions.
#ifndef SS_ENGINE_CATALOG_H
#define SS_ENGINE_CATALOG_H

#include "coordinator/engine/state.h"

// That version of the graph, or (NULL) the newest. Borrowed; NULL: not known.
struct known_graph *ss_known_graph(
    struct engine *engine, const char *name, const char *version);
// Compile a description and keep what it describes; `announce`: by a worker, so
// that one that is new is stored, and is the newest. Sets *ret_graph (borrowed),
// or error->status says why it describes none.
void ss_graph_learn(struct engine *engine, json_t *description, bool announce,
    struct ss_graph **ret_graph, struct ss_error *error);
// A stored graph was read: it is known, or told as damaged.
void ss_graph_found(struct engine *engine, const struct ss_event *event);
void ss_graphs_fini(struct engine *engine);
// The graph that a request means: by its name, else the thread's own. Borrowed;
// NULL after an error was set.
struct ss_graph *ss_request_graph(struct engine *engine,
    const struct thread *thread, const json_t *body, struct ss_error *error);
// One worker more, or less, serves the version of that key.
void ss_graph_is_served(struct engine *engine, const char *key, bool more);
size_t ss_graph_workers(
    const struct engine *engine, const struct ss_graph *graph);
// Nobody serves it, and who asks now is given a version that somebody serves.
bool ss_graph_is_replaced(struct engine *engine, const struct ss_graph *graph);
// Of which graph the thread is, as its newest row that names one says.
void ss_thread_graph_from_rows(struct thread *thread);

#endif
