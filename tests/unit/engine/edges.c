// edges.c - short words for the tests of sharp edges.
#include "tests/unit/engine/edges.h"

#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"

static json_t *answer; // of the last run

void given(const char *edges, const char *extra)
{
    world_graph(chart("g", edges, extra));
    world_worker("w1", 8);
}

json_t *go(const char *more)
{
    char *body = ss_format("{'thread': 't', 'graph': 'g', %s}", more);
    answer = world_get("run", body);
    ss_free(body);
    ck_assert_msg(answer != NULL, "no answer\n%s", world_told());
    return answer;
}

// ------------------------------------------------------------------ answers

void gives(const char *output)
{
    bench_json(json_incref(json_object_get(answer, "output")), output);
}

void ended(const char *status)
{
    ck_assert_str_eq(ss_json_str(answer, "status", "?"), status);
}

void refused(const char *code)
{
    ck_assert_str_eq(
        ss_json_str(json_object_get(answer, "error"), "code", "nothing"), code);
}

void asked(const char *questions)
{
    json_t *list = json_array(), *item;
    size_t i;
    json_array_foreach (json_object_get(answer, "interrupts"), i, item)
        json_array_append(list, json_object_get(item, "value"));
    bench_json(list, questions);
}

void warned(const char *part_of_it)
{
    json_t *warnings = json_object_get(answer, "warnings"), *item;
    size_t i;
    bool found = false;
    json_array_foreach (warnings, i, item)
        found = found ||
                (part_of_it && strstr(json_string_value(item), part_of_it));
    if (part_of_it)
        ck_assert_msg(found, "no warning of %s", part_of_it);
    else
        ck_assert_uint_eq(json_array_size(warnings), 0);
}

const char *question_id(size_t index)
{
    return ss_json_str(
        json_array_get(json_object_get(answer, "interrupts"), index), "id",
        "?");
}

// ------------------------------------------------------------------ asking

json_t *update_at(const char *checkpoint, const char *supersteps)
{
    json_t *body = json_pack("{s:s, s:s, s:o}", "thread", "t", "graph", "g",
        "supersteps", js(supersteps));
    if (checkpoint)
        json_object_set_new(body, "checkpoint_id", json_string(checkpoint));
    answer = world_finish(world_ask_json("ann", "update", body));
    return answer;
}

json_t *update(const char *supersteps)
{
    return update_at(NULL, supersteps);
}

static json_t *look_at(const char *op, const char *key)
{
    json_t *found = world_finish(world_ask_json(
        "eve", op, json_pack("{s:s, s:s}", "thread", "t", "graph", "g")));
    json_t *it = json_object_get(found, key);
    ck_assert_msg(it != NULL, "%s: nothing", op);
    return it;
}

void state_has(const char *key, const char *expected)
{
    bench_json(
        json_incref(json_object_get(look_at("state", "state"), key)), expected);
}

void tasks_are(const char *expected)
{
    struct ss_buf text;
    json_t *task;
    size_t i;
    ss_buf_init(&text, 4096);
    json_array_foreach (
        json_object_get(look_at("state", "state"), "tasks"), i, task) {
        ss_buf_addf(
            &text, "%s%s", i ? ", " : "", ss_json_str(task, "name", ""));
        if (!json_is_null(json_object_get(task, "error")))
            ss_buf_add_str(&text, ": error");
        if (json_array_size(json_object_get(task, "interrupts")) > 0)
            ss_buf_add_str(&text, ": asks");
        if (!json_is_null(json_object_get(task, "result")))
            ss_buf_add_str(&text, ": done");
    }
    ck_assert_str_eq(ss_buf_str(&text), expected);
    ss_buf_fini(&text);
}

json_t *history_entry(size_t index)
{
    json_t *entry = json_array_get(look_at("history", "history"), index);
    ck_assert_msg(entry != NULL, "no entry %zu", index);
    return entry;
}

const char *history_id(size_t index)
{
    return ss_json_str(
        json_object_get(history_entry(index), "config"), "checkpoint_id", "?");
}

void history_is(const char *expected)
{
    struct ss_buf text;
    json_t *entry;
    size_t i;
    ss_buf_init(&text, 4096);
    json_array_foreach (look_at("history", "history"), i, entry) {
        json_t *metadata = json_object_get(entry, "metadata");
        ss_buf_addf(&text, "%s%s %d", i ? ", " : "",
            ss_json_str(metadata, "source", "?"),
            (int)ss_json_int(metadata, "step", -9));
    }
    ck_assert_str_eq(ss_buf_str(&text), expected);
    ss_buf_fini(&text);
}

// ------------------------------------------------------------------ saved

size_t saved_count(void)
{
    return json_array_size(look_at("checkpoints", "checkpoints"));
}

json_t *saved(int index)
{
    json_t *all = look_at("checkpoints", "checkpoints");
    int count = (int)json_array_size(all);
    json_t *it =
        json_array_get(all, (size_t)(index < 0 ? count + index : index));
    ck_assert_msg(it != NULL, "no checkpoint %d", index);
    return it;
}

void saved_has(int index, const char *key, const char *expected)
{
    bench_json(json_incref(json_object_get(saved(index), key)), expected);
}

void saved_in(
    int index, const char *key, const char *inner, const char *expected)
{
    json_t *it = json_object_get(json_object_get(saved(index), key), inner);
    if (expected)
        bench_json(json_incref(it), expected);
    else
        ck_assert_msg(it == NULL, "%s of %s is there", inner, key);
}

void writes_are(int index, const char *expected)
{
    struct ss_buf text;
    json_t *write;
    size_t i;
    ss_buf_init(&text, 4096);
    json_array_foreach (
        json_object_get(saved(index), "pending_writes"), i, write)
        ss_buf_addf(&text, "%s%s %d", i ? ", " : "",
            ss_json_str(write, "channel", "?"),
            (int)ss_json_int(write, "idx", 0));
    ck_assert_str_eq(ss_buf_str(&text), expected);
    ss_buf_fini(&text);
}

// ------------------------------------------------------------------ seeing

size_t ran(const char *node)
{
    return world_attempts_of(node);
}

void look_away(void)
{
    world_forget();
}

void sees(const char *expected)
{
    static const char word[] = "ann sees ";
    struct ss_buf text;
    ss_buf_init(&text, 1 << 20);
    for (const char *line = world_told(); *line;) {
        size_t size = strcspn(line, "\n");
        if (strncmp(line, word, sizeof(word) - 1) == 0)
            ss_buf_add(
                &text, line + sizeof(word) - 1, size + 1 - (sizeof(word) - 1));
        line += size + (line[size] == '\n');
    }
    char *wanted = ss_strdup(expected);
    for (char *c = wanted; *c; c++)
        if (*c == '\'')
            *c = '"';
    if (strcmp(ss_buf_str(&text), wanted) != 0)
        ck_abort_msg("saw\n%s", ss_buf_str(&text));
    ss_free(wanted);
    ss_buf_fini(&text);
}
