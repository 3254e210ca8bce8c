// The `superstep` command: what is said of threads, and what goes with a list.

#include "tests/suite.h"
#include "tests/unit/client/command.h"

// A program had to read it from what is said to people.
START_TEST(with_json_the_last_of_a_list_says_how_it_goes_on)
{
    PLAY({.op = "threads",
             .final = "{\"threads\":[{\"thread\":\"a\"},{\"thread\":\"b\"}],"
                      "\"next\":\"2/b\",\"lacks\":true,\"unsearched\":3}"},
        {.op = "runs", .final = "{\"runs\":[],\"unsearched\":1}"});
    ck_assert_int_eq(RUN("threads", "--json", "-n", "2"), 0);
    expect_out("[{\"thread\": \"a\"}, {\"thread\": \"b\", \"page\": "
               "{\"next\": \"2/b\", \"lacks\": true, \"unsearched\": 3}}]\n");
    ck_assert(says(&err, "{\"note\": {\"message\": \"there are more: --page "
                         "'2/b' goes on\"}}\n"));
    ck_assert_int_eq(RUN("runs", "--json", "--meta", "a=1"), 0);
    expect_out("[]\n");
    ck_assert(says(&err, "{\"note\": {\"message\": \"1 of those that were"));
    ck_assert_int_eq(RUN("runs", "--meta", "a=1"), 0);
    expect_err("superstep: 1 of those that were looked at may be such ones: "
               "they have more metadata than is searched (4 KiB)\n");
}
END_TEST

#define OF_T                                                                   \
    "{\"thread\":{\"thread\":\"t\",\"graph\":\"g\",\"status\":\"idle\","       \
    "\"created_at\":\"2026-01-02T03:04:05.000000+00:00\",\"metadata\":"        \
    "{\"user\":\"ann\"},\"facts\":{\"metadata\":{\"user\":\"ann\"},"           \
    "\"title\":\"Rome\"}}}"

START_TEST(what_is_said_of_a_thread_is_shown_and_put)
{
    PLAY({.op = "thread", .final = OF_T},
        {.op = "thread_put", .final = "{\"made\":true}"});
    ck_assert_int_eq(RUN("thread", "t"), 0);
    expect_out("thread    t\ngraph     g\nstatus    idle\n"
               "created   2026-01-02 03:04:05\nmetadata  {\"user\": \"ann\"}\n"
               "title     \"Rome\"\n");
    expect_asked("thread {\"thread\":\"t\"}\n");
    ck_assert_int_eq(RUN("thread", "t", "--meta", "user=ann", "--meta",
                         "n=null", "--new", "--json"),
        0);
    ck_assert(says(&out, "{\"thread\": \"t\", \"graph\": "));
    expect_asked("thread_put {\"thread\":\"t\",\"facts\":{\"metadata\":"
                 "{\"user\":\"ann\",\"n\":null}},\"if_exists\":\"refuse\"}\n"
                 "thread {\"thread\":\"t\"}\n");
    ck_assert_int_eq(RUN("thread", "t", "--facts", "{\"title\": 1}"), 0);
    expect_asked("thread_put {\"thread\":\"t\",\"facts\":{\"title\":1}}\n"
                 "thread {\"thread\":\"t\"}\n");
    expect_usage(RUN("thread", "t", "--facts", "[1]"), "takes an object");
    expect_usage(
        RUN("thread", "t", "--meta", "a=1", "--facts", "{\"metadata\": {}}"),
        "beside --meta");
    expect_usage(RUN("thread", "t", "--meta", "a"), "KEY=VALUE");
    expect_usage(RUN("thread"), "THREAD is missing");
}
END_TEST

START_TEST(a_thread_says_what_it_asks_and_what_it_failed_with)
{
    PLAY({.op = "thread",
        .final = "{\"thread\":{\"thread\":\"t\",\"graph\":\"g\",\"version\":"
                 "\"v1\",\"status\":\"interrupted\",\"error\":{\"node\":"
                 "\"b\",\"message\":\"it broke\"},\"interrupts\":{\"x\":"
                 "[{\"node\":\"a\",\"value\":\"ok?\"},{\"node\":\"a\","
                 "\"is_long\":true}]},\"state_at\":"
                 "\"2026-01-02T03:04:05.000000+00:00\"}}"});
    ck_assert_int_eq(RUN("thread", "t"), 0);
    expect_out("thread     t\ngraph      g\nversion    v1\n"
               "status     interrupted\nerror      b: it broke\n"
               "asks       a: \"ok?\"\n"
               "asks       a: (superstep state shows it)\n"
               "its state  2026-01-02 03:04:05\n");
}
END_TEST

START_TEST(a_list_of_threads_has_a_column_of_metadata_where_one_has_some)
{
    PLAY({.op = "threads",
             .after = "2/a",
             .final = "{\"threads\":[{\"thread\":\"a\"},{\"thread\":\"b\","
                      "\"metadata\":{\"user\":\"ann\"}}]}"},
        {.op = "threads", .final = "{\"threads\":[{\"thread\":\"a\"}]}"});
    ck_assert_int_eq(RUN("threads", "--page", "2/a"), 0);
    ck_assert(says(&out, "METADATA\n"));
    ck_assert(says(&out, "{\"user\": \"ann\"}\n"));
    ck_assert_int_eq(RUN("threads"), 0);
    ck_assert(!says(&out, "METADATA"));
}
END_TEST

START_TEST(runs_say_why_they_failed)
{
    PLAY({.op = "runs",
        .final = "{\"runs\":[{\"run\":\"a\",\"status\":\"failed\",\"error\":"
                 "{\"code\":\"node_failed\",\"message\":\"it broke\","
                 "\"node\":\"b\"}},{\"run\":\"c\",\"status\":\"cancelled\","
                 "\"error\":{\"message\":\"why\"}}]}"});
    ck_assert_int_eq(RUN("runs"), 0);
    ck_assert(says(&out, "ERROR\n"));
    ck_assert(says(&out, "b: it broke\n"));
    ck_assert(says(&out, "  why\n"));
    ck_assert_int_eq(RUN("runs", "--json"), 0);
    ck_assert(says(&out, "\"error\": {\"code\": \"node_failed\", "));
}
END_TEST

START_TEST(a_cancel_says_why_and_a_run_may_want_a_thread_that_is_there)
{
    PLAY({.op = "cancel", .final = "{\"status\":\"cancelled\"}"},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("cancel", "r", "--reason", "wrong folder"), 0);
    expect_asked("cancel {\"run\":\"r\",\"reason\":\"wrong folder\"}\n");
    ck_assert_int_eq(
        RUN("run", "g", "--thread", "t", "--if-absent", "refuse", "--run", "r"),
        0);
    ck_assert(says(&was_asked, "\"if_absent\":\"refuse\""));
    ck_assert_int_eq(RUN("run", "g", "--thread", "t", "--run", "r", "--facts",
                         "{\"metadata\": {\"user\": \"ann\"}}"),
        0);
    ck_assert(says(&was_asked, "\"facts\":{\"metadata\":{\"user\":\"ann\"}}"));
    expect_usage(RUN("run", "g", "--facts", "{"), "--facts");
    expect_usage(
        RUN("run", "g", "--if-absent", "make"), "--if-absent needs --thread");
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, with_json_the_last_of_a_list_says_how_it_goes_on);
    tcase_add_test(tcase, what_is_said_of_a_thread_is_shown_and_put);
    tcase_add_test(tcase, a_thread_says_what_it_asks_and_what_it_failed_with);
    tcase_add_test(
        tcase, a_list_of_threads_has_a_column_of_metadata_where_one_has_some);
    tcase_add_test(tcase, runs_say_why_they_failed);
    tcase_add_test(
        tcase, a_cancel_says_why_and_a_run_may_want_a_thread_that_is_there);
}

int main(void)
{
    return command_main(PROGRAM, "cli_facts", add_tests);
}
