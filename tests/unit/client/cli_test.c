// The `superstep` command: wrong command lines, help and completion.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/model/requests.h"
#include "tests/suite.h"
#include "tests/unit/client/command.h"

// ------------------------------------------------------- wrong command lines

START_TEST(a_wrong_command_line_says_what_is_wrong)
{
    expect_usage(command_run(PROGRAM, (const char *const[]){NULL}, NULL),
        "which command? superstep --help lists them.");
    expect_usage(RUN("rnu"), "there is no command \"rnu\". Did you mean "
                             "\"run\"?");
    expect_usage(RUN("help", "rnu"), "Did you mean \"run\"?");
    expect_usage(RUN("RUN"), "there is no command \"RUN\". Did you mean "
                             "\"run\"?");
    expect_usage(RUN("-v"), "there is no option -v. Did you mean --version?");
    expect_usage(RUN("invoke"),
        "there is no command \"invoke\". What it does is "
        "here: superstep run\n");
    expect_usage(RUN("get_state", "t"), "superstep state\n");
    expect_usage(RUN("explode"), "there is no command \"explode\".\n");
    expect_usage(RUN("run"), "superstep run: GRAPH is missing");
    expect_usage(RUN("run", "a", "b"), "\"b\" is one word too many");
    expect_usage(RUN("run", "a", "{}"),
        "\"{}\" is one word too many. The input is given by --input");
    expect_usage(RUN("run", "a", ""), "\"\" is one word too many\n");
    expect_usage(RUN("resume", "t", "yes"),
        "\"yes\" is one word too many. The answer is given by --value");
    expect_usage(RUN("update", "t", "{}"),
        "\"{}\" is one word too many. Values are given by --values");
    expect_usage(RUN("run", "g", "--inptu", "1"),
        "there is no option --inptu. Did you mean --input?");
    expect_usage(RUN("run", "g", "--stream-mode", "values"),
        "there is no option --stream-mode. Did you mean --stream?");
    expect_usage(RUN("up"), "What it does is here: superstep dev\n");
    expect_usage(RUN("run", "g", "--input"), "--input wants a value");
    expect_usage(RUN("run", "g", "--recursion-limit", "0"),
        "--recursion-limit 0: it must be between");
    expect_usage(RUN("run", "g", "--recursion-limit", "many"),
        "takes a whole number between 1 and 1000000000, not \"many\"");
    expect_usage(RUN("run", "g", "--at", "c"), "--at needs --thread");
    expect_usage(RUN("run", "g", "--ns", "n"), "--ns and --map need --at");
    expect_usage(RUN("--jsno", "graphs"), "Did you mean --json?");
    expect_usage(RUN("--coordinator"), "--coordinator wants a value");
    expect_usage(RUN("copy", "a"), "superstep copy: TO is missing");
    expect_usage(RUN("copy"), "superstep copy: THREAD and TO are missing");
    expect_usage(RUN("import"), "langgraph and DSN|FILE are missing");
    expect_usage(RUN("health", "http://127.0.0.1:1/ready"),
        "\"http://127.0.0.1:1/ready\" is not ADDR:PORT");
    expect_usage(RUN("update", "t"), "--values is missing");
    expect_usage(RUN("limit", "gpu", "3"),
        "\"3\" is one word too many. How many "
        "is said so: superstep limit gpu "
        "--tasks N");
    expect_usage(RUN("import", "old.db"),
        "\"old.db\" is not known; known: langgraph, "
        "with DSN or FILE behind it");
    expect_usage(RUN("import", "langgraph"), "DSN|FILE is missing");
    expect_usage(RUN("completion", "tcsh"), "only for bash, zsh and fish");
    expect_usage(RUN("completion", "zsh", "x"), "is one word too many");
    expect_usage(RUN("resume", "t", "--value", "1", "--answer", "a=1"),
        "--value or --answer, not both");
    expect_usage(RUN("run", "g", "--input", "@"),
        "--input: the name of a file is missing behind @");
    expect_usage(RUN("run", "g", "-t", "\xff"),
        "a word of the command is not text in UTF-8");
    expect_usage(RUN("resume", "t", "--answer", "a"),
        "--answer takes ID=JSON, not \"a\"");
}
END_TEST

START_TEST(input_that_is_no_json_is_told_by_line_and_column)
{
    expect_usage(RUN("run", "g", "--input", "{\n\"a\": x}"),
        "superstep: --input: JSON is malformed at line 2, column");
    expect_usage(RUN("resume", "t", "--value", "True"),
        "near 'True'. JSON writes true, false and null");
    expect_usage(RUN("run", "g", "--input", "name=Ada"),
        "near 'name'. JSON writes it as '{\"name\": \"Ada\"}'");
    expect_usage(RUN("run", "g", "--input", "{name: 1}"),
        "Names and texts stand in double quotes: '{\"name\": \"Ada\"}'");
    expect_usage(RUN("resume", "t", "--value", "yes"),
        "near 'yes'. A text stands in quotes, as '\"yes\"'");
    expect_usage(RUN("run", "g", "--input", "{'name': 'Ada'}"),
        ". JSON has double quotes: '{\"name\": \"Ada\"}'");
    expect_usage(RUN("run", "g", "--input", "/dev/null"),
        "There is a file of that name: write @ in front of it");
    expect_usage(RUN("run", "g", "--input", "@/no/such/file"),
        "cannot read /no/such/file: No such file or directory");
    expect_usage(RUN("run", "g", "--context", "{"), "--context: JSON is");
    expect_usage(RUN("run", "g", "--config", "{"), "--config: JSON is");
    expect_usage(RUN("run", "g", "--command", "{"), "--command: JSON is");
    expect_usage(RUN("update", "t", "--values", "{"), "--values: JSON is");
    expect_usage(RUN("resume", "t", "--value", "{"), "--value: JSON is");
    expect_usage(RUN_WITH("[", "run", "g", "--input", "-"),
        "standard input: JSON is malformed");
}
END_TEST

START_TEST(a_config_that_has_what_nobody_reads_is_a_wrong_command_line)
{
    expect_usage(RUN("run", "g", "--config", "{\"tagz\": [\"a\"]}"),
        "--config: there is no \"tagz\" in it, but configurable, metadata and "
        "tags. Did you mean \"tags\"?");
    expect_usage(RUN("run", "g", "--config", "{\"recursion_limit\": 3}"),
        "--config: \"recursion_limit\" is an option of its own: "
        "--recursion-limit");
    expect_usage(RUN("run", "g", "--config",
                     "{\"configurable\": {\"thread_id\": \"t\"}}"),
        "--config: \"thread_id\" is an option of its own: --thread t");
}
END_TEST

START_TEST(an_endpoint_that_is_none_is_a_wrong_command_line)
{
    expect_usage(RUN("--coordinator", "here", "graphs"),
        "\"here\" is not an endpoint; endpoints are like tcp://127.0.0.1:7433");
    expect_usage(
        RUN("graphs", "--coordinator=tcp://a:b"), "is not an endpoint");
    expect_usage(RUN("graphs", "--coordinator=127.0.0.1:7433"),
        "ipc:///path. Did you mean tcp://127.0.0.1:7433?");
    expect_usage(RUN("graphs", "--coordinator=tcp://a:1 tcp://b:2"),
        "is not an endpoint; endpoints are like tcp://127.0.0.1:7433 or "
        "ipc:///path, and commas stand between several");
    expect_usage(RUN("graphs", "--coordinator=tcp://a:1;tcp://b:2"),
        "and commas stand between several");
}
END_TEST

START_TEST(help_is_made_from_the_table)
{
    ck_assert_int_eq(RUN("--help"), 0);
    ck_assert(says(&out, "  run         run a graph and wait for its result"));
    ck_assert(says(&out, "3 interrupted (the run waits for an answer)"));
    ck_assert_int_eq(RUN("run", "--help"), 0);
    ck_assert(says(&out, "Usage: superstep run GRAPH [options]"));
    ck_assert(says(&out, "--recursion-limit N"));
    ck_assert(says(&out, "4 no coordinator answers"));
    char *of_run = ss_strdup(ss_buf_str(&out));
    ck_assert_int_eq(RUN("help", "run"), 0);
    expect_out(of_run);
    ss_free(of_run);
    ck_assert_int_eq(RUN("help", "help"), 0);
    ck_assert_int_eq(RUN("help"), 0);
    ck_assert(says(&out, "  run         run a graph and wait for its result"));
    ck_assert_int_eq(RUN("--version"), 0);
    ck_assert(says(&out, "superstep 0."));
    expect_err("");
}
END_TEST

START_TEST(help_is_broken_where_a_line_is_full_and_nowhere_else)
{
    ck_assert_int_eq(RUN("resume", "--help"), 0);
    ck_assert(says(&out, "  -y, --yes                   do it, however many "
                         "there are, and do not ask\n"));
    ck_assert(says(&out, "or whose thread changed, at\n"
                         "                              most this long ago: "
                         "90s, 15m, 12h, 30d\n"));
}
END_TEST

START_TEST(without_a_coordinator_there_is_advice)
{
    ck_assert_int_eq(RUN("graphs"), 4);
    expect_err("superstep: no coordinator answers at tcp://127.0.0.1:9. Start "
               "one: superstep dev APP.so\n");
    ck_assert_int_eq(RUN("--coordinator", "tcp://127.0.0.1:19", "run", "g"), 4);
    ck_assert(says(&err, "no coordinator answers at tcp://127.0.0.1:19."));
}
END_TEST

START_TEST(dev_needs_an_application_that_is_there)
{
    ck_assert_int_eq(RUN("dev", "/no/such/app.so"), 1);
    expect_err("superstep: /no/such/app.so: No such file or directory\n");
    expect_usage(RUN("dev", "x.so", "--workers", "0"), "between 1 and 64");
    // What it hands on must be what those it starts take.
    expect_usage(RUN("dev", "x.so", "--capacity", "1025"), "and 1024");
    expect_usage(RUN("dev", "x.so", "--lease-ms", "99"), "between 100 and");
}
END_TEST

START_TEST(the_completion_that_is_shipped_is_the_one_that_is_made)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t i = 0; i < 3; i++) {
        struct ss_buf shipped;
        char *path =
            ss_format(SS_TEST_SOURCE_DIR "/completion/superstep.%s", shells[i]);
        FILE *file = fopen(path, "rb");
        ck_assert_ptr_nonnull(file);
        ss_buf_init(&shipped, 1 << 20);
        read_file(file, &shipped);
        ck_assert_int_eq(RUN("completion", shells[i]), 0);
        expect_out(ss_buf_str(&shipped));
        ss_buf_fini(&shipped);
        ss_free(path);
    }
}
END_TEST

#define COMPLETE(...) RUN("completion", "words", "--", __VA_ARGS__)

static void expect_completed(int status, const char *text)
{
    ck_assert_int_eq(status, 0);
    expect_err("");
    expect_out(text);
}

START_TEST(a_tab_offers_what_may_stand_there)
{
    expect_completed(COMPLETE("re"), "resume\nretry\nrelease\nretain\n");
    expect_completed(
        COMPLETE("--coordinator", "tcp://127.0.0.1:9", "hi"), "history\n");
    expect_completed(COMPLETE("run", "g", "--rec"), "--recursion-limit\n");
    expect_completed(
        COMPLETE("run", "g", "--durability", ""), "sync\nasync\nexit\n");
    expect_completed(COMPLETE("run", "g", "--stream", "v"), "values\n");
    expect_completed(COMPLETE("show", "c"), "coordinators\nconfig\n");
    expect_completed(COMPLETE("completion", ""), "bash\nzsh\nfish\n");
    expect_completed(COMPLETE("completion", "bash", ""), "");
    expect_completed(COMPLETE("import", ""), "langgraph\n");
    expect_completed(COMPLETE("export", "langgraph", ""), ":files\n");
    expect_completed(COMPLETE("keys", "n"), "new\n");
    expect_completed(COMPLETE("dev", "app"), ":files\n");
    expect_completed(COMPLETE("graphs", "x"), "");
    expect_completed(COMPLETE("--vers"), "--version\n");
}
END_TEST

START_TEST(a_tab_offers_the_names_that_the_coordinator_has)
{
    PLAY({.op = "threads",
             .final = "{\"threads\":[{\"thread\":\"de mo\"},"
                      "{\"thread\":\"demo\"},{\"thread\":\"de\\u001bx\"},"
                      "{\"thread\":\"x\"}]}"},
        {.op = "graphs", .final = "{\"graphs\":[{\"name\":\"g1\"}]}"},
        {.op = "limits",
            .final = "{\"limits\":[{\"limit\":\"openai\"},"
                     "{\"limit\":\"g1/ask\"}]}"},
        {.op = "history",
            .final = "{\"history\":[{\"config\":{\"checkpoint_id\":"
                     "\"c2\"}},{\"config\":{\"checkpoint_id\":\"c1\"}}]}"});
    expect_completed(COMPLETE("state", "de"), "de mo\ndemo\n");
    expect_completed(COMPLETE("run", "g", "--thread", "x"), "x\n");
    expect_completed(COMPLETE("run", "g", "--thread", "=", "x"), "x\n");
    expect_completed(COMPLETE("draw", ""), "g1\n");
    expect_completed(COMPLETE("limit", ""), "openai\ng1/ask\ng1\n");
    expect_completed(COMPLETE("limit", "o"), "openai\n");
    ss_buf_reset(&was_asked);
    expect_completed(COMPLETE("state", "demo", "--at", ""), "c2\nc1\n");
    expect_asked("history {\"thread\":\"demo\",\"limit\":200}\n");
    expect_completed(COMPLETE("run", "g", "-t", "demo", "--at", "c1"), "c1\n");
}
END_TEST

START_TEST(errors_are_json_where_programs_read)
{
    PLAY({.op = "state",
        .final = "{\"error\":{\"code\":\"denied\",\"message\":\"no\"}}"});
    ck_assert_int_eq(RUN("state", "t", "--json"), 1);
    expect_err("{\"error\": {\"code\": \"denied\", \"message\": \"no\"}}\n");
    ck_assert_int_eq(RUN("--json", "state", "t", "--att"), 2);
    expect_err("{\"error\": {\"code\": \"invalid_argument\", \"message\": "
               "\"there is no option --att. Did you mean --at?\"}}\n");
    ck_assert_int_eq(RUN("--json", "sate"), 2);
    expect_err("{\"error\": {\"code\": \"invalid_argument\", \"message\": "
               "\"there is no command \\\"sate\\\". Did you mean "
               "\\\"state\\\"?\"}}\n");
}
END_TEST

START_TEST(version_is_a_command_too)
{
    ck_assert_int_eq(RUN("--version"), 0);
    char *version = ss_strdup(ss_buf_str(&out));
    ck_assert_int_eq(RUN("version"), 0);
    expect_out(version);
    ck_assert_int_eq(RUN("version", "--json"), 0);
    ck_assert(says(&out, "{\"version\": \""));
    ss_free(version);
}
END_TEST

static TCase *alone(void)
{
    TCase *tcase = tcase_create("alone");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_test(tcase, a_wrong_command_line_says_what_is_wrong);
    tcase_add_test(tcase, input_that_is_no_json_is_told_by_line_and_column);
    tcase_add_test(
        tcase, a_config_that_has_what_nobody_reads_is_a_wrong_command_line);
    tcase_add_test(tcase, an_endpoint_that_is_none_is_a_wrong_command_line);
    tcase_add_test(tcase, help_is_made_from_the_table);
    tcase_add_test(tcase, help_is_broken_where_a_line_is_full_and_nowhere_else);
    tcase_add_test(tcase, without_a_coordinator_there_is_advice);
    tcase_add_test(tcase, dev_needs_an_application_that_is_there);
    tcase_add_test(
        tcase, the_completion_that_is_shipped_is_the_one_that_is_made);
    tcase_add_test(tcase, a_tab_offers_what_may_stand_there);
    tcase_add_test(tcase, version_is_a_command_too);
    return tcase;
}

static TCase *served(void)
{
    TCase *tcase = tcase_create("served");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, command_setup, command_teardown);
    tcase_add_checked_fixture(tcase, command_serve, NULL);
    tcase_add_test(tcase, a_tab_offers_the_names_that_the_coordinator_has);
    tcase_add_test(tcase, errors_are_json_where_programs_read);
    return tcase;
}

int main(void)
{
    if (access(PROGRAM, X_OK) != 0)
        return 77; // built apart from the programs
    Suite *suite = suite_create("cli");
    suite_add_tcase(suite, alone());
    suite_add_tcase(suite, served());
    return suite_main(suite);
}
