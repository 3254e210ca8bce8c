// execute_routers_test.c - routers that choose, and reducers of the author's.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/unit/worker/work.h"

// ------------------------------------------------------------------ routers

static const char *way;

static int go(struct ss_route *r)
{
    ck_assert_ptr_eq(ss_route_ctx(r), &work_number);
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
    if (strcmp(way, "unset") == 0)
        return ss_route_to(r, ss_state_str(r, "unset"));
    if (strcmp(way, "unset, and on") == 0) {
        (void)ss_route_send(r, ss_state_str(r, "unset"), json_object());
        return ss_route_to(r, "left");
    }
    if (strcmp(way, "list") == 0)
        return ss_route_return(r, json_pack("[s, s]", "left", "right"));
    if (strcmp(way, "null") == 0)
        return ss_route_return(r, json_null());
    if (strcmp(way, "state") == 0)
        return ss_route_to(
            r, json_string_value(json_object_get(ss_state(r), "name")));
    if (strcmp(way, "parts") == 0) {
        json_t *state = ss_state(r);
        json_object_set_new(state, "n", json_integer(2));
        json_object_set_new(state, "b", json_true());
        bool found = ss_state_int(r, "n") == 2 && ss_state_bool(r, "b") &&
                     ss_state_float(r, "n") == 2.0 &&
                     ss_state_get(r, "none") == NULL &&
                     ss_state_int(r, "name") == 0;
        return ss_route_to(r, found ? ss_state_str(r, "name") : "left");
    }
    if (strcmp(way, "fail") == 0)
        return ss_route_fail(r, "lost", "no way out");
    return 3;
}

static const char *run_router(const char *which)
{
    way = which;
    router = go;
    bench_order(&b, "choose", "{}");
    json_object_set_new(
        ss_value_json(b.order->fresh.channels), "name", json_string("right"));
    return bench_told(&b);
}

START_TEST(a_router_chooses_where_to_go)
{
    ck_assert_str_eq(run_router("left"), "done branch:to:left=null");
    ck_assert_str_eq(run_router("end"), "done");
    ck_assert_str_eq(run_router("parts"), "done branch:to:right=null");
    ck_assert_str_eq(run_router("nowhere"), "done");
    ck_assert_str_eq(
        run_router("list"), "done branch:to:left=null branch:to:right=null");
    ck_assert_str_eq(run_router("fan"),
        "done __pregel_tasks={\"$send\":{\"node\":\"right\",\"arg\":{\"part\":"
        "0}}} __pregel_tasks={\"$send\":{\"node\":\"right\",\"arg\":{\"part\":"
        "1}}} branch:to:left=null");
}
END_TEST

// A key that nobody has set, or a misspelt one: the run would end here, done.
START_TEST(a_router_that_names_no_node_fails_the_task)
{
    const char *told = run_router("unset");
    ck_assert_msg(
        strstr(told, "ss_route_to: the name of its node is NULL"), "%s", told);
    told = run_router("unset, and on");
    ck_assert_msg(strstr(told, "ss_route_send: the name of its node is NULL"),
        "%s", told);
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
        "failed node_failed (-): node \"choose\": the router \"where\" "
        "returned "
        "3");
    ck_assert(strncmp(run_router("null"), "failed invalid_argument", 23) == 0);
    ck_assert_uint_eq(b.outcome->writes.count, 0);
}
END_TEST

START_TEST(writers_run_alone_where_there_is_no_body_to_run)
{
    way = "left";
    router = go;
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
    b.order->fold.channel = ss_strdup("longest");
    if (value)
        b.order->fold.value = ss_value_new(json_string(value));
    b.order->fold.writes = writes;
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
    tcase_add_test(tcase, a_router_chooses_where_to_go);
    tcase_add_test(tcase, a_router_that_names_no_node_fails_the_task);
    tcase_add_test(tcase, a_router_reads_the_state);
    tcase_add_test(tcase, a_router_may_fail_and_then_nothing_is_written);
    tcase_add_test(tcase, writers_run_alone_where_there_is_no_body_to_run);
    tcase_add_test(tcase, a_reducer_of_the_author_folds);
}

int main(void)
{
    return work_main("execute_routers", add_tests);
}
