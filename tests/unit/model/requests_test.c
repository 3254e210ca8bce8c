// The table of requests: each row is whole, and finds itself; and what is asked
// is read by it.
#include "common/model/request.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/suite.h"

START_TEST(each_row_is_whole)
{
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const struct ss_op_row *row = ss_op_row(op);
        ck_assert_int_eq(row->op, op);
        ck_assert_ptr_eq(ss_op_by_name(row->name), row);
        // One line, that goes on in a table.
        ck_assert_msg(strlen(row->text) > 4 && !strpbrk(row->text, ".|\n"),
            "%s: \"%s\"", row->name, row->text);
        ck_assert(row->keys[0] == ' ');
        ck_assert(row->keys[strlen(row->keys) - 1] == ' ');
    }
    ck_assert_ptr_null(ss_op_by_name("explode"));
    ck_assert_ptr_null(ss_op_by_name(""));
}
END_TEST

static struct ss_request *ask(enum ss_op op, const char *text)
{
    json_t *body = json_loads(text, 0, NULL);
    struct ss_request *request = ss_request_new(op, "ann", 7, "key", body);
    json_decref(body);
    return request;
}

static bool takes(const struct ss_op_row *row, const char *key)
{
    json_t *body = json_pack("{s:n}", key);
    struct ss_request *request = ss_request_new(row->op, "ann", 7, NULL, body);
    bool is_taken = !request->unknown;
    ck_assert(is_taken || strcmp(request->unknown, key) == 0);
    ss_request_unref(request);
    json_decref(body);
    return is_taken;
}

START_TEST(what_is_of_a_thread_or_a_run_takes_its_name)
{
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const struct ss_op_row *row = ss_op_row(op);
        if (row->home == SS_OP_OF_THREAD || row->home == SS_OP_OF_RUN)
            ck_assert_msg(takes(row, "thread"), "%s", row->name);
        if (row->home == SS_OP_OF_RUN || row->repeat == SS_OP_REPEAT_RUN)
            ck_assert_msg(takes(row, "run"), "%s", row->name);
    }
}
END_TEST

// What is asked once must have another way to be asked again: a key, or an
// operator who looks.
START_TEST(what_is_asked_once_is_named)
{
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const struct ss_op_row *row = ss_op_row(op);
        bool is_once = op == SS_OP_UPDATE || op == SS_OP_COPY ||
                       op == SS_OP_RELEASE || op == SS_OP_THREAD_PUT;
        bool is_run = op == SS_OP_RUN || op == SS_OP_ATTACH;
        ck_assert_msg(row->repeat == (is_once     ? SS_OP_REPEAT_ONCE
                                         : is_run ? SS_OP_REPEAT_RUN
                                                  : SS_OP_REPEAT_SAFE),
            "%s", row->name);
    }
}
END_TEST

START_TEST(a_key_is_a_whole_word)
{
    const struct ss_op_row *row = ss_op_row(SS_OP_JOURNAL);
    ck_assert(takes(row, "thread"));
    ck_assert(takes(row, "limit"));
    ck_assert(!takes(row, "lim"));
    ck_assert(!takes(row, "limits"));
    ck_assert(!takes(row, "from limit"));
    ck_assert(!takes(row, " "));
    ck_assert(!takes(row, ""));
    ck_assert(!takes(ss_op_row(SS_OP_STATUS), ""));
    ck_assert(!takes(ss_op_row(SS_OP_STATUS), "thread"));
}
END_TEST

START_TEST(what_is_asked_is_read_by_its_keys_types)
{
    struct ss_request *said = ask(SS_OP_PAUSE,
        "{\"graph\": \"g\", \"all\": true, \"reason\": 5, \"by\": null}");
    ck_assert_str_eq(said->graph, "g");
    ck_assert(said->has.graph && said->all && said->has.all);
    // of another type: said, and nothing that could be used
    ck_assert(said->has.reason && !said->reason);
    ck_assert_str_eq(said->mistyped, "reason");
    ck_assert(said->has.by && !said->by);
    ck_assert(!said->has.version && !said->version);
    ck_assert_str_eq(ss_request_name(said), "pause");
    ck_assert_str_eq(said->peer, "ann");
    ck_assert_str_eq(said->signed_by, "key");
    ck_assert_uint_eq(said->id, 7);
    ss_request_unref(said);
    said = ask(SS_OP_HISTORY,
        "{\"limit\": 0, \"filter\": 1, \"thread\": [], \"lim\": 3}");
    ck_assert_int_eq(ss_request_int(said->limit, 9), 0);
    ck_assert(json_is_integer(said->filter) && !said->thread);
    ck_assert_str_eq(said->unknown, "lim");
    ss_request_unref(said);
    said = ask(SS_OP_HISTORY, "{\"limit\": \"3\", \"before\": \"x\"}");
    ck_assert_int_eq(ss_request_int(said->limit, 9), 9);
    ck_assert(said->has.limit && !said->unknown);
    ck_assert_str_eq(said->mistyped, "limit");
    ss_request_unref(said);
    said = ask(SS_OP_RUN, "{\"detach\": \"yes\", \"subgraphs\": true}");
    ck_assert(!said->detach && said->has.detach && said->subgraphs);
    ss_request_unref(said);
}
END_TEST

// NULL: nothing is wrong.
static void expect_fault(enum ss_op op, const char *text, const char *expected)
{
    struct ss_request *said = ask(op, text);
    char *fault = ss_request_fault(said);
    if (expected)
        ck_assert_str_eq(fault ? fault : "", expected);
    else
        ck_assert_msg(!fault, "%s: %s", text, fault);
    ss_free(fault);
    ss_request_unref(said);
}

START_TEST(a_value_of_another_type_is_told_with_what_is_wanted)
{
    expect_fault(SS_OP_RUN, "{\"max_concurrency\": \"five\"}",
        "run: \"max_concurrency\" wants an integer, not the text \"five\"");
    expect_fault(SS_OP_RUN, "{\"recursion_limit\": \"7\"}",
        "run: \"recursion_limit\" wants an integer, not the text \"7\": leave "
        "out the quotes");
    expect_fault(SS_OP_RUN, "{\"priority\": 7.5}",
        "run: \"priority\" wants an integer, not the number 7.5");
    expect_fault(SS_OP_RUN, "{\"priority\": 99999999999999999999.0}",
        "run: \"priority\" wants an integer, not the number 1e+20");
    expect_fault(SS_OP_RUN, "{\"priority\": \"99999999999999999999\"}",
        "run: \"priority\" wants an integer, not the text "
        "\"99999999999999999999\"");
    expect_fault(SS_OP_RUN, "{\"detach\": \"true\"}",
        "run: \"detach\" wants true or false, not the text \"true\": leave out "
        "the quotes");
    expect_fault(SS_OP_RUN, "{\"detach\": 1}",
        "run: \"detach\" wants true or false, not the number 1");
    expect_fault(SS_OP_RUN, "{\"durability\": false}",
        "run: \"durability\" wants a text, not false");
    expect_fault(SS_OP_RUN, "{\"run\": \"x\", \"stream\": 5}",
        "run: \"stream\" wants a list of texts, not the number 5");
    expect_fault(SS_OP_RUN, "{\"stream\": [\"values\", []]}",
        "run: \"stream\" wants a list of texts, not one with a list");
    expect_fault(SS_OP_RUN, "{\"config\": \"{\\\"tags\\\": []}\"}",
        "run: \"config\" wants an object, not the text \"{\"tags\": []}\": "
        "leave out the quotes");
    expect_fault(SS_OP_IMPORT, "{\"checkpoints\": {}}",
        "import: \"checkpoints\" wants a list, not an object");
    expect_fault(SS_OP_THREADS, "{\"metadata\": true}",
        "threads: \"metadata\" wants an object, not true");
    expect_fault(SS_OP_DELETE,
        "{\"thread\": \"t\", \"idle_ms\": "
        "\"ten years, or so long that nobody will look for it again öö\"}",
        "delete: \"idle_ms\" wants an integer, not the text \"ten years, or so "
        "long that nobody will look for it again ö…\"");
    // names may be one, and "*"
    expect_fault(SS_OP_RUN,
        "{\"interrupt_before\": \"*\", \"stream\": \"values\","
        " \"output_keys\": [], \"context\": 3, \"input\": false}",
        NULL);
}
END_TEST

START_TEST(null_is_nothing_where_that_does_no_harm_and_else_refused)
{
    expect_fault(SS_OP_RUN,
        "{\"thread\": null, \"run\": null, \"command\": null, \"config\": null,"
        " \"input\": null, \"context\": null, \"interrupt_before\": null,"
        " \"interrupt_after\": null, \"output_keys\": null}",
        NULL);
    expect_fault(SS_OP_DELETE, "{\"thread\": \"t\", \"idle_ms\": null}",
        "delete: \"idle_ms\" wants an integer, not null: leave it out");
    expect_fault(SS_OP_RUN, "{\"stream\": null}",
        "run: \"stream\" wants a list of texts, not null: leave it out");
    expect_fault(SS_OP_CANCEL, "{\"acton\": null}",
        "cancel: unknown key \"acton\"; known: run, thread, action, reason. "
        "Did you mean \"action\"?");
}
END_TEST

START_TEST(what_stands_inside_is_read_as_strictly)
{
    expect_fault(SS_OP_RUN, "{\"command\": {\"resum\": 1}}",
        "run: command: unknown key \"resum\"; known: update, resume, goto, "
        "graph. Did you mean \"resume\"?");
    expect_fault(SS_OP_RUN, "{\"config\": {\"metadata\": \"x\"}}",
        "run: \"config.metadata\" wants an object, not the text \"x\"");
    expect_fault(SS_OP_RUN, "{\"config\": {\"tags\": [1]}}",
        "run: \"config.tags\" wants a list of texts, not one with the number "
        "1");
    // the nodes' own
    expect_fault(SS_OP_RUN,
        "{\"config\": {\"callbacks\": 1, \"configurable\": null},"
        " \"command\": {\"resume\": {\"any\": 1}}}",
        NULL);
    expect_fault(SS_OP_UPDATE,
        "{\"supersteps\": [[{\"values\": 1}], [{\"value\": 1}]]}",
        "update: supersteps: unknown key \"value\"; known: values, as_node, "
        "task_id. Did you mean \"values\"?");
    expect_fault(SS_OP_UPDATE, "{\"supersteps\": [[{\"as_node\": 5}]]}",
        "update: \"supersteps.as_node\" wants a text, not the number 5");
    expect_fault(SS_OP_UPDATE, "{\"supersteps\": [[{\"as_node\": null}], 7]}",
        NULL); // whoever serves it says how it must be made
    expect_fault(SS_OP_ATTACH, "{\"run\": \"r\", \"seen\": {\"1.2\": \"3\"}}",
        "attach: \"seen.1.2\" wants an integer, not the text \"3\": leave out "
        "the quotes");
}
END_TEST

// What one op takes another does not.
START_TEST(a_key_of_another_request_is_unknown)
{
    struct ss_request *said =
        ask(SS_OP_STATE, "{\"thread\": \"t\", \"limit\": 3}");
    ck_assert_str_eq(said->unknown, "limit");
    ck_assert(!said->has.limit);
    ck_assert_int_eq(ss_request_int(said->limit, 9), 9);
    struct ss_request *kept = ss_request_ref(said);
    ss_request_unref(said);
    ck_assert_str_eq(kept->thread, "t");
    ss_request_unref(kept);
    ss_request_unref(NULL);
}
END_TEST

static void expect_unknown(enum ss_op op, const char *key, const char *expected)
{
    char *text = ss_op_unknown_key(ss_op_row(op), key);
    ck_assert_str_eq(text, expected);
    ss_free(text);
}

START_TEST(who_asks_with_an_unknown_key_is_told_the_known_ones)
{
    expect_unknown(SS_OP_CANCEL, "acton",
        "cancel: unknown key \"acton\"; known: run, thread, action, reason. "
        "Did you "
        "mean "
        "\"action\"?");
    expect_unknown(SS_OP_CANCEL, "x",
        "cancel: unknown key \"x\"; known: run, thread, action, reason.");
    expect_unknown(
        SS_OP_STATUS, "thread", "status: unknown key \"thread\"; known: none.");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("requests");
    TCase *tcase = tcase_create("requests");
    tcase_add_test(tcase, each_row_is_whole);
    tcase_add_test(tcase, what_is_of_a_thread_or_a_run_takes_its_name);
    tcase_add_test(tcase, what_is_asked_once_is_named);
    tcase_add_test(tcase, a_key_is_a_whole_word);
    tcase_add_test(tcase, what_is_asked_is_read_by_its_keys_types);
    tcase_add_test(tcase, a_value_of_another_type_is_told_with_what_is_wanted);
    tcase_add_test(
        tcase, null_is_nothing_where_that_does_no_harm_and_else_refused);
    tcase_add_test(tcase, what_stands_inside_is_read_as_strictly);
    tcase_add_test(tcase, a_key_of_another_request_is_unknown);
    tcase_add_test(tcase, who_asks_with_an_unknown_key_is_told_the_known_ones);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
