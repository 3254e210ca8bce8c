// execute_test.c - one order to its outcome: what bodies and routers can say.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/unit/worker/bench.h"

static struct bench b;
static ss_node_fn *body; // of the node "work" in the test at hand

static int work(struct ss_task *task)
{
    return body(task);
}

static json_t *last_longest(
    json_t *value, json_t *const *writes, size_t count, void *ctx)
{
    json_t *best = value;
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        if (!best || json_string_length(writes[i]) > json_string_length(best))
            best = writes[i];
    if (best && strcmp(json_string_value(best), "poison") == 0)
        return NULL;
    return json_incref(best);
}

static int route(struct ss_route *r);
static int handler(struct ss_task *task)
{
    json_t *failed = ss_error(task);
    return ss_update(task, json_pack("{s:[O]}", "log", failed));
}

static int idle(struct ss_task *task)
{
    (void)task;
    return 0;
}

static int number = 42;

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_key(graph, "name", SS_STR);
    ss_key(graph, "longest", SS_STR, .reduce = last_longest);
    ss_node(graph, "work", work, .ctx = &number, .on_error = handler);
    ss_node(graph, "choose", idle);
    ss_node(graph, "left", idle);
    ss_node(graph, "right", idle);
    ss_edge(graph, SS_START, "work");
    ss_edge(graph, "work", "choose");
    ss_branch(graph, "choose", route, .name = "where", .ctx = &number);
}

static void setup(void)
{
    bench_init(&b, define);
}

static void teardown(void)
{
    bench_fini(&b);
}

static const char *run_body(ss_node_fn *function, const char *input)
{
    body = function;
    bench_order(&b, "work", input);
    return bench_told(&b);
}

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
    ck_assert_str_eq(run_body(idle, "{}"), "done branch:to:choose=null");
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

// ------------------------------------------------------------------ questions

static int ask_twice(struct ss_task *task)
{
    json_t *first, *second;
    if (ss_interrupt(task, json_string("one?"), &first) != 0)
        return SS_INTERRUPTED;
    if (ss_interrupt(task, json_string("two?"), &second) != 0)
        return SS_INTERRUPTED;
    return ss_update(task, json_pack("{s:[O, O]}", "log", first, second));
}

START_TEST(a_question_without_answer_interrupts)
{
    ck_assert_str_eq(
        run_body(ask_twice, "{}"), "interrupted {\"value\":\"one?\"}");
    ck_assert_ptr_null(b.outcome->answers);
}
END_TEST

START_TEST(answers_go_to_questions_by_their_position)
{
    body = ask_twice;
    bench_order(&b, "work", "{}")->answers = json_pack("[s]", "a");
    ck_assert_str_eq(bench_told(&b), "interrupted {\"value\":\"two?\"}");
    ck_assert_uint_eq(json_array_size(b.outcome->answers), 1);
    bench_order(&b, "work", "{}")->answers =
        json_pack("[s, s, s]", "a", "b", "never asked for");
    ck_assert_str_eq(
        bench_told(&b), "done log=[\"a\",\"b\"] branch:to:choose=null");
    ck_assert_uint_eq(json_array_size(b.outcome->answers), 2);
    ck_assert(!b.outcome->took_plain);
}
END_TEST

START_TEST(a_plain_answer_goes_to_the_first_question_beyond_once)
{
    body = ask_twice;
    bench_order(&b, "work", "{}")->plain = ss_value_new(json_string("p"));
    ck_assert_str_eq(bench_told(&b), "interrupted {\"value\":\"two?\"}");
    ck_assert(b.outcome->took_plain);
    char *answers = ss_json_text(b.outcome->answers);
    ck_assert_str_eq(answers, "[\"p\"]");
    ss_free(answers);
    bench_order(&b, "work", "{}")->plain = ss_value_new(json_string("p"));
    b.order->answers = json_pack("[s]", "a");
    ck_assert_str_eq(
        bench_told(&b), "done log=[\"a\",\"p\"] branch:to:choose=null");
}
END_TEST

static int ask_number(struct ss_task *task)
{
    json_t *age;
    int result = ss_interrupt_schema(task, json_string("age?"),
        json_pack("{s:s}", "type", "integer"), true, &age);
    if (result != 0)
        return result;
    return ss_update(task, json_pack("{s:[O]}", "log", age));
}

START_TEST(a_question_shows_the_type_of_its_answer)
{
    ck_assert_str_eq(run_body(ask_number, "{}"),
        "interrupted {\"value\":\"age?\",\"response_schema\":{\"type\":"
        "\"integer\"}}");
}
END_TEST

START_TEST(an_answer_is_converted_for_the_body_and_kept_as_given)
{
    body = ask_number;
    bench_order(&b, "work", "{}")->answers = json_pack("[s]", "42");
    ck_assert_str_eq(bench_told(&b), "done log=[42] branch:to:choose=null");
    ck_assert(json_is_string(json_array_get(b.outcome->answers, 0)));
}
END_TEST

START_TEST(an_answer_of_another_type_fails_and_is_not_among_the_answers)
{
    body = ask_number;
    bench_order(&b, "work", "{}")->plain = ss_value_new(json_string("old"));
    ck_assert_str_eq(bench_told(&b),
        "failed invalid_answer (invalid_answer): the answer to question 1 of "
        "node work must be of type integer, not \"old\"");
    ck_assert_ptr_null(b.outcome->answers);
    ck_assert_int_eq(b.outcome->retryable, SS_RETRY_NO);
}
END_TEST

static int forget_to_return(struct ss_task *task)
{
    json_t *answer;
    (void)ss_interrupt(task, json_string("one?"), &answer);
    (void)ss_interrupt(task, json_string("two?"), &answer);
    return 0;
}

START_TEST(a_body_that_does_not_return_after_its_question_has_asked_it_still)
{
    ck_assert_str_eq(
        run_body(forget_to_return, "{}"), "interrupted {\"value\":\"one?\"}");
}
END_TEST

static int never_asked(struct ss_task *task)
{
    (void)task;
    return SS_INTERRUPTED;
}

START_TEST(interrupted_without_a_question_is_a_failure)
{
    ck_assert_str_eq(run_body(never_asked, "{}"),
        "failed node_failed (-): node work returned SS_INTERRUPTED, but asked "
        "nothing");
}
END_TEST

static int ask_then_fail(struct ss_task *task)
{
    json_t *answer;
    if (ss_interrupt(task, json_string("one?"), &answer) != 0)
        return SS_INTERRUPTED;
    return ss_fail(task, NULL, "no");
}

START_TEST(a_failure_after_an_answer_keeps_the_answer)
{
    body = ask_then_fail;
    bench_order(&b, "work", "{}")->answers = json_pack("[i]", 7);
    ck_assert_str_eq(bench_told(&b), "failed node_failed (-): no");
    ck_assert_uint_eq(json_array_size(b.outcome->answers), 1);
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
        "failed node_failed (-): node work returned 5; ss_fail() would say "
        "why");
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
    bench_order(&b, "work", "{}")->version = ss_strdup("5");
    ck_assert(strncmp(bench_told(&b), "failed version_mismatch", 23) == 0);
    ss_free(bench_order(&b, "work", "{}")->app_graph);
    b.order->app_graph = ss_strdup("other");
    ck_assert_str_eq(bench_told(&b),
        "failed not_found (-): this worker does not serve graph \"other\"");
}
END_TEST

START_TEST(an_error_handler_sees_what_failed)
{
    bench_order(&b, "__error_handler__work", "{}")->error =
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

// ------------------------------------------------------------------ routers

static const char *way;

static int route(struct ss_route *r)
{
    ck_assert_ptr_eq(ss_route_ctx(r), &number);
    if (strcmp(way, "left") == 0)
        return ss_route_to(r, "left");
    if (strcmp(way, "end") == 0)
        return ss_route_to(r, SS_END);
    if (strcmp(way, "fan") == 0) {
        for (int i = 0; i < 2; i++)
            ss_route_send(r, "right", json_pack("{s:i}", "part", i));
        return ss_route_to(r, "left");
    }
    if (strcmp(way, "nowhere") == 0)
        return 0;
    if (strcmp(way, "list") == 0)
        return ss_route_return(r, json_pack("[s, s]", "left", "right"));
    if (strcmp(way, "null") == 0)
        return ss_route_return(r, json_null());
    if (strcmp(way, "state") == 0)
        return ss_route_to(
            r, json_string_value(json_object_get(ss_state(r), "name")));
    if (strcmp(way, "fail") == 0)
        return ss_route_fail(r, "lost", "no way out");
    return 3;
}

static const char *run_router(const char *which)
{
    way = which;
    bench_order(&b, "choose", "{}");
    json_object_set_new(ss_value_json(b.order->fresh.channels), "name",
        json_string("right"));
    return bench_told(&b);
}

START_TEST(a_router_chooses_where_to_go)
{
    ck_assert_str_eq(run_router("left"), "done branch:to:left=null");
    ck_assert_str_eq(run_router("end"), "done");
    ck_assert_str_eq(run_router("nowhere"), "done");
    ck_assert_str_eq(
        run_router("list"), "done branch:to:left=null branch:to:right=null");
    ck_assert_str_eq(run_router("fan"),
        "done __pregel_tasks={\"$send\":{\"node\":\"right\",\"arg\":{\"part\":"
        "0}}} __pregel_tasks={\"$send\":{\"node\":\"right\",\"arg\":{\"part\":"
        "1}}} branch:to:left=null");
}
END_TEST

START_TEST(a_router_reads_the_state)
{
    ck_assert_str_eq(run_router("state"), "done branch:to:right=null");
}
END_TEST

START_TEST(a_router_may_fail_and_then_nothing_is_written)
{
    ck_assert_str_eq(
        run_router("fail"), "failed node_failed (lost): no way out");
    ck_assert_str_eq(run_router("other"),
        "failed node_failed (-): the router \"where\" of node choose returned "
        "3");
    ck_assert(strncmp(run_router("null"), "failed invalid_argument", 23) == 0);
    ck_assert_uint_eq(b.outcome->writes.count, 0);
}
END_TEST

START_TEST(writers_run_alone_where_there_is_no_body_to_run)
{
    way = "left";
    bench_order(&b, "choose", "{}")->kind = SS_ORDER_WRITERS;
    b.order->returned = ss_value_new(json_pack("{s:s}", "name", "as node"));
    ck_assert_str_eq(
        bench_told(&b), "done name=\"as node\" branch:to:left=null");
}
END_TEST

// ------------------------------------------------------------------ folds

static const char *fold(const char *value, json_t *writes)
{
    static char text[200];
    bench_order(&b, "", "null")->kind = SS_ORDER_FOLD;
    b.order->fold_channel = ss_strdup("longest");
    if (value)
        b.order->fold_value = ss_value_new(json_string(value));
    b.order->fold_writes = writes;
    if (bench_run(&b)->kind == SS_OUTCOME_FAILED)
        return b.outcome->message;
    snprintf(text, sizeof(text), "%s",
        json_string_value(ss_value_json(b.outcome->folded)));
    return text;
}

START_TEST(a_reducer_of_the_author_folds)
{
    ck_assert_str_eq(fold(NULL, json_pack("[s, s]", "a", "bbb")), "bbb");
    ck_assert_str_eq(fold("cccc", json_pack("[s, s]", "a", "bbb")), "cccc");
    ck_assert_str_eq(fold("cccc", json_pack("[s, {s:s}, s]", "a",
                                      "__overwrite__", "o", "bbbbbb")),
        "o");
    ck_assert_str_eq(fold(NULL, json_pack("[s]", "poison")),
        "the reducer of key \"longest\" gave NULL for 1 writes");
    ck_assert_ptr_nonnull(
        strstr(fold(NULL, json_pack("[{s:s}, {s:s}]", "__overwrite__", "o",
                              "__overwrite__", "p")),
            "overwritten 2 times"));
}
END_TEST

static void add_tests(TCase *tcase)
{
#define T(name) tcase_add_test(tcase, name)
    T(an_update_becomes_writes_and_the_edges_follow);
    T(a_body_that_writes_nothing_still_leads_on);
    T(each_of_several_updates_counts);
    T(updates_come_before_sends_and_gotos_in_their_order);
    T(an_overwrite_is_written_as_one);
    T(a_command_to_the_parent_writes_nothing_here);
    T(a_returned_value_is_taken_as_it_is);
    T(what_is_no_map_is_refused);
    T(an_update_that_looks_like_a_mark_is_none);
    T(a_value_that_json_pack_refused_fails_with_a_hint);
    T(a_question_without_answer_interrupts);
    T(answers_go_to_questions_by_their_position);
    T(a_plain_answer_goes_to_the_first_question_beyond_once);
    T(a_question_shows_the_type_of_its_answer);
    T(an_answer_is_converted_for_the_body_and_kept_as_given);
    T(an_answer_of_another_type_fails_and_is_not_among_the_answers);
    T(a_body_that_does_not_return_after_its_question_has_asked_it_still);
    T(interrupted_without_a_question_is_a_failure);
    T(a_failure_after_an_answer_keeps_the_answer);
    T(failures_say_what_and_whether_to_try_again);
    T(the_first_failure_sticks_whatever_is_returned);
    T(texts_that_are_no_utf8_become_readable);
    T(a_body_that_stops_because_it_was_told_is_cancelled);
    T(unknown_graphs_nodes_and_versions_are_said);
    T(an_error_handler_sees_what_failed);
    T(a_body_knows_where_it_is);
    T(a_body_may_ask_the_run_to_stop);
    T(live_items_go_out_only_where_somebody_listens);
    T(returned_messages_are_shown_and_get_the_ids_they_lack);
    T(a_router_chooses_where_to_go);
    T(a_router_reads_the_state);
    T(a_router_may_fail_and_then_nothing_is_written);
    T(writers_run_alone_where_there_is_no_body_to_run);
    T(a_reducer_of_the_author_folds);
#undef T
}

int main(void)
{
    Suite *suite = suite_create("execute");
    TCase *tcase = tcase_create("execute");
    tcase_add_checked_fixture(tcase, setup, teardown);
    add_tests(tcase);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
