// names.h - gives every id that differs from run to run a name that does not.
//
//   task id       -> "node", "node[2]", "__error_handler__node"
//   namespace     -> its tasks' names joined by "|"
//   interrupt id  -> "@" and the names of the tasks around it, "|k" behind
//   checkpoint id -> "namespace#k", the k-th of its namespace
#ifndef CONFORMANCE_NAMES_H
#define CONFORMANCE_NAMES_H

#include <jansson.h>

struct names {
    json_t *tasks;      // task id -> name
    json_t *nodes;      // task id -> its node
    json_t *interrupts; // interrupt id -> name, in the order of learning
    json_t *sends;      // of the call under way: "ns step" -> how many
};

void names_init(struct names *names);
void names_fini(struct names *names);
// A new call: sends are counted anew.
void names_begin(struct names *names);

// A task as a snapshot shows it: {"id", "name", "path"}.
void names_learn_task(struct names *names, json_t *task);
// The interrupts that a task of namespace `ns` asked: [{"id", ...}...].
void names_learn_interrupts(struct names *names, const char *ns,
    const char *task_id, json_t *interrupts);
// A debug event of namespace `ns`: tasks that no saved checkpoint plans.
void names_learn_event(struct names *names, const char *ns, json_t *event);

// Names. Give text (free).
char *names_ns(const struct names *names, const char *ns);
char *names_task(const struct names *names, const char *task_id);
// The interrupt's name, borrowed, or NULL if it was never seen.
const char *names_interrupt(const struct names *names, const char *id);
// `value` with the names of interrupts in place of their ids, wherever they
// stand, and with sorted lists of interrupts. Gives.
json_t *names_scrub(const struct names *names, json_t *value);

#endif
