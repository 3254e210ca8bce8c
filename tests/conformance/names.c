// names.c - what the reference's generator calls Names, with the same rules.
#include "tests/conformance/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "tests/conformance/app/python.h"
#include "tests/conformance/order.h"

void names_init(struct names *names)
{
    *names = (struct names){.tasks = json_object(),
        .nodes = json_object(),
        .interrupts = json_object(),
        .sends = json_object()};
}

void names_fini(struct names *names)
{
    json_decref(names->tasks);
    json_decref(names->nodes);
    json_decref(names->interrupts);
    json_decref(names->sends);
}

void names_begin(struct names *names)
{
    json_object_clear(names->sends);
}

// ------------------------------------------------------------------ learning

// The place in its superstep of a task that a send made; -1: another task.
// A path is a list, or its text "~__pregel_push, 0000000003, 0000000000".
static long send_index(const json_t *path)
{
    static const char push[] = "~" SS_NAME_PUSH ", ";
    const char *text = json_string_value(path);
    if (text) {
        bool is_send = strncmp(text, push, strlen(push)) == 0 &&
                       !strstr(text, SS_NAME_HANDLER_PATH);
        return is_send ? strtol(text + strlen(push), NULL, 10) : -1;
    }
    const char *kind = json_string_value(json_array_get(path, 0));
    const json_t *index = json_array_get(path, 1);
    if (!kind || strcmp(kind, SS_NAME_PUSH) != 0 || !json_is_integer(index))
        return -1;
    return (long)json_integer_value(index);
}

static void set_name(json_t *map, const char *id, const char *node, long index)
{
    char *name =
        index < 0 ? ss_strdup(node) : ss_format("%s[%ld]", node, index);
    json_object_set_new(map, id, json_string(name));
    ss_free(name);
}

void names_learn_task(struct names *names, json_t *task)
{
    const char *id = json_string_value(json_object_get(task, "id"));
    const char *node = json_string_value(json_object_get(task, "name"));
    if (!id || !node)
        return;
    set_name(names->tasks, id, node, send_index(json_object_get(task, "path")));
    json_object_set_new(names->nodes, id, json_string(node));
}

static void learn_interrupt(struct names *names, const char *id, const char *ns)
{
    enum { answers_max = 64 };
    char hash[SS_HEX128_SIZE];
    size_t answers = 0;
    if (json_object_get(names->interrupts, id))
        return;
    for (size_t k = 1; k < answers_max && answers == 0; k++) {
        ss_interrupt_id(ns, k, hash);
        answers = strcmp(hash, id) == 0 ? k : 0;
    }
    char *place = names_ns(names, ns);
    char *name = answers > 0 ? ss_format("@%s|%zu", place, answers)
                             : ss_format("@%s", place);
    json_object_set_new(names->interrupts, id, json_string(name));
    ss_free(name);
    ss_free(place);
}

void names_learn_interrupts(struct names *names, const char *ns,
    const char *task_id, json_t *interrupts)
{
    const char *node =
        json_string_value(json_object_get(names->nodes, task_id));
    if (!node)
        return;
    char *inside = ss_format("%s%s%s:%s", ns, *ns ? "|" : "", node, task_id);
    for (size_t i = 0; i < json_array_size(interrupts); i++) {
        const char *id = json_string_value(
            json_object_get(json_array_get(interrupts, i), "id"));
        if (id)
            learn_interrupt(names, id, inside);
    }
    ss_free(inside);
}

static bool is_push(json_t *triggers)
{
    const char *only = json_string_value(json_array_get(triggers, 0));
    return json_array_size(triggers) == 1 && only &&
           strcmp(only, SS_NAME_PUSH) == 0;
}

// The number of the send that a start event tells of, in its superstep.
static long next_send(struct names *names, const char *ns, json_t *event)
{
    char *step = python_dumps(json_object_get(event, "step"));
    char *key = ss_format("%s %s", ns, step);
    json_t *had = json_object_get(names->sends, key);
    json_int_t index = had ? json_integer_value(had) + 1 : 0;
    json_object_set_new(names->sends, key, json_integer(index));
    ss_free(key);
    free(step);
    return (long)index;
}

void names_learn_event(struct names *names, const char *ns, json_t *event)
{
    const char *type = json_string_value(json_object_get(event, "type"));
    json_t *payload = json_object_get(event, "payload");
    const char *id = json_string_value(json_object_get(payload, "id"));
    const char *node = json_string_value(json_object_get(payload, "name"));
    if (!type || !id || !node || strcmp(type, "checkpoint") == 0)
        return;
    long index = -1;
    if (strcmp(type, "task") == 0 &&
        is_push(json_object_get(payload, "triggers")))
        index = next_send(names, ns, event);
    if (!json_object_get(names->tasks, id))
        set_name(names->tasks, id, node, index);
    if (!json_object_get(names->nodes, id))
        json_object_set_new(names->nodes, id, json_string(node));
    names_learn_interrupts(
        names, ns, id, json_object_get(payload, "interrupts"));
}

// ------------------------------------------------------------------ naming

static void add_segment(const struct names *names, struct text *text,
    const char *segment, size_t size)
{
    const char *colon = memchr(segment, ':', size);
    const char *name = NULL;
    if (colon) {
        char *id = ss_memdup(colon + 1, size - (size_t)(colon + 1 - segment));
        name = json_string_value(json_object_get(names->tasks, id));
        size = *id ? (size_t)(colon - segment) : size;
        ss_free(id);
    }
    if (name)
        text_str(text, name);
    else
        text_add(text, segment, size);
}

char *names_ns(const struct names *names, const char *ns)
{
    struct text text = {0};
    text_str(&text, "");
    while (*ns) {
        size_t size = strcspn(ns, "|");
        add_segment(names, &text, ns, size);
        ns += size;
        if (*ns == '|') {
            text_str(&text, "|");
            ns++;
        }
    }
    char *result = ss_strdup(text.data);
    free(text.data);
    return result;
}

char *names_task(const struct names *names, const char *task_id)
{
    if (strcmp(task_id, SS_NULL_TASK) == 0)
        return ss_strdup("-");
    const char *name =
        json_string_value(json_object_get(names->tasks, task_id));
    return ss_strdup(name ? name : "?");
}

const char *names_interrupt(const struct names *names, const char *id)
{
    return json_string_value(json_object_get(names->interrupts, id));
}

// A list of interrupts: maps of id and value (or interrupt) alone.
static bool are_interrupts(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        size_t keys = json_object_size(item);
        if (json_object_get(item, "response_schema"))
            keys--;
        if (!json_is_object(item) || keys != 2 ||
            !json_object_get(item, "id") ||
            !(json_object_get(item, "value") ||
                json_object_get(item, "interrupt")))
            return false;
    }
    return true;
}

json_t *names_scrub(const struct names *names, json_t *value)
{
    if (json_is_object(value)) {
        json_t *result = json_object();
        const char *key;
        json_t *item;
        json_object_foreach (value, key, item) {
            const char *name = names_interrupt(names, key);
            json_object_set_new(
                result, name ? name : key, names_scrub(names, item));
        }
        return result;
    }
    if (json_is_array(value)) {
        json_t *result = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            json_array_append_new(
                result, names_scrub(names, json_array_get(value, i)));
        if (are_interrupts(result))
            order_by_text(result);
        return result;
    }
    const char *text = json_string_value(value);
    const char *name = text ? names_interrupt(names, text) : NULL;
    return name ? json_string(name) : json_incref(value);
}
