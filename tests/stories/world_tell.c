// world_tell.c - what a client got and what became durable, as lines of the
// story.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/model/reserved.h"
#include "common/model/value.h"
#include "tests/stories/world_impl.h"

// ------------------------------------------------------------------ clients

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

// ------------------------------------------------------------------ rows

// "b", "send 3", "update 0", "the handler of b" from a task's path.
static void tell_path(struct ss_buf *line, const struct ss_row_write *write)
{
    const char *path = write->path ? write->path : "";
    static const char pull[] = "~" SS_NAME_PULL ", ";
    const size_t size = sizeof(pull) - 1;
    unsigned long number = 0;
    if (strcmp(write->task_id, SS_NULL_TASK) == 0)
        ss_buf_add_str(line, "the client");
    else if (sscanf(path, "~" SS_NAME_PUSH ", %lu", &number) == 1)
        ss_buf_addf(line, "send %lu", number);
    else if (sscanf(path, "~" SS_NAME_INTERRUPT ", %lu", &number) == 1)
        ss_buf_addf(line, "update %lu", number);
    else if (strncmp(path, pull, size) == 0)
        ss_buf_addf(line, "%.*s", (int)strcspn(path + size, ","), path + size);
    else
        ss_buf_add_str(line, path[0] ? path : "the input");
    if (strstr(path, SS_NAME_HANDLER_PATH))
        ss_buf_add_str(line, "'s handler");
}

static void tell_what(struct ss_buf *line, const struct ss_row_write *write)
{
    if (strcmp(write->channel, SS_NAME_ERROR) == 0)
        ss_buf_add_str(line, " (failed)");
    else if (strcmp(write->channel, SS_NAME_INTERRUPT) == 0)
        ss_buf_add_str(line, " (asks)");
    else if (strcmp(write->channel, SS_NAME_RESUME) == 0)
        ss_buf_add_str(line, write->value ? " (answer)" : " (answer taken)");
    else if (strcmp(write->channel, SS_NAME_TRIES) == 0)
        ss_buf_add_str(line, " (tries again)");
    else if (strcmp(write->channel, SS_NAME_LOST) == 0)
        ss_buf_addf(line, " (lost, %lld so far)",
            (long long)ss_json_int(ss_value_json(write->value), "lost", 0));
}

static void tell_writes(struct ss_buf *line, const struct ss_row *row)
{
    for (size_t i = 0; i < row->writes_count; i++) {
        const struct ss_row_write *write = &row->writes[i];
        bool first = i == 0;
        bool same =
            !first && strcmp(row->writes[i - 1].task_id, write->task_id) == 0;
        if (!same) {
            ss_buf_add_str(line, first ? " writes of " : ", ");
            tell_path(line, write);
        }
        tell_what(line, write);
    }
}

void tell_row(const char *thread, const struct ss_row *row)
{
    struct ss_buf line;
    ss_buf_init(&line, 4096);
    ss_buf_addf(&line, "  row %d of %s", (int)row->seq, thread);
    if (row->ns && row->ns[0])
        ss_buf_addf(&line, " in %.*s", (int)strcspn(row->ns, ":"), row->ns);
    ss_buf_add_str(&line, ":");
    const char *comma = "";
    if (row->entry) {
        ss_buf_add_str(&line, " entry");
        comma = ",";
    }
    if (row->writes_count) {
        ss_buf_add_str(&line, comma);
        tell_writes(&line, row);
        comma = ",";
        if (row->answer_of[0])
            ss_buf_add_str(&line, ", the plain answer taken");
    }
    if (row->has_checkpoint) {
        ss_buf_addf(&line, "%s checkpoint %d (%s)", comma, (int)row->step,
            ss_source_name(row->source));
        comma = ",";
    }
    if (row->end)
        ss_buf_addf(&line, "%s end", comma);
    else if (!comma[0])
        ss_buf_add_str(&line, row->void_seq ? " takes back" : " events");
    tell("%s", ss_buf_str(&line));
    ss_buf_fini(&line);
}

void told(const char *expected)
{
    const char *is = world_told();
    size_t same = 0, line = 1;
    while (is[same] && is[same] == expected[same])
        line += is[same++] == '\n';
    if (is[same] == expected[same])
        return;
    printf("%s", is);
    fflush(stdout);
    ck_abort_msg("line %zu is told otherwise", line);
}
