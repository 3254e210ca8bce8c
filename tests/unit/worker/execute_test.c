// execute_test.c - one order to its outcome: what bodies write, how they fail,
// and what they show.
#include <check.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/unit/worker/work.h"

// ------------------------------------------------------------------ writes

static int greet(struct ss_task *task)
{
    return ss_update(task,
        json_pack("{s:[s+]}", "log", "hello ", ss_input_str(task, "name")));
}

START_TEST(an_update_becomes_writes_and_the_edges_follow)
{
    ck_assert_str_eq(run_body(greet, "{\"name\": \"Ada\"}"),
        "done log=[\"hello Ada\"] branch:to:choose=null");
    ck_assert_uint_eq(b.outcome->attempt.dispatch, 2);
    ck_assert_str_eq(b.outcome->task_id, b.order->task_id);
}
END_TEST

START_TEST(a_body_that_writes_nothing_still_leads_on)
{
    ck_assert_str_eq(run_body(work_idle, "{}"), "done branch:to:choose=null");
}
END_TEST

static int update_twice(struct ss_task *task)
{
    ss_update(task, json_pack("{s:[i]}", "log", 1));
    return ss_update(task, json_pack("{s:[i]}", "log", 2));
}

START_TEST(each_of_several_updates_counts)
{
    ck_assert_str_eq(run_body(update_twice, "{}"),
        "done log=[1] log=[2] branch:to:choose=null");
}
END_TEST

static int set_each(struct ss_task *task)
{
    ss_set_int(task, "name", ss_input_int(task, "n") + 1);
    ss_set_float(task, "log", ss_input_float(task, "n") / 2);
    ss_set_bool(task, "name", !ss_input_bool(task, "b")); // again: one more
    ss_set_text(task, "log", "%s of %d", ss_input_str(task, "t"), 3);
    ss_update(task, json_pack("{s:i}", "name", 1));
    ss_set_json(task, "log", json_pack("[i]", 2));
    return ss_set_str(task, "name", "x");
}

START_TEST(a_typed_value_is_an_update_of_its_key)
{
    ck_assert_str_eq(
        run_body(set_each, "{\"n\": 41, \"b\": true, \"t\": \"two\"}"),
        "done name=42 log=20.5 name=false log=\"two of 3\" name=1 log=[2] "
        "name=\"x\" branch:to:choose=null");
}
END_TEST

static const char *no_reason;

static int fail_without_reason(struct ss_task *task)
{
    return ss_fail(task, NULL, no_reason, 0);
}

static int set_without_format(struct ss_task *task)
{
    return ss_set_text(task, "name", no_reason, 0);
}

START_TEST(a_failure_whose_reason_is_null_is_a_failure_that_says_so)
{
    ck_assert_str_eq(run_body(fail_without_reason, "{}"),
        "failed node_failed (-): the body failed and did not say why: the "
        "format that it gave is NULL");
    ck_assert_str_eq(run_body(set_without_format, "{}"),
        "failed invalid_update (-): ss_set_text: key \"name\": its format is "
        "NULL");
}
END_TEST

static int set_two(struct ss_task *task)
{
    ss_set_int(task, "name", 1);
    return ss_set_int(task, "log", 2);
}

static int update_two(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:i, s:i}", "name", 1, "log", 2));
}

START_TEST(typed_values_of_several_keys_are_one_update)
{
    char *one = ss_strdup(run_body(update_two, "{}"));
    ck_assert_str_eq(one, "done name=1 log=2 branch:to:choose=null");
    ck_assert_str_eq(run_body(set_two, "{}"), one);
    ss_free(one);
}
END_TEST

static const char *given_text;

static int set_bad_text(struct ss_task *task)
{
    return ss_set_str(task, "name", given_text);
}

static int set_infinity(struct ss_task *task)
{
    return ss_set_float(task, "name", HUGE_VAL);
}

static int set_no_key(struct ss_task *task)
{
    return ss_set_int(task, NULL, 1);
}

static int set_bad_key(struct ss_task *task)
{
    return ss_set_int(task, "\xff", 1);
}

START_TEST(a_typed_value_that_is_none_fails_the_task_by_name)
{
    ck_assert_str_eq(run_body(set_bad_text, "{}"),
        "failed invalid_update (-): ss_set_str: "
        "key \"name\": its text is NULL");
    given_text = "\xff";
    ck_assert_str_eq(run_body(set_bad_text, "{}"),
        "failed invalid_update (-): ss_set_str: "
        "key \"name\": its text is not UTF-8");
    ck_assert_str_eq(run_body(set_infinity, "{}"),
        "failed invalid_update (-): ss_set_float: key \"name\": NaN and the "
        "infinities are "
        "not values of JSON");
    ck_assert_str_eq(run_body(set_no_key, "{}"),
        "failed invalid_update (-): ss_set_int: "
        "key \"NULL\": a key is a text of UTF-8");
    ck_assert_str_eq(run_body(set_bad_key, "{}"),
        "failed invalid_update (-): ss_set_int: "
        "key \"?\": a key is a text of UTF-8");
}
END_TEST

static int do_all(struct ss_task *task)
{
    ss_send_to(task, "left", json_integer(1));
    ss_update(task, json_pack("{s:s}", "name", "x"));
    ss_goto(task, "right");
    return ss_send_to(task, "left", json_integer(2));
}

START_TEST(updates_come_before_sends_and_gotos_in_their_order)
{
    ck_assert_str_eq(run_body(do_all, "{}"),
        "done name=\"x\" "
        "__pregel_tasks={\"$send\":{\"node\":\"left\",\"arg\":1}} "
        "branch:to:right=null "
        "__pregel_tasks={\"$send\":{\"node\":\"left\",\"arg\":2}} "
        "branch:to:choose=null");
}
END_TEST

static int overwrite(struct ss_task *task)
{
    return ss_update(
        task, json_pack("{s:o}", "log", ss_overwrite(json_pack("[i]", 9))));
}

START_TEST(an_overwrite_is_written_as_one)
{
    ck_assert_str_eq(run_body(overwrite, "{}"),
        "done log={\"__overwrite__\":[9]} branch:to:choose=null");
}
END_TEST

static int leave(struct ss_task *task)
{
    ss_update(task, json_pack("{s:s}", "name", "lost"));
    return ss_parent(task, json_pack("{s:i}", "sum", 5), "after");
}

START_TEST(a_command_to_the_parent_writes_nothing_here)
{
    ck_assert_str_eq(run_body(leave, "{}"),
        "parent {\"$command\":{\"update\":{\"sum\":5},"
        "\"goto\":\"after\"}}");
    ck_assert_uint_eq(b.outcome->writes.count, 0);
}
END_TEST

static int give_back(struct ss_task *task)
{
    return ss_return(task, json_incref(ss_input(task)));
}

START_TEST(a_returned_value_is_taken_as_it_is)
{
    ck_assert_str_eq(
        run_body(give_back, "{\"$command\": {\"update\": {\"name\": \"n\"}, "
                            "\"goto\": \"left\"}}"),
        "done name=\"n\" branch:to:left=null branch:to:choose=null");
}
END_TEST

START_TEST(what_is_no_map_is_refused)
{
    ck_assert(strncmp(run_body(give_back, "5"), "failed invalid_update (-)",
                  25) == 0);
    ck_assert_uint_eq(b.outcome->writes.count, 0);
}
END_TEST

static int update_with_mark(struct ss_task *task)
{
    return ss_update(task, json_pack("{s:s}", "$send", "literal"));
}

START_TEST(an_update_that_looks_like_a_mark_is_none)
{
    // There is no key "$send" in this graph: it vanishes like any other.
    ck_assert_str_eq(
        run_body(update_with_mark, "{}"), "done branch:to:choose=null");
}
END_TEST

static int update_null(struct ss_task *task)
{
    return ss_update(task, NULL);
}

START_TEST(a_value_that_json_pack_refused_fails_with_a_hint)
{
    const char *told = run_body(update_null, "{}");
    ck_assert_msg(strstr(told, "ss_update: its value is NULL; did json_pack()"),
        "%s", told);
    ck_assert_int_eq(b.outcome->retryable, SS_RETRY_NO);
}
END_TEST

// ------------------------------------------------------------------ depth

static json_t *loop; // a list that holds a list that holds it

static int write_loop(struct ss_task *task)
{
    return ss_set_json(task, "log", json_incref(loop));
}

static int send_loop(struct ss_task *task)
{
    return ss_send_to(task, "work", json_incref(loop));
}

static int show_loop(struct ss_task *task)
{
    return ss_emit(task, json_incref(loop));
}

static int ask_loop(struct ss_task *task)
{
    json_t *answer;
    return ss_interrupt(task, json_incref(loop), &answer);
}

static int return_loop(struct ss_task *task)
{
    return ss_return(task, json_incref(loop));
}

static int update_loop(struct ss_task *task)
{
    return ss_update(task, json_incref(loop));
}

static void fails_with_loop(ss_node_fn *node, const char *what)
{
    char wanted[160];
    snprintf(wanted, sizeof(wanted),
        "failed invalid_update (-): %s: a value is nested deeper than 512 "
        "levels; does it hold itself?",
        what);
    body = node;
    bench_order(&b, "work", "{}")->want_custom = true;
    ck_assert_str_eq(bench_told(&b), wanted);
}

START_TEST(a_value_that_holds_itself_fails_its_task_and_not_its_worker)
{
    loop = json_array();
    json_array_append_new(loop, json_pack("[O]", loop));
    fails_with_loop(write_loop, "what was written to \"log\"");
    fails_with_loop(send_loop, "what was written to \"__pregel_tasks\"");
    fails_with_loop(show_loop, "ss_emit");
    fails_with_loop(ask_loop, "ss_interrupt");
    fails_with_loop(return_loop, "ss_return");
    fails_with_loop(update_loop, "ss_update");
    json_array_clear(loop);
    json_decref(loop);
}
END_TEST

static int go_to_unset(struct ss_task *task)
{
    return ss_goto(task, ss_input_str(task, "unset"));
}

static int send_to_unset(struct ss_task *task)
{
    (void)ss_send_to(task, "not \xff UTF-8", json_object());
    return 0;
}

START_TEST(a_body_that_goes_to_no_node_fails)
{
    const char *told = run_body(go_to_unset, "{}");
    ck_assert_msg(
        strstr(told, "ss_goto: the name of its node is NULL"), "%s", told);
    told = run_body(send_to_unset, "{}");
    ck_assert_msg(
        strstr(told, "ss_send_to: the name of its node is NULL"), "%s", told);
}
END_TEST

// ------------------------------------------------------------------ failures

static int fail_soft(struct ss_task *task)
{
    ss_update(task, json_pack("{s:s}", "name", "lost"));
    return ss_fail(task, "rate_limited", "wait %d s", 5);
}

static int fail_hard(struct ss_task *task)
{
    return ss_fail_final(task, "refused", "never");
}

static int fail_and_go_on(struct ss_task *task)
{
    ss_fail(task, "first", "first");
    ss_fail(task, "second", "second");
    return ss_update(task, json_pack("{s:s}", "name", "x"));
}

static int just_five(struct ss_task *task)
{
    (void)task;
    return 5;
}

static int bad_text(struct ss_task *task)
{
    return ss_fail(task, "k\xff", "caf\xe9");
}

START_TEST(failures_say_what_and_whether_to_try_again)
{
    ck_assert_str_eq(run_body(fail_soft, "{}"),
        "failed node_failed (rate_limited): wait 5 s");
    ck_assert_int_eq(b.outcome->retryable, SS_RETRY_YES);
    ck_assert_uint_eq(b.outcome->writes.count, 0);
    ck_assert_str_eq(
        run_body(fail_hard, "{}"), "failed node_failed (refused): never");
    ck_assert_int_eq(b.outcome->retryable, SS_RETRY_NO);
    ck_assert_str_eq(run_body(just_five, "{}"),
        "failed node_failed (-): node \"work\": it returned 5; ss_fail() can "
        "say why");
    ck_assert_int_eq(b.outcome->retryable, SS_RETRY_DEFAULT);
}
END_TEST

START_TEST(the_first_failure_sticks_whatever_is_returned)
{
    ck_assert_str_eq(
        run_body(fail_and_go_on, "{}"), "failed node_failed (first): first");
}
END_TEST

START_TEST(texts_that_are_no_utf8_become_readable)
{
    ck_assert_str_eq(run_body(bad_text, "{}"), "failed node_failed (k?): caf?");
}
END_TEST

static int stop_if_told(struct ss_task *task)
{
    return ss_heartbeat(task) ? 0 : -1;
}

START_TEST(a_body_that_stops_because_it_was_told_is_cancelled)
{
    b.is_cancelled = true;
    ck_assert_str_eq(run_body(stop_if_told, "{}"), "cancelled");
    b.is_cancelled = false;
    ck_assert_str_eq(
        run_body(stop_if_told, "{}"), "done branch:to:choose=null");
    ck_assert_uint_eq(b.progress, 2);
}
END_TEST

START_TEST(unknown_graphs_nodes_and_versions_are_said)
{
    bench_order(&b, "nope", "{}");
    ck_assert_str_eq(bench_told(&b),
        "failed not_found (-): graph \"g\" of this worker has no node "
        "\"nope\"");
    bench_order(&b, "work", "{}")->version = "5";
    ck_assert(strncmp(bench_told(&b), "failed version_mismatch", 23) == 0);
    bench_order(&b, "work", "{}")->app_graph = "other";
    ck_assert_str_eq(bench_told(&b),
        "failed not_found (-): this worker does not serve graph \"other\"");
}
END_TEST

START_TEST(an_error_handler_sees_what_failed)
{
    bench_order(&b, "__error_handler__work", "{}")->given.error =
        json_pack("{s:s}", "node", "work");
    ck_assert_str_eq(bench_told(&b), "done log=[{\"node\":\"work\"}]");
}
END_TEST

// ------------------------------------------------------------------ facts

static int tell_facts(struct ss_task *task)
{
    return ss_update(
        task, json_pack("{s:[s, s, s, s, i, i, i, b, b]}", "log",
                  ss_thread_id(task), ss_run_id(task), ss_node_name(task),
                  ss_idempotency_key(task), (int)ss_step(task),
                  (int)ss_attempt_number(task), *(int *)ss_ctx(task),
                  ss_deadline_ms(task) == INT64_MAX, ss_config(task) == NULL));
}

START_TEST(a_body_knows_where_it_is)
{
    ck_assert_str_eq(run_body(tell_facts, "{}"),
        "done log=[\"t\",\"r\",\"work\",\"0f0e0d0c-0b0a-4908-8706-"
        "050403020100\",3,2,42,true,true] branch:to:choose=null");
}
END_TEST

static int drain(struct ss_task *task)
{
    ss_drain(task, "maintenance");
    return 0;
}

START_TEST(a_body_may_ask_the_run_to_stop)
{
    run_body(drain, "{}");
    ck_assert_str_eq(b.outcome->drain, "maintenance");
}
END_TEST

// ------------------------------------------------------------------ live

static int emit(struct ss_task *task)
{
    ss_emit(task, json_string("half way"));
    return ss_emit_message(task, json_pack("{s:s}", "content", "Hel"));
}

START_TEST(live_items_go_out_only_where_somebody_listens)
{
    run_body(emit, "{}");
    ck_assert_uint_eq(json_array_size(b.live), 0);
    ck_assert_uint_eq(b.progress, 2);
    body = emit;
    bench_order(&b, "work", "{}")->want_custom = true;
    b.order->want_messages = true;
    bench_run(&b);
    char *live = ss_json_text(b.live);
    ck_assert_str_eq(live, "[[0,\"half way\"],[1,{\"content\":\"Hel\"}]]");
    ss_free(live);
}
END_TEST

static json_t *message(const char *id, const char *content)
{
    return json_pack(
        "{s:s, s:s, s:s?}", "type", "ai", "content", content, "id", id);
}

static int say_messages(struct ss_task *task)
{
    ss_update(task, json_pack("{s:[o, s]}", "log", message("m1", "a"), "text"));
    return ss_update(
        task, json_pack("{s:o, s:{s:[o]}}", "name", message(NULL, "b"), "log",
                  "__overwrite__", message("m3", "c")));
}

START_TEST(returned_messages_are_shown_and_get_the_ids_they_lack)
{
    run_body(say_messages, "{}");
    ck_assert_ptr_null(b.outcome->messages);
    body = say_messages;
    bench_order(&b, "work", "{}")->want_messages = true;
    bench_run(&b);
    json_t *messages = b.outcome->messages;
    ck_assert_uint_eq(json_array_size(messages), 2);
    const char *id = ss_json_str(json_array_get(messages, 1), "id", NULL);
    ck_assert_ptr_nonnull(id);
    ck_assert_uint_eq(strlen(id), 36);
    // What the state gets carries the same id, on every attempt.
    json_t *written = ss_value_json(b.outcome->writes.items[1].value);
    ck_assert_str_eq(ss_json_str(written, "id", ""), id);
    char *before = ss_strdup(id);
    bench_run(&b);
    ck_assert_str_eq(
        ss_json_str(json_array_get(b.outcome->messages, 1), "id", ""), before);
    ss_free(before);
}
END_TEST

static int say_without_id(struct ss_task *task)
{
    return ss_update(
        task, json_pack("{s:[{s:s, s:s}, {s:s, s:s, s:i}]}", "log", "type",
                  "ai", "content", "a", "type", "ai", "content", "b", "id", 7));
}

START_TEST(a_message_without_a_key_id_is_shown_and_gets_one)
{
    body = say_without_id;
    bench_order(&b, "work", "{}")->want_messages = true;
    bench_run(&b);
    json_t *messages = b.outcome->messages;
    ck_assert_uint_eq(json_array_size(messages), 1); // 7 is none
    const char *id = ss_json_str(json_array_get(messages, 0), "id", "");
    ck_assert_uint_eq(strlen(id), 36);
    json_t *written = ss_value_json(b.outcome->writes.items[0].value);
    ck_assert_str_eq(ss_json_str(json_array_get(written, 0), "id", ""), id);
}
END_TEST

// ------------------------------------------------------------------ input

static int count_items(struct ss_task *task)
{
    return ss_set_int(
        task, "name", (int64_t)json_array_size(ss_input_get(task, "items")));
}

static int count_members(struct ss_task *task)
{
    return ss_set_int(task, "name", (int64_t)json_object_size(ss_input(task)));
}

START_TEST(a_body_that_looks_at_one_key_decodes_no_other)
{
    // What is not looked at may be anything.
    char *input =
        ss_format("{\"items\":[1,2,3],\"rest\":no,\"text\":\"%01000d\"}", 7);
    body = count_items;
    struct ss_assignment *order = bench_order(&b, "work", "{}");
    ss_value_unref(order->input);
    order->input = ss_value_from_text(input, strlen(input));
    ss_free(input);
    ck_assert_str_eq(bench_told(&b), "done name=3 branch:to:choose=null");
}
END_TEST

START_TEST(an_input_has_all_of_its_keys_however_it_came)
{
    char *input =
        ss_format("{\"items\":[1,2,3],\"rest\":{},\"text\":\"%01000d\"}", 7);
    ck_assert_str_eq(
        run_body(count_members, input), "done name=3 branch:to:choose=null");
    ck_assert_str_eq(
        run_body(count_items, input), "done name=3 branch:to:choose=null");
    ck_assert_str_eq(
        run_body(count_items, "7"), "done name=0 branch:to:choose=null");
    ss_free(input);
}
END_TEST

// ------------------------------------------------------------------ processes

// What a body's child does, behind another order that this thread ran.
static bool runs_before_it_forks;

static void define_another(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "another", work_idle);
    ss_edge(graph, SS_START, "another");
}

static void run_another(void)
{
    struct bench inner = {0};
    bench_init(&inner, define_another);
    bench_order(&inner, "another", "{}");
    ck_assert_ptr_nonnull(bench_run(&inner));
    bench_fini(&inner);
}

static int fork_and_come_back(struct ss_task *task)
{
    int status = 0;
    if (runs_before_it_forks)
        run_another();
    pid_t child = fork();
    if (child == 0) {
        if (!runs_before_it_forks)
            run_another();
        return 0;
    }
    ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return ss_set_int(task, "log", WEXITSTATUS(status));
}

START_TEST(a_child_that_comes_back_ends_also_around_a_graph_inside_the_body)
{
    enum { GOT_OUT = 42 };
    pid_t parent = getpid();
    for (int i = 0; i < 2; i++) {
        runs_before_it_forks = i == 0;
        const char *told = run_body(fork_and_come_back, "{}");
        if (getpid() != parent)
            _exit(GOT_OUT);
        ck_assert_str_eq(told, "done log=1 branch:to:choose=null");
    }
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase,
        a_child_that_comes_back_ends_also_around_a_graph_inside_the_body);
    tcase_add_test(tcase, a_message_without_a_key_id_is_shown_and_gets_one);
    tcase_add_test(tcase, a_body_that_looks_at_one_key_decodes_no_other);
    tcase_add_test(tcase, an_input_has_all_of_its_keys_however_it_came);
    tcase_add_test(tcase, an_update_becomes_writes_and_the_edges_follow);
    tcase_add_test(tcase, a_body_that_writes_nothing_still_leads_on);
    tcase_add_test(tcase, each_of_several_updates_counts);
    tcase_add_test(tcase, a_typed_value_is_an_update_of_its_key);
    tcase_add_test(
        tcase, a_failure_whose_reason_is_null_is_a_failure_that_says_so);
    tcase_add_test(tcase, typed_values_of_several_keys_are_one_update);
    tcase_add_test(tcase, a_typed_value_that_is_none_fails_the_task_by_name);
    tcase_add_test(tcase, updates_come_before_sends_and_gotos_in_their_order);
    tcase_add_test(tcase, an_overwrite_is_written_as_one);
    tcase_add_test(tcase, a_command_to_the_parent_writes_nothing_here);
    tcase_add_test(tcase, a_returned_value_is_taken_as_it_is);
    tcase_add_test(tcase, what_is_no_map_is_refused);
    tcase_add_test(tcase, an_update_that_looks_like_a_mark_is_none);
    tcase_add_test(tcase, a_value_that_json_pack_refused_fails_with_a_hint);
    tcase_add_test(
        tcase, a_value_that_holds_itself_fails_its_task_and_not_its_worker);
    tcase_add_test(tcase, a_body_that_goes_to_no_node_fails);
    tcase_add_test(tcase, failures_say_what_and_whether_to_try_again);
    tcase_add_test(tcase, the_first_failure_sticks_whatever_is_returned);
    tcase_add_test(tcase, texts_that_are_no_utf8_become_readable);
    tcase_add_test(tcase, a_body_that_stops_because_it_was_told_is_cancelled);
    tcase_add_test(tcase, unknown_graphs_nodes_and_versions_are_said);
    tcase_add_test(tcase, an_error_handler_sees_what_failed);
    tcase_add_test(tcase, a_body_knows_where_it_is);
    tcase_add_test(tcase, a_body_may_ask_the_run_to_stop);
    tcase_add_test(tcase, live_items_go_out_only_where_somebody_listens);
    tcase_add_test(
        tcase, returned_messages_are_shown_and_get_the_ids_they_lack);
}

int main(void)
{
    return work_main("execute", add_tests);
}
