// The `superstep` command: threads, which it finds, shows and changes.

#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

#define IS_THERE "{\"state\":{\"metadata\":{}}}"

START_TEST(an_unknown_graph_gets_the_nearest_one)
{
    PLAY({.op = "run",
             .final = "{\"error\":{\"code\":\"not_found\",\"message\":"
                      "\"there is no graph \\\"dijest\\\"\"}}"},
        {.op = "graphs", .final = "{\"graphs\":[{\"name\":\"digest\"}]}"});
    ck_assert_int_eq(RUN("run", "dijest"), 1);
    expect_err("superstep: there is no graph \"dijest\". Did you mean "
               "\"digest\"?\n");
}
END_TEST

#define NOT_YET                                                                \
    "{\"error\":{\"code\":\"not_found\",\"message\":"                          \
    "\"no worker has announced a graph \\\"hello\\\".\"}}"

START_TEST(a_run_just_behind_a_start_waits_for_the_first_worker)
{
    PLAY({.op = "run", .final = NOT_YET, .times = 1},
        {.op = "graphs", .final = "{\"graphs\":[]}", .times = 2},
        {.op = "graphs", .final = "{\"graphs\":[{\"name\":\"hello\"}]}"},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("run", "hello", "--run", "r1"), 0);
    expect_err("superstep: no graph is known yet; waiting up to 10 s for a "
               "first worker\n");
    expect_out("{\"log\": [\"hello\"]}\n");
    expect_asked("run {\"graph\":\"hello\",\"run\":\"r1\"}\n"
                 "graphs {}\ngraphs {}\ngraphs {}\n"
                 "run {\"graph\":\"hello\",\"run\":\"r1\"}\n");
}
END_TEST

START_TEST(a_graph_that_nobody_announced_is_not_taken_for_a_thread)
{
    PLAY({.op = "state",
             .final = "{\"error\":{\"code\":\"not_found\",\"message\":"
                      "\"no worker has announced a graph \\\"agent\\\".\"}}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[{\"ns\":\"\"}]}"},
        {.op = "threads",
            .final = "{\"threads\":[{\"thread\":\"ag\"},"
                     "{\"thread\":\"age\"}]}"});
    ck_assert_int_eq(RUN("state", "agq"), 1);
    expect_err("superstep: no worker has announced a graph \"agent\".\n");
}
END_TEST

START_TEST(a_thread_is_resumed_with_its_graph)
{
    PLAY({.op = "runs",
             .final = "{\"runs\":[{\"run\":\"b\",\"graph\":\"new\","
                      "\"created_at\":\"2026-01-02T\"}]}"},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("resume", "t1", "--value", "true"), 0);
    expect_asked("runs {\"thread\":\"t1\",\"limit\":1,\"order\":"
                 "\"newest\"}\n"
                 "run {\"graph\":\"new\",\"thread\":\"t1\",\"command\":"
                 "{\"resume\":true},\"run\":\"MADE UP\"}\n");
    ck_assert_int_eq(RUN("resume", "t1", "--graph", "g", "--answer",
                         "00000000000000000000000000000001=1", "--answer",
                         "00000000000000000000000000000002=\"x\""),
        0);
    expect_asked("run {\"graph\":\"g\",\"thread\":\"t1\",\"command\":"
                 "{\"resume\":{\"00000000000000000000000000000001\":1,"
                 "\"00000000000000000000000000000002\":\"x\"}},\"run\":"
                 "\"MADE UP\"}\n");
    ck_assert_int_eq(RUN("resume", "t1", "--graph", "g"), 0);
    expect_asked(
        "run {\"graph\":\"g\",\"thread\":\"t1\",\"run\":\"MADE UP\"}\n");
}
END_TEST

START_TEST(a_thread_that_nobody_ran_here_is_of_the_graph_that_is_known)
{
    PLAY({.op = "runs", .final = "{\"runs\":[]}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[{}]}"},
        {.op = "run", .final = "{\"status\":\"done\",\"output\":1}"});
    ck_assert_int_eq(RUN("resume", "t1", "--value", "true"), 0);
    expect_asked("runs {\"thread\":\"t1\",\"limit\":1,\"order\":"
                 "\"newest\"}\n"
                 "checkpoints {\"thread\":\"t1\",\"limit\":1}\n"
                 "run {\"thread\":\"t1\",\"command\":"
                 "{\"resume\":true},\"run\":\"MADE UP\"}\n");
}
END_TEST

START_TEST(an_unknown_thread_gets_the_nearest_one)
{
    PLAY({.op = "runs", .final = "{\"runs\":[]}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[]}"},
        {.op = "history", .final = "{\"history\":[]}"},
        {.op = "state", .final = "{\"state\":{\"values\":{},\"config\":null}}"},
        NO_MORE("threads", "demo"),
        {.op = "threads", .final = "{\"threads\":[{\"thread\":\"demo\"}]}"});
    static const char *const commands[] = {"resume", "history", "state"};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(RUN(commands[i], "dmeo"), 1);
        expect_err("superstep: there is no thread \"dmeo\". Did you mean "
                   "\"demo\"?\n");
        expect_out("");
    }
}
END_TEST

// However many there are: the one is asked for, and nothing before it.
START_TEST(a_thread_without_checkpoints_is_found_in_a_long_list)
{
    static const struct {
        const char *thread, *before;
    } threads[] = {{"t2", "t1\xf4\x8f\xbf\xbf"},
        {"t\xc4\x81", "t\xc4\x80\xf4\x8f\xbf\xbf"},
        {"t\xc4\x80", "t\xc3\xbf\xf4\x8f\xbf\xbf"}};
    for (size_t i = 0; i < 3; i++) {
        char *listed =
            ss_format("{\"threads\":[{\"thread\":\"%s\"}]}", threads[i].thread);
        const struct script lines[] = {
            {.op = "state",
                .final = "{\"state\":{\"values\":{},\"config\":null}}"},
            {.op = "checkpoints", .final = "{\"checkpoints\":[]}"},
            {.op = "threads", .after = threads[i].before, .final = listed},
            {.op = "threads", .final = "{\"threads\":[{\"thread\":\"a\"}]}"},
            {0}};
        script = lines;
        ss_buf_reset(&was_asked);
        ck_assert_int_eq(RUN("state", threads[i].thread), 1);
        script = NULL;
        ck_assert(says(&err, " has no checkpoints yet."));
        ck_assert(says(&was_asked, "\"limit\":1}"));
        ck_assert(!says(&was_asked, "threads {}"));
        ss_free(listed);
    }
}
END_TEST

START_TEST(state_and_history_are_shown)
{
    PLAY({.op = "state",
             .final =
                 "{\"state\":{\"values\":{\"a\":1},\"config\":{"
                 "\"thread_id\":\"t\",\"checkpoint_id\":\"c\"},\"metadata\":"
                 "{\"step\":1,\"source\":\"loop\"},\"interrupts\":[{\"id\":"
                 "\"i\",\"value\":2}]}}"},
        {.op = "history",
            .final = "{\"history\":[{\"values\":{\"a\":1},\"config\":{"
                     "\"checkpoint_id\":\"c\"},\"metadata\":{\"step\":1,"
                     "\"source\":\"loop\"},\"next\":[]}]}"});
    ck_assert_int_eq(
        RUN("state", "t", "--at", "c", "--ns", "n", "--subgraphs"), 0);
    ck_assert(says(&out, "KEY  VALUE\na    1\n"));
    ck_assert(!says(&out, "Answer:")); // not of the past
    expect_asked("history {\"checkpoint_ns\":\"n\",\"limit\":1,"
                 "\"thread\":\"t\"}\n"
                 "state {\"checkpoint_id\":\"c\",\"checkpoint_ns\":\"n\","
                 "\"subgraphs\":true,\"thread\":\"t\"}\n");
    ck_assert_int_eq(RUN("state", "t"), 0);
    ck_assert(says(&out, "Answer:  superstep resume t --value JSON\n"));
    ck_assert_int_eq(RUN("state", "t", "--json"), 0);
    ck_assert(says(&out, "{\"values\": {\"a\": 1}, "));
    ss_buf_reset(&was_asked);
    ck_assert_int_eq(RUN("history", "t", "--limit", "5"), 0);
    expect_out("CHECKPOINT  STEP  SOURCE  NEXT  CHANGED\n"
               "c              1  loop    -     a\n");
    expect_asked("history {\"limit\":6,\"thread\":\"t\"}\n");
    ck_assert_int_eq(RUN("--json", "history", "t", "--limit", "5"), 0);
    expect_asked("history {\"limit\":5,\"thread\":\"t\"}\n");
}
END_TEST

START_TEST(a_checkpoint_may_be_named_as_tables_show_it)
{
    PLAY({.op = "history",
             .final = "{\"history\":[{\"config\":{\"checkpoint_id\":"
                      "\"1f0a-1111-c3\"}},{\"config\":{\"checkpoint_id\":"
                      "\"1f0a-1111-b2\"}}]}"},
        {.op = "state", .final = IS_THERE}, {.op = "run", .final = DONE});
    static const char cut[] = "1f0a\xe2\x80\xa6"
                              "b2";
    ck_assert_int_eq(RUN("run", "g", "-t", "t", "--at", cut), 0);
    ck_assert(says(&was_asked, "\"checkpoint_id\":\"1f0a-1111-b2\""));
    ck_assert_int_eq(RUN("run", "g", "-t", "t", "--at", "1f0a...x"), 1);
    expect_err("superstep: there is no checkpoint 1f0a...x\n");
    ck_assert_int_eq(RUN("run", "g", "-t", "t", "--at", "1f0a..."), 1);
    expect_err("superstep: checkpoint 1f0a... may be 1f0a-1111-c3 or "
               "1f0a-1111-b2\n");
}
END_TEST

START_TEST(a_thread_that_is_none_is_not_deleted)
{
    PLAY({.op = "delete", .final = "{\"rows\":0}"},
        {.op = "threads", .final = "{\"threads\":[]}"});
    ck_assert_int_eq(RUN("delete", "nosuch"), 1);
    ck_assert(says(&err, "there is no thread \"nosuch\""));
    ck_assert(!says(&out, "rows"));
}
END_TEST

// Nothing to forget is no mistake; a name that nobody knows is one.
START_TEST(a_thread_that_is_none_is_not_pruned)
{
    PLAY({.op = "prune", .final = "{\"rows\":0}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[]}"},
        {.op = "threads", .final = "{\"threads\":[{\"thread\":\"demo\"}]}"});
    ck_assert_int_eq(RUN("prune", "dmeo"), 1);
    expect_err("superstep: there is no thread \"dmeo\". Did you mean "
               "\"demo\"?\n");
    expect_out("");
    ck_assert_int_eq(RUN("prune", "demo"), 0);
    expect_out("0 rows pruned\n");
}
END_TEST

START_TEST(what_is_read_of_a_thread_that_is_none_says_so)
{
    static const char none[] = "superstep: there is no thread \"dmeo\". Did "
                               "you mean \"demo\"?\n";
    PLAY({.op = "journal", .final = "{\"rows\":[]}"},
        {.op = "state",
            .final = "{\"error\":{\"code\":\"not_found\",\"message\":"
                     "\"there is no thread \\\"dmeo\\\": say which graph a "
                     "new one is of\"}}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[]}"},
        {.op = "runs", .final = "{\"runs\":[]}"},
        {.op = "threads", .final = "{\"threads\":[{\"thread\":\"demo\"}]}"});
    ck_assert_int_eq(RUN("journal", "dmeo"), 1);
    expect_err(none);
    ck_assert_int_eq(RUN("state", "dmeo"), 1);
    expect_err(none);
    ck_assert_int_eq(RUN("runs", "--thread", "dmeo"), 0);
    expect_out("There are no such runs.\n");
    expect_err("superstep: warning: no thread is called \"dmeo\". Did you mean "
               "\"demo\"?\n");
    ck_assert_int_eq(RUN("journal", "demo", "--from", "99"), 0);
    expect_out("There are no rows.\n");
}
END_TEST

START_TEST(a_thread_that_is_none_is_told_in_whatever_words_it_is_refused)
{
    PLAY({.op = "state",
             .final = "{\"error\":{\"code\":\"not_found\",\"message\":"
                      "\"say which graph it is of\"}}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[]}"},
        {.op = "threads", .final = "{\"threads\":[{\"thread\":\"demo\"}]}"});
    ck_assert_int_eq(RUN("state", "dmeo"), 1);
    expect_err("superstep: there is no thread \"dmeo\". Did you mean "
               "\"demo\"?\n");
}
END_TEST

START_TEST(threads_are_changed)
{
    PLAY({.op = "update", .final = "{\"config\":{\"checkpoint_id\":\"c9\"}}"},
        {.op = "state", .final = IS_THERE},
        {.op = "copy", .final = "{\"rows\":5}"},
        {.op = "delete", .final = "{\"rows\":6}"},
        {.op = "prune", .final = "{\"rows\":7}"},
        {.op = "cancel", .final = "{\"status\":\"cancelled\"}"},
        {.op = "journal",
            .final = "{\"rows\":[{\"seq\":1,\"kind\":"
                     "\"entry\",\"step\":-1,\"size\":436,"
                     "\"checkpoint_id\":\"c1\",\"writes\":[]},"
                     "{\"seq\":2,\"kind\":\"end\",\"step\":0,"
                     "\"size\":9,\"checkpoint_id\":\"c2\","
                     "\"writes\":[{\"channel\":\"log\"},"
                     "{\"channel\":\"log\"},{\"channel\":"
                     "\"n\"}]}]}"});
    ck_assert_int_eq(
        RUN("update", "t", "--values", "{\"a\":1}", "--as", "n", "--at", "c8"),
        0);
    expect_out("checkpoint c9\n");
    expect_asked("state {\"checkpoint_id\":\"c8\",\"thread\":\"t\"}\n"
                 "update {\"thread\":\"t\",\"checkpoint_id\":\"c8\","
                 "\"supersteps\":[[{\"values\":{\"a\":1},\"as_node\":\"n\"}]]}"
                 "\n");
    ck_assert_int_eq(RUN("copy", "t", "u"), 0);
    expect_out("5 rows copied\n");
    ck_assert_int_eq(RUN("delete", "t", "--json"), 0);
    expect_out("{\"rows\": 6}\n");
    ck_assert_int_eq(RUN("prune", "t"), 0);
    expect_out("7 rows pruned\n");
    ck_assert_int_eq(RUN("cancel", "r"), 0);
    expect_out("run r is cancelled; what its finished supersteps wrote is "
               "kept\n");
    ck_assert_int_eq(RUN("journal", "t", "--from", "1", "-n", "2"), 0);
    expect_out("SEQ  KIND   STEP  TIME  BYTES  CHECKPOINT  WRITES\n"
               "  1  entry    -1  -       436  c1          -\n"
               "  2  end       0  -         9  c2          log, n\n");
    ck_assert_int_eq(RUN("journal", "t", "--json"), 0);
    ck_assert(says(&out, "\"channel\": \"log\""));
    ck_assert(!says(&out, "channels_written"));
}
END_TEST

START_TEST(a_checkpoint_that_is_not_there_is_told)
{
    static const char told[] =
        "superstep: thread t has no checkpoint c7. superstep history t lists "
        "them\n";
    PLAY({.op = "state",
             .final = "{\"state\":{\"values\":{},\"metadata\":null,"
                      "\"config\":{\"checkpoint_id\":\"c7\"}}}"},
        {.op = "runs", .final = "{\"runs\":[{\"run\":\"r1\"}]}"},
        {.op = "run", .final = DONE});
    ck_assert_int_eq(RUN("run", "g", "--thread", "t", "--at", "c7"), 1);
    expect_err(told);
    expect_asked("state {\"checkpoint_id\":\"c7\",\"graph\":\"g\","
                 "\"thread\":\"t\"}\n"); // and no run
    ck_assert_int_eq(
        RUN("run", "g", "--thread", "t", "--at", "c7", "--run", "r2"), 1);
    expect_err(told);
    ck_assert_int_eq(
        RUN("update", "t", "--values", "1", "--as", "n", "--at", "c7"), 1);
    expect_err(told);
    ck_assert_int_eq(RUN("state", "t", "--at", "c7"), 1);
    expect_err(told);
    expect_out("");
}
END_TEST

// Its checkpoint may be pruned by then: a client that asks again is told how it
// ended.
START_TEST(a_run_that_is_known_is_asked_for_again_wherever_it_began)
{
    PLAY({.op = "state", .final = "{\"state\":{\"metadata\":null}}"},
        {.op = "runs",
            .after = "k0",
            .final = "{\"runs\":[{\"run\":\"r1\",\"key\":\"k1\"}]}"},
        NO_MORE("runs", "k1"),
        {.op = "runs", .final = "{\"runs\":[{\"run\":\"r0\",\"key\":\"k0\"}]}"},
        {.op = "run", .final = DONE});
    ck_assert_int_eq(
        RUN("run", "g", "--thread", "t", "--at", "c7", "--run", "r1"), 0);
    expect_out("{\"log\": [\"hello\"]}\n");
    ck_assert_int_eq(
        RUN("run", "g", "--thread", "t", "--at", "c7", "--run", "r2"), 1);
}
END_TEST

START_TEST(a_copy_of_nothing_is_no_success)
{
    PLAY({.op = "copy", .final = "{\"rows\":0}"},
        {.op = "threads", .final = "{\"threads\":[{\"thread\":\"demo\"}]}"});
    ck_assert_int_eq(RUN("copy", "dmeo", "u"), 1);
    expect_err("superstep: there is no thread \"dmeo\". Did you mean "
               "\"demo\"?\n");
    expect_out("");
}
END_TEST

START_TEST(a_thread_is_explained_by_its_last_run)
{
    PLAY({.op = "explain",
             .final = "{\"error\":{\"code\":\"not_found\",\"message\":"
                      "\"there is no run demo\"}}"},
        {.op = "threads", .final = "{\"threads\":[]}"},
        {.op = "runs", .final = "{\"runs\":[]}"});
    ck_assert_int_eq(RUN("explain", "demo"), 1);
    expect_out("");
    expect_err("superstep: there is no run demo\n");
    expect_asked("explain {\"run\":\"demo\"}\n"
                 "explain {\"thread\":\"demo\"}\n"
                 "runs {\"thread\":\"demo\",\"limit\":1}\n");
    ck_assert_int_eq(RUN("explain", "--thread", "demo"), 1);
    expect_asked("explain {\"thread\":\"demo\"}\n"
                 "threads {}\n");
}
END_TEST

// -t behind the word says that the word is a thread, as it did at first.
START_TEST(a_thread_that_is_named_before_its_option_is_explained)
{
    static const char *const options[] = {"-t", "--thread"};
    for (size_t i = 0; i < 2; i++) {
        PLAY({.op = "explain", .final = "{\"explain\":{}}"});
        ck_assert_int_eq(RUN("explain", "demo", options[i]), 0);
        expect_asked("explain {\"thread\":\"demo\"}\n");
    }
    PLAY({.op = "explain", .final = "{\"explain\":{}}"});
    ck_assert_int_eq(RUN("explain", "demo", "-t", "--json"), 0);
    expect_asked("explain {\"thread\":\"demo\"}\n");
    expect_usage(RUN("explain", "-t"), "--thread wants a value");
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, an_unknown_graph_gets_the_nearest_one);
    tcase_add_test(tcase, a_run_just_behind_a_start_waits_for_the_first_worker);
    tcase_add_test(
        tcase, a_graph_that_nobody_announced_is_not_taken_for_a_thread);
    tcase_add_test(tcase, a_thread_is_resumed_with_its_graph);
    tcase_add_test(
        tcase, a_thread_that_nobody_ran_here_is_of_the_graph_that_is_known);
    tcase_add_test(tcase, an_unknown_thread_gets_the_nearest_one);
    tcase_add_test(tcase, a_thread_without_checkpoints_is_found_in_a_long_list);
    tcase_add_test(tcase, state_and_history_are_shown);
    tcase_add_test(tcase, a_checkpoint_may_be_named_as_tables_show_it);
    tcase_add_test(tcase, a_thread_that_is_none_is_not_deleted);
    tcase_add_test(tcase, a_thread_that_is_none_is_not_pruned);
    tcase_add_test(tcase, what_is_read_of_a_thread_that_is_none_says_so);
    tcase_add_test(
        tcase, a_thread_that_is_none_is_told_in_whatever_words_it_is_refused);
    tcase_add_test(tcase, threads_are_changed);
    tcase_add_test(tcase, a_checkpoint_that_is_not_there_is_told);
    tcase_add_test(
        tcase, a_run_that_is_known_is_asked_for_again_wherever_it_began);
    tcase_add_test(tcase, a_copy_of_nothing_is_no_success);
    tcase_add_test(tcase, a_thread_is_explained_by_its_last_run);
    tcase_add_test(
        tcase, a_thread_that_is_named_before_its_option_is_explained);
}

int main(void)
{
    if (!suite_has_columns())
        return 77;
    return command_main(PROGRAM, "cli_threads", add_tests);
}
