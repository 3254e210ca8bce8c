// here.c - the bench of tests of whole graphs in this process.
#include "tests/stories/here.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/suite.h"

static struct ss_local *local;
static struct ss_local_error error;
static char folder[64];
static char *store;
static json_t *kept;             // what was given back
static SS_VEC(char *) kept_text; // and the texts

static json_t *keep(json_t *json)
{
    json_array_append_new(kept, json);
    return json;
}

static const char *keep_text(char *text)
{
    SS_VEC_PUSH(&kept_text, text);
    return text;
}

// ------------------------------------------------------------------ fixtures

static void open_runner(void)
{
    static const struct ss_app app = {.abi = SS_ABI_VERSION,
        .size = sizeof(struct ss_app),
        .graphs = here_graphs};
    struct ss_local_options options = {
        .app = &app, .store = store, .skip_waiting = true, .seed = 1};
    int status = ss_local_open(&options, &local, &error);
    ck_assert_msg(status == 0, "%s", error.message);
}

void here_begin(void)
{
    snprintf(folder, sizeof(folder), "/tmp/here-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    store = ss_format("sqlite:%s/store.db", folder);
    kept = json_array();
    open_runner();
}

void here_end(void)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-lock", ".lock"};
    ss_local_close(&local);
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        char *path = ss_format("%s/store.db%s", folder, endings[i]);
        unlink(path);
        ss_free(path);
    }
    rmdir(folder);
    ss_free(store);
    json_decref(kept);
    for (size_t i = 0; i < kept_text.count; i++)
        ss_free(kept_text.items[i]);
    SS_VEC_FINI(&kept_text);
}

void here_restart(void)
{
    ss_local_close(&local);
    open_runner();
}

// ------------------------------------------------------------------ JSON

static json_t *parse(const char *text)
{
    json_error_t wrong;
    char *copy = ss_strdup(text);
    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    json_t *json = json_loads(copy, JSON_DECODE_ANY, &wrong);
    ck_assert_msg(json != NULL, "%s: %s", copy, wrong.text);
    ss_free(copy);
    return json;
}

json_t *here_json(const char *text)
{
    return keep(parse(text));
}

json_t *here_at(const json_t *json, const char *path)
{
    char part[128];
    while (json && *path) {
        size_t size = strcspn(path, ".");
        ck_assert_uint_lt(size, sizeof(part));
        memcpy(part, path, size);
        part[size] = '\0';
        path += path[size] ? size + 1 : size;
        json = json_is_array(json)
                   ? json_array_get(json, strtoul(part, NULL, 10))
                   : json_object_get(json, part);
    }
    return (json_t *)json;
}

const char *here_text(const json_t *json)
{
    char *text = json ? json_dumps(json, JSON_SORT_KEYS | JSON_ENCODE_ANY)
                      : ss_strdup("nothing");
    return keep_text(text);
}

// ------------------------------------------------------------------ asking

json_t *here_ask(const char *op, const char *body)
{
    json_t *answer = NULL;
    int status = ss_local_ask(local, op, parse(body), NULL, &answer, &error);
    ck_assert_msg(status == 0, "%s: %s", op, error.message);
    return keep(answer);
}

static void collect(void *ctx, const json_t *item)
{
    if (json_object_get(item, "mode"))
        json_array_append(ctx, (json_t *)item);
}

json_t *here_follow(const char *body, json_t **ret_events)
{
    json_t *answer = NULL;
    *ret_events = keep(json_array());
    struct ss_local_listener subscriber = {collect, *ret_events};
    int status =
        ss_local_ask(local, "run", parse(body), &subscriber, &answer, &error);
    ck_assert_msg(status == 0, "%s", error.message);
    return keep(answer);
}

void here_refused(
    const char *op, const char *body, const char *code, const char *words)
{
    json_t *answer = NULL;
    int status = ss_local_ask(local, op, parse(body), NULL, &answer, &error);
    ck_assert_msg(status != 0, "%s %s: was taken: %s", op, body,
        answer ? here_text(keep(answer)) : "");
    ck_assert_msg(strcmp(error.code, code) == 0, "%s %s: %s: %s", op, body,
        error.code, error.message);
    ck_assert_msg(strstr(error.message, words) != NULL,
        "%s %s: does not say \"%s\": %s", op, body, words, error.message);
}

static json_t *run_with(const char *graph, const char *key, const char *value)
{
    char *body = ss_format(
        "{'graph': '%s', 'thread': '%s', '%s': %s}", graph, graph, key, value);
    json_t *answer = here_ask("run", body);
    ss_free(body);
    return answer;
}

json_t *here_run(const char *graph, const char *input)
{
    return run_with(graph, "input", input);
}

json_t *here_command(const char *graph, const char *command)
{
    return run_with(graph, "command", command);
}

json_t *here_go_on(const char *graph)
{
    return run_with(graph, "input", "null");
}

static json_t *of_thread(const char *op, const char *graph, const char *key)
{
    char *body = ss_format("{'thread': '%s', 'graph': '%s'}", graph, graph);
    json_t *answer = here_ask(op, body);
    ss_free(body);
    return here_at(answer, key);
}

json_t *here_state(const char *graph)
{
    return of_thread("state", graph, "state");
}

json_t *here_history(const char *graph)
{
    return of_thread("history", graph, "history");
}

json_t *here_update(const char *graph, const char *update)
{
    char *body =
        ss_format("{'thread': '%s', 'graph': '%s', 'supersteps': [[%s]]}",
            graph, graph, update);
    json_t *answer = here_ask("update", body);
    ss_free(body);
    return answer;
}

void here_failed(const json_t *answer, const char *code, const char *words)
{
    ck_assert_msg(
        strcmp(here_text(here_at(answer, "status")), "\"failed\"") == 0,
        "it did not fail: %s", here_text(answer));
    ck_assert_str_eq(json_string_value(here_at(answer, "error.code")), code);
    const char *message = json_string_value(here_at(answer, "error.message"));
    ck_assert_msg(strstr(message, words) != NULL, "does not say \"%s\": %s",
        words, message);
}

const char *here_checkpoint(const char *graph, size_t back)
{
    json_t *snapshot = json_array_get(here_history(graph), back);
    return json_string_value(here_at(snapshot, "config.checkpoint_id"));
}

const char *here_question(const char *graph, size_t index)
{
    json_t *asked = here_at(here_state(graph), "interrupts");
    return json_string_value(
        json_object_get(json_array_get(asked, index), "id"));
}

// ------------------------------------------------------------------ the suite

int here_main(const char *name, const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_add_checked_fixture(tcase, here_begin, here_end);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
