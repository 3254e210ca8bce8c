// world_tell.c - what a client got, as one line of the story.
#include <string.h>

#include "common/model/value.h"
#include "tests/stories/world_impl.h"

// Without what is random: {"value", "id"} of a question becomes its value.
static json_t *questions(const json_t *interrupts)
{
    json_t *list = json_array(), *interrupt;
    size_t i;
    json_array_foreach ((json_t *)interrupts, i, interrupt)
        json_array_append(list, json_object_get(interrupt, "value"));
    return list;
}

void tell_answer(const char *client, const json_t *answer)
{
    struct ss_buf line;
    ss_buf_init(&line, 4096);
    const char *status = ss_json_str(answer, "status", NULL);
    json_t *error = json_object_get(answer, "error");
    json_t *output = json_object_get(answer, "output");
    json_t *asked = json_object_get(answer, "interrupts");
    ss_buf_addf(&line, "%s:", client);
    if (status)
        ss_buf_addf(&line, " %s", status);
    if (output) {
        char *text = ss_json_text(output);
        ss_buf_addf(&line, " %s", text);
        ss_free(text);
    }
    if (json_array_size(asked) > 0) {
        json_t *list = questions(asked);
        char *text = ss_json_text(list);
        ss_buf_addf(&line, " asked %s", text);
        ss_free(text);
        json_decref(list);
    }
    if (error)
        ss_buf_addf(&line, " error %s: %s", ss_json_str(error, "code", "?"),
            ss_json_str(error, "message", "?"));
    if (!status && !error)
        ss_buf_add_str(&line, " answered");
    tell("%s", ss_buf_str(&line));
    ss_buf_fini(&line);
}

void tell_event(const char *client, const json_t *event)
{
    if (json_object_get(event, "accepted")) {
        tell("%s: accepted", client);
        return;
    }
    json_t *data = json_object_get(event, "data");
    json_t *asked = json_object_get(data, "__interrupt__");
    json_t *shown = json_is_object(data) ? json_copy(data) : json_incref(data);
    if (json_is_array(asked))
        json_object_set_new(shown, "__interrupt__", questions(asked));
    char *text = ss_json_text(shown);
    json_t *ns = json_array_get(json_object_get(event, "ns"), 0);
    const char *inner = json_string_value(ns);
    tell("%s sees %s%s%.*s%s %s", client, ss_json_str(event, "mode", "?"),
        inner ? " of " : "", inner ? (int)strcspn(inner, ":") : 0,
        inner ? inner : "", json_object_get(event, "attempt") ? " (live)" : "",
        text);
    ss_free(text);
    json_decref(shown);
}
