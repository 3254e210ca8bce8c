// graphs.h - the graphs that workers announced, their versions, and which of
// them a request means.
#ifndef SS_ENGINE_THREADS_GRAPHS_H
#define SS_ENGINE_THREADS_GRAPHS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct ss_error;
struct ss_event;
struct ss_graph;
struct ss_map;
struct thread;

struct known_graph {
    struct ss_graph *graph;
    int64_t announced_us; // when it was, first; the newest rules; 0: never
    size_t workers;       // that serve it, as the scheduler says
    int64_t attempts;     // of its runs' tasks that were sent since we started
    // Another coordinator may have heard of it: announced before the stored
    // ones were read, or looked for since.
    bool is_undated;
    uint64_t look_tag; // 0: nobody looks
};

// What a request means by its graph and namespace (R9.2).
struct graph_ref {
    struct ss_graph *root;  // borrowed
    struct ss_graph *graph; // borrowed: the one whose namespace it is
    bool known;             // some graph lives there
    char *ns;               // owned (ss_free)
};

// ------------------------------------------------ catalog.c

// That version of the graph, or (NULL) the newest. Borrowed; NULL: not known.
struct known_graph *ss_known_graph(
    struct engine *engine, const char *name, const char *version);
// Compile a description and keep what it describes; `announce`: by a worker, so
// that one that is new is stored, and is the newest. Sets *ret_graph
// (borrowed), or error->status says why it describes none.
void ss_graph_learn(struct engine *engine, json_t *description, bool announce,
    struct ss_graph **ret_graph, struct ss_error *error);
// A stored graph was read: it is known, or told as damaged.
void ss_graph_found(struct engine *engine, const struct ss_event *event);
// All that are stored were read: what was announced before, and is not among
// them, is the newest.
void ss_graphs_found(struct engine *engine);
// True: it is what the store has of a graph that was announced.
bool ss_graph_looked(struct engine *engine, const struct ss_event *event);
void ss_graphs_init(struct engine *engine);
void ss_graphs_fini(struct engine *engine);
// All versions of all, by their keys; and the latest of each, by its name.
const struct ss_map *ss_graphs_all(const struct engine *engine);
const struct ss_map *ss_graphs_latest(const struct engine *engine);
// True, once: one became known.
bool ss_graphs_moved(struct engine *engine);
// The graph that a request means: by its name, else (NULL) the thread's own.
// Borrowed; NULL after an error was set.
struct ss_graph *ss_request_graph(struct engine *engine,
    const struct thread *thread, const char *name, struct ss_error *error);
// One worker more, or less, serves the version of that key.
void ss_graph_is_served(struct engine *engine, const char *key, bool more);
// An attempt of a run of that graph was sent.
void ss_graph_attempted(struct engine *engine, const struct ss_graph *graph);
// How many were, in all versions.
int64_t ss_graph_attempts(const struct engine *engine, const char *name);
size_t ss_graph_workers(
    const struct engine *engine, const struct ss_graph *graph);
// What a new run takes: the newest version that a worker serves, else the
// newest.
struct known_graph *ss_graph_offered(
    struct engine *engine, struct known_graph *latest);
// Nobody serves it, and who asks now is given a version that somebody serves.
bool ss_graph_is_replaced(struct engine *engine, const struct ss_graph *graph);

// ------------------------------------------------ graph_ref.c

// The graph of `root` that stands in that namespace; NULL: it has none there.
// Borrows.
struct ss_graph *ss_graph_at(struct ss_graph *root, const char *ns);
// What a request means by its graph and its namespace (each NULL: not said).
// False: `error` says that the graph is not known, or has no state of its own.
bool ss_graph_ref_find(struct engine *engine, struct thread *thread,
    const char *graph, const char *ns, struct graph_ref *ret,
    struct ss_error *error);

#endif
