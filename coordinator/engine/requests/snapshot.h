// snapshot.h - state as people read it (spec 9.1-9.2).
#ifndef SS_ENGINE_REQUESTS_SNAPSHOT_H
#define SS_ENGINE_REQUESTS_SNAPSHOT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/model/source.h"

struct loop;
struct ss_graph;
struct ss_keys;
struct ss_checkpoint_entry;
struct ss_error;
struct thread;

// A saved checkpoint as a loop that nobody runs, its tasks planned. Free it
// with ss_loop_destroy(). NULL after an error was set.
struct loop *ss_snapshot_view(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark, struct ss_error *error);
// A state snapshot of a saved checkpoint. `live`: read without an id. Gives.
json_t *ss_snapshot(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark, bool live,
    bool subgraphs);
// The output of a run that left the thread at that checkpoint. `live`: with
// what finished beside a question. Gives.
json_t *ss_snapshot_output(struct thread *thread, struct ss_graph *graph,
    struct ss_checkpoint_entry *mark, bool live, const struct ss_keys *keys);
json_t *ss_snapshot_empty(
    const struct thread *thread, const char *ns, const char *checkpoint_id);
// Metadata as shown: source, step, and the rest without what is ours alone.
json_t *ss_metadata_json(
    enum ss_source source, int64_t step, const json_t *metadata);
// `keys`: what results show.
json_t *ss_snapshot_tasks(
    struct loop *loop, const struct ss_keys *keys, bool live, bool subgraphs);

#endif
