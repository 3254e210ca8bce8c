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
    ss_request_unref(said);
    said = ask(SS_OP_RUN, "{\"detach\": \"yes\", \"subgraphs\": true}");
    ck_assert(!said->detach && said->has.detach && said->subgraphs);
    ss_request_unref(said);
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
    tcase_add_test(tcase, a_key_of_another_request_is_unknown);
    tcase_add_test(tcase, who_asks_with_an_unknown_key_is_told_the_known_ones);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
