// The `superstep` command: what is done anew, or to many at once.

#include "tests/suite.h"
#include "tests/unit/client/command.h"

#define FAILED(thread)                                                         \
    "{\"thread\":\"" thread "\",\"run\":\"r-" thread                           \
    "\",\"graph\":\"g\",\"status\":\"failed\"}"

#define TOLD_OF(run, status)                                                   \
    "{\"explain\":{\"run\":\"" run "\",\"thread\":\"t\",\"graph\":\"g\","      \
    "\"status\":\"" status "\"}}"

START_TEST(all_that_failed_tonight_are_tried_again_by_one_command)
{
    PLAY({.op = "threads",
             .final = "{\"threads\":[" FAILED("a") "," FAILED("b") "]}"},
        {.op = "explain", .final = TOLD_OF("r-a", "failed")},
        {.op = "run", .final = "{\"status\":\"running\"}"});
    expect_usage(RUN("retry", "--failed", "-g", "g"),
        "this is to try again: 2 failed runs. Nobody is there to be asked; "
        "--yes does it");
    ss_buf_reset(&was_asked);
    ck_assert_int_eq(
        RUN("retry", "--failed", "-g", "g", "--since", "1h", "--meta",
            "user=ann", "--meta", "try=2", "--prefix", "t/", "--yes"),
        0);
    expect_out("thread a  run r-a is tried again\n"
               "thread b  run r-b is tried again\n");
    expect_asked(
        "threads {\"status\":\"failed\",\"graph\":\"g\",\"age_ms\":"
        "3600000,\"prefix\":\"t/\",\"metadata\":{\"user\":\"ann\",\"try\":2},"
        "\"order\":\"newest\",\"limit\":500}\n"
        "explain {\"run\":\"r-a\",\"thread\":\"a\"}\n"
        "run {\"graph\":\"g\",\"thread\":\"a\",\"detach\":true,\"run\":\"MADE "
        "UP\"}\n"
        "explain {\"run\":\"r-b\",\"thread\":\"b\"}\n"
        "run {\"graph\":\"g\",\"thread\":\"b\",\"detach\":true,\"run\":\"MADE "
        "UP\"}\n");
    expect_usage(RUN("retry", "r", "--failed"),
        "RUN or --graph, --since, --meta, --all: one or others, not both");
    expect_usage(
        RUN("retry"), "say which RUN, or --graph, --since, --meta, --all");
    expect_usage(RUN("retry", "--meta", "user", "--yes"),
        "--meta takes KEY=VALUE, not \"user\"");
}
END_TEST

START_TEST(what_cannot_be_done_to_all_is_told_of_each)
{
    PLAY(NO_MORE("runs", "k"),
        {.op = "runs",
            .final = "{\"runs\":[{\"run\":\"r\",\"key\":\"k\",\"thread\":"
                     "\"t\"}]}"},
        {.op = "cancel",
            .final = "{\"error\":{\"code\":\"busy\",\"message\":\"no\"}}"},
        {.op = "release", .final = "{\"status\":\"running\"}"});
    ck_assert_int_eq(RUN("cancel", "--all", "--yes"), 1);
    expect_out("");
    expect_err("superstep: thread t: no\n"
               "superstep: thread t: no\n"
               "superstep: 2 of 2 runs: it could not be done\n");
    ck_assert_int_eq(RUN("cancel", "-g", "g", "--yes", "--json"), 1);
    ck_assert(says(&out, "{\"thread\": \"t\", \"run\": \"r\", \"done\": false, "
                         "\"error\": {\"code\": \"busy\", "));
    ss_buf_reset(&was_asked);
    ck_assert_int_eq(RUN("release", "--all", "-y"), 0);
    expect_out("thread t  run r goes on\n");
    ck_assert(says(&was_asked, "runs {\"status\":\"quarantined\","));
}
END_TEST

// What goes on is a new run, and it is that one that is to be looked at next.
START_TEST(what_is_tried_again_is_told_with_the_run_that_does_it)
{
    PLAY(
        {.op = "threads",
            .final = "{\"threads\":[{\"thread\":\"a\",\"run\":\"r1\",\"graph\":"
                     "\"g\"}]}"},
        {.op = "explain", .final = TOLD_OF("r1", "failed")},
        {.op = "run",
            .final = "{\"status\":\"running\",\"run\":\"r2\",\"thread\":"
                     "\"a\"}"});
    ck_assert_int_eq(RUN("retry", "--failed", "--yes"), 0);
    expect_out("thread a  run r1 is tried again, as run r2\n");
    ck_assert_int_eq(RUN("retry", "--failed", "--yes", "--json"), 0);
    ck_assert(says(&out, "{\"thread\": \"a\", \"run\": \"r1\", \"done\": true, "
                         "\"new_run\": \"r2\"}"));
}
END_TEST

START_TEST(one_answer_is_given_to_all_that_ask)
{
    PLAY(NO_MORE("threads", "b"),
        {.op = "threads",
            .final = "{\"threads\":[" ASKS("a", "1",
                "\"k\":[" QUESTION("i", "1") "," QUESTION(
                    "j", "2") "]") "," ASKS("b", "2", "") "]}"},
        {.op = "run", .final = "{\"status\":\"running\"}"});
    ck_assert_int_eq(RUN("resume", "--all", "--value", "true", "--yes"), 0);
    expect_out("thread a  goes on\n");
    ck_assert(says(&was_asked,
        "run {\"graph\":\"g\",\"thread\":\"a\",\"command\":{\"resume\":{\"i\":"
        "true,\"j\":true}},\"detach\":true,\"run\":\"MADE UP\"}\n"));
    expect_usage(
        RUN("resume", "--all", "--yes"), "without THREAD give --value");
    expect_usage(RUN("resume"), "say which THREAD, or --graph");
}
END_TEST

START_TEST(who_acts_on_all_is_told_that_some_are_not_listed_yet)
{
    PLAY({.op = "threads", .final = "{\"threads\":[],\"lacks\":true}"});
    ck_assert_int_eq(RUN("retry", "--failed", "--yes"), 0);
    expect_err(
        "superstep: records of an older version are still being put in "
        "order, and some of them are not in this list yet\n"
        "superstep: there is no such failed run: nothing is to be done\n");
}
END_TEST

START_TEST(nothing_to_be_done_is_no_failure)
{
    PLAY({.op = "threads", .final = "{\"threads\":[]}"});
    ck_assert_int_eq(RUN("retry", "--failed"), 0);
    expect_err(
        "superstep: there is no such failed run: nothing is to be done\n");
}
END_TEST

// `superstep runs -n 3` never had the run that had just begun.

// One had to know that it is a run without input, and of which graph.
START_TEST(retry_goes_on_where_a_failed_run_stopped)
{
    PLAY({.op = "explain", .final = TOLD_OF("r1", "failed")},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("retry", "r1"), 0);
    expect_out("{\"log\": [\"hello\"]}\n");
    expect_asked("explain {\"run\":\"r1\"}\n"
                 "explain {\"thread\":\"t\"}\n"
                 "run {\"graph\":\"g\",\"thread\":\"t\",\"run\":"
                 "\"MADE UP\"}\n");
}
END_TEST

// A node that needs its context failed for that, with no way back for many.
START_TEST(what_is_tried_again_has_the_terms_of_what_failed)
{
#define TERMS                                                                  \
    "\"context\":{\"tenant\":1},\"config\":{\"metadata\":{\"team\":\"a\"}}"
    PLAY({.op = "explain",
             .final = "{\"explain\":{\"run\":\"r1\",\"thread\":\"t\",\"graph\":"
                      "\"g\",\"status\":\"failed\",\"request\":{\"input\":{},"
                      "\"graph\":\"g\",\"run\":\"r1\",\"if_busy\":\"enqueue\","
                      "\"priority\":2," TERMS "}}}"},
        {.op = "threads",
            .final = "{\"threads\":[{\"thread\":\"t\",\"run\":\"r1\",\"graph\":"
                     "\"g\"}]}"},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("retry", "r1"), 0);
    ck_assert(says(&was_asked, TERMS ",\"priority\":2"));
    ck_assert(!says(&was_asked, "if_busy") && !says(&was_asked, "input"));
    ss_buf_reset(&was_asked);
    ck_assert_int_eq(RUN("retry", "--failed", "--yes"), 0);
    ck_assert(says(&was_asked, "explain {\"run\":\"r1\",\"thread\":\"t\"}\n"));
    ck_assert(says(&was_asked, TERMS));
}
END_TEST

// Who knows the thread alone need not look up what its run is called.
START_TEST(retry_of_a_thread_is_of_its_last_run)
{
    PLAY({.op = "explain", .final = TOLD_OF("r1", "failed")},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("retry", "-t", "t"), 0);
    expect_asked("explain {\"thread\":\"t\"}\n"
                 "explain {\"thread\":\"t\"}\n"
                 "run {\"graph\":\"g\",\"thread\":\"t\",\"run\":"
                 "\"MADE UP\"}\n");
}
END_TEST

// The option was passed over: all runs of all threads were cancelled.
START_TEST(a_thread_beside_all_is_refused)
{
    static const char said[] = "--thread is for one run; threads whose names "
                               "begin so: --prefix";
    expect_usage(RUN("cancel", "-t", "t", "--all", "--yes"), said);
    expect_usage(RUN("retry", "-t", "t", "--failed", "--yes"), said);
    expect_usage(RUN("release", "-t", "t", "-g", "g", "--yes"), said);
    expect_usage(RUN("cancel", "-t", "t"),
        "--thread says whose run it is, and not which: superstep runs --thread "
        "t lists them");
}
END_TEST

START_TEST(retry_is_for_the_last_run_of_a_thread_and_for_failures)
{
    PLAY({.op = "explain", .final = TOLD_OF("r2", "failed")},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("retry", "r1", "-t", "t"), 1);
    expect_err("superstep: run r1 is not the last one of thread t: run r2 came "
               "after it, and the thread stands where that one left it\n");
    expect_asked("explain {\"run\":\"r1\",\"thread\":\"t\"}\n"
                 "explain {\"thread\":\"t\"}\n");
    PLAY({.op = "explain", .final = TOLD_OF("r1", "done")},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("retry", "r1"), 1);
    expect_err("superstep: run r1 did not fail, it is done: nothing is tried "
               "again. superstep explain r1 tells what happened\n");
    expect_asked("explain {\"run\":\"r1\"}\n");
    PLAY({.op = "explain",
             .final = "{\"error\":{\"code\":\"not_found\",\"message\":"
                      "\"there is no run r1\"}}"},
        {.op = "runs", .final = "{\"runs\":[]}"});
    ck_assert_int_eq(RUN("retry", "r1"), 1);
    expect_err("superstep: there is no run r1\n");
}
END_TEST

START_TEST(a_thread_in_place_of_a_run_is_told_with_its_last_run)
{
    PLAY({.op = "explain",
             .final = "{\"error\":{\"code\":\"not_found\",\"message\":"
                      "\"there is no run demo\"}}"},
        {.op = "runs", .final = "{\"runs\":[{\"run\":\"r7\"}]}"});
    ck_assert_int_eq(RUN("retry", "demo"), 1);
    expect_err("superstep: there is no run demo. demo is a thread, and its "
               "last run is r7\n");
    expect_asked("explain {\"run\":\"demo\"}\n"
                 "runs {\"thread\":\"demo\",\"limit\":1}\n");
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(
        tcase, all_that_failed_tonight_are_tried_again_by_one_command);
    tcase_add_test(tcase, what_cannot_be_done_to_all_is_told_of_each);
    tcase_add_test(
        tcase, what_is_tried_again_is_told_with_the_run_that_does_it);
    tcase_add_test(tcase, one_answer_is_given_to_all_that_ask);
    tcase_add_test(tcase, who_acts_on_all_is_told_that_some_are_not_listed_yet);
    tcase_add_test(tcase, nothing_to_be_done_is_no_failure);
    tcase_add_test(tcase, retry_goes_on_where_a_failed_run_stopped);
    tcase_add_test(tcase, what_is_tried_again_has_the_terms_of_what_failed);
    tcase_add_test(tcase, retry_of_a_thread_is_of_its_last_run);
    tcase_add_test(tcase, a_thread_in_place_of_a_run_is_told_with_its_last_run);
    tcase_add_test(tcase, a_thread_beside_all_is_refused);
    tcase_add_test(
        tcase, retry_is_for_the_last_run_of_a_thread_and_for_failures);
}

int main(void)
{
    return command_main(PROGRAM, "cli_many", add_tests);
}
