// order.c - sorting by JSON text, as the reference's generator does it.
#include "tests/conformance/order.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "tests/conformance/app/python.h"

enum { UUID_LENGTH = SS_UUID_SIZE - 1 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// A UUID of version 4 in lower case with no word character around it.
static bool is_made_up(const char *text, const char *at)
{
    static const char form[] = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
    if (at > text && is_word(at[-1]))
        return false;
    for (size_t i = 0; i < UUID_LENGTH; i++) {
        char c = at[i];
        bool fits = form[i] == 'x'   ? c && strchr("0123456789abcdef", c)
                    : form[i] == 'y' ? c && strchr("89ab", c)
                                     : c == form[i];
        if (!fits)
            return false;
    }
    return !is_word(at[UUID_LENGTH]);
}

// `text` with each made-up id replaced: by "~", or, with `seen` (id -> name),
// by its number. Gives (free).
static char *replace_made_up(const char *text, json_t *seen)
{
    struct text result = {0};
    text_str(&result, "");
    const char *from = text;
    for (const char *at = text; *at; at++) {
        if (!is_made_up(text, at))
            continue;
        text_add(&result, from, (size_t)(at - from));
        from = at + UUID_LENGTH;
        char *id = ss_memdup(at, UUID_LENGTH);
        if (seen && !json_object_get(seen, id))
            json_object_set_new(
                seen, id, json_sprintf("~%zu", json_object_size(seen) + 1));
        text_str(
            &result, seen ? json_string_value(json_object_get(seen, id)) : "~");
        ss_free(id);
        at = from - 1;
    }
    text_str(&result, from);
    return result.data;
}

struct keyed {
    char *text;
    json_t *item;
    size_t place;
};

static int by_text(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

void order_by_text(json_t *list)
{
    size_t count = json_array_size(list);
    struct keyed *items = ss_zalloc(count + 1, sizeof(*items));
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_array_get(list, i);
        char *text = python_dumps(item);
        items[i] = (struct keyed){.text = replace_made_up(text, NULL),
            .item = json_incref(item),
            .place = i};
        free(text);
    }
    qsort(items, count, sizeof(*items), by_text);
    for (size_t i = 0; i < count; i++) {
        json_array_set_new(list, i, items[i].item);
        free(items[i].text);
    }
    ss_free(items);
}

static const char *mode_of(json_t *event)
{
    return json_string_value(json_array_get(event, 0));
}

static const char *ns_of(json_t *event)
{
    return json_string_value(json_array_get(event, 1));
}

static bool ends_step(json_t *event)
{
    json_t *payload = json_array_get(event, 2);
    if (strcmp(mode_of(event), "checkpoints") == 0)
        return true;
    return strcmp(mode_of(event), "values") == 0 &&
           !json_object_get(payload, "__interrupt__");
}

static json_t *order_within(json_t *events, const char *ns);

static json_t *events_of(json_t *events, const char *ns)
{
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(events); i++)
        if (strcmp(ns_of(json_array_get(events, i)), ns) == 0)
            json_array_append(result, json_array_get(events, i));
    return result;
}

// The namespaces of `events` but `ns`, sorted. Gives a list.
static json_t *other_namespaces(json_t *events, const char *ns)
{
    json_t *seen = json_object();
    json_t *names = json_array();
    for (size_t i = 0; i < json_array_size(events); i++) {
        const char *other = ns_of(json_array_get(events, i));
        if (strcmp(other, ns) == 0 || json_object_get(seen, other))
            continue;
        json_object_set_new(seen, other, json_true());
        size_t place = json_array_size(names);
        while (place > 0 &&
               strcmp(json_string_value(json_array_get(names, place - 1)),
                   other) > 0)
            place--;
        json_array_insert_new(names, place, json_string(other));
    }
    json_decref(seen);
    return names;
}

// One stretch: the graph's own events sorted, then those inside it.
static void add_stretch(json_t *result, json_t *stretch, const char *ns)
{
    json_t *own = events_of(stretch, ns);
    order_by_text(own);
    json_array_extend(result, own);
    json_decref(own);
    json_t *names = other_namespaces(stretch, ns);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *inner = json_string_value(json_array_get(names, i));
        json_t *events = events_of(stretch, inner);
        json_t *ordered = order_within(events, inner);
        json_array_extend(result, ordered);
        json_decref(ordered);
        json_decref(events);
    }
    json_decref(names);
}

static json_t *order_within(json_t *events, const char *ns)
{
    json_t *result = json_array();
    json_t *stretch = json_array();
    for (size_t i = 0; i < json_array_size(events); i++) {
        json_t *event = json_array_get(events, i);
        if (strcmp(ns_of(event), ns) != 0 || !ends_step(event)) {
            json_array_append(stretch, event);
            continue;
        }
        add_stretch(result, stretch, ns);
        json_array_append(result, event);
        json_array_clear(stretch);
    }
    add_stretch(result, stretch, ns);
    json_decref(stretch);
    return result;
}

json_t *order_events(json_t *events)
{
    return order_within(events, "");
}

json_t *order_number(json_t *answers)
{
    json_t *seen = json_object();
    char *text = python_dumps(answers);
    char *numbered = replace_made_up(text, seen);
    json_t *result = json_loads(numbered, JSON_DECODE_ANY, NULL);
    free(text);
    free(numbered);
    json_decref(seen);
    return result;
}
