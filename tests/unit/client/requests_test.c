// The blocking calls of the client library: what they ask, and what they give.
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/support/link_wait.h"
#include "tests/unit/client/scripted_client.h"

static bool is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve_until_over(void *unused)
{
    (void)unused;
    for (;;) {
        link_wait(server, -1, 10);
        scripted_serve();
        pthread_mutex_lock(&lock);
        bool stops = is_over;
        pthread_mutex_unlock(&lock);
        if (stops)
            return NULL;
    }
}

static pthread_t thread;

static void setup_thread(void)
{
    static const struct script all[] = {
        {.op = "run",
            .items = {"{\"run\":\"r\",\"accepted\":true}"},
            .final = "{\"run\":\"r\",\"status\":\"done\",\"output\":1}"},
        {.op = "attach", .final = "{\"status\":\"interrupted\"}"},
        {.op = "cancel", .final = "{\"status\":\"cancelled\"}"},
        {.op = "release", .final = "{\"status\":\"running\"}"},
        {.op = "state", .final = "{\"state\":{\"values\":1,\"metadata\":{}}}"},
        {.op = "history", // it has room for two
            .final = "{\"history\":[{\"config\":{\"checkpoint_id\":\"c2\"}},"
                     "{\"config\":{\"checkpoint_id\":\"c1\"}}],\"more\":true}"},
        {.op = "update", .final = "{\"config\":{\"thread_id\":\"t\"}}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[3]}"},
        {.op = "journal",
            .final = "{\"rows\":[{\"seq\":4},{\"seq\":6}],\"more\":true}"},
        {.op = "copy", .final = "{\"rows\":5}"},
        {.op = "delete", .final = "{\"rows\":6}"},
        {.op = "prune", .final = "{\"rows\":7}"},
        {.op = "threads", .final = "{\"threads\":[8]}"},
        {.op = "runs", .final = "{\"runs\":[9]}"},
        {.op = "graphs", .final = "{\"graphs\":[10]}"},
        {.op = "workers", .final = "{\"nothing\":[]}"},
        {.op = "draw", .final = "{\"mermaid\":\"graph TD;\"}"}, {0}};
    client_setup();
    script = all;
    is_over = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, serve_until_over, NULL), 0);
}

static void stop_thread(void)
{
    pthread_mutex_lock(&lock);
    is_over = true;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

// The requests that were seen, and the results that were given.
static void expect_asked(const char *lines)
{
    stop_thread();
    ck_assert_str_eq(ss_buf_str(&was_asked), lines);
}

START_TEST(run_says_everything_that_a_run_can_be_told)
{
    json_t *result;
    const struct ss_client_run run = {.thread = "t",
        .input = json_of("{\"a\":1}"),
        .checkpoint_id = "c",
        .stream = "values,updates",
        .subgraphs = true,
        .run = "r",
        .if_busy = "rollback",
        .detach = true,
        .facts = json_of("{\"metadata\":{\"user\":\"ann\"}}"),
        .more = json_of("{\"durability\":\"exit\"}")};
    ck_assert_int_eq(ss_client_run(client, "g", &run, &result, &error), 0);
    expect_json(result, "{\"run\":\"r\",\"status\":\"done\",\"output\":1}");
    expect_asked(
        "state {\"checkpoint_id\":\"c\",\"graph\":\"g\",\"thread\":\"t\"}\n"
        "run {\"durability\":\"exit\",\"graph\":\"g\",\"thread\":\"t\","
        "\"checkpoint_id\":\"c\",\"run\":\"r\",\"if_busy\":\"rollback\","
        "\"input\":{\"a\":1},\"facts\":{\"metadata\":{\"user\":\"ann\"}},"
        "\"stream\":[\"values\",\"updates\"],\"subgraphs\":true,"
        "\"detach\":true}\n");
}
END_TEST

START_TEST(resume_is_a_command)
{
    json_t *result;
    struct ss_client_run run = {.thread = "t",
        .run = "r",
        .resume = json_of("true"),
        .command = json_of("{\"goto\":\"x\"}")};
    ck_assert_int_eq(ss_client_run(client, "g", &run, &result, &error), 0);
    json_decref(result);
    run = (struct ss_client_run){.run = "s", .resume = json_of("7")};
    ck_assert_int_eq(ss_client_run(client, "g", &run, &result, &error), 0);
    json_decref(result);
    expect_asked("run {\"graph\":\"g\",\"thread\":\"t\",\"run\":\"r\","
                 "\"command\":{\"goto\":\"x\",\"resume\":true}}\n"
                 "run {\"graph\":\"g\",\"run\":\"s\",\"command\":"
                 "{\"resume\":7}}\n");
}
END_TEST

START_TEST(runs_are_followed_and_cancelled)
{
    json_t *result;
    const struct ss_client_attach attach = {
        .stream = "custom", .subgraphs = true, .after = "3.1"};
    ck_assert_int_eq(
        ss_client_attach(client, "r", &attach, &result, &error), 0);
    expect_json(result, "{\"status\":\"interrupted\"}");
    ck_assert_int_eq(ss_client_attach(client, "r", NULL, &result, &error), 0);
    json_decref(result);
    ck_assert_int_eq(ss_client_cancel(client, "r", false, NULL, &error), 0);
    ck_assert_int_eq(ss_client_cancel(client, "r", true, &result, &error), 0);
    json_decref(result);
    expect_asked("attach {\"run\":\"r\",\"after\":\"3.1\",\"stream\":"
                 "[\"custom\"],\"subgraphs\":true}\n"
                 "attach {\"run\":\"r\"}\ncancel {\"run\":\"r\"}\n"
                 "cancel {\"run\":\"r\",\"action\":\"rollback\"}\n");
}
END_TEST

START_TEST(a_run_is_named_by_its_thread_too)
{
    json_t *result;
    const struct ss_client_attach attach = {.after = "3.1"};
    ck_assert_int_eq(
        ss_client_attach_on(client, "t", "r", &attach, &result, &error), 0);
    json_decref(result);
    ck_assert_int_eq(
        ss_client_cancel_on(client, "t", "r", true, NULL, &error), 0);
    ck_assert_int_eq(ss_client_release_on(client, "t", "r", &error), 0);
    ck_assert_int_eq(ss_client_release(client, "r", &error), 0);
    expect_asked("attach {\"run\":\"r\",\"thread\":\"t\",\"after\":\"3.1\"}\n"
                 "cancel {\"run\":\"r\",\"thread\":\"t\",\"action\":"
                 "\"rollback\"}\n"
                 "release {\"run\":\"r\",\"thread\":\"t\"}\n"
                 "release {\"run\":\"r\"}\n");
}
END_TEST

START_TEST(threads_are_looked_at)
{
    json_t *result;
    ck_assert_int_eq(ss_client_state(client, "t",
                         json_of("{\"subgraphs\":true}"), &result, &error),
        0);
    expect_json(result, "{\"values\":1,\"metadata\":{}}");
    ck_assert_int_eq(ss_client_history(client, "t", json_of("{\"limit\":3}"),
                         &result, &error),
        0);
    ck_assert_uint_eq(json_array_size(result), 4);
    json_decref(result);
    ck_assert_int_eq(ss_client_checkpoints(client, "t", &result, &error), 0);
    expect_json(result, "[3]");
    ck_assert_int_eq(ss_client_journal(client, "t", json_of("{\"limit\":2}"),
                         &result, &error),
        0);
    expect_json(result, "[{\"seq\":4},{\"seq\":6}]");
    ck_assert_int_eq(ss_client_journal(client, "t", json_of("{\"limit\":3}"),
                         &result, &error),
        0);
    ck_assert_uint_eq(json_array_size(result), 4);
    json_decref(result);
    expect_asked("state {\"subgraphs\":true,\"thread\":\"t\"}\n"
                 "history {\"limit\":3,\"thread\":\"t\"}\n"
                 "history {\"limit\":1,\"thread\":\"t\",\"before\":\"c1\"}\n"
                 "checkpoints {\"thread\":\"t\"}\n"
                 "journal {\"limit\":2,\"thread\":\"t\"}\n"
                 "journal {\"limit\":3,\"thread\":\"t\"}\n"
                 "journal {\"limit\":1,\"thread\":\"t\",\"from\":7}\n");
}
END_TEST

START_TEST(threads_are_changed)
{
    json_t *result;
    int64_t rows;
    struct ss_client_update update = {
        .values = json_of("{\"a\":1}"), .as_node = "n"};
    ck_assert_int_eq(
        ss_client_update(client, "t", &update, &result, &error), 0);
    expect_json(result, "{\"thread_id\":\"t\"}");
    update = (struct ss_client_update){NULL, NULL, NULL};
    ck_assert_int_eq(
        ss_client_update(client, "t", &update, &result, &error), 0);
    json_decref(result);
    ck_assert_int_eq(
        ss_client_bulk_update(client, "t", json_of("[[{\"values\":2}]]"),
            json_of("{\"graph\":\"g\"}"), NULL, &error),
        0);
    ck_assert_int_eq(ss_client_copy(client, "t", "u", &rows, &error), 0);
    ck_assert_int_eq(rows, 5);
    ck_assert_int_eq(ss_client_delete(client, "t", &rows, &error), 0);
    ck_assert_int_eq(rows, 6);
    ck_assert_int_eq(ss_client_prune(client, "t", NULL, &error), 0);
    expect_asked("update {\"thread\":\"t\",\"supersteps\":[[{\"values\":"
                 "{\"a\":1},\"as_node\":\"n\"}]]}\n"
                 "update {\"thread\":\"t\",\"supersteps\":[[{\"values\":null}]]"
                 "}\n"
                 "update {\"graph\":\"g\",\"thread\":\"t\",\"supersteps\":"
                 "[[{\"values\":2}]]}\n"
                 "copy {\"thread\":\"t\",\"to\":\"u\"}\n"
                 "delete {\"thread\":\"t\"}\nprune {\"thread\":\"t\"}\n");
}
END_TEST

START_TEST(lists_are_given)
{
    json_t *result;
    char *text;
    ck_assert_int_eq(ss_client_threads(client, NULL, &result, &error), 0);
    expect_json(result, "[8]");
    ck_assert_int_eq(
        ss_client_runs(client, json_of("{\"limit\":1}"), &result, &error), 0);
    expect_json(result, "[9]");
    ck_assert_int_eq(ss_client_graphs(client, &result, &error), 0);
    expect_json(result, "[10]");
    ck_assert_int_eq(ss_client_draw(client, "g", NULL, &text, &error), 0);
    ck_assert_str_eq(text, "graph TD;");
    free(text);
    // An answer that lacks what it should have.
    ck_assert_int_eq(ss_client_workers(client, &result, &error), SS_EFORMAT);
    ck_assert_str_eq(error.message,
        "the coordinator's answer to \"workers\" has no \"workers\"");
    expect_asked("threads {}\nruns {\"limit\":1}\ngraphs {}\n"
                 "draw {\"graph\":\"g\"}\nworkers {}\n");
}
END_TEST

// Left out in silence, a name would make another thread be meant.
START_TEST(a_text_that_is_no_utf8_is_refused_and_nothing_is_sent)
{
    json_t *result;
    const struct ss_client_run run = {.thread = "t\xff"};
    ck_assert_int_eq(
        ss_client_run(client, "g", &run, &result, &error), SS_EINVAL);
    ck_assert_str_eq(
        error.message, "the request \"run\": \"thread\" is not text in UTF-8");
    ck_assert_ptr_null(ss_client_run_body("g", &run));
    const struct ss_client_run modes = {.stream = "values,\xff"};
    ck_assert_ptr_null(ss_client_run_body("g", &modes));
    ck_assert_int_eq(ss_client_delete(client, "\xff", NULL, &error), SS_EINVAL);
    const struct ss_client_update update = {.as_node = "\xff"};
    ck_assert_int_eq(
        ss_client_update(client, "t", &update, &result, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "\"as_node\" is not text"));
    expect_asked("");
}
END_TEST

START_TEST(more_that_is_no_object_is_refused)
{
    json_t *result;
    ck_assert_int_eq(
        ss_client_runs(client, json_of("[1]"), &result, &error), SS_EINVAL);
    ck_assert_str_eq(
        error.message, "the request \"runs\": \"more\" is not an object");
    const struct ss_client_run run = {.command = json_of("7")};
    ck_assert_int_eq(
        ss_client_run(client, "g", &run, &result, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(
        strstr(error.message, "\"command\" is not an object"));
    expect_asked("");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("requests");
    TCase *tcase = tcase_create("requests");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup_thread, client_teardown);
    tcase_add_test(tcase, run_says_everything_that_a_run_can_be_told);
    tcase_add_test(tcase, resume_is_a_command);
    tcase_add_test(tcase, runs_are_followed_and_cancelled);
    tcase_add_test(tcase, a_run_is_named_by_its_thread_too);
    tcase_add_test(tcase, threads_are_looked_at);
    tcase_add_test(tcase, threads_are_changed);
    tcase_add_test(tcase, lists_are_given);
    tcase_add_test(
        tcase, a_text_that_is_no_utf8_is_refused_and_nothing_is_sent);
    tcase_add_test(tcase, more_that_is_no_object_is_refused);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}
