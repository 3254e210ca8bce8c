// writer.h - inside of writers: shared by writers.c and route.c.
#ifndef SS_MODEL_WRITER_H
#define SS_MODEL_WRITER_H

#include "common/model/writers.h"

// One run of a node's writers; everything is borrowed.
struct ss_writer {
    const struct ss_graph *graph;
    const struct ss_node *node;
    const struct ss_fresh *fresh;
    const struct ss_writer_hooks *hooks;
    const char *task_id;
    struct ss_writes *writes;
    struct ss_error *error;
    size_t left_out; // keys that were, with a warning
};

// A $send mark; a node's name (the end: nothing).
int ss_writer_send(struct ss_writer *w, json_t *mark);
int ss_writer_go(struct ss_writer *w, const char *name);
// The conditional edges, in order (route.c).
int ss_writer_branches(struct ss_writer *w, json_t *returned);

#endif
