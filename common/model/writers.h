// writers.h - from what a node returned to the task's list of writes (R0.7).
//
// The same code on workers, in update_state and for nodes that are graphs.
// What a node returns is one JSON value in which the API marks what JSON cannot
// say; a mark is an object with exactly one key:
//   {"$send": {"node": n, "arg": a, "timeout_ms"?: t}}
//   {"$command": {"update"?: u, "goto"?: x | [x...], "graph"?: g, "resume"?:
//   r}} (x: a node's name or a $send mark; update: a map, or a list of [key,
//   value])
//   {"$list": [...]}: a list with Commands, Sends and maps in it
//   {"$quote": v}: v literally, whatever it looks like
//   {"$writes": [[channel, value]...]}: a raw node's writes to channels by name
// A write of a Send to __pregel_tasks is its mark, and so are the items of that
// channel: {"$send": {"node": n, "arg": a, "timeout_ms"?: t}}. Who hands on
// what a client or a graph gave (the input of __start__, as_node's values, a
// subgraph's output) decides: bare, or in a $quote, as data without marks.
#ifndef SS_MODEL_WRITERS_H
#define SS_MODEL_WRITERS_H

#include <jansson.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/value.h"

struct ss_write {
    const char *channel;    // owned, unless it is lent
    struct ss_value *value; // owned reference
    uint32_t found; // which channel that was when it was looked for, + 1; or 0
    bool is_lent;   // the name is of the graph whose node wrote
};

struct ss_writes {
    struct ss_write *items;
    size_t count;
    size_t capacity;
};

void ss_writes_add(struct ss_writes *writes, const char *channel,
    struct ss_value *value); // takes the reference of value
void ss_writes_fini(struct ss_writes *writes);
// The copy owns its names.
void ss_writes_copy(struct ss_writes *to, const struct ss_writes *from);
// Which channel of `graph` the write is to; SS_NONE: it has none of that name.
// Where it was found in a graph of the same kind it is not looked for again.
size_t ss_write_channel(
    const struct ss_graph *graph, const struct ss_write *write);

// The functions of the application that writers need. On a coordinator: NULL.
struct ss_writer_hooks {
    // The router of branch `branch` of `node`: gives *ret_answer (a name, a
    // $send mark, a list of them). Errors fail the task.
    int (*route)(void *ctx, const struct ss_node *node, size_t branch,
        json_t *state, json_t **ret_answer, struct ss_error *error);
    // A raw node's function of what it returned. Gives *ret_value.
    int (*map)(void *ctx, const struct ss_node *node, size_t write,
        json_t *returned, json_t **ret_value, struct ss_error *error);
    // Fold of a custom reducer, for a router's fresh read. Gives *ret_value.
    int (*fold)(void *ctx, const struct ss_channel_spec *channel, json_t *value,
        json_t *const *writes, size_t count, json_t **ret_value,
        struct ss_error *error);
    // A key that no channel takes was left out: what to tell people of it. NULL
    // where the update is not a body's own; then a strict graph lets it pass.
    void (*warn)(void *ctx, const char *text);
    void *ctx;
};

// What the routers of a task read besides its own writes: the stored forms
// (live) of the channels they name, and the managed values. Borrowed.
struct ss_fresh {
    struct ss_value *channels; // an object: channel -> stored form; NULL: none
    json_t *managed;           // name -> value
};

// True if `node` needs an application to run its writers: it has branches, or
// mapped raw writes.
bool ss_writers_need_worker(const struct ss_node *node);

// Run the writers of `node` on `returned` (borrowed): append to *writes. They
// borrow names from `graph`, which has to stay as long as they do.
// *ret_parent: a Command addressed to the parent, given, and then no write was
// made (R0.7, graph.md 2.12); else NULL. It is a $command mark without its
// "graph": hand it to the writers of the calling node as what that returned.
// Errors: SS_EUPDATE (returned the wrong thing, or in a strict graph a key that
// is none; router gave END in a send),
// SS_EINVAL (router gave null or START), SS_EROUTE (not in the map, or in a
// strict graph no node); what the hooks say. On error *writes is as it was
// (spec 17.3: no partial writes).
int ss_writers_run(const struct ss_graph *graph, const struct ss_node *node,
    json_t *returned, const struct ss_fresh *fresh,
    const struct ss_writer_hooks *hooks, const char *task_id,
    struct ss_writes *writes, json_t **ret_parent,
    struct ss_error *error) SS_MUST_USE;

// A Command given as graph input (R8.2): {"update", "goto", "resume"}; appends
// the null task's writes. SS_EUPDATE if addressed to the parent.
int ss_writers_command(json_t *command, struct ss_writes *writes,
    struct ss_error *error) SS_MUST_USE;
// Where a command's writes go: SS_EROUTE if a strict graph has no such node.
int ss_writers_targets(const struct ss_graph *graph,
    const struct ss_writes *writes, struct ss_error *error) SS_MUST_USE;
// Graph input to writes (R8.4). SS_EINVAL: not a map where a list of channels
// takes it. *ret_unknown (may be NULL) counts keys that no channel takes.
int ss_writers_input(const struct ss_graph *graph, json_t *input,
    struct ss_writes *writes, size_t *ret_unknown,
    struct ss_error *error) SS_MUST_USE;

// The router's read, and a body's read of its own channels: names of `keys`
// that are available after `own` writes (R0.8). Gives an object (scalar: the
// value or NULL).
int ss_fresh_read(const struct ss_graph *graph, const struct ss_keys *keys,
    const struct ss_fresh *fresh, const struct ss_writes *own,
    const struct ss_writer_hooks *hooks, const char *task_id,
    json_t **ret_values, struct ss_error *error) SS_MUST_USE;

#endif
