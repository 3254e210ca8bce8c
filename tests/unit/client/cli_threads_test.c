// The `superstep` command: threads, and lists of what there is.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

// --------------------------------------------------------------------- threads

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
    ck_assert_int_eq(RUN("resume", "t1", "--graph", "g", "--answer", "a=1",
                         "--answer", "b=\"x\""),
        0);
    expect_asked("run {\"graph\":\"g\",\"thread\":\"t1\",\"command\":"
                 "{\"resume\":{\"a\":1,\"b\":\"x\"}},\"run\":\"MADE UP\"}\n");
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
    expect_asked("state {\"checkpoint_id\":\"c\",\"checkpoint_ns\":\"n\","
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
                 "update {\"checkpoint_id\":\"c8\",\"thread\":\"t\","
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
        {.op = "threads", .final = "{\"threads\":[]}"});
    ck_assert_int_eq(RUN("explain", "demo"), 1);
    expect_out("");
    expect_err("superstep: there is no run demo\n");
    expect_asked("explain {\"run\":\"demo\"}\n"
                 "explain {\"thread\":\"demo\"}\n");
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

// ----------------------------------------------------------------------- lists

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

#define ASKS(thread, at, questions)                                            \
    "{\"thread\":\"" thread "\",\"graph\":\"g\",\"status\":\"interrupted\","   \
    "\"created_at\":\"2026-11-20\",\"updated_at\":\"2026-11-2" at              \
    "\",\"interrupts\":{" questions "}}"
#define QUESTION(id, value)                                                    \
    "{\"id\":\"" id "\",\"node\":\"ask\",\"value\":" value "}"

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

// --------------------------------------------------------------------- many

#define FAILED(thread)                                                         \
    "{\"thread\":\"" thread "\",\"run\":\"r-" thread                           \
    "\",\"graph\":\"g\",\"status\":\"failed\"}"

START_TEST(all_that_failed_tonight_are_tried_again_by_one_command)
{
    PLAY({.op = "threads",
             .final = "{\"threads\":[" FAILED("a") "," FAILED("b") "]}"},
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
        "run {\"graph\":\"g\",\"thread\":\"a\",\"detach\":true,\"run\":\"MADE "
        "UP\"}\n"
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

START_TEST(nothing_to_be_done_is_no_failure)
{
    PLAY({.op = "threads", .final = "{\"threads\":[]}"});
    ck_assert_int_eq(RUN("retry", "--failed"), 0);
    expect_err(
        "superstep: there is no such failed run: nothing is to be done\n");
}
END_TEST

// `superstep runs -n 3` never had the run that had just begun.
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

#define TOLD_OF(run, status)                                                   \
    "{\"explain\":{\"run\":\"" run "\",\"thread\":\"t\",\"graph\":\"g\","      \
    "\"status\":\"" status "\"}}"

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
                 "\"there is no run r1\"}}"});
    ck_assert_int_eq(RUN("retry", "r1"), 1);
    expect_err("superstep: there is no run r1\n");
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
    tcase_add_test(tcase, threads_are_changed);
    tcase_add_test(tcase, a_checkpoint_that_is_not_there_is_told);
    tcase_add_test(
        tcase, a_run_that_is_known_is_asked_for_again_wherever_it_began);
    tcase_add_test(tcase, a_copy_of_nothing_is_no_success);
    tcase_add_test(tcase, a_thread_is_explained_by_its_last_run);
    tcase_add_test(
        tcase, a_thread_that_is_named_before_its_option_is_explained);
    tcase_add_test(tcase, lists_are_tables);
    tcase_add_test(tcase, names_in_chinese_stand_in_straight_columns);
    tcase_add_test(tcase, empty_lists_say_what_to_do);
    tcase_add_test(tcase, retain_goes_through_every_page);
    tcase_add_test(tcase, a_short_page_is_not_the_last_one);
    tcase_add_test(tcase, a_list_is_whole_or_as_long_as_it_may_be);
    tcase_add_test(tcase,
        inbox_lists_the_questions_that_wait_with_the_command_that_answers);
    tcase_add_test(
        tcase, all_that_failed_tonight_are_tried_again_by_one_command);
    tcase_add_test(tcase, what_cannot_be_done_to_all_is_told_of_each);
    tcase_add_test(tcase, one_answer_is_given_to_all_that_ask);
    tcase_add_test(tcase, nothing_to_be_done_is_no_failure);
    tcase_add_test(tcase, runs_shows_the_newest_first);
    tcase_add_test(tcase, an_older_coordinator_tells_the_newest_first_too);
    tcase_add_test(tcase, records_that_are_not_in_order_yet_are_told_of);
    tcase_add_test(tcase, runs_are_found_by_status_graph_and_age);
    tcase_add_test(tcase, retry_goes_on_where_a_failed_run_stopped);
    tcase_add_test(
        tcase, retry_is_for_the_last_run_of_a_thread_and_for_failures);
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
    Suite *suite = suite_create("cli_threads");
    suite_add_tcase(suite, served());
    suite_add_tcase(suite, endless());
    return suite_main(suite);
}
