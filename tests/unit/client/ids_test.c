// Ids that a person typed a part of.
#include <string.h>
#include <unistd.h>

#include "client/cli/ids.h"
#include "common/base/mem.h"
#include "common/model/name_before.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

#define ONE        "1f1e6e2d-0000-6000-8000-0000000000aa"
#define TWO        "1f1e6e2d-0000-6000-8000-0000000000bb"
#define OTHER      "1f1e7777-0000-6000-8000-0000000000cc"
#define DOTS       "\xe2\x80\xa6"
#define THREAD(id) "{\"thread\":\"" id "\"}"
#define RUN_OF(id) "{\"run\":\"" id "\",\"key\":\"" id "|t\",\"thread\":\"t\"}"
#define STATE                                                                  \
    "{\"state\":{\"config\":{\"checkpoint_id\":\"c\"},\"metadata\":{\"step\":" \
    "1},\"values\":{\"a\":1}}}"

static const struct script lists[] = {NO_MORE("threads", OTHER),
    {.op = "threads",
        .final = "{\"threads\":[" THREAD(ONE) "," THREAD(TWO) "," THREAD(
            OTHER) "]}"},
    NO_MORE("runs", OTHER "|t"),
    {.op = "runs",
        .final =
            "{\"runs\":[" RUN_OF(ONE) "," RUN_OF(TWO) "," RUN_OF(OTHER) "]}"},
    {.op = "state", .final = STATE},
    {.op = "cancel", .final = "{\"status\":\"cancelled\"}"},
    {.op = "delete", .final = "{\"rows\":3}"},
    {.op = "history",
        .final = "{\"history\":[{\"config\":{\"checkpoint_id\":\"" ONE
                 "\"}},{\"config\":{\"checkpoint_id\":\"" OTHER "\"}}]}"},
    {0}};

static void expect_asks(const char *text)
{
    ck_assert_msg(
        says(&was_asked, text), "not asked: %s", ss_buf_str(&was_asked));
    ss_buf_reset(&was_asked);
}

START_TEST(an_id_may_be_typed_as_far_as_nothing_else_begins_so)
{
    script = lists;
    ck_assert_int_eq(RUN("state", "1f1e7"), 0);
    expect_asks("state {\"thread\":\"" OTHER "\"");
    ck_assert_int_eq(RUN("cancel", "1f1e7777-0000"), 0);
    ck_assert(says(&out, "run " OTHER " is cancelled"));
    ck_assert_int_eq(RUN("state", "t", "--at", "1f1e7"), 0);
    expect_asks("\"checkpoint_id\":\"" OTHER "\"");
    ck_assert_int_eq(RUN("cancel", "r", "-t", "1f1e7777"), 0);
    expect_asks("cancel {\"run\":\"r\",\"thread\":\"" OTHER "\"");
}
END_TEST

START_TEST(an_id_that_may_be_several_is_an_error_that_lists_them)
{
    script = lists;
    ck_assert_int_eq(RUN("delete", "1f1e"), 1);
    expect_err("superstep: thread 1f1e may be " ONE ", " TWO " or " OTHER "\n");
    ck_assert(!says(&was_asked, "delete"));
    ck_assert_int_eq(RUN("state", "t", "--at", "1f1e"), 1);
    expect_err("superstep: checkpoint 1f1e may be " ONE " or " OTHER "\n");
}
END_TEST

START_TEST(the_list_of_what_an_id_may_be_has_an_end)
{
    struct ss_buf list;
    ss_buf_init(&list, 65536);
    for (int i = 0; i < 11; i++)
        ss_buf_addf(&list, "%s{\"thread\":\"1f1e0000-0000-6000-8000-%012d\"}",
            i ? "," : "", i);
    char *text = ss_format("{\"threads\":[%s]}", ss_buf_str(&list));
    const struct script many[] = {
        NO_MORE("threads", "1f1e0000-0000-6000-8000-000000000010"),
        {.op = "threads", .final = text}, {0}};
    script = many;
    ck_assert_int_eq(RUN("state", "1f1e"), 1);
    ck_assert(says(&err, "-8000-000000000009, and there are more\n"));
    ck_assert(!says(&err, "-8000-000000000010"));
    expect_asks("\"limit\":1000");
    ss_free(text);
    ss_buf_fini(&list);
}
END_TEST

START_TEST(an_id_that_is_there_is_that_one_though_others_begin_so)
{
    PLAY(NO_MORE("threads", "beefcake"),
        {.op = "threads",
            .final =
                "{\"threads\":[" THREAD("beef") "," THREAD("beefcake") "]}"},
        {.op = "state", .final = STATE});
    ck_assert_int_eq(RUN("state", "beef"), 0);
    expect_asks("state {\"thread\":\"beef\"");
}
END_TEST

START_TEST(a_name_that_a_person_gave_is_never_taken_for_another)
{
    script = lists;
    ck_assert_int_eq(RUN("delete", "job-1"), 0);
    expect_asked("delete {\"thread\":\"job-1\"}\n");
    // Nor is a number the beginning of another number.
    PLAY(NO_MORE("threads", "12345"),
        {.op = "threads", .final = "{\"threads\":[" THREAD("12345") "]}"},
        {.op = "delete", .final = "{\"rows\":0}"},
        {.op = "threads", .final = "{\"threads\":[]}"});
    ck_assert_int_eq(RUN("delete", "1234"), 1);
    ck_assert(says(&was_asked, "delete {\"thread\":\"1234\"}\n"));
    ck_assert(!says(&was_asked, "delete {\"thread\":\"12345\"}"));
    ss_buf_reset(&was_asked);
    // A run may be the first of a new thread.
    PLAY({.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("run", "g", "-t", "1f1e"), 0);
    ck_assert(!says(&was_asked, "threads"));
}
END_TEST

START_TEST(an_id_as_a_table_cuts_it_is_found)
{
    script = lists;
    ck_assert_int_eq(RUN("state", "1f1e6e2d-0000" DOTS "00bb"), 0);
    expect_asks("state {\"thread\":\"" TWO "\"");
    ck_assert_int_eq(RUN("cancel", "1f1e6e2d-0000...00aa"), 0);
    ck_assert(says(&out, "run " ONE " is cancelled"));
    ck_assert_int_eq(RUN("cancel", "1f1e" DOTS "dd"), 1);
    expect_err("superstep: there is no run 1f1e" DOTS "dd\n");
}
END_TEST

START_TEST(an_answer_may_name_a_part_of_its_question)
{
#define FIRST  "0123456789abcdef0123456789abcdef"
#define SECOND "0123ffff89abcdef0123456789abcdef"
    PLAY({.op = "runs", .final = "{\"runs\":[]}"},
        {.op = "state",
            .final = "{\"state\":{\"interrupts\":[{\"id\":\"" FIRST
                     "\"},{\"id\":\"" SECOND "\"}]}}"},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("resume", "t", "-g", "g", "--answer", "01234=1"), 0);
    expect_asks("{\"" FIRST "\":1}");
    ck_assert_int_eq(RUN("resume", "t", "-g", "g", "--answer", "0123=1"), 1);
    expect_err("superstep: interrupt 0123 may be " FIRST " or " SECOND "\n");
}
END_TEST

START_TEST(a_namespace_may_be_named_by_its_nodes_and_a_part_of_their_tasks)
{
#define SAVED(ns) "{\"id\":\"c-" ns "\",\"ns\":\"" ns "\"}"
#define REVIEW    "review:" ONE
    PLAY({.op = "history", .final = "{\"history\":[]}"},
        {.op = "checkpoints",
            .final = "{\"checkpoints\":[" SAVED("") "," SAVED(REVIEW) "," SAVED(
                REVIEW "|check:" OTHER) "," SAVED("reviews:" TWO) "]}"},
        {.op = "state", .final = STATE});
    ck_assert_int_eq(RUN("state", "t", "--ns", "review"), 0);
    expect_asks("\"checkpoint_ns\":\"" REVIEW "\"");
    ck_assert_int_eq(RUN("state", "t", "--ns", "review:1f1e"), 0);
    expect_asks("\"checkpoint_ns\":\"" REVIEW "\"");
    ck_assert_int_eq(RUN("state", "t", "--ns", "review|check"), 0);
    expect_asks("\"checkpoint_ns\":\"" REVIEW "|check:" OTHER "\"");
    // The name of a node is whole, and an id is no other one.
    static const char *const others[] = {
        "rev", "review:2", "review|che", "check", "review|check|in"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        RUN("state", "t", "--ns", others[i]);
        char *asked = ss_format("\"checkpoint_ns\":\"%s\"", others[i]);
        expect_asks(asked);
        ss_free(asked);
    }
}
END_TEST

START_TEST(a_namespace_that_may_be_several_is_an_error_that_lists_them)
{
    PLAY({.op = "history", .final = "{\"history\":[]}"},
        {.op = "checkpoints",
            .after = "c-in:" ONE,
            .final = "{\"checkpoints\":[" SAVED("in:" TWO) "]}"},
        {.op = "checkpoints",
            .final = "{\"checkpoints\":[" SAVED("in:" ONE) "],\"more\":true}"},
        {.op = "state", .final = STATE});
    ck_assert_int_eq(RUN("state", "t", "--ns", "in"), 1);
    expect_err("superstep: namespace in may be in:" ONE " or in:" TWO "\n");
    expect_asks("\"after\":\"c-in:" ONE "\"");
}
END_TEST

START_TEST(a_namespace_that_is_there_is_that_one)
{
    PLAY({.op = "history", .final = "{\"history\":[{}]}"},
        {.op = "update", .final = "{\"config\":{\"checkpoint_id\":\"c\"}}"});
    ck_assert_int_eq(
        RUN("update", "t", "--values", "{\"a\":1}", "--ns", "in"), 0);
    ck_assert(!says(&was_asked, "checkpoints"));
    expect_asks("\"checkpoint_ns\":\"in\"");
}
END_TEST

static void expect_before(const char *name, const char *wanted)
{
    char *before = ss_name_before(name);
    ck_assert_str_eq(before, wanted);
    ck_assert_int_lt(strcmp(before, *name ? name : "a"), 0);
    ss_free(before);
}

START_TEST(the_name_before_another_is_text)
{
#define LAST "\xf4\x8f\xbf\xbf"
    expect_before("", "");
    expect_before("b", "a" LAST);
    expect_before("ab\xc2\x80", "ab\x7f" LAST);
    expect_before("a\u0800", "a\u07ff" LAST);
    expect_before("a\ue000", "a\xed\x9f\xbf" LAST);
    expect_before("\U00010000", "\uffff" LAST);
    expect_before("\u00e9", "\u00e8" LAST);
    expect_before("x\x01", "x");
}
END_TEST

START_TEST(a_thread_whose_name_ends_in_an_odd_character_is_looked_for)
{
    PLAY(
        {.op = "state", .final = "{\"state\":{\"values\":{},\"config\":null}}"},
        {.op = "threads", .final = "{\"threads\":[]}"});
    ck_assert_int_eq(RUN("state", "t\xc2\x80"), 1);
    expect_asks("threads {\"after\":\"t\x7f" LAST "\"");
}
END_TEST

int main(void)
{
    if (access(PROGRAM, X_OK) != 0)
        return 77; // built apart from the programs
    Suite *suite = suite_create("ids");
    TCase *tcase = tcase_create("ids");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, NULL);
    tcase_add_test(tcase, an_id_may_be_typed_as_far_as_nothing_else_begins_so);
    tcase_add_test(
        tcase, an_id_that_may_be_several_is_an_error_that_lists_them);
    tcase_add_test(tcase, the_list_of_what_an_id_may_be_has_an_end);
    tcase_add_test(
        tcase, an_id_that_is_there_is_that_one_though_others_begin_so);
    tcase_add_test(tcase, a_name_that_a_person_gave_is_never_taken_for_another);
    tcase_add_test(tcase, an_id_as_a_table_cuts_it_is_found);
    tcase_add_test(tcase, an_answer_may_name_a_part_of_its_question);
    tcase_add_test(
        tcase, a_namespace_may_be_named_by_its_nodes_and_a_part_of_their_tasks);
    tcase_add_test(
        tcase, a_namespace_that_may_be_several_is_an_error_that_lists_them);
    tcase_add_test(tcase, a_namespace_that_is_there_is_that_one);
    tcase_add_test(tcase, the_name_before_another_is_text);
    tcase_add_test(
        tcase, a_thread_whose_name_ends_in_an_odd_character_is_looked_for);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
