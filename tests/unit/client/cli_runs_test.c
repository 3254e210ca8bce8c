// The `superstep` command: runs, and what is done with them.
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/requests.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

START_TEST(a_run_prints_its_result)
{
    PLAY({.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("run", "hello", "--input", "{\"name\": \"Ada\"}"), 0);
    expect_out("{\"log\": [\"hello\"]}\n");
    expect_err("");
    expect_asked("run {\"input\":{\"name\":\"Ada\"},\"graph\":\"hello\","
                 "\"run\":\"MADE UP\"}\n");
}
END_TEST

START_TEST(every_option_of_a_run_is_in_the_request)
{
    PLAY({.op = "history", .final = "{\"history\":[{}]}"},
        {.op = "state", .final = "{\"state\":{\"metadata\":{}}}"},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(
        RUN("run", "g", "--thread", "t", "--at", "c1", "--durability", "exit",
            "--recursion-limit", "9", "--interrupt-before", "a,b",
            "--interrupt-after=*", "--run", "r7", "--context", "{}",
            "--subgraphs", "--if-busy", "enqueue", "--priority=-5",
            "--max-concurrency", "3", "--output-keys", "", "--strict-resume",
            "--config", "{\"tags\": [\"x\"]}", "--ns", "in:7", "--map",
            "{\"\": \"c0\"}", "--command", "{\"goto\": \"b\"}"),
        0);
    expect_asked(
        "history {\"checkpoint_ns\":\"in:7\",\"limit\":1,"
        "\"thread\":\"t\"}\n"
        "state {\"checkpoint_id\":\"c1\",\"graph\":\"g\","
        "\"checkpoint_ns\":\"in:7\",\"thread\":\"t\"}\n"
        "run {\"durability\":\"exit\",\"recursion_limit\":9,"
        "\"max_concurrency\":3,\"priority\":-5,"
        "\"interrupt_before\":[\"a\",\"b\"],\"interrupt_after\":\"*\","
        "\"output_keys\":[],\"context\":{},\"config\":{\"tags\":[\"x\"]},"
        "\"strict_resume\":true,\"if_busy\":\"enqueue\","
        "\"command\":{\"goto\":\"b\"},\"checkpoint_map\":{\"\":\"c0\"},"
        "\"checkpoint_ns\":\"in:7\",\"graph\":\"g\",\"thread\":\"t\","
        "\"checkpoint_id\":\"c1\",\"run\":\"r7\",\"subgraphs\":true}\n");
}
END_TEST

// The command's option for a key of the request, as `superstep run --help` has
// it.
START_TEST(no_key_of_a_run_is_the_wires_alone)
{
    static const char *const others[][2] = {{"graph", "run GRAPH"},
        {"checkpoint_id", "--at "}, {"checkpoint_ns", "--ns "},
        {"checkpoint_map", "--map "}};
    const char *keys = ss_op_row(SS_OP_RUN)->keys + 1;
    ck_assert_int_eq(RUN("run", "--help"), 0);
    for (size_t size; (size = strcspn(keys, " ")) > 0; keys += size + 1) {
        char option[64];
        snprintf(option, sizeof(option), "--%.*s ", (int)size, keys);
        for (char *at = option; (at = strchr(at, '_'));)
            *at = '-';
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
            if (strlen(others[i][0]) == size &&
                memcmp(keys, others[i][0], size) == 0)
                snprintf(option, sizeof(option), "%s", others[i][1]);
        ck_assert_msg(says(&out, option), "no option %s", option);
    }
}
END_TEST

START_TEST(an_answer_takes_the_terms_of_a_run_too)
{
    PLAY({.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("resume", "t", "-g", "g", "--value", "1", "--run",
                         "r7", "--output-keys", "log,n", "--strict-resume"),
        0);
    expect_asked("run {\"output_keys\":[\"log\",\"n\"],"
                 "\"strict_resume\":true,\"graph\":\"g\",\"thread\":\"t\","
                 "\"run\":\"r7\",\"command\":{\"resume\":1}}\n");
}
END_TEST

START_TEST(input_may_come_from_standard_input)
{
    PLAY({.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN_WITH("[1, 2]", "run", "g", "-i", "-"), 0);
    expect_asked("run {\"input\":[1,2],\"graph\":\"g\",\"run\":\"MADE UP\"}\n");
}
END_TEST

START_TEST(supersteps_show_as_lines)
{
    PLAY({.op = "run",
        .items = {ACCEPTED,
            "{\"seq\":\"2.0\",\"mode\":\"progress\",\"ns\":[],\"data\":"
            "{\"step\":1,\"tasks\":1,\"done\":0,\"node\":null}}",
            "{\"seq\":\"2.1\",\"mode\":\"updates\",\"ns\":[],\"data\":"
            "{\"greet\":{\"log\":[\"hello\"]}}}",
            "{\"seq\":\"2.2\",\"mode\":\"progress\",\"ns\":[],\"data\":"
            "{\"step\":1,\"tasks\":1,\"done\":1,\"node\":\"greet\"}}"},
        .final = DONE});
    ck_assert_int_eq(RUN("run", "g", "--progress"), 0);
    expect_out("{\"log\": [\"hello\"]}\n");
    ck_assert(says(&err, "thread t1\n"));
    ck_assert(says(&err, "step 1  greet     {\"log\": [\"hello\"]} "));
    ck_assert(says(&err, " ms\n"));
    expect_asked("run {\"graph\":\"g\",\"stream\":[\"updates\",\"progress\"],"
                 "\"run\":\"MADE UP\"}\n");
}
END_TEST

START_TEST(a_stream_prints_events)
{
    PLAY({.op = "run",
        .items = {ACCEPTED,
            "{\"seq\":\"2.1\",\"mode\":\"values\",\"ns\":[],\"data\":"
            "{\"a\":1}}",
            "{\"attempt\":\"1.2\",\"mode\":\"custom\",\"ns\":"
            "[\"sub:1\",\"in:2\"],\"data\":\"hi\"}"},
        .final = DONE});
    ck_assert_int_eq(RUN("run", "g", "--stream", "values,custom"), 0);
    expect_out("values      {\"a\": 1}\ncustom      sub:1|in:2  \"hi\"\n"
               "{\"log\": [\"hello\"]}\n");
    expect_asked("run {\"graph\":\"g\",\"stream\":[\"values\",\"custom\"],"
                 "\"run\":\"MADE UP\"}\n");
    ck_assert_int_eq(RUN("--json", "run", "g", "--stream", "values"), 0);
    ck_assert(says(&out, "{\"seq\": \"2.1\", \"mode\": \"values\", "));
    ck_assert(says(&out, "\"status\": \"done\", "));
}
END_TEST

START_TEST(an_interrupted_run_prints_the_command_that_answers)
{
    PLAY({.op = "run",
        .items = {ACCEPTED},
        .final = "{\"run\":\"r1\",\"thread\":\"t1\",\"status\":"
                 "\"interrupted\",\"output\":null,\"interrupts\":[{\"id\":"
                 "\"i1\",\"value\":\"Publish?\"}]}"});
    ck_assert_int_eq(RUN("run", "g"), 3);
    expect_out("");
    expect_err("interrupted: a question waits for an answer\n"
               "  \"Publish?\"\n"
               "Answer:  superstep resume t1 --value JSON\n");
}
END_TEST

START_TEST(a_name_with_a_newline_stays_on_its_line)
{
    PLAY({.op = "cancel", .final = "{\"status\":\"done\"}"},
        {.op = "run",
            .items = {ACCEPTED},
            .final = "{\"thread\":\"t\\n1\",\"status\":\"failed\",\"error\":"
                     "{\"code\":\"node_failed\",\"node\":\"n\","
                     "\"message\":\"two\\nlines\"}}"});
    ck_assert_int_eq(RUN("cancel", "r\n1"), 0);
    expect_out("run r\\n1 had already ended: done\n");
    ck_assert_int_eq(RUN("run", "g"), 1);
    expect_err(
        "superstep: thread t\\n1: node \"n\": two\nlines (node_failed)\n");
    ck_assert_int_eq(RUN("nosuch\ncommand"), 2);
    expect_err("superstep: there is no command \"nosuch\\ncommand\".\n"
               "superstep --help lists the commands.\n");
}
END_TEST

#define WARNED "\"warnings\":[\"run r1 is under way already\"]"

START_TEST(a_warning_is_told_when_the_run_is_accepted_and_once)
{
    PLAY({.op = "run",
        .items = {"{\"run\":\"r1\",\"thread\":\"t1\",\"accepted\":true," WARNED
                  "}"},
        .final = "{\"run\":\"r1\",\"thread\":\"t1\",\"status\":\"done\","
                 "\"output\":{\"a\":1}," WARNED "}"});
    ck_assert_int_eq(RUN("run", "g", "--run", "r1"), 0);
    expect_out("{\"a\": 1}\n");
    expect_err("superstep: warning: run r1 is under way already\n");
    ck_assert_int_eq(RUN("run", "g", "--run", "r1", "--json"), 0);
    expect_err("");
    ck_assert(says(&out, "is under way already"));
    PLAY({.op = "run",
        .final = "{\"run\":\"r1\",\"thread\":\"t1\",\"status\":\"running\","
                 "\"accepted\":true," WARNED "}"});
    ck_assert_int_eq(RUN("run", "g", "--run", "r1", "--detach"), 0);
    expect_out("run r1  thread t1\n");
    expect_err("superstep: warning: run r1 is under way already\n");
}
END_TEST

START_TEST(a_failed_run_says_why)
{
    PLAY({.op = "run",
        .items = {ACCEPTED},
        .final = "{\"run\":\"r1\",\"thread\":\"t1\",\"status\":\"failed\","
                 "\"output\":{\"a\":1},\"error\":{\"code\":\"node_failed\","
                 "\"message\":\"no ink\",\"node\":\"print\"},\"warnings\":"
                 "[\"a warning\"]}"});
    ck_assert_int_eq(RUN("run", "g"), 1);
    expect_out("{\"a\": 1}\n");
    expect_err("superstep: warning: a warning\n"
               "superstep: thread t1: node \"print\": no ink (node_failed)\n");
    ck_assert_int_eq(RUN("run", "g", "--json"), 1);
    ck_assert(says(&out, "\"code\": \"node_failed\""));
}
END_TEST

START_TEST(a_failure_names_thread_and_node_once)
{
    PLAY({.op = "run",
        .final = "{\"thread\":\"e\",\"status\":\"failed\",\"error\":"
                 "{\"code\":\"invalid_update\",\"node\":\"n\",\"message\":"
                 "\"node \\\"n\\\": expected a map\"}}"});
    ck_assert_int_eq(RUN("run", "g", "--thread", "e"), 1);
    expect_err("superstep: thread e: node \"n\": expected a map "
               "(invalid_update)\n");
    PLAY({.op = "run",
        .final = "{\"thread\":\"e\",\"status\":\"failed\",\"error\":"
                 "{\"code\":\"worker_lost\",\"node\":\"n\",\"message\":"
                 "\"node \\\"n\\\" (thread e, task 1) crashed its worker\"}}"});
    ck_assert_int_eq(RUN("run", "g", "--thread", "e"), 1);
    expect_err("superstep: node \"n\" (thread e, task 1) crashed its worker "
               "(worker_lost)\n");
}
END_TEST

START_TEST(a_cancelled_run_is_no_success)
{
    PLAY({.op = "run", .final = "{\"status\":\"cancelled\",\"output\":null}"});
    ck_assert_int_eq(RUN("run", "g"), 1);
    expect_err("superstep: the run was cancelled\n");
}
END_TEST

START_TEST(cancel_says_how_a_run_had_ended_before)
{
    PLAY({.op = "cancel", .final = "{\"status\":\"done\"}"});
    ck_assert_int_eq(RUN("cancel", "r"), 0);
    expect_out("run r had already ended: done\n");
    ck_assert_int_eq(RUN("cancel", "r", "--json"), 0);
    expect_out("{\"status\": \"done\"}\n");
}
END_TEST

// It was left out, and the run that began last on any thread explained.
START_TEST(a_word_that_is_no_utf8_names_nothing)
{
    static const char wrong[] = "a word of the command is not text in UTF-8";
    expect_usage(RUN("explain", "-t", "\xff"), wrong);
    expect_usage(RUN("resume", "\xff", "--value", "1"), wrong);
    expect_usage(RUN("drain", "\xff"), wrong);
    expect_usage(RUN("pause", "g", "--reason", "\xff"), wrong);
    expect_asked("");
}
END_TEST

START_TEST(a_pause_is_of_a_graph_of_a_version_or_of_everything)
{
    unsetenv("USER");
    PLAY({.op = "pause", .final = "{\"status\":\"paused\"}"});
    ck_assert_int_eq(RUN("pause", "g", "--of-version", "aa", "-r", "ill"), 0);
    expect_asked("pause {\"graph\":\"g\",\"version\":\"aa\","
                 "\"reason\":\"ill\"}\n");
    expect_out("graph g is paused: no new task of it is sent, what runs ends. "
               "superstep unpause g lets it go on\n");
    setenv("USER", "olga", 1);
    ck_assert_int_eq(RUN("pause", "--all"), 0);
    expect_asked("pause {\"all\":true,\"by\":\"olga\"}\n");
    expect_out("everything is paused: no new task of it is sent, what runs "
               "ends. superstep unpause --all lets it go on\n");
    setenv("USER", "\xff", 1); // nobody to tell of
    ck_assert_int_eq(RUN("pause", "g"), 0);
    expect_asked("pause {\"graph\":\"g\"}\n");
    expect_usage(RUN("pause"), "say which graph, or --all");
    expect_usage(RUN("pause", "g", "--all"), "g or --all: give one of them");
}
END_TEST

// The column MEMBERS was raw JSON, and "{}" of a limit by value.
START_TEST(a_limit_shows_who_has_the_rest_as_names_and_numbers)
{
    PLAY({.op = "limits",
        .final = "{\"limits\":[{\"limit\":\"m\",\"tasks_max\":5,"
                 "\"members\":{\"c1\":3,\"c2\":2}},"
                 "{\"limit\":\"n\",\"tasks_max\":1,\"members\":{}}]}"});
    ck_assert_int_eq(RUN("limit"), 0);
    ck_assert(says(&out, "  c1 3, c2 2\n"));
    ck_assert(!says(&out, "{"));
    ck_assert_int_eq(RUN("limit", "--json"), 0);
    ck_assert(says(&out, "\"members\": {\"c1\": 3, \"c2\": 2}"));
}
END_TEST

START_TEST(a_limit_is_shown_set_and_cleared)
{
    setenv("USER", "olga", 1);
    PLAY({.op = "limits",
        .final = "{\"limits\":[{\"limit\":\"openai\",\"tasks_max\":5,"
                 "\"per_ms\":10000,\"said_max\":9,\"set_by\":\"olga\",\"here\":"
                 "2,\"out\":1,"
                 "\"waiting\":0,\"members\":{\"tcp://a\":2}}]}"});
    ck_assert_int_eq(RUN("limit"), 0);
    expect_asked("limits {}\n");
    expect_out(
        "LIMIT   TASKS  PER     EACH  GRAPHS SAY  SET BY  HERE  OUT  WAITING  "
        "MEMBERS\nopenai      5  10.0 s  -              9  olga       2    1"
        "        0  tcp://a 2\n");
    ck_assert_int_eq(RUN("limit", "db"), 1);
    expect_asked("limits {}\n");
    PLAY({.op = "limit", .final = "{\"status\":\"set\"}"});
    ck_assert_int_eq(RUN("limit", "openai", "--tasks", "3"), 0);
    expect_asked(
        "limit {\"name\":\"openai\",\"tasks_max\":3,\"by\":\"olga\"}\n");
    expect_out("limit openai: 3 tasks may be out, whatever graphs say. "
               "superstep limit openai --clear takes that back\n");
    PLAY({.op = "limit", .final = "{\"was_set\":true}"});
    ck_assert_int_eq(RUN("limit", "openai", "--clear"), 0);
    expect_asked("limit {\"name\":\"openai\",\"by\":\"olga\"}\n");
    expect_out("limit openai is as graphs say it again\n");
    ck_assert_int_eq(RUN("limit", "m", "--begun", "9", "--per", "10s"), 0);
    expect_asked("limit {\"name\":\"m\",\"begun_max\":9,\"per_ms\":10000,"
                 "\"by\":\"olga\"}\n");
    expect_out("limit m: 9 tasks may begin in 10s, whatever graphs say. "
               "superstep limit m --clear takes that back\n");
    PLAY({.op = "limits",
        .final = "{\"limits\":[{\"limit\":\"m\",\"tasks_max\":2,"
                 "\"each\":\"customer\",\"here\":4,\"out\":2,"
                 "\"waiting\":3,\"members\":{},\"busiest\":["
                 "{\"value\":\"acme\",\"here\":2,\"out\":2,"
                 "\"waiting\":3}]}]}"});
    ck_assert_int_eq(RUN("limit", "m"), 0);
    expect_asked("limits {}\n");
    expect_out("LIMIT  TASKS  PER  EACH      GRAPHS SAY  SET BY  HERE  OUT  "
               "WAITING  MEMBERS\n"
               "m          2  -    customer           -  -          4    2  "
               "      3  -\n"
               "\n"
               "VALUE  HERE  OUT  WAITING\n"
               "acme      2    2        3\n");
    PLAY({.op = "limit", .final = "{\"status\":\"set\"}"});
    ck_assert_int_eq(
        RUN("limit", "m", "--tasks", "2", "--each", "customer"), 0);
    expect_asked("limit {\"name\":\"m\",\"tasks_max\":2,"
                 "\"each\":\"customer\",\"by\":\"olga\"}\n");
    expect_out("limit m: 2 tasks for each customer may be out, whatever graphs "
               "say. superstep limit m --clear takes that back\n");
    ck_assert_int_eq(RUN("limit", "m", "--tasks", "1"), 0);
    ck_assert(says(&out, "limit m: 1 task may be out, "));
    expect_usage(RUN("limit", "m", "--each", "customer"), "say how many");
    expect_usage(RUN("limit", "m", "--begun", "9", "--per", "2h"),
        "--per 2h: an hour is the most");
    expect_usage(RUN("limit", "m", "--begun", "9"), "give both of them");
    expect_usage(RUN("limit", "--clear"), "say which limit");
    expect_usage(RUN("limit", "a", "--clear", "--tasks", "1"), "one of them");
}
END_TEST

START_TEST(a_limit_that_was_not_set_may_be_mistyped)
{
    PLAY({.op = "limit", .final = "{\"was_set\":false}"},
        {.op = "limits", .final = "{\"limits\":[{\"limit\":\"openai\"}]}"});
    ck_assert_int_eq(RUN("limit", "opnai", "--clear"), 0);
    expect_out("limit opnai was not set. Did you mean \"openai\"?\n");
    ck_assert_int_eq(RUN("limit", "openai", "--clear"), 0);
    expect_out("limit openai was not set\n");
    ck_assert_int_eq(RUN("limit", "opnai", "--clear", "--json"), 0);
    expect_out("{\"was_set\": false}\n");
}
END_TEST

START_TEST(who_takes_back_a_pause_is_told_what_still_holds)
{
    PLAY({.op = "unpause",
        .final = "{\"was_paused\":true,\"still\":[{\"graph\":\"g\","
                 "\"since_us\":1767225600000000,\"by\":\"olga\"}]}"});
    ck_assert_int_eq(RUN("unpause", "--all"), 0);
    expect_asked("unpause {\"all\":true}\n");
    expect_out("everything was unpaused; but:\ngraph g is paused since "
               "2026-01-01 00:00:00 by olga\n");
    PLAY({.op = "unpause", .final = "{\"was_paused\":true,\"still\":[]}"});
    ck_assert_int_eq(RUN("unpause", "g", "--of-version", "aa"), 0);
    expect_asked("unpause {\"graph\":\"g\",\"version\":\"aa\"}\n");
    expect_out("graph g goes on\n");
    PLAY({.op = "unpause", .final = "{\"was_paused\":false}"});
    ck_assert_int_eq(RUN("unpause", "g"), 0);
    expect_out("graph g was not paused\n");
    expect_usage(RUN("unpause"), "say which graph, or --all");
}
END_TEST

START_TEST(migrate_moves_one_run)
{
    PLAY({.op = "migrate",
        .final = "{\"run\":\"r\",\"graph\":\"g\",\"from\":\"aaaaaaaabb\","
                 "\"to\":\"ccccccccdd\"}"});
    ck_assert_int_eq(RUN("migrate", "r", "--to", "cccc"), 0);
    expect_out("run r moves from version aaaaaaaa to cccccccc\n");
    expect_asked("migrate {\"run\":\"r\",\"to\":\"cccc\"}\n");
    expect_usage(RUN("migrate"), "say which RUN, or --graph");
    expect_usage(RUN("migrate", "r", "--graph", "g"), "say which RUN");
}
END_TEST

START_TEST(migrate_moves_the_runs_of_a_version_that_have_not_ended)
{
    PLAY(NO_MORE("runs", "r5"),
        {.op = "runs",
            .final = "{\"runs\":["
                     "{\"run\":\"r1\",\"thread\":\"t\",\"graph\":\"g\","
                     "\"version\":\"aa1\",\"status\":\"running\"},"
                     "{\"run\":\"r2\",\"graph\":\"g\",\"version\":\"aa1\","
                     "\"status\":\"done\"},"
                     "{\"run\":\"r3\",\"graph\":\"g\",\"version\":\"bb2\","
                     "\"status\":\"running\"},"
                     "{\"run\":\"r4\",\"graph\":\"h\",\"version\":\"aa1\","
                     "\"status\":\"running\"},"
                     "{\"run\":\"r5\",\"graph\":\"g\",\"version\":\"aa1\","
                     "\"status\":\"queued\"}]}"},
        {.op = "migrate",
            .final = "{\"run\":\"?\",\"graph\":\"g\",\"from\":\"aa1\","
                     "\"to\":\"cc\"}"});
    ck_assert_int_eq(RUN("migrate", "--graph", "g", "--from", "aa"), 0);
    expect_out("run r1 moves from version aa1 to cc\n"
               "run r5 moves from version aa1 to cc\n");
    expect_asked("runs {\"limit\":1000}\n"
                 "migrate {\"run\":\"r1\",\"thread\":\"t\"}\n"
                 "migrate {\"run\":\"r5\"}\n"
                 "runs {\"limit\":1000,\"after\":\"r5\"}\n");
}
END_TEST

START_TEST(the_last_run_of_a_thread_is_followed_without_its_name)
{
    PLAY({.op = "explain", .final = "{\"explain\":{\"run\":\"r9\"}}"},
        {.op = "attach", .final = "{\"status\":\"done\",\"output\":null}"});
    ck_assert_int_eq(RUN("attach", "-t", "t"), 0);
    expect_asked("explain {\"thread\":\"t\"}\n"
                 "attach {\"run\":\"r9\",\"thread\":\"t\"}\n");
    expect_usage(RUN("attach"), "say which RUN, or --thread THREAD");
}
END_TEST

// Each command that takes a run takes its thread beside it.
START_TEST(a_run_is_named_by_its_thread_too)
{
    PLAY({.op = "attach", .final = "{\"status\":\"done\",\"output\":null}"},
        {.op = "cancel", .final = "{\"status\":\"done\"}"},
        {.op = "release", .final = "{\"status\":\"running\"}"},
        {.op = "migrate", .final = "{\"from\":\"a\",\"to\":\"b\"}"},
        {.op = "explain", .final = "{\"explain\":{}}"},
        {.op = "runs", .final = "{\"runs\":[{\"run\":\"abcdefgh1\"}]}"});
    ck_assert_int_eq(RUN("attach", "r", "-t", "t"), 0);
    ck_assert_int_eq(RUN("cancel", "r", "--thread", "t"), 0);
    ck_assert_int_eq(RUN("release", "r", "--thread", "t"), 0);
    ck_assert_int_eq(RUN("migrate", "r", "--thread", "t"), 0);
    ck_assert_int_eq(RUN("explain", "r", "--thread", "t"), 0);
    expect_asked("attach {\"run\":\"r\",\"thread\":\"t\"}\n"
                 "cancel {\"run\":\"r\",\"thread\":\"t\"}\n"
                 "release {\"run\":\"r\",\"thread\":\"t\"}\n"
                 "migrate {\"run\":\"r\",\"thread\":\"t\"}\n"
                 "explain {\"run\":\"r\",\"thread\":\"t\"}\n");
    expect_usage(RUN("explain"), "say which RUN, or --thread THREAD");
    expect_usage(
        RUN("migrate", "--graph", "g", "--thread", "t"), "say which RUN");
}
END_TEST

START_TEST(cancel_takes_a_run_back)
{
    PLAY({.op = "cancel", .final = "{\"status\":\"cancelled\"}"});
    ck_assert_int_eq(RUN("cancel", "r", "--rollback"), 0);
    expect_out("run r is taken back\n");
    expect_asked("cancel {\"run\":\"r\",\"action\":\"rollback\"}\n");
}
END_TEST

START_TEST(a_detached_run_prints_its_name)
{
    PLAY({.op = "run",
        .final = "{\"run\":\"r1\",\"thread\":\"t1\",\"accepted\":"
                 "true,\"status\":\"running\"}"});
    ck_assert_int_eq(RUN("run", "g", "--detach"), 0);
    expect_out("run r1  thread t1\n");
    expect_asked("run {\"graph\":\"g\",\"detach\":true,\"run\":\"MADE UP\"}\n");
}
END_TEST

START_TEST(who_gives_up_on_a_run_that_was_accepted_is_told_that_it_goes_on)
{
#define GONE "{\"error\":{\"code\":\"closed\",\"message\":\"nobody is there\"}}"
    PLAY({.op = "run", .items = {ACCEPTED}, .final = GONE});
    ck_assert_int_eq(RUN("run", "g"), 4);
    expect_err("superstep: nobody is there\n"
               "The run goes on.  Follow it:  superstep attach r1\n"
               "                  Stop it:    superstep cancel r1\n");
    PLAY({.op = "run", .final = GONE});
    ck_assert_int_eq(RUN("run", "g"), 4);
    expect_err("superstep: nobody is there\n");
}
END_TEST

START_TEST(what_was_restored_is_told)
{
    PLAY({.op = "attach",
        .final = "{\"status\":\"done\",\"output\":1,\"stats\":"
                 "{\"supersteps\":1,\"tasks\":2,\"restored\":3}}"});
    ck_assert_int_eq(RUN("attach", "r1", "--progress", "--after", "2.1"), 0);
    expect_out("1\n");
    expect_err("1 superstep, 2 tasks; 3 more were taken from pending writes\n");
    expect_asked("attach {\"run\":\"r1\",\"after\":\"2.1\",\"stream\":"
                 "[\"updates\",\"progress\"]}\n");
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, a_run_prints_its_result);
    tcase_add_test(tcase, every_option_of_a_run_is_in_the_request);
    tcase_add_test(tcase, no_key_of_a_run_is_the_wires_alone);
    tcase_add_test(tcase, an_answer_takes_the_terms_of_a_run_too);
    tcase_add_test(tcase, input_may_come_from_standard_input);
    tcase_add_test(tcase, supersteps_show_as_lines);
    tcase_add_test(tcase, a_stream_prints_events);
    tcase_add_test(tcase, an_interrupted_run_prints_the_command_that_answers);
    tcase_add_test(tcase, a_name_with_a_newline_stays_on_its_line);
    tcase_add_test(tcase, a_warning_is_told_when_the_run_is_accepted_and_once);
    tcase_add_test(tcase, a_failed_run_says_why);
    tcase_add_test(tcase, a_failure_names_thread_and_node_once);
    tcase_add_test(tcase, a_cancelled_run_is_no_success);
    tcase_add_test(tcase, cancel_says_how_a_run_had_ended_before);
    tcase_add_test(tcase, a_word_that_is_no_utf8_names_nothing);
    tcase_add_test(tcase, a_pause_is_of_a_graph_of_a_version_or_of_everything);
    tcase_add_test(tcase, a_limit_shows_who_has_the_rest_as_names_and_numbers);
    tcase_add_test(tcase, a_limit_is_shown_set_and_cleared);
    tcase_add_test(tcase, a_limit_that_was_not_set_may_be_mistyped);
    tcase_add_test(tcase, who_takes_back_a_pause_is_told_what_still_holds);
    tcase_add_test(tcase, migrate_moves_one_run);
    tcase_add_test(
        tcase, migrate_moves_the_runs_of_a_version_that_have_not_ended);
    tcase_add_test(tcase, a_run_is_named_by_its_thread_too);
    tcase_add_test(
        tcase, the_last_run_of_a_thread_is_followed_without_its_name);
    tcase_add_test(tcase, cancel_takes_a_run_back);
    tcase_add_test(tcase, a_detached_run_prints_its_name);
    tcase_add_test(
        tcase, who_gives_up_on_a_run_that_was_accepted_is_told_that_it_goes_on);
    tcase_add_test(tcase, what_was_restored_is_told);
}

int main(void)
{
    return command_main(PROGRAM, "cli_runs", add_tests);
}
