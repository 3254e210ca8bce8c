// migrate.h - saved checkpoints of older formats become those of today
// (spec/engine.md R13.20).
//
//   format   what was other                          what becomes of it
//   1 to 3   sends waited among the parent's         the value of
//            writes, or beside the values            __pregel_tasks
//   1, 2     channels start:N, branch:S:C:N, and     branch:to:N
//            S, which triggers what S has edges to
//   1, 2     task ids are made of those names, in    ids as they are made
//            format 1 by SHA-1                       today, in namespaces too
//
// LangGraph.js makes task ids in a way of its own in every format.
//
// LangGraph's own migration leaves the task ids: what such tasks had written is
// not found any more, and they run again. Here they are done.
#ifndef SS_LANGGRAPH_MIGRATE_H
#define SS_LANGGRAPH_MIGRATE_H

#include <jansson.h>

#include "common/base/status.h"
#include "common/model/graph.h"

// One thread's; zero bytes to begin with.
struct ss_migration {
    struct ss_graph *graph; // borrowed; NULL: it is not known
    bool is_learnt;         // or is being learnt
    bool is_script;         // some of it is LangGraph.js's
    json_t *sends;          // namespace, newline, checkpoint -> what it sent
    json_t *tasks;          // old id -> [id, path]; a question's -> [id]
};
void ss_migration_fini(struct ss_migration *migration);

// Change a checkpoint of ss_record_open() and its values to format 4. A thread
// passes in the order of the checkpoints' ids. SS_EAGAIN: it needs the graph,
// and all ids of the thread before the first checkpoint can be changed; set
// `graph` and `is_learnt`, let the whole thread pass, drop what comes out, and
// let it pass again.
int ss_migrate(struct ss_migration *migration, json_t *saved,
    struct ss_error *error) SS_MUST_USE;

#endif
