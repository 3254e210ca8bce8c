// The table of requests: each row is whole, and finds itself.
#include "common/model/requests.h"

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

START_TEST(what_is_of_a_thread_or_a_run_takes_its_name)
{
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const struct ss_op_row *row = ss_op_row(op);
        if (row->home == SS_OP_OF_THREAD || row->home == SS_OP_OF_RUN)
            ck_assert_msg(ss_op_takes(row, "thread"), "%s", row->name);
        if (row->home == SS_OP_OF_RUN || row->repeat == SS_OP_REPEAT_RUN)
            ck_assert_msg(ss_op_takes(row, "run"), "%s", row->name);
    }
}
END_TEST

// What is asked once must have another way to be asked again: a key, or an
// operator who looks.
START_TEST(what_is_asked_once_is_named)
{
    for (enum ss_op op = 0; op < SS_OPS; op++) {
        const struct ss_op_row *row = ss_op_row(op);
        bool is_once =
            op == SS_OP_UPDATE || op == SS_OP_COPY || op == SS_OP_RELEASE;
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
    ck_assert(ss_op_takes(row, "thread"));
    ck_assert(ss_op_takes(row, "limit"));
    ck_assert(!ss_op_takes(row, "lim"));
    ck_assert(!ss_op_takes(row, "limits"));
    ck_assert(!ss_op_takes(row, "from limit"));
    ck_assert(!ss_op_takes(row, " "));
    ck_assert(!ss_op_takes(row, ""));
    ck_assert(!ss_op_takes(ss_op_row(SS_OP_STATUS), ""));
    ck_assert(!ss_op_takes(ss_op_row(SS_OP_STATUS), "thread"));
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
        "cancel: unknown key \"acton\"; known: run, thread, action. Did you "
        "mean "
        "\"action\"?");
    expect_unknown(SS_OP_CANCEL, "x",
        "cancel: unknown key \"x\"; known: run, thread, action.");
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
    tcase_add_test(tcase, who_asks_with_an_unknown_key_is_told_the_known_ones);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
