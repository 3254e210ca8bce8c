// pending.c - one reading of a superstep's pending writes (spec R1.14).
//
// finished: at least one output write that no later error takes back. A task
// with an error next to its output ran into trouble after it wrote, and runs
// again (spec 17.3: R6.6 is not copied).
#include <string.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel_impl.h"

static bool is_control(const char *channel)
{
    return ss_name_special(channel) < 0 ||
           strcmp(channel, SS_NAME_ERROR_SOURCE) == 0;
}

struct ss_pending_facts ss_pendings_facts(
    const struct ss_pendings *pending, const char *task_id)
{
    struct ss_pending_facts facts = {0};
    uint64_t output = 0, failed = 0;
    bool has_output = false;
    const struct ss_pending *p = NULL;
    while ((p = ss_pendings_next(pending, task_id, p)) != NULL) {
        if (strcmp(p->write.channel, SS_NAME_INTERRUPT) == 0) {
            facts.interrupts = ss_value_json(p->write.value);
        } else if (strcmp(p->write.channel, SS_NAME_RESUME) == 0) {
            facts.answers = ss_value_json(p->write.value);
        } else if (strcmp(p->write.channel, SS_NAME_ERROR) == 0) {
            facts.error = ss_value_json(p->write.value);
            failed = p->seq;
        } else if (strcmp(p->write.channel, SS_NAME_ERROR_SOURCE) == 0) {
            facts.error_source =
                json_string_value(ss_value_json(p->write.value));
        } else if (strcmp(p->write.channel, SS_NAME_TRIES) == 0) {
            facts.tried = ss_value_json(p->write.value);
            facts.tries = p->of_this_run ? facts.tried : NULL;
            facts.tries_seq = p->seq;
        } else if (strcmp(p->write.channel, SS_NAME_LOST) == 0) {
            facts.lost = p->of_this_run ? ss_value_json(p->write.value) : NULL;
            facts.lost_seq = p->seq;
        } else {
            has_output = true;
            output = p->seq > output ? p->seq : output;
        }
    }
    facts.finished = has_output && (!facts.error || output > failed);
    facts.failed = facts.error && !facts.finished;
    return facts;
}

bool ss_pendings_ours(const struct ss_pendings *pending, const char *task_id)
{
    const struct ss_pending *p = NULL;
    while ((p = ss_pendings_next(pending, task_id, p)) != NULL)
        if (p->of_this_run && !ss_name_of_attempts(p->write.channel))
            return true;
    return false;
}

enum ss_found ss_pendings_ended(
    const struct ss_pendings *pending, const char *task_id, uint64_t since)
{
    const struct ss_pending *last = NULL, *p = NULL;
    while ((p = ss_pendings_next(pending, task_id, p)) != NULL) {
        if (!p->of_this_run || p->seq <= since ||
            strcmp(p->write.channel, SS_NAME_LOST) == 0)
            continue;
        bool ends = strcmp(p->write.channel, SS_NAME_ERROR) == 0 ||
                    strcmp(p->write.channel, SS_NAME_INTERRUPT) == 0;
        if (!last || p->seq > last->seq || (p->seq == last->seq && ends))
            last = p;
    }
    if (!last || ss_pendings_facts(pending, task_id).finished)
        return SS_FOUND_NOTHING;
    return strcmp(last->write.channel, SS_NAME_ERROR) == 0 ? SS_FOUND_FAILURE
           : strcmp(last->write.channel, SS_NAME_INTERRUPT) == 0
               ? SS_FOUND_QUESTION
               : SS_FOUND_NOTHING;
}

void ss_pendings_output(const struct ss_pendings *pending, const char *task_id,
    struct ss_writes *writes)
{
    const struct ss_pending *p = NULL;
    while ((p = ss_pendings_next(pending, task_id, p)) != NULL)
        if (!is_control(p->write.channel))
            ss_writes_add(
                writes, p->write.channel, ss_value_ref(p->write.value));
}

void ss_pendings_null_writes(
    const struct ss_pendings *pending, struct ss_writes *writes)
{
    const struct ss_pending *p = NULL;
    while ((p = ss_pendings_next(pending, SS_NULL_TASK, p)) != NULL)
        ss_writes_add(writes, p->write.channel, ss_value_ref(p->write.value));
}

// R7.12b, not copied: a question is open only while its task has as many
// answers as it had when it asked. One that was answered since then (and failed
// after that) asks nothing now.
static bool answered_since(
    const struct ss_pendings *pending, const char *task_id)
{
    uint64_t asked = 0, answered = 0;
    const struct ss_pending *p = NULL;
    while ((p = ss_pendings_next(pending, task_id, p)) != NULL) {
        if (strcmp(p->write.channel, SS_NAME_INTERRUPT) == 0)
            asked = p->seq;
        if (strcmp(p->write.channel, SS_NAME_RESUME) == 0)
            answered = p->seq;
    }
    return answered > asked;
}

bool ss_pendings_asks(const struct ss_pendings *pending, const char *task_id)
{
    struct ss_pending_facts facts = ss_pendings_facts(pending, task_id);
    return facts.interrupts && !facts.finished &&
           !answered_since(pending, task_id);
}

static json_t *questions(const struct ss_pendings *pending, bool open_only)
{
    json_t *list = json_array();
    for (size_t i = 0; i < pending->count; i++) {
        const struct ss_pending *p = &pending->items[i];
        if (strcmp(p->write.channel, SS_NAME_INTERRUPT) == 0 &&
            !ss_pending_is_null(p) &&
            (!open_only || ss_pendings_asks(pending, p->write.task_id)))
            json_array_extend(list, ss_value_json(p->write.value));
    }
    return list;
}

static json_t *ids_of(json_t *interrupts)
{
    size_t i;
    json_t *interrupt, *ids = json_array();
    json_array_foreach (interrupts, i, interrupt)
        json_array_append(ids, json_object_get(interrupt, "id"));
    json_decref(interrupts);
    return ids;
}

json_t *ss_pendings_open(const struct ss_pendings *pending)
{
    return questions(pending, true);
}

// The node of a PULL task's path. NULL: it is of another task.
static const char *node_of(const char *path)
{
    static const char pull[] = "~" SS_NAME_PULL ", ";
    const size_t prefix = sizeof(pull) - 1;
    return path && strncmp(path, pull, prefix) == 0 ? path + prefix : NULL;
}

json_t *ss_pendings_orphaned(
    const struct ss_pendings *pending, const struct ss_graph *graph)
{
    json_t *nodes = NULL;
    for (size_t i = 0; i < pending->count; i++) {
        const struct ss_pending *p = &pending->items[i];
        const char *node = node_of(p->write.path);
        if (strcmp(p->write.channel, SS_NAME_INTERRUPT) != 0 || !node ||
            ss_graph_node(graph, node) != SS_NONE ||
            !ss_pendings_asks(pending, p->write.task_id))
            continue;
        if (!nodes)
            nodes = json_array();
        json_array_append_new(nodes, json_string(node));
    }
    return nodes;
}

json_t *ss_pendings_questions(const struct ss_pendings *pending)
{
    return ids_of(questions(pending, true));
}

json_t *ss_pendings_asked(const struct ss_pendings *pending)
{
    return ids_of(questions(pending, false));
}

bool ss_pendings_failed_answered(const struct ss_pendings *pending)
{
    for (size_t i = 0; i < pending->count; i++) {
        const struct ss_pending *p = &pending->items[i];
        if (strcmp(p->write.channel, SS_NAME_ERROR) != 0 ||
            ss_pendings_ours(pending, p->write.task_id))
            continue;
        struct ss_pending_facts facts =
            ss_pendings_facts(pending, p->write.task_id);
        if (facts.failed && json_array_size(facts.answers) > 0 &&
            !ss_pendings_asks(pending, p->write.task_id))
            return true;
    }
    return false;
}
