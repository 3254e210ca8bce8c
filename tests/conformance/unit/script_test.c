// Scripts, run as bodies of a graph that a scenario file describes.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/conformance/app/counters.h"
#include "tests/conformance/app/python.h"
#include "tests/conformance/folder.h"
#include "tests/suite.h"
#include "worker/execute.h"

extern const struct ss_app ss_app_descriptor;

static char *folder;
static char *file;
static struct ss_application *application;
static json_t *emitted;

// An application whose graph "main" has one node "n" with this script.
static void load(const char *script)
{
    struct ss_error error;
    json_t *scenario =
        json_pack("{s:{s:{s:{s:{s:s, s:s}}, s:[{s:s, s:o}], s:[[s, s]]}}}",
            "graphs", "main", "state", "log", "type", "list", "reducer", "add",
            "nodes", "name", "n", "do", json_loads(script, 0, NULL), "edges",
            "__start__", "n");
    folder = folder_new();
    file = ss_format("%s/scenario.json", folder);
    ck_assert_int_eq(json_dump_file(scenario, file, 0), 0);
    json_decref(scenario);
    int status =
        ss_application_new(&ss_app_descriptor, file, &application, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    emitted = json_array();
}

static void unload(void)
{
    ss_application_destroy(&application);
    json_decref(emitted);
    folder_remove(folder);
    ss_free(folder);
    ss_free(file);
}

static void on_live(void *ctx, const struct ss_assignment *order,
    enum ss_live_kind kind, json_t *item)
{
    (void)ctx;
    (void)order;
    (void)kind;
    json_array_append(emitted, item);
}

// Runs the script. Takes `answers`.
static struct ss_outcome *run(const char *input, json_t *answers)
{
    struct ss_execute_hooks hooks = {.live = on_live};
    struct ss_assignment *order = ss_assignment_new();
    const struct ss_root_graph *root = ss_application_find(application, "main");
    order->app_graph = "main";
    order->version = root->graph->version;
    order->graph = "main";
    order->node = "n";
    order->thread = "t";
    order->run = "r";
    order->ns = "n:1";
    order->path = "~__pregel_pull, n";
    ss_assignment_keep(order);
    order->attempt_number = 1;
    order->want_custom = true;
    order->input = ss_value_from_text(input, strlen(input));
    order->given.answers = answers;
    struct ss_outcome *outcome = ss_execute(application, order, &hooks);
    ss_assignment_destroy(&order);
    return outcome;
}

static void expect_json(json_t *value, const char *expected)
{
    char *text = python_dumps(value);
    ck_assert_str_eq(text, expected);
    free(text);
}

// What the script wrote to "log" when it ran through.
static void expect_log(const char *input, const char *expected)
{
    struct ss_outcome *outcome = run(input, NULL);
    ck_assert_msg(outcome->kind == SS_OUTCOME_DONE, "%s", outcome->message);
    ck_assert_uint_eq(outcome->writes.count, 1);
    expect_json(ss_value_json(outcome->writes.items[0].value), expected);
    ss_outcome_destroy(&outcome);
}

static void expect_failure(
    const char *input, const char *message, enum ss_retryable retryable)
{
    struct ss_outcome *outcome = run(input, NULL);
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_FAILED);
    ck_assert_int_eq(outcome->code, SS_ENODE);
    ck_assert_str_eq(outcome->message, message);
    ck_assert_int_eq(outcome->retryable, retryable);
    ss_outcome_destroy(&outcome);
}

START_TEST(a_script_computes_and_returns)
{
    load("[{\"let\": [\"x\", {\"$add\": [{\"$\": \"n\"}, 1]}]},"
         " {\"emit\": {\"$var\": \"x\"}},"
         " {\"return\": {\"log\": [{\"$var\": \"x\"}]}}, {\"fail\": "
         "\"never\"}]");
    expect_log("{\"n\": 4}", "[5]");
    expect_json(emitted, "[5]");
    unload();
}
END_TEST

START_TEST(a_branch_of_a_script_may_return)
{
    load("[{\"if\": {\"$\": \"yes\"}, \"then\": [{\"return\": {\"log\": [1]}}],"
         " \"else\": [{\"let\": [\"x\", 1]}]}, {\"return\": {\"log\": [2]}}]");
    expect_log("{\"yes\": true}", "[1]");
    expect_log("{\"yes\": []}", "[2]");
    unload();
}
END_TEST

START_TEST(a_script_that_runs_off_its_end_writes_nothing)
{
    load("[]");
    struct ss_outcome *outcome = run("{}", NULL);
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_DONE);
    for (size_t i = 0; i < outcome->writes.count; i++)
        ck_assert_str_ne(outcome->writes.items[i].channel, "log");
    ss_outcome_destroy(&outcome);
    unload();
}
END_TEST

START_TEST(a_failure_counts_over_the_whole_scenario)
{
    load("[{\"count\": \"c\"}, {\"fail\": \"boom\", \"times\": 2},"
         " {\"fail\": {\"$cat\": [\"no \", {\"$str\": 1}]}, \"times\": 1,"
         " \"kind\": \"refusal\"}, {\"return\": {\"log\": [0]}}]");
    expect_failure("{}", "boom", SS_RETRY_YES);
    expect_failure("{}", "boom", SS_RETRY_YES);
    expect_failure("{}", "no 1", SS_RETRY_NO);
    expect_log("{}", "[0]");
    char *counters = ss_format("%s.counters", file);
    json_t *counts = counters_read(counters);
    expect_json(counts, "{\"c\": 4}");
    json_decref(counts);
    ss_free(counters);
    unload();
}
END_TEST

START_TEST(a_script_that_python_would_stop_fails_with_the_errors_name)
{
    load("[{\"return\": {\"$add\": [1, \"x\"]}}]");
    expect_failure("{}", "invalid_argument", SS_RETRY_NO);
    unload();
}
END_TEST

START_TEST(a_question_stops_the_script_until_it_is_answered)
{
    load("[{\"interrupt\": \"q1\", \"as\": \"a\"},"
         " {\"interrupt\": \"q2\", \"answer\": \"int\"},"
         " {\"return\": {\"log\": [{\"$var\": \"a\"}, {\"$var\": \"_\"}]}}]");
    struct ss_outcome *outcome = run("{}", json_pack("[s]", "yes"));
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_INTERRUPTED);
    expect_json(outcome->question,
        "{\"response_schema\": {\"type\": \"integer\"}, \"value\": \"q2\"}");
    ss_outcome_destroy(&outcome);
    outcome = run("{}", json_pack("[s, i]", "yes", 7));
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_DONE);
    expect_json(ss_value_json(outcome->writes.items[0].value), "[\"yes\", 7]");
    ss_outcome_destroy(&outcome);
    outcome = run("{}", json_pack("[s, s]", "yes", "no"));
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_FAILED);
    ck_assert_int_eq(outcome->code, SS_EANSWER);
    ss_outcome_destroy(&outcome);
    unload();
}
END_TEST

START_TEST(a_command_updates_and_goes)
{
    load("[{\"drain\": \"enough\"}, {\"command\": {\"update\": {\"log\": [1]},"
         " \"goto\": [\"n\", {\"$send\": [\"n\", {}]}]}}]");
    struct ss_outcome *outcome = run("{}", NULL);
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_DONE);
    ck_assert_uint_eq(outcome->writes.count, 3);
    ck_assert_str_eq(outcome->drain, "enough");
    ss_outcome_destroy(&outcome);
    unload();
}
END_TEST

START_TEST(a_command_for_the_parent_leaves_the_graph)
{
    load("[{\"command\": {\"update\": {\"log\": [1]}, \"goto\": \"up\","
         " \"parent\": true}}]");
    struct ss_outcome *outcome = run("{}", NULL);
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_PARENT);
    ck_assert_ptr_nonnull(outcome->parent);
    ss_outcome_destroy(&outcome);
    unload();
}
END_TEST

START_TEST(what_only_looks_like_a_mark_is_data)
{
    load("[{\"return\": {\"$quote\": {\"$send\": [\"n\", 1]}}}]");
    struct ss_outcome *outcome = run("{}", NULL);
    ck_assert_int_eq(outcome->kind, SS_OUTCOME_DONE);
    for (size_t i = 0; i < outcome->writes.count; i++)
        ck_assert_str_ne(outcome->writes.items[i].channel, "__pregel_tasks");
    ss_outcome_destroy(&outcome);
    unload();
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("script");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_script_computes_and_returns);
    tcase_add_test(all, a_branch_of_a_script_may_return);
    tcase_add_test(all, a_script_that_runs_off_its_end_writes_nothing);
    tcase_add_test(all, a_failure_counts_over_the_whole_scenario);
    tcase_add_test(
        all, a_script_that_python_would_stop_fails_with_the_errors_name);
    tcase_add_test(all, a_question_stops_the_script_until_it_is_answered);
    tcase_add_test(all, a_command_updates_and_goes);
    tcase_add_test(all, a_command_for_the_parent_leaves_the_graph);
    tcase_add_test(all, what_only_looks_like_a_mark_is_data);
    suite_add_tcase(suite, all);
    return suite_main(suite);
}
