// The `superstep` command: lists of what there is, whole and in order.
#include <stdio.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

START_TEST(lists_are_tables)
{
    PLAY({.op = "graphs",
             .final = "{\"graphs\":[{\"name\":\"digest\",\"version\":"
                      "\"5f0c1e7a99\",\"nodes\":6,\"workers\":2}]}"},
        {.op = "workers",
            .final =
                "{\"workers\":[{\"worker\":\"w1\",\"graphs\":"
                "[\"digest@5f0c1e7a\",\"a@1\"],\"running\":4,\"capacity\":4,"
                "\"attempts\":1204,\"lost\":0,\"seen_ms\":30000}]}"},
        NO_MORE("threads", "demo"), NO_MORE("runs", "1f0a-r1"),
        {.op = "threads",
            .final = "{\"threads\":[{\"thread\":\"demo\",\"graph\":\"hello\","
                     "\"status\":\"idle\","
                     "\"created_at\":\"2026-11-22T01:02:03.5+00:00\"}]}"},
        {.op = "runs",
            .final = "{\"runs\":[{\"run\":\"1f0a-r1\",\"thread\":\"demo\","
                     "\"graph\":\"hello\",\"status\":\"done\"}]}"},
        {.op = "draw", .final = "{\"mermaid\":\"graph TD;\\n\"}"});
    ck_assert_int_eq(RUN("graphs"), 0);
    expect_out("GRAPH   VERSION   NODES  WORKERS\n"
               "digest  5f0c1e7a      6        2\n");
    ck_assert_int_eq(RUN("workers"), 0);
    expect_out("WORKER  GRAPHS            RUNNING  CAPACITY  ATTEMPTS  LOST  "
               "LAST SEEN\n"
               "w1      digest@5f0c, a@1        4         4      1204     0  "
               "30 s ago\n");
    ck_assert_int_eq(RUN("threads"), 0);
    expect_out("THREAD  GRAPH  STATUS  CREATED              CHANGED\n"
               "demo    hello  idle    2026-11-22 01:02:03  -\n");
    ck_assert_int_eq(RUN("runs", "--thread", "demo"), 0);
    expect_out("RUN      THREAD  GRAPH  STATUS  CREATED\n"
               "1f0a-r1  demo    hello  done    -\n");
    ck_assert_int_eq(RUN("draw", "digest", "--xray"), 0);
    expect_out("graph TD;\n");
    ck_assert_int_eq(RUN("graphs", "--names"), 0);
    expect_out("digest\n");
    ck_assert_int_eq(RUN("graphs", "--json"), 0);
    ck_assert(says(&out, "[{\"name\": \"digest\", "));
}
END_TEST

START_TEST(that_no_task_is_out_is_not_all_while_the_store_is_silent)
{
    PLAY({.op = "tasks", .final = "{\"tasks\":[],\"running\":0,\"ready\":0}"},
        {.op = "health",
            .final = "{\"health\":{\"ok\":false,\"reason\":\"the store has "
                     "not answered for 43 s\"}}"});
    ck_assert_int_eq(RUN("show", "tasks"), 0);
    expect_out("No task is out, and none waits.\n");
    ck_assert(says(&err, "superstep: the store has not answered for 43 s\n"));
}
END_TEST

// What others hold is as old as the last look at the store.
START_TEST(shards_of_others_are_shown_as_of_when_they_were_seen)
{
    PLAY({.op = "show",
             .final = "{\"coordinators\":[{\"endpoint\":\"tcp://a:1\","
                      "\"shards\":0,\"self\":true},{\"endpoint\":"
                      "\"tcp://b:2\",\"shards\":512,\"self\":false,"
                      "\"seen_ms\":43000}]}"},
        {.op = "health",
            .final = "{\"health\":{\"ok\":false,\"reason\":\"the store has "
                     "not answered for 43 s\"}}"});
    ck_assert_int_eq(RUN("show", "coordinators"), 0);
    expect_out("COORDINATOR  SHARDS  THIS ONE  AS OF\n"
               "tcp://a:1         0  true      -\n"
               "tcp://b:2       512  false     43 s ago\n");
    ck_assert(says(&err, "superstep: the store has not answered for 43 s\n"));
}
END_TEST

// Its metadata was changed now, or it was imported now.
START_TEST(a_question_is_as_old_as_when_it_was_asked)
{
    char threads[512];
    int64_t now_us = ss_clock_wall_us();
    snprintf(threads, sizeof(threads),
        "{\"threads\":[{\"thread\":\"t\",\"graph\":\"g\",\"status\":"
        "\"interrupted\",\"updated_us\":%lld,\"state_us\":%lld,"
        "\"interrupts\":{\"k\":[{\"id\":\"i\",\"node\":\"n\","
        "\"value\":\"ok?\"}]}}]}",
        (long long)now_us, (long long)(now_us - INT64_C(3 * 86400000000)));
    const struct script lines[] = {
        NO_MORE("threads", "t"), {.op = "threads", .final = threads}, {0}};
    script = lines;
    ck_assert_int_eq(RUN("inbox"), 0);
    script = NULL;
    ck_assert_msg(says(&out, "\n72 h ago  t "), "%s", ss_buf_str(&out));
}
END_TEST

// It has room, and takes nothing: why, is to be seen.
START_TEST(a_worker_that_drains_is_told_from_one_that_has_room)
{
    PLAY({.op = "workers",
        .final =
            "{\"workers\":[{\"worker\":\"w1\",\"graphs\":[\"a@1\"],"
            "\"running\":1,\"capacity\":4,\"attempts\":9,\"lost\":0,"
            "\"seen_ms\":30000,\"drains\":true},{\"worker\":\"w2\","
            "\"graphs\":[\"a@2\"],\"running\":0,\"capacity\":4,\"attempts\":"
            "0,\"lost\":0,\"seen_ms\":30000,\"drains\":false}]}"});
    ck_assert_int_eq(RUN("workers"), 0);
    expect_out("WORKER  GRAPHS  RUNNING  CAPACITY  ATTEMPTS  LOST  LAST SEEN  "
               "DRAINS\n"
               "w1      a@1           1         4         9     0  30 s ago   "
               "true\n"
               "w2      a@2           0         4         0     0  30 s ago   "
               "false\n");
}
END_TEST

START_TEST(draw_says_which_ways_it_cannot_know)
{
    PLAY({.op = "draw",
        .final = "{\"mermaid\":\"graph TD;\\n\",\"unmapped\":[\"tools\"]}"});
    ck_assert_int_eq(RUN("draw", "agent"), 0);
    expect_out("graph TD;\n");
    expect_err("superstep: node \"tools\" has a router without a map: where it "
               "may lead is not drawn. A .map of ss_branch() says it\n");
}
END_TEST

START_TEST(names_in_chinese_stand_in_straight_columns)
{
    PLAY(NO_MORE("threads", "\u62a5\u544a"),
        {.op = "threads",
            .final = "{\"threads\":[{\"thread\":\"demo-12\",\"graph\":"
                     "\"hello\"},{\"thread\":\"\u62a5\u544a\",\"graph\":"
                     "\"\u6458\u8981\"}]}"});
    ck_assert_int_eq(RUN("threads"), 0);
    expect_out("THREAD   GRAPH  STATUS  CREATED  CHANGED\n"
               "demo-12  hello  -       -        -\n"
               "\u62a5\u544a     \u6458\u8981   -       -        -\n");
}
END_TEST

START_TEST(empty_lists_say_what_to_do)
{
    PLAY({.op = "graphs", .final = "{\"graphs\":[]}"},
        {.op = "workers", .final = "{\"workers\":[]}"},
        {.op = "threads", .final = "{\"threads\":[]}"},
        {.op = "runs", .final = "{\"runs\":[]}"});
    ck_assert_int_eq(RUN("graphs"), 0);
    ck_assert(says(&out, "No graph is known yet. Start a worker: "));
    ck_assert_int_eq(RUN("workers"), 0);
    ck_assert(says(&out, "No worker is connected. Start one: "));
    ck_assert_int_eq(RUN("threads"), 0);
    ck_assert(says(&out, "There are no threads yet. Begin one: "));
    ck_assert_int_eq(RUN("runs"), 0);
    expect_out("There are no runs yet.\n");
}
END_TEST

START_TEST(behind_the_last_of_a_list_there_are_no_such_ones)
{
    PLAY({.op = "runs", .final = "{\"runs\":[]}"},
        {.op = "threads", .final = "{\"threads\":[]}"});
    ck_assert_int_eq(RUN("runs", "--after", "r9"), 0);
    expect_out("There are no such runs.\n");
    ck_assert_int_eq(RUN("threads", "--page", "7/t"), 0);
    expect_out("There are no such threads.\n");
    ck_assert_int_eq(RUN("runs", "--after", ""), 0);
    expect_out("There are no runs yet.\n");
}
END_TEST

START_TEST(what_can_be_shown_is_a_list_for_programs_too)
{
    ck_assert_int_eq(RUN("show"), 0);
    ck_assert(says(&out, "runs\nthreads\ninbox\n"));
    ck_assert_int_eq(RUN("show", "--json"), 0);
    ck_assert(says(&out, "[\"runs\", \"threads\", \"inbox\", "));
}
END_TEST

enum { PAGE = 500 }; // so many threads are asked for at once

// A whole page of them, "t000" first. Gives.
static char *page_of_threads(void)
{
    struct ss_buf page;
    ss_buf_init(&page, 1 << 20);
    for (int i = 0; i < PAGE; i++)
        ss_buf_addf(
            &page, "%s{\"thread\":\"t%03d\"}", i ? "," : "{\"threads\":[", i);
    ss_buf_add_str(&page, "]}");
    return ss_buf_steal(&page, NULL);
}

static void expect_retained(const char *sums)
{
    ck_assert_int_eq(RUN("retain", "--prune-after", "1d"), 0);
    expect_out(sums);
    ss_buf_reset(&was_asked);
}

// A page that is full is not the last one.
START_TEST(retain_goes_through_every_page)
{
    char *page = page_of_threads();
    const struct script lines[] = {
        {.op = "threads", .after = "", .final = page},
        {.op = "threads",
            .after = "t499",
            .final = "{\"threads\":[{\"thread\":\"u\"}]}"},
        NO_MORE("threads", "u"), {.op = "prune", .final = "{\"rows\":1}"},
        {.op = "clear_cache", .final = "{\"entries\":0}"}, {0}};
    script = lines;
    expect_retained("501 threads: 0 deleted, 501 pruned, 0 in use, 0 wait for "
                    "an answer, 0 damaged; 0 expired results cleared\n");
    ss_free(page);
}
END_TEST

#define SHORT_PAGES                                                            \
    NO_MORE("threads", "c"),                                                   \
        {.op = "threads",                                                      \
            .after = "b",                                                      \
            .final = "{\"threads\":[{\"thread\":\"c\",\"graph\":\"g\"}]}"},    \
    {                                                                          \
        .op = "threads", .after = "",                                          \
        .final = "{\"threads\":[{\"thread\":\"a\",\"graph\":\"g\"},"           \
                 "{\"thread\":\"b\",\"graph\":\"g\"}]}"                        \
    }

// The coordinator cuts a page where it likes: only an empty one is the end.
START_TEST(a_short_page_is_not_the_last_one)
{
    PLAY(SHORT_PAGES, {.op = "prune", .final = "{\"rows\":1}"},
        {.op = "clear_cache", .final = "{\"entries\":0}"},
        NO_MORE("runs", "k2"),
        {.op = "runs",
            .after = "k1",
            .final = "{\"runs\":[{\"run\":\"r2\",\"thread\":\"b\",\"graph\":"
                     "\"g\",\"status\":\"running\",\"key\":\"k2\"}]}"},
        {.op = "runs",
            .after = "",
            .final = "{\"runs\":[{\"run\":\"r1\",\"thread\":\"a\",\"graph\":"
                     "\"g\",\"status\":\"queued\",\"key\":\"k1\"}]}"},
        {.op = "migrate", .final = "{\"from\":\"aa\",\"to\":\"bb\"}"});
    expect_retained("3 threads: 0 deleted, 3 pruned, 0 in use, 0 wait for an "
                    "answer, 0 damaged; 0 expired results cleared\n");
    ck_assert_int_eq(RUN("migrate", "--graph", "g"), 0);
    expect_asked("runs {\"limit\":1000}\n"
                 "migrate {\"run\":\"r1\",\"thread\":\"a\"}\n"
                 "runs {\"limit\":1000,\"after\":\"k1\"}\n"
                 "migrate {\"run\":\"r2\",\"thread\":\"b\"}\n"
                 "runs {\"limit\":1000,\"after\":\"k2\"}\n");
}
END_TEST

START_TEST(a_list_is_whole_or_as_long_as_it_may_be)
{
    PLAY(SHORT_PAGES);
    ck_assert_int_eq(RUN("threads", "--names", "--after", ""), 0);
    expect_out("a\nb\nc\n");
    expect_asked("threads {\"after\":\"\"}\n"
                 "threads {\"after\":\"b\"}\n"
                 "threads {\"after\":\"c\"}\n");
    ck_assert_int_eq(
        RUN("threads", "--names", "--after", "", "--limit", "3"), 0);
    expect_out("a\nb\nc\n");
    expect_asked("threads {\"limit\":3,\"after\":\"\"}\n"
                 "threads {\"limit\":1,\"after\":\"b\"}\n");
    ck_assert_int_eq(RUN("show", "threads", "--limit", "2"), 0);
    expect_out("THREAD  GRAPH  STATUS  CREATED  CHANGED\n"
               "a       g      -       -        -\n"
               "b       g      -       -        -\n");
    expect_asked("threads {\"limit\":2,\"order\":\"newest\"}\n");
}
END_TEST

#define RUN_OF(run, at)                                                        \
    "{\"run\":\"" run "\",\"key\":\"" run "\",\"thread\":\"t\",\"graph\":"     \
    "\"g\",\"status\":\"failed\",\"created_at\":\"2026-11-2" at "\"}"

// Who is to answer had to know which threads to look into.
START_TEST(inbox_lists_the_questions_that_wait_with_the_command_that_answers)
{
    PLAY({.op = "threads",
        .final = "{\"threads\":[" ASKS("c d", "3",
            "\"k\":[" QUESTION(
                "i", "[2]") "],"
                            "\"m\":[{\"id\":\"j\",\"node\":\"n\","
                            "\"is_long\":true,\"response_schema\":"
                            "{\"type\":\"boolean\"}}]") "," ASKS("b", "2",
            "") "," ASKS("a", "1",
            "\"k\":[" QUESTION("i", "\"one?\"") "]") ",{\"thread\":"
                                                     "\"d\"}]}"});
    ck_assert_int_eq(RUN("inbox", "-g", "g", "--since", "1h"), 0);
    expect_out(
        "WAITS  THREAD  GRAPH  NODE  QUESTION                          "
        "ANSWER\n"
        "now    c d     g      ask   [2]                               "
        "superstep resume 'c d' --answer i=JSON --answer j=true\n"
        "now    c d     g      n     \"long: superstep state shows it\"  "
        "superstep resume 'c d' --answer i=JSON --answer j=true\n"
        "now    a       g      ask   \"one?\"                            "
        "superstep resume a --value JSON\n");
    expect_asked("threads {\"status\":\"interrupted\",\"graph\":\"g\","
                 "\"age_ms\":3600000,\"order\":\"newest\",\"limit\":500}\n");
    ck_assert_int_eq(RUN("inbox", "--json", "-n", "1"), 0);
    ck_assert(says(&out, "\"node\": \"n\", \"is_long\": true"));
    ck_assert(!says(&out, "\"thread\": \"a\""));
}
END_TEST

START_TEST(runs_shows_the_newest_first)
{
    PLAY({.op = "runs",
             .after = "2/c",
             .final = "{\"runs\":[" RUN_OF("a", "2") "," RUN_OF("d", "1") "]}"},
        {.op = "runs",
            .final = "{\"runs\":[" RUN_OF("b", "4") "," RUN_OF(
                "c", "3") "],\"next\":\"2/c\"}"});
    ck_assert_int_eq(RUN("runs", "--names"), 0);
    expect_out("b\nc\na\nd\n");
    expect_err("");
    expect_asked("runs {\"order\":\"newest\",\"limit\":1000}\n"
                 "runs {\"order\":\"newest\",\"limit\":1000,\"after\":"
                 "\"2/c\"}\n");
    // A page tells how one goes on.
    ck_assert_int_eq(RUN("runs", "--names", "-n", "2"), 0);
    expect_out("b\nc\n");
    expect_err("superstep: there are more: --page '2/c' goes on\n");
    expect_asked("runs {\"limit\":2,\"order\":\"newest\"}\n");
    ck_assert_int_eq(RUN("runs", "--names", "-n", "2", "--page", "2/c"), 0);
    expect_out("a\nd\n");
    expect_err("");
    expect_asked("runs {\"limit\":2,\"after\":\"2/c\",\"order\":\"newest\"}\n");
    ck_assert_int_eq(RUN("runs", "--names", "-n", "2", "--after", ""), 0);
    expect_out("b\nc\n"); // by key, page by page
    expect_asked("runs {\"limit\":2,\"after\":\"\"}\n");
    expect_usage(RUN("runs", "--after", "", "--page", "2/c"), "not both");
}
END_TEST

// It knows no order, so all of its list is read and put in order here.
START_TEST(an_older_coordinator_tells_the_newest_first_too)
{
    PLAY(NO_MORE("runs", "d"),
        {.op = "runs",
            .after = "b",
            .final = "{\"runs\":[" RUN_OF("c", "3") "," RUN_OF("d", "1") "]}"},
        {.op = "runs",
            .order = "newest",
            .final = "{\"error\":{\"code\":\"invalid_argument\",\"message\":"
                     "\"runs: unknown key \\\"order\\\"; known: limit.\"}}"},
        {.op = "runs",
            .final = "{\"runs\":[" RUN_OF("a", "2") "," RUN_OF("b", "4") "]}"});
    ck_assert_int_eq(RUN("runs", "--names", "-n", "2"), 0);
    expect_out("b\nc\n");
    expect_err("");
}
END_TEST

START_TEST(records_that_are_not_in_order_yet_are_told_of)
{
    PLAY({.op = "threads",
        .final = "{\"threads\":[{\"thread\":\"a\"}],\"lacks\":true}"});
    ck_assert_int_eq(RUN("threads", "--names"), 0);
    expect_out("a\n");
    expect_err("superstep: records of an older version are still being put in "
               "order, and some of them are not in this list yet\n");
}
END_TEST

#define OF_G "\"status\":\"failed\",\"graph\":\"g\",\"age_ms\":7200000"

// An empty page is not the end where the answer says how to go on.
#define BY_TIME ",\"order\":\"newest\",\"limit\":1000"

// Nothing is found there, as nothing would be of a graph that has no runs.
START_TEST(a_list_of_a_graph_that_is_none_names_the_nearest)
{
    static const char warning[] = "superstep: warning: no graph is called "
                                  "\"helo\". Did you mean \"hello\"?\n";
    PLAY({.op = "runs", .final = "{\"runs\":[]}"},
        {.op = "threads", .final = "{\"threads\":[]}"},
        {.op = "graphs",
            .final = "{\"graphs\":[{\"name\":\"digest\"},"
                     "{\"name\":\"hello\"}]}"});
    ck_assert_int_eq(RUN("runs", "--graph", "helo"), 0);
    expect_out("There are no such runs.\n");
    expect_err(warning);
    ck_assert_int_eq(RUN("threads", "--graph", "helo", "--names"), 0);
    expect_err(warning);
    ck_assert_int_eq(RUN("inbox", "--graph", "helo"), 0);
    expect_err(warning);
    ck_assert_int_eq(RUN("retry", "--graph", "helo"), 0);
    ck_assert(says(&err, "no graph is called \"helo\""));
    ck_assert_int_eq(RUN("runs", "--graph", "helo", "--json"), 0);
    expect_out("[]\n");
    expect_err("{\"warning\": {\"message\": \"no graph is called \\\"helo\\\". "
               "Did you mean \\\"hello\\\"?\"}}\n");
    ck_assert_int_eq(RUN("runs", "--graph", "hello"), 0);
    expect_err("");
    ck_assert_int_eq(RUN("runs"), 0);
    expect_err("");
}
END_TEST

START_TEST(runs_are_found_by_status_graph_and_age)
{
    PLAY({.op = "runs", .after = "z", .final = "{\"runs\":[]}"},
        {.op = "runs",
            .after = "m",
            .final = "{\"runs\":[" RUN_OF("p", "3") "],\"next\":\"z\"}"},
        {.op = "runs", .final = "{\"runs\":[],\"next\":\"m\"}"});
    ck_assert_int_eq(
        RUN("runs", "--names", "--failed", "-g", "g", "--since", "2h"), 0);
    expect_out("p\n");
    expect_asked("runs {" OF_G BY_TIME "}\n"
                 "runs {" OF_G BY_TIME ",\"after\":\"m\"}\n"
                 "runs {" OF_G BY_TIME ",\"after\":\"z\"}\n");
    ck_assert_int_eq(
        RUN("runs", "--names", "--until", "1h", "--meta", "user=ann", "--meta",
            "n=[1]", "--meta", "s=\"7\"", "--prefix", "t"),
        0);
    expect_asked(
        "runs {\"age_min_ms\":3600000,\"prefix\":\"t\",\"metadata\":"
        "{\"user\":\"ann\",\"n\":[1],\"s\":\"7\"}" BY_TIME "}\n"
        "runs {\"age_min_ms\":3600000,\"prefix\":\"t\",\"metadata\":"
        "{\"user\":\"ann\",\"n\":[1],\"s\":\"7\"}" BY_TIME ",\"after\":\"m\"}\n"
        "runs {\"age_min_ms\":3600000,\"prefix\":\"t\",\"metadata\":"
        "{\"user\":\"ann\",\"n\":[1],\"s\":\"7\"}" BY_TIME
        ",\"after\":\"z\"}\n");
    PLAY({.op = "runs", .final = "{\"runs\":[]}"});
    ck_assert_int_eq(RUN("runs", "--status", "done"), 0);
    expect_out("There are no such runs.\n");
    expect_usage(RUN("runs", "--failed", "--status", "done"), "not both");
    expect_usage(RUN("runs", "--since", "soon"), "--since wants a time");
}
END_TEST

// As a coordinator would send it that does not look at `after`.
START_TEST(a_page_that_comes_again_ends_the_list)
{
    static const char told[] =
        "superstep: the coordinator's list of threads does not go on behind "
        "\"b\": the same page came again\n";
    PLAY({.op = "threads",
             .final = "{\"threads\":[{\"thread\":\"a\"},{\"thread\":\"b\"}]}"},
        {.op = "prune", .final = "{\"rows\":1}"},
        {.op = "clear_cache", .final = "{\"entries\":0}"},
        {.op = "runs", .final = "{\"runs\":[{}]}"});
    ck_assert_int_eq(RUN("retain", "--prune-after", "1d"), 1);
    expect_err(told);
    expect_asked("threads {\"limit\":500}\n"
                 "prune {\"thread\":\"a\",\"idle_ms\":86400000,"
                 "\"keep_waiting\":false}\n"
                 "prune {\"thread\":\"b\",\"idle_ms\":86400000,"
                 "\"keep_waiting\":false}\n"
                 "threads {\"limit\":500,\"after\":\"b\"}\n");
    ck_assert_int_eq(RUN("threads", "--after", ""), 1);
    expect_err(told);
    expect_out("");
    ck_assert_int_eq(
        RUN("runs", "--after", ""), 1); // nor does it go on behind nothing
    expect_err("superstep: the coordinator's list of runs has an item without "
               "\"key\"\n");
}
END_TEST

static TCase *served(void)
{
    TCase *tcase = tcase_create("served");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, NULL);
    tcase_add_test(tcase, lists_are_tables);
    tcase_add_test(tcase, shards_of_others_are_shown_as_of_when_they_were_seen);
    tcase_add_test(tcase, a_question_is_as_old_as_when_it_was_asked);
    tcase_add_test(
        tcase, that_no_task_is_out_is_not_all_while_the_store_is_silent);
    tcase_add_test(tcase, a_worker_that_drains_is_told_from_one_that_has_room);
    tcase_add_test(tcase, draw_says_which_ways_it_cannot_know);
    tcase_add_test(tcase, names_in_chinese_stand_in_straight_columns);
    tcase_add_test(tcase, empty_lists_say_what_to_do);
    tcase_add_test(tcase, behind_the_last_of_a_list_there_are_no_such_ones);
    tcase_add_test(tcase, what_can_be_shown_is_a_list_for_programs_too);
    tcase_add_test(tcase, retain_goes_through_every_page);
    tcase_add_test(tcase, a_short_page_is_not_the_last_one);
    tcase_add_test(tcase, a_list_is_whole_or_as_long_as_it_may_be);
    tcase_add_test(tcase,
        inbox_lists_the_questions_that_wait_with_the_command_that_answers);
    tcase_add_test(tcase, runs_shows_the_newest_first);
    tcase_add_test(tcase, an_older_coordinator_tells_the_newest_first_too);
    tcase_add_test(tcase, records_that_are_not_in_order_yet_are_told_of);
    tcase_add_test(tcase, a_list_of_a_graph_that_is_none_names_the_nearest);
    tcase_add_test(tcase, runs_are_found_by_status_graph_and_age);
    return tcase;
}

// What would not end without its guard.
static TCase *endless(void)
{
    TCase *tcase = tcase_create("endless");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, NULL);
    tcase_add_test(tcase, a_page_that_comes_again_ends_the_list);
    return tcase;
}

int main(void)
{
    if (access(PROGRAM, X_OK) != 0)
        return 77; // built apart from the programs
    if (!suite_has_columns())
        return 77;
    Suite *suite = suite_create("cli_lists");
    suite_add_tcase(suite, served());
    suite_add_tcase(suite, endless());
    return suite_main(suite);
}
