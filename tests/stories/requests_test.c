// What clients ask: each request of the table is known, and takes its own keys.
#include <string.h>

#include "common/model/requests.h"
#include "common/model/value.h"
#include "tests/stories/suite.h"

// The message of the error that the request ends with, "" where it ends well.
static const char *error_of(const char *op, json_t *body)
{
    uint64_t id = world_ask_json("ann", op, body);
    world_run();
    const json_t *answer = world_answer(id);
    ck_assert_msg(answer != NULL, "%s: no answer", op);
    return ss_json_str(json_object_get(answer, "error"), "message", "");
}

START_TEST(each_request_of_the_table_is_known)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const struct ss_op_row *row = ss_op_row(op);
        const char *error = error_of(row->name, json_object());
        bool is_unknown = strstr(error, "is not a request") != NULL;
        ck_assert_msg(!is_unknown, "%s: %s", row->name, error);
        if (row->home == SS_OP_OF_THREAD && op != SS_OP_RUN)
            ck_assert_msg(
                strstr(error, "say which thread"), "%s: %s", row->name, error);
    }
}
END_TEST

START_TEST(each_request_takes_its_own_keys_and_no_other)
{
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const struct ss_op_row *row = ss_op_row(op);
        if (row->home == SS_OP_OF_PROCESS)
            continue;
        const char *error =
            error_of(row->name, json_pack("{s:s}", "limits", "x"));
        ck_assert_msg(
            strstr(error, "\"limits\"") != NULL, "%s: %s", row->name, error);
    }
}
END_TEST

START_TEST(a_thread_that_is_named_by_a_number_is_refused)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    ck_assert_str_eq(error_of("run", json_pack("{s:s, s:i, s:{s:[]}}", "graph",
                                         "g", "thread", 5, "input", "x")),
        "run: \"thread\" wants a text, not the number 5");
    ck_assert_str_eq(
        error_of("run", json_pack("{s:s, s:s, s:i, s:{s:[]}}", "graph", "g",
                            "thread", "t", "run", 7, "input", "x")),
        "run: \"run\" wants a text, not the number 7");
    ck_assert_str_eq(error_of("run", json_pack("{s:s, s:n, s:{s:[]}}", "graph",
                                         "g", "thread", "input", "x")),
        "");
}
END_TEST

// What no key of that type takes.
#define WRONG_TEXT   json_integer(5)
#define WRONG_INT    json_string("5")
#define WRONG_FLAG   json_string("yes")
#define WRONG_LIST   json_true()
#define WRONG_NAMES  json_integer(5)
#define WRONG_OBJECT json_array()
#define WRONG_ANY    NULL

// Where null is as good as nothing.
static const char nulls[] = "thread run command config interrupt_before "
                            "interrupt_after output_keys";

// Takes `value`; NULL: it takes any.
static void key_is_checked(
    const char *op, const char *key, json_t *value, const char *at_home)
{
    if (!value || strcmp(at_home, "PROCESS") == 0) {
        json_decref(value);
        return;
    }
    char begin[96];
    snprintf(begin, sizeof(begin), "%s: \"%s\" wants ", op, key);
    const char *error = error_of(op, json_pack("{s:o}", key, value));
    ck_assert_msg(strncmp(error, begin, strlen(begin)) == 0 &&
                      strstr(error, ", not ") != NULL,
        "%s %s: \"%s\"", op, key, error);
    error = error_of(op, json_pack("{s:n}", key));
    ck_assert_msg(strstr(error, " wants ")
                      ? strstr(error, ", not null: leave it out") != NULL
                      : strstr(nulls, key) != NULL,
        "%s %s: %s", op, key, error);
}

START_TEST(each_key_of_each_request_is_refused_where_its_type_is_wrong)
{
#define K(key, type, note) key_is_checked(name, #key, WRONG_##type, at_home);
#define O(key, type, note) K(key, type, note)
#define R(OP, op, who, repeat, home, text, its)                                \
    {                                                                          \
        const char *name = #op, *at_home = #home;                              \
        (void)name;                                                            \
        (void)at_home;                                                         \
        its                                                                    \
    }
#include "common/model/requests.def"
#undef R
#undef O
#undef K
}
END_TEST

START_TEST(an_age_in_quotes_deletes_no_thread)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    ck_assert_str_eq(error_of("delete", json_pack("{s:s, s:s}", "thread", "t",
                                            "idle_ms", "86400000")),
        "delete: \"idle_ms\" wants an integer, not the text \"86400000\": "
        "leave "
        "out the quotes");
    const json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    ck_assert_ptr_nonnull(
        json_object_get(json_object_get(state, "values"), "x"));
}
END_TEST

START_TEST(a_run_with_an_option_of_another_type_does_not_begin)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    const char *const runs[] = {"'stream': 5", "'durability': 3",
        "'max_concurrency': 'five'", "'recursion_limit': '7'",
        "'detach': 'yes'", "'subgraphs': 1", "'strict_resume': 'false'",
        "'command': {'resum': 1}", "'config': {'metadata': 5}"};
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
        char body[128];
        snprintf(body, sizeof(body),
            "{'graph': 'g', 'thread': 't', 'input': {'x': []}, %s}", runs[i]);
        ck_assert_str_eq(code_of(world_get("run", body)), "invalid_argument");
    }
    ck_assert_uint_eq(world_attempts_of("a"), 0);
    const json_t *answer = world_get("run",
        "{'graph': 'g', 'thread': 't', 'input': {'x': []}, 'command': null,"
        " 'config': null, 'context': null, 'interrupt_before': null,"
        " 'output_keys': null}");
    ck_assert_str_eq(status_of(answer), "done");
}
END_TEST

START_TEST(one_node_named_without_a_list_clears_no_other_nodes_cache)
{
    world_graph(chart("g", "start>a a>b b>end",
        "{'nodes': {'a': {'cache': true}, 'b': {'cache': true}}}"));
    world_worker("w1", 4);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    const json_t *cleared =
        world_get("clear_cache", "{'graph': 'g', 'nodes': 'b'}");
    ck_assert_int_eq(ss_json_int(cleared, "entries", -1), 1);
    cleared = world_get("clear_cache", "{'graph': 'g', 'nodes': ['b']}");
    ck_assert_int_eq(ss_json_int(cleared, "entries", -1), 0);
    cleared = world_get("clear_cache", "{'graph': 'g'}");
    ck_assert_int_eq(ss_json_int(cleared, "entries", -1), 1);
}
END_TEST

START_TEST(a_picture_is_asked_for_with_true_or_a_number)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    ck_assert_str_eq(
        error_of("draw", json_pack("{s:s, s:s}", "graph", "g", "xray", "2")),
        "draw: \"xray\" wants true, false or a number of levels, not a text");
    ck_assert_str_eq(
        error_of("draw", json_pack("{s:s, s:i}", "graph", "g", "xray", 2)), "");
}
END_TEST

START_TEST(a_request_that_is_none_is_told_of_the_nearest)
{
    ck_assert_str_eq(error_of("histroy", json_object()),
        "\"histroy\" is not a request. Did you mean \"history\"?");
    ck_assert_str_eq(
        error_of("explode", json_object()), "\"explode\" is not a request.");
    ck_assert_str_eq(
        error_of("state", json_array()), "state: the body must be an object");
}
END_TEST

START_TEST(a_key_of_an_update_that_the_graph_lacks_is_told)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    const char *error = error_of("update",
        json_pack("{s:s, s:s, s:[[{s:{s:i}, s:s}]]}", "thread", "t", "graph",
            "g", "supersteps", "values", "lgo", 1, "as_node", "a"));
    ck_assert_str_eq(error, "");
    const json_t *answer = world_answer(1);
    json_t *told = json_array_get(json_object_get(answer, "warnings"), 0);
    ck_assert_str_eq(json_string_value(told),
        "node \"a\": \"lgo\" of its update is not a key of graph g, and was "
        "ignored.");
}
END_TEST

// It hears nothing of the run later.
START_TEST(who_does_not_wait_is_told_what_the_input_is_warned_of)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    world_hold("a");
    for (int again = 0; again < 2; again++) {
        const json_t *answer = world_get("run",
            "{'thread': 't', 'graph': 'g', 'run': 'r', 'detach': true,"
            " 'input': {'x': [], 'lgo': 1}}");
        const json_t *warnings = json_object_get(answer, "warnings");
        ck_assert_uint_eq(json_array_size(warnings), 1);
        ck_assert_ptr_nonnull(
            strstr(json_string_value(json_array_get(warnings, 0)),
                "\"lgo\" of the input is not a channel of graph g"));
    }
    const json_t *answer = world_get("run",
        "{'thread': 'u', 'graph': 'g', 'detach': true, 'input': {'x': []}}");
    ck_assert_ptr_null(json_object_get(answer, "warnings"));
}
END_TEST

// The coordinator's core answers those before its engine sees them.
START_TEST(what_the_process_answers_is_no_request_of_the_engine)
{
    world_store_slow(true);
    uint64_t id = world_ask("ann", "threads", "{}"); // waits for the store
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = "ann"};
    event.request.id = id;
    event.request.op = "health";
    event.request.body = json_object();
    world_event(&event);
    json_decref(event.request.body);
    const json_t *error = json_object_get(world_answer(id), "error");
    ck_assert_str_eq(
        ss_json_str(error, "message", ""), "\"health\" is not a request.");
}
END_TEST

SUITE("requests", each_request_of_the_table_is_known,
    each_request_takes_its_own_keys_and_no_other,
    a_thread_that_is_named_by_a_number_is_refused,
    each_key_of_each_request_is_refused_where_its_type_is_wrong,
    an_age_in_quotes_deletes_no_thread,
    a_run_with_an_option_of_another_type_does_not_begin,
    one_node_named_without_a_list_clears_no_other_nodes_cache,
    a_picture_is_asked_for_with_true_or_a_number,
    a_request_that_is_none_is_told_of_the_nearest,
    a_key_of_an_update_that_the_graph_lacks_is_told,
    who_does_not_wait_is_told_what_the_input_is_warned_of,
    what_the_process_answers_is_no_request_of_the_engine)
