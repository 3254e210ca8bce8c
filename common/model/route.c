// route.c - conditional edges: what a router reads, and what its answer writes
// (spec/engine.md R0.7-5, R0.8; spec/graph.md 2.10).
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/compare.h"
#include "common/model/reserved.h"
#include "common/model/suggest.h"
#include "common/model/tag.h"
#include "common/model/writer.h"

// Of each of its keys `state` has another value, or none is shown of them.
static bool hides_all(const json_t *state, json_t *beneath)
{
    for (void *at = json_object_iter(beneath); at;
         at = json_object_iter_next(beneath, at))
        if (!json_object_get(state, json_object_iter_key(at)))
            return false;
    return true;
}

// The state as the router sees it. A map that the node returned shows beneath
// the keys that it reads, unless the router has a schema of its own.
static int read_state(struct ss_writer *w, const struct ss_branch *branch,
    json_t *returned, json_t **ret_state)
{
    json_t *state, *quoted = ss_tag_get(returned, "$quote");
    int status = ss_fresh_read(w->graph, &branch->reads, w->fresh, w->writes,
        w->hooks, w->task_id, &state, w->error);
    if (status != SS_OK)
        return status;
    bool is_marked = ss_tag_get(returned, "$command") ||
                     ss_tag_get(returned, "$list") ||
                     ss_tag_get(returned, "$send");
    json_t *beneath = quoted ? quoted : is_marked ? NULL : returned;
    if (!branch->has_own_reads && json_is_object(state) &&
        json_is_object(beneath) && !hides_all(state, beneath)) {
        json_t *merged = json_copy(beneath);
        json_object_update(merged, state);
        json_decref(state);
        state = merged;
    }
    *ret_state = state ? state : json_null();
    return SS_OK;
}

// What a router's answer reads as in a map and in a channel's name.
static const char *text_of(const json_t *item, char *room, size_t size)
{
    if (json_is_string(item))
        return json_string_value(item);
    if (json_is_integer(item)) {
        snprintf(room, size, "%" JSON_INTEGER_FORMAT, json_integer_value(item));
        return room;
    }
    if (json_is_boolean(item))
        return json_is_true(item) ? "true" : "false";
    return json_is_null(item) ? "null" : NULL;
}

static int refuse(struct ss_writer *w, const struct ss_branch *branch,
    int status, const char *format, const char *text)
{
    ss_error_set(w->error, status, format, text);
    return w->error ? ss_error_wrap(w->error, "branch \"%s\" of \"%s\"",
                          branch->name, w->node->name)
                    : status;
}

static int not_mapped(
    struct ss_writer *w, const struct ss_branch *branch, const char *answer)
{
    struct ss_hint hint;
    ss_hint_init(&hint, answer);
    for (void *at = json_object_iter(branch->map); at;
         at = json_object_iter_next(branch->map, at))
        ss_hint_offer(&hint, json_object_iter_key(at));
    char *message = ss_format("the router's answer \"%s\" is not in the map.%s",
        answer, ss_hint_text(&hint));
    int status = refuse(w, branch, SS_EROUTE, "%s", message);
    ss_free(message);
    return status;
}

// One item of the answer: *ret_name is a node's name, or NULL for a send.
static int resolve(struct ss_writer *w, const struct ss_branch *branch,
    json_t *item, char room[32], const char **ret_name)
{
    json_t *send = ss_tag_get(item, "$send");
    *ret_name = NULL;
    if (send) {
        const char *node = ss_json_str(send, "node", "");
        return strcmp(node, SS_NAME_END) == 0
                   ? refuse(w, branch, SS_EUPDATE, "%s",
                         "a send cannot go to the end")
                   : SS_OK;
    }
    const char *name = text_of(item, room, 32);
    if (!name)
        return refuse(w, branch, SS_EINVAL,
            "the router answered %s, not a node's name", ss_type_text(item));
    bool is_null = json_is_null(item);
    if (branch->map) {
        const json_t *mapped = json_object_get(branch->map, name);
        if (!mapped)
            return not_mapped(w, branch, name);
        name = json_string_value(mapped);
        is_null = false;
    }
    if (is_null || strcmp(name, SS_NAME_START) == 0)
        return refuse(w, branch, SS_EINVAL,
            "the router answered %s, where nothing can go",
            is_null ? "null" : "\"" SS_NAME_START "\"");
    *ret_name = name;
    return SS_OK;
}

static int write_item(
    struct ss_writer *w, const struct ss_branch *branch, json_t *item)
{
    char room[32];
    const char *name;
    int status = resolve(w, branch, item, room, &name);
    if (status != SS_OK)
        return status;
    return name ? ss_writer_go(w, name) : ss_writer_send(w, item);
}

// The whole answer is checked before any of it is written.
static int write_answer(
    struct ss_writer *w, const struct ss_branch *branch, json_t *answer)
{
    char room[32];
    const char *name;
    json_t *list = ss_tag_get(answer, "$list");
    const json_t *items = list ? list : answer;
    if (!json_is_array(items))
        return list ? SS_OK : write_item(w, branch, answer);
    int status = SS_OK;
    size_t count = json_array_size(items);
    for (size_t i = 0; i < count && status == SS_OK; i++)
        status = resolve(w, branch, json_array_get(items, i), room, &name);
    for (size_t i = 0; i < count && status == SS_OK; i++)
        status = write_item(w, branch, json_array_get(items, i));
    return status;
}

static int run_branch(struct ss_writer *w, size_t index, json_t *returned)
{
    const struct ss_branch *branch = &w->node->branches[index];
    json_t *state, *answer = NULL;
    if (!w->hooks || !w->hooks->route)
        return refuse(w, branch, SS_ESTATE, "%s",
            "routers are the application's: this needs a worker");
    int status = read_state(w, branch, returned, &state);
    if (status != SS_OK)
        return status;
    status = w->hooks->route(
        w->hooks->ctx, w->node, index, state, &answer, w->error);
    json_decref(state);
    if (status != SS_OK)
        return status;
    ss_check(answer != NULL);
    status = write_answer(w, branch, answer);
    json_decref(answer);
    return status;
}

int ss_writer_branches(struct ss_writer *w, json_t *returned)
{
    int status = SS_OK;
    for (size_t i = 0; i < w->node->branches_count && status == SS_OK; i++)
        status = run_branch(w, i, returned);
    return status;
}
