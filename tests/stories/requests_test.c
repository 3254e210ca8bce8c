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
        "run: \"thread\" is a name, which is a text");
    ck_assert_str_eq(
        error_of("run", json_pack("{s:s, s:s, s:i, s:{s:[]}}", "graph", "g",
                            "thread", "t", "run", 7, "input", "x")),
        "run: \"run\" is a name, which is a text");
    ck_assert_str_eq(error_of("run", json_pack("{s:s, s:n, s:{s:[]}}", "graph",
                                         "g", "thread", "input", "x")),
        "");
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
    a_request_that_is_none_is_told_of_the_nearest,
    a_key_of_an_update_that_the_graph_lacks_is_told,
    what_the_process_answers_is_no_request_of_the_engine)
