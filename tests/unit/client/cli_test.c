// The `superstep` command as people and scripts run it: a process of its own,
// against a coordinator that answers by a script.
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/link/link.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"

struct script {
    const char *op;
    const char *items[5];
    const char *final;
};

static struct ss_link *server;
static const struct script *script;
#define PLAY(...)                                                              \
    do {                                                                       \
        static const struct script lines[] = {__VA_ARGS__, {0}};               \
        script = lines;                                                        \
    } while (0)
static struct ss_buf asked;
static struct ss_buf out;
static struct ss_buf err;
static char endpoint[128];

static void setup(void)
{
    ss_value_setup();
    ss_buf_init(&asked, 1 << 20);
    ss_buf_init(&out, 1 << 22);
    ss_buf_init(&err, 1 << 20);
    script = NULL;
    setenv("SUPERSTEP_COORDINATOR", "tcp://127.0.0.1:9", 1);
}

static void open_server(void)
{
    struct ss_error error;
    const struct ss_link_options options = {
        .endpoint = "tcp://127.0.0.1:*", .server = true};
    ck_assert_int_eq(ss_link_open(&options, &server, &error), SS_OK);
    snprintf(endpoint, sizeof(endpoint), "%s", ss_link_endpoint(server));
    setenv("SUPERSTEP_COORDINATOR", endpoint, 1);
}

static void teardown(void)
{
    ss_link_close(&server);
    ss_buf_fini(&asked);
    ss_buf_fini(&out);
    ss_buf_fini(&err);
}

// ------------------------------------------------------------ the coordinator

static void reply(const char *peer, enum ss_message_type type, uint64_t id,
    bool final, const char *text)
{
    struct ss_message *message = ss_message_new(type);
    message->id = id;
    message->final = final;
    message->epoch = 1;
    if (text) {
        json_t *json = json_loads(text, 0, NULL);
        ck_assert_msg(json != NULL, "no JSON: %s", text);
        message->body = ss_value_new(json);
    }
    struct ss_buf buf;
    struct ss_error error;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_OK);
    if (ss_link_send(server, peer, buf.data, buf.size, &error) != SS_OK)
        ck_assert_int_eq(error.status, SS_ECLOSED);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
}

static void on_ask(const char *peer, struct ss_message *ask)
{
    // A run's id is made up: it is not what the test is about.
    json_t *body = json_deep_copy(ss_value_json(ask->body));
    if (strlen(ss_json_str(body, "run", "")) == 36)
        json_object_set_new(body, "run", json_string("MADE UP"));
    char *text = ss_json_text(body);
    ss_buf_addf(&asked, "%s %s\n", ask->op, text);
    ss_free(text);
    json_decref(body);
    for (const struct script *it = script; it && it->op; it++) {
        if (strcmp(it->op, ask->op) != 0)
            continue;
        for (size_t i = 0; it->items[i]; i++)
            reply(peer, SS_MESSAGE_ANSWER, ask->id, false, it->items[i]);
        if (it->final)
            reply(peer, SS_MESSAGE_ANSWER, ask->id, true, it->final);
    }
}

static void serve(void)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error error;
    while (ss_link_recv(server, peer, &bytes, &size, &error) == SS_OK) {
        struct ss_message *message;
        ck_assert_int_eq(
            ss_message_decode(bytes, size, &message, &error), SS_OK);
        ss_free(bytes);
        if (message->type == SS_MESSAGE_PING)
            reply(peer, SS_MESSAGE_PONG, message->id, false, NULL);
        else if (message->type == SS_MESSAGE_ASK)
            on_ask(peer, message);
        else
            ck_assert_int_eq(message->type, SS_MESSAGE_HANGUP);
        ss_message_destroy(&message);
    }
}

// ----------------------------------------------------------------- the command

static void read_file(FILE *file, struct ss_buf *buf)
{
    char chunk[4096];
    size_t size;
    ss_buf_reset(buf);
    rewind(file);
    while ((size = fread(chunk, 1, sizeof(chunk), file)) > 0)
        ss_buf_add(buf, chunk, size);
    fclose(file);
}

// Run `superstep` with these words, and be its coordinator meanwhile. The end
// of the pipe tells that it has ended. Returns its exit status.
static int superstep(const char *const *words, const char *input)
{
    const char *argv[32] = {SS_TEST_BIN_DIR "/superstep"};
    for (size_t i = 0; words[i]; i++)
        argv[i + 1] = words[i];
    FILE *out_file = tmpfile(), *err_file = tmpfile(), *in_file = tmpfile();
    fputs(input ? input : "", in_file);
    rewind(in_file);
    int end[2];
    ck_assert_int_eq(pipe(end), 0);
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        dup2(fileno(in_file), 0);
        dup2(fileno(out_file), 1);
        dup2(fileno(err_file), 2);
        close(end[0]); // the other end stays open until the process ends
        execv(argv[0], (char **)argv);
        _exit(126);
    }
    close(end[1]);
    fclose(in_file);
    if (server)
        while ((ss_link_wait(server, end[0], -1) & 2) == 0)
            serve();
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    close(end[0]);
    read_file(out_file, &out);
    read_file(err_file, &err);
    ck_assert_msg(WIFEXITED(status), "it crashed: %s", ss_buf_str(&err));
    return WEXITSTATUS(status);
}

#define RUN(...) superstep((const char *const[]){__VA_ARGS__, NULL}, NULL)

static void expect_out(const char *text)
{
    ck_assert_str_eq(ss_buf_str(&out), text);
}

static void expect_err(const char *text)
{
    ck_assert_str_eq(ss_buf_str(&err), text);
}

static void expect_asked(const char *text)
{
    ck_assert_str_eq(ss_buf_str(&asked), text);
    ss_buf_reset(&asked);
}

static void expect_usage(int status, const char *text)
{
    ck_assert_int_eq(status, 2);
    ck_assert_msg(strstr(ss_buf_str(&err), text) != NULL,
        "\"%s\" is not in: %s", text, ss_buf_str(&err));
    expect_out("");
}

static bool says(const struct ss_buf *buf, const char *text)
{
    return strstr(ss_buf_str(buf), text) != NULL;
}

// ------------------------------------------------------- wrong command lines

START_TEST(a_wrong_command_line_says_what_is_wrong)
{
    expect_usage(superstep((const char *const[]){NULL}, NULL),
        "which command? superstep --help lists them.");
    expect_usage(RUN("rnu"), "there is no command \"rnu\". Did you mean "
                             "\"run\"?");
    expect_usage(RUN("explode"), "there is no command \"explode\".\n");
    expect_usage(RUN("run"), "superstep run: GRAPH is missing");
    expect_usage(RUN("run", "a", "b"), "\"b\" is one word too many");
    expect_usage(RUN("run", "g", "--inptu", "1"),
        "there is no option --inptu. Did you mean --input?");
    expect_usage(RUN("run", "g", "--input"), "--input wants a value");
    expect_usage(RUN("run", "g", "--recursion-limit", "0"),
        "--recursion-limit 0: it must be between");
    expect_usage(RUN("run", "g", "--recursion-limit", "many"),
        "takes a whole number between 1 and 1000000000, not \"many\"");
    expect_usage(RUN("run", "g", "--at", "c"), "--at needs --thread");
    expect_usage(RUN("--jsno", "graphs"), "Did you mean --json?");
    expect_usage(RUN("--coordinator"), "--coordinator wants a value");
    expect_usage(RUN("copy", "a"), "THREAD and TO is missing");
    expect_usage(RUN("update", "t"), "--values is missing");
    expect_usage(RUN("completion", "fish"), "only for bash");
    expect_usage(RUN("resume", "t", "--value", "1", "--answer", "a=1"),
        "--value or --answer, not both");
    expect_usage(RUN("run", "g", "--input", "@"),
        "--input: the name of a file is missing behind @");
    expect_usage(
        RUN("run", "g", "--thread", "\xff"), "a word of it is no text in UTF-8");
    expect_usage(RUN("resume", "t", "--answer", "a"),
        "--answer takes ID=JSON, not \"a\"");
}
END_TEST

START_TEST(input_that_is_no_json_is_told_by_line_and_column)
{
    expect_usage(RUN("run", "g", "--input", "{\n\"a\": x}"),
        "superstep: --input: JSON is malformed at line 2, column");
    expect_usage(RUN("run", "g", "--input", "@/no/such/file"),
        "cannot read /no/such/file: No such file or directory");
    expect_usage(RUN("run", "g", "--context", "{"), "--context: JSON is");
    expect_usage(RUN("update", "t", "--values", "{"), "--values: JSON is");
    expect_usage(RUN("resume", "t", "--value", "{"), "--value: JSON is");
    expect_usage(
        superstep((const char *const[]){"run", "g", "--input", "-", NULL}, "["),
        "standard input: JSON is malformed");
}
END_TEST

START_TEST(an_endpoint_that_is_none_is_a_wrong_command_line)
{
    expect_usage(RUN("--coordinator", "here", "graphs"),
        "\"here\" is no endpoint: it should be like tcp://127.0.0.1:7433");
    expect_usage(RUN("graphs", "--coordinator=tcp://a:b"), "is no endpoint");
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
    ck_assert_int_eq(RUN("--version"), 0);
    ck_assert(says(&out, "superstep 0."));
    expect_err("");
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
    FILE *file = fopen(SS_TEST_SOURCE_DIR "/completion/superstep.bash", "rb");
    ck_assert_ptr_nonnull(file);
    struct ss_buf shipped;
    ss_buf_init(&shipped, 1 << 20);
    read_file(file, &shipped);
    ck_assert_int_eq(RUN("completion", "bash"), 0);
    expect_out(ss_buf_str(&shipped));
    ss_buf_fini(&shipped);
}
END_TEST

// ---------------------------------------------------------------------- runs

#define ACCEPTED "{\"run\":\"r1\",\"thread\":\"t1\",\"accepted\":true}"
#define DONE                                                                   \
    "{\"run\":\"r1\",\"thread\":\"t1\",\"status\":\"done\","                   \
    "\"output\":{\"log\":[\"hello\"]},\"interrupts\":[],\"stats\":"            \
    "{\"supersteps\":2,\"tasks\":3,\"restored\":0}}"

START_TEST(a_run_prints_its_result)
{
    PLAY({.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("run", "hello", "--input", "{\"name\": \"Ada\"}"), 0);
    expect_out("{\"log\": [\"hello\"]}\n");
    expect_err("");
    expect_asked("run {\"graph\":\"hello\",\"input\":{\"name\":\"Ada\"},"
                 "\"run\":\"MADE UP\"}\n");
}
END_TEST

START_TEST(every_option_of_a_run_is_in_the_request)
{
    PLAY({.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("run", "g", "--thread", "t", "--at", "c1",
                         "--durability", "exit", "--recursion-limit", "9",
                         "--interrupt-before", "a,b", "--interrupt-after=*",
                         "--run", "r7", "--context", "{}", "--subgraphs",
                         "--if-busy", "enqueue", "--priority=-5"),
        0);
    expect_asked(
        "run {\"durability\":\"exit\",\"recursion_limit\":9,\"priority\":-5,"
        "\"interrupt_before\":[\"a\",\"b\"],\"interrupt_after\":\"*\","
        "\"context\":{},\"graph\":\"g\",\"thread\":\"t\","
        "\"checkpoint_id\":\"c1\",\"run\":\"r7\",\"if_busy\":\"enqueue\","
        "\"subgraphs\":true}\n");
}
END_TEST

START_TEST(input_may_come_from_standard_input)
{
    PLAY({.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(
        superstep((const char *const[]){"run", "g", "-i", "-", NULL}, "[1, 2]"),
        0);
    expect_asked("run {\"graph\":\"g\",\"input\":[1,2],\"run\":\"MADE UP\"}\n");
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
}
END_TEST

START_TEST(a_checkpoint_that_is_not_there_is_told)
{
    PLAY({.op = "run",
             .final = "{\"thread\":\"t\",\"status\":\"failed\",\"error\":"
                      "{\"code\":\"empty_input\",\"message\":\"thread t: "
                      "there is no input\"}}"},
        {.op = "state",
            .final = "{\"state\":{\"values\":{},\"metadata\":null,"
                     "\"config\":{\"checkpoint_id\":\"c7\"}}}"});
    ck_assert_int_eq(RUN("run", "g", "--thread", "t", "--at", "c7"), 1);
    expect_err("superstep: thread t: there is no input (empty_input)\n"
               "Is there a checkpoint c7?  superstep history t\n");
    ck_assert_int_eq(RUN("state", "t", "--at", "c7"), 1);
    expect_err("superstep: thread t has no checkpoint c7. superstep history t "
               "lists them\n");
    expect_out("");
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
    expect_out("run r had ended before: done\n");
    ck_assert_int_eq(RUN("cancel", "r", "--json"), 0);
    expect_out("{\"status\": \"done\"}\n");
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
    PLAY({.op = "runs",
            .final = "{\"runs\":["
                     "{\"run\":\"r1\",\"graph\":\"g\",\"version\":\"aa1\","
                     "\"status\":\"running\"},"
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

START_TEST(a_thread_is_resumed_with_its_graph)
{
    PLAY({.op = "runs",
             .final = "{\"runs\":[{\"run\":\"a\",\"graph\":\"old\","
                      "\"created_at\":\"2026-01-01T\"},{\"run\":\"b\","
                      "\"graph\":\"new\",\"created_at\":"
                      "\"2026-01-02T\"}]}"},
        {.op = "run", .items = {ACCEPTED}, .final = DONE});
    ck_assert_int_eq(RUN("resume", "t1", "--value", "true"), 0);
    expect_asked("runs {\"thread\":\"t1\"}\n"
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
    expect_asked("runs {\"thread\":\"t1\"}\n"
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

// --------------------------------------------------------------------- threads

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
    ss_buf_reset(&asked);
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
        {.op = "run", .final = DONE});
    ck_assert_int_eq(RUN("run", "g", "-t", "t", "--at",
                         "1f0a\xe2\x80\xa6"
                         "b2"),
        0);
    ck_assert(says(&asked, "\"checkpoint_id\":\"1f0a-1111-b2\""));
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
    expect_asked("update {\"checkpoint_id\":\"c8\",\"thread\":\"t\","
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
        {.op = "threads",
            .final = "{\"threads\":[{\"thread\":\"demo\",\"graph\":\"hello\","
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
    expect_out("THREAD  GRAPH  CREATED\n"
               "demo    hello  2026-11-22 01:02:03\n");
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

START_TEST(empty_lists_say_what_to_do)
{
    PLAY({.op = "graphs", .final = "{\"graphs\":[]}"},
        {.op = "workers", .final = "{\"workers\":[]}"},
        {.op = "threads", .final = "{\"threads\":[]}"},
        {.op = "runs", .final = "{\"runs\":[]}"});
    ck_assert_int_eq(RUN("graphs"), 0);
    ck_assert(says(&out, "No graph is known yet. Start a worker: "));
    ck_assert_int_eq(RUN("workers"), 0);
    ck_assert(says(&out, "No worker is there. Start one: "));
    ck_assert_int_eq(RUN("threads"), 0);
    ck_assert(says(&out, "There is no thread yet. Begin one: "));
    ck_assert_int_eq(RUN("runs"), 0);
    expect_out("There is no run yet.\n");
}
END_TEST

static TCase *alone(void)
{
    TCase *tcase = tcase_create("alone");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_wrong_command_line_says_what_is_wrong);
    tcase_add_test(tcase, input_that_is_no_json_is_told_by_line_and_column);
    tcase_add_test(tcase, an_endpoint_that_is_none_is_a_wrong_command_line);
    tcase_add_test(tcase, help_is_made_from_the_table);
    tcase_add_test(tcase, without_a_coordinator_there_is_advice);
    tcase_add_test(tcase, dev_needs_an_application_that_is_there);
    tcase_add_test(
        tcase, the_completion_that_is_shipped_is_the_one_that_is_made);
    return tcase;
}

static TCase *served(void)
{
    TCase *tcase = tcase_create("served");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_checked_fixture(tcase, open_server, NULL);
    tcase_add_test(tcase, a_run_prints_its_result);
    tcase_add_test(tcase, every_option_of_a_run_is_in_the_request);
    tcase_add_test(tcase, input_may_come_from_standard_input);
    tcase_add_test(tcase, supersteps_show_as_lines);
    tcase_add_test(tcase, a_stream_prints_events);
    tcase_add_test(tcase, an_interrupted_run_prints_the_command_that_answers);
    tcase_add_test(tcase, a_failed_run_says_why);
    tcase_add_test(tcase, a_failure_names_thread_and_node_once);
    tcase_add_test(tcase, a_checkpoint_that_is_not_there_is_told);
    tcase_add_test(tcase, a_copy_of_nothing_is_no_success);
    tcase_add_test(tcase, a_cancelled_run_is_no_success);
    tcase_add_test(tcase, cancel_says_how_a_run_had_ended_before);
    tcase_add_test(tcase, cancel_takes_a_run_back);
    tcase_add_test(tcase, migrate_moves_one_run);
    tcase_add_test(
        tcase, migrate_moves_the_runs_of_a_version_that_have_not_ended);
    tcase_add_test(tcase, a_detached_run_prints_its_name);
    tcase_add_test(tcase, what_was_restored_is_told);
    tcase_add_test(tcase, an_unknown_graph_gets_the_nearest_one);
    tcase_add_test(tcase, a_thread_is_resumed_with_its_graph);
    tcase_add_test(tcase, an_unknown_thread_gets_the_nearest_one);
    tcase_add_test(
        tcase, a_thread_that_nobody_ran_here_is_of_the_graph_that_is_known);
    tcase_add_test(tcase, state_and_history_are_shown);
    tcase_add_test(tcase, a_checkpoint_may_be_named_as_tables_show_it);
    tcase_add_test(tcase, threads_are_changed);
    tcase_add_test(tcase, lists_are_tables);
    tcase_add_test(tcase, empty_lists_say_what_to_do);
    return tcase;
}

int main(void)
{
    if (access(SS_TEST_BIN_DIR "/superstep", X_OK) != 0)
        return 77; // built apart from the programs
    Suite *suite = suite_create("cli");
    suite_add_tcase(suite, alone());
    suite_add_tcase(suite, served());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
